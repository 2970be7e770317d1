#include "app/workflow/effects/faithfulness_readout.h"

#include <algorithm>
#include <cmath>

namespace mog::app {
namespace {

double dot(const std::vector<double>& x, const std::vector<double>& y) {
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    sum += x[i] * y[i];
  }
  return sum;
}

std::size_t best_of(const std::vector<double>& values) {
  return static_cast<std::size_t>(std::max_element(values.begin(), values.end()) - values.begin());
}

void softmax(std::vector<double>& values) {
  const double most = *std::max_element(values.begin(), values.end());
  double sum = 0;
  for (double& value : values) {
    value = std::exp(value - most);
    sum += value;
  }
  for (double& value : values) {
    value /= sum;
  }
}

// p_best's slope by the scores.
std::vector<double> tag_slope(const std::vector<double>& probabilities, std::size_t best) {
  std::vector<double> slope(probabilities.size());
  for (std::size_t i = 0; i < slope.size(); ++i) {
    slope[i] = probabilities[best] * ((i == best ? 1.0 : 0.0) - probabilities[i]);
  }
  return slope;
}

}  // namespace

std::optional<Readout> Readout::of(const FaithfulnessOptions& options, const Sentence& sentence) {
  Readout readout;
  readout.target_ = options.target;
  const auto words = static_cast<std::int64_t>(sentence.words.size());
  std::int64_t word = -1;
  if (options.target.kind != FaithTarget::Kind::pooled) {
    word = options.target.word > 0 ? options.target.word - 1 : words + options.target.word;
    if (word < 0 || word >= words) {
      return std::nullopt;
    }
  }
  const std::size_t count = sentence.tokens.size();
  readout.shrinks_ = word < 0 && (options.erasure == Erasure::mask || options.erasure == Erasure::remove);
  readout.weights_.assign(count, word < 0 ? 1.0 / static_cast<double>(count) : 0.0);
  std::vector<std::size_t> own;
  for (std::size_t token = 0; token < count; ++token) {
    const std::int64_t at = sentence.tokens[token].word;
    if (word >= 0 && at == word) {
      own.push_back(token);
      continue;
    }
    if (at < 0 && options.special == SpecialTokens::keep) {
      continue;
    }
    const bool joined = options.unit == ErasedUnit::word && at >= 0 && token > 0 &&
                        sentence.tokens[token - 1].word == at && !readout.units_.empty();
    if (joined) {
      readout.units_.back().push_back(static_cast<std::int64_t>(token));
    } else {
      readout.units_.push_back({static_cast<std::int64_t>(token)});
    }
  }
  if (word >= 0) {
    if (own.empty()) {
      return std::nullopt;  // all its characters are unknown to the tokenizer
    }
    if (readout.tag()) {
      own.resize(1);
    }
    for (const std::size_t token : own) {
      readout.weights_[token] = 1.0 / static_cast<double>(own.size());
    }
  }
  return readout;
}

QuantityName Readout::quantity(const model::Model& model) const {
  return tag() ? QuantityName::tag_scores(target_.task)
               : QuantityName(model.system().main().stack, 0, Part::none, Quantity::output);
}

std::vector<double> Readout::read(std::span<const double> values, std::span<const std::int64_t> tokens,
                                  const ErasedTokens& erased) const {
  const std::size_t width = values.size() / tokens.size();
  std::vector<double> result(width, 0.0);
  double total = 0;
  for (std::size_t row = 0; row < tokens.size(); ++row) {
    const auto token = static_cast<std::size_t>(tokens[row]);
    const double weight = shrinks_ && erased[token] ? 0.0 : weights_[token];
    total += weight;
    for (std::size_t d = 0; weight > 0 && d < width; ++d) {
      result[d] += weight * values[row * width + d];
    }
  }
  for (double& value : result) {
    value /= total;
  }
  if (tag()) {
    softmax(result);
  }
  return result;
}

double Readout::effect(const std::vector<double>& before, const std::vector<double>& after) const {
  if (tag()) {
    const std::size_t best = best_of(before);
    return before[best] - after[best];
  }
  const double square = dot(before, before) * dot(after, after);
  return square > 0 ? 1.0 - dot(before, after) / std::sqrt(square) : 1.0;
}

std::vector<double> Readout::slope(const std::vector<double>& before, const std::vector<double>& at) const {
  if (tag()) {
    return tag_slope(at, best_of(before));
  }
  const double own = dot(at, at);
  const double length = std::sqrt(own * dot(before, before));
  const double along = dot(before, at);
  std::vector<double> slope(at.size(), 0.0);
  for (std::size_t i = 0; length > 0 && i < slope.size(); ++i) {
    slope[i] = before[i] / length - along / length * at[i] / own;
  }
  return slope;
}

std::vector<double> Readout::own_slope(const std::vector<double>& before) const {
  if (tag()) {
    return tag_slope(before, best_of(before));
  }
  const double length = std::sqrt(dot(before, before));
  std::vector<double> slope = before;
  for (double& value : slope) {
    value = length > 0 ? value / length : 0.0;
  }
  return slope;
}

}  // namespace mog::app
