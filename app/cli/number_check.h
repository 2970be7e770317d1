// Numbers of options that lie between two. CLI11's own Range lets "nan" through: it is neither below nor
// above.
#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <string>

namespace mog::cli {

inline CLI::Validator between(double least, double most) {
  return {[least, most](std::string& text) {
            double value = 0;
            const bool inside = CLI::detail::lexical_cast(text, value) && value >= least && value <= most;
            return inside ? std::string() : fmt::format("{} is no number from {} to {}", text, least, most);
          },
          fmt::format("{} to {}", least, most)};
}

}  // namespace mog::cli
