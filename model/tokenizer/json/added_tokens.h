// Tokens that are found whole in a text before anything else looks at it.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "model/tokenizer/json/normalizers.h"
#include "model/tokenizer/json/pre_tokenizers.h"
#include "model/tokenizer/text/byte_trie.h"

namespace mog::model {

struct AddedToken {
  std::string content;
  std::int64_t id = 0;
  bool special = false;
  bool normalized = false;   // looked for in the normalised text, itself normalised
  bool single_word = false;  // not beside a word character
  bool lstrip = false;       // takes the white space before it
  bool rstrip = false;       // and behind it
};

// The list `added_tokens` of the file, in its order. Throws FormatError naming the entry: unknown or missing
// keys, an empty or repeated content.
std::vector<AddedToken> read_added_tokens(const nlohmann::ordered_json& list, const std::string& file);

// Immutable after construction; safe from several threads.
class AddedTokens {
 public:
  // Throws FormatError beginning with `where` when two tokens look the same, or nothing is left of one.
  AddedTokens(std::vector<AddedToken> tokens, const Normalizer* normalizer, const std::string& where);
  // The text, `offset` bytes into the original, normalised between the tokens found in it; parts in order.
  CutText cut(std::string_view text, const Normalizer* normalizer) const;

 private:
  // Calls on_rest(begin, end) and on_token(begin, end, id): the leftmost token, of those at one place the
  // longest. Together they cover `text`.
  template <class OnRest, class OnToken>
  void split(std::string_view text, const ByteTrie& trie, OnRest&& on_rest, OnToken&& on_token) const;

  std::vector<AddedToken> tokens_;
  ByteTrie as_written_;  // values: indices into tokens_
  ByteTrie normalized_;
};

}  // namespace mog::model
