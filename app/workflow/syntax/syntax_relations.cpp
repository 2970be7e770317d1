// For each relation the head that finds most of its words, and how much that says: the best of a hundred
// heads is good by chance, too. So heads are also chosen on one half of the sentences (even or odd) and
// counted on the other, both ways (`chosen`), and the same is done with fixed offsets, which are what a head
// has to beat.
//
// Whether a row finds a word is one bit: rows/8 bytes for each word of the corpus. From these the intervals
// are drawn, for all four numbers from the same resampled sentences, so that they can be compared:
// O(resamples · sentences) for a relation, over sentences that have it.
//
// Trap: intervals are those of the chosen row as it stands. That it was chosen is not in the interval of
// `recall`; `chosen` is the number without that advantage.
#include "app/workflow/syntax/syntax_relations.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "analysis/random/bootstrap.h"

namespace mog::app {
namespace {

double quotient(std::int64_t part, std::int64_t whole) {
  return whole == 0 ? std::numeric_limits<double>::quiet_NaN()
                    : static_cast<double>(part) / static_cast<double>(whole);
}

// A row chosen on all sentences, and on the halves.
struct Choice {
  std::size_t row = 0;
  std::size_t by_half[2] = {0, 0};  // the row for the sentences of a half, chosen on the other
  SyntaxScore recall{};
  SyntaxScore chosen{};
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
  Choice choice{.row = best(true, true), .by_half = {best(false, true), best(true, false)}};
  choice.recall.value =
      quotient(counts.found(choice.row, relation, 0) + counts.found(choice.row, relation, 1), words);
  choice.chosen.value = quotient(
      counts.found(choice.by_half[0], relation, 0) + counts.found(choice.by_half[1], relation, 1), words);
  return choice;
}

// Words of one relation in one sentence, and how many of them each chosen row found.
struct RelationRow {
  std::int64_t words = 0;
  std::int64_t found[4] = {0, 0, 0, 0};  // head, head of the other half, offset, offset of the other half
};

std::vector<RelationRow> rows_of(const RelationHits& hits, std::int32_t relation, const Choice* head,
                                 const Choice& offset) {
  std::vector<RelationRow> rows;
  for (std::size_t sentence = 0; sentence < hits.sentences(); ++sentence) {
    RelationRow row;
    const std::span<const std::int32_t> relations = hits.relations(sentence);
    for (std::size_t word = 0; word < relations.size(); ++word) {
      if (relations[word] != relation) {
        continue;
      }
      ++row.words;
      const auto count = [&](std::size_t place, std::size_t chosen) {
        row.found[place] += hits.found(sentence, word, chosen) ? 1 : 0;
      };
      if (head != nullptr) {
        count(0, head->row);
        count(1, head->by_half[sentence % 2]);
      }
      count(2, offset.row);
      count(3, offset.by_half[sentence % 2]);
    }
    if (row.words > 0) {
      rows.push_back(row);
    }
  }
  return rows;
}

// Intervals of all four recalls from the same resampled sentences.
void fill_intervals(const std::vector<RelationRow>& rows, std::span<SyntaxScore* const> scores,
                    const analysis::BootstrapOptions& bootstrap, std::uint64_t stream) {
  std::vector<std::vector<double>> values(scores.size());
  const auto items = static_cast<std::int64_t>(rows.size());
  for (std::int64_t resample = 0; items >= analysis::kFewestResampled && resample < bootstrap.resamples;
       ++resample) {
    analysis::check_stop(bootstrap);
    RelationRow sum;
    for (std::int64_t draw = 0; draw < items; ++draw) {
      const RelationRow& row = rows[static_cast<std::size_t>(
          analysis::resampled_index(items, bootstrap.seed, stream, static_cast<std::uint64_t>(resample),
                                    static_cast<std::uint64_t>(draw)))];
      sum.words += row.words;
      for (std::size_t i = 0; i < scores.size(); ++i) {
        sum.found[i] += row.found[i];
      }
    }
    for (std::size_t i = 0; i < scores.size(); ++i) {
      values[i].push_back(quotient(sum.found[i], sum.words));
    }
  }
  for (std::size_t i = 0; i < scores.size(); ++i) {
    scores[i]->interval = analysis::percentile_interval(std::move(values[i]), bootstrap.confidence);
  }
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
  std::transform(words_.begin(), words_.end(), other.words_.begin(), words_.begin(), std::plus<>());
  std::transform(found_.begin(), found_.end(), other.found_.begin(), found_.begin(), std::plus<>());
  return *this;
}

void RelationHits::add(std::size_t row, std::size_t sentence, const GoldSentence& gold,
                       std::span<const std::int32_t> heads) {
  Hits& hits = sentences_[sentence];
  hits.bits.resize(gold.heads.size() * words_, 0);
  for (std::size_t word = 0; word < heads.size(); ++word) {
    if (heads[word] == gold.heads[word]) {
      hits.bits[word * words_ + row / 64] |= std::uint64_t{1} << (row % 64);
    }
  }
}

void RelationHits::finish(std::size_t sentence, const GoldSentence& gold) {
  Hits& hits = sentences_[sentence];
  hits.bits.resize(gold.heads.size() * words_, 0);
  for (std::size_t word = 0; word < gold.relations.size(); ++word) {
    hits.relations.push_back(gold.counts[word] != 0 ? gold.relations[word] : -1);
  }
}

std::vector<SyntaxRelation> best_of_relations(const RelationCounts& counts, const RelationHits& hits,
                                              const analysis::BootstrapOptions& bootstrap,
                                              const TreebankSurvey& survey, std::span<const SyntaxRow> rows,
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
    std::optional<Choice> head;
    if (!heads.empty()) {
      head = choose(counts, heads, relation);
      entry.best_head = rows[head->row];
      entry.recall = head->recall;
      entry.chosen = head->chosen;
    }
    const Choice offset = choose(counts, offsets, relation);
    entry.best_offset = offset_of(offset.row);
    entry.offset_recall = offset.recall;
    entry.offset_chosen = offset.chosen;
    SyntaxScore* const scores[] = {&entry.recall, &entry.chosen, &entry.offset_recall, &entry.offset_chosen};
    fill_intervals(rows_of(hits, place, head ? &*head : nullptr, offset), scores, bootstrap,
                   static_cast<std::uint64_t>(relation));
    result.push_back(std::move(entry));
  }
  std::stable_sort(result.begin(), result.end(),
                   [](const SyntaxRelation& a, const SyntaxRelation& b) { return a.words > b.words; });
  return result;
}

}  // namespace mog::app
