#include "app/workflow/graphs/tree_constraints.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "io/recording/counted.h"

namespace mog::app {
namespace {

bool read_number(std::string_view text, std::int32_t& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

[[noreturn]] void refuse(const TreeArc& arc, const std::string& why) {
  throw ConstraintError(fmt::format("The arc {} cannot be set: {}.", tree_arc_text(arc), why));
}

void check_arc(const TreeArc& arc, const Sentence& sentence) {
  const auto words = static_cast<std::int32_t>(sentence.words.size());
  if (arc.dependent < 1 || arc.dependent > words || arc.head < 0 || arc.head > words) {
    refuse(arc, "the sentence has " + counted(words, "word"));
  }
  if (arc.dependent == arc.head) {
    refuse(arc, "a word does not hang on itself");
  }
  for (const std::int32_t word : {arc.dependent, arc.head}) {
    const bool read = word == 0 || std::any_of(sentence.tokens.begin(), sentence.tokens.end(),
                                               [&](const Token& token) { return token.word + 1 == word; });
    if (!read) {
      refuse(arc, fmt::format("the model reads nothing of word {}", word));
    }
  }
}

}  // namespace

std::string tree_arc_text(const TreeArc& arc) {
  return fmt::format("{}:{}", arc.dependent, arc.head);
}

TreeArc parse_tree_arc(std::string_view option, std::string_view text) {
  TreeArc arc;
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos || !read_number(text.substr(0, colon), arc.dependent) ||
      !read_number(text.substr(colon + 1), arc.head) || arc.dependent < 1 || arc.head < 0) {
    throw UsageError(fmt::format(
        "{} {}: expected WORD:HEAD, numbers from 1 and 0 for the root, for example 7:2", option, text));
  }
  return arc;
}

void check_constraints(const TreeConstraints& constraints, const Sentence& sentence) {
  std::set<std::int32_t> has_head;
  bool has_root = false;
  for (const TreeArc& arc : constraints.forced) {
    check_arc(arc, sentence);
    if (!has_head.insert(arc.dependent).second) {
      refuse(arc, fmt::format("another head of word {} is forced", arc.dependent));
    }
    if (arc.head == 0 && has_root) {
      refuse(arc, "another word is forced to be the root");
    }
    has_root = has_root || arc.head == 0;
  }
  for (const TreeArc& arc : constraints.forbidden) {
    check_arc(arc, sentence);
    if (std::find(constraints.forced.begin(), constraints.forced.end(), arc) != constraints.forced.end()) {
      refuse(arc, "it is both forced and forbidden");
    }
  }
}

}  // namespace mog::app
