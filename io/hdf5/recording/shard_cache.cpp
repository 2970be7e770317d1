// Many threads read a recording of any number of shards. At most 24 stay open, the one that was used longest
// ago goes; they are held by shared pointers, so that a reader in use outlives its place in the list. The
// mutex guards that list alone. Opening goes on without it: two threads may open the same shard, and the
// later one takes what the earlier one has put there. Waiting instead would stop every reader for one that
// starts a process.
//
// A shard is checked in mog-loader (recording_check.h), then compared with manifest and journal, once: files
// that are complete never change, so a shard that was closed and is opened again is believed. Who asks for
// all shards gets 24 at a time checked by one process (open_together) instead of one each.
#include "io/hdf5/recording/shard_cache.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "io/hdf5/file/durable_file.h"
#include "io/hdf5/file/hdf5_error.h"
#include "io/hdf5/recording/recording_check.h"
#include "io/hdf5/recording/recording_layout.h"
#include "io/recording/errors.h"

namespace mog::io {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kOpenShards = 24;  // files kept open
// What they hold at most together, since the tables of an open shard are in memory: a tenth of it at most.
constexpr std::int64_t kOpenBytes = std::int64_t{4} << 30;

}  // namespace

void ShardCache::put(std::size_t at, std::shared_ptr<const ShardReader> reader) const {
  const std::scoped_lock lock(mutex_);
  open_.emplace_front(at, std::move(reader));
}

// Under mutex_: the shard when it is open, which becomes the newest.
std::shared_ptr<const ShardReader> ShardCache::opened(std::size_t at) const {
  const auto found =
      std::find_if(open_.begin(), open_.end(), [&](const auto& entry) { return entry.first == at; });
  if (found == open_.end()) {
    return nullptr;
  }
  open_.splice(open_.begin(), open_, found);
  return open_.front().second;
}

// Under mutex_. A newly opened shard becomes the newest; the oldest is closed when there are too many.
void ShardCache::keep(std::size_t at, std::shared_ptr<const ShardReader> reader) const {
  const bool summed = !files_->journal[at].sha256.empty();  // older ones may differ in words
  const std::string text = summed ? full_difference(files_->header, reader->header())
                                  : difference(files_->header, reader->header());
  if (!text.empty()) {
    h5::throw_format(reader->path(), "/header", "it is no shard of this recording: " + text);
  }
  if (reader->table().number != files_->numbers_of(at)) {
    h5::throw_format(reader->path(), "/sentences/number",
                     fmt::format("its sentences are not those that {} names", layout::kJournal));
  }
  const JournalShard& entry = files_->journal[at];
  if ((!entry.sentence_tokens.empty() && reader->table().tokens != entry.sentence_tokens) ||
      (!entry.sentence_words.empty() && reader->table().words != entry.sentence_words)) {
    h5::throw_format(
        reader->path(), "/sentences",
        fmt::format("its numbers of tokens and words are not those that {} names", layout::kJournal));
  }
  checked_.insert(at);
  open_.emplace_front(at, std::move(reader));
  std::int64_t bytes = 0;
  std::size_t fitting = 0;
  for (const auto& one : open_) {
    bytes += files_->journal[one.first].size_bytes;
    fitting += bytes <= kOpenBytes && fitting < kOpenShards ? 1 : 0;
  }
  open_.resize(std::max<std::size_t>(fitting, 1));
}

// Behind the last of those that may be open at once, from `first` on.
std::size_t ShardCache::end_together(std::size_t first) const {
  std::size_t end = first;
  std::int64_t bytes = 0;
  while (end < std::min(first + kOpenShards, files_->journal.size())) {
    bytes += files_->journal[end].size_bytes;
    if (end > first && bytes > kOpenBytes) {
      break;
    }
    ++end;
  }
  return end;
}

// Opens as many shards as stay open, from `first` on, with one mog-loader for all of them, for who is about
// to ask for every one; returns where the next ones begin. Where it refuses, each shard gets its own, which
// says what.
std::size_t ShardCache::open_together(const fs::path& about, std::size_t first) const {
  const std::scoped_lock lock(mutex_);
  const std::size_t end = end_together(first);
  std::vector<std::size_t> missing;
  for (std::size_t at = first; at < end; ++at) {
    if (!checked_.contains(at)) {
      missing.push_back(at);
    }
  }
  if (missing.size() < 2) {
    return end;
  }
  std::vector<fs::path> files;
  files.reserve(missing.size());
  for (const std::size_t at : missing) {
    files.push_back(files_->facts.shards[at].file);
  }
  try {
    check_apart(about, CheckedFiles::shards, files);
  } catch (const FormatError&) {
    return end;
  }
  for (const std::size_t at : missing) {
    keep(at, std::make_shared<const ShardReader>(files_->facts.shards[at].file, ShardReader::Checks::done));
  }
  return end;
}

// Without mutex_: who reads an open shard does not wait while another thread opens the next.
std::shared_ptr<const ShardReader> ShardCache::shard(std::size_t at) const {
  bool checked = false;
  {
    const std::scoped_lock lock(mutex_);
    if (auto reader = opened(at)) {
      return reader;
    }
    checked = checked_.contains(at);
  }
  const fs::path& file = files_->facts.shards[at].file;
  if (!files_->facts.complete && !fs::exists(look_behind(file))) {
    throw StorageError(fmt::format(
        "reading {}: the program that records there has joined it with others meanwhile; open it again",
        file.string()));
  }
  auto reader = checked ? std::make_shared<const ShardReader>(file, ShardReader::Checks::done)
                        : ShardReader::open_checked(file);
  const std::scoped_lock lock(mutex_);
  if (auto faster = opened(at)) {
    return faster;
  }
  keep(at, reader);
  return reader;
}

}  // namespace mog::io
