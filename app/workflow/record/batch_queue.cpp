#include "app/workflow/record/batch_queue.h"

#include <algorithm>
#include <utility>

#include "model/packed_batch.h"

namespace mog::app {
namespace {

constexpr double kMapBytesPerBatch = 2e8;  // of the attention maps that one run holds at a time

}  // namespace

BatchQueue::BatchQueue(std::function<std::optional<Sentence>()> next,
                       std::function<double(const Sentence&)> map_bytes, const io::NumberRanges& recorded,
                       std::int64_t batch_tokens)
    : next_(std::move(next)),
      map_bytes_(std::move(map_bytes)),
      recorded_(recorded),
      batch_tokens_(batch_tokens) {}

std::optional<BatchQueue::Work> BatchQueue::take() {
  while (at_ == batches_.size()) {
    if (!fill()) {
      return std::nullopt;
    }
  }
  return Work{number_++, std::move(batches_[at_++])};
}

bool BatchQueue::fill() {
  std::vector<Sentence> window;
  std::vector<std::int64_t> lengths;
  std::optional<Sentence> read = std::exchange(ahead_, std::nullopt);
  if (!read) {
    read = next_();
  }
  const auto window_of = [](const Sentence& one) { return (one.number - 1) / kBatchWindow; };
  const std::int64_t own = read ? window_of(*read) : 0;
  while (read && window_of(*read) == own) {
    lengths.push_back(static_cast<std::int64_t>(read->tokens.size()));
    window.push_back(std::move(*read));
    read = next_();
  }
  ahead_ = std::move(read);
  batches_.clear();
  at_ = 0;
  for (const std::vector<std::int64_t>& batch : model::pack_by_length(lengths, batch_tokens_)) {
    double bytes = 0;
    batches_.emplace_back();
    for (const std::int64_t index : batch) {
      Sentence& sentence = window[static_cast<std::size_t>(index)];
      bytes += map_bytes_(sentence);
      if (bytes > kMapBytesPerBatch && !batches_.back().empty()) {
        batches_.emplace_back();
        bytes = map_bytes_(sentence);
      }
      batches_.back().push_back(std::move(sentence));
    }
  }
  std::erase_if(batches_, [&](const std::vector<Sentence>& batch) {
    return std::all_of(batch.begin(), batch.end(),
                       [&](const Sentence& sentence) { return recorded_.contains(sentence.number); });
  });
  return !window.empty();
}

}  // namespace mog::app
