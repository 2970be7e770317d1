#include "app/workflow/record/recording_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "app/workflow/tasks/corpus_part.h"
#include "io/hdf5/file/free_space.h"
#include "io/hdf5/recording/recording_reader.h"
#include "io/recording/counted.h"
#include "io/recording/errors.h"

namespace mog::app {
namespace {

io::NumberRanges ranges_of(const std::vector<std::int64_t>& numbers) {
  io::NumberRanges ranges;
  for (const std::int64_t number : numbers) {
    ranges.add(number);
  }
  return ranges;
}

io::NumberRanges numbers_recorded_in(const std::filesystem::path& output) {
  std::error_code error;
  if (!std::filesystem::exists(output / "manifest.json", error)) {
    return {};
  }
  const io::RecordingReader reader(output);
  return ranges_of(reader.numbers());
}

// A recording that was begun holds no sentence of another part. Programs before decision 46 took every n-th.
void refuse_other_parts(const io::NumberRanges& recorded, const CorpusPart& part,
                        const RecordOptions& options) {
  if (!part.source) {
    return;
  }
  const io::TextRange& own = *part.source;
  const std::int64_t last = own.first + own.sentences - 1;
  std::optional<std::int64_t> other;  // the first
  for (const io::NumberRange& range : recorded.ranges()) {
    if (!other && range.first < own.first) {
      other = range.first;
    } else if (!other && range.last > last) {
      other = std::max(range.first, last + 1);
    }
  }
  if (other) {
    throw ModelError(fmt::format(
        "going on with {}: it holds sentence {}, and part {}/{} of {} has the {} sentences from {}; "
        "its corpus was cut otherwise: begin it again with --overwrite",
        options.output.string(), *other, options.shard.part, options.shard.parts, options.input.string(),
        own.sentences, own.first));
  }
}

void require_room(const RecordEstimate& estimate, const std::filesystem::path& output) {
  if (estimate.free_bytes >= 0 && estimate.size_bytes > estimate.free_bytes) {
    throw StorageError(
        fmt::format(
            "recording to {}: about {} bytes are needed, {} are free there; keep less (--capture, --layers, "
            "--store float16) or choose another disk",
            output.string(), estimate.size_bytes, estimate.free_bytes),
        StorageError::Cause::no_space);
  }
}

// What is to be replaced, where something is.
std::unique_ptr<io::ReplacedRecording> replaced_by(const RecordOptions& options) {
  std::error_code error;
  const bool there =
      std::filesystem::exists(options.output, error) && !std::filesystem::is_empty(options.output, error);
  return options.overwrite && there ? std::make_unique<io::ReplacedRecording>(options.output) : nullptr;
}

}  // namespace

void refuse_empty(const RecordEstimate& estimate, const RecordOptions& options) {
  if (!options.shard.whole() || estimate.sentences > estimate.empty) {
    return;  // a part may have none
  }
  throw FormatError(
      fmt::format("recording {}: {}", options.input.string(),
                  estimate.skipped_long > 0
                      ? fmt::format("{} are longer than --max-length and were left out, no other has a word",
                                    counted(estimate.skipped_long, "line"))
                      : "there are no sentences with a word in it"));
}

void estimate_sizes(const RunPlan& plan, const RecordOptions& options, RecordEstimate& estimate) {
  const io::NumberRanges before = options.resume ? numbers_recorded_in(options.output) : io::NumberRanges();
  refuse_other_parts(before, plan.part, options);
  std::vector<io::SentenceSize> open_sizes;
  for (std::size_t i = 0; i < plan.sizes.size(); ++i) {
    if (!before.contains(plan.numbers[i])) {
      open_sizes.push_back(plan.sizes[i]);
    }
  }
  estimate.already_recorded = estimate.sentences - static_cast<std::int64_t>(open_sizes.size());
  estimate.size_bytes = static_cast<std::int64_t>(io::estimate_bytes(plan.header, open_sizes));
  estimate.free_bytes = static_cast<std::int64_t>(io::free_bytes(options.output));
}

void refuse_existing(const RecordOptions& options) {
  std::error_code error;
  const auto status = std::filesystem::status(options.output, error);
  if (!std::filesystem::exists(status)) {
    return;
  }
  if (!std::filesystem::is_directory(status)) {
    throw UsageError(
        fmt::format("recording to {}: it is a file; a recording is a directory, choose another "
                    "name",
                    options.output.string()));
  }
  if (!options.resume && !options.overwrite && !std::filesystem::is_empty(options.output, error)) {
    throw UsageError(
        fmt::format("recording to {}: the directory is not empty; choose another name, go on with an "
                    "interrupted recording by --resume, or replace a recording by --overwrite",
                    options.output.string()));
  }
}

RecordingOutput::RecordingOutput(const RecordOptions& options)
    : options_(options), replaced_(replaced_by(options)) {}

RecordingOutput::~RecordingOutput() = default;

void RecordingOutput::estimate(const RunPlan& plan, RecordEstimate& estimate) {
  refuse_empty(estimate, options_);
  estimate_sizes(plan, options_, estimate);
}

io::NumberRanges RecordingOutput::begin(const RecordingHeader& header, const RecordEstimate& estimate) {
  require_room(estimate, options_.output);
  writer_.emplace(replaced_ ? replaced_->fresh() : options_.output,
                  io::RecordingWriterOptions{.shard_sentences = options_.commit_every,
                                             .joined_bytes = options_.shard_mib << 20,
                                             .deflate_level = options_.deflate,
                                             .resume = options_.resume,
                                             .part = options_.shard.part,
                                             .parts = options_.shard.parts});
  writer_->begin(header);
  return ranges_of(writer_->recorded());
}

void RecordingOutput::write(const RecordingBatch& batch) {
  writer_->write(batch);
}

void RecordingOutput::commit() {
  writer_->commit();
}

std::string RecordingOutput::interrupted(std::int64_t finished, std::int64_t total) {
  if (replaced_) {
    writer_->discard();
    return fmt::format("recording to {}: interrupted after {} of {} sentences; nothing was replaced",
                       options_.output.string(), finished, total);
  }
  writer_->commit();
  return fmt::format(
      "recording to {}: interrupted after {} of {} sentences, which are kept; the same command with {}",
      options_.output.string(), finished, total,
      options_.on_translations ? "--overwrite begins anew" : "--resume goes on");
}

void RecordingOutput::finish() {
  writer_->finish();
  if (replaced_) {
    replaced_->replace();
  }
}

std::int64_t RecordingOutput::bytes_written() const {
  return writer_->bytes_written();
}

}  // namespace mog::app
