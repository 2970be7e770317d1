// A batch is checked as a whole before anything of it is kept, so that a refused one leaves the shard as it
// was. Nothing is copied: a sentence's block is a span into the batch's tensor, and the shard holds the
// tensors until its file is written. Memory is that of the values, plus two pointers a sentence and
// quantity.
//
// Trap: tensors are kept once a batch and shard. A shard that begins in the middle of a batch must take
// them, too (sentences_.size() == 1).
#include "io/hdf5/recording/shard_buffer.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "io/hdf5/recording/eight_bit_maps.h"
#include "io/hdf5/recording/recording_layout.h"
#include "io/recording/errors.h"
#include "io/text/utf8.h"

namespace mog::io {
namespace {

std::int64_t count(std::size_t size) {
  return static_cast<std::int64_t>(size);
}

void require_sound(const Sentence& sentence) {
  if (first_invalid_utf8(sentence.text) != std::string_view::npos) {
    throw FormatError(fmt::format("recording sentence {}: its text is not UTF-8", sentence.number));
  }
  std::size_t pieces = 0;
  for (const auto* list : {&sentence.tokens, &sentence.target_tokens}) {
    for (const Token& token : *list) {
      pieces += token.text.size();
      if (token.id < std::numeric_limits<std::int32_t>::min() ||
          token.id > std::numeric_limits<std::int32_t>::max()) {
        throw ShapeError(fmt::format("recording sentence {}: the token id {} does not fit 32 bits",
                                     sentence.number, token.id));
      }
    }
  }
  for (const Word& word : sentence.words) {
    pieces += word.text.size();
  }
  if (sentence.text.size() > std::numeric_limits<std::int32_t>::max() ||
      pieces > std::numeric_limits<std::int32_t>::max()) {
    throw ShapeError(fmt::format("recording sentence {}: more than 2^31 bytes of text", sentence.number));
  }
}

}  // namespace

CheckedBatch check_batch(const RecordingHeader& header, const RecordingBatch& batch) {
  CheckedBatch checked;
  checked.tensors.resize(header.quantities.size());
  checked.blocks.resize(header.quantities.size());
  std::vector<bool> seen(header.quantities.size(), false);
  for (const auto& [name, values] : batch.quantities) {
    const QuantitySchema* const schema = header.find(name);
    if (schema == nullptr) {
      throw ShapeError(fmt::format("recording {}: the recording was begun without it", name.text()));
    }
    const auto at = static_cast<std::size_t>(schema - header.quantities.data());
    if (seen[at]) {
      throw ShapeError(fmt::format("recording {}: it comes twice in one batch", name.text()));
    }
    seen[at] = true;
    checked.tensors[at] = encode(values, *schema, batch.sentences);
    const auto bytes = checked.tensors[at].bytes();
    const auto size = static_cast<std::size_t>(size_bytes(schema->dtype));
    std::size_t begin = 0;
    for (const Sentence& sentence : batch.sentences) {
      const auto elements = static_cast<std::size_t>(
          schema->elements(count(sentence.tokens.size()), count(sentence.target_tokens.size())));
      if (elements * size > bytes.size() - begin) {
        throw ShapeError(fmt::format("recording {}: {} values are too few for {} sentences", name.text(),
                                     values.size(), batch.sentences.size()));
      }
      checked.blocks[at].push_back(bytes.subspan(begin, elements * size));
      begin += elements * size;
    }
    if (begin != bytes.size()) {
      throw ShapeError(fmt::format("recording {}: {} values for sentences that need {}", name.text(),
                                   values.size(), begin / size));
    }
  }
  for (std::size_t i = 0; i < seen.size(); ++i) {
    if (!seen[i]) {
      throw ShapeError(
          fmt::format("recording {}: the batch does not hold it", header.quantities[i].name.text()));
    }
  }
  for (const Sentence& sentence : batch.sentences) {
    require_sound(sentence);
  }
  return checked;
}

void ShardBuffer::add(const RecordingBatch& batch, const CheckedBatch& checked, std::size_t index) {
  const Sentence& sentence = batch.sentences[index];
  sentences_.push_back(sentence);
  std::size_t bytes = sentence.text.size();
  for (std::size_t quantity = 0; quantity < blocks_.size(); ++quantity) {
    blocks_[quantity].push_back(checked.blocks[quantity][index]);
    bytes += checked.blocks[quantity][index].size();
  }
  if (index == 0 || sentences_.size() == 1) {
    tensors_.insert(tensors_.end(), checked.tensors.begin(), checked.tensors.end());
  }
  size_bytes_ += count(bytes);
}

std::vector<std::size_t> ShardBuffer::order() const {
  std::vector<std::size_t> result(sentences_.size());
  std::iota(result.begin(), result.end(), std::size_t{0});
  std::sort(result.begin(), result.end(),
            [&](std::size_t a, std::size_t b) { return sentences_[a].number < sentences_[b].number; });
  return result;
}

JournalShard ShardBuffer::journal_entry() const {
  JournalShard entry;
  std::vector<std::int64_t> numbers;
  for (const std::size_t at : order()) {
    numbers.push_back(sentences_[at].number);
    entry.sentence_tokens.push_back(count(sentences_[at].tokens.size()));
    entry.sentence_words.push_back(count(sentences_[at].words.size()));
    entry.tokens += entry.sentence_tokens.back();
  }
  entry.sentences = sentences();
  entry.numbers = to_ranges(numbers);
  return entry;
}

std::uint64_t ShardBuffer::file_bytes(const RecordingHeader& header) const {
  std::uint64_t bytes = 2 * shard_overhead_bytes(header);
  for (const Sentence& sentence : sentences_) {
    std::size_t spelt = 0;
    for (const Token& token : sentence.tokens) {
      spelt += token.text.size();
    }
    for (const Token& token : sentence.target_tokens) {
      spelt += token.text.size();
    }
    for (const Word& word : sentence.words) {
      spelt += word.text.size();
    }
    bytes += spelt;
    bytes += static_cast<std::uint64_t>(
        sentence_bytes(header, {count(sentence.tokens.size()), count(sentence.words.size()),
                                count(sentence.target_tokens.size()), count(sentence.text.size())}));
  }
  return bytes;
}

}  // namespace mog::io
