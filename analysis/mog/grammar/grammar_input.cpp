// Checks of what goes into an attention grammar. The places in the messages count from 1.
//
// Everything behind this relies on rules that sum to 1 exactly: no recursion divides, inside masses are 1,
// what a distribution lacks is its tail. So rows may miss 1 by what rounding explains (1e-3) and are then
// divided by their sum; what misses it by more was recorded with dropout or thresholds and is refused. What
// is absent (π, ρ, the shares of directions, TOP) is filled in here and nowhere else.
//
// One pass over the maps, O(layers · parts · words²); with the layout of the rules it takes 28 ms at 12
// layers and 512 words, where a search takes 39 (docs/benchmarks.md). So values are compared in the loop
// that sums them, and texts of places are made for errors only.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "analysis/mog/grammar/attention_grammar.h"

namespace mog::analysis {
namespace {

using Reason = GrammarError::Reason;

// A row, pi or top may miss 1 by this much; it is then renormalised.
constexpr double kTolerance = 1e-3;

[[noreturn]] void refuse(Reason reason, const std::string& place, const std::string& what) {
  throw GrammarError(reason, place, fmt::format("attention grammar: {}: {}", place, what));
}

void require_count(std::size_t found, std::size_t wanted, const std::string& place, std::string_view what) {
  if (found != wanted) {
    refuse(Reason::shape, place, fmt::format("expected {} {}, found {}", wanted, what, found));
  }
}

// `place` is a function, so that the text is made for errors only.
template <class Place>
void check_value(double value, Place place) {
  if (!std::isfinite(value)) {
    refuse(Reason::not_finite, place(), fmt::format("expected a finite number, found {}", value));
  }
  if (value < 0) {
    refuse(Reason::negative, place(), fmt::format("expected a probability, found {}", value));
  }
}

// Checks that `row` sums to 1 and makes the sum exact.
template <class Place, class Cell>
void normalise(std::span<double> row, Reason reason, Place place, Cell cell) {
  double sum = 0;
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (!(row[i] >= 0 && row[i] <= 2)) {
      check_value(row[i], [&] { return cell(i); });
    }
    sum += row[i];
  }
  if (!(std::abs(sum - 1) <= kTolerance)) {
    refuse(reason, place(),
           fmt::format("expected a sum of 1 (within {}), found {}; record maps without dropout and "
                       "without thresholds",
                       kTolerance, sum));
  }
  if (std::abs(sum - 1) > 1e-15) {
    for (double& value : row) {
      value /= sum;
    }
  }
}

void check_range(std::span<const double> values, std::string_view what, std::size_t layer,
                 std::size_t words) {
  require_count(values.size(), words, fmt::format("{} layer {}", what, layer), "words");
  for (std::size_t m = 0; m < values.size(); ++m) {
    if (!(values[m] >= 0 && values[m] <= 1)) {
      refuse(std::isfinite(values[m]) ? Reason::range : Reason::not_finite,
             fmt::format("{} layer {} word {}", what, layer, m + 1),
             fmt::format("expected a number in [0, 1], found {}", values[m]));
    }
  }
}

void check_ranges(const std::vector<std::vector<double>>& values, std::string_view what, std::size_t layers,
                  std::size_t words) {
  require_count(values.size(), layers, fmt::format("{}: {} layers", what, layers), "layers");
  for (std::size_t l = 0; l < layers; ++l) {
    check_range(values[l], what, l + 1, words);
  }
}

void check_map(std::vector<double>& map, std::size_t layer, std::string_view part, std::size_t words) {
  const auto place = [&] { return fmt::format("attention layer {} part {}", layer, part); };
  if (map.size() != words * words) {
    refuse(Reason::shape, fmt::format("{}: {} words", place(), words),
           fmt::format("expected {0} rows of {0} columns, found {1} values", words, map.size()));
  }
  for (std::size_t m = 0; m < words; ++m) {
    normalise(
        std::span(map).subspan(m * words, words), Reason::row_sum,
        [&] { return fmt::format("{} row {}", place(), m + 1); },
        [&](std::size_t n) { return fmt::format("{} row {} column {}", place(), m + 1, n + 1); });
  }
}

void check_attention(GrammarInput& input, std::size_t layers, std::size_t words) {
  require_count(input.attention.size(), layers, fmt::format("attention: {} layers", layers), "layers");
  const bool groups = input.kind == GrammarKind::order_groups;
  for (std::size_t l = 0; l < layers; ++l) {
    auto& maps = input.attention[l];
    const std::size_t parts = input.joins.size();
    if (maps.size() != parts) {
      refuse(Reason::shape, fmt::format("attention layer {}: {} parts", l + 1, parts),
             fmt::format("expected the maps of {} parts, found {}", parts, maps.size()));
    }
    // Layer 1 has no previous subgraphs: its middle maps are ignored.
    const std::size_t checked = groups && l == 0 ? 1 : parts;
    for (std::size_t p = 0; p < checked; ++p) {
      check_map(maps[p], l + 1, input.joins[p].short_name(), words);
    }
  }
}

void check_pi(GrammarInput& input, std::size_t layers, std::size_t words) {
  if (input.pi.empty()) {
    input.pi.assign(layers, std::vector<double>(words * 3, 1.0 / 3));
  }
  require_count(input.pi.size(), layers, fmt::format("pi: {} layers", layers), "layers");
  for (std::size_t l = 0; l < layers; ++l) {
    require_count(input.pi[l].size(), words * 3, fmt::format("pi layer {}", l + 1), "values (3 a word)");
    if (l == 0) {
      for (std::size_t i = 0; i < words * 3; ++i) {
        input.pi[l][i] = i % 3 == 0 ? 1 : 0;
      }
      continue;
    }
    for (std::size_t m = 0; m < words; ++m) {
      const auto place = [&] { return fmt::format("pi layer {} word {}", l + 1, m + 1); };
      normalise(std::span(input.pi[l]).subspan(m * 3, 3), Reason::pi_sum, place,
                [&](std::size_t) { return place(); });
    }
  }
}

// The first step of a direction has no step before it: its sigma is not looked at.
void check_directions(GrammarInput& input, std::size_t layers, std::size_t words) {
  for (auto& row : input.sigma_h) {
    if (!row.empty()) {
      row.front() = 0;
    }
  }
  for (auto& row : input.sigma_backward) {
    if (!row.empty()) {
      row.back() = 0;
    }
  }
  if (input.forward_share.empty()) {
    input.forward_share.assign(layers, std::vector<double>(words, 0.5));
  }
  check_ranges(input.z, "z", layers, words);
  check_ranges(input.sigma_h, "sigma_h", layers, words);
  check_ranges(input.z_backward, "z_backward", layers, words);
  check_ranges(input.sigma_backward, "sigma_backward", layers, words);
  check_ranges(input.forward_share, "forward_share", layers, words);
}

void check_top(GrammarInput& input, std::size_t words) {
  if (input.kind == GrammarKind::two_directions) {
    check_range({&input.top_forward, 1}, "top_forward", 0, 1);
    if (input.top.empty()) {
      return;
    }
  }
  if (input.top.empty()) {
    input.top.assign(words, input.kind == GrammarKind::recurrence ? 0.0 : 1.0 / static_cast<double>(words));
    if (input.kind == GrammarKind::recurrence) {
      input.top.back() = 1;
    }
  }
  require_count(input.top.size(), words, "top", "words");
  normalise(
      std::span(input.top), Reason::top_sum, [] { return std::string("top"); },
      [](std::size_t m) { return fmt::format("top word {}", m + 1); });
}

}  // namespace

GrammarError::GrammarError(Reason reason, std::string place, const std::string& message)
    : Error(message, reason == Reason::shape          ? ExitCode::mismatch
                     : reason == Reason::unknown_kind ? ExitCode::usage
                                                      : ExitCode::format),
      reason_(reason),
      place_(std::move(place)) {}
GrammarError::~GrammarError() = default;

std::string_view name(GrammarError::Reason reason) noexcept {
  switch (reason) {
    case Reason::shape:
      return "shape";
    case Reason::negative:
      return "negative";
    case Reason::not_finite:
      return "not_finite";
    case Reason::range:
      return "range";
    case Reason::row_sum:
      return "row_sum";
    case Reason::pi_sum:
      return "pi_sum";
    case Reason::top_sum:
      return "top_sum";
    case Reason::unknown_kind:
      break;
  }
  return "unknown_kind";
}

namespace {

// The parts of the rules, where the input names none.
void complete_rules(GrammarInput& input) {
  const RuleSet papers = rule_set(input.kind);
  if (input.joins.empty()) {
    input.joins = papers.joins;
  }
  if (input.carried == Part::none) {
    input.carried = papers.carried;
  }
  require_count(input.joins.size(), papers.joins.size(),
                fmt::format("rules of the kind {}", name(input.kind)), "parts");
}

}  // namespace

void validate(GrammarInput& input) {
  if (input.words.empty()) {
    refuse(Reason::shape, "words: empty", "expected at least one word");
  }
  if (input.layers < 1) {
    refuse(Reason::shape, "layers", fmt::format("expected at least one layer, found {}", input.layers));
  }
  const std::size_t words = input.words.size();
  const auto layers = static_cast<std::size_t>(input.layers);
  complete_rules(input);
  switch (input.kind) {
    case GrammarKind::order_groups:
      check_attention(input, layers, words);
      check_ranges(input.gate, "gate", layers, words);
      check_pi(input, layers, words);
      break;
    case GrammarKind::attention:
      check_attention(input, layers, words);
      if (input.rho.empty()) {
        input.rho.assign(layers, std::vector<double>(words, 0.5));
      }
      check_ranges(input.rho, "rho", layers, words);
      break;
    case GrammarKind::recurrence:
      check_ranges(input.z, "z", layers, words);
      // The first step has no step before it: its sigma is not looked at.
      for (auto& row : input.sigma_h) {
        if (!row.empty()) {
          row.front() = 0;
        }
      }
      check_ranges(input.sigma_h, "sigma_h", layers, words);
      break;
    case GrammarKind::two_directions:
      check_directions(input, layers, words);
      break;
  }
  check_top(input, words);
}

}  // namespace mog::analysis
