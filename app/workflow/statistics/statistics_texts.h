// Choices of statistics as they are written: on the command line, in figures, in files of parts.
#pragma once

#include <string>
#include <string_view>

#include "app/workflow/statistics/statistics_job.h"

namespace mog::app {

// "gate,order,joins", "encoder.*.split.norm", "relations": sets measures, word_measures, names and relations.
// Throws UsageError.
void parse_quantities(std::string_view text, StatisticsOptions& options);
// "layer,length,position,upos,head,part" in any order, `layer` included (not with upos), one of length,
// position and upos: sets by_length, by_position, by_upos and by_head; parts are always apart. Throws
// UsageError.
void parse_by(std::string_view text, StatisticsOptions& options);

// Whether sentences that cannot be the treebank's are left out: "error" or "skip". Throws UsageError.
bool parse_mismatch(std::string_view text);

struct StatisticsTexts {
  std::string quantity = "gate";
  std::string by = "layer,length";
  std::string bins = "10";
  std::string average = "micro";
  std::string words;   // empty: all
  std::string layers;  // empty: all
};
// Sets what the texts say. Throws UsageError.
void take(const StatisticsTexts& texts, StatisticsOptions& options);

}  // namespace mog::app
