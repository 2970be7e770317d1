#include "app/workflow/record/batch_filter.h"

#include <fmt/format.h>

#include <cstring>
#include <utility>
#include <vector>

#include "io/recording/errors.h"

namespace mog::app {
namespace {

struct Block {
  std::int64_t first = 0;  // element
  std::int64_t count = 0;
};

HostTensor gather(const HostTensor& values, const std::vector<Block>& blocks) {
  std::int64_t total = 0;
  for (const Block& block : blocks) {
    total += block.count;
  }
  HostTensor result(values.dtype(), {total});
  const auto from = values.bytes();
  const auto to = result.mutable_bytes();
  const auto element = static_cast<std::size_t>(size_bytes(values.dtype()));
  std::size_t at = 0;
  for (const Block& block : blocks) {
    const std::size_t bytes = static_cast<std::size_t>(block.count) * element;
    if (bytes > 0) {
      std::memcpy(to.data() + at, from.data() + static_cast<std::size_t>(block.first) * element, bytes);
    }
    at += bytes;
  }
  return result;
}

}  // namespace

RecordingBatch without_recorded(const RecordingBatch& batch, const RecordingHeader& header,
                                const io::NumberRanges& recorded) {
  const auto keeps = [&](const Sentence& sentence) { return !recorded.contains(sentence.number); };
  RecordingBatch result;
  for (const Sentence& sentence : batch.sentences) {
    if (keeps(sentence)) {
      result.sentences.push_back(sentence);
    }
  }
  if (result.sentences.size() == batch.sentences.size()) {
    return batch;
  }
  for (const auto& [name, values] : batch.quantities) {
    const QuantitySchema* const schema = header.find(name);
    if (schema == nullptr) {
      throw UsageError(fmt::format("recording {}: the recording was begun without it", name.text()));
    }
    std::vector<Block> blocks;
    std::int64_t at = 0;
    for (const Sentence& sentence : batch.sentences) {
      const std::int64_t count = schema->elements(static_cast<std::int64_t>(sentence.tokens.size()),
                                                  static_cast<std::int64_t>(sentence.target_tokens.size()));
      if (keeps(sentence)) {
        blocks.push_back({at, count});
      }
      at += count;
    }
    result.quantities.emplace_back(name, gather(values, blocks));
  }
  return result;
}

}  // namespace mog::app
