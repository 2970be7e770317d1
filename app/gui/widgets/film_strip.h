// The graphs of a word beside each other, from the smallest: cards with a small picture, of which one is
// chosen. One key stop: Tab leads to the chosen card, the arrows from there to the others.
#pragma once

#include <QString>
#include <QWidget>
#include <memory>
#include <vector>

#include "analysis/figure_data/figure_data.h"

class QAbstractButton;
class QButtonGroup;
class QHBoxLayout;
class QScrollArea;

namespace mog::gui {

struct FilmCard {
  QString number;       // "6"
  QString what;         // "leaves"; where there is no room it is left out
  QString words;        // "5 words"
  QString brief_words;  // "5 w."
  double weight = 0;
  QString weight_text;                                // "3e-6"
  QString name;                                       // to a screen reader: "6 leaves, 5 words, weight 3e-6"
  QString more;                                       // what a table would say of it
  std::shared_ptr<const analysis::FigureData> graph;  // a tree
};

class FilmStrip : public QWidget {
  Q_OBJECT
 public:
  explicit FilmStrip(QWidget* parent = nullptr);
  void setCards(std::vector<FilmCard> cards);
  void clear() { setCards({}); }
  int count() const { return static_cast<int>(cards_.size()); }
  const FilmCard& card(int index) const { return cards_[static_cast<std::size_t>(index)]; }
  QAbstractButton* button(int index) const;
  int current() const;         // -1: none
  void setCurrent(int index);  // without chosen()
  void step(int by);           // as a hand does
  // One line: numbers and bars alone.
  void setFlat(bool flat);
  QSize minimumSizeHint() const override;

 Q_SIGNALS:
  void chosen(int index);
  void menuAsked(int index, const QPoint& at);  // of a card; where on the screen

 protected:
  void resizeEvent(QResizeEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void measure();
  void show(int index);

  std::vector<FilmCard> cards_;
  QScrollArea* area_;
  QWidget* page_;
  QHBoxLayout* row_;
  QButtonGroup* group_;
  bool narrow_ = false;
  bool flat_ = false;
};

// "3e-6", "0.024": short enough for a card.
QString short_weight(double weight);

}  // namespace mog::gui
