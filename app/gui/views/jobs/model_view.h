// "What was found": what `mog describe` says of every model, checkpoint, recording or corpus that was opened,
// and in words why one was refused.
#pragma once

#include <QStringList>
#include <QWidget>
#include <vector>

#include "app/workflow/describe/describe_job.h"

class QComboBox;
class QPushButton;
class QTextBrowser;

namespace mog::gui {

struct ViewKind;

class JobRunner;
class Workspace;

class ModelView : public QWidget {
  Q_OBJECT
 public:
  static const ViewKind& kind();
  ModelView(Workspace& workspace, JobRunner& jobs, QWidget* parent = nullptr);
  // What the page says of the file in front.
  QString text() const;
  QStringList paths() const;
  struct Found {
    QString path;
    QString refusal;  // why it could not be opened, or not be described
    app::Description description;
    bool described = false;
  };

 Q_SIGNALS:
  // The reader wants a corpus recorded; `corpus`: the file in front where it is one, else empty.
  void recordingAsked(const QString& corpus);
  // Something was found or refused that no other view shows.
  void wantsToBeSeen();

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  void add(Found found);
  void follow();
  void showCurrent();
  void describe(const QString& path);
  QString html(const Found& found) const;

  Workspace& workspace_;
  JobRunner& jobs_;
  std::vector<Found> found_;  // as long as paths_
  QComboBox* paths_;
  QTextBrowser* page_;
  QPushButton* record_;
};

}  // namespace mog::gui
