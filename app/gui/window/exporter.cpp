#include "app/gui/window/exporter.h"

#include <QApplication>
#include <QClipboard>
#include <QDir>
#include <QFileInfo>
#include <QSettings>
#include <exception>
#include <utility>

#include "app/gui/session/workspace.h"
#include "app/gui/window/export_dialog.h"
#include "app/gui/window/status_line.h"
#include "app/gui/window/view_set.h"

namespace mog::gui {
namespace {
constexpr int kWrittenMs = 8000;
const QString kFolder = QStringLiteral("export");
}  // namespace

Exporter::Exporter(QWidget& window, const ViewSet& views, Workspace& workspace, StatusLine& status,
                   QSettings& settings)
    : window_(window), views_(views), workspace_(workspace), status_(status), settings_(settings) {}

std::vector<ExportItem> Exporter::items() const {
  std::vector<ExportItem> all;
  for (const View* view : views_.inUseFirst()) {
    if (view->stale()) {
      continue;  // not of this sentence
    }
    for (ExportItem& item : view->exports()) {
      all.push_back(std::move(item));
    }
  }
  return all;
}

bool Exporter::write(const ExportRequest& request) {
  try {
    const QStringList files = write_export(request);
    status_.announce(tr("Written: %1").arg(files.join(QStringLiteral(", "))), kWrittenMs);
    return true;
  } catch (...) {
    workspace_.report(error_text(std::current_exception()));
    return false;
  }
}

void Exporter::ask() {
  std::vector<ExportItem> offered = items();
  if (offered.empty()) {
    workspace_.report(tr("There is no picture to export yet: open a recording and choose a sentence."));
    return;
  }
  const QString folder = settings_.value(kFolder, QDir::homePath()).toString();
  auto* dialog = new ExportDialog(std::move(offered), folder, &window_);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  connect(dialog, &QDialog::accepted, this, [this, dialog] {
    const ExportRequest request = dialog->request();
    settings_.setValue(kFolder, QFileInfo(request.path).absolutePath());
    write(request);
  });
  dialog->open();
}

bool Exporter::copyCommand() {
  const std::vector<ExportItem> offered = items();
  if (offered.empty()) {
    status_.say(tr("There is no picture to copy the command of yet."));
    return false;
  }
  const FigureCommand& command = offered.front().command;
  if (!command.possible()) {
    status_.say(command.why_not);
    return false;
  }
  const QString line = command.line(offered.front().file_name + QStringLiteral(".svg"));
  QApplication::clipboard()->setText(line);
  status_.say(tr("Copied: %1").arg(line));
  return true;
}

}  // namespace mog::gui
