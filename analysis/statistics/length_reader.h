// Reads what a measure needs from a recording, one block of sentences at a time, and reduces it to one
// number a token.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "analysis/statistics/weight_by_length.h"

namespace mog::analysis {

// One recorded quantity and how a token's number comes out of it.
struct MeasuredQuantity {
  enum class Reduce : std::uint8_t {
    mean,         // over every axis but the token's
    row_entropy,  // of [head, query, key]
    row_max,      // of [head, query, key]
    first_key,    // of [head, query, key]
  };
  QuantitySchema schema;
  Reduce reduce = Reduce::mean;
  std::size_t first_series = 0;
  std::int64_t series = 1;  // 1, or one a head
};

// What `header` offers for the measure, sorted by layer and part; reductions done while recording are
// preferred to the full quantity. `keeps_layer` empty: all layers. Throws UsageError when there is nothing.
std::vector<MeasuredQuantity> measured_quantities(
    const RecordingHeader& header, Measure measure, bool by_head,
    const std::function<bool(std::int64_t layer)>& keeps_layer = {});
// The series those quantities give, in the same order.
std::vector<MeasuredSeries> measured_series(std::span<const MeasuredQuantity> quantities, bool by_head);

// Whether a token counts: the sink is what the pieces of other words than the first token's give to it.
bool has_value(Measure measure, const Sentence& sentence, std::size_t token);

// values: one sentence in the schema's shape. Returns [series, token].
std::vector<double> token_values(const MeasuredQuantity& quantity, std::span<const float> values,
                                 std::int64_t tokens);

}  // namespace mog::analysis
