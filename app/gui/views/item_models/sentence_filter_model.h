// The sentence table, filtered by text and length and sorted by any column.
#pragma once

#include <QSortFilterProxyModel>
#include <QString>
#include <QStringList>
#include <optional>

#include "app/gui/session/selection_model.h"

namespace mog::gui {

class SentenceFilterModel : public QSortFilterProxyModel {
  Q_OBJECT
 public:
  explicit SentenceFilterModel(QObject* parent = nullptr);
  // Sentences that hold every one of these space-separated pieces, case ignored.
  void setText(const QString& text);
  void setRange(const std::optional<LengthRange>& range);
  const std::optional<LengthRange>& range() const { return range_; }

 protected:
  bool filterAcceptsRow(int row, const QModelIndex& parent) const override;

 private:
  QStringList pieces_;
  std::optional<LengthRange> range_;
};

}  // namespace mog::gui
