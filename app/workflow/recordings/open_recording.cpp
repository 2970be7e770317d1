// Parts of one corpus are joined as views: a table of (number, part, place), sorted by number, O(sentences
// log sentences) once, and each question goes to its part. Nothing is copied. That they are parts of one run
// is asked of their headers: number of parts, model, corpus, and everything that makes values comparable; a
// sentence that two parts have is refused by its number.
//
// Parts need not be all there, and not in order.
//
// Trap: read_packed() of a joined recording reads sentence by sentence, since neighbours by number lie in
// different parts. Where blocks matter, parts are read one after the other (sources_of).
#include "app/workflow/recordings/open_recording.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <utility>

#include "io/hdf5/recording/manifest.h"
#include "io/recording/counted.h"
#include "io/recording/errors.h"

namespace mog::app {
namespace {

constexpr std::size_t kMostShown = 10;  // numbers of parts in a note

std::string place_of(const io::RecordingReader& reader) {
  const std::vector<io::RecordingFacts::Shard>& shards = reader.facts().shards;
  return shards.empty() ? "A recording of " + reader.header().provenance.corpus_name
                        : shards.front().file.parent_path().string();
}

std::shared_ptr<const RecordingSource> joined(RecordingGroup group) {
  std::vector<SourceAtPath> all;
  for (const RecordingPart& part : group.parts) {
    all.push_back({part.reader.get(), part.path});
  }
  refuse_repeated(all);
  if (group.parts.size() == 1) {
    return std::move(group.parts.front().reader);
  }
  return std::make_shared<const JoinedRecording>(std::move(group.parts));
}

}  // namespace

JoinedRecording::JoinedRecording(std::vector<RecordingPart> parts) : parts_(std::move(parts)) {
  if (parts_.empty()) {
    throw UsageError("joining the parts of a recording: no part was named");
  }
  for (std::size_t part = 0; part < parts_.size(); ++part) {
    const io::RecordingReader& reader = *parts_[part].reader;
    if (part > 0) {
      const std::string why =
          of_one_run(*parts_.front().reader, reader)
              ? io::difference(header(), reader.header())
              : "they were not made by `mog record --shard i/n` with one n, of one corpus and one model";
      if (!why.empty()) {
        throw UsageError(fmt::format("{} and {} are not parts of one recording: {}",
                                     parts_.front().path.string(), parts_[part].path.string(), why));
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
                                 parts_[same->part].path.string(),
                                 parts_[std::next(same)->part].path.string(), same->number));
  }
}

Sentence JoinedRecording::sentence(std::int64_t index) const {
  return parts_[place(index).part].reader->sentence(place(index).index);
}

std::int64_t JoinedRecording::number(std::int64_t index) const {
  return place(index).number;
}

template <class Counts>
std::vector<std::int64_t> JoinedRecording::in_order(Counts counts) const {
  std::vector<std::vector<std::int64_t>> of_part;
  for (const RecordingPart& part : parts_) {
    of_part.push_back(counts(*part.reader));
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
  return parts_[place(index).part].reader->read(place(index).index, name);
}

HostTensor JoinedRecording::read_block(std::int64_t index, const QuantityName& name,
                                       const TensorBlock& block) const {
  return parts_[place(index).part].reader->read_block(place(index).index, name, block);
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
    for (const RecordingPart& part : joined->parts()) {
      readers.push_back(part.reader.get());
    }
  }
  return readers;
}

bool is_complete(const RecordingSource& source) {
  const std::vector<const io::RecordingReader*> readers = readers_of(source);
  return std::all_of(readers.begin(), readers.end(),
                     [](const io::RecordingReader* reader) { return reader->facts().complete; });
}

std::vector<std::string> missing_of(std::span<const io::RecordingReader* const> readers) {
  std::vector<std::string> notes;
  std::vector<const io::RecordingReader*> seen;
  for (const io::RecordingReader* const reader : readers) {
    const io::RecordingFacts& facts = reader->facts();
    if (!facts.complete) {
      notes.push_back(fmt::format("{} is not complete; it has {} so far", place_of(*reader),
                                  counted(reader->size(), "sentence")));
    }
    const auto same_run = [&](const io::RecordingReader* other) { return of_one_run(*other, *reader); };
    if (facts.parts == 1 || std::ranges::any_of(seen, same_run)) {
      continue;
    }
    seen.push_back(reader);
    std::set<std::int64_t> named = {facts.part};
    for (const io::RecordingReader* const other : readers) {
      if (same_run(other)) {
        named.insert(other->facts().part);
      }
    }
    const auto missing = facts.parts - static_cast<std::int64_t>(named.size());
    if (missing > 0) {
      std::vector<std::int64_t> shown;  // the number of parts is whatever a manifest says
      for (std::int64_t part = 1; part <= facts.parts && shown.size() < kMostShown; ++part) {
        if (!named.contains(part)) {
          shown.push_back(part);
        }
      }
      notes.push_back(
          fmt::format("{} of {} parts of {} are not among the recordings ({}{}): their sentences are missing",
                      missing, facts.parts, reader->header().provenance.corpus_name, fmt::join(shown, ", "),
                      static_cast<std::int64_t>(shown.size()) < missing ? ", …" : ""));
    }
  }
  return notes;
}

std::shared_ptr<const RecordingSource> open_recording(std::span<const std::filesystem::path> paths) {
  if (paths.empty()) {
    throw UsageError("no recording was named");
  }
  RecordingGroup group;
  for (const std::filesystem::path& path : paths) {
    group.parts.push_back({std::make_unique<io::RecordingReader>(path), path});
  }
  return joined(std::move(group));
}

std::vector<std::shared_ptr<const RecordingSource>> open_recordings(
    std::span<const std::filesystem::path> paths) {
  std::vector<std::shared_ptr<const RecordingSource>> sources;
  for (RecordingGroup& group : group_by_run(paths)) {
    sources.push_back(joined(std::move(group)));
  }
  return sources;
}

}  // namespace mog::app
