// What adds up to a logit: the work behind `mog attribute` (docs/command-line.md).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/statistics/table.h"
#include "app/workflow/record/live_run.h"
#include "io/recording/sentence.h"
#include "model/logit_attribution.h"

namespace mog::app {

// Rows of the table: single parts (heads apart); a layer's attention and feed-forward block; heads by the
// token that they read.
enum class LogitRows : std::uint8_t { part, layer, source };
LogitRows parse_logit_rows(std::string_view text);  // "part", "layer", "source"; throws UsageError

struct AttributeOptions {
  std::string text;
  std::string answer;                    // token_choice.h; empty: the most probable next token
  std::string against;                   // empty: the logit of `answer` alone
  std::optional<std::int64_t> position;  // behind which token, from 1, negative from the end; the last one
  LogitRows rows = LogitRows::part;
};

struct AttributeResult {
  ModelCard model;
  Sentence sentence;
  std::vector<std::string> tokens;  // of the text, to be read
  std::string answer;               // to be read
  std::string against;
  std::int64_t position = 0;  // from 1
  LogitRows rows = LogitRows::part;
  model::LogitParts parts;
  double tolerance = 0;  // of residual(), by the precision of the run
  std::vector<std::string> notes;

  // How far the parts' sum is from the logit, relative to the greatest of it and of the parts' sizes.
  double residual() const;
  // Columns: model, text, measure (logit, logit_difference), answer, against, position, token, part, layer,
  // head, source, source_token, value, logit (before the cap), capped.
  analysis::Table table() const;
};

// Throws UsageError for a token or position that is not there and a model that does not predict the next
// token; as LogitAttribution::logit_parts and encode_typed.
AttributeResult run_attribution(const LoadedModel& loaded, const AttributeOptions& options);

}  // namespace mog::app
