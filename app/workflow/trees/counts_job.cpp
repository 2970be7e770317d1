#include "app/workflow/trees/counts_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "analysis/mog/expressions/expression_parser.h"
#include "analysis/mog/orders/generation_counts.h"
#include "analysis/mog/orders/order_bands.h"
#include "app/workflow/common/text_format.h"
#include "io/recording/errors.h"
#include "io/recording/nearest_name.h"

namespace mog::app {
namespace {

using analysis::Cell;
using analysis::Table;

constexpr std::array<CountsKind, 7> kKinds = {{
    {"bands", "the orders that each part of a layer can make, exact and as printed in the paper"},
    {"generation", "subgraphs of each order that plain and Graph-Transformer make and hold, by layer"},
    {"multiplicity", "how often one expression is made (--expression)"},
    {"orders", "different derivations of each order: over all words, of one owner, with free anchors"},
    {"overlaps", "expressions of one word, overlaps and self pairs counted, by layer"},
    {"recurrent", "expressions of a recurrent encoder by step, layer and order"},
    {"derivations", "rules and derivations of the attention grammars"},
}};

void need_positive(std::string_view what, std::int64_t value) {
  if (value < 1) {
    throw UsageError(fmt::format("counts: {} is {}; it must be at least 1", what, value));
  }
}

// The orders asked for.
std::pair<std::int64_t, std::int64_t> orders_of(const CountsOptions& options) {
  if (options.order == 0) {
    return {1, options.words};
  }
  if (options.order < 1 || options.order > options.words) {
    throw UsageError(fmt::format("counts: --order {} of {} words; expected 1 to {}", options.order,
                                 options.words, options.words));
  }
  return {options.order, options.order};
}

Table bands(const CountsOptions& options) {
  Table table;
  table.columns = {"layer", "part", "exact_low", "exact_high", "nominal_low", "nominal_high"};
  for (std::int64_t layer = 1; layer <= options.layers; ++layer) {
    for (const auto& [group, label] :
         {std::pair(OrderGroup::high, "high"), std::pair(OrderGroup::middle, "middle"),
          std::pair(OrderGroup::low, "low")}) {
      const auto exact = order_band(layer, group, analysis::BandKind::exact);
      const auto nominal = order_band(layer, group, analysis::BandKind::nominal);
      const auto cell = [](const auto& band, auto member) { return band ? Cell((*band).*member) : Cell(); };
      using Band = analysis::OrderBand;
      table.add({layer, std::string(label), cell(exact, &Band::low), cell(exact, &Band::high),
                 cell(nominal, &Band::low), cell(nominal, &Band::high)});
    }
  }
  return table;
}

Table generation(const CountsOptions& options) {
  Table table;
  table.columns = {"words",     "order",      "layer",          "distinct",          "plain_held",
                   "plain_new", "graph_held", "graph_new_high", "graph_new_middle1", "graph_new_middle2"};
  const auto [first, last] = orders_of(options);
  for (std::int64_t order = first; order <= last; ++order) {
    const std::string distinct = analysis::distinct_derivations(options.words, order);
    for (const auto& row : analysis::generation_counts(options.words, order, options.layers)) {
      table.add({options.words, order, row.layer, distinct, row.plain_held, row.plain_new, row.graph_held,
                 row.graph_high, row.graph_middle1, row.graph_middle2});
    }
  }
  return table;
}

Table multiplicity(const CountsOptions& options) {
  if (options.expression.empty()) {
    throw UsageError("counts multiplicity: give --expression, for example '(a)->a U (b)->b'");
  }
  const analysis::ParsedExpression parsed = analysis::parse_expression(options.expression);
  Table table;
  table.columns = {"expression",         "depth",        "layer",
                   "plain_multiplicity", "plain_events", "graph_multiplicity"};
  const std::string text = parsed.text(false);
  for (const auto& row : analysis::multiplicities(parsed.expression, options.layers)) {
    table.add({text, static_cast<std::int64_t>(parsed.expression.depth()), row.layer, row.plain_multiplicity,
               row.plain_events, row.graph_multiplicity});
  }
  return table;
}

Table orders(const CountsOptions& options) {
  Table table;
  table.columns = {"words", "order", "distinct", "of_one_owner_and_node_set", "free_anchors_of_one_node_set"};
  const auto [first, last] = orders_of(options);
  for (std::int64_t order = first; order <= last; ++order) {
    table.add({options.words, order, analysis::distinct_derivations(options.words, order),
               analysis::owned_derivations(order), analysis::free_anchor_derivations(order)});
  }
  return table;
}

Table overlaps(const CountsOptions& options) {
  Table table;
  table.columns = {"words", "layer", "plain", "graph"};
  for (const auto& row : analysis::overlap_counts(options.words, options.layers)) {
    table.add({options.words, row.layer, row.plain, row.graph});
  }
  return table;
}

Table recurrent(const CountsOptions& options) {
  Table table;
  table.columns = {"step", "layer", "order", "count"};
  for (std::int64_t step = 1; step <= options.words; ++step) {
    for (std::int64_t order = 1; order <= step; ++order) {
      if (options.order == 0 || options.order == order) {
        table.add({step, std::int64_t{1}, order, analysis::recurrent_of_order(step, order)});
      }
    }
    for (std::int64_t layer = 1; layer <= options.layers && options.order == 0; ++layer) {
      table.add({step, layer, Cell(), analysis::recurrent_total(step, layer)});
    }
  }
  return table;
}

Table derivations(const CountsOptions& options) {
  Table table;
  table.columns = {"kind", "words", "layers", "rules", "derivations_of_last_word"};
  for (const auto kind : {analysis::GrammarKind::order_groups, analysis::GrammarKind::attention,
                          analysis::GrammarKind::recurrence}) {
    for (std::int64_t layers = 1; layers <= options.layers; ++layers) {
      const analysis::GrammarSize size = analysis::grammar_size(kind, options.words, layers);
      table.add({std::string(analysis::name(kind)), options.words, layers, size.rules, size.derivations});
    }
  }
  return table;
}

}  // namespace

std::span<const CountsKind> counts_kinds() {
  return kKinds;
}

void check_counts_kind(std::string_view kind) {
  if (std::none_of(kKinds.begin(), kKinds.end(), [&](const auto& known) { return known.name == kind; })) {
    std::vector<std::string> all;
    all.reserve(kKinds.size());
    for (const CountsKind& known : kKinds) {
      all.emplace_back(known.name);
    }
    throw UsageError(fmt::format("counts {}: there is no such table; there are {}{}", kind, joined(all, ", "),
                                 did_you_mean(kind, all)));
  }
}

Table counts_table(const CountsOptions& options) {
  using Maker = Table (*)(const CountsOptions&);
  constexpr std::array<Maker, 7> kMakers = {bands,    generation, multiplicity, orders,
                                            overlaps, recurrent,  derivations};
  need_positive("--words", options.words);
  need_positive("--layers", options.layers);
  const auto found =
      std::find_if(kKinds.begin(), kKinds.end(), [&](const auto& kind) { return kind.name == options.kind; });
  check_counts_kind(options.kind);
  return kMakers[static_cast<std::size_t>(found - kKinds.begin())](options);
}

}  // namespace mog::app
