#include "io/recording/sentence_recording.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "io/recording/errors.h"

namespace mog {
namespace {

std::int64_t token_count(const Sentence& sentence) {
  return static_cast<std::int64_t>(sentence.tokens.size());
}
std::int64_t target_count(const Sentence& sentence) {
  return static_cast<std::int64_t>(sentence.target_tokens.size());
}

}  // namespace

const QuantitySchema* RecordingHeader::find(const QuantityName& name) const {
  const auto found = std::find_if(quantities.begin(), quantities.end(),
                                  [&](const QuantitySchema& entry) { return entry.name == name; });
  return found == quantities.end() ? nullptr : &*found;
}

void RecordingHeader::describe_system() {
  if (system.stacks.empty()) {
    std::vector<QuantityName> names;
    for (const QuantitySchema& schema : quantities) {
      names.push_back(schema.name);
    }
    system = known_system(model, names);
  }
  for (QuantitySchema& schema : quantities) {
    const StackDescription* const described = system.find(schema.name.stack());
    if (described == nullptr) {
      continue;
    }
    const auto part = std::find(described->parts.begin(), described->parts.end(), schema.name.part());
    if (part != described->parts.end()) {
      schema.name = schema.name.with(*part);
    }
  }
}

void check_block(const std::vector<std::int64_t>& shape, const TensorBlock& block) {
  bool inside = block.first.size() == shape.size() && block.extents.size() == shape.size();
  for (std::size_t axis = 0; inside && axis < shape.size(); ++axis) {
    inside = block.first[axis] >= 0 && block.extents[axis] >= 0 && block.first[axis] <= shape[axis] &&
             block.extents[axis] <= shape[axis] - block.first[axis];
  }
  if (!inside) {
    throw UsageError(fmt::format("a block of {} from {} is not inside {}", shape_text(block.extents),
                                 shape_text(block.first), shape_text(shape)));
  }
}

HostTensor cut(const HostTensor& tensor, const TensorBlock& block) {
  check_block(tensor.shape(), block);
  HostTensor result(tensor.dtype(), block.extents);
  if (result.empty()) {
    return result;
  }
  const std::size_t axes = block.extents.size();
  const auto element = static_cast<std::size_t>(size_bytes(tensor.dtype()));
  const auto run = static_cast<std::size_t>(axes == 0 ? 1 : block.extents.back()) * element;
  const std::byte* const from = tensor.bytes().data();
  std::byte* to = result.mutable_bytes().data();
  std::vector<std::int64_t> place(axes, 0);  // of a run within the block; its last entry stays 0
  while (true) {
    std::int64_t offset = 0;
    for (std::size_t axis = 0; axis < axes; ++axis) {
      offset = offset * tensor.shape()[axis] + block.first[axis] + place[axis];
    }
    std::memcpy(to, from + static_cast<std::size_t>(offset) * element, run);
    to += run;
    std::size_t axis = axes < 2 ? 0 : axes - 1;
    while (axis > 0 && ++place[axis - 1] == block.extents[axis - 1]) {
      place[--axis] = 0;
    }
    if (axis == 0) {
      return result;
    }
  }
}

HostTensor RecordingSource::read_block(std::int64_t index, const QuantityName& name,
                                       const TensorBlock& block) const {
  return cut(read(index, name), block);
}

HostTensor RecordingSource::read_packed(std::int64_t first, std::int64_t count,
                                        const QuantityName& name) const {
  std::vector<HostTensor> pieces;
  std::int64_t elements = 0;
  for (std::int64_t index = first; index < first + count; ++index) {
    pieces.push_back(read(index, name));
    elements += pieces.back().size();
  }
  const QuantitySchema* const schema = header().find(name);
  // What is kept in whole numbers is read as float32.
  const bool as_kept = pieces.empty() && schema != nullptr && schema->dtype != DType::uint8;
  const DType dtype = as_kept ? schema->dtype : pieces.empty() ? DType::float32 : pieces.front().dtype();
  HostTensor result(dtype, {elements});
  std::byte* to = result.mutable_bytes().data();
  for (const HostTensor& piece : pieces) {
    const auto bytes = piece.bytes();
    if (!bytes.empty()) {
      std::memcpy(to, bytes.data(), bytes.size());
      to += bytes.size();
    }
  }
  return result;
}

void MemoryRecording::begin(const RecordingHeader& header) {
  header_ = header;
  header_.describe_system();
  sentences_.clear();
}

void MemoryRecording::write(const RecordingBatch& batch) {
  std::vector<SentenceRecording> written(batch.sentences.size());
  for (std::size_t i = 0; i < batch.sentences.size(); ++i) {
    written[i].sentence = batch.sentences[i];
  }
  for (const auto& [name, values] : batch.quantities) {
    const QuantitySchema* const schema = header_.find(name);
    if (schema == nullptr) {
      throw UsageError(fmt::format("recording {}: the recording was begun without it", name.text()));
    }
    std::int64_t at = 0;
    for (SentenceRecording& recording : written) {
      auto shape = schema->shape(token_count(recording.sentence), target_count(recording.sentence));
      const std::int64_t elements =
          schema->elements(token_count(recording.sentence), target_count(recording.sentence));
      recording.quantities[name] = values.slice_flat(at, std::move(shape)).to(schema->dtype);
      at += elements;
    }
    if (at != values.size()) {
      throw ShapeError(
          fmt::format("recording {}: {} values for sentences that need {}", name.text(), values.size(), at));
    }
  }
  for (SentenceRecording& recording : written) {
    const auto place = std::upper_bound(
        sentences_.begin(), sentences_.end(), recording.sentence.number,
        [](std::int64_t number, const SentenceRecording& other) { return number < other.sentence.number; });
    sentences_.insert(place, std::move(recording));
  }
}

void MemoryRecording::finish() {}

Sentence MemoryRecording::sentence(std::int64_t index) const {
  return sentences_.at(static_cast<std::size_t>(index)).sentence;
}

std::vector<std::int64_t> MemoryRecording::token_counts() const {
  std::vector<std::int64_t> result;
  for (const SentenceRecording& recording : sentences_) {
    result.push_back(token_count(recording.sentence));
  }
  return result;
}

std::vector<std::int64_t> MemoryRecording::word_counts() const {
  std::vector<std::int64_t> result;
  for (const SentenceRecording& recording : sentences_) {
    result.push_back(static_cast<std::int64_t>(recording.sentence.words.size()));
  }
  return result;
}

HostTensor MemoryRecording::read(std::int64_t index, const QuantityName& name) const {
  const auto& quantities = sentences_.at(static_cast<std::size_t>(index)).quantities;
  const auto found = quantities.find(name);
  if (found == quantities.end()) {
    throw UsageError(
        fmt::format("reading {} of sentence {}: the recording does not hold it; `mog describe` lists "
                    "what it holds",
                    name.text(), index + 1));
  }
  return found->second;
}

}  // namespace mog
