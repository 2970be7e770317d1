#include "app/gui/window/batches.h"

#include <QSettings>

#include "app/gui/views/jobs/jobs_view.h"
#include "app/gui/views/jobs/model_view.h"
#include "app/gui/window/batch_dialog.h"
#include "app/gui/window/files.h"
#include "app/gui/window/status_line.h"
#include "app/gui/window/view_set.h"

namespace mog::gui {
namespace {
constexpr int kFinishedMs = 12'000;
}  // namespace

Batches::Batches(QWidget& window, Workspace& workspace, JobRunner& jobs, const ViewSet& views,
                 StatusLine& status, QSettings& settings)
    : window_(window), workspace_(workspace), views_(views), settings_(settings), runner_(workspace, jobs) {
  connect(&runner_, &BatchRunner::finished, &status,
          [&status](const QString& text) { status.announce(text, kFinishedMs); });
  connect(&views_.get<ModelView>(), &ModelView::recordingAsked, this, &Batches::ask);
  auto& list = views_.get<JobsView>();
  connect(&runner_, &BatchRunner::stopped, &list, &JobsView::updateTools);
  list.setResume([this](int job) { return runner_.canResume(job); },
                 [this](int job) { runner_.resume(job); });
}

void Batches::ask(const QString& corpus) {
  auto* dialog = new BatchDialog(workspace_, runner_, corpus, last_folder(settings_), &window_);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  connect(dialog, &QDialog::accepted, this, [this, dialog] {
    const BatchRequest request = dialog->request();
    remember_folder_of(settings_, request.corpus);
    if (runner_.start(request) != 0) {
      views_.show(JobsView::kind());
    }
  });
  dialog->open();
}

}  // namespace mog::gui
