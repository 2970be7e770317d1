// A sentence is one task: its whole run, the runs without each unit, the attributions, then all the sets of
// first units that they ask for, each set once whoever asks. Sentences are independent, so streams take them
// from one counter and results stand at the sentence's place: the numbers do not depend on the number of
// streams.
#include "app/workflow/effects/faithfulness_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <exception>
#include <limits>
#include <mutex>
#include <numeric>
#include <set>
#include <thread>
#include <utility>

#include "analysis/statistics/rank_correlation.h"
#include "app/workflow/effects/faithfulness_attributions.h"
#include "app/workflow/effects/faithfulness_eraser.h"
#include "app/workflow/effects/faithfulness_readout.h"
#include "io/recording/errors.h"
#include "io/text/corpus.h"

namespace mog::app {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kFewest = 3;  // units for a correlation

double pearson(const std::vector<double>& x, const std::vector<double>& y) {
  const auto count = static_cast<double>(x.size());
  const double mx = std::accumulate(x.begin(), x.end(), 0.0) / count;
  const double my = std::accumulate(y.begin(), y.end(), 0.0) / count;
  double xx = 0;
  double yy = 0;
  double xy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xx += (x[i] - mx) * (x[i] - mx);
    yy += (y[i] - my) * (y[i] - my);
    xy += (x[i] - mx) * (y[i] - my);
  }
  return xx > 0 && yy > 0 ? xy / std::sqrt(xx * yy) : kNone;
}

// Units from the greatest value to the least; of equal ones the earlier first.
std::vector<std::size_t> ranked(const std::vector<double>& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t left, std::size_t right) { return values[left] > values[right]; });
  return order;
}

std::vector<double> combined(const AttributionChoice& choice,
                             const std::map<Attribution, std::vector<double>>& values) {
  if (choice.size() == 1) {
    return values.at(choice.front());
  }
  std::vector<double> result(values.at(choice.front()).size(), 1.0);
  for (const Attribution factor : choice) {
    const std::vector<double>& own = values.at(factor);
    for (std::size_t unit = 0; unit < result.size(); ++unit) {
      result[unit] *= std::pow(std::max(0.0, own[unit]), 1.0 / static_cast<double>(choice.size()));
    }
  }
  return result;
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
    std::atomic<std::size_t> next = 0;
    std::atomic<std::int64_t> done = 0;
    std::mutex mutex;
    std::exception_ptr failure;
    const auto work = [&] {
      try {
        for (std::size_t index = next++; index < sentences_.size(); index = next++) {
          there[index] = measure(sentences_[index], rows[index]) ? 1 : 0;
          const std::int64_t now = ++done;
          if (progress_) {
            const std::scoped_lock lock(mutex);
            progress_({now, static_cast<std::int64_t>(sentences_.size()), "sentences", "erasing"});
          }
        }
      } catch (...) {
        const std::scoped_lock lock(mutex);
        failure = failure ? failure : std::current_exception();
        next = sentences_.size();
      }
    };
    {
      std::vector<std::jthread> threads;
      for (std::int64_t stream = 1; stream < options_.streams; ++stream) {
        threads.emplace_back(work);
      }
      work();
    }
    if (failure) {
      std::rethrow_exception(failure);
    }
    for (std::size_t index = 0; index < rows.size(); ++index) {
      if (there[index] != 0) {
        result_.rows.push_back(std::move(rows[index]));
      } else {
        ++result_.left_out;
      }
    }
    if (result_.rows.empty()) {
      throw FormatError(fmt::format(
          "measuring faithfulness on {}: no sentence has {}at least two units to erase", result_.corpus,
          options_.target.kind == FaithTarget::Kind::pooled ? "" : options_.target.text() + " and "));
    }
    return std::move(result_);
  }

 private:
  void check() const {
    for (const double fraction : options_.fractions) {
      if (!(fraction > 0 && fraction < 1)) {
        throw UsageError(fmt::format("--fractions: {} does not lie between 0 and 1", fraction));
      }
    }
    if (options_.fractions.empty() || options_.steps < 1 || options_.streams < 1) {
      throw UsageError("measuring faithfulness: give at least one fraction, step and stream");
    }
    const model::ModelConfig& config = loaded_.model->config();
    if (options_.target.kind == FaithTarget::Kind::tag && !config.tasks.contains(options_.target.task)) {
      std::string tasks;
      for (const auto& [task, tags] : config.tasks) {
        tasks += (tasks.empty() ? "" : ", ") + task;
      }
      throw UsageError(fmt::format("--target {}: the model has {}", options_.target.text(),
                                   tasks.empty() ? "no tagging head" : "the tasks " + tasks));
    }
    if (options_.erasure == Erasure::mask && config.encoder.recurrent()) {
      throw UsageError(
          "--erase mask: a recurrent encoder attends to nothing; remove, zero, pad and unk work with it");
    }
  }

  void choose() {
    if (options_.attributions.empty()) {
      for (auto value = static_cast<int>(Attribution::random);
           value <= static_cast<int>(Attribution::leave_one_out); ++value) {
        const auto attribution = static_cast<Attribution>(value);
        if (attribution != Attribution::flow && why_not(attribution, loaded_, options_).empty()) {
          result_.attributions.push_back({attribution});
        }
      }
    } else {
      result_.attributions = options_.attributions;
    }
    wanted_.insert(Attribution::leave_one_out);
    for (const AttributionChoice& choice : result_.attributions) {
      for (const Attribution factor : choice) {
        if (const std::string reason = why_not(factor, loaded_, options_); !reason.empty()) {
          throw UsageError(fmt::format("--attributions: {} is not defined here: {}", name(factor), reason));
        }
        wanted_.insert(factor);
      }
    }
    if (options_.against && std::find(result_.attributions.begin(), result_.attributions.end(),
                                      *options_.against) == result_.attributions.end()) {
      throw UsageError(
          fmt::format("--against {}: it is not among the attributions that are measured; name it in "
                      "--attributions too",
                      text(*options_.against)));
    }
    id_ = replacement_id(loaded_, options_.erasure);
  }

  void read() {
    io::CorpusReader lines(options_.input);
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
    result_.model = loaded_.model->card().name;
    result_.corpus = options_.input == "-" ? "standard input" : options_.input.filename().string();
    result_.options = options_;
    if (sentences_.empty()) {
      throw FormatError(
          fmt::format("measuring faithfulness on {}: there are no sentences with a word in it{}",
                      result_.corpus, result_.left_out > 0 ? " that are short enough" : ""));
    }
  }

  // False when there is too little to erase.
  bool measure(const Sentence& sentence, FaithfulnessResult::Row& row) const {
    const std::optional<Readout> readout = Readout::of(options_, sentence);
    const std::size_t units = readout ? readout->units().size() : 0;
    if (units < 2) {
      return false;
    }
    row.sentence = sentence.number;
    row.tokens = static_cast<std::int64_t>(sentence.tokens.size());
    row.units = static_cast<std::int64_t>(units);
    Eraser eraser(*loaded_.model, options_, sentence, *readout, id_, stop_);
    const auto values = attribute(loaded_, options_, sentence, *readout, eraser, wanted_, stop_);
    const std::vector<double>& reference = values.at(Attribution::leave_one_out);
    std::vector<std::vector<bool>> sets;
    for (const AttributionChoice& choice : result_.attributions) {
      const std::vector<double> own = combined(choice, values);
      SentenceFaithfulness& found = row.found.emplace_back();
      const bool defined = units >= kFewest && std::all_of(own.begin(), own.end(),
                                                           [](double value) { return std::isfinite(value); });
      found.spearman = defined ? analysis::spearman(own, reference) : kNone;
      found.pearson = defined ? pearson(own, reference) : kNone;
      const std::vector<std::size_t> order = ranked(own);
      for (const double fraction : options_.fractions) {
        std::vector<bool> first(units, false);
        for (std::size_t rank = 0; rank < first_units(fraction, units); ++rank) {
          first[order[rank]] = true;
        }
        std::vector<bool> others = first;
        others.flip();
        sets.push_back(std::move(first));
        sets.push_back(std::move(others));
      }
    }
    const std::vector<double> effects = eraser.effects(sets);
    std::size_t at = 0;
    for (SentenceFaithfulness& found : row.found) {
      for (std::size_t fraction = 0; fraction < options_.fractions.size(); ++fraction) {
        found.comprehensiveness.push_back(effects[at++]);
        found.sufficiency.push_back(effects[at++]);
      }
    }
    return true;
  }

  // At least one unit is erased and one is kept.
  static std::size_t first_units(double fraction, std::size_t units) {
    constexpr double kRounding = 1e-9;  // 0.1 * 30 is 3 units, not 4
    const double count = std::ceil(fraction * static_cast<double>(units) - kRounding);
    return std::clamp(static_cast<std::size_t>(count), std::size_t{1}, units - 1);
  }

  const LoadedModel& loaded_;
  const FaithfulnessOptions& options_;
  std::stop_token stop_;
  const ProgressCallback& progress_;
  std::set<Attribution> wanted_;
  std::int64_t id_ = 0;
  std::vector<Sentence> sentences_;
  FaithfulnessResult result_;
};

}  // namespace

FaithfulnessResult run_faithfulness(const LoadedModel& loaded, const FaithfulnessOptions& options,
                                    std::stop_token stop, const ProgressCallback& progress) {
  return Faithfulness(loaded, options, std::move(stop), progress).run();
}

}  // namespace mog::app
