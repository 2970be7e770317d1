#include "app/workflow/record/identity_report.h"

#include <fmt/format.h>

#include "io/recording/errors.h"

namespace mog::app {

void IdentityReport::add(const IdentityResidual& found) {
  if (!(found.residual <= found.tolerance)) {
    std::string where = fmt::format("sentence {}", found.sentence);
    if (found.layer > 0) {
      where += fmt::format(", layer {}", found.layer);
    }
    if (found.head > 0) {
      where += fmt::format(", head {}", found.head);
    }
    throw Error(
        fmt::format("--check: {}: \"{}\" does not hold: its residual is {:.2g}, at most {:.0e} of the "
                    "largest entry is allowed; --precision float64 tells rounding from a defect",
                    where, found.identity, found.residual, found.tolerance));
  }
  const std::scoped_lock lock(mutex_);
  const auto [entry, fresh] = worst_.try_emplace(found.identity, found);
  if (!fresh && entry->second.residual < found.residual) {
    entry->second = found;
  }
}

std::vector<IdentityResidual> IdentityReport::worst() const {
  const std::scoped_lock lock(mutex_);
  std::vector<IdentityResidual> result;
  for (const auto& [identity, residual] : worst_) {
    result.push_back(residual);
  }
  return result;
}

}  // namespace mog::app
