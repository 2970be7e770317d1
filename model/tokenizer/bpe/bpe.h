// Byte-pair encoding as subword-nmt 0.3.8 applies it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "model/tokenizer/tokenizer.h"

namespace mog::model {

struct BpeOptions {
  std::int64_t merges = -1;  // use only the first so many; -1: all
  std::string separator = "@@";
  // Regular expressions (ICU; the common ground with Python's re: literals, classes, groups written (?:…)).
  // What matches is kept whole and split from its neighbours.
  std::vector<std::string> glossaries = {};
  // When set, pieces that are not in it (pieces inside a word with the separator) are split again.
  std::optional<std::set<std::string, std::less<>>> vocabulary = std::nullopt;
};

// Immutable after construction; safe from several threads.
class Bpe {
 public:
  // Throws FormatError naming file and line: no two symbols, unknown version, invalid UTF-8, NUL, empty file.
  // Files without "#version:" are version 0.1 ("</w>" is a symbol of its own), or, when every line has a
  // count as third column, fastBPE's, which mean the same as version 0.2. Of repeated merges the first
  // counts.
  static Bpe read(const std::filesystem::path& file, const BpeOptions& options = {});
  Bpe(Bpe&&) noexcept;
  Bpe& operator=(Bpe&&) noexcept;
  ~Bpe();

  std::int64_t merges() const noexcept;
  // Pieces of one word (sound UTF-8, no space, not empty), as views into it, without separators.
  // O(n log n) in the length of the word.
  std::vector<std::string_view> segment(std::string_view word) const;

 private:
  struct Data;
  explicit Bpe(std::unique_ptr<const Data> data);
  std::unique_ptr<const Data> data_;
};

// Words of a line as subword-nmt sees them: what ' ' separates once '\r', '\n' and ' ' are cut from both
// ends. A line feed inside separates too.
std::vector<std::string_view> split_at_spaces(std::string_view line);

// A tokenizer of words at spaces, cut into pieces where there is a `bpe`. Of `config` lower case and
// sentence_end count. `ids` lie inside the vocabulary.
std::shared_ptr<const Tokenizer> make_text_tokenizer(Vocabulary vocabulary, std::optional<Bpe> bpe,
                                                     const TokenizerConfig& config, const SpecialIds& ids);

}  // namespace mog::model
