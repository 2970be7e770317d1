// All metrics are functions of one table: how many mentions a key chain and a response chain share. It is
// sparse, as many cells as shared mentions at most, and every metric but CEAF is a sum over its cells:
//
//   MUC    links kept: Σ (cell − 1); of a chain of n mentions n − 1
//   B³     Σ cell² / size of the chain
//   BLANC  pairs in one chain: Σ C(cell, 2); pairs in different chains on both sides: by inclusion and
//   exclusion LEA    Σ size · Σ C(cell, 2) / C(size, 2); a singleton has one link, to itself
//
// CEAF pairs every key chain with at most one response chain so that the similarities, cell (φ3) or
// 2 cell / (size + size) (φ4), sum to most (assignment.h).
//
// Trap: the scorer drops a repeated mention of the response only where the key has it, and then counts the
// others as often as they are written. Here every repeat is dropped, so that repeats gain nothing.
#include "analysis/metrics/coreference.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <utility>

#include "analysis/metrics/assignment.h"
#include "io/recording/errors.h"
#include "io/recording/named_values.h"
#include "io/recording/nearest_name.h"

namespace mog::analysis {
namespace {

struct MetricName {
  CoreferenceMetric metric;
  std::string_view option;
  std::string_view shown;
};
constexpr std::array kMetrics = {
    MetricName{CoreferenceMetric::mentions, "mentions", "mentions"},
    MetricName{CoreferenceMetric::muc, "muc", "MUC"},
    MetricName{CoreferenceMetric::b_cubed, "b3", "B3"},
    MetricName{CoreferenceMetric::ceaf_mentions, "ceafm", "CEAFm"},
    MetricName{CoreferenceMetric::ceaf_entities, "ceafe", "CEAFe"},
    MetricName{CoreferenceMetric::blanc, "blanc", "BLANC"},
    MetricName{CoreferenceMetric::lea, "lea", "LEA"},
    MetricName{CoreferenceMetric::conll, "conll", "CoNLL"},
};

double pairs(std::int64_t n) {
  return static_cast<double>(n) * static_cast<double>(n - 1) / 2;
}
double square(double x) {
  return x * x;
}
double quotient(double part, double whole) {
  return whole == 0 ? 0 : part / whole;
}

// Chains of one side without repeats and without empty ones.
struct Side {
  std::map<Mention, std::size_t> chain;  // [mention]
  std::vector<std::int64_t> sizes;       // [chain]
  explicit Side(std::span<const Chain> chains) {
    for (const Chain& mentions : chains) {
      std::int64_t size = 0;
      for (const Mention& mention : mentions) {
        size += chain.try_emplace(mention, sizes.size()).second ? 1 : 0;
      }
      if (size > 0) {
        sizes.push_back(size);
      }
    }
  }
  std::int64_t mentions() const { return std::ssize(chain); }
};

struct Overlap {
  Side key;
  Side response;
  std::map<std::pair<std::size_t, std::size_t>, std::int64_t> cells;  // [key chain, response chain]; no zeros

  Overlap(std::span<const Chain> of_key, std::span<const Chain> of_response)
      : key(of_key), response(of_response) {
    for (const auto& [mention, chain] : key.chain) {
      if (const auto found = response.chain.find(mention); found != response.chain.end()) {
        ++cells[{chain, found->second}];
      }
    }
  }
  std::int64_t shared() const {
    return std::accumulate(cells.begin(), cells.end(), std::int64_t{0},
                           [](std::int64_t sum, const auto& cell) { return sum + cell.second; });
  }
};

std::vector<double> mention_sums(const Overlap& overlap) {
  const auto shared = static_cast<double>(overlap.shared());
  return {shared, static_cast<double>(overlap.key.mentions()), shared,
          static_cast<double>(overlap.response.mentions())};
}

std::vector<double> muc_sums(const Overlap& overlap) {
  const auto links = [](const Side& side) {
    return static_cast<double>(side.mentions() - std::ssize(side.sizes));
  };
  const auto kept = static_cast<double>(overlap.shared() - std::ssize(overlap.cells));
  return {kept, links(overlap.key), kept, links(overlap.response)};
}

std::vector<double> b_cubed_sums(const Overlap& overlap) {
  double recall = 0;
  double precision = 0;
  for (const auto& [chains, count] : overlap.cells) {
    const double squared = square(static_cast<double>(count));
    recall += squared / static_cast<double>(overlap.key.sizes[chains.first]);
    precision += squared / static_cast<double>(overlap.response.sizes[chains.second]);
  }
  return {recall, static_cast<double>(overlap.key.mentions()), precision,
          static_cast<double>(overlap.response.mentions())};
}

// The greatest sum of similarities.
double aligned(const Overlap& overlap, bool by_entities) {
  const std::size_t columns = overlap.response.sizes.size();
  std::vector<double> similarity(overlap.key.sizes.size() * columns, 0);
  for (const auto& [chains, count] : overlap.cells) {
    const auto sizes =
        static_cast<double>(overlap.key.sizes[chains.first] + overlap.response.sizes[chains.second]);
    similarity[chains.first * columns + chains.second] =
        by_entities ? 2 * static_cast<double>(count) / sizes : static_cast<double>(count);
  }
  const std::vector<std::int64_t> column_of =
      best_assignment(similarity, std::ssize(overlap.key.sizes), std::ssize(overlap.response.sizes));
  double sum = 0;
  for (std::size_t row = 0; row < column_of.size(); ++row) {
    sum += column_of[row] < 0 ? 0 : similarity[row * columns + static_cast<std::size_t>(column_of[row])];
  }
  return sum;
}

std::vector<double> ceaf_sums(const Overlap& overlap, bool by_entities) {
  const auto whole = [&](const Side& side) {
    return static_cast<double>(by_entities ? std::ssize(side.sizes) : side.mentions());
  };
  const double sum = aligned(overlap, by_entities);
  return {sum, whole(overlap.key), sum, whole(overlap.response)};
}

std::vector<double> blanc_sums(const Overlap& overlap) {
  const auto linked = [](const Side& side) {
    return std::accumulate(side.sizes.begin(), side.sizes.end(), 0.0,
                           [](double sum, std::int64_t size) { return sum + pairs(size); });
  };
  double both = 0;  // in one chain of either side
  std::map<std::size_t, std::int64_t> of_key;
  std::map<std::size_t, std::int64_t> of_response;
  for (const auto& [chains, count] : overlap.cells) {
    both += pairs(count);
    of_key[chains.first] += count;
    of_response[chains.second] += count;
  }
  double apart = pairs(overlap.shared()) + both;  // in different chains on both sides
  for (const auto* counts : {&of_key, &of_response}) {
    for (const auto& [chain, count] : *counts) {
      apart -= pairs(count);
    }
  }
  const double key = linked(overlap.key);
  const double response = linked(overlap.response);
  return {both,  key,
          both,  response,
          apart, pairs(overlap.key.mentions()) - key,
          apart, pairs(overlap.response.mentions()) - response};
}

std::vector<double> lea_sums(const Overlap& overlap) {
  const auto resolved = [](std::int64_t shared, std::int64_t size, std::int64_t other) {
    const auto weight = static_cast<double>(size);
    return size > 1 ? weight * pairs(shared) / pairs(size) : other == 1 ? weight : 0;
  };
  double recall = 0;
  double precision = 0;
  for (const auto& [chains, count] : overlap.cells) {
    const std::int64_t key = overlap.key.sizes[chains.first];
    const std::int64_t response = overlap.response.sizes[chains.second];
    recall += resolved(count, key, response);
    precision += resolved(count, response, key);
  }
  return {recall, static_cast<double>(overlap.key.mentions()), precision,
          static_cast<double>(overlap.response.mentions())};
}

std::vector<double> sums_of(CoreferenceMetric metric, const Overlap& overlap) {
  switch (metric) {
    case CoreferenceMetric::mentions:
      return mention_sums(overlap);
    case CoreferenceMetric::muc:
      return muc_sums(overlap);
    case CoreferenceMetric::b_cubed:
      return b_cubed_sums(overlap);
    case CoreferenceMetric::ceaf_mentions:
      return ceaf_sums(overlap, false);
    case CoreferenceMetric::ceaf_entities:
      return ceaf_sums(overlap, true);
    case CoreferenceMetric::blanc:
      return blanc_sums(overlap);
    case CoreferenceMetric::lea:
      return lea_sums(overlap);
    case CoreferenceMetric::conll:
      break;
  }
  std::vector<double> sums = muc_sums(overlap);
  for (const std::vector<double>& more : {b_cubed_sums(overlap), ceaf_sums(overlap, true)}) {
    sums.insert(sums.end(), more.begin(), more.end());
  }
  return sums;
}

// Of four numbers.
CoreferenceScore score_of(std::span<const double> sums) {
  const double recall = quotient(sums[0], sums[1]);
  const double precision = quotient(sums[2], sums[3]);
  return {recall, precision, quotient(2 * recall * precision, recall + precision)};
}

CoreferenceScore mean_of(std::span<const CoreferenceScore> scores) {
  CoreferenceScore mean;
  const auto count = static_cast<double>(scores.size());
  for (const CoreferenceScore& score : scores) {
    mean.recall += score.recall / count;
    mean.precision += score.precision / count;
    mean.f1 += score.f1 / count;
  }
  return mean;
}

class Coreference final : public SummedMetric {
 public:
  explicit Coreference(const MetricName& metric) : metric_(metric) {}
  std::string name() const override { return std::string(metric_.shown); }
  std::string signature() const override { return "mentions:exact|singletons:yes|scorer:v8.01"; }
  double score(std::span<const double> sums) const override {
    return 100 * coreference_score(metric_.metric, sums).f1;
  }
  std::string details(std::span<const double> sums) const override {
    if (metric_.metric == CoreferenceMetric::conll) {
      return fmt::format("MUC {:.2f} B3 {:.2f} CEAFe {:.2f}", 100 * score_of(sums.subspan(0, 4)).f1,
                         100 * score_of(sums.subspan(4, 4)).f1, 100 * score_of(sums.subspan(8, 4)).f1);
    }
    const CoreferenceScore score = coreference_score(metric_.metric, sums);
    return fmt::format("P = {:.2f} R = {:.2f}", 100 * score.precision, 100 * score.recall);
  }

 private:
  MetricName metric_;
};

}  // namespace

std::vector<std::string> coreference_metric_names() {
  std::vector<std::string> names;
  names.reserve(kMetrics.size());
  for (const MetricName& metric : kMetrics) {
    names.emplace_back(metric.option);
  }
  return names;
}

CoreferenceMetric parse_coreference_metric(std::string_view text) {
  const auto found = std::ranges::find(kMetrics, text, &MetricName::option);
  if (found == kMetrics.end()) {
    throw unknown_choice("a metric of coreference", text, coreference_metric_names());
  }
  return found->metric;
}

std::vector<double> coreference_sums(CoreferenceMetric metric, std::span<const Chain> key,
                                     std::span<const Chain> response) {
  return sums_of(metric, Overlap(key, response));
}

CoreferenceScore coreference_score(CoreferenceMetric metric, std::span<const double> sums) {
  const std::size_t expected = metric == CoreferenceMetric::conll   ? 12
                               : metric == CoreferenceMetric::blanc ? 8
                                                                    : 4;
  if (sums.size() != expected) {
    throw ShapeError(fmt::format("coreference: {} sums, expected {}", sums.size(), expected));
  }
  std::vector<CoreferenceScore> parts;
  for (std::size_t at = 0; at < expected; at += 4) {
    // A kind of links that the key does not have is left out of BLANC.
    if (metric != CoreferenceMetric::blanc || sums[at + 1] > 0) {
      parts.push_back(score_of(sums.subspan(at, 4)));
    }
  }
  return mean_of(parts);
}

std::unique_ptr<SummedMetric> make_metric(CoreferenceMetric metric) {
  return std::make_unique<Coreference>(*std::ranges::find(kMetrics, metric, &MetricName::metric));
}

}  // namespace mog::analysis
