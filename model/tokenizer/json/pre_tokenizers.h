// How a tokenizer.json cuts a normalised text into the parts that its model sees.
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "model/tokenizer/text/aligned_text.h"

namespace mog::model {

// A part of the text: bytes [begin, end) of AlignedText, never empty.
struct Part {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  std::int64_t token = -1;  // an added token found there: it stays whole
};

struct CutText {
  AlignedText text;
  std::vector<Part> parts;  // in order
  std::string_view view(const Part& part) const {
    return std::string_view(text.bytes).substr(part.begin, part.end - part.begin);
  }
};

// Immutable after construction; safe from several threads.
class PreTokenizer {
 public:
  virtual ~PreTokenizer() = default;
  virtual void apply(CutText& cut) const = 0;
};

// The component `value` of the file; nullptr for null. Known: BertPreTokenizer, Whitespace, WhitespaceSplit,
// ByteLevel, Metaspace, Punctuation, Digits, Split, CharDelimiterSplit, FixedLength, Sequence.
// Throws FormatError naming the file, the path and what is damaged there, ModelError for a component that is
// not supported.
std::unique_ptr<const PreTokenizer> read_pre_tokenizer(const nlohmann::ordered_json& value,
                                                       const std::string& file, const std::string& path);

}  // namespace mog::model
