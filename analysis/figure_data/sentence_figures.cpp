// What the figures of one sentence have in common: its tokens and words as labels, its caption.
#include <fmt/format.h>

#include "analysis/figure_data/builders.h"
#include "analysis/figure_data/map_sides.h"
#include "analysis/figure_data/sentence_figures.h"
#include "io/recording/counted.h"
#include "io/recording/errors.h"

namespace mog::analysis {
namespace {

std::vector<WordLabel> labels_of(std::span<const Token> tokens, Pieces pieces) {
  std::vector<WordLabel> result;
  for (const Token& token : tokens) {
    result.push_back({shown_text(token, pieces), token.word < 0, token.word});
  }
  return result;
}

}  // namespace

void check_index(const RecordingSource& source, std::int64_t index) {
  if (index < 0 || index >= source.size()) {
    throw UsageError(fmt::format("a figure of sentence {}: the recording holds {}, counted from 1", index + 1,
                                 counted(source.size(), "sentence")));
  }
}

std::vector<std::size_t> kept(std::span<const Token> tokens, bool special_tokens) {
  std::vector<std::size_t> result;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (special_tokens || tokens[i].word >= 0) {
      result.push_back(i);
    }
  }
  return result;
}

std::string sentence_caption(const RecordingSource& source, const Sentence& sentence,
                             const std::string& level) {
  return caption(source.header().model, source.header().provenance.corpus_name,
                 fmt::format("sentence {}", sentence.number), level);
}

std::vector<WordLabel> token_labels(const Sentence& sentence, Pieces pieces, const TokenOptions& options) {
  const auto all = labels_of(sentence.tokens, pieces);
  std::vector<WordLabel> result;
  for (const std::size_t index : kept(sentence.tokens, options.special_tokens)) {
    result.push_back(all[index]);
  }
  return result;
}

}  // namespace mog::analysis
