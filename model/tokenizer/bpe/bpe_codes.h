// Files of byte-pair merges: subword-nmt 0.1 and 0.2, fastBPE.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace mog::model {

struct BpeCode {
  std::string left;
  std::string right;
};

struct BpeCodes {
  bool end_is_symbol = false;   // version 0.1: "</w>" stands alone; 0.2: it belongs to the last character
  std::vector<BpeCode> merges;  // by rank
};

// Throws FormatError naming file and line.
BpeCodes read_bpe_codes(const std::filesystem::path& file);

}  // namespace mog::model
