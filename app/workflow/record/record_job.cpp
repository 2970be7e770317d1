// How a corpus is run.
//
// Padding and large batches on several OpenMP threads were measured against packed batches in streams of one
// thread each (docs/benchmarks.md): streams are as fast on a quiet machine and far faster beside a busy
// neighbour. Sentences are taken from the corpus in windows, packed by length inside a window, and the
// streams take the batches in turn. Writing happens in that same order (OrderedSink), so the number of
// streams does not show in the recording; the writer has a thread of its own for the disk.
#include "app/workflow/record/record_job.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "app/workflow/common/parallel.h"
#include "app/workflow/record/batch_filter.h"
#include "app/workflow/record/batch_queue.h"
#include "app/workflow/record/ordered_sink.h"
#include "app/workflow/record/record_quantities.h"
#include "app/workflow/record/recording_output.h"
#include "app/workflow/record/sentence_stream.h"
#include "app/workflow/record/spooled_input.h"
#include "app/workflow/record/translation.h"
#include "app/workflow/tasks/corpus_part.h"
#include "io/hdf5/recording/recording_name.h"
#include "io/recording/nearest_name.h"
#include "io/text/conllu.h"
#include "io/text/sha256.h"

namespace mog::app {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kDecomposedMaps = 16;           // memory of maps where they are decomposed
constexpr std::int64_t kCachedTokens = 400'000;  // small corpora are tokenized once

struct Survey {
  RecordEstimate estimate;
  std::vector<io::SentenceSize> sizes;
  std::vector<std::int64_t> numbers;
  std::vector<Sentence> cached;  // all sentences, or none
  bool is_cached = true;
};

Survey survey_corpus(const LoadedModel& loaded, const RecordOptions& options,
                     const std::filesystem::path& input, const CorpusPart& part, bool keeps_sizes,
                     const std::stop_token& stop, const ProgressCallback& progress) {
  Survey survey;
  SentenceStream stream(loaded, options, input, part);
  RecordEstimate& estimate = survey.estimate;
  while (std::optional<Sentence> sentence = stream.next()) {
    if (stop.stop_requested()) {
      throw Interrupted("reading the corpus: interrupted, nothing was written");
    }
    io::SentenceSize size;
    size.tokens = static_cast<std::int64_t>(sentence->tokens.size());
    size.words = static_cast<std::int64_t>(sentence->words.size());
    size.target_tokens = options.translate ? size.tokens  // a guess: not known before the run
                                           : static_cast<std::int64_t>(sentence->target_tokens.size());
    size.text_bytes = static_cast<std::int64_t>(sentence->text.size());
    if (keeps_sizes) {
      survey.sizes.push_back(size);
      survey.numbers.push_back(sentence->number);
    }
    ++estimate.sentences;
    estimate.tokens += size.tokens;
    estimate.target_tokens += size.target_tokens;
    estimate.longest = std::max(estimate.longest, size.tokens);
    survey.is_cached = survey.is_cached && estimate.tokens <= kCachedTokens;
    if (survey.is_cached) {
      survey.cached.push_back(std::move(*sentence));
    } else {
      survey.cached.clear();
    }
    if (progress && estimate.sentences % 4096 == 0) {
      progress({estimate.sentences, 0, "sentences", "reading the corpus"});
    }
  }
  estimate.empty = stream.empty();
  estimate.skipped_long = stream.skipped_long();
  estimate.truncated = stream.truncated();
  estimate.skipped_invalid = stream.skipped_invalid();
  estimate.replaced_invalid = stream.replaced_invalid();
  estimate.corpus_sha256 = part.sha256.empty() ? io::file_sha256(input) : part.sha256;
  return survey;
}

std::string utc_now() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::chrono::system_clock::now()));
}

// What the decoder reads; a recording is only resumed with the same.
std::string target_text(const RecordOptions& options, const CorpusPart& part) {
  const std::string begins = options.begins.empty() ? "" : fmt::format(", begins \"{}\"", options.begins);
  if (options.translate) {
    return fmt::format("translate, beam {}, length penalty {}, at most {} tokens{}", options.beam.beam,
                       options.beam.length_penalty, options.beam.max_tokens, begins);
  }
  if (options.target.empty()) {
    return {};
  }
  return fmt::format("file {}, sha256 {}{}", options.target.filename().string(),
                     part.target_sha256.empty() ? io::file_sha256(options.target) : part.target_sha256,
                     begins);
}

SampleRequest sample_of(const RecordOptions& options) {
  return {options.sample, static_cast<std::uint64_t>(options.seed)};
}

// What makes another corpus of the file: words that are not the model's own, and the controls.
std::string change_text(const LoadedModel& loaded, const RecordOptions& options) {
  const bool own_words =
      io::is_treebank(options.input) || loaded.words == loaded.model->config().tokenizer.words;
  std::vector<std::string> changes;
  if (options.sample > 0) {
    changes.push_back(fmt::format("{} drawn (seed {})", options.sample, options.seed));
  }
  if (!own_words) {
    changes.push_back(fmt::format("words {}", model::name(loaded.words)));
  }
  if (std::string controls = transformation_text(options); !controls.empty()) {
    changes.push_back(std::move(controls));
  }
  return fmt::format("{}", fmt::join(changes, ", "));
}

RecordingHeader make_header(const LoadedModel& loaded, const RecordOptions& options, const CorpusPart& part,
                            const Survey& survey) {
  RecordingHeader header;
  header.model = loaded.model->card();
  header.provenance.name = options.name;
  header.provenance.program_version = MOG_VERSION;
  header.provenance.command_line = options.command_line;
  header.provenance.corpus_name = !options.corpus_name.empty() ? options.corpus_name
                                  : options.input == "-"       ? "standard input"
                                                               : options.input.filename().string();
  header.provenance.corpus_sha256 = survey.estimate.corpus_sha256;
  if (const std::string change = change_text(loaded, options); !change.empty()) {
    header.provenance.corpus_name += ": " + change;
    io::Sha256 hash;  // a changed text is another corpus
    hash.update(survey.estimate.corpus_sha256 + ": " + change);
    header.provenance.corpus_sha256 = hash.hex();
  }
  header.provenance.device = loaded.model->device();
  header.provenance.precision = precision_name(options.precision);
  header.provenance.seed = options.seed;
  header.provenance.started = utc_now();
  header.provenance.target = target_text(options, part);
  return header;
}

// Of which what rounding changes is measured.
constexpr std::int64_t kMeasuredBatches = 8;

// The streams at work: one object a run.
class Streams {
 public:
  Streams(const LoadedModel& loaded, const RecordOptions& options, std::vector<QuantitySchema> observed,
          BatchQueue& queue, OrderedSink& sink, const Computers& computers)
      : loaded_(loaded),
        options_(options),
        observed_(std::move(observed)),
        queue_(queue),
        sink_(sink),
        computers_(computers) {}

  // Failures are the sink's.
  void run(std::int64_t count, const std::stop_token& stop) {
    try {
      share_out(count, [&]() -> std::function<void()> {
        if (stop.stop_requested() || sink_.failure() != nullptr) {
          return {};
        }
        const auto batch = std::make_shared<std::optional<BatchQueue::Work>>(queue_.take());
        if (!*batch) {
          return {};
        }
        ++taken_;
        return [this, batch] { record(**batch); };
      });
    } catch (...) {
      sink_.fail(taken_, std::current_exception());
    }
  }

  // Once it ran.
  const std::optional<RoundingError>& rounding() const noexcept { return rounding_; }

 private:
  void record(BatchQueue::Work& batch) {
    try {
      if (options_.translate) {
        translate(batch.sentences);
      }
      if (options_.exact != nullptr && batch.number < kMeasuredBatches) {
        const std::scoped_lock lock(mutex_);  // one at a time: it holds maps
        const RoundingError error =
            rounding_error(*loaded_.model, *options_.exact, batch.sentences, options_.round);
        rounding_.emplace(rounding_.value_or(RoundingError{})).add(error);
      }
      sink_.put(batch.number, record_and_compute(*loaded_.model, observed_, computers_,
                                                 std::move(batch.sentences), {.round = options_.round}));
    } catch (...) {
      sink_.fail(batch.number, std::current_exception());  // at once: streams ahead of this batch wait for it
    }
  }

  void translate(std::vector<Sentence>& sentences) {
    const Hypotheses found = translate_sentences(*loaded_.model, sentences, options_.beam, {});
    add_targets(loaded_, found, sentences);
    if (options_.on_translations) {
      options_.on_translations(sentences, found);
    }
  }

  const LoadedModel& loaded_;
  const RecordOptions& options_;
  std::vector<QuantitySchema> observed_;
  BatchQueue& queue_;
  OrderedSink& sink_;
  const Computers& computers_;
  std::int64_t taken_ = 0;  // the next batch's number
  std::mutex mutex_;
  std::optional<RoundingError> rounding_;  // guarded by mutex_
};

}  // namespace

LongPolicy parse_long_policy(std::string_view text) {
  if (text == "error") {
    return LongPolicy::error;
  }
  if (text == "skip") {
    return LongPolicy::skip;
  }
  if (text == "truncate") {
    return LongPolicy::truncate;
  }
  throw unknown_choice("--long", text, {"error", "skip", "truncate"});
}

RecordJob::RecordJob(LoadedModel loaded, RecordOptions options)
    : loaded_(std::move(loaded)), options_(std::move(options)) {
  const RecordOptions& o = options_;
  require_shard(o.shard);
  io::require_recording_name(o.name);
  if (o.max_length < 0 || o.max_length == 1) {
    throw UsageError(
        fmt::format("--max-length {}: at least 2 tokens are needed, a word and </s>", o.max_length));
  }
  if (o.batch_tokens < 1) {
    throw UsageError(fmt::format("--batch-tokens {}: must be at least 1", o.batch_tokens));
  }
  if (o.commit_every < 1) {
    throw UsageError(fmt::format("--commit-every {}: must be at least 1", o.commit_every));
  }
  if (loaded_.longest > 0 && o.max_length > loaded_.longest) {
    throw UsageError(fmt::format("--max-length {}: the model's positions end at {} tokens", o.max_length,
                                 loaded_.longest));
  }
  if (o.first_words < 0 || o.concatenate < 1) {
    throw UsageError(
        fmt::format("--first-words {}, --concatenate {}: at least one word and one line are needed",
                    o.first_words, o.concatenate));
  }
  if (!transformation_text(o).empty() && (o.translate || !o.target.empty())) {
    throw UsageError(
        "--first-words, --concatenate and --shuffle-words change the source alone; leave out --target");
  }
  const model::ModelConfig& config = loaded_.model->config();
  const bool in_rounds = config.encoder.graph_input && config.graph && !config.graph->by_transitions();
  if (o.round && (*o.round < 0 || !in_rounds)) {
    throw UsageError(fmt::format("--round {}: {}", *o.round,
                                 *o.round < 0
                                     ? "rounds count from 0, which reads no graph"
                                     : "the model does not read a graph of its own, round by round"));
  }
  if (o.sample < 0) {
    throw UsageError(fmt::format("--sample {}: how many sentences, 0 for all", o.sample));
  }
  if (o.concatenate > 1 && o.sample > 0) {
    throw UsageError("--concatenate joins neighbouring lines, --sample takes some away; use one of the two");
  }
  if (o.concatenate > 1 && !o.shard.whole()) {
    throw UsageError("--concatenate joins neighbouring lines, --shard may part them; use one of the two");
  }
  if (o.resume && o.overwrite) {
    throw UsageError("--resume goes on with a recording, --overwrite begins anew; use one of the two");
  }
  if (o.translate) {
    check_beam(o.beam);
  }
  if (o.target == "-") {
    throw UsageError("--target -: translations are read twice and cannot come from standard input");
  }
  if (o.translate && !o.target.empty()) {
    throw UsageError("--target: a file and `translate` exclude each other");
  }
  if ((o.translate || !o.target.empty() || !o.begins.empty()) && loaded_.target_vocabulary == nullptr) {
    throw UsageError(fmt::format("--target: the model {} has no decoder", loaded_.model->card().name));
  }
  if (!o.begins.empty()) {
    begin_with(loaded_, o.begins, options_.beam);
  }
  RecordingHeader header;
  Computers computers;
  choose_quantities(*loaded_.model, o, header, computers);  // throws before the corpus is read
}

RecordEstimate RecordJob::estimate(std::stop_token stop, const ProgressCallback& progress) const {
  const CorpusPart part =
      part_of_corpus(options_.shard, options_.input, options_.target, stop, sample_of(options_));
  const SpooledInput input(options_.input);
  Survey survey = survey_corpus(loaded_, options_, input.path(), part, true, stop, progress);
  refuse_empty(survey.estimate, options_);
  RecordingHeader header = make_header(loaded_, options_, part, survey);
  Computers computers;
  choose_quantities(*loaded_.model, options_, header, computers);
  estimate_sizes({header, survey.sizes, survey.numbers, part}, options_, survey.estimate);
  return survey.estimate;
}

RecordSummary RecordJob::run(std::stop_token stop, const ProgressCallback& progress) {
  refuse_existing(options_);
  RecordingOutput output(options_);
  RecordSummary summary = run_into(output, stop, progress);
  summary.size_bytes = output.bytes_written();
  summary.output = options_.output;
  return summary;
}

RecordSummary RecordJob::run_into(RunOutput& output, std::stop_token stop, const ProgressCallback& progress) {
  const auto started = Clock::now();
  const CorpusPart part =
      part_of_corpus(options_.shard, options_.input, options_.target, stop, sample_of(options_));
  const SpooledInput input(options_.input);
  Survey survey = survey_corpus(loaded_, options_, input.path(), part, output.wants_sizes(), stop, progress);
  RecordEstimate& estimate = survey.estimate;

  RecordingHeader header = make_header(loaded_, options_, part, survey);
  Computers computers;
  IdentityReport identities;
  std::vector<QuantitySchema> observed = choose_quantities(*loaded_.model, options_, header, computers);
  computers.header = &header;
  computers.report = options_.check ? &identities : nullptr;

  output.estimate({header, survey.sizes, survey.numbers, part}, estimate);
  if (on_estimate_) {
    on_estimate_(estimate);
  }
  const io::NumberRanges done = output.begin(header, estimate);

  std::optional<SentenceStream> again;
  if (!survey.is_cached) {
    again.emplace(loaded_, options_, input.path(), part);
  }
  std::size_t at = 0;
  const auto next = [&]() -> std::optional<Sentence> {
    if (again) {
      return again->next();
    }
    if (at == survey.cached.size()) {
      return std::nullopt;
    }
    return std::move(survey.cached[at++]);
  };
  const SystemDescription system = loaded_.model->system();
  const StackDescription& stack = system.main();
  const std::size_t a_layer =
      stack.recurrent() ? stack.directions().size()
                        : static_cast<std::size_t>(stack.heads) * stack.with(PartRole::attention).size();
  const double maps = 4.0 * static_cast<double>(a_layer) *
                      (options_.capture.has(CaptureName::attention) || options_.capture.has(CaptureName::all)
                           ? static_cast<double>(stack.layers)
                           : 2.0) *
                      (options_.quantities.empty() && !options_.check ? 1.0 : kDecomposedMaps);
  BatchQueue queue(
      next,
      [&](const Sentence& sentence) {
        const auto tokens = static_cast<double>(sentence.tokens.size());
        return tokens * tokens * maps;
      },
      done, options_.batch_tokens);

  RecordSummary summary;
  const std::int64_t streams = stream_count(options_.streams, loaded_.model->device());
  const std::int64_t total = estimate.sentences;
  std::int64_t finished = done.size();
  const auto report = [&](const std::string& message) {
    if (progress) {
      progress({finished, total, "sentences", message});
    }
  };
  report("recording");
  OrderedSink sink(
      [&](const RecordingBatch& complete) {
        const RecordingBatch batch = without_recorded(complete, header, done);
        output.write(batch);
        const auto sentences = static_cast<std::int64_t>(batch.sentences.size());
        finished += sentences;
        summary.recorded += sentences;
        report("recording");
      },
      2 * streams + 2);
  Streams work(loaded_, options_, std::move(observed), queue, sink, computers);
  work.run(streams, stop);

  if (const std::exception_ptr failure = sink.failure()) {
    try {
      output.commit();
    } catch (const Error&) {
      // The first error says more.
    }
    std::rethrow_exception(failure);
  }
  if (stop.stop_requested() && finished < total) {
    throw Interrupted(output.interrupted(finished, total));
  }
  output.finish();
  summary.estimate = estimate;
  summary.sentences = finished;
  summary.tokens = estimate.tokens;
  summary.identities = identities.worst();
  summary.rounding = work.rounding();
  summary.elapsed_s = std::chrono::duration<double>(Clock::now() - started).count();
  return summary;
}

}  // namespace mog::app
