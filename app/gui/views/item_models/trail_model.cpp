#include "app/gui/views/item_models/trail_model.h"

#include <utility>

#include "app/gui/session/intervention_text.h"

namespace mog::gui {

TrailModel::TrailModel(QObject* parent) : QAbstractTableModel(parent) {}

void TrailModel::setRows(std::vector<TrailRow> rows) {
  beginResetModel();
  rows_ = std::move(rows);
  endResetModel();
}

int TrailModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

int TrailModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : kColumns;
}

QVariant TrailModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() < 0 || index.row() >= rowCount()) {
    return {};
  }
  const TrailRow& row = rows_[static_cast<std::size_t>(index.row())];
  if (role == Qt::TextAlignmentRole && index.column() != kChange) {
    return QVariant::fromValue(Qt::Alignment(Qt::AlignRight | Qt::AlignVCenter));
  }
  if (role == Qt::ToolTipRole && index.column() == kChange) {
    return row.change;
  }
  if (role != Qt::DisplayRole) {
    return {};
  }
  switch (index.column()) {
    case kNumber:
      return static_cast<qlonglong>(row.number);
    case kParent:
      return row.parent > 0 ? QVariant(static_cast<qlonglong>(row.parent)) : QVariant();
    default:
      return row.change;
  }
}

QVariant TrailModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || role != Qt::DisplayRole) {
    return {};
  }
  switch (section) {
    case kNumber:
      return tr("No.");
    case kParent:
      return tr("Of");
    case kChange:
      return tr("Intervention");
    default:
      return {};
  }
}

std::vector<TrailRow> trail_of(const WorkspaceItem& item) {
  std::vector<TrailRow> rows;
  for (std::size_t i = 0; i < item.typed.size(); ++i) {
    const TypedSentence& typed = item.typed[i];
    const TypedSentence* parent =
        typed.parent >= 0 ? &item.typed.at(static_cast<std::size_t>(typed.parent)) : nullptr;
    TrailRow row;
    row.number = static_cast<std::int64_t>(i) + 1;
    row.parent = typed.parent + 1;
    row.change = parent == nullptr
                     ? QString::fromStdString(typed.text)
                     : change_text(typed, parent, item.source->sentence(static_cast<std::int64_t>(i)));
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace mog::gui
