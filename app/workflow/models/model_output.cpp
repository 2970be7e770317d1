#include "app/workflow/models/model_output.h"

#include <fmt/format.h>

#include <system_error>

#include "io/recording/errors.h"
#include "model/unfinished_model.h"

namespace mog::app {

namespace fs = std::filesystem;

void check_model_output(const fs::path& output, const fs::path& source, bool overwrite) {
  std::error_code error;
  if (!fs::exists(output, error)) {
    return;
  }
  if (!fs::is_directory(output, error)) {
    throw UsageError(
        fmt::format("--output {}: there is a file of this name; give a folder", output.string()));
  }
  if (fs::equivalent(source, output, error)) {
    throw UsageError(fmt::format("--output {}: it is the folder that is read", output.string()));
  }
  if (fs::exists(output / "config.json", error)) {
    if (!overwrite) {
      throw UsageError(fmt::format(
          "--output {}: it holds a model already; choose another folder, or replace it with --overwrite",
          output.string()));
    }
    return;
  }
  // What this program began there it may write again.
  if (!fs::is_empty(output, error) && !fs::exists(output / model::kUnfinishedModel, error)) {
    throw UsageError(fmt::format(
        "--output {}: it is not empty and holds no model (no config.json); choose another folder, nothing in "
        "this one is touched",
        output.string()));
  }
}

}  // namespace mog::app
