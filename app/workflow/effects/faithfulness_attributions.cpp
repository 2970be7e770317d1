// Maps of tokens on tokens become values of tokens by the weights with which the target reads the output: the
// value of token k is the sum over output tokens i of weight_i * map[i, k].
#include "app/workflow/effects/faithfulness_attributions.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "analysis/attribution/layer_products.h"
#include "analysis/attribution/quantities.h"
#include "analysis/random/bootstrap.h"

namespace mog::app {
namespace {

bool is_slope(Attribution attribution) {
  return attribution == Attribution::gradient_norm || attribution == Attribution::gradient_input ||
         attribution == Attribution::integrated_gradients ||
         attribution == Attribution::integrated_presence || attribution == Attribution::removal;
}

QuantityName of_layer(const StackDescription& stack, std::int64_t layer, Quantity quantity,
                      Reduction reduction = Reduction::full) {
  return {stack.stack, layer, Part::none, quantity, reduction};
}

// What has to be recorded.
std::set<QuantityName> inputs_of(Attribution attribution, const StackDescription& stack) {
  const std::int64_t layers = stack.layers;
  std::set<QuantityName> names;
  for (std::int64_t layer = 1; layer <= layers; ++layer) {
    if (attribution == Attribution::rollout || attribution == Attribution::flow) {
      names.insert(analysis::mean_attention(stack, layer));
    } else if (attribution == Attribution::globenc) {
      names.insert(of_layer(stack, layer, Quantity::globenc));
    } else if (attribution == Attribution::alti) {
      names.insert(of_layer(stack, layer, Quantity::alti));
    }
  }
  switch (attribution) {
    case Attribution::attention:
      names.insert(analysis::mean_attention(stack, layers));
      break;
    case Attribution::norm:
      names.insert(of_layer(stack, layers, Quantity::kobayashi));
      break;
    case Attribution::propagation_norm:
      names.insert(of_layer(stack, 0, Quantity::propagation, Reduction::norm));
      break;
    case Attribution::propagation_share:
      names.insert(of_layer(stack, 0, Quantity::propagation, Reduction::projection));
      break;
    case Attribution::propagation_removal:
      names.insert(of_layer(stack, 0, Quantity::propagation));
      names.insert(of_layer(stack, 0, Quantity::output));
      break;
    default:
      break;
  }
  return names;
}

class Sources {
 public:
  Sources(const model::Model& model, const Sentence& sentence, const std::set<QuantityName>& names,
          const std::stop_token& stop)
      : tokens_(static_cast<std::int64_t>(sentence.tokens.size())) {
    if (names.empty()) {
      return;
    }
    std::vector<QuantitySchema> schemas;
    for (const std::vector<QuantitySchema>& offered :
         {model.quantities(), model::decomposition_quantities(model.config())}) {
      for (const QuantitySchema& schema : offered) {
        if (names.contains(schema.name)) {
          schemas.push_back(schema);
        }
      }
    }
    batch_ = record_batch(model, schemas, {sentence}, {}, stop);
  }
  std::vector<double> values(const QuantityName& name) const {
    for (const auto& [own, tensor] : batch_.quantities) {
      if (own == name) {
        const std::vector<float> floats = tensor.to_floats();
        return {floats.begin(), floats.end()};
      }
    }
    return {};
  }
  std::int64_t tokens() const { return tokens_; }

 private:
  std::int64_t tokens_;
  RecordingBatch batch_;
};

// The map of an attribution, [token, columns >= tokens].
std::vector<double> map_of(Attribution attribution, const Sources& sources, const StackDescription& stack) {
  const std::int64_t layers = stack.layers;
  const auto layer_maps = [&](auto&& name_of) {
    std::vector<analysis::TokenMap> maps;
    for (std::int64_t layer = 1; layer <= layers; ++layer) {
      maps.push_back(sources.values(name_of(layer)));
    }
    return maps;
  };
  const auto rollout_maps = [&] {
    std::vector<analysis::TokenMap> maps =
        layer_maps([&](std::int64_t layer) { return analysis::mean_attention(stack, layer); });
    for (analysis::TokenMap& map : maps) {
      map = analysis::rollout_map(map, sources.tokens());
    }
    return maps;
  };
  switch (attribution) {
    case Attribution::attention:
      return sources.values(analysis::mean_attention(stack, layers));
    case Attribution::rollout:
      return analysis::layer_products(rollout_maps(), sources.tokens()).back();
    case Attribution::flow: {
      analysis::TokenMap flow = analysis::attention_flow(rollout_maps(), sources.tokens());
      analysis::divide_rows(flow, sources.tokens());
      return flow;
    }
    case Attribution::norm:
      return sources.values(of_layer(stack, layers, Quantity::kobayashi));
    case Attribution::globenc: {
      const auto maps =
          layer_maps([&](std::int64_t layer) { return of_layer(stack, layer, Quantity::globenc); });
      analysis::TokenMap product = analysis::layer_products(maps, sources.tokens()).back();
      analysis::divide_rows(product, sources.tokens());
      return product;
    }
    case Attribution::alti:
      return analysis::layer_products(
                 layer_maps([&](std::int64_t layer) { return of_layer(stack, layer, Quantity::alti); }),
                 sources.tokens())
          .back();
    case Attribution::propagation_norm:
      return sources.values(of_layer(stack, 0, Quantity::propagation, Reduction::norm));
    default:
      return sources.values(of_layer(stack, 0, Quantity::propagation, Reduction::projection));
  }
}

std::vector<double> read_map(const std::vector<double>& map, const Readout& readout) {
  const std::size_t tokens = readout.weights().size();
  const std::size_t columns = map.size() / tokens;
  std::vector<double> result(tokens, 0.0);
  for (std::size_t row = 0; row < tokens; ++row) {
    for (std::size_t token = 0; token < tokens; ++token) {
      result[token] += readout.weights()[row] * map[row * columns + token];
    }
  }
  return result;
}

// The output less what came from the unit, [unit].
std::vector<double> propagation_removal(const Sources& sources, const StackDescription& stack,
                                        const Readout& readout, const std::vector<double>& before) {
  const std::vector<double> output = sources.values(of_layer(stack, 0, Quantity::output));
  const std::vector<double> vectors = sources.values(of_layer(stack, 0, Quantity::propagation));
  const std::size_t tokens = readout.weights().size();
  const std::size_t width = output.size() / tokens;
  std::vector<std::int64_t> rows;
  for (std::size_t token = 0; token < tokens; ++token) {
    rows.push_back(static_cast<std::int64_t>(token));
  }
  std::vector<double> result;
  for (const std::vector<std::int64_t>& unit : readout.units()) {
    std::vector<double> after = output;
    ErasedTokens erased(tokens, false);
    for (const std::int64_t source : unit) {
      erased[static_cast<std::size_t>(source)] = true;
      for (std::size_t i = 0; i < after.size(); ++i) {
        const std::size_t row = i / width;
        after[i] -= vectors[(row * (tokens + 1) + static_cast<std::size_t>(source)) * width + i % width];
      }
    }
    result.push_back(readout.effect(before, readout.read(after, rows, erased)));
  }
  return result;
}

std::vector<double> random_values(const Sentence& sentence, std::uint64_t seed) {
  std::vector<double> values;
  for (std::size_t token = 0; token < sentence.tokens.size(); ++token) {
    values.push_back(static_cast<double>(
        analysis::keyed_random(seed, static_cast<std::uint64_t>(sentence.number), 0, token) >> 11U));
  }
  return values;
}

std::vector<double> by_unit(const std::vector<double>& values, const Units& units) {
  std::vector<double> result;
  for (const std::vector<std::int64_t>& unit : units) {
    double sum = 0;
    for (const std::int64_t token : unit) {
      sum += values[static_cast<std::size_t>(token)];
    }
    result.push_back(sum);
  }
  return result;
}

std::vector<double> leave_one_out(const Readout& readout, Eraser& eraser) {
  std::vector<std::vector<bool>> sets;
  for (std::size_t unit = 0; unit < readout.units().size(); ++unit) {
    sets.emplace_back(readout.units().size(), false);
    sets.back()[unit] = true;
  }
  return eraser.effects(sets);
}

}  // namespace

std::string why_not(Attribution attribution, const LoadedModel& loaded, const FaithfulnessOptions& options) {
  const model::ModelConfig& config = loaded.model->config();
  if (attribution == Attribution::random || attribution == Attribution::leave_one_out) {
    return "";
  }
  if (is_slope(attribution)) {
    const bool of_keys =
        attribution == Attribution::integrated_presence || attribution == Attribution::removal;
    return of_keys && config.encoder.recurrent() ? "a recurrent encoder attends to nothing" : "";
  }
  if (attribution == Attribution::propagation_removal && options.target.kind == FaithTarget::Kind::tag) {
    return "it gives vectors of the encoder's output, not tag scores; use a target pooled or word:N";
  }
  std::set<QuantityName> missing = inputs_of(attribution, loaded.model->system().main());
  for (const std::vector<QuantitySchema>& offered :
       {loaded.model->quantities(), model::decomposition_quantities(config)}) {
    for (const QuantitySchema& schema : offered) {
      missing.erase(schema.name);
    }
  }
  if (missing.empty()) {
    return "";
  }
  if (loaded.model->system().main().has_groups()) {
    return "its layers have three attentions and a gate, not the one plain attention that it is defined for";
  }
  const std::string reason = model::why_no_decompositions(config);
  return reason.empty() ? "it does not offer " + missing.begin()->text() : reason;
}

std::map<Attribution, std::vector<double>> attribute(const LoadedModel& loaded,
                                                     const FaithfulnessOptions& options,
                                                     const Sentence& sentence, const Readout& readout,
                                                     Eraser& eraser, const std::set<Attribution>& wanted,
                                                     const std::stop_token& stop) {
  const SystemDescription system = loaded.model->system();
  const StackDescription& stack = system.main();
  std::set<QuantityName> names;
  for (const Attribution attribution : wanted) {
    names.merge(inputs_of(attribution, stack));
  }
  const Sources sources(*loaded.model, sentence, names, stop);
  std::map<Attribution, std::vector<double>> result;
  for (const Attribution attribution : wanted) {
    std::vector<double>& values = result[attribution];
    if (attribution == Attribution::leave_one_out) {
      values = leave_one_out(readout, eraser);
    } else if (attribution == Attribution::removal) {
      values = slope_attribution(attribution, *loaded.model, options, sentence, readout, eraser.before());
    } else if (attribution == Attribution::propagation_removal) {
      values = propagation_removal(sources, stack, readout, eraser.before());
    } else if (attribution == Attribution::random) {
      values = by_unit(random_values(sentence, options.seed), readout.units());
    } else if (is_slope(attribution)) {
      values =
          by_unit(slope_attribution(attribution, *loaded.model, options, sentence, readout, eraser.before()),
                  readout.units());
    } else {
      values = by_unit(read_map(map_of(attribution, sources, stack), readout), readout.units());
    }
  }
  return result;
}

}  // namespace mog::app
