// Values of a sentence come array by array and row by row from the loader, in pieces of any size, and each
// row becomes all that is recorded of it at once: the row itself, entropy, maximum, its share in the mean
// over heads. So memory holds the tensors that are kept, one row, and one map of sums, whatever the number
// of heads.
//
// Each row is judged: finite, not negative, a sum of 1 within a tolerance that half floats meet. Statistics
// are those of the row divided by its sum; what is kept in float32 is divided where it is further from 1
// than float32 need be, and counted. What is kept in float16 stays as it was given.
//
// Trap: the mean over heads adds rows that are divided already, or divides them, according to what is kept
// of the map itself.
#include "app/workflow/import/import_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "app/workflow/common/text_format.h"
#include "io/recording/errors.h"

namespace mog::app {
namespace {

constexpr double kLargestHalf = 65504;

// The part of a stack that an array of the file is: docs/import-format.md names them by what they attend to.
Part part_of(const StackDescription& stack, io::ImportArray array) {
  const auto of = [&](PartState query, PartState key) {
    const auto found = std::find_if(stack.parts.begin(), stack.parts.end(), [&](Part part) {
      return part.attends() && part.description().query == query && part.description().key == key;
    });
    return found == stack.parts.end() ? Part::none : *found;
  };
  switch (array) {
    case io::ImportArray::attention:
      return of(PartState::whole, PartState::whole);
    case io::ImportArray::high:
      return of(PartState::incremental, PartState::incremental);
    case io::ImportArray::middle1:
      return of(PartState::incremental, PartState::previous);
    case io::ImportArray::middle2:
      return of(PartState::previous, PartState::incremental);
    default:
      return Part::none;
  }
}

QuantityName name_of(const StackDescription& stack, const io::ImportedArray& array) {
  if (io::is_map(array.array)) {
    return {stack.stack, array.layer, part_of(stack, array.array), Quantity::attention};
  }
  if (array.array == io::ImportArray::gate) {
    return {stack.stack, array.layer, Part::none, Quantity::gate};
  }
  return {stack.stack, array.layer, Part::none, array.layer == 0 ? Quantity::embedding : Quantity::output};
}

}  // namespace

SentenceValues::SentenceValues(const io::ImportPlan& plan, StackDescription stack,
                               std::span<const QuantitySchema> wanted, const std::filesystem::path& file,
                               ImportRows& rows)
    : plan_(plan), stack_(std::move(stack)), wanted_(wanted), file_(file), rows_(rows) {}

void SentenceValues::refuse(const std::string& what) const {
  throw FormatError(fmt::format("importing {}: sentence {}, {}: {}", file_.string(), number_, place(), what));
}

std::string SentenceValues::place() const {
  if (!io::is_map(array_.array)) {
    return fmt::format("{} of layer {}, token {}", io::name(array_.array), array_.layer, row_ + 1);
  }
  return fmt::format("{} of layer {}, head {}, row {}", io::name(array_.array), array_.layer,
                     row_ / tokens_ + 1, row_ % tokens_ + 1);
}

HostTensor* SentenceValues::tensor(const QuantityName& name) {
  const auto found = tensors_.find(name);
  return found == tensors_.end() ? nullptr : &found->second;
}

RecordingBatch SentenceValues::read(io::ImportStream& stream, Sentence sentence) {
  number_ = sentence.number;
  tokens_ = static_cast<std::int64_t>(sentence.tokens.size());
  tensors_.clear();
  for (const QuantitySchema& schema : wanted_) {
    tensors_.emplace(schema.name, HostTensor(schema.dtype, {schema.elements(tokens_)}));
  }
  while (const auto array = stream.next_array()) {
    begin(*array);
    for (auto values = stream.next_values(); !values.empty(); values = stream.next_values()) {
      take(values);
    }
    if (mean_ != nullptr && !heads_sum_.empty()) {
      for (double& value : heads_sum_) {
        value /= static_cast<double>(plan_.heads);
      }
      put(mean_, 0, heads_sum_);
    }
  }
  RecordingBatch batch;
  for (const QuantitySchema& schema : wanted_) {
    batch.quantities.emplace_back(schema.name, std::move(tensors_.at(schema.name)));
  }
  batch.sentences.push_back(std::move(sentence));
  return batch;
}

void SentenceValues::begin(const io::ImportedArray& array) {
  array_ = array;
  row_ = 0;
  pending_.clear();
  const QuantityName name = name_of(stack_, array);
  const std::vector<std::int64_t> shape = plan_.shape_of(array.array, tokens_);
  row_size_ = shape.size() == 1 ? 1 : static_cast<std::size_t>(shape.back());
  whole_ = tensor(name);
  again_ = array.array == io::ImportArray::hidden && array.layer == plan_.layers
               ? tensor({stack_.stack, 0, Part::none, Quantity::output})
               : nullptr;
  const bool map = io::is_map(array.array);
  entropy_ = map ? tensor(name.with(Reduction::row_entropy)) : nullptr;
  maximum_ = map ? tensor(name.with(Reduction::row_max)) : nullptr;
  mean_ = map                                    ? tensor(name.with(Reduction::mean_heads))
          : array.array == io::ImportArray::gate ? tensor(name.with(Reduction::mean))
                                                 : nullptr;
  heads_sum_.assign(map && mean_ != nullptr ? static_cast<std::size_t>(tokens_ * tokens_) : 0, 0.0);
}

void SentenceValues::take(std::span<const double> values) {
  while (!values.empty()) {
    const std::size_t count = std::min(values.size(), row_size_ - pending_.size());
    pending_.insert(pending_.end(), values.begin(), values.begin() + static_cast<std::ptrdiff_t>(count));
    values = values.subspan(count);
    if (pending_.size() < row_size_) {
      return;
    }
    if (io::is_map(array_.array)) {
      attention_row();
    } else if (array_.array == io::ImportArray::gate) {
      gate_row();
    } else {
      vector_row();
    }
    ++row_;
    pending_.clear();
  }
}

void SentenceValues::put(HostTensor* to, std::int64_t at, std::span<const double> values) {
  if (to == nullptr) {
    return;
  }
  const auto first = static_cast<std::size_t>(at);
  if (to->dtype() == DType::float16) {
    const auto into = to->mutable_values<Float16>().subspan(first, values.size());
    std::transform(values.begin(), values.end(), into.begin(),
                   [](double value) { return to_float16(static_cast<float>(value)); });
  } else {
    const auto into = to->mutable_values<float>().subspan(first, values.size());
    std::transform(values.begin(), values.end(), into.begin(),
                   [](double value) { return static_cast<float>(value); });
  }
}

void SentenceValues::attention_row() {
  double sum = 0;
  double greatest = 0;
  for (std::size_t k = 0; k < pending_.size(); ++k) {
    const double weight = pending_[k];
    if (!std::isfinite(weight) || weight < 0) {
      refuse(fmt::format("column {}: expected a weight from 0 to 1, found {}", k + 1, weight));
    }
    sum += weight;
    greatest = std::max(greatest, weight);
  }
  const double deviation = std::abs(sum - 1);
  if (!(deviation <= kImportRowTolerance)) {
    const char* const hint = sum > 0 && sum < 1
                                 ? "; were columns cut off, or was it written while dropout was on?"
                                 : "; is it taken before the softmax, or padding?";
    refuse(fmt::format("the weights sum to {:.6g}; a row must sum to 1 within {}{}", sum, kImportRowTolerance,
                       hint));
  }
  ++rows_.rows;
  rows_.largest_deviation = std::max(rows_.largest_deviation, deviation);
  double entropy = 0;
  for (double& weight : pending_) {
    const double share = weight / sum;
    entropy -= share > 0 ? share * std::log(share) : 0;
  }
  if (whole_ != nullptr && whole_->dtype() == DType::float32 && deviation > kImportRowKept) {
    ++rows_.divided;
    for (double& weight : pending_) {
      weight /= sum;
    }
  }
  put(whole_, row_ * tokens_, pending_);
  const double one_entropy[] = {entropy};
  const double one_greatest[] = {std::min(greatest / sum, 1.0)};
  put(entropy_, row_, one_entropy);
  put(maximum_, row_, one_greatest);
  if (!heads_sum_.empty()) {
    const auto at = static_cast<std::size_t>((row_ % tokens_) * tokens_);
    for (std::size_t k = 0; k < pending_.size(); ++k) {
      heads_sum_[at + k] +=
          pending_[k] / (whole_ != nullptr && whole_->dtype() == DType::float32 ? 1.0 : sum);
    }
  }
}

void SentenceValues::gate_row() {
  double sum = 0;
  for (std::size_t d = 0; d < pending_.size(); ++d) {
    if (!(pending_[d] >= 0 && pending_[d] <= 1)) {
      refuse(fmt::format("{}expected a gate from 0 to 1, found {}",
                         plan_.gate_vectors ? fmt::format("dimension {}: ", d + 1) : "", pending_[d]));
    }
    sum += pending_[d];
  }
  if (plan_.gate_vectors) {
    put(whole_, row_ * static_cast<std::int64_t>(row_size_), pending_);
  }
  const double mean[] = {sum / static_cast<double>(row_size_)};
  put(mean_, row_, mean);
}

void SentenceValues::vector_row() {
  for (std::size_t d = 0; d < pending_.size(); ++d) {
    const double value = pending_[d];
    const bool half = whole_ != nullptr && whole_->dtype() == DType::float16;
    if (!std::isfinite(value) || std::abs(value) > std::numeric_limits<float>::max()) {
      refuse(fmt::format("dimension {}: expected a finite number, found {}", d + 1, value));
    }
    if (half && std::abs(value) > kLargestHalf) {
      refuse(fmt::format("dimension {}: {} is too large for float16; keep it with --store float32", d + 1,
                         value));
    }
  }
  put(whole_, row_ * static_cast<std::int64_t>(row_size_), pending_);
  put(again_, row_ * static_cast<std::int64_t>(row_size_), pending_);
}

}  // namespace mog::app
