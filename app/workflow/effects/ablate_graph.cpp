// Cuts of the terms of attention that reads a graph.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "app/workflow/common/text_format.h"
#include "app/workflow/effects/ablate_cuts.h"
#include "io/recording/errors.h"
#include "io/recording/nearest_name.h"

namespace mog::app {
namespace {

constexpr std::array kTerms = {model::GraphTerm::content, model::GraphTerm::relation_key,
                               model::GraphTerm::relation_query, model::GraphTerm::relation_value};

GraphTermSet parse_set(std::string_view text) {
  GraphTermSet set;
  while (true) {
    const auto plus = text.find('+');
    const std::string_view piece = text.substr(0, plus);
    const std::optional<model::GraphTerm> term = model::find_graph_term(piece);
    if (!term) {
      std::vector<std::string> allowed(kTerms.size());
      std::transform(kTerms.begin(), kTerms.end(), allowed.begin(),
                     [](model::GraphTerm known) { return std::string(model::name(known)); });
      allowed.insert(allowed.end(), {"graph", "all"});
      throw UsageError(fmt::format(
          "--graph-terms: \"{}\" is no term; allowed are {} (graph: all of relations together, all: each "
          "term by itself), several together with + between, commas between{}",
          piece, joined(allowed, ", "), did_you_mean(piece, allowed)));
    }
    set.insert(*term);
    if (plus == std::string_view::npos) {
      return set;
    }
    text.remove_prefix(plus + 1);
  }
}

// Of a model that reads a graph: whether relations meet the key, too.
bool has_query_term(const model::ModelConfig& config) {
  return config.encoder.graph_input->form == model::RelationForm::three_term;
}

}  // namespace

std::string text(const GraphTermSet& terms) {
  std::string result;
  for (const model::GraphTerm term : terms) {
    result += (result.empty() ? "" : "+") + std::string(model::name(term));
  }
  return result;
}

std::vector<GraphTermChoice> parse_graph_terms(std::string_view text) {
  std::vector<GraphTermChoice> choices;
  while (true) {
    const auto comma = text.find(',');
    const std::string_view piece = text.substr(0, comma);
    if (piece == "all") {
      for (const model::GraphTerm term : kTerms) {
        choices.push_back({{term}, true});
      }
    } else if (piece == "graph") {
      choices.push_back({{kTerms.begin() + 1, kTerms.end()}, true});
    } else {
      choices.push_back({parse_set(piece), false});
    }
    if (comma == std::string_view::npos) {
      break;
    }
    text.remove_prefix(comma + 1);
  }
  std::vector<GraphTermChoice> once;
  for (GraphTermChoice& choice : choices) {
    const auto same = [&](const GraphTermChoice& other) { return other.terms == choice.terms; };
    if (std::none_of(once.begin(), once.end(), same)) {
      once.push_back(std::move(choice));
    }
  }
  return once;
}

std::string why_no_graph_terms(const model::ModelConfig& config) {
  if (!config.encoder.graph_input) {
    return "terms of relations are those of attention that reads a graph; this encoder reads none "
           "(encoder.graph_input)";
  }
  if (!config.graph || config.graph->reads_states()) {
    return "looked at, this model reads a sentence without arcs, so that no term of a relation is there to "
           "be "
           "cut; a parser that reads its own trees has some";
  }
  return {};
}

std::vector<GraphTermSet> graph_term_sets(const model::ModelConfig& config) {
  if (!why_no_graph_terms(config).empty()) {
    return {};
  }
  std::vector<GraphTermSet> sets(1);
  for (const model::GraphTerm term : kTerms) {
    if (term == model::GraphTerm::relation_query && !has_query_term(config)) {
      continue;
    }
    if (term != model::GraphTerm::content) {
      sets.front().insert(term);
    }
    sets.push_back({term});
  }
  return sets;
}

std::vector<CutTarget> graph_term_targets(const model::Model& model, const AblateOptions& options,
                                          const CaptureSet& chosen) {
  std::vector<CutTarget> targets;
  if (options.graph_terms.empty()) {
    return targets;
  }
  const model::EncoderConfig& encoder = model.config().encoder;
  if (const std::string why = why_no_graph_terms(model.config()); !why.empty()) {
    throw UsageError("--graph-terms: " + why);
  }
  if (options.factor != 0) {
    throw UsageError(
        fmt::format("--graph-terms: terms are taken out as a whole, --factor {} is not defined for them",
                    options.factor));
  }
  const SystemDescription system = model.system();
  const Part attending = system.main().with(PartRole::attention).front();
  const bool queries = has_query_term(model.config());
  const std::int64_t heads = options.each_head ? encoder.heads : 0;
  for (std::int64_t layer = 1; layer <= encoder.layers; ++layer) {
    for (const GraphTermChoice& choice : options.graph_terms) {
      GraphTermSet terms = choice.terms;
      if (choice.where_there_are && !queries) {
        terms.erase(model::GraphTerm::relation_query);
      }
      for (std::int64_t head = std::min<std::int64_t>(heads, 1); head <= heads; ++head) {
        if (terms.empty() || !chosen.keeps_layer(layer)) {
          continue;
        }
        CutTarget target{.layer = layer,
                         .cut = attending,
                         .last_layer = layer,
                         .head = head,
                         .graph_terms = terms,
                         .interventions = {}};
        for (const model::GraphTerm term : terms) {
          target.interventions.emplace_back(model::CutGraphTerm{
              .layer = layer, .term = term, .head = head > 0 ? std::optional(head) : std::nullopt});
        }
        targets.push_back(std::move(target));
      }
    }
  }
  return targets;
}

}  // namespace mog::app
