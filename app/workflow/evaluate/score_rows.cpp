#include "app/workflow/evaluate/score_rows.h"

#include <fmt/format.h>

namespace mog::app {

nlohmann::ordered_json score_json(const SystemScore& score) {
  nlohmann::ordered_json item = {{"system", score.system},
                                 {"measure", score.metric},
                                 {"value", score.score.score},
                                 {"mean", score.score.mean},
                                 {"low", score.score.low},
                                 {"high", score.score.high},
                                 {"half_width", score.score.half_width},
                                 {"resamples", score.score.resamples}};
  if (!score.details.empty()) {
    item["details"] = score.details;
  }
  item["signature"] = score.signature;
  if (score.test) {
    item["difference"] = score.test->difference;
    item["p"] = score.test->p_value;
    item["trials"] = score.test->trials;
  }
  return item;
}

std::string score_line(const SystemScore& score, std::size_t width, std::string_view indent,
                       std::size_t metric_width) {
  std::string text = fmt::format("{}{:<{}}  {:<{}} {:6.2f}", indent, score.system, width, score.metric,
                                 metric_width, score.score.score);
  if (score.score.resamples > 0) {
    text += fmt::format("  [{:.2f}, {:.2f}]", score.score.low, score.score.high);
  }
  if (score.test) {
    text += fmt::format("  {:+.2f} to the first, p = {:.4f}", score.test->difference, score.test->p_value);
  }
  if (!score.details.empty()) {
    text += "  " + score.details;
  }
  return text + "\n";
}

std::string signature_lines(const std::vector<SystemScore>& scores) {
  std::string text;
  std::string last;
  for (const SystemScore& score : scores) {
    if (score.signature != last) {
      text += fmt::format("{:<7} {}\n", score.metric, score.signature);
      last = score.signature;
    }
  }
  return text;
}

}  // namespace mog::app
