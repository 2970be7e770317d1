// Reading and the figures; printing is expression_print.cpp's.
#include "app/workflow/expression_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "analysis/figure_data/expression_figures.h"
#include "analysis/mog/import_graph.h"
#include "io/recording/errors.h"
#include "io/text/input_file.h"
#include "io/text/json_check.h"

namespace mog::app {
namespace {

using analysis::ParsedExpression;
using Json = nlohmann::json;

constexpr std::uint64_t kMostBytes = std::uint64_t{64} << 20U;  // of a file that is read as a whole
constexpr std::size_t kMostWords = 20'000;                      // of a treebank's sentence
constexpr std::size_t kMostNames = 4'000'000;                   // in the expressions of its roots

std::string all_of(const std::filesystem::path& path) {
  if (path != "-") {
    return io::read_file(path, "the expressions", kMostBytes);
  }
  io::InputFile file = io::InputFile::open_or_stdin(path, "the expressions");
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

std::string shown(const std::filesystem::path& path) {
  return path == "-" ? "standard input" : path.string();
}

ParsedExpression parse(const std::string& text, const std::optional<std::vector<std::string>>& sentence) {
  return sentence ? analysis::parse_expression(text, std::span<const std::string>(*sentence))
                  : analysis::parse_expression(text);
}

bool only_blanks(std::string_view text) {
  return text.find_first_not_of(" \t\r") == std::string_view::npos;
}

// ---- text: an expression a line -----------------------------------------------------------------------
//
// A line that begins with "# " is a comment (no expression does). "# words = [...]" begins a sentence: its
// expressions follow, up to an empty line or the next comment of that kind.

class TextSets {
 public:
  TextSets(const ExpressionOptions& options, std::vector<ExpressionSet>& sets)
      : options_(options), sets_(sets) {}

  void add(const io::CorpusLine& line) {
    const std::string where = fmt::format("{}: line {}", shown(options_.input), line.number);
    if (only_blanks(line.text)) {
      open_ = false;
    } else if (line.text.starts_with("# ") && !only_blanks(line.text.substr(2))) {
      comment(line.text, where);
    } else {
      expression(line, where);
    }
  }

 private:
  void comment(std::string_view text, const std::string& where) {
    constexpr std::string_view kWords = "# words = ";
    if (!text.starts_with(kWords)) {
      return;
    }
    try {
      io::check_json(text.substr(kWords.size()), where);
      words_ = Json::parse(text.substr(kWords.size())).get<std::vector<std::string>>();
    } catch (const Json::exception&) {
      throw FormatError(fmt::format("{}: expected # words = [\"…\", …], the words of the sentence", where));
    }
    open_ = true;
    fresh_ = true;
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
      sets_.push_back({.expressions = {}, .sentence = sentence, .treebank = {}, .place = where});
    }
    fresh_ = false;
    sets_.back().expressions.push_back(std::move(parsed));
  }

  const ExpressionOptions& options_;
  std::vector<ExpressionSet>& sets_;
  std::optional<std::vector<std::string>> words_;
  bool open_ = false;   // inside a sentence
  bool fresh_ = false;  // no expression of it yet
};

void read_text(const ExpressionOptions& options, std::vector<ExpressionSet>& sets) {
  io::CorpusReader lines(options.input);
  TextSets text(options, sets);
  io::CorpusLine line;
  while (lines.next(line)) {
    text.add(line);
  }
}

// ---- graphs -------------------------------------------------------------------------------------------

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
  // Graphs over one sentence that follow each other are its expressions while they share no word.
  if (!sets.empty() && set.sentence && sets.back().sentence == set.sentence) {
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

template <class Value>
Value field(const Json& object, const char* key, Value otherwise, const std::string& where) {
  const auto found = object.find(key);
  if (found == object.end() || found->is_null()) {
    return otherwise;
  }
  try {
    return found->get<Value>();
  } catch (const Json::exception&) {
    throw FormatError(fmt::format("{}: \"{}\" has the wrong type", where, key));
  }
}

analysis::GraphClaim claim_of(const Json& tree, const std::string& where) {
  analysis::GraphClaim claim;
  claim.expression = field<std::string>(tree, "expression", "", where);
  // The derivations of `mog trees` too have annotations; they stand in a field of their own.
  claim.expression = field<std::string>(tree, "annotated", claim.expression, where);
  claim.of_sentence = field(tree, "sentence", true, where);
  claim.words = field(tree, "words", std::vector<std::string>(), where);
  const auto edges = tree.find("edges");
  if (edges != tree.end() && !edges->is_array()) {
    throw FormatError(fmt::format("{}: \"edges\" is no list", where));
  }
  if (edges != tree.end()) {
    for (const Json& edge : *edges) {
      if (!edge.is_object()) {
        throw FormatError(fmt::format("{}: an edge is no object", where));
      }
      analysis::EdgeClaim& one = claim.edges.emplace_back();
      one.id = field<std::int64_t>(edge, "id", 0, where);
      one.source = field<std::int64_t>(edge, "source", 0, where);
      one.target = field<std::int64_t>(edge, "target", 0, where);
      one.order = field<std::int64_t>(edge, "order", 0, where);
      one.kind = field<std::int64_t>(edge, "kind", 0, where);
      one.left = field<std::string>(edge, "left", "", where);
      one.right = field<std::string>(edge, "right", "", where);
      one.made = field<std::string>(edge, "sub", "", where);
    }
  }
  return claim;
}

// One graph, a forest of derivations (`mog trees --json`), or a list of either.
void add_document(const Json& document, const std::string& where, const ExpressionOptions& options,
                  std::vector<ExpressionSet>& sets) {
  if (document.is_array()) {
    for (std::size_t i = 0; i < document.size(); ++i) {
      add_document(document[i], fmt::format("{}: element {}", where, i + 1), options, sets);
    }
    return;
  }
  if (!document.is_object()) {
    throw FormatError(
        fmt::format("{}: expected an object with \"expression\", \"words\" and \"edges\"", where));
  }
  if (document.contains("forest")) {
    // In `mog trees --json` "sentence" is its number.
    add_document(document["forest"], where, options, sets);
    return;
  }
  if (const auto goals = document.find("goals"); goals != document.end() && goals->is_array()) {
    for (std::size_t i = 0; i < goals->size(); ++i) {
      add_document((*goals)[i], fmt::format("{}: goal {}", where, i + 1), options, sets);
    }
    return;
  }
  if (const auto trees = document.find("trees"); trees != document.end() && trees->is_array()) {
    for (std::size_t i = 0; i < trees->size(); ++i) {
      const std::string place = fmt::format("{}: tree {}", where, i + 1);
      Json tree = (*trees)[i];
      if (!tree.is_object()) {
        throw FormatError(fmt::format("{}: it is no object", place));
      }
      tree["words"] = document.value("words", Json::array());
      add_claim(claim_of(tree, place), place, options, sets);
    }
    return;
  }
  add_claim(claim_of(document, where), where, options, sets);
}

void read_json(const ExpressionOptions& options, std::vector<ExpressionSet>& sets) {
  const std::string text = all_of(options.input);
  const std::string where = shown(options.input);
  // One document, or one a line.
  std::size_t line = 1;
  std::size_t begin = 0;
  const bool lines = Json::accept(std::string_view(text).substr(0, text.find('\n')));
  while (begin < text.size()) {
    const std::size_t end = lines ? std::min(text.find('\n', begin), text.size()) : text.size();
    const std::string_view document = std::string_view(text).substr(begin, end - begin);
    if (!only_blanks(document)) {
      const std::string place = lines ? fmt::format("{}: line {}", where, line) : where;
      io::check_json(document, place);
      add_document(Json::parse(document), place, options, sets);
    }
    begin = end + 1;
    ++line;
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

void read_treebank(const ExpressionOptions& options, std::vector<ExpressionSet>& sets) {
  io::ConlluReader reader(options.input);
  io::TreebankSentence sentence;
  while (reader.next(sentence)) {
    const std::string place =
        fmt::format("{}: line {}, sentence {}", shown(options.input), sentence.line, sentence.number);
    if (options.number != 0 && sentence.number != options.number) {
      sets.push_back({.expressions = {}, .sentence = {}, .treebank = {}, .place = place});
      continue;
    }
    if (sentence.words.size() > kMostWords) {
      throw FormatError(fmt::format("{}: line {}: a sentence of {} words; an expression takes at most {}",
                                    shown(options.input), sentence.line, sentence.words.size(), kMostWords));
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
      throw FormatError(fmt::format("{}: line {}: {}", shown(options.input), sentence.line, error.what()));
    }
    set.sentence = std::move(words);
    set.place = place;
    set.treebank = std::move(sentence);
    sets.push_back(std::move(set));
  }
}

void read_graphs(const ExpressionOptions& options, ExpressionFormat format,
                 std::vector<ExpressionSet>& sets) {
  const std::string text = all_of(options.input);
  const std::string where = shown(options.input);
  const std::vector<analysis::GraphClaim> claims = format == ExpressionFormat::graphml
                                                       ? analysis::read_graphml(text, where)
                                                       : analysis::read_dot(text, where);
  for (std::size_t i = 0; i < claims.size(); ++i) {
    add_claim(claims[i], claims.size() == 1 ? where : fmt::format("{}: graph {}", where, i + 1), options,
              sets);
  }
}

void read_input(const ExpressionOptions& options, std::vector<ExpressionSet>& sets) {
  const ExpressionFormat format = options.from.value_or(expression_format_of(options.input));
  switch (format) {
    case ExpressionFormat::json:
      read_json(options, sets);
      break;
    case ExpressionFormat::graphml:
    case ExpressionFormat::dot:
      read_graphs(options, format, sets);
      break;
    case ExpressionFormat::conllu:
      read_treebank(options, sets);
      break;
    case ExpressionFormat::text:
    case ExpressionFormat::report:
      read_text(options, sets);
      break;
  }
  if (sets.empty()) {
    throw FormatError(
        fmt::format("reading {} as {}: there is no expression in it", shown(options.input), name(format)));
  }
}

}  // namespace

std::string_view name(ExpressionFormat format) noexcept {
  static constexpr std::string_view kNames[] = {"report", "text", "json", "graphml", "dot", "conllu"};
  return kNames[static_cast<std::size_t>(format)];
}

ExpressionFormat parse_expression_format(std::string_view text) {
  for (const ExpressionFormat format :
       {ExpressionFormat::report, ExpressionFormat::text, ExpressionFormat::json, ExpressionFormat::graphml,
        ExpressionFormat::dot, ExpressionFormat::conllu}) {
    if (name(format) == text) {
      return format;
    }
  }
  throw UsageError(
      fmt::format("format \"{}\": allowed are report, text, json, graphml, dot and conllu", text));
}

ExpressionFormat expression_format_of(const std::filesystem::path& path) {
  const std::string ending = path.extension().string();
  if (ending == ".json" || ending == ".jsonl") {
    return ExpressionFormat::json;
  }
  if (ending == ".graphml" || ending == ".xml") {
    return ExpressionFormat::graphml;
  }
  if (ending == ".dot" || ending == ".gv") {
    return ExpressionFormat::dot;
  }
  return ending == ".conllu" ? ExpressionFormat::conllu : ExpressionFormat::text;
}

std::vector<ExpressionSet> read_expressions(const ExpressionOptions& options) {
  if (options.texts.empty() == options.input.empty()) {
    throw UsageError("expressions: give either expressions or --input FILE");
  }
  std::vector<ExpressionSet> sets;
  if (!options.input.empty()) {
    read_input(options, sets);
  } else if (options.sentence) {
    // All of them are over one sentence.
    ExpressionSet& set = sets.emplace_back();
    set.sentence = options.sentence;
    set.place = "the expressions given";
    for (const std::string& text : options.texts) {
      set.expressions.push_back(parse(text, options.sentence));
    }
  } else {
    for (std::size_t i = 0; i < options.texts.size(); ++i) {
      ExpressionSet& set = sets.emplace_back();
      set.place = fmt::format("expression {}", i + 1);
      set.expressions.push_back(parse(options.texts[i], options.sentence));
    }
  }
  if (options.number != 0) {
    if (options.number < 1 || options.number > static_cast<std::int64_t>(sets.size())) {
      throw UsageError(fmt::format("--number {}: there are {} to choose from", options.number, sets.size()));
    }
    ExpressionSet chosen = std::move(sets[static_cast<std::size_t>(options.number - 1)]);
    sets.clear();
    sets.push_back(std::move(chosen));
  }
  return sets;
}

analysis::FigureData expression_figure(std::span<const ExpressionSet> sets, std::string_view kind) {
  if (kind != "tree" && kind != "arcs") {
    throw UsageError(fmt::format("--figure {}: allowed are tree and arcs", kind));
  }
  constexpr std::size_t kMostPanels = 24;
  analysis::PanelFigure panels;
  for (const ExpressionSet& set : sets) {
    for (const ParsedExpression& parsed : set.expressions) {
      if (panels.panels.size() == kMostPanels) {
        throw UsageError(fmt::format("drawing: a figure takes at most {} expressions; choose with --number N",
                                     kMostPanels));
      }
      panels.panels.push_back(kind == "tree" ? analysis::expression_tree_figure(parsed)
                                             : analysis::expression_arcs_figure(parsed));
    }
  }
  if (panels.panels.size() == 1) {
    return std::move(panels.panels.front());
  }
  analysis::FigureData figure;
  figure.title = fmt::format("{} expressions", panels.panels.size());
  figure.body = std::move(panels);
  return figure;
}

}  // namespace mog::app
