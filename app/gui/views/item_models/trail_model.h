// The sentences that were typed for one model with what each changes of its parent: number, parent, change.
#pragma once

#include <QAbstractTableModel>
#include <vector>

#include "app/gui/session/workspace.h"

namespace mog::gui {

struct TrailRow {
  std::int64_t number = 0;  // from 1
  std::int64_t parent = 0;  // 0: none
  QString change;           // of a sentence without a parent its text
};

class TrailModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column { kNumber, kParent, kChange, kColumns };
  explicit TrailModel(QObject* parent = nullptr);
  void setRows(std::vector<TrailRow> rows);
  const std::vector<TrailRow>& rows() const { return rows_; }
  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  std::vector<TrailRow> rows_;
};

std::vector<TrailRow> trail_of(const WorkspaceItem& item);

}  // namespace mog::gui
