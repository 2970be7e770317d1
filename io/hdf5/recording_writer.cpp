// A killed program must lose nothing that was promised and double nothing. HDF5 keeps its tables in memory
// until a file is closed, so an open file is lost with the process. Therefore shards are small, are collected
// in memory, written in one go under a name with .part, flushed, renamed, and only then named in the journal.
// What --resume finds: shards that the journal names (whole), other files (removed). At most two shards of
// work are lost.
#include "io/hdf5/recording_writer.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <unordered_set>

#include "io/hdf5/durable_file.h"
#include "io/hdf5/hdf5_type.h"
#include "io/hdf5/journal.h"
#include "io/hdf5/manifest.h"
#include "io/hdf5/recording_layout.h"
#include "io/hdf5/shard_buffer.h"
#include "io/hdf5/virtual_file.h"
#include "io/recording/errors.h"

namespace mog::io {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

RecordingHeader checked(RecordingHeader header) {
  std::sort(header.quantities.begin(), header.quantities.end(),
            [](const QuantitySchema& a, const QuantitySchema& b) { return a.name < b.name; });
  for (std::size_t i = 0; i < header.quantities.size(); ++i) {
    const QuantitySchema& schema = header.quantities[i];
    h5::type_of(schema.dtype);
    if (i > 0 && header.quantities[i - 1].name == schema.name) {
      throw UsageError(fmt::format("recording {}: it is asked for twice", schema.name.text()));
    }
    if (schema.axes.size() != schema.extents.size() || schema.axes.size() > 8) {
      throw ShapeError(fmt::format("recording {}: {} axes, {} extents; expected as many, at most 8",
                                   schema.name.text(), schema.axes.size(), schema.extents.size()));
    }
  }
  return header;
}

}  // namespace

class RecordingWriter::Impl {
 public:
  Impl(fs::path directory, RecordingWriterOptions options)
      : directory_(std::move(directory)), options_(options) {}

  ~Impl() {
    if (worker_.joinable()) {
      try {
        commit();
      } catch (...) {  // said by commit() and finish() to whoever asked
      }
      worker_.request_stop();
      changed_.notify_all();
    }
  }

  void begin(const RecordingHeader& header);
  void write(const RecordingBatch& batch);
  void commit();
  void finish();
  const std::vector<std::int64_t>& recorded() const { return recorded_; }
  std::int64_t bytes_written() const { return bytes_written_; }

 private:
  void create_directory();
  void start_fresh();
  void resume();
  void check_resumable(const RecordingHeader& header) const;
  void remove_leftovers(const JournalContent& content) const;
  void take_journal(const JournalContent& content);
  void submit();
  void wait_idle(std::unique_lock<std::mutex>& lock);
  void work(const std::stop_token& stop);
  void write_shard(const ShardBuffer& buffer);
  void reopen();
  Manifest manifest(bool complete) const;

  fs::path directory_;
  RecordingWriterOptions options_;
  RecordingHeader header_;
  std::vector<std::int64_t> recorded_;
  std::unordered_set<std::int64_t> numbers_;
  std::unique_ptr<ShardBuffer> buffer_;
  Clock::time_point buffer_begun_;
  JournalWriter journal_;
  bool was_complete_ = false;
  bool created_directory_ = false;
  std::atomic<std::int64_t> bytes_written_ = 0;
  // Of the shards in the journal; changed by the worker only while it is busy.
  std::vector<std::string> shards_;
  std::size_t found_shards_ = 0;  // the first of them, written by an earlier run
  std::int64_t next_shard_ = 1;
  std::int64_t sentences_ = 0;
  std::int64_t tokens_ = 0;

  std::mutex mutex_;
  std::condition_variable_any changed_;
  FileImage image_;                       // the worker's
  std::unique_ptr<ShardBuffer> pending_;  // handed to the worker
  bool busy_ = false;
  std::exception_ptr error_;
  std::jthread worker_;  // last: ends before what it uses
};

Manifest RecordingWriter::Impl::manifest(bool complete) const {
  return {std::string(layout::kVersion),
          complete,
          options_.part,
          options_.parts,
          sentences_,
          tokens_,
          static_cast<std::int64_t>(shards_.size()),
          header_};
}

void RecordingWriter::Impl::create_directory() {
  std::error_code error;
  const fs::file_status status = fs::status(directory_, error);
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
  fs::create_directories(directory_, error);
  if (error) {
    throw_storage_error("creating", directory_, error.value());
  }
  created_directory_ = true;
}

void RecordingWriter::Impl::begin(const RecordingHeader& header) {
  header_ = checked(header);
  create_directory();
  if (options_.resume && fs::exists(directory_ / layout::kManifest)) {
    resume();
  } else {
    start_fresh();
  }
  worker_ = std::jthread([this](const std::stop_token& stop) { work(stop); });
}

void RecordingWriter::Impl::start_fresh() {
  for (const auto& entry :
       fs::directory_iterator(directory_)) {  // empty, or what a kill in this function left
    const std::string name = entry.path().filename().string();
    if (name != layout::kJournal && name.find(".part") == std::string::npos) {
      throw UsageError(
          fmt::format("recording to {}: it holds \"{}\", but no {}: no recording to go on with; give "
                      "another --output",
                      directory_.string(), name, layout::kManifest));
    }
  }
  try {
    journal_ = JournalWriter(directory_ / layout::kJournal);
    journal_.cut(0);
    journal_.append(begin_line(options_.part, options_.parts));
    write_manifest(directory_ / layout::kManifest, manifest(false));
  } catch (...) {
    std::error_code ignored;
    fs::remove(directory_ / layout::kJournal, ignored);
    fs::remove(directory_ / layout::kManifest, ignored);
    if (created_directory_) {
      fs::remove(directory_, ignored);
    }
    throw;
  }
}

void RecordingWriter::Impl::check_resumable(const RecordingHeader& header) const {
  if (const std::string text = difference(header, header_); !text.empty()) {
    throw UsageError(
        fmt::format("going on with {}: {}; give the same model, corpus and choice of quantities as "
                    "before, or another --output",
                    directory_.string(), text));
  }
}

void RecordingWriter::Impl::resume() {
  const Manifest old = read_manifest(directory_ / layout::kManifest);
  check_resumable(old.header);
  if (old.part != options_.part || old.parts != options_.parts) {
    throw UsageError(fmt::format("going on with {}: it is part {} of {}, not {} of {}", directory_.string(),
                                 old.part, old.parts, options_.part, options_.parts));
  }
  journal_ = JournalWriter(directory_ / layout::kJournal);  // from here on nobody else writes
  const JournalContent content = read_journal(directory_ / layout::kJournal);
  journal_.cut(content.sound_bytes);
  if (!content.begun) {
    journal_.append(begin_line(options_.part, options_.parts));
  }
  remove_leftovers(content);
  take_journal(content);
  header_.provenance = old.header.provenance;
  was_complete_ = old.complete;
}

// Everything that a killed program may have left behind and the journal does not know.
void RecordingWriter::Impl::remove_leftovers(const JournalContent& content) const {
  for (const auto& entry : fs::directory_iterator(directory_)) {
    const std::string name = entry.path().filename().string();
    const bool orphan = layout::is_shard_file_name(name) &&
                        std::none_of(content.shards.begin(), content.shards.end(),
                                     [&](const JournalShard& shard) { return shard.file == name; });
    const bool part = name.find(".part") != std::string::npos &&
                      (name.starts_with("shard-") || name.starts_with(layout::kVirtualFile) ||
                       name.starts_with(layout::kManifest));
    if (orphan || part) {
      fs::remove(entry.path());
    }
  }
}

void RecordingWriter::Impl::take_journal(const JournalContent& content) {
  for (const JournalShard& shard : content.shards) {
    if (!fs::is_regular_file(fs::symlink_status(directory_ / shard.file))) {
      throw FormatError(fmt::format("going on with {}: {} is missing, but the journal names it",
                                    directory_.string(), shard.file));
    }
    shards_.push_back(shard.file);
    next_shard_ = std::max(next_shard_, std::int64_t{std::stoll(shard.file.substr(6))} + 1);
    sentences_ += shard.sentences;
    tokens_ += shard.tokens;
    bytes_written_ += shard.size_bytes;
    for (const NumberRange& range : shard.numbers) {
      for (std::int64_t number = range.first; number <= range.last; ++number) {
        recorded_.push_back(number);
      }
    }
  }
  found_shards_ = shards_.size();
  std::sort(recorded_.begin(), recorded_.end());
  numbers_.insert(recorded_.begin(), recorded_.end());
}

void RecordingWriter::Impl::write(const RecordingBatch& batch) {
  if (!worker_.joinable()) {
    throw UsageError("recording: a batch came before begin()");
  }
  const CheckedBatch checked = check_batch(header_, batch);
  for (std::size_t i = 0; i < batch.sentences.size(); ++i) {
    const Sentence& sentence = batch.sentences[i];
    if (sentence.number < 1 || !numbers_.insert(sentence.number).second) {
      throw UsageError(
          fmt::format("recording sentence {}: {}", sentence.number,
                      sentence.number < 1 ? "sentences count from 1" : "it is recorded already"));
    }
    std::int64_t bytes = 0;
    for (const auto& blocks : checked.blocks) {
      bytes += static_cast<std::int64_t>(blocks[i].size());
    }
    if (buffer_ != nullptr && buffer_->size_bytes() + bytes > options_.shard_bytes) {
      submit();
    }
    if (buffer_ == nullptr) {
      buffer_ = std::make_unique<ShardBuffer>(header_.quantities.size());
      buffer_begun_ = Clock::now();
    }
    buffer_->add(batch, checked, i);
    if (buffer_->sentences() >= options_.shard_sentences) {
      submit();
    }
  }
  if (buffer_ != nullptr && Clock::now() - buffer_begun_ >= std::chrono::seconds(options_.shard_seconds)) {
    submit();
  }
}

void RecordingWriter::Impl::wait_idle(std::unique_lock<std::mutex>& lock) {
  changed_.wait(lock, [&] { return !busy_ && pending_ == nullptr; });
  if (error_) {
    buffer_ = nullptr;
    std::rethrow_exception(error_);
  }
}

// Hands the buffer to the worker; waits while it still writes the one before.
void RecordingWriter::Impl::submit() {
  std::unique_lock lock(mutex_);
  wait_idle(lock);
  pending_ = std::move(buffer_);
  changed_.notify_all();
}

void RecordingWriter::Impl::commit() {
  if (!worker_.joinable()) {
    return;
  }
  if (buffer_ != nullptr) {
    submit();
  }
  std::unique_lock lock(mutex_);
  wait_idle(lock);
}

void RecordingWriter::Impl::work(const std::stop_token& stop) {
  while (true) {
    std::unique_ptr<ShardBuffer> buffer;
    {
      std::unique_lock lock(mutex_);
      if (!changed_.wait(lock, stop, [&] { return pending_ != nullptr; })) {
        return;
      }
      buffer = std::move(pending_);
      busy_ = true;
    }
    std::exception_ptr error;
    try {
      write_shard(*buffer);
    } catch (...) {
      error = std::current_exception();
    }
    buffer.reset();
    const std::scoped_lock lock(mutex_);
    busy_ = false;
    error_ = error;
    changed_.notify_all();
    if (error_) {
      return;
    }
  }
}

// A complete recording that gets more sentences is incomplete again, before its first new shard.
void RecordingWriter::Impl::reopen() {
  if (was_complete_) {
    write_manifest(directory_ / layout::kManifest, manifest(false));
    std::error_code ignored;
    fs::remove(directory_ / layout::kVirtualFile, ignored);
    was_complete_ = false;
  }
}

void RecordingWriter::Impl::write_shard(const ShardBuffer& buffer) {
  reopen();
  JournalShard entry = buffer.journal_entry();
  entry.file = layout::shard_file_name(next_shard_);
  const fs::path path = directory_ / entry.file;
  const fs::path part = directory_ / (entry.file + ".part");
  try {
    const std::uint64_t bytes = buffer.file_bytes(header_);
    reserve(part, bytes);
    const bool in_memory = bytes <= FileImage::kLargest;
    if (in_memory) {
      image_.reserve(bytes);
    }
    buffer.write_file(part, header_, options_.part, options_.parts, options_.deflate_level,
                      in_memory ? &image_ : nullptr);
    entry.size_bytes = static_cast<std::int64_t>(fs::file_size(part));
    publish(part, path);
  } catch (...) {
    remove_part(part);
    throw;
  }
  try {
    journal_.append(shard_line(entry));
  } catch (...) {
    ::unlink(path.c_str());
    throw;
  }
  ++next_shard_;
  shards_.push_back(entry.file);
  sentences_ += entry.sentences;
  tokens_ += entry.tokens;
  bytes_written_ += entry.size_bytes;
}

void RecordingWriter::Impl::finish() {
  commit();
  if (was_complete_ && fs::exists(directory_ / layout::kVirtualFile)) {
    return;
  }
  write_virtual_file(directory_, shards_, found_shards_, header_, options_.part, options_.parts);
  write_manifest(directory_ / layout::kManifest, manifest(true));
  was_complete_ = true;
}

RecordingWriter::RecordingWriter(fs::path directory, RecordingWriterOptions options)
    : impl_(std::make_unique<Impl>(std::move(directory), options)) {}
RecordingWriter::~RecordingWriter() = default;
void RecordingWriter::begin(const RecordingHeader& header) {
  impl_->begin(header);
}
void RecordingWriter::write(const RecordingBatch& batch) {
  impl_->write(batch);
}
void RecordingWriter::commit() {
  impl_->commit();
}
void RecordingWriter::finish() {
  impl_->finish();
}
const std::vector<std::int64_t>& RecordingWriter::recorded() const {
  return impl_->recorded();
}
std::int64_t RecordingWriter::bytes_written() const {
  return impl_->bytes_written();
}

}  // namespace mog::io
