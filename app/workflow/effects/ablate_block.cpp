#include "app/workflow/effects/ablate_block.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>

#include "io/recording/errors.h"
#include "model/packed_batch.h"

namespace mog::app {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

double mean_over_words(const Sentence& sentence, std::span<const float> values) {
  double sum = 0;
  std::int64_t count = 0;
  for (std::size_t token = 0; token < sentence.tokens.size(); ++token) {
    if (sentence.tokens[token].word >= 0) {
      sum += static_cast<double>(values[token]);
      ++count;
    }
  }
  return count == 0 ? kNone : sum / static_cast<double>(count);
}

class BlockObserver final : public model::Observer {
 public:
  BlockObserver(Stack stack, std::span<const Sentence> sentences,
                const std::map<std::string, std::vector<std::string>>& tasks, bool before,
                std::stop_token stop, BlockStates& into)
      : stack_(stack),
        sentences_(sentences),
        tasks_(tasks),
        before_(before),
        stop_(std::move(stop)),
        into_(into) {
    into_.states.resize(sentences.size());
    into_.tags.resize(sentences.size());
    into_.scores.resize(sentences.size());
    into_.gates.resize(sentences.size());
    into_.shares.resize(sentences.size());
  }
  void start(const std::vector<std::int64_t>& batch) { batch_ = &batch; }

  std::optional<DType> wants(const QuantityName& name) const override {
    const bool state = is_state(name);
    const bool tags =
        name.of_task() && name.quantity() == Quantity::logits && name.reduction() == Reduction::full;
    const bool said = before_ && (is_gate(name) || is_share(name));
    return state || tags || said ? std::optional(DType::float32) : std::nullopt;
  }

  bool observe(const QuantityName& name, const model::PackedValues& values) override {
    const std::span<const float> flat = values.values.values<float>();
    for (std::size_t at = 0; at < batch_->size(); ++at) {
      const auto index = static_cast<std::size_t>((*batch_)[at]);
      const auto begin = static_cast<std::size_t>(values.offsets[at]);
      const std::span<const float> own =
          flat.subspan(begin, static_cast<std::size_t>(values.offsets[at + 1]) - begin);
      if (is_state(name)) {
        into_.states[index].assign(own.begin(), own.end());
      } else if (is_gate(name)) {
        into_.gates[index][name.layer()] = mean_over_words(sentences_[index], own);
      } else if (is_share(name)) {
        into_.shares[index][{name.layer(), name.part()}] = mean_over_words(sentences_[index], own);
      } else {
        into_.tags[index].tags[name.task()] = best_tags(sentences_[index], own, tasks_.at(name.task()));
        into_.scores[index][name.task()].assign(own.begin(), own.end());
      }
    }
    return !stop_.stop_requested();
  }

 private:
  bool is_state(const QuantityName& name) const {
    return name.stack() == stack_ && name.layer() == 0 && name.quantity() == Quantity::output;
  }
  bool is_gate(const QuantityName& name) const {
    return name.stack() == stack_ && name.part() == Part::none && name.quantity() == Quantity::gate &&
           name.reduction() == Reduction::mean;
  }
  bool is_share(const QuantityName& name) const {
    return name.stack() == stack_ && name.quantity() == Quantity::output &&
           name.reduction() == Reduction::share;
  }

  Stack stack_;
  std::span<const Sentence> sentences_;
  const std::map<std::string, std::vector<std::string>>& tasks_;
  bool before_;
  std::stop_token stop_;
  BlockStates& into_;
  const std::vector<std::int64_t>* batch_ = nullptr;
};

// 1 - cosine of the means over all rows.
double pooled_difference(const std::vector<float>& before, const std::vector<float>& after,
                         std::size_t width) {
  std::vector<double> x(width, 0.0);
  std::vector<double> y(width, 0.0);
  for (std::size_t i = 0; i < before.size(); ++i) {
    x[i % width] += static_cast<double>(before[i]);
    y[i % width] += static_cast<double>(after[i]);
  }
  double xx = 0;
  double yy = 0;
  double xy = 0;
  for (std::size_t d = 0; d < width; ++d) {
    xx += x[d] * x[d];
    yy += y[d] * y[d];
    xy += x[d] * y[d];
  }
  return xx > 0 && yy > 0 ? 1 - xy / std::sqrt(xx * yy) : (xx == yy ? 0 : 1);
}

std::vector<double> log_probabilities(const std::vector<float>& scores, std::size_t first,
                                      std::size_t count) {
  std::vector<double> result(scores.begin() + static_cast<std::ptrdiff_t>(first),
                             scores.begin() + static_cast<std::ptrdiff_t>(first + count));
  const double most = *std::max_element(result.begin(), result.end());
  double sum = 0;
  for (const double score : result) {
    sum += std::exp(score - most);
  }
  for (double& score : result) {
    score -= most + std::log(sum);
  }
  return result;
}

}  // namespace

BlockStates run_block(const model::Model& model, std::span<const Sentence> sentences,
                      std::span<const model::Intervention> interventions, bool before,
                      std::int64_t batch_tokens, const std::stop_token& stop) {
  BlockStates result;
  BlockObserver observer(model.system().main().stack, sentences, model.config().tasks, before, stop, result);
  model::Observer* const observers[] = {&observer};
  std::vector<std::int64_t> lengths;
  for (const Sentence& sentence : sentences) {
    lengths.push_back(static_cast<std::int64_t>(sentence.tokens.size()));
  }
  for (const std::vector<std::int64_t>& chosen : model::pack_by_length(lengths, batch_tokens)) {
    if (stop.stop_requested()) {
      throw Interrupted("ablating was stopped before all parts were cut; nothing was written");
    }
    model::PackedBatch batch;
    for (const std::int64_t index : chosen) {
      batch.append(sentences[static_cast<std::size_t>(index)]);
    }
    observer.start(chosen);
    model.run(batch, interventions, observers);
  }
  return result;
}

Difference difference_of(const Sentence& sentence, const std::vector<float>& before,
                         const std::vector<float>& after) {
  const std::size_t width = before.size() / sentence.tokens.size();
  Difference result;
  double count = 0;
  for (std::size_t token = 0; token < sentence.tokens.size(); ++token) {
    if (sentence.tokens[token].word < 0) {
      continue;
    }
    double xx = 0;
    double yy = 0;
    double xy = 0;
    double dd = 0;
    for (std::size_t d = token * width; d < (token + 1) * width; ++d) {
      const double x = static_cast<double>(before[d]);
      const double y = static_cast<double>(after[d]);
      xx += x * x;
      yy += y * y;
      xy += x * y;
      dd += (y - x) * (y - x);
    }
    result.change += xx > 0 ? std::sqrt(dd / xx) : 0;
    result.cosine += xx > 0 && yy > 0 ? 1 - xy / std::sqrt(xx * yy) : (dd > 0 ? 1 : 0);
    count += 1;
  }
  result.change /= count;
  result.cosine /= count;
  result.pooled = pooled_difference(before, after, width);
  return result;
}

double tag_divergence(const Sentence& sentence, const std::vector<float>& before,
                      const std::vector<float>& after) {
  const std::size_t width = before.size() / sentence.tokens.size();
  double sum = 0;
  double count = 0;
  for (std::size_t token = 0; token < sentence.tokens.size(); ++token) {
    const std::int64_t word = sentence.tokens[token].word;
    if (word < 0 || (token > 0 && sentence.tokens[token - 1].word == word)) {
      continue;
    }
    const std::vector<double> p = log_probabilities(before, token * width, width);
    const std::vector<double> q = log_probabilities(after, token * width, width);
    for (std::size_t tag = 0; tag < width; ++tag) {
      sum += std::exp(p[tag]) * (p[tag] - q[tag]);
    }
    count += 1;
  }
  return count > 0 ? sum / count : kNone;
}

double share_changed(const std::vector<std::string>& before, const std::vector<std::string>& after) {
  std::int64_t changed = 0;
  std::int64_t words = 0;
  for (std::size_t word = 0; word < before.size(); ++word) {
    if (!before[word].empty()) {
      ++words;
      changed += before[word] != after[word] ? 1 : 0;
    }
  }
  return words == 0 ? 0 : static_cast<double>(changed) / static_cast<double>(words);
}

}  // namespace mog::app
