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
  switch (target.kind) {
    case FaithTarget::Kind::tag:
      return QuantityName::tag_scores(target.task);
    case FaithTarget::Kind::head:
      return QuantityName::pair_scores("arcs");
    default:
      return {model.system().main().stack, 0, Part::none, Quantity::output};
  }
}

}  // namespace mog::app
