// The first page: three questions about what is open, which do the clicks themselves, and how to begin with
// something of one's own.
#pragma once

#include <optional>

#include "app/gui/views/common/view.h"
#include "app/gui/views/start/start_facts.h"

class QLabel;
class QLineEdit;
class QPushButton;
class QScrollArea;

namespace mog::gui {

class FigureCanvas;
class QuestionCard;
class StartNotes;
struct ViewKind;

class StartView : public View {
  Q_OBJECT
 public:
  static const ViewKind& kind();
  explicit StartView(const ViewContext& context, QWidget* parent = nullptr);
  std::vector<ExportItem> exports() const override;
  // What it runs where nothing is open.
  static QString example();

  // At the first start: the example is run as soon as there is a model, unless something else is open by
  // then.
  void showAtFirst();

  QuestionCard& collected() { return *collected_; }
  QuestionCard& looks() { return *looks_; }
  QuestionCard& lengths() { return *lengths_; }
  QLineEdit& line() { return *line_; }
  FigureCanvas& picture() { return *picture_; }
  QString caption() const;
  StartNotes& notes() { return *notes_; }

 Q_SIGNALS:
  void viewAsked(const QString& name);  // "trees", "attention", "weights"
  void typed(const QString& sentence);
  void tourAsked();

 protected:
  void refresh() override;
  bool event(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  static constexpr int kPictureFrom = 1000;  // narrower: the questions alone
  static constexpr int kKeysFrom = 1400;     // with the picture: room for keys on buttons
  QWidget* buildQuestions();
  QWidget* buildOwn();
  QWidget* buildPicture();
  void connectAll();
  void paintQuiet();
  void askExample();
  void showExample();
  void showGraph(const std::optional<StartGraph>& graph);
  void showLook(const std::optional<StartLook>& look);
  void updateLengths();
  void updateNotes();
  void updateText();
  void showNoMaps();
  QuestionCard& firstQuestion();
  void updateNumbers();
  void fitQuestions();
  const WorkspaceItem* corpus() const;  // the recording that is counted; nullptr: none is open
  void openGraph();
  void openLook();
  void openLengths();

  QuestionCard* collected_;
  QuestionCard* looks_;
  QuestionCard* lengths_;
  QLineEdit* line_;
  QPushButton* open_;
  QPushButton* record_;
  QPushButton* tour_;
  QScrollArea* questions_ = nullptr;
  QWidget* right_ = nullptr;
  FigureCanvas* picture_;
  QLabel* text_ = nullptr;
  QLabel* note_ = nullptr;
  StartNotes* notes_;
  QLabel* caption_;
  std::optional<StartGraph> graph_;
  std::optional<StartLook> look_;
  bool first_ = false;    // the example waits for a model
  bool example_ = false;  // the first question was chosen where nothing was open: it is on its way
};

}  // namespace mog::gui
