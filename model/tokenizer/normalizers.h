// What a tokenizer.json does to a text before it is cut. Private to mog_model.
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "model/tokenizer/aligned_text.h"

namespace mog::model {

// Immutable after construction; safe from several threads.
class Normalizer {
 public:
  virtual ~Normalizer() = default;
  virtual void apply(AlignedText& text) const = 0;
  virtual bool lowers() const { return false; }  // whether case is lost
};

// The component `value` of the file; `path` is its place ("normalizer"). nullptr for null. Known:
// BertNormalizer, NFC, NFD, NFKC, NFKD, Lowercase, Strip, StripAccents, Nmt, Precompiled, Replace, Prepend,
// ByteLevel, SentencePiece (ours, sentencepiece_file.h), Sequence. Throws FormatError naming the file and the
// path of what is damaged, ModelError for a component that is not
// supported.
std::unique_ptr<const Normalizer> read_normalizer(const nlohmann::ordered_json& value,
                                                  const std::string& file, const std::string& path);

}  // namespace mog::model
