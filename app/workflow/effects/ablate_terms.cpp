// Cuts of single heads, of terms of attention scores, and of several layers at once.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "app/workflow/effects/ablate_cuts.h"
#include "io/recording/errors.h"
#include "io/recording/nearest_name.h"

namespace mog::app {
namespace {

constexpr std::array kTerms = {model::LogitTerm::pp, model::LogitTerm::pi, model::LogitTerm::ip,
                               model::LogitTerm::ii, model::LogitTerm::bp, model::LogitTerm::bi};

model::LogitTerm parse_term(std::string_view text) {
  if (const auto term = model::find_logit_term(text)) {
    return *term;
  }
  throw UsageError(
      fmt::format("--terms: \"{}\" is no term; allowed are pp, pi, ip, ii, bp, bi, several of them together "
                  "with + between (pp+ii), all, commas between{}",
                  text, did_you_mean(text, {"pp", "pi", "ip", "ii", "bp", "bi", "all"})));
}

std::vector<std::string_view> split(std::string_view text, char at) {
  std::vector<std::string_view> pieces;
  while (true) {
    const auto end = text.find(at);
    pieces.push_back(text.substr(0, end));
    if (end == std::string_view::npos) {
      return pieces;
    }
    text.remove_prefix(end + 1);
  }
}

}  // namespace

std::string text(const TermSet& terms) {
  std::string result;
  for (const model::LogitTerm term : kTerms) {
    if (terms.contains(term)) {
      result += (result.empty() ? "" : "+") + std::string(model::name(term));
    }
  }
  return result;
}

std::vector<TermSet> parse_terms(std::string_view text) {
  std::vector<TermSet> sets;
  const auto add = [&](const TermSet& set) {
    if (std::find(sets.begin(), sets.end(), set) == sets.end()) {
      sets.push_back(set);
    }
  };
  for (const std::string_view piece : split(text, ',')) {
    if (piece == "all") {
      for (const model::LogitTerm term : kTerms) {
        add({term});
      }
      continue;
    }
    TermSet set;
    for (const std::string_view term : split(piece, '+')) {
      set.insert(parse_term(term));
    }
    add(set);
  }
  return sets;
}

std::vector<CutTarget> head_targets(const model::Model& model, const AblateOptions& options,
                                    const CaptureSet& chosen) {
  std::vector<CutTarget> targets;
  if (!options.heads) {
    return targets;
  }
  const SystemDescription system = model.system();
  const StackDescription& stack = system.main();
  if (stack.recurrent()) {
    throw UsageError("--heads: a recurrent encoder has no attention heads");
  }
  for (std::int64_t layer = 1; layer <= stack.layers; ++layer) {
    if (!chosen.keeps_layer(layer)) {
      continue;
    }
    for (const Part part : parts_of(Cut::Kind::fresh, stack, layer)) {
      for (std::int64_t head = 1; head <= stack.heads; ++head) {
        targets.push_back({.layer = layer,
                           .cut = part,
                           .factor = options.factor,
                           .last_layer = layer,
                           .head = head,
                           .interventions = {model::ScaleHead{layer, part, head, options.factor}}});
      }
    }
  }
  return targets;
}

std::vector<CutTarget> term_targets(const model::Model& model, const AblateOptions& options,
                                    const CaptureSet& chosen) {
  std::vector<CutTarget> targets;
  if (options.terms.empty()) {
    return targets;
  }
  const SystemDescription system = model.system();
  const StackDescription& stack = system.main();
  const std::vector<Part> attending = stack.with(PartRole::attention);
  if (attending.size() != 1) {
    throw UsageError(
        fmt::format("--terms: terms of attention scores are those of a plain Transformer; this encoder is of "
                    "kind {}{}",
                    model.card().encoder_kind, stack.has_groups() ? ", whose parts --parts cuts" : ""));
  }
  if (options.factor != 0) {
    throw UsageError(fmt::format(
        "--terms: terms are taken out as a whole, --factor {} is not defined for them", options.factor));
  }
  for (std::int64_t layer = 1; layer <= stack.layers; ++layer) {
    if (!chosen.keeps_layer(layer)) {
      continue;
    }
    for (const TermSet& terms : options.terms) {
      CutTarget target{
          .layer = layer, .cut = attending.front(), .last_layer = layer, .terms = terms, .interventions = {}};
      for (const model::LogitTerm term : terms) {
        target.interventions.emplace_back(model::CutLogitTerm{layer, term});
      }
      targets.push_back(std::move(target));
    }
  }
  return targets;
}

std::vector<CutTarget> joined_layers(std::vector<CutTarget> targets) {
  std::vector<CutTarget> joined;
  for (CutTarget& target : targets) {
    const auto same = std::find_if(joined.begin(), joined.end(), [&](const CutTarget& other) {
      return other.cut == target.cut && other.head == target.head && other.terms == target.terms &&
             other.graph_terms == target.graph_terms;
    });
    if (same == joined.end()) {
      joined.push_back(std::move(target));
      continue;
    }
    same->last_layer = target.last_layer;
    same->interventions.insert(same->interventions.end(), target.interventions.begin(),
                               target.interventions.end());
  }
  return joined;
}

}  // namespace mog::app
