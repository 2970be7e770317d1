#include "app/workflow/common/bootstrap_json.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "io/recording/errors.h"

namespace mog::app {

nlohmann::ordered_json bootstrap_to_json(const analysis::BootstrapOptions& bootstrap) {
  return {{"resamples", bootstrap.resamples}, {"confidence", bootstrap.confidence}, {"seed", bootstrap.seed}};
}

analysis::BootstrapOptions bootstrap_from_json(const nlohmann::ordered_json& json) {
  constexpr std::int64_t kMostResamples = 1'000'000;  // as the commands have it
  analysis::BootstrapOptions bootstrap;
  json.at("resamples").get_to(bootstrap.resamples);
  json.at("confidence").get_to(bootstrap.confidence);
  json.at("seed").get_to(bootstrap.seed);
  if (bootstrap.resamples < 0 || bootstrap.resamples > kMostResamples ||
      !(bootstrap.confidence > 0 && bootstrap.confidence < 1)) {
    throw UsageError(fmt::format("a bootstrap of {} resamples with confidence {} cannot be",
                                 bootstrap.resamples, bootstrap.confidence));
  }
  return bootstrap;
}

}  // namespace mog::app
