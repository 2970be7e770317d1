// Problem: a plain layer attends from F to F; the Graph-Transformer sees F = P + I only in two pieces, has no
// attention from P to P, and often half the width. Copied maps lose most of what the layer did.
//
// Choice: least squares on a sample of text. Going up layer by layer, with the student's own P and I as
// inputs, (1) the source's queries, keys and values are regressed on I and on P; (2) every head of the source
// goes to the part (I→I, I→P, P→I) whose regressed maps play it best, measured at the output; (3) the output
// maps and `low` are one regression of the source's attended state on the contexts of all parts and on P,
// which also corrects what the layers below got wrong; (4) fc2 is corrected for what the attended state still
// lacks. All regressions have an intercept (the biases) and a small ridge. Started so, the sentence
// embeddings of a half-dimension student of MiniLM had a mean cosine of .84 with the teacher's before any
// training.
#include "model/engine/training/fit_start.h"

#include <array>
#include <cmath>
#include <utility>

#include "io/recording/errors.h"
#include "model/engine/common/text.h"
#include "model/engine/modules/attention.h"
#include "model/engine/modules/stack.h"
#include "model/engine/training/distillation.h"
#include "model/engine/training/head_slots.h"

namespace mog::engine {
namespace {

constexpr double kRidge = 1e-3;             // times the mean of the inputs' variances
constexpr double kFeedForwardRidge = 1e-2;  // fc2 is close already

// y ≈ x·weightᵀ + bias in the least squares sense. x: [token, in], y: [token, out].
Linear regress(const at::Tensor& x, const at::Tensor& y, double ridge) {
  const at::Tensor x_mean = x.mean(0);
  const at::Tensor y_mean = y.mean(0);
  const at::Tensor centred = x - x_mean;
  at::Tensor gram = centred.t().mm(centred).to(at::kDouble);
  const double floor = ridge * gram.diagonal().mean().item<double>() + 1e-6;
  gram.diagonal().add_(floor);
  const at::Tensor cross = centred.t().mm(y - y_mean).to(at::kDouble);
  const at::Tensor weight = at::linalg_solve(gram, cross).t().to(at::kFloat).contiguous();
  return {weight, y_mean - weight.mv(x_mean)};
}

// Rows (columns) of chosen heads.
at::Tensor head_rows(const std::vector<std::int64_t>& heads, std::int64_t width) {
  std::vector<std::int64_t> rows;
  for (const std::int64_t head : heads) {
    for (std::int64_t at = 0; at < width; ++at) {
      rows.push_back(head * width + at);
    }
  }
  return at::tensor(rows, at::kLong);
}

Linear rows_of(const Linear& map, const at::Tensor& rows) {
  return {map.weight.index_select(0, rows), map.bias.index_select(0, rows)};
}

// The source's queries, keys and values as functions of I or of P.
using Maps = std::array<Linear, 3>;

class Fit {
 public:
  Fit(const model::ModelConfig& config, const model::ModelConfig& source_config, const TensorTable& source,
      const PackedInput& sample, const PackedInput& source_sample, double gate_bias, TensorTable& table)
      : config_(config),
        encoder_(config.encoder),
        source_config_(source_config),
        source_(bind_weights(source_config, source)),
        input_(sample),
        gate_bias_(gate_bias),
        table_(table),
        width_(encoder_.attention_dim / encoder_.heads),
        states_(source_config.encoder, /*maps=*/false) {
    check();
    const SinusoidTable sinusoids(encoder_.d_model);
    encode({.config = source_config_, .weights = source_, .sinusoids = sinusoids, .taps = &states_},
           source_sample);
    const Weights own = bind_weights(config_, table_);
    full_ = encode_embedding({.config = config_, .weights = own, .sinusoids = sinusoids}, input_);
    previous_ = at::zeros_like(full_);
  }

  void layer(std::int64_t layer) {
    const EncoderLayer& theirs = source_.encoder_layers[static_cast<std::size_t>(layer) - 1];
    const at::Tensor& state = states_.state(layer - 1);
    const at::Tensor projected = theirs.from_incremental(state);
    std::array<at::Tensor, 3> targets;
    const std::int64_t d = encoder_.d_model;
    for (std::int64_t at = 0; at < 3; ++at) {
      targets[static_cast<std::size_t>(at)] = projected.narrow(1, at * d, d).contiguous();
    }
    const at::Tensor context = attended(targets, source_config_.encoder.heads);
    const at::Tensor their_z = theirs.outputs[0](context);

    const at::Tensor incremental = full_ - previous_;
    const bool first = layer == 1;
    Maps of_i;
    Maps of_p;
    for (std::size_t at = 0; at < 3; ++at) {
      of_i[at] = regress(incremental, targets[at], kRidge);
      of_p[at] =
          first ? Linear{at::zeros({d, d}), targets[at].mean(0)} : regress(previous_, targets[at], kRidge);
    }
    const std::vector<std::vector<std::int64_t>> slots =
        choose_heads(layer, of_i, of_p, incremental, context, theirs.outputs[0].weight);
    const std::vector<at::Tensor> contexts = set_projections(layer, slots, of_i, of_p, incremental);
    const at::Tensor z = set_outputs(layer, contexts, state + their_z - full_);
    const at::Tensor their_attended = theirs.attention_norm(state + their_z);
    const at::Tensor attended_state = theirs.attention_norm(full_ + z);
    const at::Tensor next = set_feed_forward(layer, theirs, attended_state, their_attended);
    previous_ = full_;
    full_ = next;
  }

 private:
  void check() const {
    const auto refuse = [](const std::string& what) {
      throw ModelError("Starting from a trained encoder: heads = \"fit\" " + what);
    };
    const model::EncoderConfig& theirs = source_config_.encoder;
    if (!encoder_.graph() || theirs.graph()) {
      refuse("is the way from a plain Transformer to a Graph-Transformer.");
    }
    if (encoder_.fusion == model::Fusion::self_gate ||
        (encoder_.fusion == model::Fusion::weight_gate && encoder_.gate_form == model::GateForm::formula)) {
      refuse("needs fusion = \"sum\" or \"weight_gate\" with gate_form = \"linear2\"; use \"svd\".");
    }
    if (encoder_.residual == model::Residual::update || theirs.norm == model::NormPlace::pre) {
      refuse("needs residual = \"full\" and a source with norm = \"post\"; use \"svd\".");
    }
    if (encoder_.layers != theirs.layers) {
      refuse(concat("needs as many layers as the source has: ", theirs.layers, ", here ", encoder_.layers,
                    "; use \"svd\"."));
    }
    if (width_ != theirs.d_model / theirs.heads || encoder_.activation != theirs.activation) {
      refuse(concat("needs heads of the source's width ", theirs.d_model / theirs.heads, " (attention_dim ",
                    encoder_.attention_dim, " in ", encoder_.heads, " heads gives ", width_,
                    ") and its activation."));
    }
  }

  std::string name(std::int64_t layer, const std::string& rest) const {
    return "encoder.layers." + std::to_string(layer - 1) + "." + rest;
  }
  void set(const std::string& tensor, const at::Tensor& value) { table_.at(tensor).copy_(value); }
  void set(const std::string& map, const Linear& value) {
    set(map + ".weight", value.weight);
    set(map + ".bias", value.bias);
  }

  at::Tensor attended(const std::array<at::Tensor, 3>& maps, std::int64_t heads) const {
    const AttentionOptions options{
        heads, nullptr, nullptr, {Stack::encoder, 1, Part::full, Quantity::attention}};
    return attend(maps[0], maps[1], maps[2], input_.source.self_plan, options);
  }
  // Contexts of a part: high (0) looks from I to I, middle1 (1) from I to P, middle2 (2) from P to I.
  at::Tensor part_context(std::size_t part, const Maps& of_i, const Maps& of_p, const at::Tensor& incremental,
                          std::int64_t heads) const {
    const bool query_of_p = part == 2;
    const bool key_of_p = part == 1;
    return attended({query_of_p ? of_p[0](previous_) : of_i[0](incremental),
                     key_of_p ? of_p[1](previous_) : of_i[1](incremental),
                     key_of_p ? of_p[2](previous_) : of_i[2](incremental)},
                    heads);
  }

  // [head] squared norms of (context - mean of the target) after the columns of the output map.
  std::vector<double> head_sizes(const at::Tensor& difference, const at::Tensor& output) const {
    std::vector<double> sizes;
    for (std::int64_t head = 0; head < source_config_.encoder.heads; ++head) {
      const at::Tensor out =
          difference.narrow(1, head * width_, width_).mm(output.narrow(1, head * width_, width_).t());
      sizes.push_back(out.square().sum().item<double>());
    }
    return sizes;
  }

  std::vector<std::vector<std::int64_t>> choose_heads(std::int64_t layer, const Maps& of_i, const Maps& of_p,
                                                      const at::Tensor& incremental,
                                                      const at::Tensor& context,
                                                      const at::Tensor& output) const {
    const std::int64_t heads = source_config_.encoder.heads;
    const std::size_t parts = encoder_.has_groups(layer) ? 3 : 1;
    const std::vector<double> total = head_sizes(context - context.mean(0), output);
    std::vector<std::vector<double>> error(static_cast<std::size_t>(heads));
    for (std::size_t part = 0; part < parts; ++part) {
      const std::vector<double> sizes =
          head_sizes(part_context(part, of_i, of_p, incremental, heads) - context, output);
      for (std::size_t head = 0; head < sizes.size(); ++head) {
        error[head].push_back(sizes[head]);
      }
    }
    if (!encoder_.share_qkv) {
      return assign_heads(error, total, encoder_.heads);
    }
    // One set of maps serves all parts: the heads that the parts play best together.
    std::vector<std::vector<double>> together(error.size());
    for (std::size_t head = 0; head < error.size(); ++head) {
      together[head] = {*std::min_element(error[head].begin(), error[head].end())};
      // assign_heads fills the single part by regret; what counts here is the gain.
      together[head][0] -= total[head];
    }
    std::vector<std::int64_t> order(error.size());
    for (std::size_t head = 0; head < order.size(); ++head) {
      order[head] = static_cast<std::int64_t>(head);
    }
    std::stable_sort(order.begin(), order.end(), [&](std::int64_t left, std::int64_t right) {
      return together[static_cast<std::size_t>(left)][0] < together[static_cast<std::size_t>(right)][0];
    });
    order.resize(static_cast<std::size_t>(encoder_.heads));
    return std::vector<std::vector<std::int64_t>>(parts, order);
  }

  // Sets q, k, v of every part and returns the contexts that go into the output maps.
  std::vector<at::Tensor> set_projections(std::int64_t layer,
                                          const std::vector<std::vector<std::int64_t>>& slots,
                                          const Maps& of_i, const Maps& of_p, const at::Tensor& incremental) {
    constexpr std::array kNames = {"q_proj", "k_proj", "v_proj"};
    constexpr std::array kParts = {"high", "middle1", "middle2"};
    std::vector<at::Tensor> contexts;
    for (std::size_t part = 0; part < slots.size(); ++part) {
      const at::Tensor rows = head_rows(slots[part], width_);
      Maps left;
      Maps right;
      for (std::size_t at = 0; at < 3; ++at) {
        left[at] = rows_of(of_i[at], rows);
        right[at] = rows_of(of_p[at], rows);
        const bool from_p = (part == 2 && at == 0) || (part == 1 && at > 0);
        const std::string owner =
            encoder_.share_qkv ? (from_p ? "previous" : "incremental") : std::string(kParts[part]);
        set(name(layer, owner + "." + kNames[at]), from_p ? right[at] : left[at]);
      }
      contexts.push_back(part_context(part, left, right, incremental, encoder_.heads));
    }
    return contexts;
  }

  // Output maps and `low`; returns the student's Z.
  at::Tensor set_outputs(std::int64_t layer, const std::vector<at::Tensor>& contexts,
                         const at::Tensor& target) {
    const bool groups = contexts.size() == 3;
    const bool one_map = encoder_.attention_dim == encoder_.d_model;
    std::vector<at::Tensor> columns;
    if (groups && one_map) {
      columns = {contexts[0] + contexts[1] + contexts[2]};
    } else if (groups && encoder_.share_qkv) {
      columns = {contexts[0], contexts[1] + contexts[2]};
    } else {
      columns = contexts;
    }
    const auto maps = columns.size();
    const bool low = groups && layer > 1;
    if (low) {
      columns.push_back(previous_);
    }
    const at::Tensor x = at::cat(columns, 1);
    const Linear fitted = regress(x, target, kRidge);
    const bool gated = groups && encoder_.fusion == model::Fusion::weight_gate;
    const double w = gated ? 1.0 / (1.0 + std::exp(-gate_bias_)) : 1.0;
    const std::int64_t a = encoder_.attention_dim;
    const auto block = [&](std::size_t at) {
      return fitted.weight.narrow(1, static_cast<std::int64_t>(at) * a, a) / w;
    };
    // The gate shares the constant: w·b + (1 - w)·b = b.
    if (one_map) {
      set(name(layer, "out_proj"), Linear{block(0), groups ? fitted.bias / 3.0 : fitted.bias});
    } else {
      set(name(layer, "high.out_proj"), Linear{block(0), fitted.bias});
      const at::Tensor none = at::zeros_like(fitted.bias);
      if (groups && encoder_.share_qkv) {
        set(name(layer, "middle.out_proj"), Linear{block(1), none});
      } else if (groups) {
        set(name(layer, "middle1.out_proj"), Linear{block(1), none});
        set(name(layer, "middle2.out_proj"), Linear{block(2), none});
      }
    }
    if (groups) {
      const std::int64_t d = encoder_.d_model;
      const at::Tensor weight =
          low ? fitted.weight.narrow(1, static_cast<std::int64_t>(maps) * a, d) / (gated ? 1.0 - w : 1.0)
              : at::zeros({d, d});
      set(name(layer, "low"), Linear{weight, gated ? fitted.bias : at::zeros_like(fitted.bias)});
    }
    if (gated) {
      set(name(layer, "gate.new"),
          Linear{at::zeros({encoder_.d_model, encoder_.d_model}), at::full({encoder_.d_model}, gate_bias_)});
      set(name(layer, "gate.low"),
          Linear{at::zeros({encoder_.d_model, encoder_.d_model}), at::zeros({encoder_.d_model})});
    }
    return fitted(x);
  }

  // Corrects fc2 and returns the output of the layer.
  at::Tensor set_feed_forward(std::int64_t layer, const EncoderLayer& theirs,
                              const at::Tensor& attended_state, const at::Tensor& their_attended) {
    const FeedForward& block = theirs.feed_forward;
    const auto inner = [&](const at::Tensor& x) { return activate(encoder_.activation, block.up(x)); };
    const at::Tensor wanted = their_attended + block.down(inner(their_attended));
    const at::Tensor hidden = inner(attended_state);
    const at::Tensor given = attended_state + block.down(hidden);
    const Linear correction = regress(hidden, wanted - given, kFeedForwardRidge);
    set(name(layer, "fc2"), Linear{block.down.weight + correction.weight, block.down.bias + correction.bias});
    return block.norm(given + correction(hidden));
  }

  const model::ModelConfig& config_;
  const model::EncoderConfig& encoder_;
  const model::ModelConfig& source_config_;
  const Weights source_;
  const PackedInput& input_;
  double gate_bias_;
  TensorTable& table_;
  std::int64_t width_;   // columns of a head
  StateTaps states_;     // of the source
  at::Tensor previous_;  // P, of the student so far
  at::Tensor full_;      // F
};

}  // namespace

void fit_start(const model::ModelConfig& config, const model::ModelConfig& source_config,
               const TensorTable& source, const PackedInput& sample, const PackedInput& source_sample,
               double gate_bias, TensorTable& table) {
  Fit fit(config, source_config, source, sample, source_sample, gate_bias, table);
  for (std::int64_t layer = 1; layer <= config.encoder.layers; ++layer) {
    fit.layer(layer);
  }
}

}  // namespace mog::engine
