#include "analysis/statistics/table.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "analysis/statistics/csv_table.h"
#include "io/recording/errors.h"

namespace mog::analysis {
namespace {

TEST(Table, CsvQuotesWhatMustBeQuoted) {
  Table table;
  table.columns = {"a", "b,c", "d"};
  table.add({std::string("x\"y"), std::int64_t{-3}, 0.1});
  table.add({std::string(), Cell(), std::nan("")});
  table.add({std::string("two\nlines"), std::int64_t{9007199254740993}, -1e-300});
  table.add({std::string(" space"), 2.0, 1e21});
  EXPECT_EQ(to_csv(table),
            "a,\"b,c\",d\n"
            "\"x\"\"y\",-3,0.1\n"
            "\"\",,\n"
            "\"two\nlines\",9007199254740993,-1e-300\n"
            "\" space\",2,1e+21\n");
}

TEST(Table, JsonLinesEscapesAndWritesNullForNothing) {
  Table table;
  table.columns = {"text", "n", "x"};
  table.add({std::string("q\" b\\ t\t \x01 é"), std::int64_t{5}, 0.5});
  table.add({Cell(), Cell(), INFINITY});
  EXPECT_EQ(to_json_lines(table),
            "{\"text\":\"q\\\" b\\\\ t\\t \\u0001 é\",\"n\":5,\"x\":0.5}\n"
            "{\"text\":null,\"n\":null,\"x\":null}\n");
}

TEST(Table, ShortestDoublesReadBackToTheSameBits) {
  for (const double value :
       {0.1, 1.0 / 3, 1e-308, 123456789.123456789, -0.0, 4.9e-324, 0.30000000000000004}) {
    EXPECT_EQ(std::strtod(shortest(value).c_str(), nullptr), value) << shortest(value);
  }
  EXPECT_EQ(shortest(0.1), "0.1");
}

TEST(Table, RefusesRowsAndColumnsThatAreNotThere) {
  Table table;
  table.columns = {"a", "b"};
  EXPECT_THROW(table.add({std::int64_t{1}}), UsageError);
  EXPECT_EQ(table.column("b"), 1U);
  EXPECT_THROW(table.column("c"), UsageError);
}

TEST(Csv, IsReadBackAsItWasWritten) {
  Table table;
  table.columns = {"text", "n,\"x\""};
  table.add({std::string("a, \"b\"\nc"), 0.1});
  table.add({Cell(), std::int64_t{-3}});
  const Table read = parse_csv(to_csv(table), "t.csv");
  EXPECT_EQ(read.columns, table.columns);
  ASSERT_EQ(read.rows.size(), 2U);
  EXPECT_EQ(std::get<std::string>(read.rows[0][0]), "a, \"b\"\nc");
  EXPECT_EQ(std::get<std::string>(read.rows[0][1]), "0.1");
  EXPECT_TRUE(std::holds_alternative<std::monostate>(read.rows[1][0]));
  EXPECT_EQ(to_csv(parse_csv("\xEF\xBB\xBF"
                             "a,b\r\n1,2\r\n\r\n",
                             "t.csv")),
            "a,b\n1,2\n");
}

TEST(Csv, DamageIsNamedWithItsLine) {
  const auto message = [](const char* text) -> std::string {
    try {
      parse_csv(text, "t.csv");
    } catch (const FormatError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_NE(message("").find("line 1"), std::string::npos);
  EXPECT_NE(message("a,a\n").find("\"a\""), std::string::npos);
  EXPECT_NE(message("a,b\n1,2\n1\n").find("line 3"), std::string::npos);
  EXPECT_NE(message("a\n\"x\n").find("line 2"), std::string::npos);
  EXPECT_NE(message("a\nx\"y\n").find("quote"), std::string::npos);
  EXPECT_NE(message("a\n\"x\"y\n").find("line 2"), std::string::npos);
}

}  // namespace
}  // namespace mog::analysis
