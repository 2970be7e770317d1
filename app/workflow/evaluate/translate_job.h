// `mog translate` and `mog summarize`: lines in, translations or summaries out, in the same order.
//
// Lines are read in windows, packed by length inside a window, and the streams take the batches in turn; the
// translations of a window leave in the order of its lines. Windows start small and grow. From a pipe a
// window ends where the pipe has nothing more for now, so that a line typed is a line translated.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "app/workflow/common/progress.h"
#include "app/workflow/record/live_run.h"
#include "app/workflow/record/record_job.h"

namespace mog::app {

enum class TranslateFormat : std::uint8_t {
  text,   // the best translation, one line a line
  table,  // sentence, rank, score, log_prob, translation; separated by tabs, with a heading
  jsonl,  // one document a line
};

// What messages, tables and documents call what the model writes.
struct OutputNames {
  std::string doing = "translating";
  std::string result = "translation";  // the column, and the key of documents
};

struct TranslateOptions {
  OutputNames names;
  std::filesystem::path input = "-";  // UTF-8, one sentence a line; "-": standard input
  std::filesystem::path output;       // written beside and renamed; empty or "-": `print`
  std::function<void(std::string_view)> print;
  std::function<void(std::string_view)> on_line;  // the best translation of each line, in their order
  TranslateFormat format = TranslateFormat::text;
  model::BeamOptions beam = {.beam = 4};
  std::string begins;       // words that every translation begins with
  std::int64_t n_best = 1;  // hypotheses a line in table and jsonl; at most the beam
  int streams = 0;          // 0: one a core on a CPU, two on a GPU
  std::int64_t batch_tokens = 1000;
  std::int64_t max_length = 0;  // source tokens; 0: what the model can read, at most kLongest
  LongPolicy long_sentences = LongPolicy::error;          // error or truncate: every line has its translation
  io::InvalidUtf8 invalid_utf8 = io::InvalidUtf8::error;  // error or replace
  Shard shard = {};                                       // only this part of the input
  // Keeps what the model did as RecordJob does with `translate`. Only output, capture, precision and the like
  // are its own: input, shard, beam, streams, batch_tokens and the policies are those above.
  std::optional<RecordOptions> record;
};

struct TranslateSummary {
  std::int64_t sentences = 0;
  std::int64_t source_tokens = 0;
  std::int64_t target_tokens = 0;  // of the best translations, </s> counted
  std::int64_t truncated = 0;
  double elapsed_s = 0;
};

// One line of the output, with its end; several in a table. `hypotheses`: best first; the first n_best are
// shown.
std::string translation_lines(const LoadedModel& loaded, const TranslateOptions& options,
                              const Sentence& sentence, std::span<const model::Hypothesis> hypotheses);

class TranslateJob {
 public:
  // Throws UsageError: no decoder, n_best beyond the beam, a policy that leaves lines out.
  TranslateJob(LoadedModel loaded, TranslateOptions options);
  // Called once when a recording is made, before anything is written.
  void on_estimate(std::function<void(const RecordEstimate&)> callback) {
    on_estimate_ = std::move(callback);
  }
  // Throws FormatError (not UTF-8; no line at all), ModelError (a line too long), StorageError; Interrupted
  // when `stop` is asked for: nothing stands under the output's name then, `print` has had whole lines.
  TranslateSummary run(std::stop_token stop = {}, const ProgressCallback& progress = {});

 private:
  LoadedModel loaded_;
  TranslateOptions options_;
  std::function<void(const RecordEstimate&)> on_estimate_;
};

}  // namespace mog::app
