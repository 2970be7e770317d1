// The strip below the top bar: the selected sentence whole, with its gates; at its left the pager, at its
// right what the bars mean.
#pragma once

#include <QTimer>
#include <QWidget>
#include <memory>
#include <optional>
#include <vector>

#include "app/gui/views/common/view.h"
#include "app/gui/views/strip/gate_key.h"
#include "app/gui/views/strip/strip_line.h"

class QLabel;
class QLineEdit;
class QScrollArea;
class QToolButton;

namespace mog::gui {

class SentenceStrip : public QWidget {
  Q_OBJECT
 public:
  explicit SentenceStrip(const ViewContext& context, QWidget* parent = nullptr);
  // That of the rail; below some width the pager has no arrows.
  void setPagerWidth(int width);
  // That of the inspector; 0: no key.
  void setKeyWidth(int width);
  // Every piece a word of its own, special tokens too; at first words are whole.
  void setPieces(bool pieces);
  // Tokens of the graph in front: their words are tinted, until the sentence is another one.
  void setGraphWords(std::vector<std::int64_t> tokens);
  // The sentence in a line, to change it.
  void edit();
  bool isEditing() const;

  StripLine& line() { return *line_; }
  // Another word of the sentence that is chosen; before it is shown, as soon as it is.
  void stepWord(int by);
  GateKey& key() { return *key_; }
  QLineEdit& editor() { return *editor_; }
  // What stands where there is no sentence; empty: there is one.
  QString emptyText() const;
  // "1 / 7"
  QString page() const;
  // For lines that lead from words to a picture below: where they begin, in this widget. Nothing while the
  // sentence has more than one line.
  std::optional<QPointF> footOf(std::int64_t token) const;

 Q_SIGNALS:
  void stepAsked(int by);                // another sentence of the table
  void edited(const QString& sentence);  // to be run
  void entered();                        // the reader is done with it: on to the picture
  void placesChanged();                  // the words stand elsewhere, or are others

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void changeEvent(QEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void buildPager();
  void drawArrows();
  void buildWords();
  void connectAll();
  void ask();  // soon
  void refresh();
  void readMiddle(const std::shared_ptr<const RecordingSource>& source, std::int64_t index);
  void showSentence(StripSentence sentence, SentenceRef of);
  void showNothing();
  void updatePage();
  void updateNote();
  void place();
  void seePinned();
  void endEditing(bool run);

  ViewContext context_;
  QWidget* pager_;
  QToolButton* previous_;
  QToolButton* next_;
  QLabel* page_;
  QScrollArea* scroll_;
  StripLine* line_;
  QLabel* empty_;
  QLineEdit* editor_;
  GateKey* key_;
  QTimer soon_;
  SentenceRef shown_;
  int steps_ = 0;  // of words, asked for before the sentence is shown
  int pager_width_ = 240;
  int key_width_ = 360;
  bool pieces_ = false;
  bool ending_ = false;  // the editor is being closed
  int middle_item_ = 0;
  std::weak_ptr<const RecordingSource> middle_of_;  // the recording whose median is shown or read
  std::int64_t middle_index_ = -1;                  // of it the sentence, where the median is that of one
};

}  // namespace mog::gui
