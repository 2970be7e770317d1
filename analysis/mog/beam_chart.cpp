// Sets of any number of words, of which the best few are kept for each symbol and number of words.
//
// Pairs of a left and a right set are tried best first and left where even the best of what follows is below
// what is kept; the words of both must differ. Nothing is lost as long as a symbol has no more sets of an
// order than the beam holds: then the chart is the exact one. A beam of good sets may hold no two that make
// the whole sentence; the seeds (cells of the best projective trees) see to it that there is a tree where
// there is a projective one, and that the best is no worse.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <numeric>

#include "analysis/mog/internal_cell_chart.h"

namespace mog::analysis {
namespace {

using Word = std::uint64_t;

std::size_t at(std::int64_t index) {
  return static_cast<std::size_t>(index);
}

// Sets with scores, best first once they are closed.
struct SetList {
  std::vector<double> scores;
  std::vector<Word> sets;   // [set, stride]
  std::int64_t first = -1;  // number of the first cell
  std::int64_t size() const { return static_cast<std::int64_t>(scores.size()); }
};

// Keeps the best different sets that it is given.
class BestSets {
 public:
  BestSets(std::int64_t most, std::size_t stride) : most_(most), stride_(stride) {}

  // What is not above it need not be added.
  double bar() const noexcept { return bar_; }
  void add(double score, const Word* a, const Word* b) {
    list_.scores.push_back(score);
    for (std::size_t w = 0; w < stride_; ++w) {
      list_.sets.push_back(a[w] | (b == nullptr ? 0 : b[w]));
    }
    if (list_.size() > 4 * most_ + 64) {
      close();
    }
  }
  SetList take() {
    close();
    return std::move(list_);
  }

 private:
  void close();

  std::int64_t most_;
  std::size_t stride_;
  double bar_ = kNoScore;
  SetList list_;
};

void BestSets::close() {
  const auto set = [&](std::int64_t i) { return list_.sets.data() + at(i) * stride_; };
  const auto compare = [&](std::int64_t i, std::int64_t j) {
    return std::lexicographical_compare_three_way(set(i), set(i) + stride_, set(j), set(j) + stride_);
  };
  std::vector<std::int64_t> order(list_.scores.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](std::int64_t i, std::int64_t j) {
    const auto sets = compare(i, j);
    return sets != 0 ? sets < 0 : list_.scores[at(i)] > list_.scores[at(j)];
  });
  order.erase(std::unique(order.begin(), order.end(),
                          [&](std::int64_t i, std::int64_t j) { return compare(i, j) == 0; }),
              order.end());
  std::stable_sort(order.begin(), order.end(),
                   [&](std::int64_t i, std::int64_t j) { return list_.scores[at(i)] > list_.scores[at(j)]; });
  if (static_cast<std::int64_t>(order.size()) >= most_) {
    order.resize(at(most_));
    bar_ = list_.scores[at(order.back())];
  }
  SetList kept;
  for (const std::int64_t i : order) {
    kept.scores.push_back(list_.scores[at(i)]);
    kept.sets.insert(kept.sets.end(), set(i), set(i) + stride_);
  }
  list_ = std::move(kept);
}

class BeamChart final : public CellChart {
 public:
  BeamChart(const AttentionGrammar& grammar, std::int64_t beam, const CellSeeds& seeds)
      : grammar_(grammar),
        words_(grammar.word_count()),
        beam_(beam),
        stride_(at(words_) / 64 + 1),
        seeds_(seeds),
        lists_(at(grammar.symbol_count()) * at(words_ + 1)) {
    for (std::int32_t symbol = 0; symbol < grammar.symbol_count(); ++symbol) {
      fill(symbol);
    }
  }

  double score(std::int64_t cell) const override {
    const Place place = place_of(cell);
    return place.list->scores[at(cell - place.list->first)];
  }
  std::int32_t word(std::int64_t cell) const override {
    const Place place = place_of(cell);
    return place.row < words_ ? static_cast<std::int32_t>(place.row) : -1;
  }
  std::int64_t whole(std::int32_t symbol) const override {
    const SetList& all = list(symbol, words_);
    return all.size() > 0 ? all.first : -1;
  }
  std::vector<std::int64_t> of_order(std::int32_t symbol, std::int32_t words) const override {
    const SetList& found = list(symbol, words);
    std::vector<std::int64_t> cells(found.scores.size());
    std::iota(cells.begin(), cells.end(), found.first);
    return cells;
  }
  void rules(std::int64_t cell, std::vector<CellRule>& result) override;

 private:
  // Where a cell stands: the list of a symbol (row) or of the right side of a product.
  struct Place {
    std::int64_t row = 0;
    std::int32_t order = 0;
    const SetList* list = nullptr;
  };
  Place place_of(std::int64_t cell) const {
    const auto after =
        std::upper_bound(places_.begin(), places_.end(), cell,
                         [](std::int64_t c, const Place& place) { return c < place.list->first; });
    return *std::prev(after);
  }
  const SetList& list(std::int32_t symbol, std::int32_t order) const {
    return lists_[at(symbol) * at(words_ + 1) + at(order)];
  }
  SetList& list(std::int32_t symbol, std::int32_t order) {
    return lists_[at(symbol) * at(words_ + 1) + at(order)];
  }
  const Word* set(const SetList& list, std::int64_t i) const { return list.sets.data() + at(i) * stride_; }
  bool overlap(const Word* a, const Word* b) const {
    Word both = 0;
    for (std::size_t w = 0; w < stride_; ++w) {
      both |= a[w] & b[w];
    }
    return both != 0;
  }
  static bool has(const Word* set, std::int64_t word) { return (set[word / 64] >> (word % 64) & 1U) != 0; }
  // The place of exactly this set; -1: not kept.
  std::int64_t index(const SetList& list, const Word* wanted) const {
    for (std::int64_t i = 0; i < list.size(); ++i) {
      if (std::memcmp(set(list, i), wanted, stride_ * sizeof(Word)) == 0) {
        return i;
      }
    }
    return -1;
  }
  std::int64_t find(const SetList& list, const Word* wanted) const {
    const std::int64_t place = index(list, wanted);
    return place < 0 ? -1 : list.first + place;
  }
  double score_of(const SetList& list, const Word* wanted) const {
    const std::int64_t place = index(list, wanted);
    return place < 0 ? kNoScore : list.scores[at(place)];
  }
  // Adds the seeds of a row with so many words that are not there yet, each with the score that `derive`
  // finds for it.
  template <class Derive>
  void add_seeds(std::int64_t row, std::int32_t order, SetList& list, const Derive& derive) const {
    const auto seeds = seeds_.find(row);
    if (seeds == seeds_.end()) {
      return;
    }
    for (const std::vector<Word>& seed : seeds->second) {
      int words = 0;
      for (const Word word : seed) {
        words += std::popcount(word);
      }
      const double score = words == order && index(list, seed.data()) < 0 ? derive(seed.data()) : kNoScore;
      if (score > kNoScore) {  // after those that are no worse
        const auto place = std::upper_bound(list.scores.begin(), list.scores.end(), score, std::greater<>()) -
                           list.scores.begin();
        list.scores.insert(list.scores.begin() + place, score);
        list.sets.insert(list.sets.begin() + place * static_cast<std::ptrdiff_t>(stride_), seed.begin(),
                         seed.end());
      }
    }
  }
  void number(std::int64_t row, std::int32_t order, SetList& list) {
    list.first = cells_;
    if (list.size() > 0) {
      places_.push_back({row, order, &list});
      cells_ += list.size();
    }
  }
  void fill(std::int32_t symbol);
  double derive(std::int32_t symbol, std::int32_t order, const Word* wanted,
                const std::vector<std::vector<SetList>>& rights) const;
  // Calls visit(place on the left, place on the right) for every join of kept sets that makes `wanted`.
  template <class Visit>
  void each_split(const RuleProduct& product, const std::vector<SetList>& right, std::int32_t order,
                  const Word* wanted, const Visit& visit) const {
    std::vector<Word> rest(stride_);
    for (std::int32_t size = 1; size < order; ++size) {
      const SetList& left = list(product.left, size);
      for (std::int64_t i = 0; i < left.size(); ++i) {
        bool inside = true;
        for (std::size_t w = 0; w < stride_; ++w) {
          inside = inside && (set(left, i)[w] & ~wanted[w]) == 0;
          rest[w] = wanted[w] & ~set(left, i)[w];
        }
        const SetList& other = right[at(order - size)];
        if (const std::int64_t j = inside ? index(other, rest.data()) : -1; j >= 0) {
          visit(left, i, other, j);
        }
      }
    }
  }
  std::vector<SetList> right_side(std::int32_t symbol, const RuleProduct& product) const;
  void meet(const RuleProduct& product, const std::vector<SetList>& right, std::int32_t order,
            BestSets& best) const;
  const std::vector<SetList>& numbered_right_side(std::int32_t symbol, const RuleProduct& product);
  void right_rules(const RuleProduct& product, std::int32_t order, const Word* wanted,
                   std::vector<CellRule>& result) const;

  const AttentionGrammar& grammar_;
  std::int32_t words_;
  std::int64_t beam_;
  std::size_t stride_;
  const CellSeeds& seeds_;                                         // read by the constructor and right_side
  std::vector<SetList> lists_;                                     // [symbol, order]
  std::unordered_map<std::int64_t, std::vector<SetList>> rights_;  // by product, those asked for: [order]
  std::vector<Place> places_;                                      // by first cell
  std::int64_t cells_ = 0;
};

// [order]: the best sets of the tails of all columns and bands, with the weights of their rules.
std::vector<SetList> BeamChart::right_side(std::int32_t symbol, const RuleProduct& product) const {
  const bool top = product.left == AttentionGrammar::kUnit;
  const std::int64_t own = grammar_.kind() == GrammarKind::gru || top ? -1 : grammar_.word_of(symbol);
  std::vector<SetList> result(at(words_ + 1));
  for (std::int32_t order = 1; order <= words_; ++order) {
    BestSets best(beam_, stride_);
    for (const RuleBand& band : grammar_.bands(product)) {
      for (std::int32_t n = 0; n < band.count; ++n) {
        const SetList& tail = list(band.tail_first + n, order);
        const double weight = band.weight(n);
        const double score = weight > 0 && tail.size() > 0 ? std::log(weight) : kNoScore;
        for (std::int64_t i = 0;
             score > kNoScore && i < tail.size() && score + tail.scores[at(i)] > best.bar(); ++i) {
          if (own < 0 || !has(set(tail, i), own)) {
            best.add(score + tail.scores[at(i)], set(tail, i), nullptr);
          }
        }
      }
    }
    result[at(order)] = best.take();
    const std::int64_t row = grammar_.symbol_count() + product_number(grammar_, product);
    add_seeds(row, order, result[at(order)], [&](const Word* wanted) {
      double score = kNoScore;
      for (const RuleBand& band : grammar_.bands(product)) {
        for (std::int32_t n = 0; n < band.count; ++n) {
          if (const double weight = band.weight(n); weight > 0) {
            score = std::max(score, std::log(weight) + score_of(list(band.tail_first + n, order), wanted));
          }
        }
      }
      return score;
    });
  }
  return result;
}

void BeamChart::meet(const RuleProduct& product, const std::vector<SetList>& right, std::int32_t order,
                     BestSets& best) const {
  // The sizes that promise most first, so that the bar is high early.
  std::vector<std::pair<double, std::int32_t>> sizes;
  for (std::int32_t size = 1; size < order; ++size) {
    const SetList& left = list(product.left, size);
    const SetList& other = right[at(order - size)];
    if (left.size() > 0 && other.size() > 0) {
      sizes.emplace_back(left.scores[0] + other.scores[0], size);
    }
  }
  std::sort(sizes.begin(), sizes.end(), std::greater<>());
  for (const auto& [bound, size] : sizes) {
    const SetList& left = list(product.left, size);
    const SetList& other = right[at(order - size)];
    for (std::int64_t i = 0; i < left.size() && left.scores[at(i)] + other.scores[0] > best.bar(); ++i) {
      for (std::int64_t j = 0; j < other.size(); ++j) {
        const double score = left.scores[at(i)] + other.scores[at(j)];
        if (!(score > best.bar())) {
          break;
        }
        if (!overlap(set(left, i), set(other, j))) {
          best.add(score, set(left, i), set(other, j));
        }
      }
    }
  }
}

void BeamChart::fill(std::int32_t symbol) {
  if (grammar_.is_word(symbol)) {
    SetList& atom = list(symbol, 1);
    atom.scores.push_back(0);
    atom.sets.assign(stride_, 0);
    atom.sets[at(symbol / 64)] = Word{1} << (symbol % 64);
    number(symbol, 1, atom);
    return;
  }
  std::vector<std::vector<SetList>> rights;
  for (const RuleProduct& product : grammar_.products(symbol)) {
    rights.push_back(right_side(symbol, product));
  }
  for (std::int32_t order = 1; order <= words_; ++order) {
    BestSets best(beam_, stride_);
    std::size_t p = 0;
    for (const RuleProduct& product : grammar_.products(symbol)) {
      const std::vector<SetList>& right = rights[p++];
      const bool top = product.left == AttentionGrammar::kUnit;
      const SetList& carried = top ? right[at(order)] : list(product.left, order);
      const double epsilon = top ? 0 : epsilon_score(grammar_, product);
      for (std::int64_t i = 0; epsilon > kNoScore && i < carried.size(); ++i) {
        best.add(epsilon + carried.scores[at(i)], set(carried, i), nullptr);
      }
      if (!top) {
        meet(product, right, order, best);
      }
    }
    SetList& made = list(symbol, order);
    made = best.take();
    add_seeds(symbol, order, made, [&](const Word* wanted) { return derive(symbol, order, wanted, rights); });
    number(symbol, order, made);
  }
}

const std::vector<SetList>& BeamChart::numbered_right_side(std::int32_t symbol, const RuleProduct& product) {
  const std::int64_t number_of = product_number(grammar_, product);
  const auto [entry, fresh] = rights_.try_emplace(number_of);
  if (fresh) {
    entry->second = right_side(symbol, product);
    for (std::int32_t order = 1; order <= words_; ++order) {
      number(grammar_.symbol_count() + number_of, order, entry->second[at(order)]);
    }
  }
  return entry->second;
}

void BeamChart::right_rules(const RuleProduct& product, std::int32_t order, const Word* wanted,
                            std::vector<CellRule>& result) const {
  for (const RuleBand& band : grammar_.bands(product)) {
    for (std::int32_t n = 0; n < band.count; ++n) {
      const double weight = band.weight(n);
      if (weight <= 0) {
        continue;
      }
      if (const std::int64_t cell = find(list(band.tail_first + n, order), wanted); cell >= 0) {
        result.push_back({std::log(weight), cell, -1});
      }
    }
  }
}

void BeamChart::rules(std::int64_t cell, std::vector<CellRule>& result) {
  const Place place = place_of(cell);
  const std::vector<Word> whole(set(*place.list, cell - place.list->first),
                                set(*place.list, cell - place.list->first) + stride_);
  if (place.row >= grammar_.symbol_count()) {
    right_rules(grammar_.products(0).data()[place.row - grammar_.symbol_count()], place.order, whole.data(),
                result);
    return;
  }
  const auto symbol = static_cast<std::int32_t>(place.row);
  for (const RuleProduct& product : grammar_.products(symbol)) {
    if (product.left == AttentionGrammar::kUnit) {
      right_rules(product, place.order, whole.data(), result);
      continue;
    }
    const double epsilon = epsilon_score(grammar_, product);
    const std::int64_t carried = find(list(product.left, place.order), whole.data());
    if (epsilon > kNoScore && carried >= 0) {
      result.push_back({epsilon, carried, -1});
    }
    each_split(product, numbered_right_side(symbol, product), place.order, whole.data(),
               [&](const SetList& left, std::int64_t i, const SetList& right, std::int64_t j) {
                 result.push_back({0, left.first + i, right.first + j});
               });
  }
}

// The score of a set that the beam has not kept by itself.
double BeamChart::derive(std::int32_t symbol, std::int32_t order, const Word* wanted,
                         const std::vector<std::vector<SetList>>& rights) const {
  double best = kNoScore;
  std::size_t p = 0;
  for (const RuleProduct& product : grammar_.products(symbol)) {
    const std::vector<SetList>& right = rights[p++];
    if (product.left == AttentionGrammar::kUnit) {
      best = std::max(best, score_of(right[at(order)], wanted));
      continue;
    }
    best = std::max(best, epsilon_score(grammar_, product) + score_of(list(product.left, order), wanted));
    each_split(product, right, order, wanted,
               [&](const SetList& left, std::int64_t i, const SetList& other, std::int64_t j) {
                 best = std::max(best, left.scores[at(i)] + other.scores[at(j)]);
               });
  }
  return best;
}

}  // namespace

std::unique_ptr<CellChart> make_beam_chart(const AttentionGrammar& grammar, std::int64_t beam,
                                           const CellSeeds& seeds) {
  return std::make_unique<BeamChart>(grammar, beam, seeds);
}

double beam_chart_bytes(std::int32_t words, std::int64_t layers, bool graph, std::int64_t beam) {
  const double cell = 8 + 8 * (words / 64 + 1);
  double lists = 0;
  for (std::int64_t layer = 1; layer <= layers; ++layer) {
    lists += std::min<double>(words, layer < 30 ? static_cast<double>(std::int64_t{1} << layer) : words);
  }
  return lists * words * (graph ? 2 : 1) * static_cast<double>(beam) * cell;
}

}  // namespace mog::analysis
