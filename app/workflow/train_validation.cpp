#include "app/workflow/train_validation.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "io/recording/errors.h"

namespace mog::app {

namespace {

// Sum of the unit vectors u of a sentence: the sum of all pairwise cosines is |Σu|² - n.
class CosineObserver final : public model::Observer {
 public:
  CosineObserver(std::int64_t layers, std::int64_t d_model)
      : name_(Stack::encoder, layers, Part::none, Quantity::output),
        d_model_(static_cast<std::size_t>(d_model)) {}

  std::optional<model::Capture> wants(const QuantityName& name) const override {
    return name == name_ ? std::optional<model::Capture>(model::Capture{}) : std::nullopt;
  }
  bool observe(const QuantityName&, const model::PackedValues& values) override {
    const std::span<const float> all = values.values.values<float>();
    for (std::size_t at = 0; at + 1 < values.offsets.size(); ++at) {
      const auto begin = static_cast<std::size_t>(values.offsets[at]);
      add(all.subspan(begin, static_cast<std::size_t>(values.offsets[at + 1]) - begin));
    }
    return true;
  }
  std::optional<double> mean() const {
    return sentences_ > 0 ? std::optional<double>(sum_ / static_cast<double>(sentences_)) : std::nullopt;
  }

 private:
  void add(std::span<const float> states) {
    const std::size_t tokens = states.size() / d_model_;
    if (tokens < 2) {
      return;
    }
    std::vector<double> sum(d_model_, 0.0);
    for (std::size_t token = 0; token < tokens; ++token) {
      const std::span<const float> state = states.subspan(token * d_model_, d_model_);
      const double norm = std::sqrt(std::inner_product(state.begin(), state.end(), state.begin(), 0.0));
      for (std::size_t at = 0; norm > 0.0 && at < d_model_; ++at) {
        sum[at] += static_cast<double>(state[at]) / norm;
      }
    }
    const auto count = static_cast<double>(tokens);
    const double square = std::inner_product(sum.begin(), sum.end(), sum.begin(), 0.0);
    sum_ += (square - count) / (count * (count - 1.0));
    ++sentences_;
  }
  QuantityName name_;
  std::size_t d_model_;
  double sum_ = 0.0;
  std::int64_t sentences_ = 0;
};

std::vector<std::vector<std::int64_t>> plain_batches(std::span<const Example> examples,
                                                     std::int64_t batch_tokens) {
  std::vector<std::int64_t> lengths;
  lengths.reserve(examples.size());
  for (const Example& example : examples) {
    lengths.push_back(example.cost());
  }
  return model::pack_by_length(lengths, batch_tokens);
}

}  // namespace

std::optional<double> token_cosine(const model::Model& model, std::span<const Example> examples,
                                   std::int64_t batch_tokens, std::size_t limit) {
  const std::vector<Example> some(
      examples.begin(), examples.begin() + static_cast<std::ptrdiff_t>(std::min(limit, examples.size())));
  CosineObserver observer(model.config().encoder.layers, model.config().encoder.d_model);
  model::Observer* const observers[] = {&observer};
  for (const std::vector<std::int64_t>& chosen : plain_batches(some, batch_tokens)) {
    model::PackedBatch batch;
    for (const std::int64_t index : chosen) {
      batch.append(std::span<const std::int64_t>(some[static_cast<std::size_t>(index)].ids));
    }
    model.run(batch, {}, observers);
  }
  return observer.mean();
}

Validation validate(model::Trainer& trainer, const PreparedData& data,
                    const std::map<std::string, std::vector<std::string>>& tasks,
                    const std::map<std::string, double>& task_weights, std::int64_t batch_tokens,
                    std::stop_token stop) {
  Validation result;
  double loss = 0.0;
  double nll = 0.0;
  double labels = 0.0;
  for (const std::vector<std::int64_t>& chosen : plain_batches(data.examples, batch_tokens)) {
    if (stop.stop_requested()) {
      throw Interrupted("Validation was stopped.");
    }
    const model::StepResult batch = trainer.evaluate(make_batch(data.examples, chosen));
    const auto weight = static_cast<double>(batch.labels);
    loss += batch.loss * weight;
    nll += batch.nll * weight;
    labels += weight;
  }
  if (labels > 0.0) {
    result.values["loss"] = loss / labels;
    result.values["nll"] = nll / labels;
  }
  const std::shared_ptr<const model::Model> model = trainer.model();
  result.token_cosine = token_cosine(*model, data.examples, batch_tokens);
  if (tasks.empty()) {
    result.score = -result.values["nll"];
    return result;
  }
  const std::vector<SentenceTags> predicted = tag_sentences(*model, data.sentences, batch_tokens, stop);
  double weights = 0.0;
  for (const TaskScore& score : score_tags(data.tagged, predicted, tasks, {.resamples = 0})) {
    const bool spans = score.metric == analysis::TaggingMetric::span_f1;
    result.values[score.task + (spans ? ".f1" : ".accuracy")] = score.score.value;
    const auto found = task_weights.find(score.task);
    const double weight = found == task_weights.end() ? 1.0 : found->second;
    result.score += weight * score.score.value;
    weights += weight;
  }
  result.score = weights > 0.0 ? result.score / weights : -result.values["nll"];
  return result;
}

}  // namespace mog::app
