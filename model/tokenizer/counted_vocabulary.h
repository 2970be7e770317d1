// Tokens with how often they were seen: fairseq dictionaries and the output of subword-nmt get-vocab.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace mog::model {

struct CountedToken {
  std::string token;
  std::int64_t count = 0;
  friend bool operator==(const CountedToken&, const CountedToken&) = default;
};

// One "token count" a line. Throws FormatError naming file and line: no or no whole count, empty or repeated
// token, invalid UTF-8, NUL.
std::vector<CountedToken> read_counted_vocabulary(const std::filesystem::path& file);

}  // namespace mog::model
