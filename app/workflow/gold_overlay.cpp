#include "app/workflow/gold_overlay.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "analysis/figure_data/builders.h"
#include "analysis/metrics/attachment.h"
#include "analysis/mog/arborescence.h"
#include "analysis/mog/from_recording.h"

namespace mog::app {
namespace {

using analysis::ArcFigure;
using analysis::Attachment;

std::size_t at(std::int64_t index) {
  return static_cast<std::size_t>(index);
}

std::string percent(std::int64_t part, std::int64_t whole) {
  return whole == 0 ? std::string("–")
                    : fmt::format("{:.0f} %", 100.0 * static_cast<double>(part) / static_cast<double>(whole));
}

// The gold word of each word of the figure: that of its first token which has one; -1: none.
std::vector<std::int64_t> gold_words(const FigureOptions& options, const Sentence& recorded,
                                     const Sentence& aligned) {
  std::vector<std::vector<std::int64_t>> groups;
  if (options.kind == "arcs") {  // words that have tokens, in their order
    std::vector<std::int64_t> place(recorded.words.size(), -1);
    for (std::size_t token = 0; token < recorded.tokens.size(); ++token) {
      const std::int64_t word = recorded.tokens[token].word;
      if (word >= 0) {
        if (place[at(word)] < 0) {
          place[at(word)] = static_cast<std::int64_t>(groups.size());
          groups.emplace_back();
        }
        groups[at(place[at(word)])].push_back(static_cast<std::int64_t>(token));
      }
    }
  } else {
    groups = analysis::shown_tokens(recorded,
                                    {.special_tokens = options.special_words, .by_word = options.by_word});
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
std::string map_scores(const FigureOptions& options, const RecordingSource& source, std::int64_t index,
                       const Sentence& aligned, const std::vector<std::int32_t>& heads) {
  const analysis::AttentionMap map = analysis::attention_map(source, index, options.layer, options.part,
                                                             options.head, options.statistics.grammar.heads);
  std::vector<std::int64_t> word_of_piece;
  for (const Token& token : aligned.tokens) {
    word_of_piece.push_back(token.word + 1);
  }
  const auto words = static_cast<std::int64_t>(heads.size());
  std::vector<double> dropped;
  const std::vector<double> of_words = analysis::merge_map(map.values, 1, word_of_piece, words, {}, dropped);
  std::string text;
  for (const bool key_is_head : {false, true}) {
    const Attachment found =
        analysis::attachment(heads, analysis::best_heads(analysis::attachment_weights(
                                        of_words, static_cast<std::int32_t>(words), key_is_head)));
    text += fmt::format("{}{} as heads UAS {}, either way {}", key_is_head ? "; " : "",
                        key_is_head ? "keys" : "queries", percent(found.heads, found.words),
                        percent(found.pairs, found.edges));
  }
  return fmt::format("best tree of this map, {} words: {}", words, text);
}

// Which of the joins are gold arcs.
std::string join_scores(const ArcFigure& figure, const std::vector<std::int64_t>& gold_of,
                        const std::vector<std::int32_t>& heads) {
  std::int64_t directed = 0;
  std::int64_t either = 0;
  for (const analysis::Arc& arc : figure.arcs) {
    const std::int64_t owner = gold_of[at(arc.source)];
    const std::int64_t joined = gold_of[at(arc.target)];
    if (owner < 0 || joined < 0) {
      continue;
    }
    const bool head = heads[at(joined)] == owner + 1;
    directed += head ? 1 : 0;
    either += head || heads[at(owner)] == joined + 1 ? 1 : 0;
  }
  const auto joins = static_cast<std::int64_t>(figure.arcs.size());
  return fmt::format("{} join{}: {} from the gold head, {} gold either way", joins, joins == 1 ? "" : "s",
                     directed, either);
}

}  // namespace

bool takes_gold(std::string_view kind) {
  return kind == "attention-arcs" || kind == "arcs";
}

bool add_gold(analysis::FigureData& figure, const FigureOptions& options, const RecordingSource& source,
              std::int64_t index, const TreebankWords& gold, std::string& why) {
  const Sentence recorded = source.sentence(index);
  Sentence aligned = recorded;
  const io::TreebankSentence* const tree = gold.find(aligned, why);
  if (tree == nullptr) {
    return false;
  }
  auto& arcs = std::get<ArcFigure>(figure.body);
  const std::vector<std::int64_t> gold_of = gold_words(options, recorded, aligned);
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
  arcs.gold_text = options.kind == "arcs" ? join_scores(arcs, gold_of, heads)
                                          : map_scores(options, source, index, aligned, heads);
  figure.caption += fmt::format("; gold syntax: {}", arcs.gold_text);
  return true;
}

}  // namespace mog::app
