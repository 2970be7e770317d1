#include "app/workflow/syntax/score_text.h"

#include <fmt/format.h>

#include <cmath>
#include <type_traits>
#include <variant>

#include "app/workflow/common/text_format.h"

namespace mog::app {

using nlohmann::ordered_json;

std::string percent_text_of(const SyntaxScore& score) {
  if (std::isnan(score.value)) {
    return fmt::format("{:>5}", "-");
  }
  if (std::isnan(score.interval.low)) {
    return fmt::format("{:5.1f}", 100 * score.value);
  }
  return fmt::format("{:5.1f}  {:.1f}-{:.1f}", 100 * score.value, 100 * score.interval.low,
                     100 * score.interval.high);
}

std::string score_settings_text(const SyntaxOptions& options) {
  return fmt::format("trees {}, root {}; punctuation {}; {:g} % intervals over sentences ({} resamples)",
                     options.projective ? "without crossing edges (Eisner)" : "of any shape (Edmonds)",
                     options.root == RootChoice::gold ? "given (not counted)" : "the tree's own",
                     options.punctuation ? "counts" : "does not count", 100 * options.bootstrap.confidence,
                     options.bootstrap.resamples);
}

nlohmann::ordered_json table_json(const analysis::Table& table) {
  ordered_json rows = ordered_json::array();
  for (const std::vector<analysis::Cell>& cells : table.rows) {
    ordered_json row;
    for (std::size_t column = 0; column < cells.size(); ++column) {
      row[table.columns[column]] = std::visit(
          [](const auto& cell) -> ordered_json {
            if constexpr (std::is_same_v<std::decay_t<decltype(cell)>, std::monostate>) {
              return nullptr;
            } else if constexpr (std::is_same_v<std::decay_t<decltype(cell)>, double>) {
              return std::isfinite(cell) ? ordered_json(cell) : ordered_json();
            } else {
              return cell;
            }
          },
          cells[column]);
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

nlohmann::ordered_json skipped_json(const std::vector<SkippedSentence>& skipped) {
  ordered_json json = ordered_json::array();
  for (const SkippedSentence& sentence : skipped) {
    json.push_back(
        {{"sentence", sentence.number}, {"line", sentence.line}, {"reason", printable(sentence.reason)}});
  }
  return json;
}

}  // namespace mog::app
