// Text → parts → pieces → tokens: added tokens and normalizer, pre-tokenizer, model, post-processor. Pieces
// are ranges of the changed text; only at the end they become ranges of the original, from the origin of
// their first byte to that of their last. O(bytes) beside what the parts take.
//
// Words are found in two ways. For WordPiece the parts are the words, since that is how these models see
// them, with marks behind that the normalizer took away. Else words are what spaces separate, and a piece
// belongs to that of its first byte that is no space: pieces begin with the space before their word.
//
// Trap: with trim_offsets the reference counts white space in the token's text, not in the original's bytes,
// and moves both ends by as many characters. Taking it from the original would differ where the normalizer
// added or dropped some.
#include "model/tokenizer/json/json_tokenizer.h"

#include <algorithm>
#include <utility>

#include "model/tokenizer/bpe/bpe.h"
#include "model/tokenizer/sentence_check.h"
#include "model/tokenizer/text/reference_unicode.h"

namespace mog::model {
namespace {

// A token on its way: where it stands in the text, and of which part.
struct Placed {
  std::int64_t id = 0;
  ByteSpan bytes;
  std::int64_t part = -1;  // -1: of the frame
  std::string_view text;   // of an added token as it was found, else empty
};

bool trimmed(char32_t code) {
  constexpr char32_t kSpaceOfByteLevel = 0x120;
  return code == kSpaceOfByteLevel || is_white_space(code);
}

std::size_t leading(std::string_view text) {
  std::size_t count = 0;
  for (std::size_t at = 0; at < text.size() && trimmed(next_character(text, at));) {
    ++count;
  }
  return count;
}

std::size_t trailing(std::string_view text) {
  std::size_t count = 0;
  for (std::size_t at = 0; at < text.size();) {
    count = trimmed(next_character(text, at)) ? count + 1 : 0;
  }
  return count;
}

bool continues(char c) {
  return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
}

// `at` moved by `count` characters, not beyond `limit`.
std::int64_t forward(std::string_view text, std::int64_t at, std::size_t count, std::int64_t limit) {
  for (; count > 0 && at < limit; --count) {
    do {
      ++at;
    } while (at < limit && continues(text[static_cast<std::size_t>(at)]));
  }
  return at;
}
std::int64_t backward(std::string_view text, std::int64_t at, std::size_t count, std::int64_t limit) {
  for (; count > 0 && at > limit; --count) {
    do {
      --at;
    } while (at > limit && continues(text[static_cast<std::size_t>(at)]));
  }
  return at;
}

// Marks on the last letter that the normalizer has taken away are the word's: its text is the reader's.
std::int64_t with_marks(std::string_view text, std::int64_t end, std::int64_t next_word) {
  auto at = static_cast<std::size_t>(end);
  while (static_cast<std::int64_t>(at) < next_word) {
    std::size_t behind = at;
    if (!is_combining_mark_9(next_character(text, behind))) {
      break;
    }
    at = behind;
  }
  return static_cast<std::int64_t>(at);
}

class JsonTokenizer final : public Tokenizer {
 public:
  explicit JsonTokenizer(TokenizerParts parts) : parts_(std::move(parts)) {}

  Sentence encode(std::string_view text, std::int64_t number) const override {
    check_sentence(text, number);
    Sentence sentence;
    sentence.number = number;
    sentence.text = text;
    if (!parts_.words_are_parts) {
      for (const std::string_view word : split_at_spaces(text)) {
        add_word(sentence, word.data() - text.data(), word.size());
      }
    }
    fill(sentence, parts_.words_are_parts);
    return sentence;
  }

  Sentence encode_words(std::span<const std::string> words, std::int64_t number) const override {
    Sentence sentence = sentence_of_words(words, number);
    fill(sentence, false);
    return sentence;
  }

  DecodedText decode(std::span<const std::string> tokens) const override {
    return parts_.decoder.decode(tokens);
  }
  const Vocabulary& vocabulary() const override { return *parts_.vocabulary; }
  std::string_view kind() const override { return parts_.kind; }

 private:
  static void add_word(Sentence& sentence, std::int64_t begin, std::size_t size) {
    sentence.words.push_back({sentence.text.substr(static_cast<std::size_t>(begin), size),
                              {begin, begin + static_cast<std::int64_t>(size)}});
  }

  // Tokens of sentence.text; `words`: the parts that are cut become the words.
  void fill(Sentence& sentence, bool words) const {
    CutText cut = parts_.added->cut(sentence.text, parts_.normalizer.get());
    if (parts_.pre_tokenizer) {
      parts_.pre_tokenizer->apply(cut);
    }
    if (words) {
      for (std::size_t i = 0; i < cut.parts.size(); ++i) {
        const Part& part = cut.parts[i];
        const std::int64_t begin = cut.text.origin[part.begin].begin;
        const std::int64_t next = i + 1 < cut.parts.size() ? cut.text.origin[cut.parts[i + 1].begin].begin
                                                           : static_cast<std::int64_t>(sentence.text.size());
        const std::int64_t end = with_marks(sentence.text, cut.text.origin[part.end - 1].end, next);
        add_word(sentence, begin, static_cast<std::size_t>(end - begin));
      }
    }
    std::vector<Placed> tokens = place(cut);
    finish(sentence, tokens);
    sentence.tokens.reserve(tokens.size());
    for (const Placed& token : tokens) {
      const std::int64_t word = token.part < 0 ? -1 : words ? token.part : word_at(sentence, token.bytes);
      sentence.tokens.push_back({vocabulary().token(token.id), token.id, word, token.bytes});
    }
  }

  std::vector<Placed> place(const CutText& cut) const {
    std::vector<Placed> tokens;
    std::vector<CutPiece> pieces;
    for (std::size_t i = 0; i < cut.parts.size(); ++i) {
      const Part& part = cut.parts[i];
      const std::string_view view = cut.view(part);
      pieces.clear();
      if (part.token >= 0) {
        pieces.push_back({part.token, 0, view.size()});
      } else {
        parts_.model->cut(view, pieces);
      }
      for (const CutPiece& piece : pieces) {
        // Bytes of an unknown character may count more than the part has.
        const std::size_t begin = part.begin + std::min(piece.begin, view.size() - 1);
        const std::size_t end = std::max(begin + 1, part.begin + std::min(piece.end, view.size()));
        tokens.push_back({piece.id,
                          {cut.text.origin[begin].begin, cut.text.origin[end - 1].end},
                          static_cast<std::int64_t>(i),
                          part.token >= 0 ? view : std::string_view()});
      }
    }
    return tokens;
  }

  // The word where the first byte that is no space stands; of a piece of spaces alone the word behind it.
  static std::int64_t word_at(const Sentence& sentence, ByteSpan bytes) {
    std::int64_t at = bytes.begin;
    while (at < bytes.end && sentence.text[static_cast<std::size_t>(at)] == ' ') {
      ++at;
    }
    const auto found =
        std::upper_bound(sentence.words.begin(), sentence.words.end(), at,
                         [](std::int64_t place, const Word& word) { return place < word.bytes.end; });
    const auto index = found - sentence.words.begin();
    const auto count = static_cast<std::int64_t>(sentence.words.size());
    return std::min(static_cast<std::int64_t>(index), count - 1);
  }

  // The post-processor.
  void finish(const Sentence& sentence, std::vector<Placed>& tokens) const {
    const auto size = static_cast<std::int64_t>(sentence.text.size());
    for (const PostStep& step : parts_.post) {
      if (step.trims) {
        for (std::size_t i = 0; i < tokens.size(); ++i) {
          trim(sentence.text, step.prefix_space, i == 0, tokens[i]);
        }
      }
      std::vector<Placed> frame;
      for (const std::int64_t id : step.before) {
        frame.push_back({id, {0, 0}, -1, {}});
      }
      tokens.insert(tokens.begin(), frame.begin(), frame.end());
      for (const std::int64_t id : step.behind) {
        tokens.push_back({id, {size, size}, -1, {}});
      }
    }
  }

  void trim(std::string_view text, bool prefix_space, bool first, Placed& token) const {
    if (token.part < 0) {
      return;
    }
    const std::string own = token.text.empty() ? vocabulary().token(token.id) : std::string(token.text);
    std::size_t left = leading(own);
    const std::size_t right = trailing(own);
    if (prefix_space && left == 1 && (first || token.bytes.begin == 0)) {
      left = 0;  // that space was added, not the text's
    }
    token.bytes.begin = forward(text, token.bytes.begin, left, token.bytes.end);
    token.bytes.end = backward(text, token.bytes.end, right, token.bytes.begin);
  }

  TokenizerParts parts_;
};

}  // namespace

std::shared_ptr<const Tokenizer> make_json_tokenizer(TokenizerParts parts) {
  return std::make_shared<JsonTokenizer>(std::move(parts));
}

}  // namespace mog::model
