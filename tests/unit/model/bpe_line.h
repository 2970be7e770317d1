// A line as `subword-nmt apply-bpe` prints it: words split at spaces, repeated spaces dropped.
#pragma once

#include <string>
#include <string_view>

#include "model/tokenizer/bpe/bpe.h"

namespace mog::test {

inline std::string segment_line(const model::Bpe& bpe, std::string_view line,
                                const std::string& separator = "@@") {
  std::string result;
  for (const std::string_view word : model::split_at_spaces(line)) {
    const auto pieces = bpe.segment(word);
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      result += result.empty() ? "" : " ";
      result += pieces[i];
      result += i + 1 < pieces.size() ? separator : "";
    }
  }
  return result;
}

}  // namespace mog::test
