// The strip below a graph: a line that says of what the best graphs are, a menu of lists, and their cards.
#pragma once

#include <QWidget>
#include <vector>

#include "app/gui/views/common/figure_data_tasks.h"
#include "app/gui/views/item_models/k_best_model.h"
#include "app/gui/widgets/film_strip.h"

class QActionGroup;
class QLabel;
class QMenu;
class QToolButton;

namespace mog::gui {

class GraphStrip : public QWidget {
  Q_OBJECT
 public:
  explicit GraphStrip(QWidget* parent = nullptr);
  FilmStrip& film() { return *film_; }
  // A list that can be chosen from the menu.
  void addList(int value, const QString& text);
  void setList(int value);  // without listChosen()
  // The graphs of an answer, which the list holds; begins with card_to_show().
  void setGraphs(const KBestModel& list, const SentenceGraphs& graphs, const SentenceGraphs::Answer& answer);

 Q_SIGNALS:
  void listChosen(int value);
  void copyWanted();  // of the expression

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void fitTitle();

  QLabel* title_;
  QString whole_;  // the title
  QString brief_;  // where that has no room
  QToolButton* menu_button_;
  QMenu* menu_;
  QActionGroup* lists_;
  FilmStrip* film_;
};

// One for each row of the list, which holds the derivations of the answer.
std::vector<FilmCard> film_cards(const KBestModel& list, const SentenceGraphs& graphs,
                                 const SentenceGraphs::Answer& answer);
// "Best graphs of <b>telescope</b> at layer 6".
QString film_title(const SentenceGraphs& graphs, const SentenceGraphs::Answer& answer);
// The card to begin with. By leaves the largest graph of at most eight leaves whose weight is not lost in
// rounding, 10⁻⁶; by weight the best that joins something: a word alone is no picture.
int card_to_show(const KBestModel& list);

}  // namespace mog::gui
