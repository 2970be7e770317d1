#include "app/gui/views/inspector/inspector_facts.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <set>

#include "analysis/figure_data/attention_overview.h"
#include "analysis/figure_data/map_sides.h"
#include "analysis/mog/grammar/from_recording.h"
#include "io/recording/errors.h"
#include "io/recording/seen_keys.h"

namespace mog::gui {
namespace {

constexpr std::int64_t kMostLeaves = 8;
constexpr double kSmallestWeight = 1e-6;
constexpr std::size_t kTopKeys = 5;
constexpr std::int64_t kRankedTokens = 2048;  // with more no place of a cell among all is told

std::size_t at(std::int64_t index) {
  return static_cast<std::size_t>(index);
}

class Reading {
 public:
  Reading(const InspectorQuestion& question, const std::stop_token& stop)
      : question_(question), stop_(stop) {}

  InspectorFacts all() {
    facts_.sentence = question_.source->sentence(question_.index);
    grammar();
    if (question_.compared) {
      changes();
    }
    if (question_.subject == Subject::sentence || question_.subject == Subject::word) {
      next();
    }
    const std::int64_t tokens = std::ssize(facts_.sentence.tokens);
    if (question_.token && *question_.token < tokens && question_.subject != Subject::join) {
      said(facts_.no_map, [this] { row(); });
      if (question_.subject == Subject::word) {
        gates();
      }
      if (question_.subject == Subject::cell && !question_.terms.isEmpty()) {
        said(facts_.no_terms, [this] { terms(); });
      }
    }
    return std::move(facts_);
  }

 private:
  // What a recording lacks is said, not thrown.
  template <class Work>
  void said(std::string& why, Work work) {
    if (stop_.stop_requested()) {
      throw Interrupted("stopped");
    }
    try {
      work();
    } catch (const UsageError& error) {
      why = error.what();
    }
  }

  void grammar() {
    facts_.word_of_token = analysis::grammar_words(facts_.sentence);
    for (std::size_t token = 0; token < facts_.word_of_token.size(); ++token) {
      if (facts_.word_of_token[token] == std::ssize(facts_.grammar_words)) {
        facts_.grammar_words.push_back(facts_.sentence.words[at(facts_.sentence.tokens[token].word)].text);
      }
    }
  }

  void changes() {
    said(facts_.no_changes, [this] {
      facts_.changes = analysis::run_changes({*question_.compared->before, question_.compared->before_index},
                                             {*question_.source, question_.index},
                                             {.heads = question_.compared->heads,
                                              .at_most = kMostChanges,
                                              .left_out = question_.compared->left_out});
    });
  }

  // Rows and columns as they are shown.
  analysis::AttentionMap map(Part part, std::int64_t head, const analysis::MapSide& rows,
                             const analysis::Stretch& queries) const {
    const analysis::AttentionMap all =
        analysis::attention_map(*question_.source, question_.index, question_.layer, part, head,
                                head > 0 ? std::span<const std::int64_t>() : question_.heads, queries);
    return {std::ssize(rows.tokens), std::ssize(side_.tokens), analysis::map_values(all, rows, side_)};
  }
  // Of one row, which alone is read.
  std::vector<double> weights(Part part, std::int64_t head, std::int64_t query) const {
    const std::vector<std::int64_t>& tokens = side_.tokens[at(query)];
    return map(part, head, {{side_.labels[at(query)]}, {tokens}}, {tokens.front() + 1, tokens.back() + 1})
        .values;
  }

  void row() {
    const std::vector<Part> parts = analysis::parts_of_layer(question_.source->header(), question_.layer);
    const Part part =
        std::find(parts.begin(), parts.end(), question_.part) != parts.end() ? question_.part : Part::none;
    side_ = analysis::map_side(facts_.sentence.tokens, analysis::pieces_of(question_.source->header()),
                               facts_.sentence.words, analysis::TokenOptions{.by_word = question_.by_word});
    facts_.shown = side_.tokens;
    const RecordingHeader& header = question_.source->header();
    seen_ = SeenKeys(header, header.stack().stack, question_.layer);
    for (const analysis::WordLabel& label : side_.labels) {
      facts_.shown_texts.push_back(label.text);
    }
    const std::int64_t query = place_of(side_.tokens, question_.token).value();
    const std::vector<double> row = weights(part, question_.head, query);
    for (std::int64_t key = 0; key < std::ssize(row); ++key) {
      if (!seen(query, key)) {
        continue;
      }
      if (is_special(key)) {
        facts_.special += row[at(key)];
      } else {
        facts_.keys.emplace_back(key, row[at(key)]);
      }
    }
    std::stable_sort(facts_.keys.begin(), facts_.keys.end(),
                     [](const auto& left, const auto& right) { return left.second > right.second; });
    facts_.keys.resize(std::min(facts_.keys.size(), kTopKeys));
    const auto place = place_of(side_.tokens, question_.key);
    if (!place) {
      return;
    }
    const std::int64_t key = *place;
    facts_.unseen = !seen(query, key);
    facts_.weight = row[at(key)];
    if (std::ssize(facts_.sentence.tokens) <= kRankedTokens) {
      place_of_cell(map(part, question_.head, side_, {}), query, key);
    }
    for (std::int64_t head = 1; head <= heads_of(part); ++head) {
      facts_.by_head.push_back(weights(part, head, query)[at(key)]);
    }
    for (const Part one : parts) {
      facts_.by_part.emplace_back(one, weights(one, 0, query)[at(key)]);
    }
  }

  bool is_special(std::int64_t shown) const { return side_.labels[at(shown)].special; }

  void place_of_cell(const analysis::AttentionMap& map, std::int64_t query, std::int64_t key) {
    if (is_special(query) || is_special(key) || facts_.unseen) {
      return;
    }
    facts_.rank = 1;
    for (std::int64_t row = 0; row < map.rows; ++row) {
      for (std::int64_t column = 0; column < map.columns; ++column) {
        if (!is_special(row) && !is_special(column)) {
          if (!seen(row, column)) {
            continue;
          }
          ++facts_.cells;
          facts_.rank += map.values[at(row * map.columns + column)] > *facts_.weight ? 1 : 0;
        }
      }
    }
  }

  // Whether a row of the map as it is shown may read a column at all.
  bool seen(std::int64_t row, std::int64_t column) const {
    return seen_.all() || std::ranges::any_of(side_.tokens[at(row)], [&](std::int64_t query) {
             return std::ranges::any_of(side_.tokens[at(column)],
                                        [&](std::int64_t key) { return seen_(query, key); });
           });
  }

  // Heads whose maps were recorded.
  std::int64_t heads_of(Part part) const {
    const RecordingHeader& header = question_.source->header();
    std::int64_t heads = 0;
    for (const QuantitySchema& schema : header.quantities) {
      if (schema.name.stack() == header.stack().stack && schema.name.layer() == question_.layer &&
          (part == Part::none || schema.name.part() == part) &&
          schema.name.quantity() == Quantity::attention && schema.name.reduction() == Reduction::full &&
          schema.axes.front() == Axis::head) {
        heads = schema.extents.front();
      }
    }
    return heads;
  }

  void gates() {
    std::string none;
    said(none, [this] {
      const auto groups = analysis::shown_tokens(facts_.sentence, {.by_word = true});
      const auto place = place_of(groups, question_.token);
      const analysis::FigureData figure =
          analysis::gate_figure(*question_.source, question_.index, {.by_word = true});
      const auto& heat = std::get<analysis::HeatMap>(figure.body);
      facts_.gates.assign(at(question_.source->header().stack().layers),
                          std::numeric_limits<double>::quiet_NaN());
      for (std::size_t row = 0; place && row < heat.rows.size(); ++row) {
        std::int64_t layer = 0;
        const std::string& label = heat.rows[row].text;
        std::from_chars(label.data(), label.data() + label.size(), layer);
        if (layer >= 1 && layer <= std::ssize(facts_.gates)) {
          facts_.gates[at(layer - 1)] = heat.value(static_cast<std::int64_t>(row), *place);
        }
      }
    });
  }

  // By the layer that is looked at, where its states tell, else by the last ones. A word has its last token.
  void next() {
    const RecordingHeader& header = question_.source->header();
    const std::vector<std::int64_t> layers = analysis::next_token_layers(header);
    const auto has = [&](std::int64_t layer) {
      return std::find(layers.begin(), layers.end(), layer) != layers.end();
    };
    const bool by_layer = question_.subject == Subject::word && has(question_.layer) &&
                          (question_.layer < header.stack().layers || !has(0));
    if (!by_layer && !has(0)) {
      return;
    }
    facts_.next_layer = by_layer ? question_.layer : 0;
    facts_.next = analysis::next_tokens(*question_.source, question_.index, *facts_.next_layer);
    said(facts_.no_names, [this] { names_of_next(); });
  }

  void names_of_next() {
    if (facts_.next.best.empty() || !question_.vocabulary.known()) {
      return;
    }
    const TokenName name = token_names(question_.vocabulary, question_.source->header());
    for (const auto& best : facts_.next.best) {
      std::vector<std::string>& names = facts_.next_names.emplace_back();
      for (const analysis::NextTokens::Best& one : best) {
        names.push_back(name(one.id));
      }
    }
  }

  void terms() {
    std::shared_ptr<const RecordingSource> from = question_.source;
    std::int64_t index = question_.index;
    if (question_.run) {
      facts_.values = question_.values != nullptr
                          ? question_.values
                          : values_of(*question_.run, *question_.source, question_.index, stop_);
      from = facts_.values;
      index = 0;
    }
    app::FigureRequest request{.kind = "token-bars"};
    request.set("quantity", question_.terms.toStdString())
        .set("token", *question_.token + 1)
        .set("key", *question_.key + 1)
        .set("head", question_.head)
        .set("sentence", from->number(index));
    const analysis::FigureData figure = app::make_figure(request, *from, stop_);
    const auto piece = [&](std::int64_t token) {
      return QStringLiteral("“%1”").arg(QString::fromStdString(analysis::shown_text(
          facts_.sentence.tokens[at(token)], analysis::pieces_of(question_.source->header()))));
    };
    const auto several = [&](std::int64_t token) {
      const auto place = place_of(side_.tokens, token);
      return place && side_.tokens[at(*place)].size() > 1;
    };
    if (several(*question_.token) || several(*question_.key)) {
      facts_.scores_of_pieces = piece(*question_.token) + QStringLiteral(", ") + piece(*question_.key);
    }
    // A bar a term, and one for their sum.
    for (const analysis::LineSeries& series : std::get<analysis::LinePlot>(figure.body).series) {
      if (!series.points.empty()) {
        facts_.terms.emplace_back(series.label, series.points.front().y);
      }
    }
  }

  const InspectorQuestion& question_;
  const std::stop_token& stop_;
  InspectorFacts facts_;
  analysis::MapSide side_;  // rows and columns of the map as it is shown
  SeenKeys seen_;
};

}  // namespace

QString InspectorFacts::textOf(std::int64_t token) const {
  const auto place = place_of(shown, token);
  return place ? QString::fromStdString(shown_texts[at(*place)]) : QString();
}

InspectorFacts inspect(const InspectorQuestion& question, const std::stop_token& stop) {
  return Reading(question, stop).all();
}

BestGraph best_graph(SentenceGraphs& graphs, std::int64_t token, std::int64_t layer) {
  const analysis::Goal goal = graphs.goal_of(token, layer);
  const SentenceGraphs::Answer answer = graphs.best_by_leaves(goal, kMostLeaves);
  BestGraph result;
  if (answer.derivations.empty()) {
    return result;
  }
  const auto chosen = std::max_element(answer.derivations.begin(), answer.derivations.end(),
                                       [](const auto& left, const auto& right) {
                                         const auto value = [](const analysis::Derivation& one) {
                                           return one.entry.weight < kSmallestWeight ? 0 : one.entry.leaves;
                                         };
                                         return value(left) < value(right);
                                       });
  result.weight = chosen->entry.weight;
  for (const analysis::DerivationNode& node : chosen->nodes) {
    if (node.is_leaf()) {
      result.words.push_back(node.word);
    } else {
      result.joins.push_back(
          {node.layer, node.part, graphs.token_of(node.word), graphs.token_of(node.target), node.weight});
    }
  }
  std::stable_sort(result.joins.begin(), result.joins.end(),
                   [](const auto& left, const auto& right) { return left.layer < right.layer; });
  return result;
}

std::int64_t token_of_word(const std::vector<std::int64_t>& word_of_token, std::int64_t word) {
  const auto found = std::find(word_of_token.begin(), word_of_token.end(), word);
  return word < 0 || found == word_of_token.end() ? -1 : found - word_of_token.begin();
}

}  // namespace mog::gui
