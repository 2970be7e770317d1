#include "app/workflow/record/attribution_computer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "analysis/attribution/quantities.h"
#include "analysis/attribution/word_units.h"
#include "io/hdf5/recording/eight_bit_maps.h"
#include "io/recording/errors.h"

namespace mog::app {
namespace {

std::vector<double> doubles(const HostTensor& tensor) {
  if (tensor.dtype() == DType::float64) {
    const auto values = tensor.values<double>();
    return {values.begin(), values.end()};
  }
  const std::vector<float> values = tensor.to_floats();
  return {values.begin(), values.end()};
}

HostTensor stored(const std::vector<double>& values, DType dtype) {
  const auto size = static_cast<std::int64_t>(values.size());
  if (dtype == DType::float64) {
    return HostTensor::of<double>({size}, values);
  }
  const std::vector<float> single(values.begin(), values.end());
  return HostTensor::of<float>({size}, single).to(dtype);
}

// Between the floating types, float64 among them.
HostTensor as_type(const HostTensor& tensor, DType dtype) {
  const bool wide = tensor.dtype() == DType::float64 || dtype == DType::float64;
  if (tensor.dtype() == dtype) {
    return tensor;
  }
  return wide ? stored(doubles(tensor), dtype) : tensor.to(dtype);
}

// Greatest distance from 1 of the rows of a row-stochastic map, its pieces merged to words.
double word_row_error(const std::vector<double>& map, const Sentence& sentence) {
  const auto tokens = static_cast<std::int64_t>(sentence.tokens.size());
  const analysis::WordUnits units = analysis::word_units(sentence);
  const std::vector<double> merged = analysis::merge_pieces(map, tokens, units);
  const auto width = static_cast<std::size_t>(units.count());
  double worst = 0;
  for (std::size_t begin = 0; begin < merged.size(); begin += width) {
    double sum = -1;
    for (std::size_t i = 0; i < width; ++i) {
      sum += merged[begin + i];
    }
    worst = std::max(worst, std::abs(sum));
  }
  return worst;
}

}  // namespace

AttributionComputer::AttributionComputer(std::vector<QuantitySchema> wanted,
                                         std::span<const QuantitySchema> offered, StackDescription stack,
                                         bool check, double tolerance)
    : wanted_(std::move(wanted)), stack_(std::move(stack)), check_(check), tolerance_(tolerance) {
  std::vector<QuantityName> names;
  for (const QuantitySchema& schema : wanted_) {
    names.push_back(schema.name);
  }
  if (check_) {
    names.emplace_back(stack_.stack, 1, Part::none, Quantity::rollout, Reduction::product);
    names.emplace_back(stack_.stack, 1, Part::none, Quantity::alti, Reduction::product);
  }
  for (const QuantityName& name : analysis::attribution_inputs(names, stack_)) {
    const auto found = std::find_if(offered.begin(), offered.end(),
                                    [&](const QuantitySchema& schema) { return schema.name == name; });
    if (found == offered.end()) {
      throw UsageError(fmt::format("computing attributions: the model does not offer {}", name.text()));
    }
    inputs_.push_back(*found);
    inputs_.back().dtype = DType::float64;
  }
}

void AttributionComputer::add(RecordingBatch& batch, IdentityReport* report) const {
  std::map<QuantityName, HostTensor> given(batch.quantities.begin(), batch.quantities.end());
  std::map<QuantityName, std::int64_t> read;  // elements so far
  std::vector<QuantityName> names;
  for (const QuantitySchema& schema : wanted_) {
    names.push_back(schema.name);
  }
  std::vector<std::vector<double>> values(wanted_.size());
  for (const Sentence& sentence : batch.sentences) {
    const auto tokens = static_cast<std::int64_t>(sentence.tokens.size());
    std::map<QuantityName, HostTensor> own;
    for (const QuantitySchema& schema : inputs_) {
      const std::int64_t elements = schema.elements(tokens);
      own.emplace(schema.name, given.at(schema.name).slice_flat(read[schema.name], {elements}));
      read[schema.name] += elements;
    }
    const analysis::MapReader reader = [&](const QuantityName& name) { return doubles(own.at(name)); };
    std::vector<std::vector<double>> found = analysis::attributions(names, stack_, tokens, reader);
    for (std::size_t i = 0; i < found.size(); ++i) {
      values[i].insert(values[i].end(), found[i].begin(), found[i].end());
    }
    if (check_ && report != nullptr) {
      for (const auto& [identity, residual] : analysis::attribution_residuals(stack_, tokens, reader)) {
        report->add({.identity = std::string(identity),
                     .residual = residual,
                     .tolerance = tolerance_,
                     .layer = 0,
                     .head = 0,
                     .sentence = sentence.number});
      }
      for (const QuantitySchema& schema : inputs_) {
        if (schema.name.quantity() == Quantity::alti) {
          report->add({.identity = "rows of word maps",
                       .residual = word_row_error(reader(schema.name), sentence),
                       .tolerance = tolerance_,
                       .layer = schema.name.layer(),
                       .head = 0,
                       .sentence = sentence.number});
        }
      }
    }
  }
  for (std::size_t i = 0; i < wanted_.size(); ++i) {
    batch.quantities.emplace_back(wanted_[i].name, stored(values[i], io::type_of_values(wanted_[i].dtype)));
  }
}

void narrow_to_float32(RecordingBatch& batch) {
  for (auto& [name, tensor] : batch.quantities) {
    if (tensor.dtype() == DType::float64) {
      tensor = as_type(tensor, DType::float32);
    }
  }
}

void keep_only(RecordingBatch& batch, const RecordingHeader& header) {
  std::map<QuantityName, HostTensor> given(batch.quantities.begin(), batch.quantities.end());
  batch.quantities.clear();
  for (const QuantitySchema& schema : header.quantities) {
    batch.quantities.emplace_back(schema.name,
                                  as_type(given.at(schema.name), io::type_of_values(schema.dtype)));
  }
}

}  // namespace mog::app
