// What explains the window from inside: the guide of quantities and views, the tour; and batches, which begin
// in a dialog.
#include <QDir>
#include <QDockWidget>
#include <QFileInfo>
#include <QLineEdit>
#include <QMenuBar>
#include <QSettings>
#include <QStatusBar>
#include <algorithm>

#include "app/gui/session/batch_runner.h"
#include "app/gui/views/attention_view.h"
#include "app/gui/views/changes_view.h"
#include "app/gui/views/gate_view.h"
#include "app/gui/views/jobs_view.h"
#include "app/gui/views/model_view.h"
#include "app/gui/views/sentence_view.h"
#include "app/gui/views/tree_view.h"
#include "app/gui/views/weight_view.h"
#include "app/gui/widgets/figure_view.h"
#include "app/gui/widgets/guide_page.h"
#include "app/gui/widgets/layer_head_grid.h"
#include "app/gui/window/batch_dialog.h"
#include "app/gui/window/main_window.h"
#include "app/gui/window/tour.h"

namespace mog::gui {
namespace {
const QString kTourSeen = QStringLiteral("tour/seen");
const QString kFolder = QStringLiteral("folder");
}  // namespace

void MainWindow::buildBatches() {
  batches_ = std::make_unique<BatchRunner>(*workspace_, *jobs_);
  connect(batches_.get(), &BatchRunner::finished, this,
          [this](const QString& text) { statusBar()->showMessage(text, 12'000); });
  connect(model_view_, &ModelView::recordingAsked, this, &MainWindow::sendToBatch);
  connect(model_view_, &ModelView::wantsToBeSeen, this, [this] { showDock(ModelView::kind()); });
  connect(batches_.get(), &BatchRunner::stopped, job_list_, &JobsView::updateTools);
  job_list_->setResume([this](int job) { return batches_->canResume(job); },
                       [this](int job) { batches_->resume(job); });
}

void MainWindow::sendToBatch(const QString& corpus) {
  auto* dialog = new BatchDialog(*workspace_, *batches_, corpus,
                                 settings_->value(kFolder, QDir::homePath()).toString(), this);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  connect(dialog, &QDialog::accepted, this, [this, dialog] {
    const BatchRequest request = dialog->request();
    settings_->setValue(kFolder, QFileInfo(request.corpus).absolutePath());
    if (batches_->start(request) != 0) {
      showDock(JobsView::kind());
    }
  });
  dialog->open();
}

GuidePage& MainWindow::showGuide(const QString& view) {
  GuidePage& guide = raiseGuide();
  const auto at = std::find_if(kinds_.begin(), kinds_.end(),
                               [&](const ViewKind* kind) { return view == QLatin1String(kind->name); });
  const bool known = at != kinds_.end() && (*at)->guide != nullptr;
  guide.showEntry(QStringLiteral("view.") + view, known ? (*at)->guide(context()) : QStringList());
  return guide;
}

GuidePage& MainWindow::raiseGuide() {
  if (guide_ == nullptr) {
    std::vector<const app::GuideEntry*> own;
    for (const ViewKind* const kind : kinds_) {
      if (kind->entry != nullptr) {
        own.push_back(kind->entry);
      }
    }
    guide_ = new GuidePage(this, std::move(own));
  }
  guide_->show();
  guide_->raise();
  guide_->activateWindow();
  return *guide_;
}

const GuidePage* MainWindow::guide() const {
  return guide_ != nullptr && guide_->isVisible() ? guide_ : nullptr;
}

// Of the view in use, which is the dock that it stands in.
GuidePage& MainWindow::whatIsThis() {
  const QWidget* widget = focusWidget();
  while (widget != nullptr && qobject_cast<const QDockWidget*>(widget) == nullptr) {
    widget = widget->parentWidget();
  }
  if (widget == nullptr && in_use_ != nullptr) {
    widget = in_use_->parentWidget();
  }
  const auto* dock = qobject_cast<const QDockWidget*>(widget);
  return showGuide(dock == nullptr ? QString::fromLatin1(AttentionView::kind().name) : dock->objectName());
}

std::vector<TourStep> MainWindow::tourSteps() {
  const auto dock = [this](const ViewKind& kind, QWidget& inside) {
    return [this, &kind, &inside] {
      showDock(kind);
      return &inside;
    };
  };
  const WorkspaceModel* const model = workspace_->currentModel();
  return {
      {dock(SentenceView::kind(), *sentences_), tr("A sentence"),
       model != nullptr
           ? tr("Type a sentence below and press Enter: the model %1 runs, and every view shows it. Ctrl+L "
                "leads to the line, Esc back to the pictures. Ctrl+O opens a model or a recording of your "
                "own.")
                 .arg(model->name)
           : tr("Choose a sentence: every view shows it. Ctrl+O opens another recording, or a model; "
                "with a model open, a line below runs the sentences that you type.")},
      {[this] { return static_cast<QWidget*>(&attention_->grid()); }, tr("Every layer and head"),
       tr("One thumbnail for each layer (row) and head (column); the first column is the mean. Click one, or "
          "use Up, Down and [ ]. The keys 1 to 4 choose the part.")},
      {[this] { return static_cast<QWidget*>(&attention_->matrix()); }, tr("The open map"),
       tr("Rows are queries, columns keys. Point at a cell: its value stands at the lower left, and the "
          "token "
          "lights in all views. A click pins it.")},
      {dock(TreeView::kind(), trees()), tr("Multi-order graphs"),
       tr("The best graphs that the pinned word owns, one for each number of leaves. Left and Right walk "
          "from "
          "word to word.")},
      {dock(GateView::kind(), gates()), tr("Gates"),
       tr("How much the model itself weighs high and middle order against low order, at every token and "
          "layer.")},
      {dock(ChangesView::kind(), changes()), tr("Changes"),
       tr("Mask a word, cut a head, set the gate: the model runs again, and Compare shows before, after and "
          "the difference.")},
      {dock(WeightView::kind(), weights()), tr("Whole recordings"),
       tr("Ctrl+B records a corpus. Weight by length then counts over all its sentences. View > Layout "
          "arranges the window for what you do.")},
      {[this] { return static_cast<QWidget*>(menuBar()); }, tr("Help"),
       tr("Shift+F1 says what a view shows, with formula and level of the claim; F1 lists all keys. Help > "
          "Tour begins again.")}};
}

Tour* MainWindow::tour() const {
  return tour_;
}

void MainWindow::startTour() {
  settings_->setValue(kTourSeen, true);
  if (tour_ != nullptr) {
    return;
  }
  state_.set(setting::kLayout, QStringLiteral("look"));
  // Something to look at: a sentence of the bundled kind, where nothing is open but a model.
  if (workspace_->items().empty() && workspace_->currentModel() != nullptr) {
    sentences_->typing().setText(
        QStringLiteral("The committee that met yesterday quickly approved the new budget ."));
    sentences_->run();
    sentences_->typing().clear();  // for a sentence of the reader's own
  }
  tour_ = new Tour(*this, tourSteps());
  // The keys that the next steps teach are the window's, not letters of a sentence.
  connect(&sentences_->typing(), &QLineEdit::returnPressed, tour_, [tour = tour_] { tour->setFocus(); });
  connect(tour_, &Tour::ended, this, [this] {
    showDock(SentenceView::kind());  // the line to type in, behind what a step showed
    focusPicture();
  });
}

bool MainWindow::offerTour() {
  if (settings_->value(kTourSeen, false).toBool()) {
    return false;
  }
  startTour();
  return true;
}

}  // namespace mog::gui
