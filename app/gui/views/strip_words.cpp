#include "app/gui/views/strip_words.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "analysis/figure_data/builders.h"
#include "app/gui/views/gate_sums.h"
#include "io/recording/errors.h"

namespace mog::gui {
namespace {
constexpr std::int64_t kBlock = 16;   // sentences read at once
constexpr std::int64_t kBlocks = 32;  // of a long recording

// The mean gate of each group of tokens of a sentence whose first token is at `at`.
double gate_of(const GateSums& gates, std::size_t at, std::span<const std::int64_t> tokens) {
  double sum = 0;
  for (const std::int64_t token : tokens) {
    sum += gates.sums[at + static_cast<std::size_t>(token)];
  }
  return sum / static_cast<double>(static_cast<std::int64_t>(tokens.size()) * gates.layers);
}

double quantile(std::vector<double>& values, double at) {
  const auto place = static_cast<std::ptrdiff_t>(at * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + place, values.end());
  return values[static_cast<std::size_t>(place)];
}

}  // namespace

int StripSentence::wordOf(std::optional<std::int64_t> token) const {
  for (std::size_t word = 0; token && word < words.size(); ++word) {
    if (std::find(words[word].tokens.begin(), words[word].tokens.end(), *token) != words[word].tokens.end()) {
      return static_cast<int>(word);
    }
  }
  return -1;
}

StripSentence read_strip_sentence(const RecordingSource& source, std::int64_t index, bool pieces) {
  const Sentence sentence = source.sentence(index);
  const GateSums gates = gate_sums(source, index, 1, static_cast<std::int64_t>(sentence.tokens.size()));
  StripSentence strip;
  strip.text = QString::fromStdString(sentence.text);
  strip.first_layer = gates.first_layer;
  strip.last_layer = gates.last_layer;
  const std::vector<analysis::WordLabel> labels = analysis::token_labels(sentence);
  for (std::vector<std::int64_t>& tokens :
       analysis::shown_tokens(sentence, {.special_tokens = pieces, .by_word = !pieces})) {
    StripWord word;
    const auto first = static_cast<std::size_t>(tokens.front());
    const std::int64_t of = sentence.tokens[first].word;
    word.special = of < 0;
    word.text = QString::fromStdString(
        pieces || word.special ? labels[first].text : sentence.words[static_cast<std::size_t>(of)].text);
    if (!gates.sums.empty() && !word.special) {
      word.gate = gate_of(gates, 0, tokens);
    }
    word.tokens = std::move(tokens);
    strip.words.push_back(std::move(word));
  }
  return strip;
}

std::optional<GateMiddle> read_gate_middle(const RecordingSource& source, const std::stop_token& stop) {
  const std::int64_t size = source.size();
  GateMiddle middle;
  middle.of = size;
  std::vector<double> values;
  const std::int64_t step = std::max(kBlock, size / kBlocks);
  for (std::int64_t first = 0; first < size; first += step) {
    if (stop.stop_requested()) {
      throw Interrupted("reading gates");
    }
    const std::int64_t count = std::min(kBlock, size - first);
    std::vector<Sentence> sentences;
    std::int64_t tokens = 0;
    for (std::int64_t index = first; index < first + count; ++index) {
      sentences.push_back(source.sentence(index));
      tokens += static_cast<std::int64_t>(sentences.back().tokens.size());
    }
    const GateSums gates = gate_sums(source, first, count, tokens);
    if (gates.sums.empty()) {
      return std::nullopt;
    }
    std::size_t at = 0;
    for (const Sentence& sentence : sentences) {
      for (const auto& word : analysis::shown_tokens(sentence, {.special_tokens = false, .by_word = true})) {
        values.push_back(gate_of(gates, at, word));
      }
      at += sentence.tokens.size();
    }
    middle.sentences += count;
  }
  if (values.empty()) {
    return std::nullopt;
  }
  middle.median = quantile(values, 0.5);
  for (double& value : values) {
    value = std::abs(value - middle.median);
  }
  middle.reach = quantile(values, 0.9);
  return middle;
}

}  // namespace mog::gui
