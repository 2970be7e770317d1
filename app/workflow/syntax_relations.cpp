#include "app/workflow/syntax_relations.h"

#include <algorithm>
#include <limits>

namespace mog::app {
namespace {

double quotient(std::int64_t part, std::int64_t whole) {
  return whole == 0 ? std::numeric_limits<double>::quiet_NaN()
                    : static_cast<double>(part) / static_cast<double>(whole);
}

struct Choice {
  std::size_t row = 0;
  double recall = 0;
  double chosen = 0;  // by one half, in the other
};

Choice choose(const RelationCounts& counts, std::span<const std::size_t> rows, std::size_t relation) {
  const auto best = [&](bool first, bool second) {
    const auto found = [&](std::size_t row) {
      return (first ? counts.found(row, relation, 0) : 0) + (second ? counts.found(row, relation, 1) : 0);
    };
    return *std::max_element(rows.begin(), rows.end(),
                             [&](std::size_t a, std::size_t b) { return found(a) < found(b); });
  };
  const std::int64_t words = counts.words(relation, 0) + counts.words(relation, 1);
  const std::size_t row = best(true, true);
  return {
      row, quotient(counts.found(row, relation, 0) + counts.found(row, relation, 1), words),
      quotient(counts.found(best(false, true), relation, 0) + counts.found(best(true, false), relation, 1),
               words)};
}

}  // namespace

void RelationCounts::add(std::size_t row, std::size_t half, const GoldSentence& gold,
                         std::span<const std::int32_t> heads) {
  for (std::size_t word = 0; word < heads.size(); ++word) {
    if (gold.counts[word] == 0) {
      continue;
    }
    const auto relation = static_cast<std::size_t>(gold.relations[word]);
    found_[(row * 2 + half) * relations_ + relation] += heads[word] == gold.heads[word] ? 1 : 0;
  }
}

void RelationCounts::add_words(std::size_t half, const GoldSentence& gold) {
  for (std::size_t word = 0; word < gold.counts.size(); ++word) {
    if (gold.counts[word] != 0) {
      ++words_[half * relations_ + static_cast<std::size_t>(gold.relations[word])];
    }
  }
}

RelationCounts& RelationCounts::operator+=(const RelationCounts& other) {
  if (words_.empty()) {
    return *this = other;
  }
  std::transform(words_.begin(), words_.end(), other.words_.begin(), words_.begin(), std::plus<>());
  std::transform(found_.begin(), found_.end(), other.found_.begin(), found_.begin(), std::plus<>());
  return *this;
}

std::vector<SyntaxRelation> best_of_relations(const RelationCounts& counts, const TreebankSurvey& survey,
                                              std::span<const SyntaxRow> rows,
                                              std::span<const std::size_t> heads,
                                              std::span<const std::size_t> offsets,
                                              const std::function<std::int64_t(std::size_t)>& offset_of) {
  std::vector<SyntaxRelation> result;
  for (const auto& [name, place] : survey.relations) {
    const auto relation = static_cast<std::size_t>(place);
    SyntaxRelation entry;
    entry.relation = name;
    entry.words = counts.words(relation, 0) + counts.words(relation, 1);
    if (entry.words == 0) {
      continue;
    }
    if (!heads.empty()) {
      const Choice head = choose(counts, heads, relation);
      entry.best_head = rows[head.row];
      entry.recall = head.recall;
      entry.chosen = head.chosen;
    }
    const Choice offset = choose(counts, offsets, relation);
    entry.best_offset = offset_of(offset.row);
    entry.offset_recall = offset.recall;
    entry.offset_chosen = offset.chosen;
    result.push_back(std::move(entry));
  }
  std::stable_sort(result.begin(), result.end(),
                   [](const SyntaxRelation& a, const SyntaxRelation& b) { return a.words > b.words; });
  return result;
}

}  // namespace mog::app
