// A sentence is one task: its whole run, the runs without each unit, the attributions, then all the sets of
// first units that they ask for, each set once whoever asks. Sentences are independent, so streams share
// them out and results stand at the sentence's place: the numbers do not depend on the number of
// streams.
#include "app/workflow/effects/faithfulness_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <set>
#include <span>
#include <utility>

#include "app/workflow/common/parallel.h"
#include "app/workflow/effects/faithfulness_attributions.h"
#include "app/workflow/effects/faithfulness_eraser.h"
#include "app/workflow/effects/faithfulness_readout.h"
#include "app/workflow/effects/run_part.h"
#include "app/workflow/graphs/read_graphs.h"
#include "io/recording/errors.h"
#include "io/text/corpus.h"

namespace mog::app {
namespace {

// [unit] of a choice.
std::vector<double> combined(const AttributionChoice& choice,
                             const std::map<Attribution, std::vector<double>>& values) {
  std::vector<std::vector<double>> factors;
  for (const Attribution factor : choice) {
    factors.push_back(values.at(factor));
  }
  return analysis::geometric_mean(factors);
}

class Faithfulness {
 public:
  Faithfulness(const LoadedModel& loaded, const FaithfulnessOptions& options, std::stop_token stop,
               const ProgressCallback& progress)
      : loaded_(loaded), options_(options), stop_(std::move(stop)), progress_(progress) {
    check();
    choose();
    read();
  }

  FaithfulnessResult run() {
    std::vector<FaithfulnessResult::Row> rows(sentences_.size());
    std::vector<char> there(sentences_.size(), 0);
    std::int64_t done = 0;
    std::mutex mutex;
    share_out(options_.streams, sentences_.size(), [&](std::size_t index) {
      there[index] = measure(sentences_[index], rows[index]) ? 1 : 0;
      const std::scoped_lock lock(mutex);
      ++done;
      if (progress_) {
        progress_({done, static_cast<std::int64_t>(sentences_.size()), "sentences", "erasing"});
      }
    });
    for (std::size_t index = 0; index < rows.size(); ++index) {
      if (there[index] != 0) {
        result_.rows.push_back(std::move(rows[index]));
      } else {
        ++result_.left_out;
      }
    }
    if (result_.rows.empty() && options_.shard.whole()) {
      throw FormatError(fmt::format(
          "measuring faithfulness on {}: no sentence has {}at least two units to erase",
          result_.header.provenance.corpus_name,
          options_.target.kind == FaithTarget::Kind::pooled ? "" : options_.target.text() + " and "));
    }
    return std::move(result_);
  }

 private:
  void check() const {
    check_numbers(options_);
    const model::ModelConfig& config = loaded_.model->config();
    if (options_.target.kind == FaithTarget::Kind::tag && !config.tasks.contains(options_.target.task)) {
      std::string tasks;
      for (const auto& [task, tags] : config.tasks) {
        tasks += (tasks.empty() ? "" : ", ") + task;
      }
      throw UsageError(fmt::format("--target {}: the model has {}", options_.target.text(),
                                   tasks.empty() ? "no tagging head" : "the tasks " + tasks));
    }
    if (options_.target.kind == FaithTarget::Kind::head) {
      check_head();
    }
    if (options_.erasure == Erasure::mask && config.encoder.recurrent()) {
      throw UsageError(
          "--erase mask: a recurrent encoder attends to nothing; remove, zero, pad and unk work with it");
    }
  }

  void check_head() const {
    const std::optional<model::GraphConfig>& graph = loaded_.model->config().graph;
    if (!graph || graph->kind != model::GraphKind::dependencies) {
      throw UsageError(fmt::format("--target {}: the model predicts no heads of words; choose a parser",
                                   options_.target.text()));
    }
    if (options_.erasure == Erasure::remove) {
      throw UsageError(fmt::format(
          "--target {}: the head is one of the tokens, which --erase remove takes away; mask, zero, pad, unk "
          "and mask-token keep their places",
          options_.target.text()));
    }
  }

  void choose() {
    if (options_.attributions.empty()) {
      for (auto value = static_cast<int>(Attribution::random);
           value <= static_cast<int>(Attribution::leave_one_out); ++value) {
        const auto attribution = static_cast<Attribution>(value);
        if (attribution != Attribution::flow && why_not(attribution, loaded_, options_).empty()) {
          chosen_.push_back({attribution});
        }
      }
    } else {
      chosen_ = options_.attributions;
    }
    wanted_.insert(Attribution::leave_one_out);
    for (const AttributionChoice& choice : chosen_) {
      result_.attributions.push_back(text(choice));
      for (const Attribution factor : choice) {
        if (const std::string reason = why_not(factor, loaded_, options_); !reason.empty()) {
          throw UsageError(fmt::format("--attributions: {} is not defined here: {}", name(factor), reason));
        }
        wanted_.insert(factor);
      }
    }
    check_against(options_, result_.attributions);
    id_ = replacement_id(loaded_, options_.erasure);
  }

  void read() {
    require_all_of_part(options_.sentences, options_.shard);
    const CorpusPart part = part_of_corpus(options_.shard, options_.input, {}, stop_);
    result_.part_numbers = numbers_of(part);
    result_.header = run_header(loaded_, options_.precision, {&options_.input, 1}, part, {});
    io::CorpusReader lines(options_.input, {.range = part.source});
    io::CorpusLine line;
    std::int64_t seen = 0;
    while ((options_.sentences == 0 || seen < options_.sentences) && lines.next(line)) {
      Sentence sentence = loaded_.tokenizer->encode(line.text, line.number);
      if (sentence.words.empty()) {
        continue;
      }
      ++seen;
      const auto tokens = static_cast<std::int64_t>(sentence.tokens.size());
      if (options_.longest > 0 && tokens > options_.longest) {
        ++result_.left_out;
        continue;
      }
      if (loaded_.longest > 0 && tokens > loaded_.longest) {
        throw ModelError(
            fmt::format("measuring faithfulness: sentence {} has {} tokens, the model's positions end at {}; "
                        "shorten it or "
                        "leave longer ones out (--longest {})",
                        sentence.number, tokens, loaded_.longest, loaded_.longest));
      }
      sentences_.push_back(std::move(sentence));
    }
    result_.target = options_.target.text();
    result_.unit = name(options_.unit);
    result_.options = options_;
    if (sentences_.empty() && options_.shard.whole()) {
      throw FormatError(fmt::format(
          "measuring faithfulness on {}: there are no sentences with a word in it{}",
          result_.header.provenance.corpus_name, result_.left_out > 0 ? " that are short enough" : ""));
    }
  }

  // False when there is too little to erase.
  bool measure(const Sentence& sentence, FaithfulnessResult::Row& row) const {
    const std::optional<Readout> readout = readout_of(options_, sentence);
    const std::size_t units = readout ? readout->units().size() : 0;
    if (units < 2) {
      return false;
    }
    row.sentence = sentence.number;
    row.tokens = static_cast<std::int64_t>(sentence.tokens.size());
    row.units = static_cast<std::int64_t>(units);
    const GraphArcs graph = read_graphs(*loaded_.model, std::span(&sentence, 1), stop_).front();
    Eraser eraser(*loaded_.model, options_, sentence, *readout, graph, id_, stop_);
    const auto values = attribute(loaded_, options_, sentence, *readout, eraser, wanted_, stop_);
    const std::vector<double>& reference = values.at(Attribution::leave_one_out);
    std::vector<std::vector<double>> chosen;  // [attribution][unit]
    std::vector<std::vector<bool>> sets;
    for (const AttributionChoice& choice : chosen_) {
      chosen.push_back(combined(choice, values));
      const auto own = analysis::erasure_sets(chosen.back(), options_.fractions);
      sets.insert(sets.end(), own.begin(), own.end());
    }
    const std::vector<double> effects = eraser.effects(sets);
    const std::size_t each = 2 * options_.fractions.size();
    for (std::size_t index = 0; index < chosen.size(); ++index) {
      row.found.push_back(analysis::sentence_faithfulness(
          chosen[index], reference, std::span<const double>(effects).subspan(index * each, each)));
    }
    return true;
  }

  const LoadedModel& loaded_;
  const FaithfulnessOptions& options_;
  std::stop_token stop_;
  const ProgressCallback& progress_;
  std::vector<AttributionChoice> chosen_;
  std::set<Attribution> wanted_;
  std::int64_t id_ = 0;
  std::vector<Sentence> sentences_;
  FaithfulnessResult result_;
};

}  // namespace

void check_numbers(const FaithfulnessOptions& options) {
  for (const double fraction : options.fractions) {
    if (!(fraction > 0 && fraction < 1)) {
      throw UsageError(fmt::format("--fractions: {} does not lie between 0 and 1", fraction));
    }
  }
  if (options.fractions.empty() || options.steps < 1 || options.streams < 1) {
    throw UsageError("measuring faithfulness: give at least one fraction, step and stream");
  }
}

void check_against(const FaithfulnessOptions& options, const std::vector<std::string>& attributions) {
  if (!options.against.empty() &&
      std::find(attributions.begin(), attributions.end(), options.against) == attributions.end()) {
    throw UsageError(
        fmt::format("--against {}: it is not among the attributions that are measured; name it in "
                    "--attributions too",
                    options.against));
  }
}

FaithfulnessResult run_faithfulness(const LoadedModel& loaded, const FaithfulnessOptions& options,
                                    std::stop_token stop, const ProgressCallback& progress) {
  return Faithfulness(loaded, options, std::move(stop), progress).run();
}

}  // namespace mog::app
