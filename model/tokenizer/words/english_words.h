// Words of English text as Universal Dependencies (EWT) has them.
#pragma once

#include <string_view>
#include <vector>

namespace mog::model {

// Words of `text` (sound UTF-8), as views into it, in their order: together they are the text without its
// white space. "don't" gives do n't, "cannot" can not, "well-known" well - known, "e-mail", "U.S." and
// addresses stay whole. White space is Unicode's. Deterministic, without a locale; O(bytes) for any text.
std::vector<std::string_view> english_words(std::string_view text);

}  // namespace mog::model
