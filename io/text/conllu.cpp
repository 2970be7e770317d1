// One pass, one sentence in memory. A row is parsed, compared with what is due (numbers, ranges, empty
// nodes) and kept; heads can be judged only at the end of the sentence. Cycles are found by following each
// word's heads up to a word that is done, O(words).
//
// Treebanks come back byte for byte (decision 16). A sentence keeps what its fields do not say: the bytes
// before it, the kind of each line end, rows that spell a number otherwise. All of that is empty for a plain
// file. Keeping the source text would double the memory, and a changed row would have to find its place in
// it. to_conllu() writes the fields as they are now; a kept spelling is used only while it says the same.
//
// Traps: comments before a blank line are nobody's and go to the bytes before the next sentence. Lines that
// were added or taken away make the kept line ends another's, so they are dropped.
#include "io/text/conllu.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "io/recording/errors.h"

namespace mog::io {
namespace {

constexpr std::size_t kColumns = 10;
constexpr std::size_t kMostWords = 200'000;  // of one sentence

using Columns = std::vector<std::string_view>;

std::optional<std::int64_t> whole(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool digits = !text.empty() && text[0] >= '0' && text[0] <= '9';
  if (!digits || error != std::errc() || end != text.data() + text.size()) {
    return std::nullopt;
  }
  return value;
}

// Where a field begins, in characters from 1.
std::int64_t column_of(std::string_view row, std::string_view field) {
  const std::string_view before = row.substr(0, static_cast<std::size_t>(field.data() - row.data()));
  return 1 + std::count_if(before.begin(), before.end(),
                           [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; });
}

struct Place {
  std::int64_t line = 0;
  std::int64_t column = 0;
};

// One sentence while its rows come in.
class Rows {
 public:
  Rows(const std::string& file, TreebankSentence& sentence, TreebankHeads heads)
      : file_(file),
        sentence_(sentence),
        with_heads_(heads != TreebankHeads::ignored),
        may_have_none_(heads == TreebankHeads::optional) {}

  void add(const CorpusLine& line);
  void finish() const;

 private:
  [[noreturn]] void refuse(const Place& place, const std::string& defect) const {
    throw FormatError(fmt::format("{}: line {}, column {}: {}", file_, place.line, place.column, defect));
  }
  void add_range(const Place& place, std::string_view id, std::size_t dash);
  void add_empty_node(const Place& place, std::string_view id, std::size_t dot);
  void add_word(const CorpusLine& line, const Columns& columns);
  void check_cycles() const;

  const std::string& file_;
  TreebankSentence& sentence_;
  bool with_heads_;
  bool may_have_none_;
  bool none_ = false;         // the first word's head is _
  std::vector<Place> heads_;  // of the words
  std::int64_t range_end_ = 0;
  Place range_place_;
  std::int64_t empty_nodes_ = 0;  // after the last word
};

void Rows::add(const CorpusLine& line) {
  Columns columns;
  std::string_view rest = line.text;
  while (true) {
    const std::size_t tab = rest.find('\t');
    columns.push_back(rest.substr(0, tab));
    if (tab == std::string_view::npos) {
      break;
    }
    rest.remove_prefix(tab + 1);
  }
  if (columns.size() != kColumns) {
    // The first column too many, or the end of the row.
    const std::string_view at =
        columns.size() > kColumns ? columns[kColumns] : line.text.substr(line.text.size());
    refuse({line.number, column_of(line.text, at)},
           fmt::format("expected ten columns with tabs between, found {}", columns.size()));
  }
  for (std::size_t i = 0; i < kColumns; ++i) {
    if (columns[i].empty()) {
      refuse({line.number, column_of(line.text, columns[i])},
             fmt::format("column {} of ten is empty; what is absent is written _", i + 1));
    }
  }
  if (heads_.empty() && sentence_.line == 0) {
    sentence_.line = line.number;
  }
  const Place place{line.number, 1};
  if (const std::size_t dash = columns[0].find('-'); dash != std::string_view::npos) {
    add_range(place, columns[0], dash);
    sentence_.asides.push_back({static_cast<std::int64_t>(heads_.size()), std::string(line.text)});
  } else if (const std::size_t dot = columns[0].find('.'); dot != std::string_view::npos) {
    add_empty_node(place, columns[0], dot);
    sentence_.asides.push_back({static_cast<std::int64_t>(heads_.size()), std::string(line.text)});
  } else {
    add_word(line, columns);
  }
}

void Rows::add_range(const Place& place, std::string_view id, std::size_t dash) {
  const auto first = whole(id.substr(0, dash));
  const auto last = whole(id.substr(dash + 1));
  const auto due = static_cast<std::int64_t>(heads_.size()) + 1;
  if (!first || !last || *first != due || *last < *first || *last > static_cast<std::int64_t>(kMostWords)) {
    refuse(place, fmt::format("the range {} must begin with the number {} of the word that follows and end "
                              "there or later",
                              id.substr(0, 40), due));
  }
  if (*first <= range_end_) {
    refuse(place, fmt::format("the range {} overlaps the one of line {}", id, range_place_.line));
  }
  range_end_ = *last;
  range_place_ = place;
}

void Rows::add_empty_node(const Place& place, std::string_view id, std::size_t dot) {
  const auto word = whole(id.substr(0, dot));
  const auto index = whole(id.substr(dot + 1));
  const auto after = static_cast<std::int64_t>(heads_.size());
  if (!word || !index || *word != after || *index != empty_nodes_ + 1) {
    refuse(place,
           fmt::format("expected the empty node {}.{}, found {}", after, empty_nodes_ + 1, id.substr(0, 40)));
  }
  ++empty_nodes_;
}

void Rows::add_word(const CorpusLine& line, const Columns& columns) {
  const auto due = static_cast<std::int64_t>(heads_.size()) + 1;
  const Place place{line.number, 1};
  if (whole(columns[0]) != due) {
    refuse(place, fmt::format("expected the word number {}, found \"{}\"", due, columns[0].substr(0, 40)));
  }
  if (heads_.size() >= kMostWords) {
    refuse(place, fmt::format("a sentence of more than {} words", kMostWords));
  }
  if (may_have_none_ && due == 1 && columns[6] == "_") {
    with_heads_ = false;
    none_ = true;
    sentence_.has_heads = false;
  }
  if (none_ && columns[6] != "_") {
    refuse(
        {line.number, column_of(line.text, columns[6])},
        fmt::format("the head \"{}\" in a sentence whose first word has none (_)", columns[6].substr(0, 40)));
  }
  const std::optional<std::int64_t> head = with_heads_ ? whole(columns[6]) : 0;
  const Place head_place{line.number, column_of(line.text, columns[6])};
  if (!head) {
    refuse(head_place, fmt::format("the head \"{}\" is no whole number from 0", columns[6].substr(0, 40)));
  }
  if (*head == due) {
    refuse(head_place, fmt::format("word {} is its own head", due));
  }
  if ((columns[0].size() > 1 && columns[0][0] == '0') ||
      (with_heads_ && columns[6].size() > 1 && columns[6][0] == '0')) {
    sentence_.layout.spelled.emplace_back(heads_.size(), std::string(line.text));
  }
  TreebankWord word;
  word.form = columns[1];
  word.lemma = columns[2];
  word.upos = columns[3];
  word.xpos = columns[4];
  word.feats = columns[5];
  word.head = *head;
  word.deprel = columns[7];
  word.deps = columns[8];
  word.misc = columns[9];
  word.line = line.number;
  sentence_.words.push_back(std::move(word));
  heads_.push_back(head_place);
  empty_nodes_ = 0;
}

void Rows::finish() const {
  const auto words = static_cast<std::int64_t>(heads_.size());
  if (words == 0) {
    refuse({sentence_.line, 1}, "a sentence without words");
  }
  if (range_end_ > words) {
    refuse(range_place_,
           fmt::format("the range ends at word {} of a sentence of {} words", range_end_, words));
  }
  for (std::size_t i = 0; i < heads_.size(); ++i) {
    if (sentence_.words[i].head > words) {
      refuse(heads_[i], fmt::format("the head {} is beyond the {} words of the sentence",
                                    sentence_.words[i].head, words));
    }
  }
  check_cycles();
}

// Follows the heads of every word once; O(words).
void Rows::check_cycles() const {
  enum : char { fresh, open, done };
  const auto& words = sentence_.words;
  std::vector<char> state(words.size() + 1, fresh);
  state[0] = done;
  std::vector<std::size_t> path;
  for (std::size_t start = 1; start <= words.size(); ++start) {
    path.clear();
    std::size_t at = start;
    while (state[at] == fresh) {
      state[at] = open;
      path.push_back(at);
      at = static_cast<std::size_t>(words[at - 1].head);
    }
    if (state[at] == open) {
      refuse(heads_[at - 1], fmt::format("word {} is in a cycle of heads, so the sentence is no tree", at));
    }
    for (const std::size_t word : path) {
      state[word] = done;
    }
  }
}

}  // namespace

std::string TreebankSentence::comment(std::string_view key) const {
  constexpr std::string_view kBlank = " \t";
  for (const std::string& entry : comments) {
    std::string_view text = std::string_view(entry).substr(1);
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos) {
      continue;
    }
    const auto trim = [&](std::string_view part) {
      const std::size_t first = part.find_first_not_of(kBlank);
      return first == std::string_view::npos ? std::string_view()
                                             : part.substr(first, part.find_last_not_of(kBlank) - first + 1);
    };
    if (trim(text.substr(0, equals)) == key) {
      return std::string(trim(text.substr(equals + 1)));
    }
  }
  return "";
}

bool is_treebank(const std::filesystem::path& path) {
  return (path.extension() == ".gz" ? path.stem() : path).extension() == ".conllu";
}

ConlluReader::ConlluReader(const std::filesystem::path& path, TreebankHeads heads,
                           const std::optional<TextRange>& range)
    : ConlluReader(CorpusReader(path, {.sentences = false, .range = range}),
                   path == "-" ? "standard input" : path.string(), heads) {
  number_ = range ? range->first - 1 : 0;
}

ConlluReader::ConlluReader(CorpusReader lines, std::string name, TreebankHeads heads)
    : name_(std::move(name)),
      lines_(std::move(lines)),
      heads_(heads),
      before_(lines_.byte_order_mark() ? "\xEF\xBB\xBF" : "") {}

bool ConlluReader::next(TreebankSentence& sentence) {
  sentence = TreebankSentence{};
  sentence.layout.after.clear();
  Rows rows(name_, sentence, heads_);
  CorpusLine line;
  std::string own;  // comments that may be the sentence's
  bool plain = true;
  while (lines_.next(line)) {
    if (line.text.empty()) {
      if (sentence.line != 0) {
        sentence.layout.after = line.ending;
        break;
      }
      // Comments before a blank line belong to no sentence.
      sentence.comments.clear();
      sentence.layout.endings.clear();
      before_ += own;
      before_ += line.ending;
      own.clear();
      plain = true;
      continue;
    }
    if (line.text[0] == '#' && sentence.line == 0) {
      sentence.comments.emplace_back(line.text);
      own += line.text;
      own += line.ending;
    } else if (line.text[0] == '#' && line.text.find('\t') == std::string_view::npos) {
      throw FormatError(
          fmt::format("{}: line {}, column 1: a comment inside a sentence; comments come before its words",
                      name_, line.number));
    } else {
      rows.add(line);
    }
    plain = plain && line.ending == "\n";
    sentence.layout.endings += line.ending == "\n" ? 'n' : line.ending.empty() ? '-' : 'r';
  }
  if (sentence.line == 0) {
    before_ += own;
    return false;
  }
  rows.finish();
  sentence.layout.before = std::exchange(before_, std::string());
  if (plain) {
    sentence.layout.endings.clear();
  }
  sentence.number = ++number_;
  return true;
}

std::vector<TreebankSentence> read_conllu(const std::filesystem::path& path) {
  ConlluReader reader(path);
  std::vector<TreebankSentence> sentences;
  TreebankSentence sentence;
  while (reader.next(sentence)) {
    sentences.push_back(std::move(sentence));
  }
  if (sentences.empty()) {
    throw FormatError(fmt::format("{}: expected sentences in CoNLL-U, found none", path.string()));
  }
  return sentences;
}

namespace {

std::string row_of(const TreebankSentence& sentence, std::size_t index) {
  const TreebankWord& word = sentence.words[index];
  std::string row =
      fmt::format("{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}", index + 1, word.form, word.lemma, word.upos,
                  word.xpos, word.feats, word.head, word.deprel, word.deps, word.misc);
  const auto spelled = std::find_if(sentence.layout.spelled.begin(), sentence.layout.spelled.end(),
                                    [&](const auto& entry) { return entry.first == index; });
  if (spelled == sentence.layout.spelled.end()) {
    return row;
  }
  // As it was spelled, while it says the same.
  std::string plain;
  std::size_t column = 0;
  for (std::string_view rest = spelled->second; column < kColumns; ++column) {
    const std::size_t tab = std::min(rest.find('\t'), rest.size());
    const std::string_view field = rest.substr(0, tab);
    plain += column == 0 ? "" : "\t";
    plain += column == 0 || column == 6 ? std::to_string(whole(field).value_or(-1)) : std::string(field);
    rest.remove_prefix(std::min(tab + 1, rest.size()));
  }
  return plain == row ? spelled->second : row;
}

}  // namespace

std::string to_conllu(const TreebankSentence& sentence) {
  std::vector<std::string> lines = sentence.comments;
  auto aside = sentence.asides.begin();
  const auto add_asides = [&](std::int64_t words) {
    for (; aside != sentence.asides.end() && aside->after <= words; ++aside) {
      lines.push_back(aside->line);
    }
  };
  for (std::size_t i = 0; i < sentence.words.size(); ++i) {
    add_asides(static_cast<std::int64_t>(i));
    lines.push_back(row_of(sentence, i));
  }
  add_asides(static_cast<std::int64_t>(sentence.words.size()));
  // Lines that were added or taken away make the rest of the endings another's.
  const TreebankLayout& layout = sentence.layout;
  const bool known = layout.endings.size() == lines.size();
  std::string text = layout.before;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const char ending = known ? layout.endings[i] : 'n';
    text += lines[i];
    text += ending == 'n' ? "\n" : ending == 'r' ? "\r\n" : "";
  }
  return text + (known || layout.endings.empty() ? layout.after : "\n");
}

}  // namespace mog::io
