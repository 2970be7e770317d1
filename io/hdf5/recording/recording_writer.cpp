// A killed program must lose nothing that was promised and double nothing. HDF5 keeps its tables in memory
// until a file is closed, so an open file is lost with the process. Therefore shards are small, are collected
// in memory, written in one go under a name with .part, flushed, renamed, and only then named in the journal.
// What --resume finds: shards that the journal names (whole), other files (removed). At most two shards of
// work are lost. What would become too many files is joined later, out of the way of computing (decision 49).
#include "io/hdf5/recording/recording_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <unordered_set>

#include "io/hdf5/file/durable_file.h"
#include "io/hdf5/file/hdf5_type.h"
#include "io/hdf5/recording/eight_bit_maps.h"
#include "io/hdf5/recording/journal.h"
#include "io/hdf5/recording/recording_folder.h"
#include "io/hdf5/recording/shard_buffer.h"
#include "io/recording/errors.h"
#include "io/text/sha256.h"

namespace mog::io {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

RecordingHeader checked(RecordingHeader header) {
  header.describe_system();
  std::sort(header.quantities.begin(), header.quantities.end(),
            [](const QuantitySchema& a, const QuantitySchema& b) { return a.name < b.name; });
  for (std::size_t i = 0; i < header.quantities.size(); ++i) {
    const QuantitySchema& schema = header.quantities[i];
    h5::type_of(schema.dtype);
    if (schema.dtype == DType::uint8 && !fits_eight_bits(schema)) {
      throw UsageError(
          fmt::format("recording {}: only attention weights are kept in 8 bits", schema.name.text()));
    }
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
      : options_(options), folder_(std::move(directory), options) {}

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
  void discard();
  const std::vector<std::int64_t>& recorded() const { return folder_.recorded(); }
  std::int64_t bytes_written() const { return bytes_written_; }

 private:
  void submit();
  void wait_idle(std::unique_lock<std::mutex>& lock);
  void work(const std::stop_token& stop);
  void write_shard(const ShardBuffer& buffer);
  void write_shard_file(const ShardBuffer& buffer, JournalShard& entry);

  RecordingWriterOptions options_;
  RecordingHeader header_;
  std::unordered_set<std::int64_t> numbers_;
  std::unique_ptr<ShardBuffer> buffer_;
  Clock::time_point buffer_begun_;
  RecordingFolder folder_;  // after begin() the worker's, while it is busy
  std::atomic<std::int64_t> bytes_written_ = 0;

  std::mutex mutex_;
  std::condition_variable_any changed_;
  FileImage image_;                       // the worker's
  std::unique_ptr<ShardBuffer> pending_;  // handed to the worker
  bool busy_ = false;
  std::exception_ptr error_;
  std::jthread worker_;  // last: ends before what it uses
};

void RecordingWriter::Impl::begin(const RecordingHeader& header) {
  folder_.begin(checked(header));
  header_ = folder_.header();
  numbers_.insert(recorded().begin(), recorded().end());
  bytes_written_ = folder_.bytes_written();
  worker_ = std::jthread([this](const std::stop_token& stop) { work(stop); });
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

void RecordingWriter::Impl::write_shard_file(const ShardBuffer& buffer, JournalShard& entry) {
  PartFile part(folder_.file(entry.file));
  const std::uint64_t bytes = buffer.file_bytes(header_);
  part.reserve(bytes);
  const bool in_memory = bytes <= FileImage::kLargest;
  if (in_memory) {
    image_.reserve(bytes);
  }
  buffer.write_file(part, header_, options_.part, options_.parts, options_.deflate_level,
                    in_memory ? &image_ : nullptr);
  if (in_memory) {
    Sha256 sum;
    sum.update(image_.bytes());
    entry.sha256 = sum.hex();
  } else {
    entry.sha256 = part.sha256();
  }
  entry.size_bytes = static_cast<std::int64_t>(part.size_bytes());
  part.publish();
}

void RecordingWriter::Impl::write_shard(const ShardBuffer& buffer) {
  folder_.reopen();
  JournalShard entry = buffer.journal_entry();
  entry.file = folder_.next_shard();
  write_shard_file(buffer, entry);
  folder_.add(entry);
  folder_.join(false);
  bytes_written_ = folder_.bytes_written();
}

void RecordingWriter::Impl::finish() {
  commit();
  folder_.join(true);
  folder_.complete();
  bytes_written_ = folder_.bytes_written();
}

void RecordingWriter::Impl::discard() {
  buffer_ = nullptr;
  if (worker_.joinable()) {
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return error_ || (!busy_ && pending_ == nullptr); });
    }
    worker_.request_stop();
    changed_.notify_all();
    worker_.join();
  }
  folder_.discard();
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
void RecordingWriter::discard() noexcept {
  impl_->discard();
}
const std::vector<std::int64_t>& RecordingWriter::recorded() const {
  return impl_->recorded();
}
std::int64_t RecordingWriter::bytes_written() const {
  return impl_->bytes_written();
}

}  // namespace mog::io
