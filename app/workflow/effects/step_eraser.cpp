#include "app/workflow/effects/step_eraser.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "io/recording/errors.h"
#include "model/packed_batch.h"

namespace mog::app {
namespace {

// Scores of one batch in memory, float64: 256 MiB.
constexpr std::int64_t kMostScores = std::int64_t{1} << 25;

// Of the next target token; those of a task are a tagger's.
bool is_score(const QuantityName& name) {
  return name.quantity() == Quantity::logits && !name.of_task() && name.reduction() == Reduction::full;
}

double log_probability(std::span<const double> scores, std::size_t of) {
  const double greatest = *std::max_element(scores.begin(), scores.end());
  double sum = 0;
  for (const double score : scores) {
    sum += std::exp(score - greatest);
  }
  return scores[of] - greatest - std::log(sum);
}

// Keeps what each step of each sentence says of the token that follows, in float64.
class StepObserver final : public model::Observer {
 public:
  StepObserver(const Sentence& sentence, std::size_t vocabulary, const std::stop_token& stop)
      : sentence_(sentence), vocabulary_(vocabulary), stop_(stop) {}
  std::optional<DType> wants(const QuantityName& name) const override {
    return is_score(name) ? std::optional(DType::float64) : std::nullopt;
  }
  bool observe(const QuantityName& /*name*/, const model::PackedValues& values) override {
    const HostTensor wide = values.values.to(DType::float64);
    const std::span<const double> flat = wide.values<double>();
    for (std::size_t set = 0; set + 1 < values.offsets.size(); ++set) {
      std::vector<double>& found = found_.emplace_back();
      for (std::size_t step = 0; step + 1 < sentence_.target_tokens.size(); ++step) {
        const std::size_t begin = static_cast<std::size_t>(values.offsets[set]) + step * vocabulary_;
        found.push_back(log_probability(flat.subspan(begin, vocabulary_),
                                        static_cast<std::size_t>(sentence_.target_tokens[step + 1].id)));
      }
    }
    return !stop_.stop_requested();
  }
  std::vector<std::vector<double>> take() { return std::move(found_); }

 private:
  const Sentence& sentence_;
  std::size_t vocabulary_;
  const std::stop_token& stop_;
  std::vector<std::vector<double>> found_;
};

}  // namespace

void StepEraser::run(std::span<const Columns> erased) {
  std::vector<Columns> missing = {Columns(columns(), false)};
  missing.insert(missing.end(), erased.begin(), erased.end());
  std::erase_if(missing, [this](const Columns& set) { return read_.contains(set); });
  // Sources that are shortened stand together.
  std::sort(missing.begin(), missing.end(), [](const Columns& left, const Columns& right) {
    const auto first = std::count(left.begin(), left.end(), true);
    const auto second = std::count(right.begin(), right.end(), true);
    return first != second ? first < second : left < right;
  });
  missing.erase(std::unique(missing.begin(), missing.end()), missing.end());
  const std::int64_t of_tokens = options_.batch_tokens / static_cast<std::int64_t>(columns());
  const std::int64_t of_scores =
      kMostScores / (static_cast<std::int64_t>(steps() + 1) * model_.config().target_vocab_size);
  const auto step = static_cast<std::size_t>(std::max<std::int64_t>(1, std::min(of_tokens, of_scores)));
  for (std::size_t first = 0; first < missing.size(); first += step) {
    run_batch(std::span(missing).subspan(first, std::min(step, missing.size() - first)));
  }
}

double StepEraser::effect(const Columns& erased, std::size_t step) const {
  return read_.at(Columns(columns(), false)).at(step) - read_.at(erased).at(step);
}

void StepEraser::run_batch(std::span<const Columns> erased) {
  if (stop_.stop_requested()) {
    throw Interrupted(
        "measuring faithfulness was stopped before all sentences were done; nothing was written");
  }
  model::PackedBatch batch;
  batch.target_offsets = {0};
  std::vector<model::Intervention> interventions;
  const std::size_t sources = sentence_.tokens.size();
  for (std::size_t set = 0; set < erased.size(); ++set) {
    const auto number = static_cast<std::int64_t>(set);
    std::vector<std::int64_t> ids;
    for (std::size_t token = 0; token < sources; ++token) {
      const bool gone = erased[set][token];
      if (gone && options_.erasure == Erasure::remove) {
        continue;
      }
      const auto place = static_cast<std::int64_t>(ids.size());
      ids.push_back(sentence_.tokens[token].id);
      if (gone && options_.erasure == Erasure::mask) {
        interventions.emplace_back(model::MaskToken{number, place});
      } else if (gone && options_.erasure == Erasure::zero) {
        interventions.emplace_back(model::ZeroEmbedding{number, place});
      } else if (gone) {
        ids.back() = id_;
      }
    }
    batch.append(ids);
    for (std::size_t input = 0; input < sentence_.target_tokens.size(); ++input) {
      batch.target_ids.push_back(erased[set][sources + input] ? id_ : sentence_.target_tokens[input].id);
    }
    batch.target_offsets.push_back(static_cast<std::int64_t>(batch.target_ids.size()));
  }
  StepObserver observer(sentence_, static_cast<std::size_t>(model_.config().target_vocab_size), stop_);
  const std::array<model::Observer*, 1> observers = {&observer};
  model_.run(batch, interventions, observers);
  std::vector<std::vector<double>> found = observer.take();
  for (std::size_t set = 0; set < erased.size(); ++set) {
    read_.emplace(erased[set], std::move(found[set]));
  }
}

}  // namespace mog::app
