// Documents with coreference chains in the format of CoNLL-2012 (Pradhan et al. 2012), as a stream.
//
//   #begin document (wuthering_heights); part 000
//   wuthering_heights  0  0  I       …  (5)
//   wuthering_heights  0  1  see     …  -
//   wuthering_heights  0  2  Mr.     …  (7|(3)
//   wuthering_heights  0  3  Lock    …  7)
//
//   #end document
//
// A row is a token: document, part, number of the word in its sentence from 0, word, more columns, and last
// its mentions with "|" between: "(7" opens one of chain 7, "7)" closes it, "(7)" is this token alone. No
// mention is "-", "_" or an empty column. Columns are set apart by tabs, or by spaces where a row has no tab;
// an empty line ends a sentence.
#pragma once

#include <compare>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "io/text/corpus.h"

namespace mog::io {

// Tokens [begin, end) of a document, from 0.
struct CorefMention {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::int64_t chain = 0;  // as the file numbers it
  friend auto operator<=>(const CorefMention&, const CorefMention&) = default;
};

// A row. All but the word is how the file spells it.
struct CorefToken {
  std::string form;
  std::string columns;  // all before the last, with what sets it apart
  std::string cell;     // the last
  std::string after;    // up to the next row: line end, empty lines, the end of the document
  std::int64_t line = 0;
};

struct CorefDocument {
  std::string name;  // "wuthering_heights"
  std::int64_t part = 0;
  std::int64_t line = 0;  // of "#begin document" in the file, from 1
  std::string before;     // the bytes up to the first row
  std::vector<CorefToken> tokens;
  std::vector<std::int64_t> sentences;  // first token of each, ascending
  std::vector<CorefMention> mentions;   // by begin, then by end, the longest first
};

// Whether a file of that name holds such documents: *.conll, *_conll (v4_gold_conll), with .gz or without.
bool is_conll2012(const std::filesystem::path& path);

// Checks: documents begin and end, each with a name and part of its own; rows of a sentence have the same
// number of columns, at least five, none of them but the last empty; parts are those of the document, words
// are numbered 0, 1, 2 …; every mention closes in the sentence that it opens in, and none closes that is not
// open. As in the reference scorer mentions open before others close in a token, and of one chain the one
// that opened last closes first. Throws FormatError naming file, line and column (in characters from 1).
class Conll2012Reader {
 public:
  explicit Conll2012Reader(const std::filesystem::path& path);
  // False at the end.
  bool next(CorefDocument& document);
  // After the end: what stands behind the last document.
  const std::string& rest() const noexcept { return before_; }

 private:
  std::string name_;
  CorpusReader lines_;
  std::string before_;                                                 // of the next document
  std::map<std::pair<std::string, std::int64_t>, std::int64_t> seen_;  // name and part: line
};

// Throws FormatError as the reader, and where there is no document.
std::vector<CorefDocument> read_conll2012(const std::filesystem::path& path);

// Gives every mention that crosses an earlier one of its chain a chain of its own; how many. What is left can
// be written.
std::int64_t set_crossing_apart(CorefDocument& document);

// The document with the mentions that it has now, in any order. What the reader read is written back byte for
// byte; of a document whose mentions were changed, the cells that were not. Throws UsageError for a mention
// that is not inside the document and for two of one chain that cross, which the format cannot say.
std::string to_conll2012(const CorefDocument& document);

}  // namespace mog::io
