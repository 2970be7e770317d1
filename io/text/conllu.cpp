#include "io/text/conllu.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

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

// One sentence while its rows come in.
class Rows {
 public:
  Rows(const std::string& file, TreebankSentence& sentence) : file_(file), sentence_(sentence) {}

  void add(const CorpusLine& line);
  void finish() const;

 private:
  [[noreturn]] void refuse(std::int64_t line, const std::string& defect) const {
    throw FormatError(fmt::format("{}: line {}: {}", file_, line, defect));
  }
  void add_range(std::int64_t line, std::string_view id, std::size_t dash);
  void add_empty_node(std::int64_t line, std::string_view id, std::size_t dot);
  void add_word(std::int64_t line, const Columns& columns);
  void check_cycles() const;

  const std::string& file_;
  TreebankSentence& sentence_;
  std::vector<std::int64_t> lines_;  // of the words
  std::int64_t range_end_ = 0;
  std::int64_t range_line_ = 0;
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
    refuse(line.number, fmt::format("expected ten columns with tabs between, found {}", columns.size()));
  }
  for (std::size_t i = 0; i < kColumns; ++i) {
    if (columns[i].empty()) {
      refuse(line.number, fmt::format("column {} is empty; what is absent is written _", i + 1));
    }
  }
  if (lines_.empty() && sentence_.line == 0) {
    sentence_.line = line.number;
  }
  if (const std::size_t dash = columns[0].find('-'); dash != std::string_view::npos) {
    add_range(line.number, columns[0], dash);
    sentence_.asides.push_back({static_cast<std::int64_t>(lines_.size()), std::string(line.text)});
  } else if (const std::size_t dot = columns[0].find('.'); dot != std::string_view::npos) {
    add_empty_node(line.number, columns[0], dot);
    sentence_.asides.push_back({static_cast<std::int64_t>(lines_.size()), std::string(line.text)});
  } else {
    add_word(line.number, columns);
  }
}

void Rows::add_range(std::int64_t line, std::string_view id, std::size_t dash) {
  const auto first = whole(id.substr(0, dash));
  const auto last = whole(id.substr(dash + 1));
  const auto due = static_cast<std::int64_t>(lines_.size()) + 1;
  if (!first || !last || *first != due || *last < *first || *last > static_cast<std::int64_t>(kMostWords)) {
    refuse(line, fmt::format("the range {} must begin with the number {} of the word that follows and end "
                             "there or later",
                             id.substr(0, 40), due));
  }
  if (*first <= range_end_) {
    refuse(line, fmt::format("the range {} overlaps the one of line {}", id, range_line_));
  }
  range_end_ = *last;
  range_line_ = line;
}

void Rows::add_empty_node(std::int64_t line, std::string_view id, std::size_t dot) {
  const auto word = whole(id.substr(0, dot));
  const auto index = whole(id.substr(dot + 1));
  const auto after = static_cast<std::int64_t>(lines_.size());
  if (!word || !index || *word != after || *index != empty_nodes_ + 1) {
    refuse(line,
           fmt::format("expected the empty node {}.{}, found {}", after, empty_nodes_ + 1, id.substr(0, 40)));
  }
  ++empty_nodes_;
}

void Rows::add_word(std::int64_t line, const Columns& columns) {
  const auto due = static_cast<std::int64_t>(lines_.size()) + 1;
  if (whole(columns[0]) != due) {
    refuse(line, fmt::format("expected the word number {}, found \"{}\"", due, columns[0].substr(0, 40)));
  }
  if (lines_.size() >= kMostWords) {
    refuse(line, fmt::format("a sentence of more than {} words", kMostWords));
  }
  const auto head = whole(columns[6]);
  if (!head) {
    refuse(line, fmt::format("the head \"{}\" is no whole number from 0", columns[6].substr(0, 40)));
  }
  if (*head == due) {
    refuse(line, fmt::format("word {} is its own head", due));
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
  word.line = line;
  sentence_.words.push_back(std::move(word));
  lines_.push_back(line);
  empty_nodes_ = 0;
}

void Rows::finish() const {
  const auto words = static_cast<std::int64_t>(lines_.size());
  if (words == 0) {
    refuse(sentence_.line, "a sentence without words");
  }
  if (range_end_ > words) {
    refuse(range_line_,
           fmt::format("the range ends at word {} of a sentence of {} words", range_end_, words));
  }
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    if (sentence_.words[i].head > words) {
      refuse(lines_[i], fmt::format("the head {} is beyond the {} words of the sentence",
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
      refuse(lines_[at - 1], fmt::format("word {} is in a cycle of heads, so the sentence is no tree", at));
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

ConlluReader::ConlluReader(const std::filesystem::path& path) : path_(path), lines_(path) {}

bool ConlluReader::next(TreebankSentence& sentence) {
  const std::string file = path_.string();
  sentence = TreebankSentence{};
  Rows rows(file, sentence);
  CorpusLine line;
  while (lines_.next(line)) {
    if (line.text.empty()) {
      if (sentence.line != 0) {
        break;
      }
      // Comments before a blank line belong to no sentence.
      sentence.comments.clear();
    } else if (line.text[0] == '#' && sentence.line == 0) {
      sentence.comments.emplace_back(line.text);
    } else if (line.text[0] == '#' && line.text.find('\t') == std::string_view::npos) {
      throw FormatError(fmt::format(
          "{}: line {}: a comment inside a sentence; comments come before its words", file, line.number));
    } else {
      rows.add(line);
    }
  }
  if (sentence.line == 0) {
    return false;
  }
  rows.finish();
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

std::string to_conllu(const TreebankSentence& sentence) {
  std::string text;
  for (const std::string& comment : sentence.comments) {
    text += comment + '\n';
  }
  auto aside = sentence.asides.begin();
  const auto add_asides = [&](std::int64_t words) {
    for (; aside != sentence.asides.end() && aside->after <= words; ++aside) {
      text += aside->line + '\n';
    }
  };
  std::int64_t number = 0;
  for (const TreebankWord& word : sentence.words) {
    add_asides(number);
    text += fmt::format("{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\n", ++number, word.form, word.lemma,
                        word.upos, word.xpos, word.feats, word.head, word.deprel, word.deps, word.misc);
  }
  add_asides(number);
  return text + '\n';
}

}  // namespace mog::io
