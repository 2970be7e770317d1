#include "app/gui/views/item_models/sentence_filter_model.h"

#include <algorithm>

#include "app/gui/views/item_models/sentence_table_model.h"

namespace mog::gui {

SentenceFilterModel::SentenceFilterModel(QObject* parent) : QSortFilterProxyModel(parent) {
  setSortRole(SentenceTableModel::kSortRole);
  setSortCaseSensitivity(Qt::CaseInsensitive);
  setDynamicSortFilter(true);
}

void SentenceFilterModel::setText(const QString& text) {
  const QStringList pieces = text.simplified().split(QLatin1Char(' '), Qt::SkipEmptyParts);
  if (pieces != pieces_) {
    pieces_ = pieces;
    invalidateFilter();
  }
}

void SentenceFilterModel::setRange(const std::optional<LengthRange>& range) {
  if (range != range_) {
    range_ = range;
    invalidateFilter();
  }
}

bool SentenceFilterModel::filterAcceptsRow(int row, const QModelIndex& parent) const {
  const QAbstractItemModel& table = *sourceModel();
  if (range_) {
    const auto words =
        table.index(row, SentenceTableModel::kWords, parent).data(SentenceTableModel::kSortRole).toLongLong();
    if (!range_->holds(words)) {
      return false;
    }
  }
  if (pieces_.isEmpty()) {
    return true;
  }
  const QString text =
      table.index(row, SentenceTableModel::kText, parent).data(SentenceTableModel::kSortRole).toString();
  return std::all_of(pieces_.begin(), pieces_.end(),
                     [&](const QString& piece) { return text.contains(piece, Qt::CaseInsensitive); });
}

}  // namespace mog::gui
