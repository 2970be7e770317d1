// What a task reads of a corpus.
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <stop_token>
#include <string>

#include "app/workflow/tasks/shard.h"
#include "io/statistics/number_ranges.h"
#include "io/text/corpus.h"

namespace mog::app {

// Some of the sentences of a corpus, drawn by their numbers: the same ones whatever the parts.
struct SentenceSample {
  std::uint64_t seed = 1;
  std::uint64_t most = std::numeric_limits<std::uint64_t>::max();  // the greatest draw that is in it
  bool holds(std::int64_t number) const noexcept;
};
// The `wanted` of `sentences` with the least draws; all where there are no more. O(sentences log wanted).
SentenceSample draw_sample(std::int64_t sentences, std::int64_t wanted, std::uint64_t seed);

struct CorpusPart {
  std::optional<io::TextRange> source;  // nothing: all of it
  std::optional<io::TextRange> target;  // the same sentences of a file that goes with it line by line
  std::string sha256;                   // of the whole corpus; empty: nobody has read it
  std::string target_sha256;
  std::optional<SentenceSample> sample = {};  // nothing: all sentences of the part
};

// How many sentences to draw of a whole corpus, 0: all.
struct SampleRequest {
  std::int64_t sentences = 0;
  std::uint64_t seed = 1;
};

// Of a whole shard nothing is read, but for a sample (the corpus, once). Else the indexes are read, and made
// where there are none (decision 46). `target` may be empty. Throws as io::open_corpus_index(); FormatError
// where the files do not have as many sentences.
CorpusPart part_of_corpus(const Shard& shard, const std::filesystem::path& corpus,
                          const std::filesystem::path& target = {}, const std::stop_token& stop = {},
                          const SampleRequest& sample = {});

// The sentences of a part; none of a whole.
io::NumberRanges numbers_of(const CorpusPart& part);
// Of `count` things that are numbered from 1 the share of a part; first > last: none.
io::NumberRange share_of_numbers(const Shard& shard, std::int64_t count);

// " for part 2/4" in messages, nothing for a whole.
std::string part_text(const Shard& shard);

}  // namespace mog::app
