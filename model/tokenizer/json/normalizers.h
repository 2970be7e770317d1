// What a tokenizer.json does to a text before it is cut.
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "model/tokenizer/text/normalizer.h"

namespace mog::model {

// The component `value` of the file; `path` is its place ("normalizer"). nullptr for null. Known:
// BertNormalizer, NFC, NFD, NFKC, NFKD, Lowercase, Strip, StripAccents, Nmt, Precompiled, Replace, Prepend,
// ByteLevel, SentencePiece (ours, sentencepiece_file.h), Sequence. Throws FormatError naming the file and the
// path of what is damaged, ModelError for a component that is not
// supported.
std::unique_ptr<const Normalizer> read_normalizer(const nlohmann::ordered_json& value,
                                                  const std::string& file, const std::string& path);

}  // namespace mog::model
