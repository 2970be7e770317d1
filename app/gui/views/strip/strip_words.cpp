#include "app/gui/views/strip/strip_words.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "analysis/figure_data/builders.h"
#include "app/gui/views/common/gate_sums.h"

namespace mog::gui {
namespace {

// The mean gate of a group of tokens.
double gate_of(const GateSums& gates, std::span<const std::int64_t> tokens) {
  double sum = 0;
  for (const std::int64_t token : tokens) {
    sum += gates.sums[static_cast<std::size_t>(token)];
  }
  return sum / static_cast<double>(static_cast<std::int64_t>(tokens.size()) * gates.layers);
}

// Surprisal and rank of each token by the last states; empty: not recorded.
std::vector<float> of_tokens(const RecordingSource& source, std::int64_t index, Reduction reduction) {
  const QuantityName name(source.header().stack().stack, 0, Part::none, Quantity::next_token, reduction);
  return source.header().find(name) == nullptr ? std::vector<float>() : source.read(index, name).to_floats();
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
  const std::vector<float> surprisals =
      gates.sums.empty() ? of_tokens(source, index, Reduction::surprisal) : std::vector<float>();
  const std::vector<float> ranks =
      surprisals.empty() ? surprisals : of_tokens(source, index, Reduction::rank);
  if (!surprisals.empty()) {
    strip.guessed =
        std::log(static_cast<double>(std::max<std::int64_t>(source.header().model.vocabulary, 2)));
  }
  const std::vector<analysis::WordLabel> labels =
      analysis::token_labels(sentence, analysis::pieces_of(source.header()));
  for (std::vector<std::int64_t>& tokens :
       analysis::shown_tokens(sentence, {.special_tokens = pieces, .by_word = !pieces})) {
    StripWord word;
    const auto first = static_cast<std::size_t>(tokens.front());
    const std::int64_t of = sentence.tokens[first].word;
    word.special = of < 0;
    word.text = QString::fromStdString(
        pieces || word.special ? labels[first].text : sentence.words[static_cast<std::size_t>(of)].text);
    if (!gates.sums.empty() && !word.special) {
      word.gate = gate_of(gates, tokens);
    }
    if (!surprisals.empty()) {
      word.surprisal = 0;
      for (const std::int64_t token : tokens) {
        word.surprisal += static_cast<double>(surprisals.at(static_cast<std::size_t>(token)));
      }
    }
    if (first < ranks.size()) {
      word.rank = static_cast<double>(ranks[first]);
    }
    word.tokens = std::move(tokens);
    strip.words.push_back(std::move(word));
  }
  return strip;
}

}  // namespace mog::gui
