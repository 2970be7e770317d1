// One scanner finds the beginnings of sentences, from the start of the corpus to make an index and from a
// mark to find a place between two. It looks at line ends, at the first character of a line and at whether it
// is empty; what is in the lines is checked by whoever reads them.
//
// Parts are cut by bytes, since work goes with bytes: corpora are sorted by length, or made of a newspaper
// and a chat. The place of a cut depends on the corpus and the number of parts alone, not on the marks.
//
// Making reads every byte once (memory speed of SHA-256); a part reads the index, and at each of its ends the
// sentences from one mark to the cut.
//
// Traps: a byte-order mark belongs to the first line but makes it neither longer nor other. What stands
// behind the last tree belongs to the last part. A tree is only known by its first row, a few lines after it
// begins.
#include "io/text/corpus_index.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <optional>
#include <string_view>

#include "io/recording/errors.h"
#include "io/text/conllu.h"
#include "io/text/file_kind.h"
#include "io/text/input_file.h"
#include "io/text/sha256.h"

namespace mog::io {
namespace {

constexpr std::size_t kBlock = std::size_t{1} << 20U;
constexpr std::uint64_t kEnds = std::uint64_t{1} << 16U;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

// False: enough.
using OnSentence = std::function<bool(std::int64_t number, const CorpusMark& mark)>;

class Scanner {
 public:
  // From the sentence `next`, which begins at `from`.
  Scanner(CorpusUnit unit, const CorpusMark& from, std::int64_t next, OnSentence on_sentence)
      : unit_(unit), next_(next), at_(from), begin_(from), on_sentence_(std::move(on_sentence)) {}

  // False once on_sentence said so.
  bool take(std::string_view block) {
    if (at_.offset == 0 && block.starts_with(kByteOrderMark)) {
      block.remove_prefix(kByteOrderMark.size());
      at_.offset += kByteOrderMark.size();
    }
    while (!block.empty() && open_) {
      const auto end = block.find('\n');
      const std::string_view piece = block.substr(0, end);
      add(piece);
      at_.offset += piece.size();
      block.remove_prefix(piece.size());
      if (end != std::string_view::npos) {
        block.remove_prefix(1);
        ++at_.offset;
        end_line();
      }
    }
    return open_;
  }
  void finish() {
    if (open_ && length_ > 0) {
      end_line();
    }
  }
  std::int64_t sentences() const { return next_ - 1; }

 private:
  void add(std::string_view piece) {
    if (piece.empty()) {
      return;
    }
    if (length_ == 0) {
      first_ = piece.front();
    }
    last_ = piece.back();
    length_ += piece.size();
  }

  void end_line() {
    if (unit_ == CorpusUnit::lines) {
      found();
      begin_ = {at_.offset, at_.line + 1};
    } else if (length_ == 0 || (length_ == 1 && last_ == '\r')) {
      if (inside_) {
        begin_ = {at_.offset, at_.line + 1};
        inside_ = false;
      }
    } else if (!inside_ && first_ != '#') {
      inside_ = true;
      found();
    }
    ++at_.line;
    length_ = 0;
  }

  void found() { open_ = on_sentence_(next_++, begin_); }

  CorpusUnit unit_;
  std::int64_t next_;
  CorpusMark at_;     // the next byte, and its line
  CorpusMark begin_;  // where the sentence that is looked for begins
  OnSentence on_sentence_;
  bool inside_ = false;  // rows of a tree
  bool open_ = true;
  std::uint64_t length_ = 0;  // of the line so far
  char first_ = 0;
  char last_ = 0;
};

std::int64_t modified_ns(const InputFile& file) {
  struct stat status = {};
  if (::fstat(file.descriptor(), &status) != 0) {
    throw StorageError(fmt::format("reading {}: {}", file.path().string(), std::strerror(errno)));
  }
  return std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec;
}

std::string sum_of_ends(const InputFile& file) {
  const std::uint64_t size = file.size_bytes();
  std::string bytes(static_cast<std::size_t>(std::min(size, kEnds)), '\0');
  Sha256 sum;
  for (const std::uint64_t offset : {std::uint64_t{0}, size - bytes.size()}) {
    file.read_at(offset, std::as_writable_bytes(std::span(bytes)));
    sum.update(bytes);
  }
  return sum.hex();
}

[[noreturn]] void refuse_other_corpus(const std::filesystem::path& corpus, const std::string& what) {
  throw FormatError(fmt::format("reading {} by its index: {}; make the index again by `mog corpus index`",
                                corpus.string(), what));
}

// Opens a file of which parts can be read. `head` is its beginning.
InputFile open_plain(const std::filesystem::path& corpus) {
  if (corpus == "-") {
    throw UsageError("standard input: a part of it cannot be read alone; give a file");
  }
  InputFile file = InputFile::open(corpus, "the corpus");
  std::array<char, 4> head{};
  const auto bytes = static_cast<std::size_t>(std::min<std::uint64_t>(file.size_bytes(), head.size()));
  file.read_at(0, std::as_writable_bytes(std::span(head)).first(bytes));
  if (is_gzip({head.data(), bytes})) {
    throw UsageError(
        fmt::format("{}: it is compressed, and a part of it cannot be read alone; unpack it (gzip -dk)",
                    corpus.string()));
  }
  return file;
}

// From the mark before it to the first sentence of which `wanted` holds; nothing where there is none.
struct Place {
  std::int64_t number = 0;
  CorpusMark mark;
};
std::optional<Place> find_place(const CorpusIndex& index, const std::filesystem::path& corpus,
                                std::size_t mark, const std::function<bool(const Place&)>& wanted) {
  InputFile file = open_plain(corpus);
  const CorpusMark from = index.marks[mark];
  std::array<char, 1> before = {'\n'};
  if (from.offset > 0) {
    file.read_at(from.offset - 1, std::as_writable_bytes(std::span(before)));
  }
  if (before[0] != '\n') {
    refuse_other_corpus(corpus, fmt::format("no sentence begins at byte {}", from.offset));
  }
  file.keep_to(from.offset, index.size_bytes);
  std::optional<Place> found;
  Scanner scanner(index.unit, from, static_cast<std::int64_t>(mark) * index.every + 1,
                  [&](std::int64_t number, const CorpusMark& at) {
                    if (const Place place{number, at}; wanted(place)) {
                      found = place;
                    }
                    return !found;
                  });
  std::string block(std::size_t{1} << 16U, '\0');
  bool open = true;
  while (open) {
    const std::size_t got = file.read(std::as_writable_bytes(std::span(block)));
    open = got > 0 && scanner.take(std::string_view(block).substr(0, got));
  }
  scanner.finish();
  return found;
}

Place end_of(const CorpusIndex& index) {
  return {index.sentences + 1, {index.size_bytes, 0}};
}

Place place_of(const CorpusIndex& index, const std::filesystem::path& corpus, std::int64_t number) {
  if (number > index.sentences) {
    return end_of(index);
  }
  if (number == 1) {
    return {1, {0, 1}};  // with what stands before it
  }
  const auto mark = static_cast<std::size_t>((number - 1) / index.every);
  const auto found =
      find_place(index, corpus, mark, [&](const Place& place) { return place.number == number; });
  if (!found) {
    refuse_other_corpus(corpus, fmt::format("sentence {} of {} is not there", number, index.sentences));
  }
  return *found;
}

// The first sentence at or behind that byte.
Place place_behind(const CorpusIndex& index, const std::filesystem::path& corpus, std::uint64_t offset) {
  const auto behind =
      std::upper_bound(index.marks.begin(), index.marks.end(), offset,
                       [](std::uint64_t at, const CorpusMark& mark) { return at < mark.offset; });
  const auto mark = static_cast<std::size_t>(behind - index.marks.begin()) - 1;
  return find_place(index, corpus, mark, [&](const Place& place) { return place.mark.offset >= offset; })
      .value_or(end_of(index));
}

// Where part `done` ends and the next begins.
Place cut(const CorpusIndex& index, const std::filesystem::path& corpus, std::int64_t done,
          std::int64_t parts) {
  if (done == 0 || index.sentences == 0) {
    return done == parts ? end_of(index) : Place{1, {0, 1}};
  }
  if (done == parts) {
    return end_of(index);
  }
  // whole * of / parts without overflow: parts are at most 10^9.
  const auto share = [&](std::uint64_t whole, std::int64_t of) {
    const auto n = static_cast<std::uint64_t>(parts);
    const auto i = static_cast<std::uint64_t>(of);
    return whole / n * i + whole % n * i / n;
  };
  if (index.sentences / kFewSentences < parts) {
    return place_of(index, corpus,
                    static_cast<std::int64_t>(share(static_cast<std::uint64_t>(index.sentences), done)) + 1);
  }
  const auto marks = static_cast<std::int64_t>(index.marks.size());
  if (index.every != kSentencesPerMark || marks / kFewMarks < parts) {
    return place_behind(index, corpus, share(index.size_bytes, done));
  }
  // The first mark at or behind its share of the bytes, behind that of the part before, and early enough that
  // the parts behind it have one each.
  std::int64_t mark = 0;
  for (std::int64_t part = 1; part <= done; ++part) {
    const std::uint64_t wanted = share(index.size_bytes, part);
    const auto found =
        std::lower_bound(index.marks.begin(), index.marks.end(), wanted,
                         [](const CorpusMark& one, std::uint64_t offset) { return one.offset < offset; });
    mark = std::min(std::max(found - index.marks.begin(), mark + 1), marks - (parts - part));
  }
  return {mark * index.every + 1, index.marks[static_cast<std::size_t>(mark)]};
}

TextRange between(const Place& from, const Place& to) {
  return {from.mark.offset, to.mark.offset, from.mark.line, from.number, to.number - from.number};
}

}  // namespace

std::filesystem::path index_path(const std::filesystem::path& corpus, const std::filesystem::path& folder) {
  std::filesystem::path path = corpus;
  if (!folder.empty()) {
    constexpr std::size_t kDigits = 8;
    const std::filesystem::path whole =
        std::filesystem::weakly_canonical(corpus);  // links of one name lead to several
    path = folder / corpus.filename();
    path += "." + sha256(whole.native()).substr(0, kDigits);
  }
  path += ".mogindex";
  return path;
}

CorpusIndex make_corpus_index(const std::filesystem::path& corpus, std::int64_t every,
                              const std::stop_token& stop) {
  if (every < 1) {
    throw UsageError(fmt::format("indexing {}: every {} sentences; at least 1", corpus.string(), every));
  }
  InputFile file = open_plain(corpus);
  CorpusIndex index;
  index.unit = is_treebank(corpus) ? CorpusUnit::trees : CorpusUnit::lines;
  index.every = every;
  index.size_bytes = file.size_bytes();
  index.modified_ns = modified_ns(file);
  // Refuses what is no text.
  [[maybe_unused]] const CorpusReader judged(corpus, {.sentences = index.unit == CorpusUnit::lines});
  Scanner scanner(index.unit, {0, 1}, 1, [&](std::int64_t number, const CorpusMark& mark) {
    if ((number - 1) % every == 0) {
      index.marks.push_back(mark);
    }
    return true;
  });
  Sha256 sum;
  std::string block(kBlock, '\0');
  file.keep_to(0, index.size_bytes);
  while (const std::size_t got = file.read(std::as_writable_bytes(std::span(block)))) {
    if (stop.stop_requested()) {
      throw Interrupted(fmt::format("indexing {}: interrupted, nothing was written", corpus.string()));
    }
    const std::string_view bytes = std::string_view(block).substr(0, got);
    sum.update(bytes);
    scanner.take(bytes);
  }
  scanner.finish();
  index.sentences = scanner.sentences();
  index.sha256 = sum.hex();
  index.ends_sha256 = sum_of_ends(file);
  const InputFile again = InputFile::open(corpus, "the corpus");
  if (again.size_bytes() != index.size_bytes || modified_ns(again) != index.modified_ns) {
    throw FormatError(fmt::format("indexing {}: the file was changed meanwhile; try again", corpus.string()));
  }
  return index;
}

void require_same_corpus(const CorpusIndex& index, const std::filesystem::path& path,
                         const std::filesystem::path& corpus) {
  const InputFile file = open_plain(corpus);
  const auto refuse = [&](const std::string& what) {
    refuse_other_corpus(corpus, fmt::format("{}, so it is not what {} was made of", what, path.string()));
  };
  if (index.unit != (is_treebank(corpus) ? CorpusUnit::trees : CorpusUnit::lines)) {
    refuse("one of the two is a treebank and the other is not");
  }
  if (file.size_bytes() != index.size_bytes) {
    refuse(fmt::format("it has {} bytes and had {}", file.size_bytes(), index.size_bytes));
  }
  if (modified_ns(file) != index.modified_ns) {
    refuse("it was changed at another time");
  }
  if (sum_of_ends(file) != index.ends_sha256) {
    refuse("its beginning or end is other");
  }
}

CorpusIndex open_corpus_index(const std::filesystem::path& corpus, const std::filesystem::path& folder,
                              const std::stop_token& stop) {
  const std::filesystem::path place = index_path(corpus, folder);
  open_plain(corpus);  // says what is wrong with the corpus before its index is looked for
  std::error_code error;
  if (!std::filesystem::exists(std::filesystem::symlink_status(place, error))) {
    CorpusIndex index = make_corpus_index(corpus, kSentencesPerMark, stop);
    try {
      write_corpus_index(place, index);
    } catch (const StorageError& unwritable) {
      throw StorageError(fmt::format("{}; an index of {} is needed: let --index say where it can be written",
                                     unwritable.what(), corpus.string()));
    }
    return index;
  }
  CorpusIndex index = read_corpus_index(place);
  require_same_corpus(index, place, corpus);
  return index;
}

TextRange range_of_part(const CorpusIndex& index, const std::filesystem::path& corpus, std::int64_t part,
                        std::int64_t parts) {
  return between(cut(index, corpus, part - 1, parts), cut(index, corpus, part, parts));
}

TextRange range_of_sentences(const CorpusIndex& index, const std::filesystem::path& corpus,
                             std::int64_t first, std::int64_t sentences) {
  if (first < 1 || sentences < 0 || first - 1 > index.sentences - sentences) {
    throw UsageError(fmt::format("{}: {} sentences from {}; it has {}", corpus.string(), sentences, first,
                                 index.sentences));
  }
  return between(place_of(index, corpus, first), place_of(index, corpus, first + sentences));
}

}  // namespace mog::io
