// The folder that a model is written to.
#pragma once

#include <filesystem>

namespace mog::app {

// Throws UsageError unless `output` is new, empty, holds a model that `overwrite` lets replace, or one whose
// writing was interrupted. Files of somebody else's are never written among: any other folder is refused.
// `source`: the model that is read; it is no output.
void check_model_output(const std::filesystem::path& output, const std::filesystem::path& source,
                        bool overwrite);

}  // namespace mog::app
