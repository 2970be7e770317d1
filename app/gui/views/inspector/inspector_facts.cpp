#include "app/gui/views/inspector/inspector_facts.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <set>

#include "analysis/figure_data/attention_overview.h"
#include "analysis/mog/grammar/from_recording.h"
#include "io/recording/errors.h"

namespace mog::gui {
namespace {

constexpr std::int64_t kMostLeaves = 8;
constexpr double kSmallestWeight = 1e-6;
constexpr std::size_t kTopKeys = 5;

std::size_t at(std::int64_t index) {
  return static_cast<std::size_t>(index);
}

bool special(const Sentence& sentence, std::int64_t token) {
  return sentence.tokens[at(token)].word < 0;
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

  analysis::AttentionMap map(Part part, std::int64_t head) const {
    return analysis::attention_map(*question_.source, question_.index, question_.layer, part, head,
                                   head > 0 ? std::span<const std::int64_t>() : question_.heads);
  }

  void row() {
    const std::vector<Part> parts = analysis::parts_of_layer(question_.source->header(), question_.layer);
    const Part part =
        std::find(parts.begin(), parts.end(), question_.part) != parts.end() ? question_.part : Part::none;
    const analysis::AttentionMap whole = map(part, question_.head);
    const std::int64_t query = *question_.token;
    const auto weight = [&](const analysis::AttentionMap& of, std::int64_t key) {
      return of.values[at(query * of.columns + key)];
    };
    for (std::int64_t key = 0; key < whole.columns; ++key) {
      if (special(facts_.sentence, key)) {
        facts_.special += weight(whole, key);
      } else {
        facts_.keys.emplace_back(key, weight(whole, key));
      }
    }
    std::stable_sort(facts_.keys.begin(), facts_.keys.end(),
                     [](const auto& left, const auto& right) { return left.second > right.second; });
    facts_.keys.resize(std::min(facts_.keys.size(), kTopKeys));
    if (!question_.key || *question_.key >= whole.columns) {
      return;
    }
    const std::int64_t key = *question_.key;
    facts_.weight = weight(whole, key);
    place_of_cell(whole, query, key);
    for (std::int64_t head = 1; head <= heads_of(part); ++head) {
      facts_.by_head.push_back(weight(map(part, head), key));
    }
    for (const Part one : parts) {
      facts_.by_part.emplace_back(one, weight(map(one, 0), key));
    }
  }

  void place_of_cell(const analysis::AttentionMap& map, std::int64_t query, std::int64_t key) {
    if (special(facts_.sentence, query) || special(facts_.sentence, key)) {
      return;
    }
    facts_.rank = 1;
    for (std::int64_t row = 0; row < map.rows; ++row) {
      for (std::int64_t column = 0; column < map.columns; ++column) {
        if (!special(facts_.sentence, row) && !special(facts_.sentence, column)) {
          ++facts_.cells;
          facts_.rank += map.values[at(row * map.columns + column)] > *facts_.weight ? 1 : 0;
        }
      }
    }
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
    // A bar for each term, the last for their sum.
    for (const analysis::LineSeries& bar : std::get<analysis::LinePlot>(figure.body).series) {
      facts_.terms.emplace_back(bar.label, bar.points.front().y);
    }
  }

  const InspectorQuestion& question_;
  const std::stop_token& stop_;
  InspectorFacts facts_;
};

}  // namespace

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
