// What an attribution needs is run or differentiated here; its values are made in analysis/effects.
#include "app/workflow/effects/faithfulness_attributions.h"

#include <fmt/format.h>

#include <string>

#include "analysis/effects/attributions.h"
#include "analysis/effects/removal_effects.h"

namespace mog::app {
namespace {

// What was recorded of one sentence.
class Sources {
 public:
  Sources(const model::Model& model, const Sentence& sentence, const std::set<QuantityName>& names,
          const std::stop_token& stop) {
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

 private:
  RecordingBatch batch_;
};

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
  if (analysis::of_gradients(attribution)) {
    const bool of_keys =
        attribution == Attribution::integrated_presence || attribution == Attribution::removal;
    return of_keys && config.encoder.recurrent() ? "a recurrent encoder attends to nothing" : "";
  }
  const FaithTarget::Kind kind = options.target.kind;
  if (attribution == Attribution::propagation_removal &&
      (kind == FaithTarget::Kind::tag || kind == FaithTarget::Kind::head)) {
    return fmt::format(
        "it gives vectors of the encoder's output, not scores of {}; use a target pooled or "
        "word:N",
        kind == FaithTarget::Kind::tag ? "tags" : "heads");
  }
  std::set<QuantityName> missing = analysis::recorded_inputs(attribution, loaded.model->system().main());
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
    names.merge(analysis::recorded_inputs(attribution, stack));
  }
  const Sources sources(*loaded.model, sentence, names, stop);
  const auto read = [&](const QuantityName& name) { return sources.values(name); };
  const auto tokens = static_cast<std::int64_t>(sentence.tokens.size());
  const auto by_unit = [&](const std::vector<double>& values) {
    return analysis::sums_by_unit(values, readout.units());
  };
  const auto slopes = [&](Attribution attribution) {
    return slope_attribution(attribution, *loaded.model, options, sentence, readout, eraser.before(),
                             eraser.graph());
  };
  std::map<Attribution, std::vector<double>> result;
  for (const Attribution attribution : wanted) {
    std::vector<double>& values = result[attribution];
    if (attribution == Attribution::leave_one_out) {
      values = leave_one_out(readout, eraser);
    } else if (attribution == Attribution::removal) {
      values = slopes(attribution);
    } else if (attribution == Attribution::propagation_removal) {
      values = analysis::propagation_removals(
          readout, eraser.before(), sources.values({stack.stack, 0, Part::none, Quantity::output}),
          sources.values({stack.stack, 0, Part::none, Quantity::propagation}));
    } else if (attribution == Attribution::random) {
      values = by_unit(analysis::random_values(sentence.number, tokens, options.seed));
    } else if (analysis::of_gradients(attribution)) {
      values = by_unit(slopes(attribution));
    } else {
      values = by_unit(analysis::map_values(analysis::attribution_map(attribution, stack, tokens, read),
                                            readout.weights()));
    }
  }
  return result;
}

}  // namespace mog::app
