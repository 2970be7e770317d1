// Random Graph-Transformer grammars: softmax rows of normal logits (standard deviation 2), gates in
// [0.2, 0.8].
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "analysis/mog/grammar/attention_grammar.h"

namespace mog::bench {

inline std::vector<double> softmax_rows(std::size_t words, std::mt19937_64& random) {
  std::normal_distribution<double> normal(0, 2);
  std::vector<double> map(words * words);
  for (std::size_t row = 0; row < words; ++row) {
    double sum = 0;
    for (std::size_t i = row * words; i < (row + 1) * words; ++i) {
      sum += map[i] = std::exp(normal(random));
    }
    for (std::size_t i = row * words; i < (row + 1) * words; ++i) {
      map[i] /= sum;
    }
  }
  return map;
}

inline analysis::GrammarInput random_input(std::int64_t layers, std::size_t words, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> gate(0.2, 0.8);
  analysis::GrammarInput input;
  input.layers = layers;
  for (std::size_t word = 0; word < words; ++word) {
    input.words.push_back("w" + std::to_string(word));
  }
  for (std::int64_t layer = 0; layer < layers; ++layer) {
    auto& maps = input.attention.emplace_back();
    for (int part = 0; part < 3; ++part) {
      maps.push_back(softmax_rows(words, random));
    }
    auto& gates = input.gate.emplace_back(words);
    std::generate(gates.begin(), gates.end(), [&] { return gate(random); });
  }
  return input;
}

}  // namespace mog::bench
