// The chart knows the greatest weight of every cell; expressions are made only for the cells that a list
// asks for. The first expression of a cell is found by itself, through tied rules only, so that it is the
// first in the order of ties even where a group is too large to be listed.
#include <algorithm>
#include <cmath>

#include "analysis/mog/search/cell_chart.h"

namespace mog::analysis {

double epsilon_score(const AttentionGrammar& grammar, const RuleProduct& product) {
  double most = 0;
  for (const RuleBand& band : grammar.bands(product)) {
    most = std::max(most, band.epsilon);
  }
  return most > 0 ? std::log(most) : kNoScore;
}

BestCell CellKBest::best(std::int64_t cell) {
  const double score = chart_.score(cell);
  if (score == kNoScore) {
    return {};
  }
  if (const std::int32_t word = chart_.word(cell); word >= 0) {
    return {0, word};
  }
  if (const auto known = best_.find(cell); known != best_.end()) {
    return known->second;
  }
  std::vector<CellRule> rules;
  chart_.rules(cell, rules);
  BestCell best;
  for (const CellRule& rule : rules) {
    const double total =
        rule.score + chart_.score(rule.left) + (rule.right < 0 ? 0 : chart_.score(rule.right));
    if (total < score - kTiedScores) {
      continue;
    }
    const BestCell left = CellKBest::best(rule.left);
    const std::int32_t expression = rule.right < 0
                                        ? left.expression
                                        : pool_.join(left.expression, CellKBest::best(rule.right).expression);
    offer(pool_, best, total, expression);
  }
  best_.emplace(cell, best);
  return best;
}

void CellKBest::offer_candidate(Queue& queue, std::int32_t rule, std::int32_t left, std::int32_t right) {
  const CellRule& made = queue.rules[static_cast<std::size_t>(rule)];
  double score = made.score;
  if (left == 0 && right == 0) {
    // Tails are not opened before they are needed.
    score += chart_.score(made.left) + (made.right < 0 ? 0 : chart_.score(made.right));
  } else {
    const BestCell* const first = entry(made.left, left);
    const BestCell* const second = made.right < 0 ? nullptr : entry(made.right, right);
    if (first == nullptr || (made.right >= 0 && second == nullptr)) {
      return;
    }
    score += first->score + (second == nullptr ? 0 : second->score);
  }
  queue.heap.push_back({score, rule, left, right});
  std::push_heap(queue.heap.begin(), queue.heap.end());
}

CellKBest::Queue& CellKBest::open(std::int64_t cell) {
  std::unique_ptr<Queue>& queue = queues_[cell];
  if (!queue) {
    queue = std::make_unique<Queue>();
  }
  Queue& opened = *queue;
  if (opened.open) {
    return opened;
  }
  opened.open = true;
  const BestCell first = best(cell);
  if (first.expression < 0) {
    return opened;
  }
  opened.found.push_back(first);
  opened.seen.insert(first.expression);
  if (chart_.word(cell) < 0) {
    chart_.rules(cell, opened.rules);
    for (std::size_t rule = 0; rule < opened.rules.size(); ++rule) {
      offer_candidate(opened, static_cast<std::int32_t>(rule), 0, 0);
    }
  }
  return opened;
}

const BestCell* CellKBest::entry(std::int64_t cell, std::int64_t rank) {
  while (true) {
    const Queue& queue = open(cell);
    if (rank < static_cast<std::int64_t>(queue.found.size())) {
      return &queue.found[static_cast<std::size_t>(rank)];
    }
    if (!extend(cell)) {
      return nullptr;
    }
  }
}

// Finds the next group of ties that holds something new.
bool CellKBest::extend(std::int64_t cell) {
  Queue& queue = open(cell);
  std::vector<BestCell> group;
  while (group.empty() && !queue.heap.empty()) {
    const double most = queue.heap.front().score;
    while (!queue.heap.empty() && queue.heap.front().score >= most - kTiedScores) {
      if (left_ == 0) {
        ended_by_limit_ = true;
        queue.heap.clear();
        break;
      }
      --left_;
      std::pop_heap(queue.heap.begin(), queue.heap.end());
      const Candidate taken = queue.heap.back();
      queue.heap.pop_back();
      const CellRule rule = queue.rules[static_cast<std::size_t>(taken.rule)];
      const std::int32_t left = entry(rule.left, taken.left)->expression;
      const std::int32_t expression =
          rule.right < 0 ? left : pool_.join(left, entry(rule.right, taken.right)->expression);
      if (queue.seen.insert(expression).second) {
        group.push_back({taken.score, expression});
      }
      if (taken.right == 0) {
        offer_candidate(queue, taken.rule, taken.left + 1, 0);
      }
      if (rule.right >= 0) {
        offer_candidate(queue, taken.rule, taken.left, taken.right + 1);
      }
    }
  }
  std::sort(group.begin(), group.end(), [&](const BestCell& a, const BestCell& b) {
    return tie_order(pool_, a.expression, b.expression) < 0;
  });
  queue.found.insert(queue.found.end(), group.begin(), group.end());
  return !group.empty();
}

std::span<const BestCell> CellKBest::list(std::int64_t cell, std::int64_t k) {
  // The group of the last one wanted is complete when the next group is there.
  const auto complete = [&](const std::vector<BestCell>& found) {
    const auto wanted = static_cast<std::size_t>(k);
    return found.size() > wanted && found.back().score < found[wanted - 1].score - kTiedScores;
  };
  while (!complete(open(cell).found) && extend(cell)) {
  }
  return open(cell).found;
}

}  // namespace mog::analysis
