#include "app/gui/window/offers.h"

#include <QFileInfo>

#include "app/gui/session/batch_runner.h"
#include "app/gui/session/workspace.h"
#include "app/gui/widgets/message_bar.h"
#include "app/gui/window/rail.h"

namespace mog::gui {

Offers::Offers(BatchRunner& runner, Workspace& workspace, MessageBar& messages, Rail& rail, QObject* parent)
    : QObject(parent), workspace_(workspace), messages_(messages), rail_(rail) {
  connect(&runner, &BatchRunner::recorded, this, &Offers::offer);
  connect(&workspace, &Workspace::opened, this, &Offers::takeBack);
}

void Offers::offer(const QString& path) {
  const QString name = QFileInfo(path).fileName();
  const QString key = QFileInfo(path).absoluteFilePath();
  const auto open = [this, path] {
    takeBack(path);
    workspace_.open(path);
  };
  messages_.offer(tr("%1 is recorded.").arg(name), tr("Open"), open, key);
  rail_.offer(tr("%1 is recorded").arg(name), tr("Open"), open, key);
}

void Offers::takeBack(const QString& path) {
  const QString key = QFileInfo(path).absoluteFilePath();
  messages_.takeBack(key);
  rail_.takeBack(key);
}

}  // namespace mog::gui
