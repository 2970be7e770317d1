// Time of the beam search for a long sentence's best tree, on one core, as JSON on stdout.
//   bench_beam [LAYERS WORDS BEAM [SEED]]
// A random Graph-Transformer grammar (random_grammar.h); the goal is one word of the last layer. Without
// arguments the case that has a limit: 12 layers, 600 words, a beam of 8, 10 s. Exit code 1 when it is
// exceeded; a calibration loop scales it.
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include "analysis/mog/search/best_by_leaves.h"
#include "analysis/mog/search/best_simple.h"
#include "tests/benchmarks/calibration.h"
#include "tests/benchmarks/random_grammar.h"

using namespace mog::analysis;

int main(int argc, char** argv) {
  const std::int64_t layers = argc > 3 ? std::atoll(argv[1]) : 12;
  const std::size_t words = argc > 3 ? static_cast<std::size_t>(std::atoll(argv[2])) : 600;
  const std::int64_t beam = argc > 3 ? std::atoll(argv[3]) : 8;
  const std::uint64_t seed = argc > 4 ? static_cast<std::uint64_t>(std::atoll(argv[4])) : 1;
  const double limit = argc > 3 ? 1e9 : 10 * mog::bench::calibration_factor();
  const AttentionGrammar grammar(mog::bench::random_input(layers, words, seed));
  const Goal goal = Goal::of_word(layers, 3);
  const SimpleTreesOptions options{.beam = beam, .goals = {goal}};
  const BeamPlan plan = SimpleTrees::beam_plan(grammar, options);
  const auto seconds = [](std::clock_t start) {
    return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  };
  std::clock_t start = std::clock();
  SimpleTrees trees(grammar, SimpleSearch::beam, options);
  const double built = seconds(start);
  start = std::clock();
  const auto found = trees.best(goal, 5).derivations;
  const double listed = seconds(start);
  std::printf("{\"layers\": %lld, \"words\": %zu, \"beam\": %lld, \"most_order\": %d, \"block_words\": %d, ",
              static_cast<long long>(layers), words, static_cast<long long>(beam), plan.most_order,
              plan.block_words);
  std::printf("\"chart_s\": %.2f, \"list_s\": %.2f, \"limit_s\": %.1f, \"trees\": %zu", built, listed, limit,
              found.size());
  if (!found.empty()) {
    std::printf(", \"log_weights\": [%.6f, %.6f]", found.front().entry.log_weight,
                found.back().entry.log_weight);
    std::printf(", \"order\": %d, \"simple\": %d", found.front().entry.order,
                found.front().entry.simple ? 1 : 0);
  }
  std::printf("}\n");
  return built + listed <= limit ? 0 : 1;
}
