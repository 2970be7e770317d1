#include "app/workflow/record/next_tokens.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/workflow/record/translation.h"

namespace mog::app {
namespace {

constexpr std::int64_t kMostTokens = 120;  // of a translation: the scores of one fill its vocabulary

// [token]: the probability of ids[token] after the tokens before it.
std::vector<double> probabilities(const LoadedModel& loaded, const QuantitySchema& scores,
                                  const ChangedRun& run, std::span<const Token> inputs,
                                  std::span<const std::int64_t> ids, const std::stop_token& stop) {
  std::vector<Sentence> sentences = {run.sentence};
  sentences.front().target_tokens.assign(inputs.begin(), inputs.end());
  const RecordingBatch batch =
      record_batch(*loaded.model, {&scores, 1}, std::move(sentences), run.interventions, stop);
  const std::span<const float> all = batch.quantities.front().second.values<float>();
  const std::size_t width = all.size() / ids.size();
  std::vector<double> result;
  for (std::size_t token = 0; token < ids.size(); ++token) {
    const std::span<const float> row = all.subspan(token * width, width);
    const double greatest = *std::max_element(row.begin(), row.end());
    double sum = 0;
    for (const float score : row) {
      sum += std::exp(score - greatest);
    }
    result.push_back(std::exp(row[static_cast<std::size_t>(ids[token])] - greatest) / sum);
  }
  return result;
}

}  // namespace

std::vector<NextToken> next_tokens(const LoadedModel& loaded, const ChangedRun& before,
                                   const ChangedRun& after, const std::stop_token& stop) {
  if (loaded.target_vocabulary == nullptr) {
    return {};
  }
  const std::vector<QuantitySchema> offered = loaded.model->quantities();
  const auto at = std::find_if(offered.begin(), offered.end(), [](const QuantitySchema& one) {
    return one.name.quantity() == Quantity::logits && !one.name.of_task() && one.of_target();
  });
  if (at == offered.end()) {
    return {};
  }
  QuantitySchema scores = *at;
  scores.dtype = DType::float32;
  model::BeamOptions beam;
  beam.max_tokens = loaded.longest_target > 0 ? std::min(kMostTokens, loaded.longest_target) : kMostTokens;
  std::vector<Sentence> sentences = {before.sentence};
  const Hypotheses found = translate_sentences(*loaded.model, sentences, beam, stop);
  std::vector<std::int64_t> ids = found.front().front().ids;
  const std::int64_t end = loaded.model->config().eos_id;
  const bool ended = !ids.empty() && ids.back() == end;
  if (ids.empty()) {
    return {};
  }
  const std::span<const std::int64_t> words(ids.data(), ids.size() - (ended ? 1 : 0));
  std::vector<Token> inputs = decoder_inputs(loaded, words);
  inputs.resize(ids.size());  // the last token is scored, not read
  const std::vector<double> then = probabilities(loaded, scores, before, inputs, ids, stop);
  const std::vector<double> now = probabilities(loaded, scores, after, inputs, ids, stop);
  std::vector<NextToken> result;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    result.push_back(
        {loaded.target_vocabulary->token(ids[i]), then[i], now[i], ended && i + 1 == ids.size()});
  }
  return result;
}

}  // namespace mog::app
