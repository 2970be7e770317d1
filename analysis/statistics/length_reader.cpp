// A measure may have been recorded in several forms: reduced while recording (a mean over d_model, the
// entropy of each row) or whole. Each layer and part takes the form that fits best; the reduced one wins,
// because it is smaller by the width of what was summed and was computed in float32 before the cast.
//
// token_values() knows axes, not quantities: what stands before the token axis are heads and the like, what
// stands behind is averaged. Cost: one pass over the values.
//
// Trap: a recording may mix forms, a layer reduced and another whole. Their entropies differ by the rounding
// of the stored map (float16).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "analysis/statistics/length_reader.h"
#include "io/recording/errors.h"
#include "io/recording/top_keys.h"

namespace mog::analysis {
namespace {

using Reduce = MeasuredQuantity::Reduce;

// How well a recorded quantity serves a measure: 0 not at all, greater is better.
struct Fit {
  int rank = 0;
  Reduce reduce = Reduce::mean;
};

Fit fit(const QuantityName& name, Stack stack, Measure measure) {
  if (name.stack() != stack || name.layer() < 1) {
    return {};
  }
  const bool full = name.reduction() == Reduction::full;
  switch (measure) {
    case Measure::gate:
      if (name.quantity() == Quantity::gate) {
        return {name.reduction() == Reduction::mean ? 2 : (full ? 1 : 0), Reduce::mean};
      }
      break;
    case Measure::share:
      if (name.quantity() == Quantity::output && name.reduction() == Reduction::share) {
        return {1, Reduce::mean};
      }
      break;
    case Measure::entropy:
    case Measure::maximum:
      if (name.quantity() == Quantity::attention) {
        const bool entropy = measure == Measure::entropy;
        if (name.reduction() == (entropy ? Reduction::row_entropy : Reduction::row_max)) {
          return {2, Reduce::mean};
        }
        return {full ? 1 : 0, entropy ? Reduce::row_entropy : Reduce::row_max};
      }
      break;
    case Measure::leaves:
      if (name.quantity() == Quantity::order) {
        // The masses are of ranges of orders and give no exact mean.
        return {name.reduction() == Reduction::mean ? 1 : 0, Reduce::mean};
      }
      break;
    case Measure::sink:
      if (name.quantity() == Quantity::attention && name.reduction() == Reduction::sink) {
        return {3, Reduce::mean};
      }
      if (name.quantity() == Quantity::attention) {
        return {full ? 2 : (name.reduction() == Reduction::mean_heads ? 1 : 0), Reduce::first_key};
      }
      break;
  }
  return {};
}

std::string_view what_to_record(Measure measure) {
  switch (measure) {
    case Measure::gate:
      return "record a Graph-Transformer with a weight gate, a GRU or an LSTM with --capture summary or "
             "gates";
    case Measure::share:
      return "record with --capture summary or shares";
    case Measure::entropy:
    case Measure::maximum:
      return "record with --capture summary or attention";
    case Measure::leaves:
      return "record with --capture orders";
    case Measure::sink:
      return "record with --capture attention, or --quantity 'encoder.*.*.attention.sink'";
  }
  return "";
}

bool is_token_axis(Axis axis) {
  return axis == Axis::token || axis == Axis::query;
}

// Rows [head, query] of one map [head, query, key].
std::vector<double> reduced_rows(std::span<const float> map, std::size_t rows, std::size_t keys,
                                 Reduce reduce) {
  std::vector<double> result(rows);
  for (std::size_t row = 0; row < rows; ++row) {
    const auto weights = map.subspan(row * keys, keys);
    if (reduce == Reduce::first_key) {
      result[row] = static_cast<double>(weights.front());
      continue;
    }
    const bool entropy = reduce == Reduce::row_entropy;
    double sum = 0;
    for (const float weight : weights) {
      const auto p = static_cast<double>(weight);
      sum = entropy ? (p > 0 ? sum - p * std::log(p) : sum) : std::max(sum, p);
    }
    result[row] = sum;
  }
  return result;
}

}  // namespace

std::vector<MeasuredQuantity> measured_quantities(
    const RecordingHeader& header, Measure measure, bool by_head,
    const std::function<bool(std::int64_t layer)>& keeps_layer) {
  std::map<std::pair<std::int64_t, Part>, std::pair<int, MeasuredQuantity>> best;
  for (const QuantitySchema& schema : header.quantities) {
    const Fit found = fit(schema.name, header.stack().stack, measure);
    auto& [rank, quantity] = best[{schema.name.layer(), schema.name.part()}];
    if (found.rank > rank) {
      rank = found.rank;
      quantity.schema = schema;
      quantity.reduce = found.reduce;
    }
  }
  std::vector<MeasuredQuantity> result;
  std::size_t series = 0;
  bool left_out = false;
  for (auto& [key, ranked] : best) {
    if (ranked.first == 0) {
      continue;
    }
    if (keeps_layer && !keeps_layer(key.first)) {
      left_out = true;
      continue;
    }
    MeasuredQuantity& quantity = ranked.second;
    const auto& axes = quantity.schema.axes;
    const auto head = std::find(axes.begin(), axes.end(), Axis::head);
    if (by_head && head != axes.end()) {
      quantity.series = quantity.schema.extents[static_cast<std::size_t>(head - axes.begin())];
    }
    if (std::none_of(axes.begin(), axes.end(), is_token_axis)) {
      throw FormatError(fmt::format("{} has no token axis, so it cannot be counted by sentence length",
                                    quantity.schema.name.text()));
    }
    quantity.first_series = series;
    series += static_cast<std::size_t>(quantity.series);
    result.push_back(std::move(quantity));
  }
  if (result.empty() && left_out) {
    throw UsageError(
        fmt::format("statistics of \"{}\": the recording of {} holds it in none of the layers asked for",
                    name(measure), header.model.name));
  }
  if (result.empty()) {
    std::string held;
    for (const QuantitySchema& schema : header.quantities) {
      held += (held.empty() ? "" : ", ") + schema.name.text();
      if (held.size() > 300) {
        held += ", …";
        break;
      }
    }
    throw UsageError(fmt::format(
        "statistics of \"{}\": the recording of {} holds nothing of it (it holds {}); {}{}", name(measure),
        header.model.name, held.empty() ? "no quantity" : held, what_to_record(measure),
        measure == Measure::entropy || measure == Measure::maximum || measure == Measure::sink
            ? only_top_keys(header)
            : ""));
  }
  return result;
}

std::vector<MeasuredSeries> measured_series(std::span<const MeasuredQuantity> quantities, bool by_head) {
  std::vector<MeasuredSeries> result;
  for (const MeasuredQuantity& quantity : quantities) {
    const auto& axes = quantity.schema.axes;
    const bool heads = by_head && std::find(axes.begin(), axes.end(), Axis::head) != axes.end();
    for (std::int64_t head = 0; head < quantity.series; ++head) {
      result.push_back({quantity.schema.name.layer(), quantity.schema.name.part(), heads ? head + 1 : 0});
    }
  }
  return result;
}

bool has_value(Measure measure, const Sentence& sentence, std::size_t token) {
  const std::int64_t first = sentence.tokens.front().word;
  return measure != Measure::sink || first < 0 || sentence.tokens[token].word != first;
}

std::vector<double> token_values(const MeasuredQuantity& quantity, std::span<const float> values,
                                 std::int64_t tokens) {
  std::vector<Axis> axes = quantity.schema.axes;
  std::vector<std::int64_t> shape = quantity.schema.shape(tokens);
  std::vector<double> numbers;
  if (quantity.reduce != Reduce::mean) {
    const auto keys = static_cast<std::size_t>(shape.back());
    const std::size_t rows = keys == 0 ? 0 : values.size() / keys;
    numbers = reduced_rows(values, rows, keys, quantity.reduce);
    axes.pop_back();
    shape.pop_back();
  } else {
    numbers.assign(values.begin(), values.end());
  }
  const auto token_axis =
      static_cast<std::size_t>(std::find_if(axes.begin(), axes.end(), is_token_axis) - axes.begin());
  std::int64_t outer = 1;
  std::int64_t inner = 1;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    (axis < token_axis ? outer : inner) *= axis == token_axis ? 1 : shape[axis];
  }
  const std::int64_t per_series = outer / quantity.series;  // outer rows that one series averages
  std::vector<double> result(static_cast<std::size_t>(quantity.series * tokens), 0.0);
  for (std::int64_t row = 0; row < outer; ++row) {
    for (std::int64_t token = 0; token < tokens; ++token) {
      double sum = 0;
      for (std::int64_t i = 0; i < inner; ++i) {
        sum += numbers[static_cast<std::size_t>((row * tokens + token) * inner + i)];
      }
      result[static_cast<std::size_t>(row / per_series * tokens + token)] += sum;
    }
  }
  const auto terms = static_cast<double>(per_series * inner);
  for (double& value : result) {
    value /= terms;
  }
  return result;
}

}  // namespace mog::analysis
