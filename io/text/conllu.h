// Treebanks in CoNLL-U, as a stream of sentences.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
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

// What a sentence's rows do not say: the bytes around them.
struct TreebankLayout {
  std::string before;  // a byte-order mark, blank lines, comments that belong to no sentence
  // Line end of each comment and row: 'n' LF, 'r' CR LF, '-' none. Empty: LF everywhere.
  std::string endings;
  std::string after = "\n";  // the empty line at the end; "" where the file ends without one
  // Rows with whole numbers in another spelling ("01"), by the word's index.
  std::vector<std::pair<std::size_t, std::string>> spelled;
};

struct TreebankSentence {
  std::int64_t number = 0;            // from 1
  std::int64_t line = 0;              // of its first row in the file, from 1
  std::vector<std::string> comments;  // with the leading "#"
  std::vector<TreebankWord> words;
  std::vector<TreebankAside> asides;  // in the order of the file
  TreebankLayout layout;              // how the file spells it
  bool has_heads = true;              // false: all are _ (TreebankHeads::optional)
  // Value of the comment "# key = value"; empty when absent.
  std::string comment(std::string_view key) const;
};

// Whether a file of that name is a treebank: *.conllu, *.conllu.gz.
bool is_treebank(const std::filesystem::path& path);

// Whether heads are read and checked; ignored: they may be "_" or anything else, all are 0.
enum class TreebankHeads : std::uint8_t {
  checked,
  optional,  // checked, but a sentence whose heads are all _ has none: every head is 0
  ignored,
};

// Checks: ten tab-separated columns, ids 1, 2, 3 …, ranges before their words and apart from each other,
// empty nodes in order, heads whole numbers from 0 to the number of words, at least one root, no cycle,
// strict UTF-8. Several roots (a forest) are read. Throws FormatError naming file, line and column: of the
// field that is wrong, in characters from 1.
class ConlluReader {
 public:
  // `range`: only its sentences, which keep their numbers and lines.
  explicit ConlluReader(const std::filesystem::path& path, TreebankHeads heads = TreebankHeads::checked,
                        const std::optional<TextRange>& range = {});
  // Lines of any text; `name` is what messages call it.
  ConlluReader(CorpusReader lines, std::string name, TreebankHeads heads = TreebankHeads::checked);
  bool next(TreebankSentence& sentence);  // false at the end
  // After the end: what stands behind the last sentence and its empty line.
  const std::string& rest() const noexcept { return before_; }

 private:
  std::string name_;
  CorpusReader lines_;
  TreebankHeads heads_;
  std::string before_;  // of the next sentence
  std::int64_t number_ = 0;
};

std::vector<TreebankSentence> read_conllu(const std::filesystem::path& path);

// Comments, rows, and the empty line at the end. What ConlluReader read is written back byte for byte; of a
// sentence that was changed, the rows that were not.
std::string to_conllu(const TreebankSentence& sentence);

}  // namespace mog::io
