// Opens recordings: a path each, and the parts of one run (`mog record --shard i/n`) as the one recording
// that they are.
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "app/workflow/recordings/recording_groups.h"

namespace mog::app {

// Several parts of one run, sentences in the order of their numbers. Const functions are safe from several
// threads, as those of its parts.
class JoinedRecording final : public RecordingSource {
 public:
  // Throws UsageError for no part, for parts of different runs (saying what differs), and where two hold the
  // same sentence.
  explicit JoinedRecording(std::vector<RecordingPart> parts);
  const RecordingHeader& header() const override { return parts_.front().reader->header(); }
  std::int64_t size() const override { return static_cast<std::int64_t>(places_.size()); }
  Sentence sentence(std::int64_t index) const override;
  std::int64_t number(std::int64_t index) const override;
  std::vector<std::int64_t> token_counts() const override;
  std::vector<std::int64_t> word_counts() const override;
  HostTensor read(std::int64_t index, const QuantityName& name) const override;
  HostTensor read_block(std::int64_t index, const QuantityName& name,
                        const TensorBlock& block) const override;

  const std::vector<RecordingPart>& parts() const noexcept { return parts_; }

 private:
  struct Place {
    std::int64_t number = 0;  // of the sentence
    std::size_t part = 0;
    std::int64_t index = 0;  // in it
  };
  const Place& place(std::int64_t index) const { return places_.at(static_cast<std::size_t>(index)); }
  template <class Counts>
  std::vector<std::int64_t> in_order(Counts counts) const;

  std::vector<RecordingPart> parts_;
  std::vector<Place> places_;  // by number
};

// Whether two readers are parts of one run over one corpus.
bool of_one_run(const io::RecordingReader& left, const io::RecordingReader& right);
// The readers behind a source: one, those of a joined one, or none (in memory).
std::vector<const io::RecordingReader*> readers_of(const RecordingSource& source);

// Whether all that it was meant to have was recorded, as its manifests say; what is in memory is.
bool is_complete(const RecordingSource& source);

// What a reader of numbers must know of readers that stand together: recordings that are not complete, and
// parts of a run that were not named. A sentence each.
std::vector<std::string> missing_of(std::span<const io::RecordingReader* const> readers);

// One recording: a path, or the paths of the parts of one run. Throws as RecordingReader and JoinedRecording.
std::shared_ptr<const RecordingSource> open_recording(std::span<const std::filesystem::path> paths);
// Several: parts of one run join, everything else stays apart, in the order of the first paths.
std::vector<std::shared_ptr<const RecordingSource>> open_recordings(
    std::span<const std::filesystem::path> paths);

}  // namespace mog::app
