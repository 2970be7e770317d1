// Every mean here is a quotient of two sums over sentences. For most quantities the lower sum counts the
// values; for `covariance_sums` it is the variance that was recorded as the last entry, so that shares are
// pooled over sentences instead of averaged. A sentence leaves one pair a head and entry, 16 bytes, and its
// values are forgotten. Quantities are read one after the other, so memory holds the pairs of one.
//
// By position a sentence adds to several bins, by length to one.
//
// What the axes of a quantity mean is found once (EntryLayout): tokens and targets are summed over, heads are
// rows, every other axis is an entry. No quantity is named, so a new one needs nothing here.
//
// The intervals cost O(resamples · sentences) a series and bin. Indices are drawn anew for every series from
// the same keys: all see the same draws, and none of them is stored.
//
// Traps: rows stay in the order in which they are read. Unlike in weight_by_length.cpp, shards in another
// order give other resamples. A value that is not finite is left out by itself.
#include "analysis/statistics/entry_means.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "analysis/statistics/entry_rows.h"
#include "io/recording/errors.h"

namespace mog::analysis {
namespace {

class Counter {
 public:
  Counter(const RecordingSource& first, const EntryLayout& layout, const EntryOptions& options)
      : header_(first.header()),
        layout_(layout),
        options_(options),
        bins_(static_cast<std::size_t>(options.bins.size())),
        sketches_(options.quantiles ? options.bins.size() : 0, static_cast<std::int64_t>(layout.series())) {}

  void add(const Sentence& sentence, const HostTensor& values) {
    for (auto& [bin, row] : entry_rows(layout_, sentence, values, options_)) {
      sketches_.add(bin, row.values);
      row.values = {};
      bins_[static_cast<std::size_t>(bin)].push_back(std::move(row));
    }
  }
  void write(Table& table) {
    for (std::vector<EntryRow>& rows : bins_) {  // parts of a run are drawn from as the whole is
      std::stable_sort(rows.begin(), rows.end(),
                       [](const EntryRow& a, const EntryRow& b) { return a.number < b.number; });
    }
    const std::size_t heads = options_.by_head ? static_cast<std::size_t>(layout_.heads) : 1;
    for (std::size_t head = 0; head < heads; ++head) {
      for (std::size_t entry = 0; entry < layout_.entries.size(); ++entry) {
        for (std::size_t bin = 0; bin < bins_.size(); ++bin) {
          if (!bins_[bin].empty()) {
            write_cell(table, head, entry, bin);
          }
        }
      }
    }
  }

 private:
  void write_cell(Table& table, std::size_t head, std::size_t entry, std::size_t bin) const {
    const std::vector<EntryRow>& rows = bins_[bin];
    const std::size_t series = head * layout_.entries.size() + entry;
    const auto mean = [&](const auto& indices) {
      double sum = 0;
      double weight = 0;
      for (const auto index : indices) {
        sum += rows[static_cast<std::size_t>(index)].sum[series];
        weight += rows[static_cast<std::size_t>(index)].weight[series];
      }
      return weight != 0 ? sum / weight : std::numeric_limits<double>::quiet_NaN();
    };
    std::vector<std::int64_t> all(rows.size());
    std::int64_t tokens = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      all[i] = static_cast<std::int64_t>(i);
      tokens += rows[i].tokens;
    }
    const auto items = static_cast<std::int64_t>(rows.size());
    const bool drawn = options_.bootstrap.resamples > 0;
    const Interval interval =
        drawn ? bootstrap_interval(items, mean, options_.bootstrap, bin)
              : Interval{std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::quiet_NaN()};
    EntryCell cell{head, entry, static_cast<std::int64_t>(bin), items, tokens, mean(all), interval};
    if (options_.quantiles) {
      cell.quartiles =
          quartiles(sketches_.at(static_cast<std::int64_t>(bin), static_cast<std::int64_t>(series)),
                    options_.bootstrap);
    }
    add_entry_cell(table, header_, layout_, options_, cell);
  }

  const RecordingHeader& header_;
  const EntryLayout& layout_;
  const EntryOptions& options_;
  std::vector<std::vector<EntryRow>> bins_;
  QuantileSketches sketches_;  // [bin, series]; none without quantiles
};

}  // namespace

std::string why_no_entry_means(const QuantitySchema& schema) {
  if (schema.name.reduction() == Reduction::top_key) {
    return "its values are numbers of keys, which have no mean";
  }
  for (const Axis axis : schema.axes) {
    const bool keys = axis == Axis::key || axis == Axis::target_key;
    switch (axis) {
      case Axis::key:
      case Axis::target_key:
      case Axis::source:
      case Axis::context:
      case Axis::context_bias:
        return fmt::format(
            "it has a value for every {}, and sentences have no {} in common; its rows are averaged by the "
            "statistics "
            "recorded beside it (row_entropy, tree_order_mean, shares …), one sentence is shown by mog "
            "figure",
            keys ? "key" : "source", keys ? "key" : "source");
      case Axis::d_model:
      case Axis::attention_dim:
        return "it is a vector a token; its norms, shares and means (.norm, .projection, .mean …) are "
               "averaged";
      case Axis::vocabulary:
        return "it has a value for every entry of the vocabulary";
      default:
        break;
    }
  }
  return "";
}

bool has_entry_means(const QuantitySchema& schema) {
  return why_no_entry_means(schema).empty();
}

Table entry_means(std::span<const RecordingSource* const> sources, std::span<const QuantityName> names,
                  const EntryOptions& options) {
  Table table = entry_table(options.quantiles);
  std::int64_t total = 0;
  for (const RecordingSource* const source : sources) {
    total += source->size() * static_cast<std::int64_t>(names.size());
  }
  std::int64_t done = 0;
  for (const QuantityName& name : names) {
    const EntryLayout layout = entry_layout(sources.front()->header(), name, options);
    Counter counter(*sources.front(), layout, options);
    for (const RecordingSource* const source : sources) {
      for (std::int64_t index = 0; index < source->size(); ++index) {
        if (options.stop.stop_requested()) {
          throw Interrupted("counting: interrupted");
        }
        const Sentence sentence = source->sentence(index);
        if (!sentence.words.empty()) {
          counter.add(sentence, source->read(index, name));
        }
        ++done;
        if (options.progress && done % 256 == 0) {
          options.progress(done, total);
        }
      }
    }
    counter.write(table);
  }
  return table;
}

}  // namespace mog::analysis
