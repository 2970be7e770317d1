// What sentencepiece does to a text before it is cut.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "model/tokenizer/text/normalizer.h"

namespace mog::model {

struct SentencePieceNormalizing {
  std::string charsmap;          // as in the file; empty: none
  bool add_dummy_prefix = true;  // a space before the text (behind it with whitespace_as_suffix)
  bool remove_extra_whitespaces = true;
  bool escape_whitespaces = true;  // spaces become U+2581
  bool whitespace_as_suffix = false;
  std::vector<std::string> symbols;  // user-defined pieces: they stay as they are
};

// Place by place the longest entry of the character map replaces what it matches; bytes of a replacement come
// from all that it replaces, the added space from nowhere before the first character. Throws FormatError
// beginning with `where` when the character map is damaged.
std::unique_ptr<const Normalizer> make_sentencepiece_normalizer(const SentencePieceNormalizing& options,
                                                                const std::string& where);

}  // namespace mog::model
