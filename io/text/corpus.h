// Plain text, one sentence a line, as a stream.
//
// A line ends with LF or CR LF only (not CR, U+2028, U+0085, VT, FF); a byte-order mark at the start is
// dropped; an empty line is an empty sentence and keeps its place; NUL is refused under every policy.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/text/gzip_stream.h"
#include "io/text/input_file.h"

namespace mog::io {

enum class InvalidUtf8 : std::uint8_t {
  error,    // FormatError naming file, line and byte
  replace,  // U+FFFD for each bad part
  skip,     // the line gives no sentence; later sentences keep their numbers
};
// "error", "replace", "skip"; throws UsageError.
InvalidUtf8 parse_invalid_utf8(std::string_view text);

// A stretch of whole sentences of a file (corpus_index.h).
struct TextRange {
  std::uint64_t begin = 0;  // bytes [begin, end)
  std::uint64_t end = 0;
  std::int64_t first_line = 1;  // of the file, that of its first byte
  std::int64_t first = 1;       // number of its first sentence in the file
  std::int64_t sentences = 0;
};

struct CorpusOptions {
  InvalidUtf8 invalid_utf8 = InvalidUtf8::error;
  std::size_t max_line_bytes = std::size_t{4} << 20U;  // a longer line is a FormatError
  // What else a message about bytes that are not UTF-8 advises, where the reader of it has a choice.
  std::string_view utf8_advice = "";
  // Lines of sentences: what is text but none of these (no_sentences() of file_kind.h) is refused, too.
  bool sentences = true;
  std::optional<TextRange> range = {};  // only that of a plain file; lines keep the numbers of the file
};

struct CorpusLine {
  std::int64_t number = 0;         // from 1, the line of the file
  std::string_view text;           // valid until the next call; without the line end
  std::string_view ending = "\n";  // what ended it: LF, CR LF, or nothing at the end of the file
};

// A gzip file is unpacked as it is read. Memory: one block and one line, whatever the size of the file.
class CorpusReader {
 public:
  // `path`: a regular file, or "-" for standard input.
  explicit CorpusReader(const std::filesystem::path& path, const CorpusOptions& options = {});
  // A text in memory, which messages call `name`.
  static CorpusReader of_text(std::string text, const std::string& name, const CorpusOptions& options = {});
  // False at the end. Throws FormatError naming file and line.
  bool next(CorpusLine& line);
  // Whether next() would have to read and might wait: nothing whole is left in memory and a pipe or terminal
  // has nothing to give for now. Always false for files and at the end.
  bool would_wait() const;
  // The line that was read last, be it one that was skipped.
  std::int64_t last() const noexcept { return number_; }
  // Lines that had invalid UTF-8 and were replaced or skipped so far.
  std::int64_t replaced() const noexcept { return replaced_; }
  std::int64_t skipped() const noexcept { return skipped_; }
  // Whether the file began with a byte-order mark.
  bool byte_order_mark() const noexcept { return byte_order_mark_; }

 private:
  CorpusReader(std::string text, std::string name, const CorpusOptions& options);
  bool raw_line(std::string_view& line, std::string_view& ending);
  bool fill();
  void begin();
  void start();
  void unpack();
  std::optional<InputFile> file_;  // none: all of it is in the buffer
  std::optional<GzipStream> packed_;
  std::string name_;
  CorpusOptions options_;
  std::string buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  bool at_end_ = false;
  std::int64_t number_ = 0;
  std::int64_t replaced_ = 0;
  std::int64_t skipped_ = 0;
  bool byte_order_mark_ = false;
  std::string repaired_;
};

struct CorpusSummary {
  std::int64_t sentences = 0;  // lines, empty ones too
  std::int64_t empty = 0;      // of them without a word (nothing but spaces)
  std::int64_t words = 0;      // what spaces separate
  std::int64_t longest_words = 0;
  std::int64_t replaced = 0;
  std::int64_t skipped = 0;
};
// Reads the whole corpus once. Throws as CorpusReader.
CorpusSummary summarize_corpus(const std::filesystem::path& path, const CorpusOptions& options = {});
// All lines, for corpora that fit in memory.
std::vector<std::string> read_corpus(const std::filesystem::path& path, const CorpusOptions& options = {});

}  // namespace mog::io
