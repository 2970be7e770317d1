// Time of the k best expressions of every word of a sentence, on one core, as JSON on stdout.
//   bench_kbest [ROUNDS [CASES]]
// Random Graph-Transformer grammars: softmax rows of normal logits (standard deviation 2), gates in
// [0.2, 0.8]. "build" checks the input and lays out the grammar, "search" finds the lists of all words with
// weights, masses, orders and kinds, "texts" prints every expression.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <iterator>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "analysis/mog/k_best.h"

namespace {

using mog::analysis::AttentionGrammar;
using mog::analysis::Goal;
using mog::analysis::GrammarInput;
using mog::analysis::KBest;
using mog::analysis::KBestList;

struct Case {
  std::int64_t layers;
  std::size_t words;
  std::int64_t k;
  double limit_ms;
};

std::vector<double> softmax_rows(std::size_t words, std::mt19937_64& random) {
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

GrammarInput random_input(const Case& tested, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> gate(0.2, 0.8);
  GrammarInput input;
  input.layers = tested.layers;
  for (std::size_t word = 0; word < tested.words; ++word) {
    input.words.push_back("w" + std::to_string(word));
  }
  for (std::int64_t layer = 0; layer < tested.layers; ++layer) {
    auto& maps = input.attention.emplace_back();
    for (int part = 0; part < 3; ++part) {
      maps.push_back(softmax_rows(tested.words, random));
    }
    auto& gates = input.gate.emplace_back(tested.words);
    std::generate(gates.begin(), gates.end(), [&] { return gate(random); });
  }
  return input;
}

double ms_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

void print(const char* name, std::vector<double> times) {
  std::sort(times.begin(), times.end());
  std::printf("\"%s_ms\": {\"min\": %.2f, \"median\": %.2f, \"max\": %.2f}", name, times.front(),
              times[times.size() / 2], times.back());
}

void run(const Case& tested, int rounds) {
  std::vector<double> build;
  std::vector<double> search;
  std::vector<double> search_cpu;
  std::vector<double> texts;
  std::size_t bytes = 0;
  double mass = 0;
  for (int round = 0; round <= rounds; ++round) {
    GrammarInput input = random_input(tested, 1);
    auto start = std::chrono::steady_clock::now();
    const AttentionGrammar grammar(std::move(input));
    const double built = ms_since(start);
    start = std::chrono::steady_clock::now();
    const std::clock_t cpu_start = std::clock();
    KBest k_best(grammar);
    std::vector<KBestList> lists;
    for (std::int32_t word = 0; word < grammar.word_count(); ++word) {
      lists.push_back(k_best.list(Goal::of_word(tested.layers, word), tested.k));
    }
    const double searched = ms_since(start);
    const double searched_cpu = static_cast<double>(std::clock() - cpu_start) * 1e3 / CLOCKS_PER_SEC;
    start = std::chrono::steady_clock::now();
    bytes = 0;
    mass = 0;
    for (const KBestList& list : lists) {
      for (const auto& entry : list.entries) {
        bytes += k_best.text(entry).size();
        mass += entry.mass;
      }
    }
    const double printed = ms_since(start);
    if (round > 0) {  // the first one warms up
      build.push_back(built);
      search.push_back(searched);
      search_cpu.push_back(searched_cpu);
      texts.push_back(printed);
    }
  }
  std::printf("  {\"layers\": %lld, \"words\": %zu, \"k\": %lld, \"limit_ms\": %.0f, ",
              static_cast<long long>(tested.layers), tested.words, static_cast<long long>(tested.k),
              tested.limit_ms);
  print("build", build);
  std::printf(", ");
  print("search", search);
  std::printf(", ");
  print("search_cpu", search_cpu);
  std::printf(", ");
  print("texts", texts);
  std::printf(", \"text_bytes\": %zu, \"mean_mass\": %.6f}", bytes, mass / static_cast<double>(tested.words));
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::max(1, std::atoi(argv[1])) : 5;
  constexpr Case kCases[] = {{6, 100, 100, 25}, {12, 512, 10, 400}, {6, 30, 10, 0}};
  const std::size_t cases =
      argc > 2 ? static_cast<std::size_t>(std::max(1, std::atoi(argv[2]))) : std::size(kCases);
  std::printf("[\n");
  for (const Case& tested : std::span(kCases).first(std::min(cases, std::size(kCases)))) {
    std::fputs(&tested == kCases ? "" : ",\n", stdout);
    run(tested, rounds);
  }
  std::printf("\n]\n");
  return 0;
}
