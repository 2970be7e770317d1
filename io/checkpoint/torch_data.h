// The plain data of a PyTorch pickle as JSON.
#pragma once

#include <string>
#include <string_view>

#include "io/checkpoint/pickle.h"

namespace mog::io {

// Everything but tensors and the state of optimizers; an object is an object with "__class__". What is nested
// deeper than 32 is left out; instead of more than 1 MiB there is {"__left_out__": "…"}.
std::string torch_data(const Pickle& pickle);

// Whether a key of the outermost dictionary names the state of an optimizer.
bool is_optimizer_key(std::string_view key);

}  // namespace mog::io
