#include "app/workflow/open_recording.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "app/workflow/statistics_groups.h"
#include "io/hdf5/manifest.h"
#include "io/recording/errors.h"

namespace mog::app {
namespace {

using Readers = std::vector<std::unique_ptr<io::RecordingReader>>;

// Paths of parts of one run, opened.
struct Group {
  Readers readers;
  std::vector<std::filesystem::path> paths;
};

std::shared_ptr<const RecordingSource> joined(Group group) {
  if (group.readers.size() == 1) {
    return std::move(group.readers.front());
  }
  return std::make_shared<const JoinedRecording>(std::move(group.readers), group.paths);
}

void refuse_one_twice(std::span<const std::filesystem::path> paths, const Readers& readers) {
  std::vector<SourceAtPath> all;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    all.push_back({readers[i].get(), paths[i]});
  }
  refuse_repeated(all);
}

}  // namespace

JoinedRecording::JoinedRecording(Readers parts, std::span<const std::filesystem::path> paths)
    : parts_(std::move(parts)) {
  if (parts_.empty() || parts_.size() != paths.size()) {
    throw UsageError("joining the parts of a recording: no part was named");
  }
  for (std::size_t part = 0; part < parts_.size(); ++part) {
    const io::RecordingReader& reader = *parts_[part];
    if (part > 0) {
      const std::string why =
          of_one_run(*parts_.front(), reader)
              ? io::difference(parts_.front()->header(), reader.header())
              : "they were not made by `mog record --shard i/n` with one n, of one corpus and one model";
      if (!why.empty()) {
        throw UsageError(fmt::format("{} and {} are not parts of one recording: {}", paths.front().string(),
                                     paths[part].string(), why));
      }
    }
    for (std::int64_t index = 0; index < reader.size(); ++index) {
      places_.push_back({reader.number(index), part, index});
    }
  }
  std::sort(places_.begin(), places_.end(),
            [](const Place& left, const Place& right) { return left.number < right.number; });
  const auto same =
      std::adjacent_find(places_.begin(), places_.end(),
                         [](const Place& left, const Place& right) { return left.number == right.number; });
  if (same != places_.end()) {
    throw UsageError(fmt::format("{} and {}: both hold sentence {}; name each part once",
                                 paths[same->part].string(), paths[std::next(same)->part].string(),
                                 same->number));
  }
}

Sentence JoinedRecording::sentence(std::int64_t index) const {
  return parts_[place(index).part]->sentence(place(index).index);
}

std::int64_t JoinedRecording::number(std::int64_t index) const {
  return place(index).number;
}

template <class Counts>
std::vector<std::int64_t> JoinedRecording::in_order(Counts counts) const {
  std::vector<std::vector<std::int64_t>> of_part;
  for (const auto& part : parts_) {
    of_part.push_back(counts(*part));
  }
  std::vector<std::int64_t> result;
  result.reserve(places_.size());
  for (const Place& place : places_) {
    result.push_back(of_part[place.part][static_cast<std::size_t>(place.index)]);
  }
  return result;
}

std::vector<std::int64_t> JoinedRecording::token_counts() const {
  return in_order([](const io::RecordingReader& part) { return part.token_counts(); });
}

std::vector<std::int64_t> JoinedRecording::word_counts() const {
  return in_order([](const io::RecordingReader& part) { return part.word_counts(); });
}

HostTensor JoinedRecording::read(std::int64_t index, const QuantityName& name) const {
  return parts_[place(index).part]->read(place(index).index, name);
}

bool of_one_run(const io::RecordingReader& left, const io::RecordingReader& right) {
  const RecordingHeader& a = left.header();
  const RecordingHeader& b = right.header();
  return left.facts().parts > 1 && left.facts().parts == right.facts().parts &&
         a.model.weights_sha256 == b.model.weights_sha256 &&
         a.provenance.corpus_sha256 == b.provenance.corpus_sha256;
}

std::vector<const io::RecordingReader*> readers_of(const RecordingSource& source) {
  std::vector<const io::RecordingReader*> readers;
  if (const auto* const reader = dynamic_cast<const io::RecordingReader*>(&source)) {
    readers.push_back(reader);
  } else if (const auto* const joined = dynamic_cast<const JoinedRecording*>(&source)) {
    for (const auto& part : joined->parts()) {
      readers.push_back(part.get());
    }
  }
  return readers;
}

std::shared_ptr<const RecordingSource> open_recording(std::span<const std::filesystem::path> paths) {
  if (paths.empty()) {
    throw UsageError("no recording was named");
  }
  Group group{{}, {paths.begin(), paths.end()}};
  for (const std::filesystem::path& path : paths) {
    group.readers.push_back(std::make_unique<io::RecordingReader>(path));
  }
  refuse_one_twice(paths, group.readers);
  return joined(std::move(group));
}

std::vector<std::shared_ptr<const RecordingSource>> open_recordings(
    std::span<const std::filesystem::path> paths) {
  std::vector<Group> groups;
  for (const std::filesystem::path& path : paths) {
    auto reader = std::make_unique<io::RecordingReader>(path);
    const auto run = std::find_if(groups.begin(), groups.end(), [&](const Group& group) {
      return of_one_run(*group.readers.front(), *reader);
    });
    Group& group = run == groups.end() ? groups.emplace_back() : *run;
    group.readers.push_back(std::move(reader));
    group.paths.push_back(path);
  }
  std::vector<std::shared_ptr<const RecordingSource>> sources;
  for (Group& group : groups) {
    refuse_one_twice(group.paths, group.readers);
    sources.push_back(joined(std::move(group)));
  }
  return sources;
}

}  // namespace mog::app
