// What a kill at any moment may leave, and what the next program makes of it. The order of the files says
// how far the folder has come:
//
//   journal without a manifest           the beginning was cut short: begun anew
//   manifest "incomplete", journal       shards that the journal names are whole: gone on with
//   shards that no line names, *.part…   unfinished: removed
//   recording.h5, manifest "complete"    done; more sentences make it incomplete first (reopen)
//
// Joining is of the same kind: the joined shard stands before a new journal names it in the place of the
// small ones, and these are removed after that. A kill leaves one or the other as files that no line names.
//
// So the manifest comes last at the beginning and at the end, and discard() empties the journal before it
// removes a shard: at no point does a line name what is not there.
//
// Everything happens under the lock of the journal, and what is there is looked at only after it was had.
// Between the first look and the lock another writer may have begun; then its manifest stands, and this one
// goes on with it or refuses.
//
// Traps: only names of our own are ever removed, and a folder that holds anything else without a manifest is
// left alone. Where the lock is not enforced (journal.cpp) all of this holds for one writer.
#include "io/hdf5/recording/recording_folder.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "io/hdf5/file/durable_file.h"
#include "io/hdf5/recording/recording_files.h"
#include "io/hdf5/recording/recording_layout.h"
#include "io/hdf5/recording/shard_join.h"
#include "io/hdf5/recording/virtual_file.h"
#include "io/recording/errors.h"
#include "io/text/sha256.h"

namespace mog::io {
namespace {

namespace fs = std::filesystem;

// A link counts, wherever it leads.
bool stands(const fs::path& path) {
  return fs::exists(look_at(path));
}

}  // namespace

Manifest RecordingFolder::manifest(bool complete) const {
  return {std::string(layout::kVersion),
          complete,
          options_.part,
          options_.parts,
          sentences_,
          tokens_,
          static_cast<std::int64_t>(shards_.size()),
          {},
          true,
          header_};
}

void RecordingFolder::create_directory() {
  std::error_code error;
  const fs::file_status status = look_behind(directory_);
  if (fs::exists(status) && !fs::is_directory(status)) {
    throw UsageError(fmt::format(
        "recording to {}: a file of that name is there already; give another --output", directory_.string()));
  }
  if (fs::exists(status)) {
    const bool empty = fs::is_empty(directory_, error);
    if (error) {
      throw_storage_error("opening", directory_, error.value());
    }
    if (!empty && !options_.resume) {
      throw UsageError(
          fmt::format("recording to {}: the directory is there already and not empty; give --resume to "
                      "go on with it, or another --output",
                      directory_.string()));
    }
    return;
  }
  created_directory_ = fs::create_directories(directory_, error);
  if (error) {
    throw_storage_error("creating", directory_, error.value());
  }
}

void RecordingFolder::begin(const RecordingHeader& header) {
  header_ = header;
  create_directory();
  refuse_foreign();
  journal_ = JournalWriter(file(layout::kJournal));  // from here on nobody else writes
  if (!stands(file(layout::kManifest))) {
    start_fresh();
  } else if (options_.resume) {
    resume();
  } else {
    throw UsageError(
        fmt::format("recording to {}: another program has just recorded there; give --resume to go on "
                    "with it, or another --output",
                    directory_.string()));
  }
}

// Without a manifest: empty, or what a kill in start_fresh() left.
void RecordingFolder::refuse_foreign() const {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(directory_, error)) {
    const std::string name = entry.path().filename().string();
    const bool own = name == layout::kJournal || name.find(".part") != std::string::npos;
    if (!own && !stands(file(layout::kManifest))) {  // another writer may have begun meanwhile
      throw UsageError(
          fmt::format("recording to {}: it holds \"{}\", but no {}: no recording to go on with; give "
                      "another --output",
                      directory_.string(), name, layout::kManifest));
    }
  }
}

void RecordingFolder::begin_journal() {
  const std::string line = begin_line(options_.part, options_.parts);
  journal_.append(line);
  journal_bytes_ = line.size();
}

void RecordingFolder::start_fresh() {
  fresh_ = journal_.was_empty();
  try {
    refuse_foreign();
    if (!read_journal(file(layout::kJournal)).shards.empty()) {
      throw FormatError(
          fmt::format("recording to {}: {} names shards, but {} is missing: take it from a copy of "
                      "the recording, or give another --output",
                      directory_.string(), layout::kJournal, layout::kManifest));
    }
    journal_.cut(0);
    begin_journal();
    remove_leftovers({});
    write_manifest(file(layout::kManifest), manifest(false));
  } catch (...) {
    discard();
    throw;
  }
  fresh_ = true;
}

void RecordingFolder::take_header(const Manifest& old) {
  if (const std::string text = difference(old.header, header_); !text.empty()) {
    throw UsageError(
        fmt::format("going on with {}: {}; give the same model, corpus and choice of quantities as "
                    "before, or another --output",
                    directory_.string(), text));
  }
  const std::string& name = header_.provenance.name;
  const std::string& begun = old.header.provenance.name;
  if (!name.empty() && name != begun) {
    const std::string is = begun.empty() ? "it has no name" : fmt::format("its name is \"{}\"", begun);
    throw UsageError(fmt::format(
        "going on with {}: {}, not \"{}\"; a name is given when a recording is begun: leave --name out",
        directory_.string(), is, name));
  }
  if (old.part != options_.part || old.parts != options_.parts) {
    throw UsageError(fmt::format("going on with {}: it is part {} of {}, not {} of {}", directory_.string(),
                                 old.part, old.parts, options_.part, options_.parts));
  }
  header_ = old.header;
}

void RecordingFolder::resume() {
  if (!fs::is_regular_file(look_at(file(layout::kManifest)))) {
    throw UsageError(fmt::format("going on with {}: {} is no file of its own (a link, a directory, a pipe)",
                                 directory_.string(), layout::kManifest));
  }
  const Manifest old = read_manifest(file(layout::kManifest));
  take_header(old);
  const JournalContent content = read_journal(file(layout::kJournal));
  journal_.cut(content.sound_bytes);
  journal_bytes_ = content.sound_bytes;
  if (!content.begun) {
    begin_journal();
  }
  remove_leftovers(content);
  take_journal(content);
  if (content.has_others || old.version != layout::kVersion) {
    small_.clear();  // what another version wrote stays as it is
  }
  was_complete_ = old.complete;
}

// Everything that a killed program may have left behind and the journal does not know.
void RecordingFolder::remove_leftovers(const JournalContent& content) const {
  for (const auto& entry : fs::directory_iterator(directory_)) {
    const std::string name = entry.path().filename().string();
    const bool orphan = layout::is_shard_file_name(name) &&
                        std::none_of(content.shards.begin(), content.shards.end(),
                                     [&](const JournalShard& shard) { return shard.file == name; });
    std::error_code error;
    if ((orphan || layout::is_unfinished_file_name(name)) && !fs::remove(entry.path(), error) && error) {
      throw_storage_error("removing the unfinished", entry.path(), error.value());
    }
  }
}

void RecordingFolder::count(const JournalShard& shard) {
  shards_.push_back(shard.file);
  next_shard_ = std::max(next_shard_, layout::shard_index(shard.file) + 1);
  sentences_ += shard.sentences;
  tokens_ += shard.tokens;
  bytes_ += shard.size_bytes;
}

// A shard that stays as it is ends what may be joined: only neighbours in the journal are.
void RecordingFolder::hold(const JournalShard& shard, std::uint64_t line_bytes) {
  const std::uint64_t line_begin = std::exchange(journal_bytes_, journal_bytes_ + line_bytes);
  count(shard);
  if (options_.joined_bytes == 0 || is_whole_shard(shard.size_bytes, options_) || shard.sha256.empty()) {
    small_.clear();
  } else {
    small_.push_back({shard, line_begin});
  }
}

void RecordingFolder::take_journal(const JournalContent& content) {
  for (std::size_t at = 0; at < content.shards.size(); ++at) {
    const JournalShard& shard = content.shards[at];
    if (!fs::is_regular_file(look_at(file(shard.file)))) {
      throw FormatError(fmt::format("going on with {}: {} is missing, but the journal names it",
                                    directory_.string(), shard.file));
    }
    journal_bytes_ = content.line_begins[at];
    hold(shard, 0);
    for (const NumberRange& range : shard.numbers) {
      for (std::int64_t number = range.first; number <= range.last; ++number) {
        recorded_.push_back(number);
      }
    }
  }
  journal_bytes_ = std::max(journal_bytes_, content.sound_bytes);
  found_shards_ = shards_.size();
  std::sort(recorded_.begin(), recorded_.end());
}

void RecordingFolder::reopen() {
  if (was_complete_) {
    write_manifest(file(layout::kManifest), manifest(false));
    std::error_code ignored;
    fs::remove(file(layout::kVirtualFile), ignored);
    was_complete_ = false;
  }
}

std::string RecordingFolder::next_shard() const {
  return layout::shard_file_name(next_shard_);
}

void RecordingFolder::add(const JournalShard& shard) {
  const std::string line = shard_line(shard);
  try {
    journal_.append(line);
  } catch (...) {
    if (!journal_.may_hold_line()) {  // else the next --resume finds out whether the line counts
      ::unlink(file(shard.file).c_str());
    }
    throw;
  }
  hold(shard, line.size());
}

void RecordingFolder::join(bool finished) {
  if (was_complete_ || !joins_) {
    return;
  }
  std::vector<std::int64_t> sizes;
  for (const Small& small : small_) {
    sizes.push_back(small.entry.size_bytes);
  }
  const JoinRange range = to_be_joined(sizes, options_, finished);
  if (range.count == 0) {
    return;
  }
  try {
    join_last(range.count, range.spare_newest ? 1 : 0);
  } catch (const StorageError& error) {
    if (error.exit_code() != ExitCode::no_space || journal_.may_hold_line()) {
      throw;
    }
    joins_ = false;  // they are sound as they are
  } catch (const FormatError&) {
    small_.clear();  // what is damaged stays as it is, for `mog validate` to find; the run goes on
  }
}

// Opened, and checked where an earlier run wrote them; none where one is not as this program writes them.
OpenShards RecordingFolder::open_last(std::size_t count, std::size_t spared) const {
  OpenShards open;
  for (std::size_t left = count + spared; left > spared; --left) {
    const JournalShard& entry = small_[small_.size() - left].entry;
    const bool found = shards_.size() - left < found_shards_;
    if (found) {
      check_sum(file(entry.file), entry);
    }
    auto shard = found ? ShardReader::open_checked(file(entry.file))
                       : std::make_shared<const ShardReader>(file(entry.file));
    const bool ours = shard->root().version == layout::kVersion &&
                      shard->header().unknown_quantities.empty() &&
                      full_difference(header_, shard->header()).empty() &&
                      to_ranges(shard->table().number) == entry.numbers;
    if (!ours) {
      return {};
    }
    open.push_back(std::move(shard));
  }
  return open;
}

void RecordingFolder::join_last(std::size_t count, std::size_t spared) {
  const OpenShards open = open_last(count, spared);
  if (open.empty()) {
    small_.clear();
    return;
  }
  const std::size_t first = small_.size() - spared - count;
  std::int64_t bytes = 0;
  for (std::size_t at = first; at < first + count; ++at) {
    bytes += small_[at].entry.size_bytes;
  }
  const std::string name = next_shard();
  PartFile part(file(name));
  part.reserve(static_cast<std::uint64_t>(bytes));
  JournalShard joined = join_shards(part, open, header_, options_);
  joined.file = name;
  joined.size_bytes = static_cast<std::int64_t>(part.size_bytes());
  joined.sha256 = part.sha256();
  part.publish();
  replace_joined(std::move(joined), first, count);
}

// The small shards from `first` on have become one.
void RecordingFolder::replace_joined(JournalShard joined, std::size_t first, std::size_t count) {
  const std::vector<Small> old(small_.begin() + static_cast<std::ptrdiff_t>(first), small_.end());
  std::vector<JournalShard> fresh = {std::move(joined)};
  for (std::size_t at = count; at < old.size(); ++at) {
    fresh.push_back(old[at].entry);
  }
  std::vector<std::string> lines;
  lines.reserve(fresh.size());
  for (const JournalShard& shard : fresh) {
    lines.push_back(shard_line(shard));
  }
  const std::uint64_t kept_bytes = old.front().line_begin;
  try {
    journal_.replace(kept_bytes, fmt::format("{}", fmt::join(lines, "")));
  } catch (...) {
    if (!journal_.may_hold_line()) {
      ::unlink(file(fresh.front().file).c_str());
    }
    throw;
  }
  for (std::size_t at = 0; at < old.size(); ++at) {
    if (at < count) {
      ::unlink(file(old[at].entry.file).c_str());  // else the next --resume does
    }
    sentences_ -= old[at].entry.sentences;
    tokens_ -= old[at].entry.tokens;
    bytes_ -= old[at].entry.size_bytes;
  }
  shards_.resize(shards_.size() - old.size());
  found_shards_ = std::min(found_shards_, shards_.size());
  small_.resize(first);
  journal_bytes_ = kept_bytes;
  for (std::size_t at = 0; at < fresh.size(); ++at) {
    hold(fresh[at], lines[at].size());
  }
}

void RecordingFolder::complete() {
  if (was_complete_ && fs::is_regular_file(look_at(file(layout::kVirtualFile)))) {
    return;
  }
  Manifest whole = manifest(true);
  whole.files[layout::kVirtualFile] =
      write_virtual_file(directory_, shards_, found_shards_, header_, options_.part, options_.parts);
  whole.files[layout::kJournal] = file_sha256(file(layout::kJournal));
  write_manifest(file(layout::kManifest), whole);
  was_complete_ = true;
}

// The journal is emptied first and goes last: what a kill in here leaves can be gone on with.
void RecordingFolder::discard() noexcept {
  if (!fresh_) {
    return;
  }
  fresh_ = false;
  std::error_code ignored;
  try {
    journal_.cut(0);
    remove_leftovers({});
  } catch (...) {
    return;
  }
  for (const char* const name : {layout::kVirtualFile, layout::kManifest, layout::kJournal}) {
    fs::remove(file(name), ignored);
  }
  if (created_directory_) {
    fs::remove(directory_, ignored);
  }
}

}  // namespace mog::io
