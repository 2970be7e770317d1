// What every tokenizer asks of a text before it cuts it. Private to mog_model.
#pragma once

#include <cstdint>
#include <string_view>

namespace mog::model {

// Throws FormatError, naming the sentence, when the text is not UTF-8 or is longer than 2^30 bytes (offsets
// of ICU are 32-bit).
void check_sentence(std::string_view text, std::int64_t number);

}  // namespace mog::model
