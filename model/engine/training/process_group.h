// Processes of a training run, joined by LibTorch's c10d.
#pragma once

#include <memory>

#include "model/processes.h"

namespace mog::engine {

// See model/processes.h.
std::shared_ptr<model::Processes> join_processes(const model::ProcessOptions& options);

}  // namespace mog::engine
