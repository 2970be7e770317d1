// Several shards of a recording as one file: commits are small, files that stay need not be.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "io/hdf5/file/durable_file.h"
#include "io/hdf5/recording/journal.h"
#include "io/hdf5/recording/recording_writer.h"
#include "io/hdf5/recording/shard_reader.h"

namespace mog::io {

using OpenShards = std::vector<std::shared_ptr<const ShardReader>>;

// Which of the last shards of a journal are to be one file now: as many from its end, without the newest
// where `spare_newest`.
struct JoinRange {
  std::size_t count = 0;  // 0: none
  bool spare_newest = false;
};
// `sizes` of the shards that may still be joined, in bytes, in the journal's order; `finished`: no further
// one will come.
JoinRange to_be_joined(const std::vector<std::int64_t>& sizes, const RecordingWriterOptions& options,
                       bool finished);
// Whether a shard of so many bytes stays as it is.
bool is_whole_shard(std::int64_t size_bytes, const RecordingWriterOptions& options);

// Writes the sentences of `shards`, sorted by number, into `target`; all have the quantities of `header`.
// Returns what the journal says of it, without the file's name, size and sum. Reads each of them once, in
// order; memory is the tables of the sentences and 1 MiB a shard. Throws FormatError when one is damaged,
// StorageError.
JournalShard join_shards(const PartFile& target, const OpenShards& shards, const RecordingHeader& header,
                         const RecordingWriterOptions& options);

}  // namespace mog::io
