// Tiles come sentences by sentences and sources by sources, each through all layers at once. Of a tile only
// what is asked is kept: a norm or a share is one number a token and source, so that the vectors go with the
// tile; they stay, [token, source, d_model] a sentence and layer, only where somebody asks for them. A
// group's results wait until all groups are through, as observers get a quantity in one piece.
#include "model/engine/decomposition/propagation_results.h"

#include <vector>

#include "model/engine/decomposition/results.h"

namespace mog::engine {
namespace {

// What is kept of the vectors of one group at one layer; undefined where nobody asks.
struct Kept {
  at::Tensor norms;        // [sentences, token, source]
  at::Tensor projections;  // [sentences, token, source]
  at::Tensor vectors;      // [sentences, token, source, d_model]
  at::Tensor sum;          // [sentences, token, d_model]
};

// layer: 0 for the encoder's output, which alone has projections.
Kept kept_of(const Results& results, std::int64_t layer, const AttentionGroup& group,
             const at::Tensor& output, bool check) {
  const std::int64_t tokens = group.queries;
  const auto asked = [&](Reduction reduction) {
    return results.ask(Part::none, Quantity::propagation, reduction);
  };
  Kept kept;
  if (asked(Reduction::norm)) {
    kept.norms = at::empty({group.sentences, tokens, tokens + 1}, output.options());
  }
  if (layer == 0 && asked(Reduction::projection)) {
    kept.projections = at::empty({group.sentences, tokens, tokens + 1}, output.options());
  }
  if (asked(Reduction::full)) {
    kept.vectors = at::empty({group.sentences, tokens, tokens + 1, output.size(1)}, output.options());
  }
  if (check) {
    kept.sum = at::zeros({group.sentences, tokens, output.size(1)}, output.options());
  }
  return kept;
}

void put(const at::Tensor& to, const Propagation::Tile& tile, const at::Tensor& values) {
  to.narrow(0, tile.sentence, values.size(0)).narrow(2, tile.source, values.size(2)).copy_(values);
}

// vectors: [sentences, token, source, d_model] of the tile; whole: the group's output, [sentences, token,
// d_model], square: its squared norms, [sentences, token, 1].
void keep(const Propagation::Tile& tile, const at::Tensor& vectors, const at::Tensor& whole,
          const at::Tensor& square, const Kept& kept) {
  const std::int64_t sentences = vectors.size(0);
  if (kept.norms.defined()) {
    put(kept.norms, tile, norm_of(vectors));
  }
  if (kept.projections.defined()) {
    const at::Tensor there = whole.narrow(0, tile.sentence, sentences);
    const at::Tensor product = at::matmul(vectors, there.unsqueeze(-1)).squeeze(-1);
    put(kept.projections, tile, product / square.narrow(0, tile.sentence, sentences));
  }
  if (kept.vectors.defined()) {
    put(kept.vectors, tile, vectors);
  }
  if (kept.sum.defined()) {
    kept.sum.narrow(0, tile.sentence, sentences).add_(vectors.sum(2));
  }
}

// Of group `index`; results, and what is kept: by layer, 0 for the encoder's output.
void run_group(const Propagation& propagation, const AttentionGroup& group, std::size_t index,
               const at::Tensor& output, std::vector<Results>& results, Identities& identities) {
  const auto layers = static_cast<std::int64_t>(results.size()) - 1;
  const bool check = !identities.empty();
  std::vector<Kept> kept;
  for (std::int64_t layer = 0; layer <= layers; ++layer) {
    kept.push_back(kept_of(results[static_cast<std::size_t>(layer)], layer, group, output, check));
  }
  const at::Tensor whole = group_rows(output, group);
  const at::Tensor square = whole.square().sum(-1, /*keepdim=*/true);
  propagation.run(group, index,
                  [&](std::int64_t layer, const Propagation::Tile& tile, const at::Tensor& vectors) {
                    keep(tile, vectors, whole, square, kept[static_cast<std::size_t>(layer)]);
                  });
  for (std::int64_t layer = 0; layer <= layers; ++layer) {
    const Kept& own = kept[static_cast<std::size_t>(layer)];
    const auto gather = [&](Reduction reduction, const at::Tensor& values) {
      if (values.defined()) {
        results[static_cast<std::size_t>(layer)].gather(Part::none, Quantity::propagation, reduction, values);
      }
    };
    gather(Reduction::norm, own.norms);
    gather(Reduction::full, own.vectors);
    gather(Reduction::projection, own.projections);
    if (check) {
      identities.begin_layer(layer);
      identities.compare("propagation", group, own.sum,
                         layer == 0 ? whole : group_rows(propagation.output(layer), group));
      identities.end_layer();
    }
  }
}

}  // namespace

void give_propagation(const Propagation& propagation, const at::Tensor& output, const StackInput& source,
                      Observation& observation, Identities& identities) {
  std::vector<Results> results;
  for (std::int64_t layer = 0; layer <= propagation.layers(); ++layer) {
    results.emplace_back(observation, source, layer);
  }
  const std::vector<AttentionGroup>& groups = source.self_plan.groups;
  for (std::size_t index = 0; index < groups.size(); ++index) {
    run_group(propagation, groups[index], index, output, results, identities);
  }
  for (Results& own : results) {
    own.give();
  }
}

}  // namespace mog::engine
