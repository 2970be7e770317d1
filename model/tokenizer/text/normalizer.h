// What is done to a text before it is cut.
#pragma once

#include "model/tokenizer/text/aligned_text.h"

namespace mog::model {

// Immutable after construction; safe from several threads.
class Normalizer {
 public:
  virtual ~Normalizer() = default;
  virtual void apply(AlignedText& text) const = 0;
  virtual bool lowers() const { return false; }  // whether case is lost
};

}  // namespace mog::model
