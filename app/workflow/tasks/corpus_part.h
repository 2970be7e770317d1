// What a task reads of a corpus.
#pragma once

#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>

#include "app/workflow/tasks/shard.h"
#include "io/text/corpus.h"

namespace mog::app {

struct CorpusPart {
  std::optional<io::TextRange> source;  // nothing: all of it
  std::optional<io::TextRange> target;  // the same sentences of a file that goes with it line by line
  std::string sha256;                   // of the whole corpus; empty: nobody has read it
  std::string target_sha256;
};

// Of a whole shard nothing is read. Else the indexes are read, and made where there are none (decision 46).
// `target` may be empty. Throws as io::open_corpus_index(); FormatError where the files do not have as many
// sentences.
CorpusPart part_of_corpus(const Shard& shard, const std::filesystem::path& corpus,
                          const std::filesystem::path& target = {}, const std::stop_token& stop = {});

// " for part 2/4" in messages, nothing for a whole.
std::string part_text(const Shard& shard);

}  // namespace mog::app
