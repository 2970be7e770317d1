#include "analysis/mog/expressions/escape.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>

namespace mog::analysis {
namespace {

const std::string kReplacement = "\xEF\xBF\xBD";

TEST(Escape, JsonStringsReadBack) {
  std::string text = "a\"b\\c/d<&>\b\f\n\r\t\x7F é 日本 🙂";
  for (char c = 0; c < 0x20; ++c) {
    text += c;
  }
  const std::string json = json_string(text);
  EXPECT_EQ(nlohmann::json::parse(json).get<std::string>(), text);
  EXPECT_EQ(json_string("\x01"), "\"\\u0001\"");
  EXPECT_EQ(json_string("a\"\n"), "\"a\\\"\\n\"");
}

TEST(Escape, BytesThatAreNotUtf8) {
  EXPECT_EQ(valid_utf8("a\xFFz"), "a" + kReplacement + "z");
  EXPECT_EQ(valid_utf8("\xC0\xAF"), kReplacement + kReplacement);             // overlong
  EXPECT_EQ(valid_utf8("\xED\xA0\x80").find("\xED"), std::string::npos);      // surrogate
  EXPECT_EQ(valid_utf8("\xF4\x90\x80\x80").find("\xF4"), std::string::npos);  // beyond U+10FFFF
  EXPECT_EQ(valid_utf8("\xE6\x97"), kReplacement + kReplacement);             // cut
  EXPECT_EQ(valid_utf8("\xF0\x9F\x99\x82"), "\xF0\x9F\x99\x82");
  EXPECT_EQ(json_string("\xFF"), '"' + kReplacement + '"');
}

TEST(Escape, JsonNumbersReadBack) {
  EXPECT_EQ(json_number(0.1), "0.1");
  EXPECT_EQ(json_number(-2), "-2");
  EXPECT_EQ(json_number(std::numeric_limits<double>::infinity()), "null");
  EXPECT_EQ(json_number(std::nan("")), "null");
  for (const double value : {1.0 / 3, 5e-324, 1.7976931348623157e308, 0.15000000000000002}) {
    EXPECT_EQ(nlohmann::json::parse(json_number(value)).get<double>(), value);
  }
}

TEST(Escape, Dot) {
  EXPECT_EQ(dot_string("say \"hi\"\\\n"), "\"say \\\"hi\\\"\\\\\\n\"");
  EXPECT_EQ(dot_string("a\tb\x01"), "\"a b" + kReplacement + "\"");
}

TEST(Escape, Xml) {
  EXPECT_EQ(xml_text("<a b='c' d=\"e\">&</a>"), "&lt;a b=&apos;c&apos; d=&quot;e&quot;&gt;&amp;&lt;/a&gt;");
  EXPECT_EQ(xml_text("a\x01\x0b\n"), "a" + kReplacement + kReplacement + "&#10;");
  EXPECT_EQ(xml_text("日本"), "日本");
}

}  // namespace
}  // namespace mog::analysis
