// Scores of systems as rows of JSON and as lines: what all of them are printed by.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "app/workflow/evaluate/system_scores.h"

namespace mog::app {

nlohmann::ordered_json score_json(const SystemScore& score);
// `width`: of the longest name of a system; `metric_width` of a metric.
std::string score_line(const SystemScore& score, std::size_t width, std::string_view indent,
                       std::size_t metric_width = 7);
// A line for every signature, beginning with its metric.
std::string signature_lines(const std::vector<SystemScore>& scores);

}  // namespace mog::app
