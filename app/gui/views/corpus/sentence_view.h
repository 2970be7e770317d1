// What is open and its sentences: choose a recording, find and choose a sentence.
#pragma once

#include <QStyledItemDelegate>
#include <QTimer>
#include <optional>

#include "app/gui/views/common/view.h"

class QComboBox;
class QLabel;
class QLineEdit;
class QTableView;
class QToolButton;

namespace mog::gui {

struct ViewKind;

class SentenceFilterModel;
class SentenceTableModel;

// A sentence in its own direction: Hebrew begins on the right, and what has no room ends on the left.
class SentenceDelegate : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;

 protected:
  void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override;
};

class SentenceView : public View {
  Q_OBJECT
 public:
  static const ViewKind& kind();
  explicit SentenceView(const ViewContext& context, QWidget* parent = nullptr);
  std::vector<ExportItem> exports() const override { return {}; }
  void focusFind();
  // Another row of the table as it is filtered and sorted.
  void step(int by);

  SentenceTableModel& table() { return *rows_; }
  SentenceFilterModel& filter() { return *filter_; }
  QTableView& tableView() { return *table_; }
  QComboBox& lists() { return *items_; }
  QLineEdit& find() { return *find_; }

 protected:
  void refresh() override;

 private:
  void build();
  void connectAll();
  void keepMark();
  void rebuildItems();
  void fill(const WorkspaceItem& item, std::int64_t from);
  void showRange();
  void showSelected();
  void updateCounts();

  QComboBox* items_;
  QLineEdit* find_;
  QToolButton* range_;
  QLabel* counts_;
  QTableView* table_;
  SentenceTableModel* rows_;
  SentenceFilterModel* filter_;
  int shown_item_ = 0;
  const RecordingSource* shown_source_ = nullptr;
  bool following_ = false;  // the table follows the selection, not the reader's hand
  QTimer find_timer_;
};

}  // namespace mog::gui
