#include "app/workflow/tasks/corpus_part.h"

#include <fmt/format.h>

#include <iterator>
#include <queue>

#include "analysis/random/bootstrap.h"
#include "io/recording/errors.h"
#include "io/text/corpus_index.h"

namespace mog::app {

namespace {

constexpr std::uint64_t kStream = 0x73616D706C65U;  // "sample"

std::uint64_t draw(std::uint64_t seed, std::int64_t number) noexcept {
  return analysis::keyed_random(seed, kStream, static_cast<std::uint64_t>(number), 0);
}

}  // namespace

bool SentenceSample::holds(std::int64_t number) const noexcept {
  return draw(seed, number) <= most;
}

SentenceSample draw_sample(std::int64_t sentences, std::int64_t wanted, std::uint64_t seed) {
  SentenceSample sample{.seed = seed};
  if (wanted >= sentences) {
    return sample;
  }
  std::priority_queue<std::uint64_t> least;
  for (std::int64_t number = 1; number <= sentences; ++number) {
    const std::uint64_t drawn = draw(seed, number);
    if (std::ssize(least) < wanted) {
      least.push(drawn);
    } else if (drawn < least.top()) {
      least.pop();
      least.push(drawn);
    }
  }
  sample.most = least.top();
  return sample;
}

CorpusPart part_of_corpus(const Shard& shard, const std::filesystem::path& corpus,
                          const std::filesystem::path& target, const std::stop_token& stop,
                          const SampleRequest& sample) {
  CorpusPart part;
  if (shard.whole()) {
    if (sample.sentences > 0) {
      const io::CorpusIndex whole = io::make_corpus_index(corpus, io::kSentencesPerMark, stop);
      part.sample = draw_sample(whole.sentences, sample.sentences, sample.seed);
      part.sha256 = whole.sha256;
    }
    return part;
  }
  const io::CorpusIndex index = io::open_corpus_index(corpus, shard.index, stop);
  part.source = io::range_of_part(index, corpus, shard.part, shard.parts);
  part.sha256 = index.sha256;
  if (sample.sentences > 0) {
    part.sample = draw_sample(index.sentences, sample.sentences, sample.seed);
  }
  if (!target.empty()) {
    const io::CorpusIndex beside = io::open_corpus_index(target, shard.index, stop);
    if (beside.sentences != index.sentences) {
      throw FormatError(
          fmt::format("{} has {} sentences, {} has {}; the two files must be aligned line by line",
                      corpus.string(), index.sentences, target.string(), beside.sentences));
    }
    part.target = io::range_of_sentences(beside, target, part.source->first, part.source->sentences);
    part.target_sha256 = beside.sha256;
  }
  return part;
}

io::NumberRanges numbers_of(const CorpusPart& part) {
  if (!part.source || part.source->sentences == 0) {
    return {};
  }
  return io::NumberRanges({{part.source->first, part.source->first + part.source->sentences - 1}});
}

io::NumberRange share_of_numbers(const Shard& shard, std::int64_t count) {
  __extension__ using Wide = __int128;
  const auto upto = [&](std::int64_t parts) {
    return static_cast<std::int64_t>(static_cast<Wide>(count) * parts / shard.parts);
  };
  return {upto(shard.part - 1) + 1, upto(shard.part)};
}

std::string part_text(const Shard& shard) {
  return shard.whole() ? "" : fmt::format(" for part {}/{}", shard.part, shard.parts);
}

}  // namespace mog::app
