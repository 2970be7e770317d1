// How the values of a recorded quantity fall into heads, entries and bins, sentence by sentence.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "analysis/statistics/entry_means.h"
#include "analysis/statistics/quantile_sketch.h"

namespace mog::analysis {

// How the values of one quantity fall into series [head, entry].
struct EntryLayout {
  explicit EntryLayout(const QuantitySchema& own);
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
struct EntryRow {
  std::vector<double> sum;
  std::vector<double> weight;
  std::int64_t tokens = 0;
  std::int64_t number = 0;                                  // of the sentence
  std::vector<std::pair<std::size_t, double>> values = {};  // series and value, with EntryOptions::quantiles
};

// By bin; heads are added up unless options.by_head.
std::map<std::int64_t, EntryRow> entry_rows(const EntryLayout& layout, const Sentence& sentence,
                                            const HostTensor& values, const EntryOptions& options);

// The layout of a quantity of `header`. Throws UsageError (entry_means()).
EntryLayout entry_layout(const RecordingHeader& header, const QuantityName& name,
                         const EntryOptions& options);

// The table of entry_means(), still without rows, and one of its rows.
Table entry_table(bool quantiles);
struct EntryCell {
  std::size_t head = 0;
  std::size_t entry = 0;
  std::int64_t bin = 0;
  std::int64_t sentences = 0;
  std::int64_t tokens = 0;
  double mean = 0;
  Interval interval;
  Quartiles quartiles = {};
};
void add_entry_cell(Table& table, const RecordingHeader& header, const EntryLayout& layout,
                    const EntryOptions& options, const EntryCell& cell);

}  // namespace mog::analysis
