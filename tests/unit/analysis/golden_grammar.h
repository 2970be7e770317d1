// The golden cases of tests/data/mog (format: mog-golden-grammar).
#pragma once

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "analysis/mog/grammar/attention_grammar.h"
#include "tests/support/places.h"

namespace mog::test {

inline nlohmann::json read_json(const std::string& file) {
  return nlohmann::json::parse(std::ifstream(mog::test::data_dir() / "mog" / file));
}

inline std::vector<double> flat(const nlohmann::json& matrix) {
  std::vector<double> values;
  for (const auto& row : matrix) {
    for (const auto& value : row) {
      values.push_back(value.get<double>());
    }
  }
  return values;
}

inline analysis::GrammarInput grammar_input(const nlohmann::json& input) {
  analysis::GrammarInput result;
  result.kind = analysis::parse_grammar_kind(input.at("kind").get<std::string>());
  result.words = input.at("words").get<std::vector<std::string>>();
  result.layers = input.at("layers").get<std::int64_t>();
  for (const auto& layer : input.value("attention", nlohmann::json::array())) {
    auto& maps = result.attention.emplace_back();
    for (const auto& map : layer) {
      maps.push_back(flat(map));
    }
  }
  for (const auto& layer : input.value("pi", nlohmann::json::array())) {
    result.pi.push_back(flat(layer));
  }
  using Rows = std::vector<std::vector<double>>;
  result.gate = input.value("gate", Rows());
  result.rho = input.value("rho", Rows());
  result.z = input.value("z", Rows());
  result.sigma_h = input.value("sigma_h", Rows());
  result.top = input.at("top").get<std::vector<double>>();
  return result;
}

// Names of the golden grammar files that end in `ending`.
inline std::vector<std::string> grammar_cases(const std::string& ending = ".json") {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(mog::test::data_dir() / "mog")) {
    const std::string name = entry.path().filename().string();
    if (name.ends_with(ending) && (name.starts_with("grammar_") || name == "worked_example.json")) {
      names.push_back(name);
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

// Relative 1e-9, absolute 1e-12 near 0.
inline bool close(double found, double expected) {
  return std::abs(found - expected) <= std::max(1e-12, 1e-9 * std::abs(expected));
}

}  // namespace mog::test
