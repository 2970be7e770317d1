// Runs a corpus through a model and writes the recording: the work behind `mog record`.
//
// One pass over the corpus checks every line and counts tokens, so that a bad line or a full disk is found
// before the model runs; then sentences are packed by length and run by several streams of one thread.
// Batches are written in the order in which they were packed, whatever the number of streams: one corpus and
// one model give the same file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/workflow/common/progress.h"
#include "app/workflow/record/capture.h"
#include "app/workflow/record/identity_report.h"
#include "app/workflow/record/live_run.h"
#include "app/workflow/record/rounding_error.h"
#include "app/workflow/tasks/corpus_part.h"
#include "app/workflow/tasks/shard.h"
#include "io/hdf5/recording/recording_writer.h"
#include "io/recording/errors.h"
#include "io/statistics/number_ranges.h"
#include "io/text/corpus.h"

namespace mog::app {

enum class LongPolicy : std::uint8_t { error, skip, truncate };
// "error", "skip", "truncate"; throws UsageError.
LongPolicy parse_long_policy(std::string_view text);

struct RecordOptions {
  std::filesystem::path input;  // UTF-8, one sentence a line; "-": standard input
  std::filesystem::path output;
  std::string name;         // of the recording (io::why_no_recording_name); empty: none
  std::string corpus_name;  // what captions call the corpus; empty: the file's name
  CaptureSet capture;
  // More quantities by name, exact decompositions and attributions among them (named_quantities.h).
  std::vector<std::string> quantities;
  std::int64_t store_top_k = 0;     // of the rows of attention maps so many weights (top_keys.h); 0: maps
  bool check = false;               // every identity of the exact decompositions, on every sentence
  int streams = 0;                  // of one thread each; 0: one a core on a CPU, two on a GPU
  std::int64_t batch_tokens = 512;  // small batches stay in the cache; on a GPU some thousands are faster
  std::int64_t max_length = 0;      // tokens with </s>; 0: what the model can read, at most kLongest
  LongPolicy long_sentences = LongPolicy::error;
  bool long_can_be_chosen = true;  // the reader of messages has --long
  io::InvalidUtf8 invalid_utf8 = io::InvalidUtf8::error;
  // Controls: the text is changed before it is run. Each line is cut to its first words, then so many lines
  // (empty ones left out, an incomplete rest too) become one sentence under the number of the first, then the
  // words of each sentence are put in random order.
  std::int64_t first_words = 0;  // 0: all
  std::int64_t concatenate = 1;
  std::optional<std::int64_t> shuffle_words;  // the seed
  // Of a model that reads its own graph: what it reads in that round, 0 none, 1 that of round 0 …; nullopt:
  // in its last one.
  std::optional<std::int64_t> round;
  std::int64_t sample = 0;  // so many sentences of the corpus, drawn by their numbers and `seed`; 0: all
  bool resume = false;
  bool overwrite = false;        // a recording that is there is replaced once the new one is complete
  Shard shard = {};              // only this part of the corpus; sentences keep their numbers
  std::filesystem::path target;  // translations, line by line: the decoder runs with teacher forcing
  bool translate = false;        // the decoder reads the model's own translation
  model::BeamOptions beam = {.beam = 4};  // of that translation
  std::string begins;                     // words that every translation begins with (begin_with())
  // Called with each translated batch, from any stream: the sentences with their target_tokens, and
  // [sentence] its hypotheses, best first.
  std::function<void(std::span<const Sentence>, std::span<const std::vector<model::Hypothesis>>)>
      on_translations;
  std::int64_t commit_every = 2000;  // sentences after which what was recorded survives a kill
  std::int64_t shard_mib = 1024;     // of a file that commits are joined to; 0: they are not
  int deflate = 0;                   // level, 1 to 9; 0: values are not compressed
  std::string command_line;          // kept in the provenance
  model::Precision precision = model::Precision::float32;
  // The same model in float32: what the run's precision changes is measured on its first batches. nullptr: it
  // is not.
  std::shared_ptr<const model::Model> exact;
  std::int64_t seed = 1;
};

inline constexpr std::int64_t kLongest = 2048;
inline constexpr std::int64_t kMostTopKeys = kLongest;  // a key is a whole number that float16 holds

// What the controls of `options` do, in words ("first 8 words, words shuffled (seed 1)"); empty: nothing.
// Part of the corpus name and of the corpus hash in the recording.
std::string transformation_text(const RecordOptions& options);

// What the first pass found, and what the recording will need.
struct RecordEstimate {
  std::int64_t sentences = 0;  // to be recorded, of this part
  std::int64_t tokens = 0;
  std::int64_t target_tokens = 0;
  std::int64_t longest = 0;
  std::int64_t empty = 0;  // lines without a word: kept in their place
  std::int64_t skipped_long = 0;
  std::int64_t truncated = 0;
  std::int64_t skipped_invalid = 0;
  std::int64_t replaced_invalid = 0;
  std::int64_t already_recorded = 0;  // by the run that is resumed
  std::int64_t size_bytes = 0;        // uncompressed, of what is still to be written
  std::int64_t free_bytes = 0;        // on the disk of the output; -1: unknown
  std::string corpus_sha256;
};

struct RecordSummary {
  RecordEstimate estimate;
  std::int64_t sentences = 0;   // in the recording now
  std::int64_t recorded = 0;    // by this run
  std::int64_t tokens = 0;      // of these
  std::int64_t size_bytes = 0;  // of the recording's shards
  double elapsed_s = 0;         // of the whole job: reading, running, writing (the model was there already)
  std::filesystem::path output;
  std::vector<IdentityResidual> identities;  // the worst of each; only with `check`
  std::optional<RoundingError> rounding;     // only with `exact`
};

// What a run will do. [sentence] sizes and numbers, empty where nobody wants them.
struct RunPlan {
  const RecordingHeader& header;
  std::span<const io::SentenceSize> sizes;
  std::span<const std::int64_t> numbers;
  const CorpusPart& part;
};

// Where the batches of a run go: a recording, or something that is made of it while it runs. Used by one
// thread at a time.
class RunOutput {
 public:
  RunOutput() = default;
  RunOutput(const RunOutput&) = delete;
  RunOutput& operator=(const RunOutput&) = delete;
  virtual ~RunOutput() = default;
  // Whether estimate() needs the sizes and numbers of the sentences: 40 bytes each.
  virtual bool wants_sizes() const { return true; }
  // Before anything is written: what is there already, and what the rest will take.
  virtual void estimate(const RunPlan& plan, RecordEstimate& estimate) = 0;
  // Returns the numbers of sentences that are there already and do not come again.
  virtual io::NumberRanges begin(const RecordingHeader& header, const RecordEstimate& estimate) = 0;
  virtual void write(const RecordingBatch& batch) = 0;
  virtual void commit() = 0;  // what was written is not lost: an error ends the run
  // Commits where that is of use, and says what became of it.
  virtual std::string interrupted(std::int64_t finished, std::int64_t total) = 0;
  virtual void finish() = 0;  // every sentence was written
};

class RecordJob {
 public:
  // Throws UsageError for options that contradict each other.
  RecordJob(LoadedModel loaded, RecordOptions options);
  // Called once after the first pass, before anything is written.
  void on_estimate(std::function<void(const RecordEstimate&)> callback) {
    on_estimate_ = std::move(callback);
  }

  // What run() would tell before it writes: reads the whole corpus, writes nothing. Throws as run().
  RecordEstimate estimate(std::stop_token stop = {}, const ProgressCallback& progress = {}) const;

  // Throws FormatError (corpus: not UTF-8 under `error`, no sentence), ModelError (a sentence too long under
  // `error`; a recording to be resumed that came from another model, corpus or capture), StorageError (does
  // not fit, unwritable, the output exists and `resume` is not given), UsageError (a quantity that the model
  // does not have), Error (an identity does not hold), Interrupted after the running
  // batches are written, when `stop` is asked for: the recording can then be resumed.
  RecordSummary run(std::stop_token stop = {}, const ProgressCallback& progress = {});
  // The same run into something else; options.output, resume and overwrite are not looked at, size_bytes and
  // output of the summary stay empty. Throws as run(), and what `output` throws.
  RecordSummary run_into(RunOutput& output, std::stop_token stop = {}, const ProgressCallback& progress = {});

 private:
  LoadedModel loaded_;
  RecordOptions options_;
  std::function<void(const RecordEstimate&)> on_estimate_;
};

}  // namespace mog::app
