// A sentence leaves its sums of pairs, at every place (layer, head, relation) that it has; its maps are
// forgotten. O(resamples · sentences) for each interval.
#include "analysis/statistics/relation_effects.h"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "analysis/statistics/relation_rows.h"
#include "io/recording/errors.h"

namespace mog::analysis {
namespace {

using Key = std::pair<RelationPlace, std::int64_t>;                      // and bin
using OfSentences = std::vector<std::pair<std::int64_t, RelationSums>>;  // number, sums

RelationCell cell_of(const Key& key, const OfSentences& sentences, const BootstrapOptions& bootstrap) {
  RelationSums all;
  for (const auto& [number, sums] : sentences) {
    all += sums;
  }
  const auto interval = [&](const auto& value) {
    if (bootstrap.resamples == 0) {
      constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
      return Interval{kNone, kNone};
    }
    return bootstrap_interval(
        std::ssize(sentences),
        [&](std::span<const std::int64_t> drawn) {
          double sum = 0;
          double pairs = 0;
          for (const std::int64_t index : drawn) {
            const RelationSums& own = sentences[static_cast<std::size_t>(index)].second;
            sum += value(own);
            pairs += own.pairs;
          }
          return sum / pairs;
        },
        bootstrap, static_cast<std::uint64_t>(key.second));
  };
  return {key.first,
          key.second,
          std::ssize(sentences),
          all,
          interval([](const RelationSums& sums) { return sums.share; }),
          interval([](const RelationSums& sums) { return sums.weight - sums.without; })};
}

}  // namespace

Table relation_effects(std::span<const RecordingSource* const> sources,
                       std::span<const RelationName> relations, const RelationOptions& options) {
  const RelationReader reader(sources.front()->header(), relations, options);
  std::map<Key, OfSentences> series;
  std::int64_t total = 0;
  for (const RecordingSource* const source : sources) {
    total += source->size();
  }
  std::int64_t done = 0;
  for (const RecordingSource* const source : sources) {
    for (std::int64_t index = 0; index < source->size(); ++index) {
      if (options.stop.stop_requested()) {
        throw Interrupted("counting relations was stopped; nothing was written");
      }
      const std::int64_t number = source->sentence(index).number;
      reader.read(*source, index,
                  [&](const RelationPlace& place, std::int64_t bin, const RelationSums& sums) {
                    series[{place, bin}].emplace_back(number, sums);
                  });
      if (options.progress) {
        options.progress(++done, total);
      }
    }
  }
  Table table = reader.table();
  for (auto& [key, sentences] : series) {  // parts of a run are drawn from as the whole is
    std::stable_sort(sentences.begin(), sentences.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    reader.add_row(table, cell_of(key, sentences, options.bootstrap));
  }
  return table;
}

}  // namespace mog::analysis
