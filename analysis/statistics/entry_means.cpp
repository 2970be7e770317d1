// Every mean here is a quotient of two sums over sentences. For most quantities the lower sum counts the
// values; for `covariance_sums` it is the variance that was recorded as the last entry, so that shares are
// pooled over sentences instead of averaged. A sentence leaves one pair a head and entry, 16 bytes, and its
// values are forgotten. Quantities are read one after the other, so memory holds the pairs of one.
//
// By position a sentence adds to several bins, by length to one.
//
// What the axes of a quantity mean is found once (Layout): tokens and targets are summed over, heads are
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

#include "io/recording/errors.h"

namespace mog::analysis {
namespace {

bool is_token(Axis axis) {
  return axis == Axis::token || axis == Axis::query;
}
bool is_target(Axis axis) {
  return axis == Axis::target_token || axis == Axis::target_query;
}

std::vector<std::string> names_of(Axis axis, std::int64_t extent) {
  const auto named = entry_names(axis, extent);
  std::vector<std::string> result(named.begin(), named.end());
  for (auto i = static_cast<std::int64_t>(result.size()); i < extent; ++i) {
    result.push_back(std::to_string(axis == Axis::leaves || axis == Axis::walk_length ? i : i + 1));
  }
  return result;
}

// How the values of one quantity fall into series [head, entry].
struct Layout {
  explicit Layout(const QuantitySchema& own) : schema(own) {
    pooled = own.name.reduction() == Reduction::covariance_sums;
    entries = {""};
    for (std::size_t i = 0; i < own.axes.size(); ++i) {
      if (is_token(own.axes[i])) {
        by_token = true;
      } else if (is_target(own.axes[i])) {
        by_target = true;  // all count the same
      } else if (own.axes[i] == Axis::head) {
        heads = own.extents[i];
      } else {
        std::vector<std::string> longer;
        for (const std::string& before : entries) {
          for (const std::string& name : names_of(own.axes[i], own.extents[i])) {
            longer.push_back(before.empty() ? name : fmt::format("{}.{}", before, name));
          }
        }
        entries = std::move(longer);
      }
    }
    all_entries = entries.size();
    if (pooled) {
      entries.pop_back();  // the variance is what the others are divided by
    }
  }
  std::size_t series() const { return static_cast<std::size_t>(heads) * entries.size(); }

  QuantitySchema schema;
  std::vector<std::string> entries;
  std::size_t all_entries = 1;
  std::int64_t heads = 1;
  bool by_token = false;
  bool by_target = false;
  bool pooled = false;
};

// What one sentence adds to a bin: [series] numerators and denominators.
struct Row {
  std::vector<double> sum;
  std::vector<double> weight;
  std::int64_t tokens = 0;
  std::int64_t number = 0;  // of the sentence
};

using Rows = std::map<std::int64_t, Row>;  // by bin

class RowReader {
 public:
  RowReader(const Layout& layout, const Sentence& sentence, const EntryOptions& options)
      : layout_(layout), sentence_(sentence), options_(options) {
    of_sentence_ = options.bins.bin(static_cast<std::int64_t>(sentence.words.size()));
    if (options.by_position && layout.by_target) {
      for (std::size_t step = 0; step < sentence.target_tokens.size(); ++step) {
        count(target_bin(step));
      }
      return;
    }
    for (const Token& token : sentence.tokens) {
      if (token.word >= 0) {
        count(token_bin(token));
      }
    }
  }
  Rows read(const HostTensor& values) {
    const std::vector<float> flat = values.to_floats();
    const auto shape = layout_.schema.shape(static_cast<std::int64_t>(sentence_.tokens.size()),
                                            static_cast<std::int64_t>(sentence_.target_tokens.size()));
    std::vector<std::int64_t> place(shape.size(), 0);
    for (const float value : flat) {
      add(place, static_cast<double>(value));
      for (std::size_t axis = shape.size(); axis-- > 0;) {
        if (++place[axis] < shape[axis]) {
          break;
        }
        place[axis] = 0;
      }
    }
    return std::move(rows_);
  }

 private:
  std::int64_t token_bin(const Token& token) const {
    return options_.by_position ? options_.bins.bin(token.word + 1) : of_sentence_;
  }
  std::int64_t target_bin(std::size_t step) const {
    return options_.by_position ? options_.bins.bin(static_cast<std::int64_t>(step) + 1) : of_sentence_;
  }
  Row& row(std::int64_t bin) {
    const auto [found, added] = rows_.try_emplace(bin);
    if (added) {
      found->second.sum.assign(layout_.series(), 0.0);
      found->second.weight.assign(layout_.series(), 0.0);
      found->second.number = sentence_.number;
    }
    return found->second;
  }
  void count(std::int64_t bin) {
    if (bin >= 0) {
      ++row(bin).tokens;
    }
  }

  void add(const std::vector<std::int64_t>& place, double value) {
    std::size_t head = 0;
    std::size_t entry = 0;
    std::int64_t bin = of_sentence_;
    for (std::size_t axis = 0; axis < place.size(); ++axis) {
      const Axis which = layout_.schema.axes[axis];
      const auto at = static_cast<std::size_t>(place[axis]);
      if (is_token(which)) {
        if (sentence_.tokens[at].word < 0) {
          return;
        }
        bin = token_bin(sentence_.tokens[at]);
      } else if (which == Axis::head) {
        head = at;
      } else if (is_target(which)) {
        bin = target_bin(at);
      } else {
        entry = entry * static_cast<std::size_t>(layout_.schema.extents[axis]) + at;
      }
    }
    if (!std::isfinite(value) || bin < 0) {
      return;
    }
    Row& own = row(bin);
    const std::size_t first = head * layout_.entries.size();
    if (!layout_.pooled) {
      own.sum[first + entry] += value;
      own.weight[first + entry] += 1;
    } else if (entry + 1 < layout_.all_entries) {
      own.sum[first + entry] += value;
    } else {
      for (std::size_t i = 0; i < layout_.entries.size(); ++i) {
        own.weight[first + i] += value;
      }
    }
  }

  const Layout& layout_;
  const Sentence& sentence_;
  const EntryOptions& options_;
  std::int64_t of_sentence_ = -1;  // bin of its length
  Rows rows_;
};

// Heads added up.
Row over_heads(const Row& row, const Layout& layout) {
  const std::size_t entries = layout.entries.size();
  Row result{std::vector<double>(entries, 0.0), std::vector<double>(entries, 0.0), row.tokens, row.number};
  for (std::size_t i = 0; i < row.sum.size(); ++i) {
    result.sum[i % entries] += row.sum[i];
    result.weight[i % entries] += row.weight[i];
  }
  return result;
}

class Counter {
 public:
  Counter(const RecordingSource& first, const Layout& layout, const EntryOptions& options)
      : header_(first.header()),
        layout_(layout),
        options_(options),
        bins_(static_cast<std::size_t>(options.bins.size())) {}

  void add(const Sentence& sentence, const HostTensor& values) {
    for (auto& [bin, row] : RowReader(layout_, sentence, options_).read(values)) {
      bins_[static_cast<std::size_t>(bin)].push_back(options_.by_head ? std::move(row)
                                                                      : over_heads(row, layout_));
    }
  }
  void write(Table& table) {
    for (std::vector<Row>& rows : bins_) {  // parts of a run are drawn from as the whole is
      std::stable_sort(rows.begin(), rows.end(),
                       [](const Row& a, const Row& b) { return a.number < b.number; });
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
    const std::vector<Row>& rows = bins_[bin];
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
    const bool drawn = options_.bootstrap.resamples > 0;
    const Interval interval =
        drawn ? bootstrap_interval(static_cast<std::int64_t>(rows.size()), mean, options_.bootstrap, bin)
              : Interval{std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::quiet_NaN()};
    const QuantitySchema& schema = layout_.schema;
    const auto bin_index = static_cast<std::int64_t>(bin);
    const std::int64_t high = options_.bins.high(bin_index);
    using Nothing = std::monostate;
    const bool by_heads = options_.by_head && layout_.heads > 1;
    table.add({header_.model.name,
               header_.provenance.corpus_name,
               schema.name.text(),
               schema.units,
               schema.name.layer() > 0 ? Cell(schema.name.layer()) : Cell(Nothing()),
               std::string(name(schema.name.part())),
               by_heads ? Cell(static_cast<std::int64_t>(head) + 1) : Cell(Nothing()),
               layout_.entries[entry],
               options_.bins.label(bin_index),
               options_.bins.low(bin_index),
               high < 0 ? Cell(Nothing()) : Cell(high),
               static_cast<std::int64_t>(rows.size()),
               tokens,
               mean(all),
               interval.low,
               interval.high,
               options_.bootstrap.confidence,
               options_.bootstrap.resamples,
               static_cast<std::int64_t>(options_.bootstrap.seed),
               std::string(options_.by_position ? "position" : "length")});
  }

  const RecordingHeader& header_;
  const Layout& layout_;
  const EntryOptions& options_;
  std::vector<std::vector<Row>> bins_;
};

}  // namespace

std::string why_no_entry_means(const QuantitySchema& schema) {
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
  Table table;
  table.columns = {"model", "corpus", "quantity",   "units",       "layer",     "part",   "head",
                   "entry", "bin",    "length_low", "length_high", "sentences", "tokens", "mean",
                   "low",   "high",   "confidence", "resamples",   "seed",      "by"};
  std::int64_t total = 0;
  for (const RecordingSource* const source : sources) {
    total += source->size() * static_cast<std::int64_t>(names.size());
  }
  std::int64_t done = 0;
  for (const QuantityName& name : names) {
    const QuantitySchema* const schema = sources.front()->header().find(name);
    if (schema == nullptr) {
      throw UsageError(fmt::format("counting {}: the recording does not hold it", name.text()));
    }
    if (const std::string reason = why_no_entry_means(*schema); !reason.empty()) {
      throw UsageError(fmt::format("counting {}: {}", name.text(), reason));
    }
    const Layout layout(*schema);
    if (options.by_position && !layout.by_token && !layout.by_target) {
      throw UsageError(
          fmt::format("counting {} by position: it has one value a sentence, none a token", name.text()));
    }
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
