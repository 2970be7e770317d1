#include <algorithm>
#include <set>

#include "io/hdf5/recording/recording_json.h"
#include "io/hdf5/recording/recording_layout.h"
#include "io/hdf5/recording/shard_buffer.h"

namespace mog::io {
namespace {

// Datasets that every shard has, and groups, with their attributes (measured on empty shards).
constexpr std::uint64_t kFixedDatasets = 33;
constexpr std::uint64_t kDatasetBytes = 520;
constexpr std::uint64_t kFrameBytes = 3000;
constexpr std::uint64_t kJournalBytes = 200;

std::uint64_t kinds(const RecordingHeader& header) {
  std::set<std::string> names;
  for (const QuantitySchema& schema : header.quantities) {
    names.insert(layout::offsets_kind(schema));
  }
  return names.size();
}

}  // namespace

std::int64_t sentence_bytes(const RecordingHeader& header, const SentenceSize& size) {
  std::int64_t bytes = 0;
  for (const QuantitySchema& schema : header.quantities) {
    bytes += schema.elements(size.tokens, size.target_tokens) * size_bytes(schema.dtype);
  }
  // 24 bytes a token, 16 a word, 33 and offsets of 8 a sentence (docs/recording-format.md).
  const auto offsets = static_cast<std::int64_t>(kinds(header)) + 7;
  return bytes + (size.tokens + size.target_tokens) * 24 + size.words * 16 + 33 + offsets * 8 +
         size.text_bytes;
}

std::uint64_t shard_overhead_bytes(const RecordingHeader& header) {
  const std::uint64_t json = to_text(header_to_json(header)).size();
  return kFrameBytes + json + json / 3 +
         (kFixedDatasets + header.quantities.size() + kinds(header)) * kDatasetBytes;
}

std::uint64_t estimate_bytes(const RecordingHeader& header, const std::vector<SentenceSize>& sentences,
                             const RecordingWriterOptions& options) {
  std::uint64_t total = 0;
  std::uint64_t shards = sentences.empty() ? 0 : 1;
  std::int64_t in_shard = 0;
  std::int64_t shard_bytes = 0;
  for (const SentenceSize& sentence : sentences) {
    const std::int64_t bytes = sentence_bytes(header, sentence);
    if (in_shard > 0 && (in_shard >= options.shard_sentences || shard_bytes + bytes > options.shard_bytes)) {
      ++shards;
      in_shard = 0;
      shard_bytes = 0;
    }
    ++in_shard;
    shard_bytes += bytes;
    // The spellings of tokens and words are about the text once more each.
    total += static_cast<std::uint64_t>(bytes + 2 * sentence.text_bytes);
  }
  const std::uint64_t offsets = (kinds(header) + 7 + 2) * 8 * sentences.size();  // recording.h5: and places
  return total + shards * (shard_overhead_bytes(header) + kJournalBytes) + offsets +
         shard_overhead_bytes(header) * 2;
}

}  // namespace mog::io
