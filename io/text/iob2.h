// Entity-annotated sentences in IOB2 columns (Universal NER): id, word, tag, …, separated by tabs.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace mog::io {

struct TaggedSentence {
  std::int64_t number = 0;            // from 1
  std::int64_t line = 0;              // of its first row, from 1
  std::vector<std::string> comments;  // with the leading "#"
  std::vector<std::string> words;
  std::vector<std::string> tags;  // one a word: "O", "B-PER", "I-PER" …
};

struct Iob2Options {
  // Entity types that become O, as in the training part of UNER (B-OTH, I-OTH); "B-O" always becomes O.
  std::vector<std::string> drop_types = {"OTH"};
};

// Throws FormatError naming file and line: fewer than three columns, ids not 1, 2, 3 …, an empty word, a tag
// that is neither O nor B-TYPE nor I-TYPE, an I- that continues no entity of its type.
std::vector<TaggedSentence> read_iob2(const std::filesystem::path& path, const Iob2Options& options = {});

}  // namespace mog::io
