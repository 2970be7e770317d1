#include "model/model.h"

#include <algorithm>
#include <array>

#include "io/recording/errors.h"

namespace mog::model {
namespace {

constexpr std::array<std::string_view, 6> kTerms = {"pp", "pi", "ip", "ii", "bp", "bi"};
constexpr std::array<std::string_view, 4> kGraphTerms = {"content", "relation_key", "relation_query",
                                                         "relation_value"};

}  // namespace

std::string_view name(LogitTerm term) noexcept {
  return kTerms[static_cast<std::size_t>(term)];
}

std::optional<LogitTerm> find_logit_term(std::string_view text) noexcept {
  const auto found = std::find(kTerms.begin(), kTerms.end(), text);
  return found == kTerms.end() ? std::nullopt : std::optional(static_cast<LogitTerm>(found - kTerms.begin()));
}

std::string_view name(GraphTerm term) noexcept {
  return kGraphTerms[static_cast<std::size_t>(term)];
}

std::optional<GraphTerm> find_graph_term(std::string_view text) noexcept {
  const auto found = std::find(kGraphTerms.begin(), kGraphTerms.end(), text);
  return found == kGraphTerms.end() ? std::nullopt
                                    : std::optional(static_cast<GraphTerm>(found - kGraphTerms.begin()));
}

SystemDescription Model::system() const {
  return system_of(config());
}

SystemDescription system_of(const ModelCard& card) {
  return known_system(card);
}

TokenGradients Model::differentiate(const PackedBatch& /*batch*/, const Relaxation& /*at*/,
                                    const QuantityName& /*of*/, const Cotangent& /*cotangent*/) const {
  throw UsageError("differentiating the model " + card().name + ": it gives no gradients");
}

DirectedSlopes Model::differentiate_along(const PackedBatch& /*batch*/, std::span<const double> /*leaving*/,
                                          const QuantityName& /*of*/) const {
  throw UsageError("differentiating the model " + card().name + ": it gives no gradients");
}

void Model::run_states(const PackedBatch& /*batch*/, std::span<const Intervention> /*interventions*/,
                       std::span<Observer* const> /*observers*/, const NextStates& /*next*/) const {
  throw UsageError("scoring states of a parser with the model " + card().name +
                   ": it has no heads for them (graph.parser of config.json)");
}

}  // namespace mog::model
