#include "app/workflow/record/next_tokens.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "app/workflow/record/translation.h"
#include "io/recording/pieces.h"

namespace mog::app {
namespace {

constexpr std::int64_t kMostTokens = 120;  // of a translation: the scores of one fill its vocabulary

RecordingBatch record_decoder(const LoadedModel& loaded, std::span<const QuantitySchema> quantities,
                              const ChangedRun& run, std::span<const Token> inputs,
                              const std::stop_token& stop) {
  std::vector<Sentence> sentences = {run.sentence};
  sentences.front().target_tokens.assign(inputs.begin(), inputs.end());
  return record_batch(*loaded.model, quantities, std::move(sentences), run.interventions, stop);
}

std::span<const float> values_of(const RecordingBatch& batch, const QuantityName& name) {
  const auto at = std::find_if(batch.quantities.begin(), batch.quantities.end(),
                               [&](const auto& one) { return one.first == name; });
  return at->second.template values<float>();
}

// [token]: the probability of ids[token] after the tokens before it.
std::vector<double> probabilities(const RecordingBatch& batch, const QuantityName& scores,
                                  std::span<const std::int64_t> ids) {
  const std::span<const float> all = values_of(batch, scores);
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

// [token]: where its cross-attention is most, of tokens that are words of the source; -1: there is no map.
std::vector<std::int64_t> sources(const RecordingBatch& batch, std::span<const QuantitySchema> maps,
                                  const Sentence& sentence, std::size_t count) {
  const std::size_t width = sentence.tokens.size();
  std::vector<double> read(count * width);
  for (const QuantitySchema& map : maps) {
    const std::span<const float> all = values_of(batch, map.name);  // [head][token][source token]
    for (std::size_t i = 0; i < all.size(); ++i) {
      read[i % read.size()] += static_cast<double>(all[i]);
    }
  }
  std::vector<std::int64_t> result(count, -1);
  for (std::size_t token = 0; token < count && !maps.empty(); ++token) {
    double most = -1;
    for (std::size_t at = 0; at < width; ++at) {
      if (sentence.tokens[at].word >= 0 && read[token * width + at] > most) {
        most = read[token * width + at];
        result[token] = static_cast<std::int64_t>(at);
      }
    }
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
  std::vector<QuantitySchema> maps;
  std::copy_if(offered.begin(), offered.end(), std::back_inserter(maps), [](const QuantitySchema& one) {
    return one.name.quantity() == Quantity::attention && one.axes.size() == 3 &&
           one.axes[1] == Axis::target_query && one.axes[2] == Axis::key;
  });
  std::vector<QuantitySchema> wanted = maps;
  wanted.push_back(*at);
  for (QuantitySchema& one : wanted) {
    one.dtype = DType::float32;
  }
  std::sort(wanted.begin(), wanted.end(),
            [](const QuantitySchema& a, const QuantitySchema& b) { return a.name < b.name; });
  model::BeamOptions beam;
  beam.max_tokens = loaded.longest_target > 0 ? std::min(kMostTokens, loaded.longest_target) : kMostTokens;
  beam.interventions = before.interventions;
  const Hypotheses found = translate_sentences(*loaded.model, {&before.sentence, 1}, beam, stop);
  std::vector<std::int64_t> ids = found.front().front().ids;
  const std::int64_t end = loaded.model->config().eos_id;
  const bool ended = !ids.empty() && ids.back() == end;
  if (ids.empty()) {
    return {};
  }
  const std::span<const std::int64_t> words(ids.data(), ids.size() - (ended ? 1 : 0));
  std::vector<Token> inputs = decoder_inputs(loaded, words);
  inputs.resize(ids.size());  // the last token is scored, not read
  const RecordingBatch first = record_decoder(loaded, wanted, before, inputs, stop);
  QuantitySchema scores = *at;
  scores.dtype = DType::float32;
  const std::vector<double> then = probabilities(first, scores.name, ids);
  const std::vector<double> now =
      probabilities(record_decoder(loaded, {&scores, 1}, after, inputs, stop), scores.name, ids);
  const std::vector<std::int64_t> read = sources(first, maps, before.sentence, ids.size());
  std::vector<NextToken> result;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    result.push_back({shown_bytes(piece_bytes(loaded.target_vocabulary->token(ids[i]),
                                              pieces_of(loaded.model->card().tokenizer))),
                      then[i], now[i], ended && i + 1 == ids.size(), read[i]});
  }
  return result;
}

}  // namespace mog::app
