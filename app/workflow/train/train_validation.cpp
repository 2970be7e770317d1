// Loss and scores on held-out sentences, and how alike the states of a sentence's tokens have become, layer
// by layer (their mean cosine, which approaches 1 where an encoder oversmooths). The mean over all pairs
// needs no pairs: with unit vectors u it is (|Σu|² − n) / (n (n − 1)), O(n · width) instead of O(n² ·
// width), on the first sentences alone (limit).
//
// Losses are weighted by labels, so that they do not depend on the batches.
//
// Trap: a state of length 0 has no direction; n counts those that have one, and with fewer than two there is
// no cosine.
#include "app/workflow/train/train_validation.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "app/workflow/graphs/coref_chains.h"
#include "app/workflow/graphs/parse_sentences.h"
#include "io/recording/errors.h"

namespace mog::app {

namespace {

// Sum of the unit vectors u of a sentence: the sum of all pairwise cosines is |Σu|² - n.
class CosineObserver final : public model::Observer {
 public:
  CosineObserver(Stack stack, std::int64_t layers, std::int64_t d_model)
      : stack_(stack),
        sums_(static_cast<std::size_t>(layers), 0.0),
        sentences_(static_cast<std::size_t>(layers), 0),
        d_model_(static_cast<std::size_t>(d_model)) {}

  std::optional<DType> wants(const QuantityName& name) const override {
    const bool wanted = name.stack() == stack_ && name.layer() > 0 && name.part() == Part::none &&
                        name.quantity() == Quantity::output && name.reduction() == Reduction::full;
    return wanted ? std::optional<DType>(DType::float32) : std::nullopt;
  }
  bool observe(const QuantityName& name, const model::PackedValues& values) override {
    const std::span<const float> all = values.values.values<float>();
    for (std::size_t at = 0; at + 1 < values.offsets.size(); ++at) {
      const auto begin = static_cast<std::size_t>(values.offsets[at]);
      add(static_cast<std::size_t>(name.layer()) - 1,
          all.subspan(begin, static_cast<std::size_t>(values.offsets[at + 1]) - begin));
    }
    return true;
  }
  // [layer]; empty where no sentence has two tokens.
  std::vector<double> means() const {
    std::vector<double> means;
    for (std::size_t layer = 0; layer < sums_.size() && sentences_[layer] > 0; ++layer) {
      means.push_back(sums_[layer] / static_cast<double>(sentences_[layer]));
    }
    return means;
  }

 private:
  void add(std::size_t layer, std::span<const float> states) {
    const std::size_t tokens = states.size() / d_model_;
    std::vector<double> sum(d_model_, 0.0);
    double count = 0;  // of tokens that have a direction
    for (std::size_t token = 0; token < tokens; ++token) {
      const std::span<const float> state = states.subspan(token * d_model_, d_model_);
      const double norm = std::sqrt(std::inner_product(state.begin(), state.end(), state.begin(), 0.0));
      count += norm > 0.0 ? 1.0 : 0.0;
      for (std::size_t at = 0; norm > 0.0 && at < d_model_; ++at) {
        sum[at] += static_cast<double>(state[at]) / norm;
      }
    }
    if (count < 2.0) {
      return;
    }
    const double square = std::inner_product(sum.begin(), sum.end(), sum.begin(), 0.0);
    sums_[layer] += (square - count) / (count * (count - 1.0));
    ++sentences_[layer];
  }
  Stack stack_;
  std::vector<double> sums_;
  std::vector<std::int64_t> sentences_;
  std::size_t d_model_;
};

std::vector<std::vector<std::int64_t>> plain_batches(std::span<const Example> examples,
                                                     std::int64_t batch_tokens) {
  std::vector<std::int64_t> lengths;
  lengths.reserve(examples.size());
  for (const Example& example : examples) {
    lengths.push_back(example.batch_cost());
  }
  return model::pack_by_length(lengths, batch_tokens);
}

bool model_has_targets(const PreparedData& data) {
  return !data.examples.empty() && !data.examples.front().target_ids.empty();
}

}  // namespace

std::vector<double> token_cosines(const model::Model& model, std::span<const Example> examples,
                                  std::int64_t batch_tokens, std::size_t limit) {
  const std::vector<Example> some(
      examples.begin(), examples.begin() + static_cast<std::ptrdiff_t>(std::min(limit, examples.size())));
  CosineObserver observer(model.system().main().stack, model.config().encoder.layers,
                          model.config().encoder.d_model);
  model::Observer* const observers[] = {&observer};
  for (const std::vector<std::int64_t>& chosen : plain_batches(some, batch_tokens)) {
    model::PackedBatch batch;
    for (const std::int64_t index : chosen) {
      batch.append(std::span<const std::int64_t>(some[static_cast<std::size_t>(index)].ids));
    }
    model.run(batch, {}, observers);
  }
  return observer.means();
}

std::map<std::string, double> coreference_scores(const model::Model& model, const model::Tokenizer& tokenizer,
                                                 const PreparedData& data, std::int64_t batch_tokens,
                                                 std::stop_token stop) {
  constexpr std::pair<const char*, analysis::CoreferenceMetric> kMetrics[] = {
      {"muc", analysis::CoreferenceMetric::muc},
      {"b3", analysis::CoreferenceMetric::b_cubed},
      {"ceafe", analysis::CoreferenceMetric::ceaf_entities},
      {"conll", analysis::CoreferenceMetric::conll}};
  std::map<std::string, std::vector<double>> sums;
  for (const CorefText& text : data.documents) {
    const ResolvedText found =
        resolve_text(model, tokenizer, text, {.batch_tokens = batch_tokens, .stop = stop});
    for (const auto& [name, metric] : kMetrics) {
      const std::vector<double> own = analysis::coreference_sums(metric, text.chains, found.chains);
      std::vector<double>& all = sums[name];
      all.resize(own.size(), 0.0);
      std::transform(own.begin(), own.end(), all.begin(), all.begin(), std::plus<>());
    }
  }
  std::map<std::string, double> scores;
  for (const auto& [name, metric] : kMetrics) {
    if (!sums[name].empty()) {
      scores[name] = analysis::coreference_score(metric, sums[name]).f1;
    }
  }
  return scores;
}

std::map<std::string, double> attachment_scores(const model::Model& model, const PreparedData& data,
                                                bool subtypes, std::int64_t batch_tokens,
                                                std::stop_token stop) {
  const std::vector<std::string>& labels = model.config().graph->labels;
  const std::vector<Parse> parses =
      parse_sentences(model, data.sentences, {.batch_tokens = batch_tokens, .stop = std::move(stop)});
  double words = 0.0;
  double heads = 0.0;
  double both = 0.0;
  for (std::size_t at = 0; at < data.tagged.size(); ++at) {
    const model::DependencyTree gold = tree_of(data.tagged[at], labels, subtypes);
    const model::DependencyTree& found = parses[at].best.tree;
    for (std::size_t word = 0; word < gold.heads.size(); ++word) {
      const bool head = gold.heads[word] == found.heads[word];
      words += 1.0;
      heads += head ? 1.0 : 0.0;
      both += head && gold.labels[word] == found.labels[word] ? 1.0 : 0.0;
    }
  }
  return words == 0.0 ? std::map<std::string, double>{}
                      : std::map<std::string, double>{{"uas", heads / words}, {"las", both / words}};
}

Validation validate(model::Trainer& trainer, const PreparedData& data,
                    const std::map<std::string, std::vector<std::string>>& tasks,
                    const std::map<std::string, double>& task_weights, std::int64_t batch_tokens,
                    std::stop_token stop) {
  Validation result;
  double loss = 0.0;
  double nll = 0.0;
  double labels = 0.0;
  const bool labelled =
      !tasks.empty() || model_has_targets(data) ||
      (!data.examples.empty() && (!data.examples.front().nodes.empty() ||
                                  !data.examples.front().states.empty() || data.examples.front().derivation));
  for (const std::vector<std::int64_t>& chosen :
       labelled ? plain_batches(data.examples, batch_tokens) : std::vector<std::vector<std::int64_t>>{}) {
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
  const std::vector<double> cosines = token_cosines(*model, data.examples, batch_tokens);
  if (!cosines.empty()) {
    result.layers["token_cosine"] = cosines;
    result.token_cosine = cosines.back();
  }
  if (tasks.empty()) {
    result.score = labels > 0.0 ? -result.values["nll"] : 0.0;
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
