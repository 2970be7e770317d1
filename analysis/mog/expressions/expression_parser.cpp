// Two steps. The syntax gives a tree of what is written (expression_syntax.cpp); here names become words and
// equal subgraphs become one. The builder goes over the written subgraphs once, operands first, and looks
// each up by (left, right, source, target), which yields the order that Expression demands.
//
// Whether a node lies in its operand is asked of a set of words for each open subgraph. The smaller set is
// moved into the larger one, which then belongs to the join: a word moves log n times at most, where a copy
// for each join would be quadratic on a chain.
//
// Errors are collected and the leftmost one is told, since names are resolved in another order than they are
// read. Without a sentence a word is its (form, position); that a name without position also stands there
// with one is known only after the whole text has been seen.
//
// Trap: an annotation belongs to the distinct subgraph. Where a text repeats it, the first one that is not
// empty stays.
#include "analysis/mog/expressions/expression_parser.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>

#include "analysis/mog/expressions/escape.h"
#include "analysis/mog/expressions/expression_syntax.h"
#include "analysis/mog/expressions/identifiers.h"
#include "io/recording/utf8.h"

namespace mog::analysis {
namespace {

using Reason = ExpressionError::Reason;

std::size_t at(std::int32_t index) {
  return static_cast<std::size_t>(index);
}

// Keeps the leftmost error of all names.
struct Leftmost {
  void note(Reason new_reason, const WrittenName& name) {
    if (column == 0 || name.column < column) {
      column = name.column;
      reason = new_reason;
    }
  }
  std::int64_t column = 0;
  Reason reason = Reason::unknown_word;
};

// Tells which word a written name is; -1 where it is none.
class Resolver {
 public:
  virtual ~Resolver() = default;
  virtual std::int32_t word_of(const WrittenName& name, Leftmost& error) = 0;
};

class SentenceResolver : public Resolver {
 public:
  explicit SentenceResolver(std::span<const std::string> sentence) : sentence_(sentence) {
    for (std::size_t i = 0; i < sentence.size(); ++i) {
      places_[sentence[i]].push_back(static_cast<std::int32_t>(i));
    }
  }
  std::int32_t word_of(const WrittenName& name, Leftmost& error) override {
    if (name.position > 0) {
      const bool same =
          at(name.position) <= sentence_.size() && sentence_[at(name.position) - 1] == name.form;
      if (!same) {
        error.note(Reason::position_mismatch, name);
      }
      return same ? name.position - 1 : -1;
    }
    const auto found = places_.find(name.form);
    if (found == places_.end() || found->second.size() > 1) {
      error.note(found == places_.end() ? Reason::unknown_word : Reason::ambiguous_name, name);
      return -1;
    }
    return found->second.front();
  }

 private:
  std::span<const std::string> sentence_;
  std::unordered_map<std::string_view, std::vector<std::int32_t>> places_;
};

// Without a sentence (form, position) is the word.
class FreeResolver : public Resolver {
 public:
  explicit FreeResolver(const std::vector<WrittenSubgraph>& written) {
    for (const WrittenSubgraph& subgraph : written) {
      for (const WrittenName* name : {&subgraph.source, &subgraph.target}) {
        if (name->position > 0) {
          placed_.insert(name->form);
        }
      }
    }
  }
  std::int32_t word_of(const WrittenName& name, Leftmost& error) override {
    if (name.position == 0 && placed_.contains(name.form)) {
      error.note(Reason::ambiguous_name, name);
    }
    if (name.position > 0 && form_at_.try_emplace(name.position, name.form).first->second != name.form) {
      error.note(Reason::position_mismatch, name);
    }
    const auto [found, inserted] =
        number_.try_emplace(std::pair(name.form, name.position), static_cast<std::int32_t>(words.size()));
    if (inserted) {
      words.push_back({name.form, name.position});
    }
    return found->second;
  }
  std::vector<ExpressionWord> words;

 private:
  std::unordered_set<std::string> placed_;
  std::map<std::int32_t, std::string> form_at_;
  std::map<std::pair<std::string, std::int32_t>, std::int32_t> number_;
};

// The distinct subgraphs of a syntax tree, and whether each join's nodes are in its operands.
class Builder {
 public:
  Builder(std::vector<WrittenSubgraph>& written, Resolver& resolver)
      : written_(written), resolver_(resolver) {}

  void build(ParsedExpression& result, Leftmost& error) {
    std::vector<std::int32_t> index(written_.size(), 0);
    std::vector<std::unique_ptr<std::set<std::int32_t>>> words(written_.size());
    for (std::size_t i = 0; i < written_.size(); ++i) {
      WrittenSubgraph& subgraph = written_[i];
      const std::int32_t source = resolver_.word_of(subgraph.source, error);
      if (subgraph.left < 0) {
        words[i] = std::make_unique<std::set<std::int32_t>>(std::set<std::int32_t>{source});
        index[i] = place({-1, -1, source, source});
        continue;
      }
      const std::int32_t target = resolver_.word_of(subgraph.target, error);
      auto& left = words[at(subgraph.left)];
      auto& right = words[at(subgraph.right)];
      note_absent(*left, source, subgraph.source, error);
      note_absent(*right, target, subgraph.target, error);
      // The smaller set into the larger one: n log n in all.
      words[i] = std::move(left->size() < right->size() ? right : left);
      words[i]->merge(left != nullptr ? *left : *right);
      left.reset();
      right.reset();
      index[i] = place({index[at(subgraph.left)], index[at(subgraph.right)], source, target});
      annotations_.resize(subgraphs_.size());
      if (annotations_[at(index[i])].empty()) {
        annotations_[at(index[i])] = std::move(subgraph.annotation);
      }
    }
    annotations_.resize(subgraphs_.size());
    if (error.column == 0) {
      result.expression = Expression::from_subgraphs(std::move(subgraphs_));
      result.annotations = std::move(annotations_);
    }
  }

 private:
  static void note_absent(const std::set<std::int32_t>& words, std::int32_t word, const WrittenName& name,
                          Leftmost& error) {
    if (word >= 0 && !words.contains(word)) {
      error.note(Reason::node_not_in_operand, name);
    }
  }
  std::int32_t place(const Subgraph& subgraph) {
    const auto [found, inserted] =
        known_.try_emplace(std::tuple(subgraph.left, subgraph.right, subgraph.source, subgraph.target),
                           static_cast<std::int32_t>(subgraphs_.size()));
    if (inserted) {
      subgraphs_.push_back(subgraph);
    }
    return found->second;
  }

  std::vector<WrittenSubgraph>& written_;
  Resolver& resolver_;
  std::vector<Subgraph> subgraphs_;
  std::vector<JoinAnnotation> annotations_;
  std::map<std::tuple<std::int32_t, std::int32_t, std::int32_t, std::int32_t>, std::int32_t> known_;
};

std::string_view advice(Reason reason) {
  switch (reason) {
    case Reason::expected_subgraph:
      return "expected a word or \"(\"";
    case Reason::expected_operand:
      return "expected \"(\" and the second operand";
    case Reason::expected_close:
      return "expected \")\"";
    case Reason::expected_arrow:
      return "expected \"->\" and the node that the operand joins with";
    case Reason::expected_name:
      return "expected a name; quote names such as \"U\" or names with special characters";
    case Reason::expected_union:
      return "expected \"U\" and a second operand";
    case Reason::unexpected_text:
      return "expected the end of the expression; a whole expression has no parentheses around it";
    case Reason::bad_string:
      return "expected a closing quote, and only \\\", \\\\ and \\u{1b} (a character by its number) after a "
             "backslash";
    case Reason::bad_position:
      return "expected a position from 1 to 999999999 after \"@\"";
    case Reason::bad_annotation:
      return "expected [key=value;...] with keys in lower case, each once, l a positive integer, part h, m1, "
             "m2, f, fw or bw, w in [0,1]";
    case Reason::ambiguous_name:
      return "the name stands for several words: add @position";
    case Reason::unknown_word:
      return "the sentence has no such word";
    case Reason::position_mismatch:
      return "the word at this position is another one";
    case Reason::node_not_in_operand:
      break;
  }
  return "the operand does not hold this word";
}

// What stands at a column: the end, one sign, or a word as far as it goes.
std::string found_at(std::string_view text, std::int64_t column) {
  constexpr std::size_t kLongest = 40;
  const std::string valid = valid_utf8(text);
  std::size_t at = 0;
  for (std::int64_t i = 1; i < column && at < valid.size(); ++i) {
    next_code_point(valid, at);
  }
  if (at >= valid.size()) {
    return "the end of the text";
  }
  const std::size_t begin = at;
  const std::uint32_t first = next_code_point(valid, at);
  if (first == '-' && valid.substr(at, 1) == ">") {
    return "\"->\"";
  }
  if (is_white_space(first)) {
    return "white space";
  }
  while (!ends_identifier(first) && at < valid.size() && at - begin < kLongest) {
    std::size_t next = at;
    const std::uint32_t c = next_code_point(valid, next);
    if (ends_identifier(c) || c == '=' || c == ';' || valid.compare(at, 2, "->") == 0) {
      break;
    }
    at = next;
  }
  return '"' + valid.substr(begin, at - begin) + '"';
}

}  // namespace

ExpressionError::ExpressionError(Reason reason, std::int64_t column, std::string_view text,
                                 std::string_view expected)
    : Error(fmt::format("expression \"{}\", column {}: {}: {}; found {}",
                        text.size() > 200 ? fmt::format("{}...", text.substr(0, 200)) : std::string(text),
                        column, name(reason), expected.empty() ? advice(reason) : expected,
                        found_at(text, column)),
            ExitCode::format),
      reason_(reason),
      column_(column) {}
ExpressionError::~ExpressionError() = default;

std::string_view name(ExpressionError::Reason reason) noexcept {
  static constexpr std::string_view kNames[] = {
      "expected_subgraph", "expected_operand", "expected_close",    "expected_arrow",     "expected_name",
      "expected_union",    "unexpected_text",  "bad_string",        "bad_position",       "bad_annotation",
      "ambiguous_name",    "unknown_word",     "position_mismatch", "node_not_in_operand"};
  return kNames[static_cast<std::size_t>(reason)];
}

std::string annotation_text(std::span<const std::pair<std::string, std::string>> annotation) {
  std::string pairs;
  for (const auto& [key, value] : annotation) {
    pairs += (pairs.empty() ? "" : ";") + key + '=' + written_value(value);
  }
  return pairs;
}

std::string ParsedExpression::text(bool with_annotations) const {
  if (!with_annotations) {
    return canonical_text(expression, names);
  }
  std::vector<std::string> unions;
  for (const JoinAnnotation& annotation : annotations) {
    const std::string pairs = annotation_text(annotation);
    unions.push_back(pairs.empty() ? "U" : "U[" + pairs + ']');
  }
  return canonical_text(expression, names, unions);
}

ParsedExpression parse_expression(std::string_view text,
                                  std::optional<std::span<const std::string>> sentence) {
  std::vector<WrittenSubgraph> written = read_syntax(text);
  ParsedExpression result;
  Leftmost error;
  if (sentence) {
    SentenceResolver resolver(*sentence);
    Builder(written, resolver).build(result, error);
    for (std::size_t i = 0; i < sentence->size(); ++i) {
      result.words.push_back({(*sentence)[i], static_cast<std::int32_t>(i) + 1});
    }
    result.names = node_names(*sentence);
  } else {
    FreeResolver resolver(written);
    Builder(written, resolver).build(result, error);
    result.words = std::move(resolver.words);
    for (const ExpressionWord& word : result.words) {
      result.names.push_back(quoted_name(word.form) +
                             (word.position > 0 ? '@' + std::to_string(word.position) : std::string()));
    }
  }
  if (error.column > 0) {
    throw ExpressionError(error.reason, error.column, text);
  }
  return result;
}

}  // namespace mog::analysis
