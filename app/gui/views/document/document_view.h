// A text with the chains of mentions that a model of coreference finds in it: a click on a mention lists what
// it may go back to. The text can be changed and resolved again.
#pragma once

#include <memory>

#include "app/gui/views/common/view.h"
#include "app/gui/views/document/document_run.h"

class QListWidget;
class QPlainTextEdit;
class QScrollArea;
class QStackedWidget;
class QToolButton;

namespace mog::gui {

struct ViewKind;

class ChainText;
class FigureCanvas;

class DocumentView : public View {
  Q_OBJECT
 public:
  static const ViewKind& kind();
  explicit DocumentView(const ViewContext& context, QWidget* parent = nullptr);
  std::vector<ExportItem> exports() const override;

  ChainText& text() { return *text_; }
  QPlainTextEdit& editor() { return *editor_; }
  QListWidget& candidates() { return *candidates_; }
  QToolButton& edit() { return *edit_; }
  QToolButton& run() { return *run_; }
  // nullptr: nothing is shown.
  const std::shared_ptr<const ShownDocument>& shown() const { return shown_; }

 protected:
  void refresh() override;

 private:
  void build();
  void connectParts();
  const WorkspaceModel* resolver() const;
  QString selectedText() const;
  void resolve();
  void resolveEdited();
  void failed(const QString& message);
  void setEditing(bool editing);
  void showEmpty(const Empty& empty);
  void listCandidates();
  void lightCandidate(int row);

  QToolButton* edit_;
  QToolButton* run_;
  LineLabel* what_;
  QStackedWidget* pages_;
  QScrollArea* scroll_;
  ChainText* text_;
  QPlainTextEdit* editor_;
  FigureCanvas* empty_;
  QWidget* side_;
  LineLabel* of_;
  QListWidget* candidates_;
  std::shared_ptr<const ShownDocument> shown_;
  std::shared_ptr<const analysis::FigureData> links_;  // mentions by candidates
  QString read_;                                       // the text that the model was last asked for
  SentenceRef text_of_;                                // the sentence that it belongs to
  bool missed_ = false;                                // a refresh, while the editor was open
};

}  // namespace mog::gui
