// One walk over the text: at each place the longest user-defined piece, which is copied as it is, else the
// longest match of the charsmap, else a character. White space is treated in the same walk, as the reference
// does it: leading spaces go, runs become one, the space before everything is added, and only then a space
// is written as U+2581. O(bytes · longest match).
//
// Each byte takes the origin of all that its step replaced. A prefix that was added has an empty origin at
// the first character, so that no token claims a byte that is not there.
//
// Trap: a replacement of the charsmap may itself begin or end with spaces. Hence `after_space` looks at what
// is written, not at what was read.
#include "model/tokenizer/sentencepiece/sentencepiece_normalizer.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "model/tokenizer/text/byte_trie.h"
#include "model/tokenizer/text/precompiled_charsmap.h"
#include "model/tokenizer/text/reference_unicode.h"

namespace mog::model {
namespace {

constexpr std::string_view kSpace = "\xE2\x96\x81";  // U+2581

class SentencePieceNormalizer final : public Normalizer {
 public:
  SentencePieceNormalizer(const SentencePieceNormalizing& options, const std::string& where)
      : options_(options) {
    if (!options.charsmap.empty()) {
      charsmap_.emplace(options.charsmap, where);
    }
    std::vector<std::pair<std::string, std::int32_t>> symbols;
    for (const std::string& symbol : options.symbols) {
      symbols.emplace_back(symbol, static_cast<std::int32_t>(symbols.size()));
    }
    symbols_ = ByteTrie(std::move(symbols));
  }

  void apply(AlignedText& text) const override {
    const std::string_view bytes = text.bytes;
    std::size_t at = 0;
    if (options_.remove_extra_whitespaces) {
      while (at < bytes.size()) {
        const Step step = next(bytes.substr(at));
        if (step.text != " ") {
          break;
        }
        at += step.size;
      }
    }
    AlignedText result;
    if (at == bytes.size()) {
      text = std::move(result);
      return;
    }
    result.bytes.reserve(bytes.size() + bytes.size() / 2 + kSpace.size());
    const Origin start{text.origin[at].begin, text.origin[at].begin};
    if (options_.add_dummy_prefix && !options_.whitespace_as_suffix) {
      append(" ", start, result);
    }
    bool after_space = options_.remove_extra_whitespaces;
    while (at < bytes.size()) {
      const Step step = next(bytes.substr(at));
      std::string_view with = step.text;
      while (after_space && with.starts_with(' ')) {
        with.remove_prefix(1);
      }
      if (!with.empty()) {
        append(with, {text.origin[at].begin, text.origin[at + step.size - 1].end}, result);
        after_space = with.ends_with(' ');
      }
      at += step.size;
      after_space = after_space && options_.remove_extra_whitespaces;
    }
    if (options_.remove_extra_whitespaces) {
      remove_trailing(result);
    }
    if (options_.add_dummy_prefix && options_.whitespace_as_suffix) {
      const std::uint32_t end = result.origin.empty() ? start.end : result.origin.back().end;
      append(" ", {end, end}, result);
    }
    text = std::move(result);
  }

 private:
  struct Step {
    std::string_view text;
    std::size_t size = 0;  // of what it replaces
  };

  // `text` is not empty.
  Step next(std::string_view text) const {
    std::size_t size = 0;
    symbols_.prefixes(text, [&](std::size_t length, std::int32_t) { size = length; });
    if (size == 0 && charsmap_) {
      const PrecompiledCharsmap::Match match = charsmap_->longest(text);
      if (match.size > 0) {
        return {match.with, match.size};
      }
    }
    if (size == 0) {
      next_character(text, size);
    }
    return {text.substr(0, size), size};
  }

  void append(std::string_view part, Origin from, AlignedText& into) const {
    if (!options_.escape_whitespaces) {
      into.append(part, from);
      return;
    }
    for (std::size_t at = 0; at < part.size();) {
      const std::size_t space = std::min(part.find(' ', at), part.size());
      into.append(part.substr(at, space - at), from);
      if (space < part.size()) {
        into.append(kSpace, from);
      }
      at = space + 1;
    }
  }

  void remove_trailing(AlignedText& text) const {
    const std::string_view space = options_.escape_whitespaces ? kSpace : " ";
    while (text.bytes.ends_with(space)) {
      text.bytes.resize(text.bytes.size() - space.size());
    }
    text.origin.resize(text.bytes.size());
  }

  SentencePieceNormalizing options_;
  std::optional<PrecompiledCharsmap> charsmap_;
  ByteTrie symbols_;
};

}  // namespace

std::unique_ptr<const Normalizer> make_sentencepiece_normalizer(const SentencePieceNormalizing& options,
                                                                const std::string& where) {
  return std::make_unique<SentencePieceNormalizer>(options, where);
}

}  // namespace mog::model
