// The shards of a recording that are open.
#pragma once

#include <cstddef>
#include <filesystem>
#include <list>
#include <memory>
#include <mutex>
#include <set>
#include <utility>

#include "io/hdf5/recording/recording_files.h"
#include "io/hdf5/recording/shard_reader.h"

namespace mog::io {

// Safe from several threads. Throws FormatError, StorageError.
class ShardCache {
 public:
  // `files` must outlive it, and be filled before the first call.
  explicit ShardCache(const RecordingFiles& files) : files_(&files) {}

  // An open shard; its table agrees with the journal and its header with the manifest.
  std::shared_ptr<const ShardReader> shard(std::size_t at) const;
  // Opens as many as may be open at once, from `first` on; returns where the next ones begin. `about` is what
  // errors of the process name.
  std::size_t open_together(const std::filesystem::path& about, std::size_t first) const;
  // One that was opened and checked elsewhere.
  void put(std::size_t at, std::shared_ptr<const ShardReader> reader) const;

 private:
  std::size_t end_together(std::size_t first) const;
  void keep(std::size_t at, std::shared_ptr<const ShardReader> reader) const;
  std::shared_ptr<const ShardReader> opened(std::size_t at) const;

  const RecordingFiles* files_;
  mutable std::mutex mutex_;               // of the two below
  mutable std::set<std::size_t> checked_;  // shards never change: one check each is enough
  mutable std::list<std::pair<std::size_t, std::shared_ptr<const ShardReader>>> open_;  // newest first
};

}  // namespace mog::io
