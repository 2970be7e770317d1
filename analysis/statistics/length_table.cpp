#include "analysis/statistics/weight_by_length.h"

namespace mog::analysis {

Table LengthStatistics::table() const {
  Table result;
  result.columns = {
      "model",     "corpus", "measure",    "units",       "average",        "layer",           "part",
      "head",      "bin",    "length_low", "length_high", "sentences",      "tokens",          "mean",
      "variance",  "low",    "high",       "difference",  "difference_low", "difference_high", "confidence",
      "resamples", "seed",   "by",         "words"};
  if (quantiles) {
    add_quartile_columns(result);
  }
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
        optional(high, high >= 0),
        cell.sentences,
        cell.tokens,
        cell.mean,
        cell.variance,
        cell.low,
        cell.high,
        cell.difference,
        cell.difference_low,
        cell.difference_high,
        bootstrap.confidence,
        bootstrap.resamples,
        static_cast<std::int64_t>(bootstrap.seed),
        std::string(name(by)),
        words.all() ? Cell() : Cell(words.label())};
    if (quantiles) {
      add_quartiles(row, cell.quartiles);
    }
    result.add(std::move(row));
  }
  return result;
}

}  // namespace mog::analysis
