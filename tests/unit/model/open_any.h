// Opens a file the way the programs do, by kind, for the tests of bad input.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace mog::test {

// Kinds are those of tests/data/hostile/MANIFEST.json. Returns the number of sentences for text and conllu.
// Throws what the reader throws.
std::optional<std::int64_t> open_any(const std::string& kind, const std::filesystem::path& path);

}  // namespace mog::test
