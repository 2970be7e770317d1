#include "app/cli/idle_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "io/recording/errors.h"

namespace mog::cli {

bool given(const CLI::App& command, std::string_view option) {
  return command.get_option(std::string(option))->count() > 0;
}

void refuse_idle_options(const CLI::App& command, std::string_view what, std::span<const OptionUse> uses) {
  for (const OptionUse& use : uses) {
    if (!use.has_effect && given(command, use.option)) {
      const CLI::Option& option = *command.get_option(std::string(use.option));
      const std::string value =
          option.get_expected_max() > 0 ? fmt::format(" {}", fmt::join(option.results(), " ")) : "";
      throw UsageError(
          fmt::format("{}: {}{} has no effect here; it belongs to {}", what, use.option, value, use.where));
    }
  }
}

}  // namespace mog::cli
