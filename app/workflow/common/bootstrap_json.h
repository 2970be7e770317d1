// The choices of a bootstrap in a file of ours.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "analysis/random/bootstrap.h"

namespace mog::app {

nlohmann::ordered_json bootstrap_to_json(const analysis::BootstrapOptions& bootstrap);
// Throws UsageError for what no command accepts (a number of resamples that no memory holds), nlohmann's
// exceptions for what is missing.
analysis::BootstrapOptions bootstrap_from_json(const nlohmann::ordered_json& json);

}  // namespace mog::app
