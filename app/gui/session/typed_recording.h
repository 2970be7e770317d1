// Sentences that a reader typed, with what one model computed for each: a recording that grows.
#pragma once

#include <memory>
#include <vector>

#include "io/recording/sentence_recording.h"

namespace mog::gui {

// Immutable: with() gives a longer one, so that jobs that read the shorter one go on undisturbed. Sentence
// `index` has the number index + 1, whatever its own recording says.
class TypedRecording final : public RecordingSource {
 public:
  explicit TypedRecording(std::shared_ptr<const RecordingSource> first);
  // One at least; the first one's header is the header of all.
  explicit TypedRecording(std::vector<std::shared_ptr<const RecordingSource>> sentences);
  std::shared_ptr<const TypedRecording> with(std::shared_ptr<const RecordingSource> sentence) const;

  const std::vector<std::shared_ptr<const RecordingSource>>& sentences() const { return sentences_; }

  const RecordingHeader& header() const override { return sentences_.front()->header(); }
  std::int64_t size() const override { return static_cast<std::int64_t>(sentences_.size()); }
  Sentence sentence(std::int64_t index) const override;
  std::vector<std::int64_t> token_counts() const override;
  std::vector<std::int64_t> word_counts() const override;
  HostTensor read(std::int64_t index, const QuantityName& name) const override;
  HostTensor read_block(std::int64_t index, const QuantityName& name,
                        const TensorBlock& block) const override;

 private:
  const RecordingSource& at(std::int64_t index) const;
  std::vector<std::shared_ptr<const RecordingSource>> sentences_;
};

}  // namespace mog::gui
