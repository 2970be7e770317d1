#include "io/hdf5/recording/recorded_count.h"

#include "io/hdf5/recording/journal.h"
#include "io/hdf5/recording/recording_layout.h"

namespace mog::io {

std::filesystem::path journal_of(const std::filesystem::path& recording) {
  return recording / layout::kJournal;
}

std::int64_t recorded_sentences(const std::filesystem::path& recording) {
  const std::filesystem::path path = journal_of(recording);
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) {
    return 0;
  }
  std::int64_t sentences = 0;
  for (const JournalShard& shard : read_journal(path).shards) {
    sentences += shard.sentences;
  }
  return sentences;
}

}  // namespace mog::io
