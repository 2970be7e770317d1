// The decomposer: propagation through all layers, and the identities of one layer.
#include <map>

#include "model/engine/decomposition/decomposer.h"
#include "model/engine/decomposition/layer_maps.h"

namespace mog::engine {
namespace {

// What is kept of the vectors of one group at one layer.
struct Kept {
  at::Tensor norms;        // [sentences, token, source]
  at::Tensor projections;  // [sentences, token, source]
  at::Tensor vectors;      // [sentences, token, source, d_model]
  at::Tensor sum;          // [sentences, token, d_model]
};

void put(const at::Tensor& to, const Propagation::Tile& tile, const at::Tensor& values) {
  if (to.defined()) {
    to.narrow(0, tile.sentence, values.size(0)).narrow(2, tile.source, values.size(2)).copy_(values);
  }
}

}  // namespace

void Decomposer::finish_encoder(const at::Tensor& output) {
  if (!propagation_) {
    return;
  }
  if (config_.encoder.ends_with_norm()) {
    propagation_->add_final(weights_.encoder.final_norm);
  }
  for (std::size_t index = 0; index < groups_.size(); ++index) {
    propagate(index, output);
  }
  give_gathered();
  propagation_.reset();
}

void Decomposer::propagate(std::size_t index, const at::Tensor& output) {
  const AttentionGroup& group = groups_[index];
  const std::int64_t tokens = group.queries;
  const bool check = !identities_.empty();
  std::map<std::int64_t, Kept> kept;
  for (layer_ = 0; layer_ <= config_.encoder.layers; ++layer_) {
    const auto rows = [&](Reduction reduction) {
      return asked(Part::none, Quantity::propagation, reduction)
                 ? at::empty({group.sentences, tokens, tokens + 1}, output.options())
                 : at::Tensor();
    };
    Kept& own = kept[layer_];
    own.norms = rows(Reduction::norm);
    own.projections = layer_ == 0 ? rows(Reduction::projection) : at::Tensor();
    if (asked(Part::none, Quantity::propagation)) {
      own.vectors = at::empty({group.sentences, tokens, tokens + 1, output.size(1)}, output.options());
    }
    if (check) {
      own.sum = at::zeros({group.sentences, tokens, output.size(1)}, output.options());
    }
  }
  const at::Tensor whole = group_rows(output, group);
  const at::Tensor square = whole.square().sum(-1, /*keepdim=*/true);
  propagation_->run(
      group, index, [&](std::int64_t layer, const Propagation::Tile& tile, const at::Tensor& vectors) {
        Kept& own = kept[layer];
        if (own.norms.defined()) {
          put(own.norms, tile, at::linalg_vector_norm(vectors, 2, at::IntArrayRef{-1}));
        }
        if (own.projections.defined()) {
          const at::Tensor there = whole.narrow(0, tile.sentence, vectors.size(0));
          const at::Tensor product = at::matmul(vectors, there.unsqueeze(-1)).squeeze(-1);
          put(own.projections, tile, product / square.narrow(0, tile.sentence, vectors.size(0)));
        }
        put(own.vectors, tile, vectors);
        if (own.sum.defined()) {
          own.sum.narrow(0, tile.sentence, vectors.size(0)).add_(vectors.sum(2));
        }
      });
  for (layer_ = 0; layer_ <= config_.encoder.layers; ++layer_) {
    const Kept& own = kept[layer_];
    gather(Part::none, Quantity::propagation, Reduction::norm, own.norms);
    gather(Part::none, Quantity::propagation, Reduction::full, own.vectors);
    if (layer_ == 0) {
      gather(Part::none, Quantity::propagation, Reduction::projection, own.projections);
    }
    if (check) {
      identities_.begin_layer(layer_);
      identities_.compare("propagation", group, own.sum,
                          layer_ == 0 ? whole : group_rows(propagation_->output(layer_), group));
      identities_.end_layer();
    }
  }
}

void Decomposer::check_layer(const OutputParts& parts) {
  if (identities_.empty()) {
    return;
  }
  const LayerTrace& t = trace_;
  const at::Tensor attended = t.input + t.attended_sum;
  const at::Tensor output = t.attended + t.feed_forward;
  const at::Tensor sum = parts.carried + parts.attention + parts.feed_forward + parts.bias;
  for (const AttentionGroup& group : groups_) {
    const auto same = [&](const char* identity, const at::Tensor& found, const at::Tensor& expected) {
      identities_.compare(identity, group, group_rows(found, group), group_rows(expected, group));
    };
    same("frozen layer norms", t.pre ? attended : t.norm1(attended) + t.norm1.offset(), t.attended);
    same("frozen layer norms", t.pre ? output : t.norm2(output) + t.norm2.offset(), t.output);
    same("split of the output", sum, t.output);
  }
}

void Decomposer::check_given(const GivenVectors& given, const AttentionGroup& group,
                             const at::Tensor& pattern) {
  const std::int64_t tokens = group.queries;
  const at::Tensor attended = at::empty({group.sentences, tokens, tokens}, trace_.input.options());
  const at::Tensor at_output = at::empty_like(attended);
  const at::Tensor sum = at::empty({group.sentences, tokens, trace_.input.size(1)}, trace_.input.options());
  const auto norm = [](const at::Tensor& rows) {
    return at::linalg_vector_norm(rows, 2, at::IntArrayRef{-1});
  };
  given.for_each_tile(group, pattern, [&](std::int64_t first, const at::Tensor& rows) {
    const std::int64_t count = rows.size(1);
    attended.narrow(1, first, count).copy_(norm(rows));
    sum.narrow(1, first, count).copy_(rows.sum(2));
    if (!trace_.pre) {
      const at::Tensor scale = group_rows(trace_.norm2.scale(), group).narrow(1, first, count).unsqueeze(2);
      at_output.narrow(1, first, count).copy_(norm(trace_.norm2.undivided(rows) / scale));
    }
  });
  const at::Tensor bias = trace_.attention.output.bias.expand_as(trace_.input);
  const at::Tensor rest = trace_.pre ? bias : trace_.norm1(bias) + trace_.norm1.offset();
  identities_.compare("vectors given by keys", group, sum + group_rows(rest.contiguous(), group),
                      group_rows(trace_.attended, group));
  identities_.compare("norms by Gram matrices", group, given.norms(group, pattern, GivenAt::attended),
                      attended);
  identities_.compare("norms by Gram matrices", group, given.norms(group, pattern, GivenAt::output),
                      trace_.pre ? attended : at_output);
  const at::Tensor rollout = 0.5 * (pattern.mean(1) + at::eye(tokens, pattern.options()));
  identities_.sums_to_one("rows of rollout", group, rollout);
}

}  // namespace mog::engine
