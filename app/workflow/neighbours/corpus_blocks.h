// A corpus in blocks of neighbouring sentences, which threads share.
#pragma once

#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

#include "app/workflow/common/parallel.h"
#include "app/workflow/neighbours/neighbours_job.h"
#include "app/workflow/neighbours/word_tags.h"
#include "io/recording/errors.h"
#include "io/recording/sentence_recording.h"

namespace mog::app {

// Neighbouring sentences of one store.
struct Block {
  const RecordingSource* source = nullptr;
  std::int64_t first = 0;
  std::int64_t count = 0;
};

// Blocks of some megabytes of a quantity: of all sentences, or of `sample` that are drawn by `seed` (the same
// whatever the parts of the recording).
std::vector<Block> blocks_of(const RecordingSource& source, const QuantitySchema& schema, std::int64_t sample,
                             std::uint64_t seed);

struct SentenceWords {
  Sentence sentence;
  TagsOfSentence tags;
  std::int64_t index = 0;
};
// The sentences of a block by runs of neighbours, without those that the treebank does not have.
std::vector<std::vector<SentenceWords>> read_words(const Block& block, const WordTags& tags);

// work(0), work(1), … for each block, on several threads, with progress. Throws Interrupted.
template <class Work>
void over(std::span<const Block> blocks, const NeighboursOptions& options, const char* message, Work work) {
  std::int64_t total = 0;
  for (const Block& block : blocks) {
    total += block.count;
  }
  std::mutex mutex;
  std::int64_t done = 0;
  share_out(thread_count(options.threads), blocks.size(), [&](std::size_t at) {
    if (options.stop.stop_requested()) {
      throw Interrupted("neighbours: interrupted");
    }
    work(at);
    const std::scoped_lock lock(mutex);
    done += blocks[at].count;
    if (options.progress) {
      options.progress({done, total, "sentences", message});
    }
  });
}

}  // namespace mog::app
