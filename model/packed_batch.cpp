#include "model/packed_batch.h"

#include <algorithm>
#include <numeric>

namespace mog::model {

void PackedBatch::append(std::span<const std::int64_t> sentence_ids) {
  ids.insert(ids.end(), sentence_ids.begin(), sentence_ids.end());
  offsets.push_back(static_cast<std::int64_t>(ids.size()));
}

void PackedBatch::append(std::span<const std::int64_t> sentence_ids,
                         std::span<const GraphArc> sentence_arcs) {
  const std::int64_t first = tokens();
  append(sentence_ids);
  for (const GraphArc& arc : sentence_arcs) {
    arcs.push_back({first + arc.query, first + arc.key, arc.relation});
  }
}

void PackedBatch::append(const Sentence& sentence) {
  for (const Token& token : sentence.tokens) {
    ids.push_back(token.id);
  }
  offsets.push_back(static_cast<std::int64_t>(ids.size()));
  if (sentence.target_tokens.empty()) {
    return;
  }
  if (target_offsets.empty()) {
    target_offsets.push_back(0);
  }
  for (const Token& token : sentence.target_tokens) {
    target_ids.push_back(token.id);
  }
  target_offsets.push_back(static_cast<std::int64_t>(target_ids.size()));
}

std::vector<std::vector<std::int64_t>> pack_by_length(std::span<const std::int64_t> lengths,
                                                      std::int64_t max_tokens) {
  std::vector<std::int64_t> order(lengths.size());
  std::iota(order.begin(), order.end(), 0);
  const auto length = [&](std::int64_t index) { return lengths[static_cast<std::size_t>(index)]; };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::int64_t left, std::int64_t right) { return length(left) > length(right); });
  std::vector<std::vector<std::int64_t>> batches;
  std::int64_t tokens = 0;
  for (const std::int64_t index : order) {
    if (batches.empty() || tokens + length(index) > max_tokens) {
      batches.emplace_back();
      tokens = 0;
    }
    batches.back().push_back(index);
    tokens += length(index);
  }
  return batches;
}

}  // namespace mog::model
