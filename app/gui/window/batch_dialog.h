// "Send to batch": which corpus, with which model, what to keep, where; an estimate before anything is
// written, and the mog line that does the same.
#pragma once

#include <QDialog>
#include <QString>
#include <QTimer>
#include <vector>

#include "app/gui/session/batch_runner.h"

class QCheckBox;
class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;

namespace mog::gui {

class BatchDialog : public QDialog {
  Q_OBJECT
 public:
  // `corpus` may be empty; `folder` is where files are looked for.
  BatchDialog(Workspace& workspace, BatchRunner& runner, const QString& corpus, const QString& folder,
              QWidget* parent = nullptr);
  BatchRequest request() const;
  QString estimateText() const;
  bool canStart() const;
  QLineEdit& corpus() { return *corpus_; }
  QLineEdit& output() { return *output_; }
  QLineEdit& name() { return *name_; }

 private:
  void build();
  QLabel* labelOf(const QString& text, QWidget* of);
  QLayout* pathRow(QLineEdit* line, const QString& name, std::function<QString()> choose);
  void suggestOutput();
  void offerCaptures(const WorkspaceModel& model);
  void check();
  void estimate();
  void say(const QString& text, bool can_start);

  Workspace& workspace_;
  BatchRunner& runner_;
  QString folder_;
  QString suggested_;  // the output that the corpus suggested last
  QComboBox* model_;
  QLineEdit* corpus_;
  QLineEdit* output_;
  QLineEdit* name_;
  std::vector<std::pair<app::CaptureName, QCheckBox*>> captures_;
  QComboBox* long_;
  QCheckBox* table_;
  QLabel* estimate_;
  QLineEdit* command_;
  QPushButton* start_ = nullptr;
  QTimer timer_;
  bool resume_ = false;
};

}  // namespace mog::gui
