// Estimates back off: the share among pairs of these tags and side is drawn towards the share among pairs of
// the dependent's tag and side, as if kPseudo more pairs had been seen with it, and that one towards the
// share among all pairs. So what ten sentences have not shown is rare, not impossible: a filter that bends.
#include "analysis/ensembles/relation_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "io/recording/errors.h"

namespace mog::analysis {
namespace {

constexpr double kPseudo = 2;

std::size_t at(std::int32_t index) {
  return static_cast<std::size_t>(index);
}

double backed_off(std::int64_t part, std::int64_t whole, double share) {
  return (static_cast<double>(part) + kPseudo * share) / (static_cast<double>(whole) + kPseudo);
}

}  // namespace

RelationTable::RelationTable(std::int32_t tags, std::int32_t relations) : tags_(tags), relations_(relations) {
  if (tags < 0 || relations < 0) {
    throw UsageError(fmt::format("table of relations: {} tags, {} relations", tags, relations));
  }
  const std::size_t entries = at(relations) + 1;
  pairs_.assign(at(tags) * at(tags) * 2 * entries, 0);
  words_.assign(at(tags) * 2, 0);
  of_dependent_.assign(at(tags) * 2 * entries, 0);
  of_all_.assign(entries, 0);
}

std::size_t RelationTable::row(std::int32_t dependent_tag, std::int32_t head_tag, bool head_before) const {
  return ((at(dependent_tag) * at(tags_) + at(head_tag)) * 2 + (head_before ? 1U : 0U)) *
         (at(relations_) + 1);
}

void RelationTable::add_pair(std::int32_t dependent_tag, std::int32_t head_tag, bool head_before,
                             std::int32_t entry, std::int64_t times) {
  const std::size_t side = at(dependent_tag) * 2 + (head_before ? 1U : 0U);
  pairs_[row(dependent_tag, head_tag, head_before) + at(entry)] += times;
  of_dependent_[side * (at(relations_) + 1) + at(entry)] += times;
  of_all_[at(entry)] += times;
}

void RelationTable::count(const AnnotatedTree& tree, std::int64_t times) {
  const auto words = static_cast<std::int32_t>(tree.heads.size());
  const auto known = [&](std::int32_t tag) { return tag >= 0 && tag < tags_; };
  if (std::ssize(tree.tags) != words || std::ssize(tree.relations) != words ||
      !std::all_of(tree.tags.begin(), tree.tags.end(), known)) {
    throw ShapeError(fmt::format("table of relations: {} words with {} relations and {} tags of {}", words,
                                 tree.relations.size(), tree.tags.size(), tags_));
  }
  for (std::int32_t dependent = 0; dependent < words; ++dependent) {
    const std::int32_t tag = tree.tags[at(dependent)];
    const std::int32_t gold = tree.heads[at(dependent)] - 1;
    words_[at(tag) * 2] += times;
    words_[at(tag) * 2 + 1] += gold < 0 ? times : 0;
    for (std::int32_t head = 0; head < words; ++head) {
      if (head != dependent) {
        add_pair(tag, tree.tags[at(head)], head < dependent, relations_, times);
      }
    }
    if (gold >= 0) {
      add_pair(tag, tree.tags[at(gold)], gold < dependent, tree.relations[at(dependent)], times);
    }
  }
}

void RelationTable::log_probabilities(std::int32_t head_tag, std::int32_t dependent_tag, bool head_before,
                                      std::span<float> out) const {
  const std::size_t entries = at(relations_) + 1;
  const std::int64_t* const side =
      dependent_tag < 0 ? nullptr
                        : of_dependent_.data() + (at(dependent_tag) * 2 + (head_before ? 1U : 0U)) * entries;
  const std::int64_t* const pair =
      dependent_tag < 0 || head_tag < 0 ? nullptr : pairs_.data() + row(dependent_tag, head_tag, head_before);
  for (std::size_t relation = 0; relation < at(relations_); ++relation) {
    // A relation that was seen in no sentence (its own was taken away) is not impossible either.
    double share =
        (static_cast<double>(of_all_[relation]) + 1) / (static_cast<double>(of_all_.back()) + kPseudo);
    for (const std::int64_t* const counts : {side, pair}) {
      share = counts == nullptr ? share : backed_off(counts[relation], counts[entries - 1], share);
    }
    out[relation] = static_cast<float>(std::log(share));
  }
}

double RelationTable::log_root(std::int32_t tag) const {
  std::int64_t words = 0;
  std::int64_t roots = 0;
  for (std::size_t one = 0; one < at(tags_); ++one) {
    words += words_[one * 2];
    roots += words_[one * 2 + 1];
  }
  const double share = (static_cast<double>(roots) + 1) / (static_cast<double>(words) + kPseudo);
  return std::log(tag < 0 ? share : backed_off(words_[at(tag) * 2 + 1], words_[at(tag) * 2], share));
}

RelationTable RelationTable::of(std::int32_t tags, std::int32_t relations, std::vector<std::int64_t> pairs,
                                std::vector<std::int64_t> words) {
  RelationTable table(tags, relations);
  if (pairs.size() != table.pairs_.size() || words.size() != table.words_.size()) {
    throw UsageError(fmt::format("table of {} tags and {} relations: {} and {} counts, expected {} and {}",
                                 tags, relations, pairs.size(), words.size(), table.pairs_.size(),
                                 table.words_.size()));
  }
  const auto wrong = [](std::int64_t part, std::int64_t whole) { return part < 0 || part > whole; };
  for (std::int32_t dependent = 0; dependent < tags; ++dependent) {
    if (wrong(words[at(dependent) * 2 + 1], words[at(dependent) * 2])) {
      throw UsageError(fmt::format("table of relations: tag {} has {} roots among {} words", dependent + 1,
                                   words[at(dependent) * 2 + 1], words[at(dependent) * 2]));
    }
    for (std::int32_t head = 0; head < tags; ++head) {
      for (const bool before : {false, true}) {
        const std::size_t first = table.row(dependent, head, before);
        std::int64_t left = pairs[first + at(relations)];
        for (std::int32_t entry = 0; entry <= relations; ++entry) {
          const std::int64_t count = pairs[first + at(entry)];
          if (wrong(count, entry < relations ? left : count)) {
            throw UsageError(fmt::format("table of relations: tags {} and {} have more edges than pairs",
                                         dependent + 1, head + 1));
          }
          left -= entry < relations ? count : 0;
          table.add_pair(dependent, head, before, entry, count);
        }
      }
    }
  }
  table.words_ = std::move(words);
  return table;
}

}  // namespace mog::analysis
