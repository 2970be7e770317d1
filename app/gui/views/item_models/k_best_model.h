// The k best multi-order-graph expressions of one word as a table.
#pragma once

#include <QAbstractTableModel>
#include <cstdint>
#include <vector>

#include "analysis/mog/search/k_best.h"

namespace mog::gui {

class KBestModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column { kRank, kWeight, kMass, kOrder, kKind, kExpression, kColumns };

  explicit KBestModel(QObject* parent = nullptr);
  // What the rows are: places by weight, or the best one for each number of leaves.
  enum class Mode : std::uint8_t { by_weight, by_leaves };
  void setDerivations(std::vector<analysis::Derivation> derivations, Mode mode = Mode::by_weight);
  void clear() { setDerivations({}); }
  Mode mode() const { return mode_; }
  const analysis::Derivation& derivation(int row) const {
    return derivations_[static_cast<std::size_t>(row)];
  }

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  std::vector<analysis::Derivation> derivations_;
  Mode mode_ = Mode::by_weight;
};

// "1 simple", "2 overlap", "3 overlap and loop", "4 loop", "0 word"
QString kind_text(int kind);

}  // namespace mog::gui
