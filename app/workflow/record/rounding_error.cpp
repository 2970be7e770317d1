#include "app/workflow/record/rounding_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "app/workflow/record/live_run.h"
#include "io/recording/counted.h"

namespace mog::app {
namespace {

std::vector<QuantitySchema> compared(const model::Model& model) {
  const Stack stack = model.system().main().stack;
  std::vector<QuantitySchema> schemas;
  for (QuantitySchema& schema : model.quantities()) {
    const QuantityName& name = schema.name;
    const bool whole = name.stack() == stack && name.reduction() == Reduction::full;
    const bool output = name.layer() == 0 && name.quantity() == Quantity::output;
    if (whole && (output || name.quantity() == Quantity::attention)) {
      schemas.push_back(std::move(schema));
    }
  }
  return schemas;
}

double greatest_difference(std::span<const float> a, std::span<const float> b) {
  double greatest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    greatest = std::max(greatest, std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i])));
  }
  return greatest;
}

void add_distance(std::span<const float> rounded, std::span<const float> exact, RoundingError& error) {
  for (std::size_t i = 0; i < exact.size(); ++i) {
    const auto value = static_cast<double>(exact[i]);
    error.difference += std::pow(static_cast<double>(rounded[i]) - value, 2);
    error.norm += value * value;
  }
}

}  // namespace

std::shared_ptr<const model::Model> exact_model(const std::filesystem::path& directory,
                                                model::DeviceOptions options) {
  if (options.precision != model::Precision::int8) {
    return nullptr;
  }
  options.precision = model::Precision::float32;
  return load_for_running(directory, options).model;
}

double RoundingError::output() const noexcept {
  return norm > 0 ? std::sqrt(difference / norm) : 0.0;
}

void RoundingError::add(const RoundingError& other) noexcept {
  sentences += other.sentences;
  attention = std::max(attention, other.attention);
  difference += other.difference;
  norm += other.norm;
}

RoundingError rounding_error(const model::Model& rounded, const model::Model& exact,
                             const std::vector<Sentence>& sentences) {
  const std::vector<QuantitySchema> schemas = compared(exact);
  const RecordingBatch a = record_batch(rounded, schemas, sentences);
  const RecordingBatch b = record_batch(exact, schemas, sentences);
  RoundingError error{.sentences = static_cast<std::int64_t>(sentences.size())};
  for (std::size_t i = 0; i < b.quantities.size(); ++i) {
    const std::span<const float> found = a.quantities[i].second.values<float>();
    const std::span<const float> expected = b.quantities[i].second.values<float>();
    if (b.quantities[i].first.quantity() == Quantity::attention) {
      error.attention = std::max(error.attention, greatest_difference(found, expected));
    } else {
      add_distance(found, expected, error);
    }
  }
  return error;
}

std::string rounding_line(const RoundingError& error) {
  return fmt::format(
      "8-bit products, beside float32 on {}: attention weights differ by {:.4f} at most, the encoder's "
      "output by "
      "{:.1f} % of its norm",
      counted(error.sentences, "sentence"), error.attention, 100 * error.output());
}

}  // namespace mog::app
