// `mog evaluate MODEL --perplexity TEXT`: how well a reader from left to right foresees a text.
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <stop_token>
#include <string>
#include <vector>

#include "analysis/random/bootstrap.h"
#include "analysis/statistics/table.h"
#include "app/workflow/common/progress.h"
#include "model/model.h"

namespace mog::app {

struct PerplexityOptions {
  std::filesystem::path model;
  std::filesystem::path input;  // a text a line, or .conllu; "-": standard input
  model::DeviceOptions device;
  std::int64_t batch_tokens = 4096;
  analysis::BootstrapOptions bootstrap;  // over texts
  bool lines = false;                    // keep what each text had
  std::stop_token stop;
  ProgressCallback progress;
};

// Of one text: its first token is not foreseen, unless the tokenizer puts one before it.
struct TextSurprisal {
  std::int64_t number = 0;  // line or sentence, from 1
  std::int64_t tokens = 0;  // that were foreseen
  std::int64_t bytes = 0;   // of the text that was foreseen
  double sum = 0.0;         // of their surprisals, nats
};

struct PerplexityResult {
  std::string model;
  std::int64_t texts = 0;
  std::int64_t tokens = 0;  // that were foreseen
  std::int64_t bytes = 0;
  std::int64_t left_out = 0;  // texts of fewer than two tokens or without a word
  double perplexity = std::numeric_limits<double>::quiet_NaN();  // exp(sum of surprisals / tokens)
  analysis::Interval interval;
  double surprisal = std::numeric_limits<double>::quiet_NaN();      // nats a token
  double bits_per_byte = std::numeric_limits<double>::quiet_NaN();  // comparable between vocabularies
  std::vector<TextSurprisal> lines;
};

// Every line is a text of its own. Throws UsageError for a model without a map to the next token and a file
// without a text of two tokens, FormatError (file, line) for a text longer than the model's positions,
// Interrupted.
PerplexityResult run_perplexity_job(const PerplexityOptions& options);
// {"model": …, "texts": …, "tokens": …, "size_bytes": …, "left_out": …, "perplexity": …, "low": …, "high": …,
// "surprisal": …, "bits_per_byte": …}
std::string to_json(const PerplexityResult& result);
// A row a text: text, tokens, size_bytes, surprisal (nats a token), perplexity.
analysis::Table line_table(const PerplexityResult& result);

}  // namespace mog::app
