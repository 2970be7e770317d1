#include "app/workflow/record/rounding_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "app/workflow/record/live_run.h"
#include "app/workflow/record/record_quantities.h"
#include "app/workflow/record/rounding_parts.h"
#include "io/recording/counted.h"

namespace mog::app {
namespace {

double greatest_difference(std::span<const float> a, std::span<const float> b) {
  double greatest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double difference = std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i]));
    greatest = greatest >= difference ? greatest : difference;  // what is no number stays
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

// The first that have room together for their maps in both models; none where one alone has not.
std::vector<Sentence> with_room(const std::vector<Sentence>& sentences,
                                const std::vector<QuantitySchema>& schemas) {
  double bytes = 0;
  std::vector<Sentence> some;
  for (const Sentence& sentence : sentences) {
    bytes += compared_bytes(schemas, std::ssize(sentence.tokens));
    if (bytes > kMostComparedBytes) {
      break;
    }
    some.push_back(sentence);
  }
  return some;
}

}  // namespace

std::vector<QuantitySchema> compared_quantities(const model::Model& model) {
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

double compared_bytes(const std::vector<QuantitySchema>& schemas, std::int64_t tokens) {
  double heads = 0;  // maps of a token and a token
  for (const QuantitySchema& schema : schemas) {
    if (schema.name.quantity() == Quantity::attention) {
      heads += static_cast<double>(std::max<std::int64_t>(1, schema.extents.front()));
    }
  }
  return 2 * sizeof(float) * heads * static_cast<double>(tokens) * static_cast<double>(tokens);
}

void add_difference(const QuantityName& name, const HostTensor& rounded, const HostTensor& exact,
                    RoundingError& error) {
  const std::span<const float> found = rounded.values<float>();
  const std::span<const float> expected = exact.values<float>();
  if (name.quantity() == Quantity::attention) {
    error.add({.attention = greatest_difference(found, expected)});
  } else {
    add_distance(found, expected, error);
  }
}

std::shared_ptr<const model::Model> exact_model(const std::filesystem::path& directory,
                                                model::DeviceOptions options) {
  if (options.precision != model::Precision::int8) {
    return nullptr;
  }
  options.precision = model::Precision::float32;
  options.device = "cpu";  // where 8-bit products run
  return model::load_model(directory, options);
}

double RoundingError::output() const noexcept {
  return norm == 0 ? 0.0 : std::sqrt(difference / norm);
}

void RoundingError::add(const RoundingError& other) noexcept {
  sentences += other.sentences;
  if (other.attention && !(attention && *attention >= *other.attention)) {
    attention = other.attention;
  }
  difference += other.difference;
  norm += other.norm;
}

RoundingError rounding_error(const model::Model& rounded, const model::Model& exact,
                             const std::vector<Sentence>& sentences, std::optional<std::int64_t> round) {
  const std::vector<QuantitySchema> schemas = compared_quantities(exact);
  const std::vector<Sentence> some = with_room(sentences, schemas);
  RoundingError error{.sentences = static_cast<std::int64_t>(some.size()), .attention = {}};
  if (some.empty()) {
    return error;
  }
  const RecordingBatch a = record_batch(rounded, schemas, some, {.round = round});
  const RecordingBatch b = record_batch(exact, schemas, some, {.round = round});
  for (std::size_t i = 0; i < b.quantities.size(); ++i) {
    add_difference(b.quantities[i].first, a.quantities[i].second, b.quantities[i].second, error);
  }
  return error;
}

std::string rounding_line(const RoundingError& error) {
  if (error.sentences == 0) {
    return "8-bit products: the sentences are too long to be run beside float32; what changes was not "
           "measured";
  }
  return fmt::format(
      "8-bit products, beside float32 on {}: {}the output differs by {:.1f} % of its norm",
      counted(error.sentences, "sentence"),
      error.attention ? fmt::format("attention weights differ by {:.4f} at most, ", *error.attention) : "",
      100 * error.output());
}

}  // namespace mog::app
