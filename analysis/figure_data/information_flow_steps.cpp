// What one layer's step carries, edge by edge.
#include "analysis/figure_data/information_flow.h"

namespace mog::analysis {
namespace {

std::size_t at(std::int64_t index) {
  return static_cast<std::size_t>(index);
}

// Hands on what weighs anything.
class Visitor {
 public:
  explicit Visitor(const std::function<void(const FlowEdge&)>& visit) : visit_(visit) {}
  void add(std::int64_t from_row, std::int64_t from_word, std::int64_t to_row, std::int64_t to_word,
           Part part, double weight, bool carried = false) const {
    if (weight > 0) {
      visit_({from_row, from_word, to_row, to_word, part, carried, weight});
    }
  }
  // Attention of a word, scaled.
  void add_row(const std::vector<double>& map, std::int64_t words, std::int64_t from_row, std::int64_t to_row,
               std::int64_t word, Part part, double scale) const {
    for (std::int64_t key = 0; key < words && scale > 0; ++key) {
      add(from_row, key, to_row, word, part, scale * map[at(word * words + key)]);
    }
  }

 private:
  const std::function<void(const FlowEdge&)>& visit_;
};

}  // namespace

void InformationFlow::for_each_edge(const std::function<void(const FlowEdge&)>& visit) const {
  for (std::int64_t layer = 1; layer <= input_.layers; ++layer) {
    if (is_recurrent(input_.kind)) {
      visit_recurrent(layer, visit);
    } else {
      visit_layer(layer, visit);
    }
  }
}

void InformationFlow::visit_layer(std::int64_t layer,
                                  const std::function<void(const FlowEdge&)>& visit) const {
  const Visitor out(visit);
  const std::int64_t count = words();
  const auto& maps = input_.attention[at(layer - 1)];
  for (std::int64_t word = 0; word < count; ++word) {
    if (input_.kind == GrammarKind::attention) {
      const double rho = input_.rho[at(layer - 1)][at(word)];
      out.add(layer - 1, word, layer, word, input_.carried, rho, true);
      out.add_row(maps.front(), count, layer - 1, layer, word, input_.joins.front(), 1 - rho);
      continue;
    }
    const double gate = input_.gate[at(layer - 1)][at(word)];
    out.add(layer - 1, word, layer, word, input_.carried, 1 - gate, true);
    for (std::size_t part = 0; part < 3; ++part) {
      const double share = gate * input_.pi[at(layer - 1)][at(word) * 3 + part];
      if (!maps[part].empty()) {
        out.add_row(maps[part], count, layer - 1, layer, word, input_.joins[part], share);
      }
    }
  }
}

void InformationFlow::visit_recurrent(std::int64_t layer,
                                      const std::function<void(const FlowEdge&)>& visit) const {
  const Visitor out(visit);
  const std::int64_t count = words();
  const bool two = input_.kind == GrammarKind::two_directions;
  const std::int64_t below = two ? 3 * (layer - 1) : layer - 1;
  // The states of one direction: `before` is the step that it comes from.
  const auto direction = [&](std::int64_t row, std::int64_t step, const std::vector<double>& z,
                             const std::vector<double>& sigma, const DirectionParts& parts) {
    for (std::int64_t word = 0; word < count; ++word) {
      const std::int64_t before = word - step;
      if (before < 0 || before >= count) {
        out.add(below, word, row, word, parts.below, 1);
        continue;
      }
      const double fresh = z[at(word)];
      out.add(row, before, row, word, input_.carried, 1 - fresh, true);
      out.add(row, before, row, word, parts.recurrent, fresh * sigma[at(word)]);
      out.add(below, word, row, word, parts.below, fresh * (1 - sigma[at(word)]));
    }
  };
  const std::size_t l = at(layer - 1);
  if (!two) {
    direction(layer, 1, input_.z[l], input_.sigma_h[l], directions_.front());
    return;
  }
  direction(below + 1, 1, input_.z[l], input_.sigma_h[l], directions_.front());
  direction(below + 2, -1, input_.z_backward[l], input_.sigma_backward[l], directions_.back());
  for (std::int64_t word = 0; word < count; ++word) {
    const double share = input_.forward_share[l][at(word)];
    out.add(below + 1, word, below + 3, word, input_.joins[0], share);
    out.add(below + 2, word, below + 3, word, input_.joins[1], 1 - share);
  }
}

}  // namespace mog::analysis
