// The folder that a model is written to.
#pragma once

#include <filesystem>
#include <string_view>

namespace mog::app {

// Throws UsageError unless `output` is new, empty, or holds a model that `overwrite` lets replace. Files of
// somebody else's are never written among: a folder that is not empty and no model is refused in any case.
// `source`: the model that is read; it is no output.
void check_model_output(const std::filesystem::path& output, const std::filesystem::path& source,
                        bool overwrite);

}  // namespace mog::app
