// What leaves the window: pictures of the views as files, and the command that makes one as text.
#pragma once

#include <QObject>
#include <vector>

#include "app/gui/views/common/view.h"

class QSettings;
class QWidget;

namespace mog::gui {

class StatusLine;
class ViewSet;
class Workspace;
struct ExportRequest;

class Exporter : public QObject {
  Q_OBJECT
 public:
  // `window` is the parent of the dialog; failures are reported to `workspace`; `settings` keep the folder.
  // All outlive it.
  Exporter(QWidget& window, const ViewSet& views, Workspace& workspace, StatusLine& status,
           QSettings& settings);

  // All pictures of the selected sentence, those of the view in use first.
  std::vector<ExportItem> items() const;
  // Writes one and says so, or reports why not.
  bool write(const ExportRequest& request);
  // The dialog, then what was chosen in it.
  void ask();
  // The command that makes the picture of the view in use onto the clipboard; false: there is none.
  bool copyCommand();

 private:
  QWidget& window_;
  const ViewSet& views_;
  Workspace& workspace_;
  StatusLine& status_;
  QSettings& settings_;
};

}  // namespace mog::gui
