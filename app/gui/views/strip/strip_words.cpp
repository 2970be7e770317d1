#include "app/gui/views/strip/strip_words.h"

#include <algorithm>
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
    word.tokens = std::move(tokens);
    strip.words.push_back(std::move(word));
  }
  return strip;
}

}  // namespace mog::gui
