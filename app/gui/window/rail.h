// The rail at the left of the window: models with the sentences typed for them and what was changed in those,
// recordings, the newest running job; below them the line to type in. Narrow, it is a column of buttons.
#pragma once

#include <QWidget>
#include <functional>
#include <vector>

#include "app/gui/views/common/view.h"

class QAction;
class QTreeWidget;
class QTreeWidgetItem;

namespace mog::gui {

class Files;
class JobIndicator;
class TypingField;

class Rail : public QWidget {
  Q_OBJECT
 public:
  static constexpr int kWidth = 240;
  static constexpr int kNarrow = 48;
  Rail(const ViewContext& context, Files& files, QWidget* parent = nullptr);

  TypingField& field() { return *field_; }
  QTreeWidget& tree() { return *tree_; }
  bool isNarrow() const { return narrow_; }
  void setNarrow(bool narrow);
  // In the row of jobs: what one has made. `key`: by which it is taken back.
  void offer(const QString& text, const QString& button, const std::function<void()>& run,
             const QString& key);
  void takeBack(const QString& key);
  const std::vector<JobIndicator*>& jobRows() const { return job_rows_; }
  // Opens out, and the line to type in has the keyboard.
  void focusTyping();
  // The actions of an entry's context menu, in order; for the menu and for tests.
  QList<QAction*> actionsOf(QTreeWidgetItem* entry, QObject* parent);

 Q_SIGNALS:
  void narrowAsked(bool narrow);
  // It is another width now, asked for or to type in.
  void narrowed(bool narrow);
  void viewAsked(const QString& name);
  void recordingAsked();

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void build();
  void connectAll();
  void fill();
  void addModels();
  void addSentences(QTreeWidgetItem& under, const WorkspaceItem& item);
  void addRecordings();
  void showSelected();
  void choose(QTreeWidgetItem* entry);
  void askName(const QString& name, const std::function<void(const QString&)>& give);
  void showMenu(const QPoint& at);

  ViewContext context_;
  Files& files_;
  QWidget* wide_;
  QWidget* slim_;
  QTreeWidget* tree_;
  TypingField* field_;
  std::vector<JobIndicator*> job_rows_;  // wide and narrow
  bool narrow_ = false;
  bool filling_ = false;
  bool opened_to_type_ = false;  // and folds when what was typed runs
};

}  // namespace mog::gui
