#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "analysis/figure_data/builders.h"
#include "analysis/figure_data/captions.h"
#include "analysis/figure_data/map_sides.h"
#include "analysis/statistics/table.h"
#include "io/recording/errors.h"

namespace mog::analysis {

Pieces pieces_of(const RecordingHeader& header) {
  return mog::pieces_of(header.model.tokenizer);
}

std::string shown_text(const Token& token, Pieces pieces) {
  const bool as_it_is = pieces == Pieces::none || pieces == Pieces::wordpiece;
  return as_it_is ? token.text : shown_bytes(piece_bytes(token.text, pieces));
}

std::vector<std::string> target_texts(const Sentence& sentence, Pieces pieces) {
  std::vector<std::string> texts;
  for (const Token& token : sentence.target_tokens) {
    if (token.word >= 0) {
      texts.resize(std::max(texts.size(), static_cast<std::size_t>(token.word) + 1));
      texts[static_cast<std::size_t>(token.word)] += piece_bytes(token.text, pieces);
    }
  }
  for (std::string& text : texts) {
    text = shown_bytes(text);
  }
  return texts;
}

std::vector<std::int64_t> text_numbers(std::span<const Token> tokens) {
  std::vector<std::int64_t> result;
  std::int64_t text = 0;
  bool between = true;
  for (const Token& token : tokens) {
    if (token.word >= 0 && between) {
      ++text;
    }
    between = token.word < 0;
    result.push_back(std::max<std::int64_t>(text, 1));
  }
  return result;
}

TokenRange token_range(const Stretch& stretch, std::int64_t tokens, std::string_view what) {
  if (stretch.all()) {
    return {0, tokens};
  }
  if (stretch.first < 1 || stretch.last < stretch.first || stretch.last > tokens) {
    throw UsageError(fmt::format("{} {} to {}: the text has {} tokens, counted from 1", what, stretch.first,
                                 stretch.last, tokens));
  }
  return {stretch.first - 1, stretch.last - stretch.first + 1};
}

Stretch whole_words(const Stretch& stretch, std::span<const Token> tokens) {
  const TokenRange range = token_range(stretch, std::ssize(tokens), "tokens");
  if (stretch.all() || tokens.empty()) {
    return stretch;
  }
  const auto joined = [&](std::int64_t left) {  // with the token behind it
    const std::int64_t word = tokens[static_cast<std::size_t>(left)].word;
    return word >= 0 && word == tokens[static_cast<std::size_t>(left + 1)].word;
  };
  std::int64_t first = range.first;
  std::int64_t last = range.first + range.count - 1;
  while (first > 0 && joined(first - 1)) {
    --first;
  }
  while (last + 1 < std::ssize(tokens) && joined(last)) {
    ++last;
  }
  return {first + 1, last + 1};
}

MapSide map_side(std::span<const Token> tokens, Pieces pieces, std::span<const Word> words,
                 TokenOptions options) {
  options.block = {};
  options.queries = {};
  options.keys = {};
  return map_side(tokens, pieces, words, options, false);
}

MapSide map_side(std::span<const Token> tokens, Pieces pieces, std::span<const Word> words,
                 const TokenOptions& options, bool keys) {
  const std::int64_t text = keys ? options.block.key : options.block.query;
  const std::string_view what = keys ? "keys" : "queries";
  const Stretch& asked = keys ? options.keys : options.queries;
  TokenRange range = token_range(asked, std::ssize(tokens), what);
  if (options.by_word) {
    range = token_range(whole_words(asked, tokens), std::ssize(tokens), what);
  }
  const std::vector<std::int64_t> texts = text_numbers(tokens);
  const std::int64_t there = texts.empty() ? 1 : texts.back();
  if (text < 0 || text > there) {
    throw UsageError(fmt::format(
        "a block of a pair: text {} was asked for, this sentence has {} (special tokens lie between texts)",
        text, there));
  }
  MapSide side;
  std::string spelled;  // the bytes of the last word
  for (auto i = static_cast<std::size_t>(range.first);
       i < static_cast<std::size_t>(range.first + range.count); ++i) {
    const Token& token = tokens[i];
    const bool special = token.word < 0;
    if ((special && !options.special_tokens) || (text > 0 && texts[i] != text)) {
      continue;
    }
    const bool goes_on = options.by_word && !special && !side.labels.empty() &&
                         side.labels.back().word == token.word && !side.labels.back().special;
    if (goes_on) {
      side.tokens.back().push_back(static_cast<std::int64_t>(i));
      if (words.empty()) {
        spelled += piece_bytes(token.text, pieces);
        side.labels.back().text = shown_bytes(spelled);
      }
      continue;
    }
    const bool whole = options.by_word && !special && token.word < static_cast<std::int64_t>(words.size());
    spelled = piece_bytes(token.text, pieces);
    side.labels.push_back(
        {whole ? words[static_cast<std::size_t>(token.word)].text : shown_text(token, pieces), special,
         token.word});
    side.tokens.push_back({static_cast<std::int64_t>(i)});
  }
  return side;
}

std::vector<Token> predicted_tokens(const Sentence& sentence) {
  std::vector<Token> tokens(sentence.target_tokens.begin() + 1, sentence.target_tokens.end());
  tokens.push_back({"</s>", 0, -1, {}});
  return tokens;
}

void leave_out_unseen(HeatMap& map, const SeenKeys& seen, std::span<const std::vector<std::int64_t>> rows,
                      std::span<const std::vector<std::int64_t>> columns) {
  if (seen.all()) {
    return;
  }
  for (std::size_t row = 0; row < rows.size(); ++row) {
    for (std::size_t column = 0; column < columns.size(); ++column) {
      const bool any = std::ranges::any_of(rows[row], [&](std::int64_t query) {
        return std::ranges::any_of(columns[column], [&](std::int64_t key) { return seen(query, key); });
      });
      if (!any) {
        map.values[row * map.columns.size() + column] = kUnseen;
      }
    }
  }
}

std::vector<double> map_values(const AttentionMap& map, const MapSide& rows, const MapSide& columns) {
  std::vector<double> values;
  values.reserve(rows.tokens.size() * columns.tokens.size());
  for (const std::vector<std::int64_t>& row : rows.tokens) {
    for (const std::vector<std::int64_t>& column : columns.tokens) {
      double sum = 0;
      for (const std::int64_t query : row) {
        for (const std::int64_t key : column) {
          sum += map.values[static_cast<std::size_t>((query - map.first_row) * map.columns + key -
                                                     map.first_column)];
        }
      }
      values.push_back(sum / static_cast<double>(row.size()));
    }
  }
  return values;
}

std::vector<std::vector<std::int64_t>> shown_tokens(const Sentence& sentence, const TokenOptions& options,
                                                    bool keys) {
  return map_side(sentence.tokens, Pieces::none, sentence.words, options, keys).tokens;
}

std::int64_t texts_of(const Sentence& sentence) {
  const auto texts = text_numbers(sentence.tokens);
  return texts.empty() ? 1 : texts.back();
}

FigureData narrowed_arcs(const FigureData& all, const ArcOptions& options) {
  FigureData figure = all;
  auto& body = std::get<ArcFigure>(figure.body);
  std::erase_if(body.arcs, [&](const Arc& arc) {
    return arc.weight < options.threshold || (options.from && arc.source != *options.from);
  });
  std::stable_sort(body.arcs.begin(), body.arcs.end(),
                   [](const Arc& a, const Arc& b) { return a.weight > b.weight; });
  const std::size_t found = body.arcs.size();
  body.arcs.resize(std::min(found, static_cast<std::size_t>(std::max<std::int64_t>(options.at_most, 0))));
  // The strongest comes first.
  body.weight_of_full_width = body.arcs.empty() ? 1 : body.arcs.front().weight;
  // "Attention of at least 0.01, layer 3, high": the threshold is now another one.
  constexpr std::string_view kAtLeast = " of at least ";
  const std::size_t cut = figure.title.find(kAtLeast);
  const std::size_t comma = figure.title.find(", ", cut);
  figure.title = figure.title.substr(0, cut) + std::string(kAtLeast) + shortest(options.threshold) +
                 (comma == std::string::npos ? std::string() : figure.title.substr(comma));
  if (options.from && *options.from < static_cast<std::int64_t>(body.words.size())) {
    figure.title += ", from " + body.words[static_cast<std::size_t>(*options.from)].text;
  }
  if (found > body.arcs.size()) {
    add_to_caption(figure, fmt::format("the strongest {} of {} arcs", body.arcs.size(), found));
  }
  return figure;
}

}  // namespace mog::analysis
