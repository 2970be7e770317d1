#include "app/workflow/statistics/running_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "io/hdf5/recording/manifest.h"
#include "io/recording/errors.h"
#include "io/text/conllu.h"
#include "io/text/output_file.h"

namespace mog::app {
namespace {

RecordOptions observed(const RunningRequest& request, const StatisticsOptions& statistics,
                       const LoadedModel& loaded, RecordOptions record) {
  observe(request, statistics, *loaded.model, record);
  return record;
}

// Adds every batch to the sums, and forgets it.
class SumsOutput final : public RunOutput {
 public:
  SumsOutput(const RunningOptions& options, const StatisticsOptions& statistics)
      : options_(options), statistics_(statistics) {}

  bool wants_sizes() const override { return false; }

  void estimate(const RunPlan& plan, RecordEstimate& estimate) override {
    // A part may have no sentence that counts; it is complete all the same.
    if (options_.record.shard.whole() && estimate.sentences == estimate.empty) {
      throw FormatError(fmt::format("counting {}: there are no sentences with a word in it",
                                    options_.record.input.string()));
    }
    found_.part_numbers = numbers_of(plan.part);
    if (statistics_.by_upos) {
      treebank_.emplace(options_.record.input, statistics_.skip_mismatches, plan.part.source);
    }
    if (!options_.sums.empty()) {
      io::remove_unfinished(options_.sums);
    }
    if (options_.resume && std::filesystem::exists(options_.sums)) {
      before_ = io::read_partial_statistics(options_.sums);
      estimate.already_recorded = before_->sentences.size();
    }
  }

  io::NumberRanges begin(const RecordingHeader& header, const RecordEstimate& estimate) override {
    tables_ = running_tables(statistics_, header, treebank_ ? &*treebank_ : nullptr);
    for (const auto& table : tables_) {
      table->expect(estimate.sentences);
    }
    found_.header = header;
    found_.settings = to_text(options_.request);
    found_.part = options_.record.shard.part;
    found_.parts = options_.record.shard.parts;
    if (before_) {
      go_on(header);
    }
    return found_.sentences;
  }

  void write(const RecordingBatch& batch) override {
    half_done_ = true;
    changed_ = true;
    MemoryRecording block;
    block.begin(found_.header);
    block.write(batch);
    block.finish();
    for (const auto& table : tables_) {
      table->add(block);
    }
    for (const Sentence& sentence : batch.sentences) {
      found_.sentences.add(sentence.number);
      found_.counted += sentence.words.empty() ? 0 : 1;
    }
    half_done_ = false;
    since_ += static_cast<std::int64_t>(batch.sentences.size());
    if (since_ >= options_.commit_every) {
      commit();
    }
  }

  void commit() override {
    since_ = 0;
    if (!options_.sums.empty() && !half_done_) {
      take_sums();
      io::write_partial_statistics(found_, options_.sums);
    }
  }

  std::string interrupted(std::int64_t finished, std::int64_t total) override {
    commit();
    return fmt::format("counting {}: interrupted after {} of {} sentences{}", options_.record.input.string(),
                       finished, total,
                       options_.sums.empty()
                           ? ""
                           : fmt::format(", which are kept in {}; the same command with --resume goes on",
                                         options_.sums.string()));
  }

  void finish() override {
    found_.done = {found_.part};
    take_sums();
    if (!options_.sums.empty() && (changed_ || !was_done_)) {
      io::write_partial_statistics(found_, options_.sums);
    }
  }

  io::PartialStatistics take() { return std::move(found_); }
  std::vector<std::string> notes() const {
    if (!treebank_ || treebank_->skipped() == 0) {
      return {};
    }
    return {fmt::format("{} {} not the treebank's and {} left out; the first: {}", treebank_->skipped(),
                        treebank_->skipped() == 1 ? "sentence is" : "sentences are",
                        treebank_->skipped() == 1 ? "was" : "were", treebank_->first_skipped())};
  }

 private:
  // What was counted before has to be of the same run.
  void go_on(const RecordingHeader& header) {
    const std::string place = options_.sums.string();
    if (before_->settings != found_.settings) {
      throw ModelError(
          fmt::format("going on with {}: it counted {}, asked for is {}; begin it again with --overwrite",
                      place, before_->settings, found_.settings));
    }
    if (const std::string differs = io::difference(before_->header, header); !differs.empty()) {
      throw ModelError(fmt::format("going on with {}: {}; begin it again with --overwrite", place, differs));
    }
    if (before_->part != found_.part || before_->parts != found_.parts) {
      throw ModelError(fmt::format(
          "going on with {}: it is part {}/{}, asked for is {}/{}; begin it again with --overwrite", place,
          before_->part, before_->parts, found_.part, found_.parts));
    }
    if (before_->part_numbers != found_.part_numbers) {
      throw ModelError(
          fmt::format("going on with {}: its part has the sentences {}, this one {}: the corpus was cut "
                      "otherwise; begin it "
                      "again with --overwrite",
                      place, before_->part_numbers.text(), found_.part_numbers.text()));
    }
    std::size_t at = 0;
    for (const auto& table : tables_) {
      for (analysis::Additive* const sums : table->sums()) {
        if (at == before_->sums.size()) {
          throw FormatError(fmt::format("going on with {}: sums are missing", place));
        }
        sums->add_words(before_->sums[at++]);
      }
    }
    found_.sentences = std::move(before_->sentences);
    found_.counted = before_->counted;
    was_done_ = !before_->done.empty();
  }

  void take_sums() {
    found_.sums.clear();
    for (const auto& table : tables_) {
      for (const analysis::Additive* const sums : table->sums()) {
        found_.sums.push_back(sums->words());
      }
    }
  }

  const RunningOptions& options_;
  const StatisticsOptions& statistics_;
  std::optional<io::PartialStatistics> before_;
  std::vector<std::unique_ptr<analysis::RunningTable>> tables_;
  std::optional<PassingTreebank> treebank_;  // by parts of speech
  io::PartialStatistics found_;
  bool was_done_ = false;   // the file was whole already
  bool changed_ = false;    // since
  bool half_done_ = false;  // a batch is in some of the tables: nothing is kept from then on
  std::int64_t since_ = 0;  // sentences since the last commit
};

}  // namespace

RunningStatisticsJob::RunningStatisticsJob(LoadedModel loaded, RunningOptions options)
    : options_(std::move(options)),
      statistics_(statistics_options(options_.request)),
      job_(loaded, observed(options_.request, statistics_, loaded, options_.record)) {
  if (statistics_.by_upos && !io::is_treebank(options_.record.input)) {
    throw UsageError(fmt::format(
        "--by upos: parts of speech are read with the corpus, which {} has none of; --input takes a treebank "
        "(FILE.conllu)",
        options_.record.input.string()));
  }
}

RunningSummary RunningStatisticsJob::run(std::stop_token stop, const ProgressCallback& progress) {
  SumsOutput output(options_, statistics_);
  RunningSummary summary;
  summary.run = job_.run_into(output, std::move(stop), progress);
  summary.notes = output.notes();
  summary.statistics = output.take();
  return summary;
}

}  // namespace mog::app
