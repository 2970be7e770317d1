// Treebanks in CoNLL-U, as a stream of sentences.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "io/text/corpus.h"

namespace mog::io {

// One numbered row. "_" stays "_".
struct TreebankWord {
  std::string form;
  std::string lemma;
  std::string upos;
  std::string xpos;
  std::string feats;
  std::int64_t head = 0;  // 0: root, else the word's number from 1
  std::string deprel;
  std::string misc;
  std::int64_t line = 0;  // in the file, from 1
  std::string deps = "_";
};

// A row that is no word (a range 1-2, an empty node 8.1), as it stands in the file.
struct TreebankAside {
  std::int64_t after = 0;  // words before it
  std::string line;
  friend bool operator==(const TreebankAside&, const TreebankAside&) = default;
};

struct TreebankSentence {
  std::int64_t number = 0;            // from 1
  std::int64_t line = 0;              // of its first row in the file, from 1
  std::vector<std::string> comments;  // with the leading "#"
  std::vector<TreebankWord> words;
  std::vector<TreebankAside> asides;  // in the order of the file
  // Value of the comment "# key = value"; empty when absent.
  std::string comment(std::string_view key) const;
};

// Checks: ten tab-separated columns, ids 1, 2, 3 …, ranges before their words and apart from each other,
// empty nodes in order, heads whole numbers from 0 to the number of words, at least one root, no cycle,
// strict UTF-8. Several roots (a forest) are read. Throws FormatError naming file and line.
class ConlluReader {
 public:
  explicit ConlluReader(const std::filesystem::path& path);
  bool next(TreebankSentence& sentence);  // false at the end

 private:
  std::filesystem::path path_;
  CorpusReader lines_;
  std::int64_t number_ = 0;
};

std::vector<TreebankSentence> read_conllu(const std::filesystem::path& path);

// Comments, rows, and the empty line at the end. What ConlluReader read with line ends LF and one empty line
// after each sentence is written back byte for byte.
std::string to_conllu(const TreebankSentence& sentence);

}  // namespace mog::io
