#include "analysis/statistics/binned_rows.h"
#include "analysis/statistics/weight_by_length.h"

namespace mog::analysis {

Table LengthStatistics::table() const {
  Table result = binned_table(quantiles);
  for (const LengthCell& cell : cells) {
    const std::int64_t high = bins.high(cell.bin);
    const auto optional = [](std::int64_t value, bool there) { return there ? Cell(value) : Cell(); };
    std::vector<Cell> row = {
        model.name,
        corpus_name,
        std::string(name(measure)),
        std::string(units(measure)),
        std::string(averaging == Averaging::micro ? "micro" : "macro"),
        cell.series.layer,
        cell.series.part == Part::none ? Cell() : Cell(std::string(mog::name(cell.series.part))),
        optional(cell.series.head, cell.series.head > 0),
        bins.label(cell.bin),
        bins.low(cell.bin),
        optional(high, high >= 0)};
    add_means(row, cell, cell.tokens, bootstrap);
    row.insert(row.end(), {std::string(name(by)), words.all() ? Cell() : Cell(words.label())});
    if (quantiles) {
      add_quartiles(row, cell.quartiles);
    }
    result.add(std::move(row));
  }
  return result;
}

}  // namespace mog::analysis
