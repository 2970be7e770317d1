// Documents of expressions: text, treebanks, GraphML and DOT; JSON is expression_json.cpp's.
#include "app/workflow/trees/expression_read.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "io/recording/errors.h"
#include "io/recording/utf8.h"
#include "io/text/corpus.h"
#include "io/text/input_file.h"
#include "io/text/json_check.h"
#include "io/text/utf8.h"

namespace mog::app {
namespace {

using analysis::ParsedExpression;
using Json = nlohmann::json;

constexpr std::uint64_t kMostBytes = std::uint64_t{64} << 20U;  // of a file that is read as a whole
constexpr std::size_t kMostWords = 20'000;                      // of a treebank's sentence
constexpr std::size_t kMostNames = 4'000'000;                   // in the expressions of its roots

std::string all_of(const ExpressionSource& source) {
  if (source.path.empty()) {
    return source.text;
  }
  if (source.path != "-") {
    return io::read_file(source.path, "the expressions", kMostBytes);
  }
  io::InputFile file = io::InputFile::open_or_stdin(source.path, "the expressions");
  std::string text;
  std::vector<std::byte> block(std::size_t{1} << 16U);
  while (const std::size_t got = file.read(block)) {
    text.append(reinterpret_cast<const char*>(block.data()), got);
    if (text.size() > kMostBytes) {
      throw FormatError(fmt::format("reading standard input: more than {} bytes", kMostBytes));
    }
  }
  return text;
}

io::CorpusReader lines_of(const ExpressionSource& source) {
  return source.path.empty() ? io::CorpusReader::of_text(source.text, source.name)
                             : io::CorpusReader(source.path, {.sentences = false});
}

// ---- text: an expression a line -----------------------------------------------------------------------
//
// A line that begins with "# " is a comment (no expression does). "# words = [...]" begins a sentence: its
// expressions follow, up to an empty line or the next comment of that kind. "# guarantee = …" and the other
// facts (graph_facts.h) hold as long.

class TextSets {
 public:
  TextSets(const std::string& file, const ExpressionOptions& options, std::vector<ExpressionSet>& sets)
      : file_(file), options_(options), sets_(sets) {}

  void add(const io::CorpusLine& line) {
    const std::string where = fmt::format("{}: line {}", file_, line.number);
    if (only_blanks(line.text)) {
      open_ = false;
      facts_.clear();
    } else if (line.text.starts_with("# ") && !only_blanks(line.text.substr(2))) {
      comment(line);
    } else {
      expression(line, where);
    }
  }

 private:
  void comment(const io::CorpusLine& line) {
    constexpr std::string_view kWords = "# words = ";
    if (!line.text.starts_with(kWords)) {
      fact(line.text);
      return;
    }
    facts_.clear();
    // With blanks in place of what stands before, so that columns are right.
    const std::string text = std::string(kWords.size(), ' ') + std::string(line.text.substr(kWords.size()));
    io::check_json(text, file_, {.first_line = line.number});
    try {
      words_ = Json::parse(text).get<std::vector<std::string>>();
    } catch (const Json::exception&) {
      throw FormatError(fmt::format("{}: {}: expected # words = [\"…\", …], the words of the sentence", file_,
                                    io::json_place(text, "", line.number)));
    }
    open_ = true;
    fresh_ = true;
  }
  void fact(std::string_view comment) {
    for (const std::string_view name : analysis::kGraphFacts) {
      const std::string begin = fmt::format("# {} = ", name);
      if (comment.starts_with(begin)) {
        facts_.emplace_back(name, comment.substr(begin.size()));
      }
    }
  }
  void expression(const io::CorpusLine& line, const std::string& where) {
    const std::optional<std::vector<std::string>>& sentence = open_ ? words_ : options_.sentence;
    ParsedExpression parsed;
    try {
      parsed = parse(std::string(line.text), sentence);
    } catch (const analysis::ExpressionError& error) {
      throw FormatError(fmt::format("{}: {}", where, error.what()));
    }
    if (!open_ || fresh_) {
      sets_.push_back(
          {.expressions = {}, .sentence = sentence, .treebank = {}, .place = where, .facts = facts_});
    }
    fresh_ = false;
    sets_.back().expressions.push_back(std::move(parsed));
  }

  const std::string& file_;
  const ExpressionOptions& options_;
  std::vector<ExpressionSet>& sets_;
  std::optional<std::vector<std::string>> words_;
  analysis::GraphFacts facts_;
  bool open_ = false;   // inside a sentence
  bool fresh_ = false;  // no expression of it yet
};

void read_text(const ExpressionSource& source, const ExpressionOptions& options,
               std::vector<ExpressionSet>& sets) {
  io::CorpusReader lines = lines_of(source);
  TextSets text(source.name, options, sets);
  io::CorpusLine line;
  while (lines.next(line)) {
    text.add(line);
  }
}

// ---- treebanks ----------------------------------------------------------------------------------------

// Every root makes an expression, which names all words of the sentence.
void check_roots(const io::TreebankSentence& sentence, const std::string& place) {
  const auto roots = std::count_if(sentence.words.begin(), sentence.words.end(),
                                   [](const io::TreebankWord& word) { return word.head == 0; });
  const auto names = static_cast<std::size_t>(roots) * sentence.words.size();
  if (names > kMostNames) {
    throw FormatError(fmt::format(
        "{}: {} roots over {} words make {} expressions that name {} words; at most {} names are read", place,
        roots, sentence.words.size(), roots, names, kMostNames));
  }
}

void read_treebank(const ExpressionSource& source, const ExpressionOptions& options,
                   std::vector<ExpressionSet>& sets) {
  io::ConlluReader reader(lines_of(source), source.name);
  io::TreebankSentence sentence;
  while (reader.next(sentence)) {
    const std::string place =
        fmt::format("{}: line {}, sentence {}", source.name, sentence.line, sentence.number);
    if (options.number != 0 && sentence.number != options.number) {
      sets.push_back({.expressions = {}, .sentence = {}, .treebank = {}, .place = place});
      continue;
    }
    if (sentence.words.size() > kMostWords) {
      throw FormatError(fmt::format("{}: line {}: a sentence of {} words; an expression takes at most {}",
                                    source.name, sentence.line, sentence.words.size(), kMostWords));
    }
    check_roots(sentence, place);
    DependencyTree tree;
    std::vector<std::string> words;
    for (const io::TreebankWord& word : sentence.words) {
      words.push_back(word.form);
      tree.heads.push_back(static_cast<std::int32_t>(word.head));
      tree.relations.push_back(word.deprel);
    }
    ExpressionSet set;
    try {
      set.expressions = analysis::expressions_of(tree, words, options.dependents);
    } catch (const FormatError& error) {
      throw FormatError(fmt::format("{}: line {}: {}", source.name, sentence.line, error.what()));
    }
    set.sentence = std::move(words);
    set.place = place;
    for (const std::string_view name : analysis::kGraphFacts) {
      if (std::string value = sentence.comment(name); !value.empty()) {
        set.facts.emplace_back(name, std::move(value));
      }
    }
    set.treebank = std::move(sentence);
    if (options.number != 0) {
      set.treebank->layout.before.clear();
    }
    sets.push_back(std::move(set));
  }
  // What stands behind the last sentence is written back with it.
  if (!sets.empty() && sets.back().treebank && options.number == 0) {
    sets.back().treebank->layout.after += reader.rest();
  }
}

// ---- graphs -------------------------------------------------------------------------------------------

void read_graphs(const ExpressionSource& source, ExpressionFormat format, const ExpressionOptions& options,
                 std::vector<ExpressionSet>& sets) {
  const std::string text = all_of(source);
  if (const std::size_t bad = io::first_invalid_utf8(text);
      format == ExpressionFormat::dot && bad != std::string::npos) {
    const std::string_view before = std::string_view(text).substr(0, bad);
    const std::size_t line = before.rfind('\n') + 1;  // npos + 1 is 0
    throw FormatError(fmt::format("{}: line {}, column {} is not UTF-8: byte 0x{:02x}", source.name,
                                  std::count(before.begin(), before.end(), '\n') + 1,
                                  count_characters(before.substr(line)) + 1,
                                  static_cast<unsigned char>(text[bad])));
  }
  const std::vector<analysis::GraphClaim> claims = format == ExpressionFormat::graphml
                                                       ? analysis::read_graphml(text, source.name)
                                                       : analysis::read_dot(text, source.name);
  for (std::size_t i = 0; i < claims.size(); ++i) {
    add_claim(claims[i], claims.size() == 1 ? source.name : fmt::format("{}: graph {}", source.name, i + 1),
              options, sets);
  }
}

}  // namespace

ParsedExpression parse(const std::string& text, const std::optional<std::vector<std::string>>& sentence) {
  return sentence ? analysis::parse_expression(text, std::span<const std::string>(*sentence))
                  : analysis::parse_expression(text);
}

bool only_blanks(std::string_view text) {
  return text.find_first_not_of(" \t\r") == std::string_view::npos;
}

void add_claim(const analysis::GraphClaim& claim, const std::string& where, const ExpressionOptions& options,
               std::vector<ExpressionSet>& sets) {
  ExpressionSet set;
  set.expressions.push_back(analysis::checked_expression(claim, where));
  if (claim.of_sentence && !claim.words.empty()) {
    set.sentence = claim.words;
  }
  if (options.sentence) {
    // The names must be words of the given sentence too.
    set.expressions.back() = parse(set.expressions.back().text(), options.sentence);
    set.sentence = options.sentence;
  }
  set.place = where;
  set.facts = claim.facts;
  // Graphs over one sentence that follow each other are its expressions while they share no word.
  if (!sets.empty() && set.sentence && sets.back().sentence == set.sentence &&
      sets.back().facts == set.facts) {
    const std::vector<std::int32_t> words = set.expressions.back().expression.words();
    const bool apart = std::all_of(sets.back().expressions.begin(), sets.back().expressions.end(),
                                   [&](const ParsedExpression& other) {
                                     const std::vector<std::int32_t> others = other.expression.words();
                                     return std::none_of(words.begin(), words.end(), [&](std::int32_t word) {
                                       return std::binary_search(others.begin(), others.end(), word);
                                     });
                                   });
    if (apart) {
      sets.back().expressions.push_back(std::move(set.expressions.back()));
      return;
    }
  }
  sets.push_back(std::move(set));
}

void read_document(const ExpressionSource& source, ExpressionFormat format, const ExpressionOptions& options,
                   std::vector<ExpressionSet>& sets) {
  const std::size_t before = sets.size();
  switch (format) {
    case ExpressionFormat::json:
      read_json_graphs(all_of(source), source.name, options, sets);
      break;
    case ExpressionFormat::graphml:
    case ExpressionFormat::dot:
      read_graphs(source, format, options, sets);
      break;
    case ExpressionFormat::conllu:
      read_treebank(source, options, sets);
      break;
    case ExpressionFormat::text:
    case ExpressionFormat::report:
      read_text(source, options, sets);
      break;
  }
  if (sets.size() == before) {
    throw FormatError(
        fmt::format("reading {} as {}: there is no expression in it", source.name, name(format)));
  }
}

}  // namespace mog::app
