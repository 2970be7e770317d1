// What the card of a converted model says of its source.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace mog::model {

// `given` where it can be shown, else the name of the folder or file.
std::string source_name(const std::filesystem::path& path, const std::string& given);
// The value of "license:" in the front matter of README.md; may be empty.
std::string license_of(const std::filesystem::path& folder);
// "a, b, c and 12 more".
std::string shortened(const std::vector<std::string>& names);

}  // namespace mog::model
