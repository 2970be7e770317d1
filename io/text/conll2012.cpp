// One pass, one document in memory. Each chain has a stack of the tokens at which its open mentions begin;
// a closing takes the last one. O(tokens + mentions log mentions).
//
// Documents come back byte for byte (as treebanks do, decision 16): a token keeps its row, and what stands
// between it and the next.
//
// Trap: a cell may close one mention of a chain and open another ("5)|(5"). The reference scorer opens before
// it closes, whatever the order, and so reads a mention of this token inside a longer one. Scores must be of
// the same mentions, so it is read like that here, and two mentions that meet in a token cannot be written.
#include "io/text/conll2012.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "io/recording/errors.h"
#include "io/recording/utf8.h"
#include "io/text/conll2012_cell.h"

namespace mog::io {
namespace {

constexpr std::size_t kFewestColumns = 5;
constexpr std::size_t kMostTokens = 10'000'000;  // of one document
constexpr std::size_t kShown = 40;               // characters of a field in a message
constexpr std::string_view kBegin = "#begin document (";
constexpr std::string_view kEnd = "#end document";

std::vector<std::string_view> columns_of(std::string_view row) {
  std::vector<std::string_view> columns;
  if (row.find('\t') == std::string_view::npos) {
    for (std::size_t at = 0; (at = row.find_first_not_of(' ', at)) != std::string_view::npos;) {
      const std::size_t end = std::min(row.find(' ', at), row.size());
      columns.push_back(row.substr(at, end - at));
      at = end;
    }
    return columns;
  }
  while (true) {
    const std::size_t tab = row.find('\t');
    columns.push_back(row.substr(0, tab));
    if (tab == std::string_view::npos) {
      return columns;
    }
    row.remove_prefix(tab + 1);
  }
}

// A mention that has not closed yet.
struct Open {
  std::int64_t token = 0;
  std::int64_t line = 0;
  std::int64_t column = 0;
};

// One document while its lines come in.
class Rows {
 public:
  Rows(const std::string& file, CorefDocument& document) : file_(file), document_(document) {}

  [[noreturn]] void refuse(std::int64_t line, std::int64_t column, const std::string& defect) const {
    throw FormatError(fmt::format("{}: line {}, column {}: {}", file_, line, column, defect));
  }
  void begin(const CorpusLine& line);
  void add(const CorpusLine& line);
  void end_sentence();

 private:
  // Where a field of the line begins.
  static std::int64_t place(const CorpusLine& line, std::string_view field) {
    return 1 +
           count_characters(line.text.substr(0, static_cast<std::size_t>(field.data() - line.text.data())));
  }
  [[noreturn]] void refuse(const CorpusLine& line, std::string_view field, const std::string& defect) const {
    refuse(line.number, place(line, field), defect);
  }
  void check(const CorpusLine& line, const std::vector<std::string_view>& columns);
  void add_mentions(const CorpusLine& line, std::string_view cell);
  void close(const CorpusLine& line, std::string_view piece, std::int64_t chain);

  const std::string& file_;
  CorefDocument& document_;
  std::map<std::int64_t, std::vector<Open>> open_;  // [chain]; no empty ones
  std::int64_t in_sentence_ = 0;                    // rows of it so far
  std::size_t columns_ = 0;                         // of its first row
  std::int64_t first_line_ = 0;
};

void Rows::begin(const CorpusLine& line) {
  const std::size_t close = line.text.rfind("); part ");
  const auto part =
      close == std::string_view::npos ? std::nullopt : whole_number(line.text.substr(close + 8));
  if (!line.text.starts_with(kBegin) || !part || close < kBegin.size()) {
    refuse(line.number, 1,
           fmt::format("expected \"#begin document (NAME); part NUMBER\", found \"{}\"",
                       line.text.substr(0, character_boundary(line.text, 2 * kShown))));
  }
  document_.name = line.text.substr(kBegin.size(), close - kBegin.size());
  document_.part = *part;
  document_.line = line.number;
}

void Rows::check(const CorpusLine& line, const std::vector<std::string_view>& columns) {
  if (in_sentence_ == 0) {
    columns_ = columns.size();
    first_line_ = line.number;
  }
  if (columns.size() < kFewestColumns) {
    refuse(line.number, 1,
           fmt::format("expected at least {} columns (document, part, number, word, mentions), found {}",
                       kFewestColumns, columns.size()));
  }
  if (columns.size() != columns_) {
    // The first column too many, or the end of the row.
    refuse(line, columns.size() > columns_ ? columns[columns_] : line.text.substr(line.text.size()),
           fmt::format("expected {} columns as in line {}, where the sentence begins, found {}", columns_,
                       first_line_, columns.size()));
  }
  for (std::size_t i = 0; i + 1 < columns.size(); ++i) {
    if (columns[i].empty()) {
      refuse(line, columns[i], fmt::format("column {} of {} is empty", i + 1, columns.size()));
    }
  }
  if (whole_number(columns[1]) != document_.part) {
    refuse(line, columns[1],
           fmt::format("expected the part {} of the document of line {}, found \"{}\"", document_.part,
                       document_.line, columns[1].substr(0, kShown)));
  }
  if (whole_number(columns[2]) != in_sentence_) {
    refuse(
        line, columns[2],
        fmt::format("expected the word number {}, found \"{}\"", in_sentence_, columns[2].substr(0, kShown)));
  }
}

void Rows::add(const CorpusLine& line) {
  const std::vector<std::string_view> columns = columns_of(line.text);
  check(line, columns);
  if (document_.tokens.size() >= kMostTokens) {
    refuse(line.number, 1, fmt::format("a document of more than {} tokens", kMostTokens));
  }
  if (in_sentence_++ == 0) {
    document_.sentences.push_back(std::ssize(document_.tokens));
  }
  const std::string_view cell = columns.back();
  const auto at = static_cast<std::size_t>(cell.data() - line.text.data());
  document_.tokens.push_back({.form = std::string(columns[3]),
                              .columns = std::string(line.text.substr(0, at)),
                              .cell = std::string(cell),
                              .after = std::string(line.text.substr(at + cell.size())),
                              .line = line.number});
  document_.tokens.back().after += line.ending;
  add_mentions(line, cell);
}

void Rows::add_mentions(const CorpusLine& line, std::string_view cell) {
  const std::int64_t token = std::ssize(document_.tokens) - 1;
  std::vector<std::pair<std::string_view, std::int64_t>> closing;
  for (const std::string_view piece : pieces_of(cell)) {
    const auto mark = mark_of(piece);
    if (!mark) {
      refuse(line, piece,
             fmt::format("\"{}\" is no mention; expected (CHAIN, CHAIN) or (CHAIN) with | between, or -",
                         piece.substr(0, character_boundary(piece, kShown))));
    }
    switch (mark->kind) {
      case MarkKind::alone:
        document_.mentions.push_back({token, token + 1, mark->chain});
        break;
      case MarkKind::opens:
        open_[mark->chain].push_back({token, line.number, place(line, piece)});
        break;
      case MarkKind::closes:
        closing.emplace_back(piece, mark->chain);
        break;
    }
  }
  for (const auto& [piece, chain] : closing) {
    close(line, piece, chain);
  }
}

void Rows::close(const CorpusLine& line, std::string_view piece, std::int64_t chain) {
  const auto opened = open_.find(chain);
  if (opened == open_.end()) {
    refuse(line, piece,
           fmt::format("a mention of chain {} closes, and none is open in this sentence", chain));
  }
  document_.mentions.push_back({opened->second.back().token, std::ssize(document_.tokens), chain});
  opened->second.pop_back();
  if (opened->second.empty()) {
    open_.erase(opened);
  }
}

void Rows::end_sentence() {
  if (!open_.empty()) {
    const auto& [chain, mentions] = *open_.begin();
    refuse(mentions.back().line, mentions.back().column,
           fmt::format("a mention of chain {} opens and does not close before its sentence ends", chain));
  }
  in_sentence_ = 0;
}

}  // namespace

bool is_conll2012(const std::filesystem::path& path) {
  const std::filesystem::path name = path.extension() == ".gz" ? path.stem() : path.filename();
  return name.string().ends_with(".conll") || name.string().ends_with("_conll");
}

Conll2012Reader::Conll2012Reader(const std::filesystem::path& path)
    : name_(path == "-" ? "standard input" : path.string()),
      lines_(path, {.sentences = false}),
      before_(lines_.byte_order_mark() ? "\xEF\xBB\xBF" : "") {}

bool Conll2012Reader::next(CorefDocument& document) {
  document = CorefDocument{};
  Rows rows(name_, document);
  CorpusLine line;
  bool ended = false;
  while (!ended && lines_.next(line)) {
    if (document.line == 0 && !line.text.empty()) {
      rows.begin(line);
    } else if (line.text.starts_with(kEnd)) {
      rows.end_sentence();
      ended = true;
    } else if (line.text.starts_with("#begin document")) {
      rows.refuse(line.number, 1,
                  fmt::format("a document begins before the one of line {} ends", document.line));
    } else if (!line.text.empty()) {
      rows.add(line);
      continue;
    } else if (document.line != 0) {
      rows.end_sentence();
    }
    std::string& gap = document.tokens.empty() ? before_ : document.tokens.back().after;
    gap += line.text;
    gap += line.ending;
  }
  if (document.line == 0) {
    return false;
  }
  if (!ended) {
    rows.refuse(document.line, 1, "the document has no \"#end document\"");
  }
  const auto [known, fresh] = seen_.try_emplace({document.name, document.part}, document.line);
  if (!fresh) {
    rows.refuse(document.line, 1,
                fmt::format("part {} of the document \"{}\" stands in line {} already", document.part,
                            document.name, known->second));
  }
  document.before = std::exchange(before_, std::string());
  std::ranges::sort(document.mentions, longest_first);
  return true;
}

std::vector<CorefDocument> read_conll2012(const std::filesystem::path& path) {
  Conll2012Reader reader(path);
  std::vector<CorefDocument> documents;
  CorefDocument document;
  while (reader.next(document)) {
    documents.push_back(std::move(document));
  }
  if (documents.empty()) {
    throw FormatError(
        fmt::format("{}: expected documents that begin with \"#begin document (NAME); part NUMBER\" "
                    "(CoNLL-2012), found none",
                    path.string()));
  }
  return documents;
}

}  // namespace mog::io
