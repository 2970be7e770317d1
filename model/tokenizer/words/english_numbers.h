// Numbers, times, dates and telephone numbers in a stretch of text.
#pragma once

#include <cstddef>

#include "model/tokenizer/words/english_characters.h"

namespace mog::model {

// End of the number whose first digit is at `at`: "1,200.50", "7:30", "11/28/2000", "713-853-3989"; of "1/2"
// and "1969-1970" the first part.
std::size_t number_end(const Characters& text, std::size_t at);
// Whether a unit of measurement ("km", "pm") and nothing else stands at `at`.
bool unit_at(const Characters& text, std::size_t at);
// End of the decade of which [.., end) is the number ("60's", as "60s"); else `end`.
std::size_t decade_end(const Characters& text, std::size_t end);

}  // namespace mog::model
