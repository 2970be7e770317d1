// Addresses and emoticons: what stays one word although it has marks in it.
#pragma once

#include <cstddef>

#include "model/tokenizer/words/english_characters.h"

namespace mog::model {

// End of the emoticon (":-)", "=D", "<3", "^_^") that begins at `at`; `at` where none begins.
std::size_t emoticon_end(const Characters& text, std::size_t at);

// Finds addresses from left to right in one stretch, which must outlive it.
class AddressFinder {
 public:
  explicit AddressFinder(const Characters& text) : text_(text) {}
  // End of the URL, e-mail address, host or file name that begins at `at`; `at` where none begins. Places ask
  // in growing order; all calls together take time that is linear in the stretch.
  std::size_t end(std::size_t at);

 private:
  const Characters& text_;
  std::size_t looked_ = 0;  // up to here no address begins
};

}  // namespace mog::model
