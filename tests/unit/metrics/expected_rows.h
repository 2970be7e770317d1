// The texts of tests/data/metrics and the tables of what other programs give for them.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/places.h"

namespace mog::analysis::test {

using Lines = std::vector<std::string>;

inline Lines read(const std::string& name) {
  std::ifstream file(mog::test::data_dir() / "metrics" / name);
  EXPECT_TRUE(file.good()) << name;
  Lines lines;
  for (std::string line; std::getline(file, line);) {
    lines.push_back(line);
  }
  return lines;
}

struct Row {
  Lines fields;
  double number() const { return std::stod(fields.back()); }
  std::vector<double> numbers() const {
    std::istringstream stream(fields.back());
    std::vector<double> result;
    for (double value = 0; stream >> value;) {
      result.push_back(value);
    }
    return result;
  }
};

// All rows of a kind in a table of other programs' values; fields[0] is the first option.
inline std::vector<Row> rows(const std::string& file, const std::string& kind) {
  std::vector<Row> result;
  for (const std::string& line : read(file)) {
    Row row;
    std::size_t begin = 0;
    for (auto end = line.find('\t'); end != std::string::npos; end = line.find('\t', begin)) {
      row.fields.push_back(line.substr(begin, end - begin));
      begin = end + 1;
    }
    row.fields.push_back(line.substr(begin));
    if (row.fields.front() == kind) {
      row.fields.erase(row.fields.begin());
      result.push_back(row);
    }
  }
  EXPECT_FALSE(result.empty()) << kind;
  return result;
}

}  // namespace mog::analysis::test
