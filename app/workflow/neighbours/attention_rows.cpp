#include "app/workflow/neighbours/attention_rows.h"

#include <fmt/format.h>

#include <algorithm>

#include "io/recording/errors.h"
#include "io/recording/seen_keys.h"

namespace mog::app {
namespace {

// One row of a tensor [head, query, width].
std::vector<float> row_of(const HostTensor& values, std::int64_t row) {
  const std::int64_t width = values.shape().back();
  return values.slice_flat(row * width, {width}).to_floats();
}

}  // namespace

AttentionRows::AttentionRows(const RecordingHeader& header, std::int64_t layer, Part part, bool mean_only) {
  for (const QuantitySchema& schema : header.quantities) {
    const QuantityName& name = schema.name;
    if (name.of_task() || name.stack() != header.stack().stack || name.layer() != layer ||
        (part != Part::none && name.part() != part) || name.quantity() != map_quantity(name.part())) {
      continue;
    }
    const bool full = name.reduction() == Reduction::full;
    const bool top = name.reduction() == Reduction::top &&
                     header.find(name.with(Reduction::top_key)) != nullptr &&
                     header.find(name.with(Reduction::full)) == nullptr;  // a map says more
    const bool mean = mean_only && name.reduction() == Reduction::mean_heads &&
                      header.find(name.with(Reduction::full)) == nullptr &&
                      header.find(name.with(Reduction::top)) == nullptr;
    if (full || top || mean) {
      const bool by_head = schema.axes.size() == 3 && schema.axes.front() == Axis::head;
      if (!by_head && schema.axes.size() != 2) {
        continue;
      }
      heads_ = heads_ == 0 ? (by_head ? schema.extents.front() : 1) : heads_;
      maps_.push_back(name);
    }
  }
}

AttentionRows::OfSentence AttentionRows::read(const RecordingSource& source, std::int64_t index,
                                              std::int64_t tokens) const {
  OfSentence result;
  result.tokens_ = tokens;
  for (const QuantityName& name : maps_) {
    OfSentence::One one;
    one.values = source.read(index, name);
    if (one.values.shape().size() == 2) {
      std::vector<std::int64_t> shape = {1, one.values.shape()[0], one.values.shape()[1]};
      one.values = one.values.reshaped(std::move(shape));
    }
    if (name.reduction() == Reduction::top) {
      if (source.header().find(name.with(Reduction::rest)) != nullptr) {
        one.rest = source.read(index, name.with(Reduction::rest));
      }
      const std::vector<float> keys = source.read(index, name.with(Reduction::top_key)).to_floats();
      const bool sound =
          static_cast<std::int64_t>(keys.size()) == one.values.size() &&
          std::ranges::all_of(keys, [&](float key) { return key >= -1 && key < static_cast<float>(tokens); });
      if (!sound) {
        throw FormatError(fmt::format("{} of sentence {}: keys that are no tokens of it, which has {}",
                                      name.with(Reduction::top_key).text(), source.number(index), tokens));
      }
      one.keys.assign(keys.begin(), keys.end());
    }
    result.all_.push_back(std::move(one));
  }
  return result;
}

TokenRow AttentionRows::OfSentence::row(std::span<const std::int64_t> tokens, std::int64_t head) const {
  TokenRow result;
  result.weights.assign(static_cast<std::size_t>(tokens_), 0.0);
  for (const One& one : all_) {
    const std::int64_t heads = one.values.shape()[0];
    const std::int64_t queries = one.values.shape()[1];
    const std::int64_t first = head > 0 ? head - 1 : 0;
    const std::int64_t last = head > 0 ? head : heads;
    const double share = 1.0 / static_cast<double>(static_cast<std::int64_t>(tokens.size()) * (last - first) *
                                                   static_cast<std::int64_t>(all_.size()));
    for (std::int64_t h = first; h < last; ++h) {
      for (const std::int64_t token : tokens) {
        const std::int64_t place = h * queries + token;
        const std::vector<float> values = row_of(one.values, place);
        const std::size_t begin = static_cast<std::size_t>(place) * values.size();
        for (std::size_t i = 0; i < values.size(); ++i) {
          const std::int64_t key = one.keys.empty() ? static_cast<std::int64_t>(i) : one.keys[begin + i];
          if (key >= 0) {
            result.weights.at(static_cast<std::size_t>(key)) += share * static_cast<double>(values[i]);
          }
        }
        if (!one.rest.empty()) {
          result.unknown += share * static_cast<double>(one.rest.slice_flat(place, {1}).to_floats().front());
        }
      }
    }
  }
  return result;
}

std::vector<std::int64_t> tokens_of(const Sentence& sentence, std::int64_t word) {
  std::vector<std::int64_t> tokens;
  for (std::size_t token = 0; token < sentence.tokens.size(); ++token) {
    if (sentence.tokens[token].word == word) {
      tokens.push_back(static_cast<std::int64_t>(token));
    }
  }
  return tokens;
}

std::optional<WordWeights> word_weights(const AttentionRows& rows, const RecordingSource& source,
                                        std::int64_t index, const Sentence& sentence, std::int64_t word,
                                        std::int64_t head) {
  const std::vector<std::int64_t> tokens = tokens_of(sentence, word);
  if (rows.empty() || tokens.empty()) {
    return std::nullopt;
  }
  const QuantityName& name = rows.names().front();
  const SeenKeys sees(source.header(), name.stack(), name.layer());
  const TokenRow row =
      rows.read(source, index, static_cast<std::int64_t>(sentence.tokens.size())).row(tokens, head);
  WordWeights result;
  result.words.assign(sentence.words.size(), analysis::kUnseen);
  for (std::size_t token = 0; token < sentence.tokens.size(); ++token) {
    const std::int64_t of = sentence.tokens[token].word;
    if (of < 0) {
      result.special += row.weights[token];
      continue;
    }
    const auto key = static_cast<std::int64_t>(token);
    if (std::ranges::any_of(tokens, [&](std::int64_t query) { return sees(query, key); })) {
      double& weight = result.words.at(static_cast<std::size_t>(of));
      weight = analysis::number_of_value(weight) + row.weights[token];
    }
  }
  return result;
}

std::optional<AttendedWord> strongest_word(const Sentence& sentence, std::span<const double> weights) {
  const auto best = std::max_element(weights.begin(), weights.end());
  if (best == weights.end() || !(*best > 0)) {
    return std::nullopt;
  }
  const auto at = static_cast<std::size_t>(best - weights.begin());
  return AttendedWord{static_cast<std::int64_t>(at + 1), sentence.words[at].text, *best};
}

}  // namespace mog::app
