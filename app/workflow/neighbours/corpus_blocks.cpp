#include "app/workflow/neighbours/corpus_blocks.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "analysis/random/bootstrap.h"
#include "app/workflow/recordings/open_recording.h"

namespace mog::app {
namespace {

constexpr std::int64_t kBlockBytes = std::int64_t{4} << 20;
constexpr std::uint64_t kSentenceStream = 71;  // of keyed_random

// The stores behind a source: blocks of neighbours are read from each at once.
std::vector<const RecordingSource*> stores_of(const RecordingSource& source) {
  std::vector<const RecordingSource*> stores;
  for (const io::RecordingReader* const reader : readers_of(source)) {
    stores.push_back(reader);
  }
  return stores.empty() ? std::vector<const RecordingSource*>{&source} : stores;
}

// Which sentences of each store are compared.
std::vector<std::vector<bool>> chosen(std::span<const RecordingSource* const> stores, std::int64_t sample,
                                      std::uint64_t seed) {
  std::vector<std::vector<bool>> result;
  std::vector<std::tuple<std::uint64_t, std::int64_t, std::size_t, std::int64_t>> keys;
  for (std::size_t store = 0; store < stores.size(); ++store) {
    result.emplace_back(static_cast<std::size_t>(stores[store]->size()), sample == 0);
    for (std::int64_t index = 0; sample > 0 && index < stores[store]->size(); ++index) {
      const std::int64_t number = stores[store]->number(index);
      keys.emplace_back(analysis::keyed_random(seed, kSentenceStream, static_cast<std::uint64_t>(number), 0),
                        number, store, index);
    }
  }
  std::sort(keys.begin(), keys.end());
  keys.resize(std::min(keys.size(), static_cast<std::size_t>(sample)));
  for (const auto& [key, number, store, index] : keys) {
    result[store][static_cast<std::size_t>(index)] = true;
  }
  return result;
}

}  // namespace

std::vector<Block> blocks_of(const RecordingSource& source, const QuantitySchema& schema, std::int64_t sample,
                             std::uint64_t seed) {
  const std::vector<const RecordingSource*> stores = stores_of(source);
  const std::vector<std::vector<bool>> wanted = chosen(stores, sample, seed);
  std::vector<Block> blocks;
  for (std::size_t store = 0; store < stores.size(); ++store) {
    const std::vector<std::int64_t> tokens = stores[store]->token_counts();
    std::int64_t bytes = 0;
    for (std::int64_t index = 0; index < stores[store]->size(); ++index) {
      const auto at = static_cast<std::size_t>(index);
      if (!wanted[store][at]) {
        bytes = kBlockBytes;  // what follows is a block of its own
        continue;
      }
      if (blocks.empty() || blocks.back().source != stores[store] || bytes >= kBlockBytes) {
        blocks.push_back({stores[store], index, 0});
        bytes = 0;
      }
      ++blocks.back().count;
      bytes += schema.elements(tokens[at]) * size_bytes(schema.dtype);
    }
  }
  return blocks;
}

std::vector<std::vector<SentenceWords>> read_words(const Block& block, const WordTags& tags) {
  std::vector<std::vector<SentenceWords>> runs;
  bool together = false;
  for (std::int64_t i = 0; i < block.count; ++i) {
    SentenceWords one{block.source->sentence(block.first + i), {}, block.first + i};
    std::optional<TagsOfSentence> found = tags.tags(*block.source, one.index, one.sentence);
    if (!found) {
      together = false;
      continue;
    }
    one.tags = std::move(*found);
    if (!together) {
      runs.emplace_back();
    }
    runs.back().push_back(std::move(one));
    together = true;
  }
  return runs;
}

}  // namespace mog::app
