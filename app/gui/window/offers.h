// What is done and can be opened now: offered above the views and in the rail. It opens when the reader says
// so, and then what is looked at gives way.
#pragma once

#include <QObject>
#include <QString>

namespace mog::gui {

class BatchRunner;
class MessageBar;
class Rail;
class Workspace;

class Offers : public QObject {
  Q_OBJECT
 public:
  // All outlive it.
  Offers(BatchRunner& runner, Workspace& workspace, MessageBar& messages, Rail& rail, QObject* parent);

 private:
  void offer(const QString& path);
  void takeBack(const QString& path);
  Workspace& workspace_;
  MessageBar& messages_;
  Rail& rail_;
};

}  // namespace mog::gui
