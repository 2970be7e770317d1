// Tokens such as <mask> are found before anything else looks at a text, in two rounds: those that are meant
// as written in the raw text, then, between these, the others in the normalised text. Each round is a walk
// with a trie (ByteTrie), leftmost token first, of several at one place the longest, as the reference's
// automaton does. O(bytes · length of a token) at worst; a byte that begins none costs one look.
//
// A text between tokens is normalised for itself. That is the reference's way, and visible: marks of the
// beginning of a text can come back behind a token.
//
// Traps: lstrip and rstrip widen a token over white space, but never into what an earlier token has. Two
// tokens that look the same once they are normalised are refused, since no search could tell them apart.
#include "model/tokenizer/json/added_tokens.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "io/recording/errors.h"
#include "model/config/config_reader.h"
#include "model/tokenizer/text/reference_unicode.h"

namespace mog::model {
namespace {

std::size_t character_before(std::string_view text, std::size_t at) {
  do {
    --at;
  } while (at > 0 && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U);
  return at;
}

bool word_at(std::string_view text, std::size_t at) {
  return is_word_character(next_character(text, at));
}

// Where the white space that ends at `at` begins, not before `least`.
std::size_t space_before(std::string_view text, std::size_t at, std::size_t least) {
  while (at > least) {
    const std::size_t before = character_before(text, at);
    std::size_t peek = before;
    if (!is_white_space(next_character(text, peek))) {
      break;
    }
    at = before;
  }
  return std::max(at, least);
}

std::size_t space_behind(std::string_view text, std::size_t at) {
  while (at < text.size()) {
    std::size_t next = at;
    if (!is_white_space(next_character(text, next))) {
      break;
    }
    at = next;
  }
  return at;
}

}  // namespace

std::vector<AddedToken> read_added_tokens(const nlohmann::ordered_json& list, const std::string& file) {
  std::vector<AddedToken> tokens;
  if (list.is_null()) {
    return tokens;
  }
  if (!list.is_array()) {
    throw FormatError(fmt::format("{}: added_tokens: expected a list", file));
  }
  std::set<std::string, std::less<>> known;
  for (std::size_t i = 0; i < list.size(); ++i) {
    constexpr std::int64_t kMostTokens = std::int64_t{1} << 24U;
    ConfigReader reader(list[i], file, fmt::format("added_tokens[{}]", i));
    AddedToken token;
    token.content = reader.text("content");
    token.id = reader.integer("id", 0, kMostTokens);
    token.special = reader.boolean("special");
    token.normalized = reader.boolean("normalized");
    token.single_word = reader.boolean("single_word");
    token.lstrip = reader.boolean("lstrip");
    token.rstrip = reader.boolean("rstrip");
    reader.finish();
    if (token.content.empty()) {
      reader.refuse("content", "a text", "an empty one");
    }
    if (!known.insert(token.content).second) {
      reader.refuse("content", "each token once", fmt::format("{:?} again", token.content));
    }
    tokens.push_back(std::move(token));
  }
  return tokens;
}

AddedTokens::AddedTokens(std::vector<AddedToken> tokens, const Normalizer* normalizer,
                         const std::string& where)
    : tokens_(std::move(tokens)) {
  std::vector<std::pair<std::string, std::int32_t>> as_written;
  std::vector<std::pair<std::string, std::int32_t>> normalized;
  for (std::size_t i = 0; i < tokens_.size(); ++i) {
    std::string content = tokens_[i].content;
    if (tokens_[i].normalized && normalizer != nullptr) {
      AlignedText text;
      text.append_original(content, 0);
      normalizer->apply(text);
      content = std::move(text.bytes);
    }
    if (content.empty()) {
      throw FormatError(fmt::format("{}: the normalizer leaves nothing of the added token {:?}", where,
                                    tokens_[i].content));
    }
    (tokens_[i].normalized ? normalized : as_written)
        .emplace_back(std::move(content), static_cast<std::int32_t>(i));
  }
  for (auto* const list : {&as_written, &normalized}) {
    std::sort(list->begin(), list->end());
    const auto same = std::adjacent_find(list->begin(), list->end(), [](const auto& left, const auto& right) {
      return left.first == right.first;
    });
    if (same != list->end()) {
      throw FormatError(fmt::format("{}: the added tokens {:?} and {:?} are the same after normalisation",
                                    where, tokens_[static_cast<std::size_t>(same->second)].content,
                                    tokens_[static_cast<std::size_t>((same + 1)->second)].content));
    }
  }
  as_written_ = ByteTrie(std::move(as_written));
  normalized_ = ByteTrie(std::move(normalized));
}

template <class OnRest, class OnToken>
void AddedTokens::split(std::string_view text, const ByteTrie& trie, OnRest&& on_rest,
                        OnToken&& on_token) const {
  std::size_t covered = 0;
  for (std::size_t at = 0; !trie.empty() && at < text.size();) {
    if (!trie.begins_with(static_cast<unsigned char>(text[at]))) {
      ++at;
      continue;
    }
    std::size_t length = 0;
    std::int32_t index = -1;
    trie.prefixes(text.substr(at), [&](std::size_t found, std::int32_t value) {
      length = found;
      index = value;
    });
    if (index < 0) {
      ++at;
      continue;
    }
    const AddedToken& token = tokens_[static_cast<std::size_t>(index)];
    std::size_t begin = at;
    std::size_t end = at + length;
    at = end;
    if (token.single_word && ((begin > 0 && word_at(text, character_before(text, begin))) ||
                              (end < text.size() && word_at(text, end)))) {
      continue;
    }
    if (token.lstrip) {
      begin = space_before(text, begin, covered);
    }
    if (token.rstrip) {
      end = space_behind(text, end);
    }
    begin = std::max(begin, covered);
    if (covered < begin) {
      on_rest(covered, begin);
    }
    on_token(begin, end, token.id);
    covered = end;
    at = std::max(at, end);
  }
  if (covered < text.size()) {
    on_rest(covered, text.size());
  }
}

CutText AddedTokens::cut(std::string_view text, const Normalizer* normalizer) const {
  CutText result;
  const auto add = [&](const AlignedText& from, std::size_t begin, std::size_t end, std::int64_t token) {
    const auto place = static_cast<std::uint32_t>(result.text.bytes.size());
    result.text.append_part(from, begin, end);
    if (begin < end) {
      result.parts.push_back({place, place + static_cast<std::uint32_t>(end - begin), token});
    }
  };
  AlignedText part;
  split(
      text, as_written_,
      [&](std::size_t begin, std::size_t end) {
        part.clear();
        part.append_original(text.substr(begin, end - begin), static_cast<std::uint32_t>(begin));
        if (normalizer != nullptr) {
          normalizer->apply(part);
        }
        split(
            part.bytes, normalized_, [&](std::size_t first, std::size_t last) { add(part, first, last, -1); },
            [&](std::size_t first, std::size_t last, std::int64_t id) { add(part, first, last, id); });
      },
      [&](std::size_t begin, std::size_t end, std::int64_t id) {
        part.clear();
        part.append_original(text.substr(begin, end - begin), static_cast<std::uint32_t>(begin));
        add(part, 0, part.bytes.size(), id);
      });
  return result;
}

}  // namespace mog::model
