// What `mog stats --model` counts while a model runs: the choices as they are written, so that parts of a
// corpus can say in their files what they counted, and be compared.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/statistics/running_table.h"
#include "app/workflow/record/record_job.h"
#include "app/workflow/statistics/passing_treebank.h"
#include "app/workflow/statistics/statistics_texts.h"
#include "app/workflow/trees/grammar_options.h"
#include "io/recording/sentence_recording.h"

namespace mog::app {

struct RunningRequest {
  StatisticsTexts texts;
  analysis::BootstrapOptions bootstrap;
  bool dimensions = false;              // gates by dimension
  bool trend = false;                   // rank correlations with layer and length
  std::int64_t minimum_sentences = 10;  // of these two: of the bins that are compared
  bool quantiles = false;
  bool relative = false;           // differences to the shortest bin
  std::string mismatch = "error";  // by parts of speech: sentences that cannot be the treebank's
  // Of the attention grammar.
  GrammarTexts grammar;
  std::int64_t orders = 64;
  std::int64_t samples = 200;
  // Of the run: which sentences are counted, and in which batches.
  std::string long_sentences = "error";
  std::string invalid_utf8 = "error";
  std::int64_t max_length = 0;
  std::int64_t batch_tokens = 512;
};

// One line of JSON, and back. Throws FormatError naming `place`.
std::string to_text(const RunningRequest& request);
RunningRequest parse_running_request(std::string_view text, std::string_view place);

// Throws UsageError for a choice that is not allowed, and for what needs a translation.
StatisticsOptions statistics_options(const RunningRequest& request);

// Sets what the request says of the run, and what it has to show: capture, quantities. Throws UsageError when
// the model has none of it.
void observe(const RunningRequest& request, const StatisticsOptions& statistics, const model::Model& model,
             RecordOptions& record);

// The tables of a run whose recording would have this header; `treebank` is what it reads, where statistics
// are by parts of speech and sentences will be added. Throws UsageError.
std::vector<std::unique_ptr<analysis::RunningTable>> running_tables(const StatisticsOptions& statistics,
                                                                    const RecordingHeader& header,
                                                                    PassingTreebank* treebank = nullptr);
// All of them as one.
analysis::Table joined(const std::vector<std::unique_ptr<analysis::RunningTable>>& tables,
                       const StatisticsOptions& statistics);

}  // namespace mog::app
