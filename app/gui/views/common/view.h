// What all views have in common: they follow the shared selection, work in jobs, say what lies under the
// pointer and offer what they show for export. No view knows another.
#pragma once

#include <QTimer>
#include <QWidget>
#include <functional>
#include <memory>
#include <vector>

#include "analysis/figure_data/figure_data.h"
#include "app/figures/painter.h"
#include "app/gui/session/job_runner.h"
#include "app/gui/session/selection_model.h"
#include "app/gui/session/view_state.h"
#include "app/gui/session/workspace.h"
#include "app/gui/widgets/offer.h"
#include "app/gui/widgets/tool_row.h"
#include "app/workflow/figures/figure.h"
#include "app/workflow/figures/figure_file.h"

namespace mog::gui {

struct GoldTreebank;

// Borrowed, never null; they outlive every view.
struct ViewContext {
  Workspace& workspace;
  SelectionModel& selection;
  JobRunner& jobs;
  ViewState& state;
};

// The command line that makes a picture; what a shell must do before it, where the sentences were typed.
struct FigureCommand {
  std::vector<std::string> arguments;       // of `mog figure`, without the file; empty: there is none
  QString prepare;                          // a shell line that makes the recording; empty: it is there
  QString input = {};                       // one whose output it reads
  std::string file_option = "--output";     // before the name of the file
  QString why_not;                          // said when there is none
  std::function<app::FigureFacts()> facts;  // where the numbers come from, for files of them
  bool possible() const { return !arguments.empty(); }
  // For a shell: a file of that name in the current folder.
  QString line(const QString& file_name) const;
};

// One picture that can be written into a file.
struct ExportItem {
  QString name;       // "Attention map"
  QString file_name;  // without extension: "attention-s12-l3-high-h2"
  std::shared_ptr<const analysis::FigureData> figure;
  figures::Highlight highlight;  // selection included
  FigureCommand command = {};
};

class View : public QWidget {
  Q_OBJECT
 public:
  explicit View(const ViewContext& context, QWidget* parent = nullptr);
  // What can be exported now; the first is what Ctrl+E offers.
  virtual std::vector<ExportItem> exports() const = 0;
  // What it shows is of an older selection: nobody could see it since, or the answer is on its way.
  bool stale() const;

 Q_SIGNALS:
  // The value under the pointer, in words; empty: nothing there.
  void readout(const QString& text);
  // Why nothing happened, or what did.
  void said(const QString& text);
  // A reader wants to open something, to type a sentence, to record a corpus.
  void openAsked();
  void typingAsked();
  void recordAsked();

 protected:
  // Asks for refresh(): at once when the view can be seen, else when it is shown.
  void invalidate();
  // The slots of the jobs of refresh(). What still works in them is cancelled before each, so that no answer
  // to an older question comes after what it shows.
  void asksIn(const QStringList& slots_of_jobs) { asks_in_ = slots_of_jobs; }
  // Reads the selection and starts the job that draws it.
  virtual void refresh() = 0;
  void showEvent(QShowEvent* event) override;

  Workspace& workspace() const { return context_.workspace; }
  SelectionModel& selection() const { return context_.selection; }
  JobRunner& jobs() const { return context_.jobs; }
  // Why there is no sentence to show, and what to do about it. The view is asked to refresh() when that
  // changes.
  struct Empty {
    QString title;
    QString hint;
    Offer offer = {};
  };
  // `purpose`: what the view shows of a sentence, as a sentence of its own.
  Empty noSentence(const QString& purpose = {});
  Empty whyNoSentence() const;                 // the same without purpose and offer
  const WorkspaceItem* withSentences() const;  // the first that has any
  // Of a recorded sentence: its model can be run on it, or opened. The view is asked to refresh() when that
  // changes.
  Offer modelOffer();
  // The recording has not what the view shows, which its model could compute.
  Empty notRecorded(const QString& title, const QString& hint);
  // To stand behind a hint that there are no maps: that rows are cut (mog record --store-top-k), or nothing.
  QString cutRowsHint() const;
  // The recording of the selected sentence, or nullptr.
  std::shared_ptr<const RecordingSource> source() const;
  ViewState& state() const { return context_.state; }
  // The gold syntax that is open.
  GoldTreebank gold() const;
  // The command for a picture of the selected item's recording, or of those of some items.
  FigureCommand commandOf(const app::FigureRequest& made_by, const figures::Highlight& highlight = {},
                          std::vector<int> items = {}) const;
  // The command of a picture that `mog figure --text` makes: a text run by the model that `made_by` names.
  // `run`: what came of it here, for the facts of numbers.
  static FigureCommand commandOfText(const app::FigureRequest& made_by,
                                     const std::shared_ptr<const RecordingSource>& run,
                                     const figures::Highlight& highlight);
  // "s12-l3": sentence number and layer, for file names.
  QString selectionName() const;

 private:
  void refreshIfDue();
  void askAnew();

  ViewContext context_;
  QTimer due_;
  QStringList asks_in_;
  bool stale_ = true;
  bool offers_ = false;  // something that depends on the models that are open
};

}  // namespace mog::gui
