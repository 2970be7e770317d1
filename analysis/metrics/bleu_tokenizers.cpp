// Each rule of the tokenizers goes over the whole line once, from left to right, and looks for two
// neighbours; what it matched it does not look at again, so that of "a.," only the point is cut off by the
// rule for points. The rules of 13a know ASCII only and run on bytes; those of intl run on characters.
#include <fmt/format.h>

#include <string>
#include <utility>

#include "analysis/metrics/bleu.h"
#include "analysis/metrics/unicode_text.h"
#include "io/recording/errors.h"
#include "io/recording/nearest_name.h"
#include "io/recording/utf8.h"

namespace mog::analysis {
namespace {

bool is_digit(char byte) {
  return byte >= '0' && byte <= '9';
}
bool is_point(char byte) {
  return byte == '.' || byte == ',';
}
// ASCII characters that stand alone; not ' , - . and no letters or digits.
bool stands_alone(char byte) {
  return (byte >= '{' && byte <= '~') || (byte >= '[' && byte <= '`') || (byte >= ' ' && byte <= '&') ||
         (byte >= '(' && byte <= '+') || (byte >= ':' && byte <= '@') || byte == '/';
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

// Where two neighbours match, writes `before` first, `between`, second, `after`, and goes on behind them.
template <class Text, class Match>
Text with_pairs_cut(const Text& text, const Match& match, bool before, bool after) {
  Text result;
  result.reserve(text.size() * 2);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (i + 1 == text.size() || !match(text[i], text[i + 1])) {
      result += text[i];
      continue;
    }
    if (before) {
      result += ' ';
    }
    result += text[i];
    result += ' ';
    result += text[i + 1];
    if (after) {
      result += ' ';
    }
    ++i;
  }
  return result;
}

template <class Text, class Match>
Text with_spaces_around(const Text& text, const Match& match) {
  Text result;
  result.reserve(text.size() * 2);
  for (const auto character : text) {
    if (match(character)) {
      result += ' ';
      result += character;
      result += ' ';
    } else {
      result += character;
    }
  }
  return result;
}

std::string joined(std::string_view text) {
  std::string result;
  for (const std::string_view word : split_words(text)) {
    if (!result.empty()) {
      result += ' ';
    }
    result += word;
  }
  return result;
}

std::string tokenize_13a(std::string line) {
  replace_all(line, "<skipped>", "");
  replace_all(line, "-\n", "");
  replace_all(line, "\n", " ");
  // One after the other: "&amp;lt;" ends as "<".
  replace_all(line, "&quot;", "\"");
  replace_all(line, "&amp;", "&");
  replace_all(line, "&lt;", "<");
  replace_all(line, "&gt;", ">");
  line = with_spaces_around(" " + line + " ", stands_alone);
  line = with_pairs_cut(
      line, [](char left, char right) { return !is_digit(left) && is_point(right); }, false, true);
  line = with_pairs_cut(
      line, [](char left, char right) { return is_point(left) && !is_digit(right); }, true, false);
  line = with_pairs_cut(
      line, [](char left, char right) { return is_digit(left) && right == '-'; }, false, true);
  return joined(line);
}

std::string tokenize_intl(std::string_view line) {
  const auto is = [](char32_t character, CharacterClass wanted) {
    return character_class(character) == wanted;
  };
  std::u32string text = code_points(line);
  text = with_pairs_cut(
      text,
      [&](char32_t left, char32_t right) {
        return !is(left, CharacterClass::number) && is(right, CharacterClass::punctuation);
      },
      false, true);
  text = with_pairs_cut(
      text,
      [&](char32_t left, char32_t right) {
        return is(left, CharacterClass::punctuation) && !is(right, CharacterClass::number);
      },
      true, false);
  text = with_spaces_around(text, [&](char32_t character) { return is(character, CharacterClass::symbol); });
  std::string utf8;
  for (const char32_t character : text) {
    append_utf8(utf8, character);
  }
  return joined(utf8);
}

}  // namespace

BleuTokenizer parse_bleu_tokenizer(std::string_view text) {
  for (const auto tokenizer : {BleuTokenizer::mteval_13a, BleuTokenizer::none, BleuTokenizer::intl}) {
    if (text == name(tokenizer)) {
      return tokenizer;
    }
  }
  throw unknown_choice("BLEU tokenizer", text, {"13a", "none", "intl"});
}

std::string_view name(BleuTokenizer tokenizer) noexcept {
  switch (tokenizer) {
    case BleuTokenizer::mteval_13a:
      return "13a";
    case BleuTokenizer::none:
      return "none";
    case BleuTokenizer::intl:
      return "intl";
  }
  return "";
}

std::string tokenize(BleuTokenizer tokenizer, std::string_view line) {
  line = trimmed_end(line);
  switch (tokenizer) {
    case BleuTokenizer::mteval_13a:
      return tokenize_13a(std::string(line));
    case BleuTokenizer::intl:
      return tokenize_intl(line);
    case BleuTokenizer::none:
      break;
  }
  return joined(line);
}

}  // namespace mog::analysis
