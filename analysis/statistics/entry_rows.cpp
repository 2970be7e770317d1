#include "analysis/statistics/entry_rows.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

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

using Rows = std::map<std::int64_t, EntryRow>;  // by bin

class RowReader {
 public:
  RowReader(const EntryLayout& layout, const Sentence& sentence, const EntryOptions& options)
      : layout_(layout), sentence_(sentence), options_(options) {
    of_sentence_ = options.bins.bin(static_cast<std::int64_t>(sentence.words.size()));
    if (options.by_position && layout.by_target) {
      for (std::size_t step = 0; step < sentence.target_tokens.size(); ++step) {
        count(target_bin(step));
      }
      return;
    }
    if (counts_values()) {
      counted_.assign(sentence.tokens.size(), false);
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
  // Tokens without a value (the first one's surprisal) do not count.
  bool counts_values() const { return layout_.by_token && !layout_.by_target && !layout_.pooled; }
  std::int64_t token_bin(const Token& token) const {
    return options_.by_position ? options_.bins.bin(token.word + 1) : of_sentence_;
  }
  std::int64_t target_bin(std::size_t step) const {
    return options_.by_position ? options_.bins.bin(static_cast<std::int64_t>(step) + 1) : of_sentence_;
  }
  EntryRow& row(std::int64_t bin) {
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
    std::size_t token = 0;
    for (std::size_t axis = 0; axis < place.size(); ++axis) {
      const Axis which = layout_.schema.axes[axis];
      const auto at = static_cast<std::size_t>(place[axis]);
      if (is_token(which)) {
        if (sentence_.tokens[at].word < 0) {
          return;
        }
        token = at;
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
    if (counts_values() && !counted_[token]) {
      counted_[token] = true;
      count(bin);
    }
    EntryRow& own = row(bin);
    const std::size_t first = head * layout_.entries.size();
    if (!layout_.pooled) {
      own.sum[first + entry] += value;
      own.weight[first + entry] += 1;
      if (options_.quantiles) {
        own.values.emplace_back(first + entry, value);
      }
    } else if (entry + 1 < layout_.all_entries) {
      own.sum[first + entry] += value;
    } else {
      for (std::size_t i = 0; i < layout_.entries.size(); ++i) {
        own.weight[first + i] += value;
      }
    }
  }

  const EntryLayout& layout_;
  const Sentence& sentence_;
  const EntryOptions& options_;
  std::int64_t of_sentence_ = -1;  // bin of its length
  std::vector<bool> counted_;      // tokens
  Rows rows_;
};

// Heads added up.
EntryRow over_heads(const EntryRow& row, const EntryLayout& layout) {
  const std::size_t entries = layout.entries.size();
  EntryRow result{std::vector<double>(entries, 0.0), std::vector<double>(entries, 0.0), row.tokens,
                  row.number};
  for (std::size_t i = 0; i < row.sum.size(); ++i) {
    result.sum[i % entries] += row.sum[i];
    result.weight[i % entries] += row.weight[i];
  }
  for (const auto& [series, value] : row.values) {
    result.values.emplace_back(series % entries, value);
  }
  return result;
}

}  // namespace

EntryLayout::EntryLayout(const QuantitySchema& own) : schema(own) {
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

std::map<std::int64_t, EntryRow> entry_rows(const EntryLayout& layout, const Sentence& sentence,
                                            const HostTensor& values, const EntryOptions& options) {
  Rows rows = RowReader(layout, sentence, options).read(values);
  if (!options.by_head) {
    for (auto& [bin, row] : rows) {
      row = over_heads(row, layout);
    }
  }
  return rows;
}

EntryLayout entry_layout(const RecordingHeader& header, const QuantityName& name,
                         const EntryOptions& options) {
  const QuantitySchema* const schema = header.find(name);
  if (schema == nullptr) {
    throw UsageError(fmt::format("counting {}: the recording does not hold it", name.text()));
  }
  if (const std::string reason = why_no_entry_means(*schema); !reason.empty()) {
    throw UsageError(fmt::format("counting {}: {}", name.text(), reason));
  }
  EntryLayout layout(*schema);
  if (options.by_position && !layout.by_token && !layout.by_target) {
    throw UsageError(
        fmt::format("counting {} by position: it has one value a sentence, none a token", name.text()));
  }
  return layout;
}

Table entry_table(bool quantiles) {
  Table table;
  table.columns = {"model", "corpus", "quantity",   "units",       "layer",     "part",   "head",
                   "entry", "bin",    "length_low", "length_high", "sentences", "tokens", "mean",
                   "low",   "high",   "confidence", "resamples",   "seed",      "by"};
  if (quantiles) {
    add_quartile_columns(table);
  }
  return table;
}

void add_entry_cell(Table& table, const RecordingHeader& header, const EntryLayout& layout,
                    const EntryOptions& options, const EntryCell& cell) {
  const QuantitySchema& schema = layout.schema;
  const std::int64_t high = options.bins.high(cell.bin);
  using Nothing = std::monostate;
  const bool by_heads = options.by_head && layout.heads > 1;
  std::vector<Cell> row = {header.model.name,
                           header.provenance.corpus_name,
                           schema.name.text(),
                           schema.units,
                           schema.name.layer() > 0 ? Cell(schema.name.layer()) : Cell(Nothing()),
                           std::string(name(schema.name.part())),
                           by_heads ? Cell(static_cast<std::int64_t>(cell.head) + 1) : Cell(Nothing()),
                           layout.entries[cell.entry],
                           options.bins.label(cell.bin),
                           options.bins.low(cell.bin),
                           high < 0 ? Cell(Nothing()) : Cell(high),
                           cell.sentences,
                           cell.tokens,
                           cell.mean,
                           cell.interval.low,
                           cell.interval.high,
                           options.bootstrap.confidence,
                           options.bootstrap.resamples,
                           static_cast<std::int64_t>(options.bootstrap.seed),
                           std::string(options.by_position ? "position" : "length")};
  if (options.quantiles) {
    add_quartiles(row, cell.quartiles);
  }
  table.add(std::move(row));
}

}  // namespace mog::analysis
