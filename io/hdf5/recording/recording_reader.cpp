// Opening costs the manifest, one pass over the journal, and one shard, whatever the number of shards:
// nothing that a person waits for may open them all.
//
// Rows ascend by sentence number in every shard. So an interval of sentences is an interval of rows in each
// shard that has some: read_packed() reads once a shard and copies sentence by sentence; where one shard has
// them all, nothing is copied.
//
// Trap: the lock of HDF5 is another one (h5::Lock). Values are read beside it (decision 18); whoever adds a
// call into the library must take it.
#include "io/hdf5/recording/recording_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <fstream>

#include "io/hdf5/file/durable_file.h"
#include "io/hdf5/file/hdf5_error.h"
#include "io/hdf5/recording/eight_bit_maps.h"
#include "io/hdf5/recording/recording_check.h"
#include "io/hdf5/recording/recording_files.h"
#include "io/hdf5/recording/shard_cache.h"
#include "io/hdf5/recording/shard_reader.h"
#include "io/recording/errors.h"

namespace mog::io {
namespace {

namespace fs = std::filesystem;

// What the journal beside it says of a shard that was opened by itself; its sum is empty where there is none.
JournalShard entry_beside(const fs::path& shard) {
  const fs::path journal = (shard.has_parent_path() ? shard.parent_path() : fs::path(".")) / layout::kJournal;
  try {
    for (const JournalShard& entry : read_journal(journal).shards) {
      if (entry.file == shard.filename()) {
        return entry;
      }
    }
  } catch (const Error&) {  // none, or a damaged one: the shard is read without
  }
  return {};
}

}  // namespace

class RecordingReader::Impl {
 public:
  explicit Impl(const fs::path& path);

  std::shared_ptr<const ShardReader> shard(std::size_t at) const { return shards_.shard(at); }
  std::size_t open_together(std::size_t first) const { return shards_.open_together(path_, first); }
  void check_table() const;
  std::vector<std::int64_t> counts(std::vector<std::int64_t> JournalShard::*said,
                                   std::vector<std::int64_t> ShardTable::*column) const;
  HostTensor read_packed(std::int64_t first, std::int64_t count, const QuantitySchema& schema) const;
  const QuantitySchema& schema(const QuantityName& name) const;
  const Place& place(std::int64_t index) const;
  void validate_shard(std::size_t at) const;

  fs::path path_;
  RecordingFiles files_;
  fs::path directory_;     // empty for a shard that was opened by itself
  fs::path virtual_file_;  // likewise

 private:
  void open_single(const fs::path& path);

  ShardCache shards_;
};

RecordingReader::Impl::Impl(const fs::path& path) : path_(path), shards_(files_) {
  if (fs::is_directory(look_behind(path))) {
    files_ = open_directory(path);
    directory_ = path;
    virtual_file_ = path / layout::kVirtualFile;
  } else {
    check_apart(path, CheckedFiles::recording, {&path, 1});
    open_single(path);
  }
  if (!files_.journal.empty()) {
    shard(0);
  }
}

// recording.h5 stands for its directory; a shard for its own sentences.
void RecordingReader::Impl::open_single(const fs::path& path) {
  OpenedHdf5 file = open_hdf5(path);
  const RootFacts root = read_root(file.file, path);
  if (root.kind == layout::kKindRecording) {
    files_ = files_beside(path);
    directory_ = path.has_parent_path() ? path.parent_path() : fs::path(".");
    virtual_file_ = path;
    check_virtual_file(file, path, files_);
    return;
  }
  const std::uint64_t file_bytes = file.bytes;
  auto reader = std::make_shared<const ShardReader>(path, std::move(file));
  reader->sample();
  files_.header = reader->header();
  const ShardTable& table = reader->table();
  JournalShard entry;
  entry.file = path.filename().string();
  entry.sentences = table.size();
  entry.size_bytes = static_cast<std::int64_t>(file_bytes);
  entry.numbers = to_ranges(table.number);
  files_.facts = {root.version,
                  true,
                  root.part,
                  root.parts,
                  entry.sentences,
                  entry.size_bytes,
                  {{path, entry.sentences, entry.size_bytes}}};
  files_.journal.push_back(std::move(entry));
  index_sentences(files_);
  shards_.put(0, std::move(reader));
}

// From the journal; where an older one does not say, from the shards, all of which are opened for it.
std::vector<std::int64_t> RecordingReader::Impl::counts(std::vector<std::int64_t> JournalShard::*said,
                                                        std::vector<std::int64_t> ShardTable::*column) const {
  std::vector<std::vector<std::int64_t>> of_shard;
  const bool all_said = std::none_of(files_.journal.begin(), files_.journal.end(),
                                     [said](const JournalShard& entry) { return (entry.*said).empty(); });
  std::size_t opened_end = 0;
  for (std::size_t at = 0; at < files_.journal.size(); ++at) {
    if (!all_said && at == opened_end) {
      opened_end = open_together(at);
    }
    of_shard.push_back(all_said ? files_.journal[at].*said : shard(at)->table().*column);
  }
  std::vector<std::int64_t> result;
  result.reserve(files_.places.size());
  for (const Place& place : files_.places) {
    result.push_back(of_shard[static_cast<std::size_t>(place.shard)][static_cast<std::size_t>(place.row)]);
  }
  return result;
}

const QuantitySchema& RecordingReader::Impl::schema(const QuantityName& name) const {
  const QuantitySchema* const found = files_.header.find(name);
  if (found == nullptr) {
    throw UsageError(
        fmt::format("reading {} of {}: the recording does not hold it; `mog describe` lists what it "
                    "holds, `mog record --capture` says what to keep",
                    name.text(), path_.string()));
  }
  return *found;
}

const Place& RecordingReader::Impl::place(std::int64_t index) const {
  if (index < 0 || index >= static_cast<std::int64_t>(files_.places.size())) {
    throw UsageError(fmt::format("reading sentence {} of {}: it holds {} sentences", index + 1,
                                 path_.string(), files_.places.size()));
  }
  return files_.places[static_cast<std::size_t>(index)];
}

// Rows ascend by sentence number in every shard, so what an interval of indices takes from one shard is one
// interval of rows: one read a shard, then each sentence's block to its place.
HostTensor RecordingReader::Impl::read_packed(std::int64_t first, std::int64_t count,
                                              const QuantitySchema& schema) const {
  struct Part {
    std::shared_ptr<const ShardReader> reader;
    std::int64_t first_row = 0;
    std::int64_t rows = 0;
    HostTensor values;
  };
  std::map<std::int32_t, Part> parts;
  for (std::int64_t index = first; index < first + count; ++index) {
    const Place& at = place(index);
    Part& part = parts[at.shard];
    if (part.rows == 0) {
      part.first_row = at.row;
    }
    ++part.rows;
  }
  std::int64_t elements = 0;
  for (auto& [at, part] : parts) {
    part.reader = shard(static_cast<std::size_t>(at));
    part.values = part.reader->read(part.first_row, part.rows, schema);
    elements += part.values.size();
  }
  if (parts.size() == 1) {
    return parts.begin()->second.values;
  }
  const DType dtype = type_of_values(schema.dtype);
  HostTensor result(dtype, {elements});
  std::byte* to = result.mutable_bytes().data();
  const auto size = static_cast<std::uint64_t>(size_bytes(dtype));
  const std::string kind = layout::offsets_kind(schema);
  for (std::int64_t index = first; index < first + count; ++index) {
    const Place& at = place(index);
    const Part& part = parts[at.shard];
    const auto& offsets = part.reader->table().values.at(kind);
    const auto row = static_cast<std::size_t>(at.row);
    const std::uint64_t begin = offsets[row] - offsets[static_cast<std::size_t>(part.first_row)];
    const auto bytes =
        part.values.bytes().subspan(static_cast<std::size_t>(begin * size),
                                    static_cast<std::size_t>((offsets[row + 1] - offsets[row]) * size));
    if (!bytes.empty()) {
      std::memcpy(to, bytes.data(), bytes.size());
      to += bytes.size();
    }
  }
  return result;
}

void RecordingReader::Impl::validate_shard(std::size_t at) const {
  const auto reader = shard(at);
  for (std::int64_t row = 0; row < reader->table().size(); ++row) {
    reader->sentence(row);
  }
  for (const QuantitySchema& schema : reader->header().quantities) {
    reader->touch(0, reader->table().size(), schema);
  }
}

RecordingReader::RecordingReader(const fs::path& path) : impl_(std::make_unique<Impl>(path)) {}
RecordingReader::~RecordingReader() = default;

const RecordingHeader& RecordingReader::header() const {
  return impl_->files_.header;
}
std::int64_t RecordingReader::size() const {
  return static_cast<std::int64_t>(impl_->files_.places.size());
}
const RecordingFacts& RecordingReader::facts() const {
  return impl_->files_.facts;
}
const std::vector<std::int64_t>& RecordingReader::numbers() const {
  return impl_->files_.numbers;
}
std::vector<std::int64_t> RecordingReader::token_counts() const {
  return impl_->counts(&JournalShard::sentence_tokens, &ShardTable::tokens);
}
std::vector<std::int64_t> RecordingReader::word_counts() const {
  return impl_->counts(&JournalShard::sentence_words, &ShardTable::words);
}

Sentence RecordingReader::sentence(std::int64_t index) const {
  const Place& place = impl_->place(index);
  return impl_->shard(static_cast<std::size_t>(place.shard))->sentence(place.row);
}

std::int64_t RecordingReader::number(std::int64_t index) const {
  impl_->place(index);
  return impl_->files_.numbers[static_cast<std::size_t>(index)];
}

HostTensor RecordingReader::read(std::int64_t index, const QuantityName& name) const {
  const QuantitySchema& schema = impl_->schema(name);
  const Place& place = impl_->place(index);
  const auto reader = impl_->shard(static_cast<std::size_t>(place.shard));
  const auto row = static_cast<std::size_t>(place.row);
  return reader->read(place.row, 1, schema)
      .reshaped(schema.shape(reader->table().tokens[row], reader->table().target_tokens[row]));
}

HostTensor RecordingReader::read_block(std::int64_t index, const QuantityName& name,
                                       const TensorBlock& block) const {
  const QuantitySchema& schema = impl_->schema(name);
  const Place& place = impl_->place(index);
  return impl_->shard(static_cast<std::size_t>(place.shard))->read_block(place.row, schema, block);
}

HostTensor RecordingReader::read_packed(std::int64_t first, std::int64_t count,
                                        const QuantityName& name) const {
  const QuantitySchema& schema = impl_->schema(name);
  if (first < 0 || count < 0 || count > size() - first) {
    throw UsageError(fmt::format("reading sentences {} to {} of {}: it holds {} sentences", first + 1,
                                 first + count, impl_->path_.string(), size()));
  }
  return count == 0 ? HostTensor(type_of_values(schema.dtype), {0})
                    : impl_->read_packed(first, count, schema);
}

// recording.h5 of a complete recording.
void RecordingReader::Impl::check_table() const {
  if (!files_.facts.complete || virtual_file_.empty()) {
    return;
  }
  if (!fs::exists(look_behind(virtual_file_))) {
    throw FormatError(
        fmt::format("reading {}: {} is missing; `mog record --resume` with the same arguments writes "
                    "it again",
                    path_.string(), layout::kVirtualFile));
  }
  check_apart(virtual_file_, CheckedFiles::recording, {&virtual_file_, 1});
  check_virtual_file(open_hdf5(virtual_file_), virtual_file_, files_);
}

std::int64_t RecordingReader::check(std::stop_token stop) const {
  const std::size_t shards = impl_->open_together(0);
  for (std::size_t at = 0; at < shards; ++at) {
    if (stop.stop_requested()) {
      throw Interrupted(
          fmt::format("checking {}: stopped after {} of {} shards", impl_->path_.string(), at, shards));
    }
    impl_->shard(at);
  }
  impl_->check_table();
  return static_cast<std::int64_t>(shards);
}

ValidationReport RecordingReader::validate(
    const std::function<bool(std::int64_t, std::int64_t)>& progress) const {
  impl_->check_table();
  const auto total = static_cast<std::int64_t>(impl_->files_.journal.size());
  std::size_t opened_end = 0;
  for (std::int64_t at = 0; at < total; ++at) {
    if (progress && !progress(at, total)) {
      throw Interrupted(
          fmt::format("validating {}: stopped after {} of {} shards", impl_->path_.string(), at, total));
    }
    if (static_cast<std::size_t>(at) == opened_end) {
      opened_end = impl_->open_together(opened_end);
    }
    impl_->validate_shard(static_cast<std::size_t>(at));
    check_sum(impl_->files_.facts.shards[static_cast<std::size_t>(at)].file,
              impl_->files_.journal[static_cast<std::size_t>(at)]);
  }
  if (progress) {
    progress(total, total);
  }
  if (impl_->directory_.empty()) {
    const JournalShard beside = entry_beside(impl_->path_);
    check_sum(impl_->path_, beside);
    ValidationReport report{!beside.sha256.empty(), {}};
    if (!report.summed) {
      report.notes.emplace_back("a shard by itself: no journal beside it has its sum");
    }
    return report;
  }
  check_file_sums(impl_->directory_, impl_->files_);
  return report_on(impl_->directory_, impl_->files_);
}

bool looks_like_recording(const fs::path& path) noexcept {
  try {
    const fs::file_status status = fs::status(path);
    const bool directory = fs::is_directory(status);
    const fs::path file = directory ? path / layout::kManifest : path;
    if (!fs::is_regular_file(fs::status(file))) {
      return false;
    }
    std::string head(512, '\0');
    std::ifstream stream(file, std::ios::binary);
    stream.read(head.data(), static_cast<std::streamsize>(head.size()));
    head.resize(static_cast<std::size_t>(stream.gcount()));
    return directory ? head.find(layout::kFormat) != std::string::npos
                     : head.starts_with("\x89HDF\r\n\x1a\n");
  } catch (...) {
    return false;
  }
}

}  // namespace mog::io
