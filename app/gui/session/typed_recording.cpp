#include "app/gui/session/typed_recording.h"

#include <string>
#include <utility>

#include "io/recording/errors.h"

namespace mog::gui {

TypedRecording::TypedRecording(std::shared_ptr<const RecordingSource> first) {
  sentences_.push_back(std::move(first));
}

TypedRecording::TypedRecording(std::vector<std::shared_ptr<const RecordingSource>> sentences)
    : sentences_(std::move(sentences)) {}

std::shared_ptr<const TypedRecording> TypedRecording::with(
    std::shared_ptr<const RecordingSource> sentence) const {
  auto all = sentences_;
  all.push_back(std::move(sentence));
  return std::make_shared<TypedRecording>(std::move(all));
}

const RecordingSource& TypedRecording::at(std::int64_t index) const {
  if (index < 0 || index >= size()) {
    throw UsageError("Reading typed sentence " + std::to_string(index + 1) + ": there are " +
                     std::to_string(size()) + " of them.");
  }
  return *sentences_[static_cast<std::size_t>(index)];
}

Sentence TypedRecording::sentence(std::int64_t index) const {
  Sentence sentence = at(index).sentence(0);
  sentence.number = index + 1;
  return sentence;
}

std::vector<std::int64_t> TypedRecording::token_counts() const {
  std::vector<std::int64_t> counts;
  for (const auto& sentence : sentences_) {
    counts.push_back(sentence->token_counts().front());
  }
  return counts;
}

std::vector<std::int64_t> TypedRecording::word_counts() const {
  std::vector<std::int64_t> counts;
  for (const auto& sentence : sentences_) {
    counts.push_back(sentence->word_counts().front());
  }
  return counts;
}

HostTensor TypedRecording::read(std::int64_t index, const QuantityName& name) const {
  return at(index).read(0, name);
}

HostTensor TypedRecording::read_block(std::int64_t index, const QuantityName& name,
                                      const TensorBlock& block) const {
  return at(index).read_block(0, name, block);
}

}  // namespace mog::gui
