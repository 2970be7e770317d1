// Time of the k best expressions of every word of a sentence, on one core, as JSON on stdout.
//   bench_kbest [ROUNDS [CASES]]
// Random Graph-Transformer grammars (random_grammar.h). "build" checks the input and lays out the grammar,
// "search" finds the lists of all words with weights, masses, orders and kinds, "texts" prints every
// expression. Exit code 1 when the least time of a search exceeds its limit, which a calibration loop scales.
//   bench_kbest peer LAYERS WORDS K FILE
// One round for bench_networkx.py: the rules of such a grammar into FILE; time and results as JSON.
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

#include "analysis/mog/orders/posteriors.h"
#include "analysis/mog/search/k_best.h"
#include "tests/benchmarks/calibration.h"
#include "tests/benchmarks/random_grammar.h"

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

double ms_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

void print(const char* name, std::vector<double> times) {
  std::sort(times.begin(), times.end());
  std::printf("\"%s_ms\": {\"min\": %.2f, \"median\": %.2f, \"max\": %.2f}", name, times.front(),
              times[times.size() / 2], times.back());
}

// Whether the limit holds.
bool run(const Case& tested, int rounds, double factor) {
  std::vector<double> build;
  std::vector<double> search;
  std::vector<double> search_cpu;
  std::vector<double> texts;
  std::size_t bytes = 0;
  double mass = 0;
  for (int round = 0; round <= rounds; ++round) {
    GrammarInput input = mog::bench::random_input(tested.layers, tested.words, 1);
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
  std::printf("  {\"layers\": %lld, \"words\": %zu, \"k\": %lld, \"limit_ms\": %.1f, ",
              static_cast<long long>(tested.layers), tested.words, static_cast<long long>(tested.k),
              tested.limit_ms * factor);
  print("build", build);
  std::printf(", ");
  print("search", search);
  std::printf(", ");
  print("search_cpu", search_cpu);
  std::printf(", ");
  print("texts", texts);
  std::printf(", \"text_bytes\": %zu, \"mean_mass\": %.6f}", bytes, mass / static_cast<double>(tested.words));
  return tested.limit_ms <= 0 ||
         *std::min_element(search_cpu.begin(), search_cpu.end()) <= tested.limit_ms * factor;
}

void print_list(const char* name, const std::vector<double>& values) {
  std::printf("\"%s\": [", name);
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::printf("%s%.17g", i == 0 ? "" : ", ", values[i]);
  }
  std::printf("]");
}

int peer(std::int64_t layers, std::size_t words, std::int64_t k, const char* file) {
  const AttentionGrammar grammar(mog::bench::random_input(layers, words, 1));
  std::FILE* const out = std::fopen(file, "wb");
  if (out == nullptr) {
    std::perror(file);
    return 1;
  }
  std::fputs(grammar.dump().c_str(), out);
  std::fclose(out);
  // As the peer, warm: the least of five.
  std::vector<double> leaves;
  std::vector<double> weights;
  double inside_ms = 1e300;
  double search_ms = 1e300;
  for (int round = 0; round < 5; ++round) {
    std::clock_t start = std::clock();
    leaves = mog::analysis::expected_leaves(grammar);
    inside_ms = std::min(inside_ms, static_cast<double>(std::clock() - start) * 1e3 / CLOCKS_PER_SEC);
    start = std::clock();
    KBest k_best(grammar);
    weights.clear();
    for (std::int32_t word = 0; word < grammar.word_count(); ++word) {
      for (const auto& entry : k_best.list(Goal::of_word(layers, word), k).entries) {
        weights.push_back(entry.weight);
      }
    }
    search_ms = std::min(search_ms, static_cast<double>(std::clock() - start) * 1e3 / CLOCKS_PER_SEC);
  }
  std::printf("{\"expected_orders_ms\": %.4f, \"k_best_ms\": %.4f, ", inside_ms, search_ms);
  print_list("weights", weights);
  std::printf(", ");
  print_list("expected_orders", leaves);
  std::printf("}\n");
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 6 && std::string(argv[1]) == "peer") {
    return peer(std::atoll(argv[2]), static_cast<std::size_t>(std::atoll(argv[3])), std::atoll(argv[4]),
                argv[5]);
  }
  const int rounds = argc > 1 ? std::max(1, std::atoi(argv[1])) : 5;
  constexpr Case kCases[] = {{6, 100, 100, 6}, {12, 512, 10, 250}, {6, 30, 10, 0}};
  const std::size_t cases =
      argc > 2 ? static_cast<std::size_t>(std::max(1, std::atoi(argv[2]))) : std::size(kCases);
  const double factor = mog::bench::calibration_factor();
  bool good = true;
  std::printf("[\n");
  for (const Case& tested : std::span(kCases).first(std::min(cases, std::size(kCases)))) {
    std::fputs(&tested == kCases ? "" : ",\n", stdout);
    good = run(tested, rounds, factor) && good;
  }
  std::printf("\n]\n");
  return good ? 0 : 1;
}
