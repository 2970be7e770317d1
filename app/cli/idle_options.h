// Options that were given and would change nothing are refused.
#pragma once

#include <CLI/App.hpp>
#include <span>
#include <string>
#include <string_view>

namespace mog::cli {

struct OptionUse {
  std::string_view option;  // "--orders"
  bool has_effect = true;   // on what is asked for
  std::string_view where;   // what it belongs to: "--quantity leaves-mass and distinct-mass"
};

// Throws UsageError for the first option of `uses` that was given on the command line without effect: "stats:
// --orders has no effect here; it belongs to …". `what` begins the message.
void refuse_idle_options(const CLI::App& command, std::string_view what, std::span<const OptionUse> uses);

// Whether an option was given.
bool given(const CLI::App& command, std::string_view option);

}  // namespace mog::cli
