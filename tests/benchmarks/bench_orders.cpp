// Time of the order distributions of every word and layer of a sentence, on one core, as JSON on stdout.
//   bench_orders [ROUNDS]
// 12 layers, 128 words, all 4,096 orders; the sums are compared with the expected orders of the linear
// recursion. Exit code 1 when the least time exceeds the limit, which a calibration loop scales.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

#include "analysis/mog/orders/posteriors.h"
#include "tests/benchmarks/calibration.h"
#include "tests/benchmarks/random_grammar.h"

namespace {

double cpu_ms(std::clock_t start) {
  return static_cast<double>(std::clock() - start) * 1e3 / CLOCKS_PER_SEC;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace mog;
  constexpr double kLimitMs = 100;
  const int rounds = argc > 1 ? std::max(1, std::atoi(argv[1])) : 5;
  const double factor = bench::calibration_factor();
  const analysis::AttentionGrammar grammar(bench::random_input(12, 128, 1));
  std::vector<double> wall;
  std::vector<double> cpu;
  double error = 0;
  for (int round = 0; round <= rounds; ++round) {
    const auto start = std::chrono::steady_clock::now();
    const std::clock_t cpu_start = std::clock();
    const analysis::LeavesDistributions found = analysis::leaves_distributions(grammar, 4096);
    const double used = cpu_ms(cpu_start);
    const double elapsed =
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    if (round == 0) {  // warms up, and is checked
      const std::vector<double> leaves = analysis::expected_leaves(grammar);
      for (std::size_t layer = 0; layer < found.words.size(); ++layer) {
        for (std::size_t word = 0; word < found.words[layer].size(); ++word) {
          double mean = 0;
          const auto& probability = found.words[layer][word].probability;
          for (std::size_t k = 0; k < probability.size(); ++k) {
            mean += static_cast<double>(k + 1) * probability[k];
          }
          const double expected = leaves[static_cast<std::size_t>(
              grammar.r_symbol(static_cast<std::int64_t>(layer) + 1, static_cast<std::int32_t>(word)))];
          error = std::max(error, std::abs(mean - expected) / expected);
        }
      }
      continue;
    }
    wall.push_back(elapsed);
    cpu.push_back(used);
  }
  std::sort(wall.begin(), wall.end());
  std::sort(cpu.begin(), cpu.end());
  const bool ok = cpu.front() <= kLimitMs * factor && error < 1e-9;
  std::printf(
      "{\"benchmark\": \"orders\", \"layers\": 12, \"words\": 128, \"orders\": 4096, \"calibration_factor\": "
      "%.3f, \"wall_ms\": {\"min\": %.1f, \"median\": %.1f, \"max\": %.1f}, \"cpu_ms\": {\"min\": %.1f, "
      "\"median\": %.1f, \"max\": %.1f}, \"limit_ms\": %.1f, \"error_of_means\": %.2g, \"ok\": %s}\n",
      factor, wall.front(), wall[wall.size() / 2], wall.back(), cpu.front(), cpu[cpu.size() / 2], cpu.back(),
      kLimitMs * factor, error, ok ? "true" : "false");
  return ok ? 0 : 1;
}
