// Windows make long and short lines meet in batches of one length without holding the corpus: a window is
// packed by length, streams share out its batches, and what they find is put at the lines' places. The first
// window is one batch, each next twice as large, up to eight batches a stream: the first lines come soon, and
// later ones waste little at a window's end, where streams wait for the last batch.
//
// With --record the recording's own job delivers sentences in any order; they wait in a map until their turn
// (InOrder), O(log waiting) each.
//
// Trap: lines must be numbered without gaps, else InOrder waits for ever. Therefore lines cannot be
// skipped here.
#include "app/workflow/evaluate/translate_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <utility>

#include "app/workflow/common/parallel.h"
#include "app/workflow/record/sentence_stream.h"
#include "app/workflow/record/translation.h"
#include "app/workflow/tasks/corpus_part.h"
#include "io/recording/errors.h"
#include "io/text/output_file.h"
#include "model/packed_batch.h"

namespace mog::app {
namespace {

using Clock = std::chrono::steady_clock;
using Emit = std::function<void(const Sentence&, std::span<const model::Hypothesis>)>;

constexpr std::int64_t kBatchesPerStream = 8;  // of the largest window

// The translations of one window, [sentence].
class Window {
 public:
  Window(const LoadedModel& loaded, const TranslateOptions& options, std::vector<Sentence> sentences)
      : loaded_(loaded), options_(options), sentences_(std::move(sentences)), found_(sentences_.size()) {
    std::vector<std::int64_t> lengths;
    for (const Sentence& sentence : sentences_) {
      lengths.push_back(static_cast<std::int64_t>(sentence.tokens.size()));
    }
    batches_ = model::pack_by_length(lengths, options.batch_tokens);
  }

  void run(std::int64_t streams, const std::stop_token& stop) {
    share_out(streams, batches_.size(), [&](std::size_t at) {
      std::vector<Sentence> batch;
      for (const std::int64_t index : batches_[at]) {
        batch.push_back(sentences_[static_cast<std::size_t>(index)]);
      }
      Hypotheses found = translate_sentences(*loaded_.model, batch, options_.beam, stop);
      for (std::size_t i = 0; i < batch.size(); ++i) {
        found_[static_cast<std::size_t>(batches_[at][i])] = std::move(found[i]);
      }
    });
  }

  const std::vector<Sentence>& sentences() const { return sentences_; }
  const Hypotheses& found() const { return found_; }

 private:
  const LoadedModel& loaded_;
  const TranslateOptions& options_;
  std::vector<Sentence> sentences_;
  Hypotheses found_;
  std::vector<std::vector<std::int64_t>> batches_;
};

// How the stream of sentences is read: the options of a recording, without the recording.
RecordOptions reading(const TranslateOptions& options) {
  RecordOptions record = options.record.value_or(RecordOptions{});
  record.input = options.input;
  record.shard = options.shard;
  record.translate = true;
  record.beam = options.beam;
  record.begins = options.begins;
  record.streams = options.streams;
  record.max_length = options.max_length;
  record.long_sentences = options.long_sentences;
  record.invalid_utf8 = options.invalid_utf8;
  return record;
}

void translate_stream(const LoadedModel& loaded, const TranslateOptions& options, SentenceStream& stream,
                      const Emit& emit, const std::stop_token& stop) {
  const std::int64_t streams = stream_count(options.streams, loaded.model->device());
  std::int64_t room = options.batch_tokens;  // tokens of the next window
  for (bool open = true; open;) {
    std::vector<Sentence> sentences;
    for (std::int64_t tokens = 0; open && tokens < room;) {
      std::optional<Sentence> sentence = stream.next();
      open = sentence.has_value();
      if (open) {
        tokens += static_cast<std::int64_t>(sentence->tokens.size());
        sentences.push_back(std::move(*sentence));
        if (stream.would_wait()) {
          break;
        }
      }
    }
    if (stop.stop_requested()) {
      throw Interrupted(options.names.doing + ": interrupted");
    }
    Window window(loaded, options, std::move(sentences));
    window.run(streams, stop);
    for (std::size_t i = 0; i < window.sentences().size(); ++i) {
      emit(window.sentences()[i], window.found()[i]);
    }
    room = std::min(2 * room, streams * kBatchesPerStream * options.batch_tokens);
  }
}

// Brings what streams deliver in any order into the order of the lines, numbered from `first` without gaps.
class InOrder {
 public:
  struct Line {
    std::string best;
    std::string text;  // as it is written
  };
  InOrder(std::int64_t first, std::function<void(const Line&)> write)
      : write_(std::move(write)), next_(first) {}
  void put(std::int64_t number, Line line) {
    const std::scoped_lock lock(mutex_);
    waiting_.emplace(number, std::move(line));
    while (!waiting_.empty() && waiting_.begin()->first == next_) {
      write_(waiting_.begin()->second);
      waiting_.erase(waiting_.begin());
      ++next_;
    }
  }

 private:
  std::function<void(const Line&)> write_;
  std::mutex mutex_;
  std::map<std::int64_t, Line> waiting_;
  std::int64_t next_;
};

// Where the lines go: a file that stands when it is whole, or the caller's printer.
class Output {
 public:
  explicit Output(const TranslateOptions& options) : print_(options.print) {
    if (!options.output.empty() && options.output != "-") {
      file_ = std::make_unique<io::OutputFile>(options.output, io::Links::follow);
    }
    if (options.format == TranslateFormat::table) {
      write("sentence\trank\tscore\tlog_prob\t" + options.names.result + "\n");
    }
  }
  void write(std::string_view text) {
    if (file_ != nullptr) {
      file_->write(text);
    } else if (print_) {
      print_(text);
    }
  }
  void commit() {
    if (file_ != nullptr) {
      file_->commit();
    }
  }

 private:
  std::function<void(std::string_view)> print_;
  std::unique_ptr<io::OutputFile> file_;
};

nlohmann::ordered_json hypothesis_json(const LoadedModel& loaded, const TranslateOptions& options,
                                       const model::Hypothesis& hypothesis) {
  return {{options.names.result, translation_text(loaded, hypothesis.ids)},
          {"score", hypothesis.score},
          {"log_prob", hypothesis.log_prob},
          {"ids", hypothesis.ids}};
}

std::string json_line(const LoadedModel& loaded, const TranslateOptions& options, const Sentence& sentence,
                      std::span<const model::Hypothesis> shown) {
  nlohmann::ordered_json json = {{"sentence", sentence.number}, {"text", sentence.text}};
  json.update(hypothesis_json(loaded, options, shown.front()));
  if (options.n_best > 1) {
    json["n_best"] = nlohmann::ordered_json::array();
    for (const model::Hypothesis& hypothesis : shown) {
      json["n_best"].push_back(hypothesis_json(loaded, options, hypothesis));
    }
  }
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace

std::string translation_lines(const LoadedModel& loaded, const TranslateOptions& options,
                              const Sentence& sentence, std::span<const model::Hypothesis> hypotheses) {
  const auto shown = hypotheses.first(std::min(hypotheses.size(), static_cast<std::size_t>(options.n_best)));
  switch (options.format) {
    case TranslateFormat::jsonl:
      return json_line(loaded, options, sentence, shown);
    case TranslateFormat::table: {
      std::string lines;
      for (std::size_t rank = 0; rank < shown.size(); ++rank) {
        lines += fmt::format("{}\t{}\t{:.6f}\t{:.6f}\t{}\n", sentence.number, rank + 1, shown[rank].score,
                             shown[rank].log_prob, translation_text(loaded, shown[rank].ids));
      }
      return lines;
    }
    case TranslateFormat::text:
      break;
  }
  return translation_text(loaded, shown.front().ids) + "\n";
}

TranslateJob::TranslateJob(LoadedModel loaded, TranslateOptions options)
    : loaded_(std::move(loaded)), options_(std::move(options)) {
  check_beam(options_.beam);
  if (loaded_.target_vocabulary == nullptr) {
    throw UsageError(fmt::format("{} with {}: the model has no decoder; `mog tag` runs taggers",
                                 options_.names.doing, loaded_.model->card().name));
  }
  if (!options_.begins.empty()) {
    begin_with(loaded_, options_.begins, options_.beam);
  }
  if (options_.n_best < 1 || options_.n_best > options_.beam.beam) {
    throw UsageError(fmt::format("--n-best {}: wanted is a number from 1 to the beam, {}", options_.n_best,
                                 options_.beam.beam));
  }
  if (options_.batch_tokens < 1) {
    throw UsageError(fmt::format("--batch-tokens {}: must be at least 1", options_.batch_tokens));
  }
  if (options_.long_sentences == LongPolicy::skip || options_.invalid_utf8 == io::InvalidUtf8::skip) {
    throw UsageError(options_.names.doing +
                     ": lines cannot be left out, line n of the output belongs to line n");
  }
}

TranslateSummary TranslateJob::run(std::stop_token stop, const ProgressCallback& progress) {
  const auto started = Clock::now();
  TranslateSummary summary;
  const CorpusPart part = part_of_corpus(options_.shard, options_.input, {}, stop);
  Output output(options_);
  InOrder lines(part.source ? part.source->first : 1, [&](const InOrder::Line& line) {
    output.write(line.text);
    if (options_.on_line) {
      options_.on_line(line.best);
    }
  });
  std::mutex mutex;
  const Emit emit = [&](const Sentence& sentence, std::span<const model::Hypothesis> found) {
    lines.put(sentence.number, {translation_text(loaded_, found.front().ids),
                                translation_lines(loaded_, options_, sentence, found)});
    const std::scoped_lock lock(mutex);
    ++summary.sentences;
    summary.source_tokens += static_cast<std::int64_t>(sentence.tokens.size());
    summary.target_tokens += static_cast<std::int64_t>(found.front().ids.size());
    if (progress && !options_.record) {
      progress({summary.sentences, 0, "sentences", options_.names.doing});
    }
  };
  RecordOptions record = reading(options_);
  if (options_.record) {
    record.on_translations = [&](std::span<const Sentence> sentences,
                                 std::span<const std::vector<model::Hypothesis>> found) {
      for (std::size_t i = 0; i < sentences.size(); ++i) {
        emit(sentences[i], found[i]);
      }
    };
    RecordJob job(loaded_, record);
    job.on_estimate(on_estimate_);
    summary.truncated = job.run(stop, progress).estimate.truncated;
  } else {
    SentenceStream stream(loaded_, record, options_.input, part);
    translate_stream(loaded_, options_, stream, emit, stop);
    summary.truncated = stream.truncated();
  }
  if (summary.sentences == 0 && options_.shard.whole()) {
    throw FormatError(
        fmt::format("{} {}: there is no line in it", options_.names.doing, options_.input.string()));
  }
  output.commit();
  summary.elapsed_s = std::chrono::duration<double>(Clock::now() - started).count();
  return summary;
}

}  // namespace mog::app
