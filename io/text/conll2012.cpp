// One pass, one document in memory. Each chain has a stack of the tokens at which its open mentions begin;
// a closing takes the last one. O(tokens + mentions log mentions).
//
// Documents come back byte for byte (as treebanks do, decision 16): a token keeps its row, and what stands
// between it and the next. Only the last column is made anew, and its spelling ("-", "_", the order of
// several mentions) is kept where it says the same.
//
// Trap: a cell may close one mention of a chain and open another ("5)|(5"). So a cell is read from left to
// right, and "(5|5)", which would be a mention of one token in another spelling, is refused. The reference
// scorer opens before it closes, and reads the first as a mention of one token inside a longer one.
#include "io/text/conll2012.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>
#include <tuple>

#include "io/recording/errors.h"
#include "io/recording/utf8.h"

namespace mog::io {
namespace {

constexpr std::size_t kFewestColumns = 5;
constexpr std::size_t kMostTokens = 10'000'000;  // of one document
constexpr std::size_t kShown = 40;               // characters of a field in a message
constexpr std::string_view kBegin = "#begin document (";
constexpr std::string_view kEnd = "#end document";

std::optional<std::int64_t> whole(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool digits = !text.empty() && text[0] >= '0' && text[0] <= '9';
  return digits && error == std::errc() && end == text.data() + text.size() ? std::optional(value)
                                                                            : std::nullopt;
}

// A piece of a cell.
enum class MarkKind : std::uint8_t { closes, opens, alone };
struct Mark {
  MarkKind kind = MarkKind::alone;
  std::int64_t chain = 0;
  friend auto operator<=>(const Mark&, const Mark&) = default;
};

bool says_nothing(std::string_view cell) {
  return cell.empty() || cell == "-" || cell == "_";
}

// "(5", "5)", "(5)".
std::optional<Mark> mark_of(std::string_view piece) {
  const bool opens = piece.starts_with('(');
  const bool closes = piece.ends_with(')');
  const std::string_view digits =
      piece.substr(opens ? 1 : 0, piece.size() - (opens ? 1 : 0) - (closes && piece.size() > 1 ? 1 : 0));
  const auto chain = whole(digits);
  if (!chain || !(opens || closes)) {
    return std::nullopt;
  }
  return Mark{opens && closes ? MarkKind::alone : opens ? MarkKind::opens : MarkKind::closes, *chain};
}

std::vector<std::string_view> pieces_of(std::string_view cell) {
  std::vector<std::string_view> pieces;
  if (says_nothing(cell)) {
    return pieces;
  }
  while (true) {
    const std::size_t bar = cell.find('|');
    pieces.push_back(cell.substr(0, bar));
    if (bar == std::string_view::npos) {
      return pieces;
    }
    cell.remove_prefix(bar + 1);
  }
}

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
  const auto part = close == std::string_view::npos ? std::nullopt : whole(line.text.substr(close + 8));
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
  if (whole(columns[1]) != document_.part) {
    refuse(line, columns[1],
           fmt::format("expected the part {} of the document of line {}, found \"{}\"", document_.part,
                       document_.line, columns[1].substr(0, kShown)));
  }
  if (whole(columns[2]) != in_sentence_) {
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
        close(line, piece, mark->chain);
        break;
    }
  }
}

void Rows::close(const CorpusLine& line, std::string_view piece, std::int64_t chain) {
  const auto opened = open_.find(chain);
  if (opened == open_.end()) {
    refuse(line, piece,
           fmt::format("a mention of chain {} closes, and none is open in this sentence", chain));
  }
  const std::int64_t token = std::ssize(document_.tokens) - 1;
  const Open last = opened->second.back();
  if (last.token == token) {
    refuse(line, piece,
           fmt::format("a mention of chain {0} opens and closes in one cell; that is written ({0})", chain));
  }
  document_.mentions.push_back({last.token, token + 1, chain});
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

bool longest_first(const CorefMention& a, const CorefMention& b) {
  return std::tuple(a.begin, -a.end, a.chain) < std::tuple(b.begin, -b.end, b.chain);
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

namespace {

// [token] what opens and closes there: inner mentions close first, outer ones open first.
std::vector<std::vector<Mark>> marks_of(const CorefDocument& document) {
  std::vector<CorefMention> mentions = document.mentions;
  std::ranges::sort(mentions, longest_first);
  const std::int64_t tokens = std::ssize(document.tokens);
  std::vector<std::vector<Mark>> opening(document.tokens.size());
  std::vector<std::vector<const CorefMention*>> closing(document.tokens.size());
  for (const CorefMention& mention : mentions) {
    if (mention.begin < 0 || mention.end <= mention.begin || mention.end > tokens || mention.chain < 0) {
      throw UsageError(fmt::format("writing the document \"{}\" of {} tokens: a mention of tokens {} to {}",
                                   document.name, tokens, mention.begin + 1, mention.end));
    }
    const bool alone = mention.end == mention.begin + 1;
    opening[static_cast<std::size_t>(mention.begin)].push_back(
        {alone ? MarkKind::alone : MarkKind::opens, mention.chain});
    if (!alone) {
      closing[static_cast<std::size_t>(mention.end - 1)].push_back(&mention);
    }
  }
  std::vector<std::vector<Mark>> marks(document.tokens.size());
  std::map<std::int64_t, std::vector<std::int64_t>> open;  // [chain] begins
  for (std::size_t token = 0; token < marks.size(); ++token) {
    // Mentions are by begin, so the inner ones stand last.
    for (auto at = closing[token].rbegin(); at != closing[token].rend(); ++at) {
      std::vector<std::int64_t>& begins = open[(*at)->chain];
      if (begins.back() != (*at)->begin) {
        throw UsageError(fmt::format(
            "writing the document \"{}\": of chain {} the mentions of tokens {} to {} and from token {} "
            "cross, which CoNLL-2012 cannot say",
            document.name, (*at)->chain, (*at)->begin + 1, (*at)->end, begins.back() + 1));
      }
      begins.pop_back();
      marks[token].push_back({MarkKind::closes, (*at)->chain});
    }
    for (const Mark& mark : opening[token]) {
      marks[token].push_back(mark);
      if (mark.kind == MarkKind::opens) {
        open[mark.chain].push_back(static_cast<std::int64_t>(token));
      }
    }
  }
  return marks;
}

std::string text_of(const std::vector<Mark>& marks) {
  std::string text;
  for (const Mark& mark : marks) {
    text += fmt::format("{}{}{}{}", text.empty() ? "" : "|", mark.kind == MarkKind::closes ? "" : "(",
                        mark.chain, mark.kind == MarkKind::opens ? "" : ")");
  }
  return text;
}

// Whether the file's spelling still says what the mentions do.
bool says(std::string_view cell, std::vector<Mark> marks) {
  std::vector<Mark> spelled;
  for (const std::string_view piece : pieces_of(cell)) {
    spelled.push_back(mark_of(piece).value_or(Mark{}));
  }
  std::ranges::sort(spelled);
  std::ranges::sort(marks);
  return spelled == marks;
}

}  // namespace

std::string to_conll2012(const CorefDocument& document) {
  const std::vector<std::vector<Mark>> marks = marks_of(document);
  const auto nothing =
      std::ranges::find_if(document.tokens, [](const CorefToken& token) { return says_nothing(token.cell); });
  const std::string empty = nothing == document.tokens.end() ? "-" : nothing->cell;
  std::string text = document.before;
  for (std::size_t at = 0; at < marks.size(); ++at) {
    const CorefToken& token = document.tokens[at];
    text += token.columns;
    text += says(token.cell, marks[at]) ? token.cell : marks[at].empty() ? empty : text_of(marks[at]);
    text += token.after;
  }
  return text;
}

}  // namespace mog::io
