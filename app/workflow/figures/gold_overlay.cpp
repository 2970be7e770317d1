#include "app/workflow/figures/gold_overlay.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "analysis/figure_data/builders.h"
#include "analysis/figure_data/captions.h"
#include "analysis/metrics/attachment.h"
#include "analysis/mog/dependencies/arborescence.h"
#include "analysis/mog/grammar/from_recording.h"

namespace mog::app {
namespace {

using analysis::ArcFigure;
using analysis::Attachment;

std::size_t at(std::int64_t index) {
  return static_cast<std::size_t>(index);
}

// "33 % (2 of 6 words)": two shares of one sentence have other wholes.
std::string share(std::int64_t part, std::int64_t whole, std::string_view of) {
  return whole == 0 ? std::string("–")
                    : fmt::format("{} % ({} of {} {}{})",
                                  std::lround(100.0 * static_cast<double>(part) / static_cast<double>(whole)),
                                  part, whole, of, whole == 1 ? "" : "s");
}

std::string tree_text(const Attachment& found, std::string_view heads) {
  return fmt::format("{} as heads UAS {}, either way {}", heads, share(found.heads, found.words, "word"),
                     share(found.pairs, found.edges, "edge"));
}

// The gold word of each word of the figure: that of its first token which has one; -1: none.
std::vector<std::int64_t> gold_words(const MapShown* shown, const Sentence& recorded,
                                     const Sentence& aligned) {
  std::vector<std::vector<std::int64_t>> groups;
  if (shown == nullptr) {  // of joins: the words of the grammar
    const std::vector<std::int64_t> word_of_token = analysis::grammar_words(recorded);
    for (std::size_t token = 0; token < word_of_token.size(); ++token) {
      if (const std::int64_t word = word_of_token[token]; word >= 0) {
        groups.resize(std::max(groups.size(), at(word) + 1));
        groups[at(word)].push_back(static_cast<std::int64_t>(token));
      }
    }
  } else {
    groups = analysis::shown_tokens(
        recorded, {.special_tokens = shown->tokens.special_tokens, .by_word = shown->tokens.by_word});
  }
  std::vector<std::int64_t> result;
  for (const std::vector<std::int64_t>& tokens : groups) {
    const auto own = std::find_if(tokens.begin(), tokens.end(),
                                  [&](std::int64_t token) { return aligned.tokens[at(token)].word >= 0; });
    result.push_back(own == tokens.end() ? -1 : aligned.tokens[at(*own)].word);
  }
  return result;
}

// Best trees over the shown map, as `mog syntax` makes them.
GoldFit fit_of_map(const MapShown& shown, const RecordingSource& source, std::int64_t index,
                   const Sentence& aligned, const std::vector<std::int32_t>& heads) {
  const analysis::AttentionMap map =
      analysis::attention_map(source, index, shown.layer, shown.part, shown.head, shown.tokens.heads);
  std::vector<std::int64_t> word_of_piece;
  for (const Token& token : aligned.tokens) {
    word_of_piece.push_back(token.word + 1);
  }
  const auto words = static_cast<std::int64_t>(heads.size());
  std::vector<double> dropped;
  const std::vector<double> of_words = analysis::merge_map(map.values, 1, word_of_piece, words, {}, dropped);
  const auto best_tree = [&](bool key_is_head) {
    return analysis::attachment(heads, analysis::best_heads(analysis::attachment_weights(
                                           of_words, static_cast<std::int32_t>(words), key_is_head)));
  };
  GoldFit fit;
  fit.queries = best_tree(false);
  fit.keys = best_tree(true);
  return fit;
}

// Which of the joins are gold arcs.
GoldFit fit_of_joins(const ArcFigure& figure, const std::vector<std::int64_t>& gold_of,
                     const std::vector<std::int32_t>& heads) {
  GoldFit fit;
  fit.of_joins = true;
  fit.joins = static_cast<std::int64_t>(figure.arcs.size());
  for (const analysis::Arc& arc : figure.arcs) {
    const std::int64_t owner = gold_of[at(arc.source)];
    const std::int64_t joined = gold_of[at(arc.target)];
    if (owner < 0 || joined < 0) {
      continue;
    }
    const bool head = heads[at(joined)] == owner + 1;
    fit.directed += head ? 1 : 0;
    fit.either += head || heads[at(owner)] == joined + 1 ? 1 : 0;
  }
  return fit;
}

}  // namespace

std::string fit_text(const GoldFit& fit) {
  return fit.of_joins ? fmt::format("{} join{}: {} from the gold head, {} gold either way", fit.joins,
                                    fit.joins == 1 ? "" : "s", fit.directed, fit.either)
                      : fmt::format("best tree of this map: {}; {}", tree_text(fit.queries, "queries"),
                                    tree_text(fit.keys, "keys"));
}

namespace {

std::optional<GoldFit> add_gold(analysis::FigureData& figure, const MapShown* shown,
                                const RecordingSource& source, std::int64_t index, const TreebankWords& gold,
                                std::string& why) {
  const Sentence recorded = source.sentence(index);
  Sentence aligned = recorded;
  const io::TreebankSentence* const tree = gold.find(aligned, why);
  if (tree == nullptr) {
    return std::nullopt;
  }
  auto& arcs = std::get<ArcFigure>(figure.body);
  const std::vector<std::int64_t> gold_of = gold_words(shown, recorded, aligned);
  const auto column_of = [&](std::int64_t word) {
    const auto found = std::find(gold_of.begin(), gold_of.end(), word);
    return found == gold_of.end() ? std::int64_t{-1} : found - gold_of.begin();
  };
  std::vector<std::int32_t> heads;
  for (std::size_t word = 0; word < tree->words.size(); ++word) {
    const io::TreebankWord& row = tree->words[word];
    heads.push_back(static_cast<std::int32_t>(row.head));
    const std::int64_t dependent = column_of(static_cast<std::int64_t>(word));
    const std::int64_t head = row.head == 0 ? -1 : column_of(row.head - 1);
    // Words that one piece of the figure covers have no arc between them.
    if (dependent >= 0 && (row.head == 0 || head >= 0) && head != dependent) {
      arcs.gold.push_back({head, dependent, row.deprel});
    }
  }
  const GoldFit fit = shown == nullptr ? fit_of_joins(arcs, gold_of, heads)
                                       : fit_of_map(*shown, source, index, aligned, heads);
  arcs.gold_text = fit_text(fit);
  analysis::add_to_caption(figure, fmt::format("gold syntax: {}", arcs.gold_text));
  return fit;
}

}  // namespace

std::optional<GoldFit> add_gold_of_map(analysis::FigureData& figure, const MapShown& shown,
                                       const RecordingSource& source, std::int64_t index,
                                       const TreebankWords& gold, std::string& why) {
  return add_gold(figure, &shown, source, index, gold, why);
}

std::optional<GoldFit> add_gold_of_joins(analysis::FigureData& figure, const RecordingSource& source,
                                         std::int64_t index, const TreebankWords& gold, std::string& why) {
  return add_gold(figure, nullptr, source, index, gold, why);
}

}  // namespace mog::app
