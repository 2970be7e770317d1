// A sliding buffer: what was used is dropped, the rest moves to the front, a block is read behind it. Each
// byte is searched for a line end once, since a line that is still open remembers how far it was searched;
// without that a long line would be searched again for every block. The buffer doubles for a line that does
// not fit, up to the greatest length that is allowed.
//
// NUL is looked for in the same new bytes, so a file of zeros is refused at its first block and not at its
// end. The start of a regular file is read before its kind is judged; from a pipe no more than its first
// bytes, or a program that asks line by line would wait for one that nobody types.
//
// Trap: the views of a line point into the buffer and end with the next call.
#include "io/text/corpus.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <cstring>

#include "io/recording/errors.h"
#include "io/recording/nearest_name.h"
#include "io/text/file_kind.h"
#include "io/text/utf8.h"

namespace mog::io {
namespace {

constexpr std::size_t kBlock = std::size_t{1} << 18U;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

// Characters of UTF-8: bytes that continue none.
std::ptrdiff_t characters(std::string_view text) {
  return std::count_if(text.begin(), text.end(),
                       [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; });
}

}  // namespace

InvalidUtf8 parse_invalid_utf8(std::string_view text) {
  if (text == "error") {
    return InvalidUtf8::error;
  }
  if (text == "replace") {
    return InvalidUtf8::replace;
  }
  if (text == "skip") {
    return InvalidUtf8::skip;
  }
  throw UsageError(fmt::format("\"{}\" says nothing about invalid UTF-8; use error, replace or skip{}", text,
                               did_you_mean(text, {"error", "replace", "skip"})));
}

CorpusReader::CorpusReader(const std::filesystem::path& path, const CorpusOptions& options)
    : file_(InputFile::open_or_stdin(path, "the text")),
      name_(path == "-" ? "standard input" : path.string()),
      options_(options),
      buffer_(kBlock, '\0') {
  if (options_.range) {
    file_->keep_to(options_.range->begin, options_.range->end);
    number_ = options_.range->first_line - 1;
  }
  begin();
}

CorpusReader::CorpusReader(std::string text, std::string name, const CorpusOptions& options)
    : name_(std::move(name)),
      options_(options),
      buffer_(std::move(text)),
      end_(buffer_.size()),
      at_end_(true) {
  begin();
}

CorpusReader CorpusReader::of_text(std::string text, const std::string& name, const CorpusOptions& options) {
  return {std::move(text), name, options};
}

void CorpusReader::begin() {
  start();
  if (options_.range && options_.range->begin > 0) {
    return;  // the beginning has told what the file is
  }
  if (file_ && is_gzip({buffer_.data(), end_})) {
    unpack();
  }
  const std::string_view head(buffer_.data(), end_);
  byte_order_mark_ = head.starts_with(kByteOrderMark);
  if (byte_order_mark_) {
    begin_ = kByteOrderMark.size();
  }
  if (!file_) {
    return;
  }
  if (const std::string kind =
          options_.sentences ? no_sentences(head.substr(begin_), at_end_, name_) : no_text(head);
      !kind.empty()) {
    throw FormatError(fmt::format("{}: line 1: expected text{}; {}", name_,
                                  options_.sentences ? ", one sentence a line" : "", kind));
  }
}

// What tells the kind of the text: much of a file, and of a pipe no more than has to be waited for.
void CorpusReader::start() {
  const std::size_t least = file_ && file_->size_bytes() > 0 ? kBlock / 4 : kByteOrderMark.size();
  while (end_ < least && fill()) {
  }
}

void CorpusReader::unpack() {
  packed_.emplace(std::string_view(buffer_.data(), end_), name_);
  end_ = 0;
  at_end_ = false;
  start();
}

// Moves the unread part to the front, makes room, reads one block. False when nothing more came.
bool CorpusReader::fill() {
  if (at_end_) {
    return false;
  }
  if (begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  if (buffer_.size() - end_ < kBlock / 2) {
    buffer_.resize(buffer_.size() * 2);
  }
  const std::span<std::byte> room = std::as_writable_bytes(std::span(buffer_)).subspan(end_);
  const std::size_t got =
      packed_ ? packed_->read(room, [&](std::span<std::byte> into) { return file_->read(into); })
              : file_->read(room);
  end_ += got;
  at_end_ = got == 0;
  return got > 0;
}

bool CorpusReader::raw_line(std::string_view& line, std::string_view& ending) {
  std::size_t searched = 0;
  while (true) {
    const char* const start = buffer_.data() + begin_;
    const std::size_t available = end_ - begin_;
    const void* const found = std::memchr(start + searched, '\n', available - searched);
    std::size_t length = available;
    if (found != nullptr) {
      length = static_cast<std::size_t>(static_cast<const char*>(found) - start);
    }
    // NUL is looked for in what is new, so that a file of zeros is refused at its first block.
    if (const void* const nul = std::memchr(start + searched, '\0', length - searched); nul != nullptr) {
      const std::string_view before(start, static_cast<std::size_t>(static_cast<const char*>(nul) - start));
      throw FormatError(
          fmt::format("{}: line {}, column {} holds NUL, which text may not; is it UTF-16 or a binary file?",
                      name_, number_ + 1, characters(before) + 1));
    }
    if (length > options_.max_line_bytes) {
      throw FormatError(fmt::format("{}: line {} is longer than {} bytes; expected one sentence a line",
                                    name_, number_ + 1, options_.max_line_bytes));
    }
    if (found != nullptr) {
      line = std::string_view(start, length);
      begin_ += length + 1;
      ending = "\n";
      if (line.ends_with('\r')) {
        line.remove_suffix(1);
        ending = "\r\n";
      }
      return true;
    }
    searched = available;
    if (!fill()) {
      if (available == 0) {
        return false;
      }
      line = std::string_view(buffer_.data() + begin_, end_ - begin_);
      ending = "";
      begin_ = end_;
      return true;
    }
  }
}

bool CorpusReader::next(CorpusLine& line) {
  std::string_view text;
  std::string_view ending;
  while (raw_line(text, ending)) {
    ++number_;
    const std::size_t bad = first_invalid_utf8(text);
    if (bad == std::string_view::npos) {
      line = {number_, text, ending};
      return true;
    }
    switch (options_.invalid_utf8) {
      case InvalidUtf8::error:
        throw FormatError(
            fmt::format("{}: line {}, column {} is not UTF-8: byte {} of the line is 0x{:02x}; convert the "
                        "file to UTF-8{}{}",
                        name_, number_, characters(text.substr(0, bad)) + 1, bad + 1,
                        static_cast<unsigned char>(text[bad]), options_.utf8_advice.empty() ? "" : ", ",
                        options_.utf8_advice));
      case InvalidUtf8::replace:
        ++replaced_;
        repaired_ = replace_invalid_utf8(text);
        line = {number_, repaired_, ending};
        return true;
      case InvalidUtf8::skip:
        ++skipped_;
        break;
    }
  }
  return false;
}

bool CorpusReader::would_wait() const {
  if (at_end_ || file_->size_bytes() > 0 ||
      std::memchr(buffer_.data() + begin_, '\n', end_ - begin_) != nullptr) {
    return false;
  }
  pollfd input{.fd = file_->descriptor(), .events = POLLIN, .revents = 0};
  return ::poll(&input, 1, 0) == 0;
}

CorpusSummary summarize_corpus(const std::filesystem::path& path, const CorpusOptions& options) {
  CorpusReader reader(path, options);
  CorpusSummary summary;
  CorpusLine line;
  while (reader.next(line)) {
    std::int64_t words = 0;
    bool inside = false;
    for (const char c : line.text) {
      words += static_cast<std::int64_t>(c != ' ' && !inside);
      inside = c != ' ';
    }
    ++summary.sentences;
    summary.empty += static_cast<std::int64_t>(words == 0);
    summary.words += words;
    summary.longest_words = std::max(summary.longest_words, words);
  }
  summary.replaced = reader.replaced();
  summary.skipped = reader.skipped();
  return summary;
}

std::vector<std::string> read_corpus(const std::filesystem::path& path, const CorpusOptions& options) {
  CorpusReader reader(path, options);
  std::vector<std::string> lines;
  CorpusLine line;
  while (reader.next(line)) {
    lines.emplace_back(line.text);
  }
  return lines;
}

}  // namespace mog::io
