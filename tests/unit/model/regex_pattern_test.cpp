// Expressions of a tokenizer.json, written for Oniguruma and run by ICU: what both read alike, what is spelt
// out for ICU, what is refused. Pieces were compared with Split of the package tokenizers (0.23), which has
// Oniguruma itself.
#include "model/tokenizer/text/regex_pattern.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "io/recording/errors.h"

namespace mog::model {
namespace {

// The parts of `text`, matches in brackets.
std::string parts(const Pattern& pattern, const std::string& text) {
  std::vector<Match> matches;
  pattern.find(text, matches);
  std::string all;
  for (const Match& match : matches) {
    const std::string part = text.substr(match.begin, match.end - match.begin);
    all += match.hit ? "[" + part + "]" : part;
  }
  return all;
}

std::string cut(const std::string& expression, const std::string& text) {
  return parts(*make_regex_pattern(expression, "t"), text);
}

TEST(RegexPatterns, CutAsOnigurumaDoes) {
  const struct {
    const char* expression;
    const char* text;
    const char* parts;
  } cases[] = {
      {"a{2,3}?", "aaaab", "[aa][aa]b"},
      {"a{2}+", "aaaab", "[aaaa]b"},
      {"(?:ab){2}+", "ababababab", "[abababab]ab"},
      {"(?:ba{2}?)", "babaa", "[b]a[baa]"},  // {n}? is the whole or nothing
      {"a{1,2}+", "aaaa", "[aaaa]"},
      {R"([\w-])", "a-b", "[a][-][b]"},
      {"[^^]", "^a", "^[a]"},
      {R"(\x{41}\x42\u0043)", "ABC", "[ABC]"},
      {R"([\x41])", "AB", "[A]B"},
      {R"(\p{^L})", "a1", "a[1]"},
      {R"(\P{^L})", "a1", "[a]1"},
      {"[[:alpha:][:digit:]]", "a1-", "[a][1]-"},
      {"[[:space:]]", "a b", "a[ ]b"},
      {"[[:upper:]]", "aB", "a[B]"},
      {"[[:lower:]]", "aB", "[a]B"},
      {R"([^\s\S])", "a", "a"},
      {R"(\e\a\f\t\v)", "\x1b\a\f\t\v", "[\x1b\a\f\t\v]"},
      {"[a&b]", "a&b", "[a][&][b]"},
      {"[a-c&&b]", "abc", "a[b]c"},
      {"[a{}]", "a{b}", "[a][{]b[}]"},
      {"[ab[cd]]", "acx", "[a][c]x"},
      {"(?i:A)b", "abAB", "[ab]AB"},
      {"(?i)É", "éa", "[é]a"},
      {"(?<!a)b", "abb", "ab[b]"},
      {"(?<=a)b", "abb", "a[b]b"},
      {"(?>a+)b", "aab", "[aab]"},
      {R"(\/)", "a/b", "a[/]b"},
      {R"(\é)", "aéb", "a[é]b"},
      {R"(\h)", "g1", "g[1]"},
      {R"(\D\W)", "a-1", "[a-]1"},
      {R"(\d\w)", "1a", "[1a]"},
      {".", "a\n\u2028", "[a]\n[\u2028]"},
      {"a$", "a\na\r\n", "[a]\na\r\n"},
      {"^b", "a\nb", "a\n[b]"},
      {R"(b\z)", "b\nb", "b\n[b]"},
      {R"(\Aa)", "aa", "[a]a"},
      {R"(\bb)", "ab b", "ab [b]"},
      {"x*+y", "xxy", "[xxy]"},
      {"日|😀", "a😀b日", "a[😀]b[日]"},
      {"b?", "ab", "[]a[b]"},
      {"q", "none", "none"},
  };
  for (const auto& [expression, text, expected] : cases) {
    EXPECT_EQ(cut(expression, text), expected) << expression;
  }
}

TEST(RegexPatterns, WhatIcuWouldReadOtherwiseIsRefused) {
  const struct {
    const char* expression;
    const char* words;
  } unsupported[] = {{R"((a)\1)", R"(\1)"},
                     {R"(\G)", R"(\G)"},
                     {R"([\b])", R"(\b)"},
                     {"(?<name>a)", "the group (?<n"},
                     {"(?#note)", "the group (?#n"},
                     {"a{,2}", "a brace that is no repetition"},
                     {"a{2", "a brace that is no repetition"},
                     {"a{}", "a brace that is no repetition"},
                     {"a{x}", "a brace that is no repetition"},
                     {R"(\xg)", R"(a \x without its digits)"},
                     {R"(\x{41)", R"(a \x without its digits)"},
                     {R"(\u041)", R"(a \u without its digits)"},
                     {R"(\pL)", R"(a \p without braces)"},
                     {"[]a]", "an empty character class"},
                     {"[^]a]", "an empty character class"},
                     {"[[:punct:]]", "[:punct:]"},
                     {"[[[[[[[[[[a]]]]]]]]]]", "character classes nested deeper than 8"}};
  for (const auto& [expression, words] : unsupported) {
    try {
      translate_regex(expression, "pre_tokenizer.pattern");
      ADD_FAILURE() << expression;
    } catch (const ModelError& error) {
      const std::string message = error.what();
      EXPECT_EQ(message.find("pre_tokenizer.pattern: the regular expression"), 0U) << message;
      EXPECT_NE(message.find(words), std::string::npos) << message << "\nexpected: " << words;
      EXPECT_NE(message.find("which is not supported"), std::string::npos) << message;
    }
  }
}

TEST(RegexPatterns, DamagedOnesAreRefused) {
  const struct {
    const char* expression;
    const char* words;
  } damaged[] = {{"a)", "a closing parenthesis without its opening one"},
                 {"a\\", "a backslash at its end"},
                 {"[a\\", "a backslash at its end"},
                 {R"(\p{L)", R"(a \p without its closing brace)"},
                 {R"(\p)", R"(a \p without its closing brace)"},
                 {"[ab", "a character class without its end"},
                 {"[[:alpha", "a [: without :]"}};
  for (const auto& [expression, words] : damaged) {
    try {
      translate_regex(expression, "t");
      ADD_FAILURE() << expression;
    } catch (const FormatError& error) {
      EXPECT_NE(std::string(error.what()).find("is damaged: it has " + std::string(words)), std::string::npos)
          << error.what() << "\nexpected: " << words;
    }
  }
  for (const char* const unreadable : {"(a", R"(\p{NoSuchProperty})", "*a", "a{3,1}"}) {
    EXPECT_THROW(make_regex_pattern(unreadable, "t"), FormatError) << unreadable;
  }
  EXPECT_THROW(make_regex_pattern("", "t"), FormatError);
  EXPECT_NO_THROW(make_regex_pattern(std::string(4'096, 'a'), "t"));
  EXPECT_THROW(make_regex_pattern(std::string(4'097, 'a'), "t"), FormatError);
}

TEST(RegexPatterns, LiteralsAreWhatTheySay) {
  const auto literal = make_literal_pattern("ab", "t");
  EXPECT_EQ(parts(*literal, "abcabab"), "[ab]c[ab][ab]");
  EXPECT_EQ(parts(*literal, "xay"), "xay");
  EXPECT_EQ(parts(*literal, ""), "");
  EXPECT_THROW(make_literal_pattern("", "t"), FormatError);
}

}  // namespace
}  // namespace mog::model
