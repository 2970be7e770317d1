// The batches of a recording, planned and handed out in order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "io/recording/sentence.h"
#include "io/statistics/number_ranges.h"

namespace mog::app {

// Sentences whose batches are planned together: numbers 1 to 1000, 1001 to 2000 … So a part of a corpus that
// begins with a window has the batches that the whole has (io/text/corpus_index.h, decision 47).
inline constexpr std::int64_t kBatchWindow = 1000;

// Hands out batches, in order, to one thread at a time. Batches are planned over all sentences, and only
// those that are recorded as a whole are left out: a sentence keeps its neighbours, so a resumed run gives
// the same numbers, to the last bit, as an unbroken one (matrix products round differently in batches of
// other sizes). What was recorded already of a batch that runs again is dropped before writing
// (batch_filter.h).
class BatchQueue {
 public:
  struct Work {
    std::int64_t number = 0;
    std::vector<Sentence> sentences;
  };

  // `next`: the sentences in the order of the corpus. `map_bytes`: of the attention maps that a run over the
  // sentence holds. `recorded`: numbers; must outlive the queue.
  BatchQueue(std::function<std::optional<Sentence>()> next, std::function<double(const Sentence&)> map_bytes,
             const io::NumberRanges& recorded, std::int64_t batch_tokens);

  std::optional<Work> take();

 private:
  // False at the end of the corpus; a window that is recorded already leaves no batches.
  bool fill();

  std::function<std::optional<Sentence>()> next_;
  std::function<double(const Sentence&)> map_bytes_;
  const io::NumberRanges& recorded_;
  std::int64_t batch_tokens_;
  std::optional<Sentence> ahead_;  // the first of the next window
  std::vector<std::vector<Sentence>> batches_;
  std::size_t at_ = 0;
  std::int64_t number_ = 0;
};

}  // namespace mog::app
