// sentencepiece models (spiece.model, source.spm, sentencepiece.bpe.model …).
//
// They leave as tensors: pieces (U8, the bytes of all, one after another), ends (I64, of each among them),
// scores (F32), kinds (U8: 1 normal, 2 unknown, 3 control, 4 user-defined, 5 unused, 6 byte), charsmap (U8,
// the normaliser's table, absent where there is none); the settings are in the metadata.
#pragma once

#include <string_view>

namespace mog::io {

// Whether the first bytes of a file are those of such a model.
bool looks_like_sentencepiece(std::string_view head) noexcept;

}  // namespace mog::io
