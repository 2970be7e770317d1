// What the printed forms of scores share.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/workflow/syntax/syntax_job.h"

namespace mog::app {

std::string percent_text_of(const SyntaxScore& score);  // " 61.2  59.8-62.5"; no interval: the value alone
std::string score_settings_text(const SyntaxOptions& options);
nlohmann::ordered_json table_json(const analysis::Table& table);
nlohmann::ordered_json skipped_json(const std::vector<SkippedSentence>& skipped);

}  // namespace mog::app
