// What a run of a model on sentences left behind, and the two sides of it: sinks and sources.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "io/recording/axes.h"
#include "io/recording/host_tensor.h"
#include "io/recording/model_card.h"
#include "io/recording/quantity_name.h"
#include "io/recording/sentence.h"
#include "io/recording/system.h"

namespace mog {

// What holds for a whole recording.
struct RecordingHeader {
  ModelCard model;
  Provenance provenance;
  std::vector<QuantitySchema> quantities;  // sorted by name
  SystemDescription system;                // what the names of stacks and parts mean
  // Names of what a later program recorded and this one does not know: it is there, but not read.
  std::vector<std::string> unknown_quantities;

  // nullptr when the recording does not hold it.
  const QuantitySchema* find(const QuantityName& name) const;
  // What pictures of a sentence are of: the first stack that reads it.
  const StackDescription& stack() const noexcept { return system.main(); }
  // Describes the system where nobody has (a recording older than the descriptions), and gives every quantity
  // the parts as they are described. Sinks and readers call it.
  void describe_system();
};

// One sentence with everything recorded about it; each tensor has its schema's shape.
struct SentenceRecording {
  Sentence sentence;
  std::map<QuantityName, HostTensor> quantities;
};

// Several sentences, their quantities packed: sentence after sentence, without padding, each one's block
// in its schema's shape (row-major).
struct RecordingBatch {
  std::vector<Sentence> sentences;
  std::vector<std::pair<QuantityName, HostTensor>> quantities;  // flat [element], in the header's order
};

// Takes recordings as a model produces them. Used by one thread at a time.
class RecordingSink {
 public:
  RecordingSink() = default;
  RecordingSink(const RecordingSink&) = delete;
  RecordingSink& operator=(const RecordingSink&) = delete;
  virtual ~RecordingSink() = default;
  // Called once, first.
  virtual void begin(const RecordingHeader& header) = 0;
  // Sentences may come in any order; each number comes once.
  virtual void write(const RecordingBatch& batch) = 0;
  // Called once, last; without it the recording is incomplete but loses no written batch.
  virtual void finish() = 0;
};

// A part of a tensor: of each axis the entries [first, first + extent).
struct TensorBlock {
  std::vector<std::int64_t> first;
  std::vector<std::int64_t> extents;
};
// Throws UsageError where it is not inside a tensor of that shape.
void check_block(const std::vector<std::int64_t>& shape, const TensorBlock& block);
// The block as a tensor of its own. Throws as check_block().
HostTensor cut(const HostTensor& tensor, const TensorBlock& block);

// Gives recordings to whoever reads them. Sentences are addressed by `index` from 0, in corpus order.
// Const functions are safe from several threads at once.
class RecordingSource {
 public:
  RecordingSource() = default;
  RecordingSource(const RecordingSource&) = delete;
  RecordingSource& operator=(const RecordingSource&) = delete;
  virtual ~RecordingSource() = default;
  virtual const RecordingHeader& header() const = 0;
  virtual std::int64_t size() const = 0;  // sentences
  virtual Sentence sentence(std::int64_t index) const = 0;
  // Its number in the corpus, from 1, where the store knows it without reading the sentence.
  virtual std::int64_t number(std::int64_t index) const { return sentence(index).number; }
  // Tokens (with special ones) and words of every sentence, without reading the texts.
  virtual std::vector<std::int64_t> token_counts() const = 0;
  virtual std::vector<std::int64_t> word_counts() const = 0;
  // Shape as in the schema. Throws UsageError when the recording does not hold `name`, FormatError when
  // the file is damaged there.
  virtual HostTensor read(std::int64_t index, const QuantityName& name) const = 0;
  // Sentences [first, first + count) packed, in one read where the store allows it.
  virtual HostTensor read_packed(std::int64_t first, std::int64_t count, const QuantityName& name) const;
  // A block of what read() gives; where the store allows it, only what lies around it is read. Throws as
  // read(), and UsageError for a block that is not inside.
  virtual HostTensor read_block(std::int64_t index, const QuantityName& name, const TensorBlock& block) const;
};

// A recording in memory: a sink that is also a source (the desktop program, tests).
class MemoryRecording final : public RecordingSink, public RecordingSource {
 public:
  void begin(const RecordingHeader& header) override;
  void write(const RecordingBatch& batch) override;
  void finish() override;
  const RecordingHeader& header() const override { return header_; }
  std::int64_t size() const override { return static_cast<std::int64_t>(sentences_.size()); }
  Sentence sentence(std::int64_t index) const override;
  std::vector<std::int64_t> token_counts() const override;
  std::vector<std::int64_t> word_counts() const override;
  HostTensor read(std::int64_t index, const QuantityName& name) const override;

 private:
  RecordingHeader header_;
  std::vector<SentenceRecording> sentences_;  // sorted by sentence number
};

}  // namespace mog
