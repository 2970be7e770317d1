#include "app/workflow/effects/faithfulness_readout.h"

namespace mog::app {

std::optional<Readout> readout_of(const FaithfulnessOptions& options, const Sentence& sentence) {
  return Readout::of(sentence,
                     {.target = options.target.kind,
                      .word = options.target.word,
                      .unit = options.unit,
                      .special = options.special,
                      .takes_away = options.erasure == Erasure::mask || options.erasure == Erasure::remove});
}

QuantityName read_quantity(const FaithTarget& target, const model::Model& model) {
  return target.kind == FaithTarget::Kind::tag
             ? QuantityName::tag_scores(target.task)
             : QuantityName(model.system().main().stack, 0, Part::none, Quantity::output);
}

}  // namespace mog::app
