#include "app/workflow/tasks/corpus_part.h"

#include <fmt/format.h>

#include "io/recording/errors.h"
#include "io/text/corpus_index.h"

namespace mog::app {

CorpusPart part_of_corpus(const Shard& shard, const std::filesystem::path& corpus,
                          const std::filesystem::path& target, const std::stop_token& stop) {
  CorpusPart part;
  if (shard.whole()) {
    return part;
  }
  const io::CorpusIndex index = io::open_corpus_index(corpus, shard.index, stop);
  part.source = io::range_of_part(index, corpus, shard.part, shard.parts);
  part.sha256 = index.sha256;
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

std::string part_text(const Shard& shard) {
  return shard.whole() ? "" : fmt::format(" for part {}/{}", shard.part, shard.parts);
}

}  // namespace mog::app
