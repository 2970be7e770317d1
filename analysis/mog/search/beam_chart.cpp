// Sets of any number of words, of which the best few are kept for each symbol and number of words.
//
// Pairs of a left and a right set are tried best first and left where even the best of what follows is below
// what is kept; the words of both must differ. Nothing is lost as long as a symbol has no more sets of an
// order than the beam holds: then the chart is the exact one. A beam of good sets may hold no two that make
// the whole sentence; the seeds (cells of the best trees of neighbouring stretches) see to it that there is a
// tree where there is one of that shape, and that the best is no worse.
//
// A full chart has T * sum_l min(T, 2^l) lists a kind of symbol: 600 words and 12 layers would be 3.4 million
// lists of 80-byte sets (2.4 GB with a beam of 8), made from some 10^10 pairs of lists, and the sets of 300
// words in it would hardly ever be each other's complement. So there is a greatest order (`most_order`) up to
// which any set is kept; greater ones are the seeds alone, each with the best way to make it from what there
// is. Columns of a product are taken from a heap by the best they can give: most are never looked into.
#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include "analysis/mog/search/beam_sets.h"
#include "analysis/mog/search/cell_chart.h"

namespace mog::analysis {
namespace {

std::size_t at(std::int64_t index) {
  return static_cast<std::size_t>(index);
}

class BeamChart final : public CellChart {
 public:
  BeamChart(const AttentionGrammar& grammar, const BeamOptions& options, const CellSeeds& seeds,
            const SearchControl& control)
      : grammar_(grammar),
        words_(grammar.word_count()),
        most_(std::min(options.most_order, grammar.word_count())),
        beam_(options.beam),
        stride_(at(words_) / 64 + 1),
        seeds_(seeds),
        heads_(at(most_ + 1), std::vector<double>(at(grammar.symbol_count()), kNoScore)) {
    lists_.reserve(at(grammar.symbol_count()));
    for (std::int32_t symbol = 0; symbol < grammar.symbol_count(); ++symbol) {
      lists_.emplace_back(most_of(symbol));
    }
    for (std::int32_t symbol = 0; symbol < grammar.symbol_count(); ++symbol) {
      control.step("sets of words", symbol, grammar.symbol_count());
      fill(symbol);
      for (std::int32_t order = 1; order <= lists_[at(symbol)].most(); ++order) {
        const SetList& list = lists_[at(symbol)][order];
        heads_[at(order)][at(symbol)] = list.size() > 0 ? list.scores.front() : double{kNoScore};
      }
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
    const SetList& all = lists_[at(symbol)][words_];
    return all.size() > 0 ? all.first : -1;
  }
  std::vector<std::int64_t> of_order(std::int32_t symbol, std::int32_t words) const override {
    const SetList& found = lists_[at(symbol)][words];
    std::vector<std::int64_t> cells(found.scores.size());
    for (std::size_t i = 0; i < cells.size(); ++i) {
      cells[i] = found.first + static_cast<std::int64_t>(i);
    }
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
  // Orders of which lists are kept: layer l joins 2^l words at most (a recurrent layer any number).
  std::int32_t most_of(std::int32_t symbol) const {
    const std::int32_t layer = grammar_.layer_of(symbol);
    const bool doubles = !grammar_.recurrent() && layer < 20;
    return doubles ? std::min(most_, std::int32_t{1} << layer) : grammar_.is_word(symbol) ? 1 : most_;
  }
  bool overlap(const SetWord* a, const SetWord* b) const {
    SetWord both = 0;
    for (std::size_t w = 0; w < stride_; ++w) {
      both |= a[w] & b[w];
    }
    return both != 0;
  }
  static bool has(const SetWord* set, std::int64_t word) { return (set[word / 64] >> (word % 64) & 1U) != 0; }
  // The seeds of a row by their number of words.
  std::multimap<std::int32_t, const SetWord*> seeds_of(std::int64_t row) const;
  // Adds a seed that is not there yet with the score that `derive` finds for it.
  template <class Derive>
  void add_seed(const SetWord* seed, SetList& list, const Derive& derive) const {
    if (list.index(seed, stride_) < 0) {
      if (const double score = derive(seed); score > kNoScore) {
        list.insert(score, seed, stride_);
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
  double derive(std::int32_t symbol, std::int32_t order, const SetWord* wanted,
                const std::vector<OrderLists>& rights) const;
  // Calls visit(left list, place in it, right list, place in it) for every join of kept sets that makes
  // `wanted`.
  template <class Visit>
  void each_split(const RuleProduct& product, const OrderLists& right, std::int32_t order,
                  const SetWord* wanted, const Visit& visit) const {
    std::vector<SetWord> rest(stride_);
    lists_[at(product.left)].each(order, [&](std::int32_t size, const SetList& left) {
      const SetList& other = right[order - size];
      for (std::int64_t i = 0; other.size() > 0 && i < left.size(); ++i) {
        const SetWord* const set = left.set(i, stride_);
        bool inside = true;
        for (std::size_t w = 0; w < stride_; ++w) {
          inside = inside && (set[w] & ~wanted[w]) == 0;
          rest[w] = wanted[w] & ~set[w];
        }
        if (const std::int64_t j = inside ? other.index(rest.data(), stride_) : -1; j >= 0) {
          visit(left, i, other, j);
        }
      }
    });
  }
  OrderLists right_side(std::int32_t symbol, const RuleProduct& product) const;
  void add_columns(std::int64_t own, std::int32_t order, const RuleBand& band,
                   std::span<const double> weights, BestColumns& columns, BestSets& best) const;
  void meet(const RuleProduct& product, const OrderLists& right, std::int32_t order, BestSets& best) const;
  const OrderLists& numbered_right_side(std::int32_t symbol, const RuleProduct& product);
  void right_rules(const RuleProduct& product, std::int32_t order, const SetWord* wanted,
                   std::vector<CellRule>& result) const;

  const AttentionGrammar& grammar_;
  std::int32_t words_;
  std::int32_t most_;  // the greatest order of which any set is kept
  std::int64_t beam_;
  std::size_t stride_;
  const CellSeeds& seeds_;                               // read by the constructor and right_side
  std::vector<std::vector<double>> heads_;               // [order, symbol]: the best score up to most_
  std::vector<OrderLists> lists_;                        // [symbol]
  std::unordered_map<std::int64_t, OrderLists> rights_;  // by product, those asked for
  std::vector<Place> places_;                            // by first cell
  std::int64_t cells_ = 0;
};

std::multimap<std::int32_t, const SetWord*> BeamChart::seeds_of(std::int64_t row) const {
  std::multimap<std::int32_t, const SetWord*> result;
  if (const auto seeds = seeds_.find(row); seeds != seeds_.end()) {
    for (const std::vector<SetWord>& seed : seeds->second) {
      std::int32_t words = 0;
      for (const SetWord word : seed) {
        words += std::popcount(word);
      }
      result.emplace(words, seed.data());
    }
  }
  return result;
}

// The columns of a band that promise most first, until none can give anything that is kept.
void BeamChart::add_columns(std::int64_t own, std::int32_t order, const RuleBand& band,
                            std::span<const double> weights, BestColumns& columns, BestSets& best) const {
  columns.start(weights.data(), heads_[at(order)].data() + band.tail_first, at(band.count), best.bar(),
                at(beam_));
  for (std::int32_t n = columns.next(best.bar()); n >= 0; n = columns.next(best.bar())) {
    const SetList& tail = lists_[at(band.tail_first + n)][order];
    const double weight = weights[at(n)];
    for (std::int64_t i = 0; i < tail.size() && weight + tail.scores[at(i)] > best.bar(); ++i) {
      const SetWord* const set = tail.set(i, stride_);
      if (own < 0 || !has(set, own)) {
        best.add(weight + tail.scores[at(i)], set, nullptr);
      }
    }
  }
}

// The best sets of the tails of all columns and bands, with the weights of their rules.
OrderLists BeamChart::right_side(std::int32_t symbol, const RuleProduct& product) const {
  const bool top = product.left == AttentionGrammar::kUnit;
  const std::int64_t own = grammar_.recurrent() || top ? -1 : grammar_.word_of(symbol);
  std::vector<std::vector<double>> weights;  // [band, column], logarithms
  std::int32_t most = 0;
  for (const RuleBand& band : grammar_.bands(product)) {
    auto& scores = weights.emplace_back();
    for (std::int32_t n = 0; n < band.count; ++n) {
      const double weight = band.weight(n);
      scores.push_back(weight > 0 ? std::log(weight) : kNoScore);
    }
    if (band.count > 0) {
      most = std::max(most, lists_[at(band.tail_first)].most());
    }
  }
  OrderLists result(most);
  BestColumns columns;
  BestSets best(beam_, stride_);
  for (std::int32_t order = 1; order <= most; ++order) {
    best.clear();
    std::size_t b = 0;
    for (const RuleBand& band : grammar_.bands(product)) {
      add_columns(own, order, band, weights[b++], columns, best);
    }
    result.make(order) = best.take();
  }
  for (const auto& [order, seed] : seeds_of(grammar_.symbol_count() + product_number(grammar_, product))) {
    add_seed(seed, result.make(order), [&, order = order](const SetWord* wanted) {
      double score = kNoScore;
      std::size_t b = 0;
      for (const RuleBand& band : grammar_.bands(product)) {
        const std::vector<double>& scores = weights[b++];
        for (std::int32_t n = 0; n < band.count; ++n) {
          if (scores[at(n)] > kNoScore) {
            const SetList& tail = lists_[at(band.tail_first + n)][order];
            score = std::max(score, scores[at(n)] + tail.score_of(wanted, stride_));
          }
        }
      }
      return score;
    });
  }
  return result;
}

void BeamChart::meet(const RuleProduct& product, const OrderLists& right, std::int32_t order,
                     BestSets& best) const {
  // The sizes that promise most first, so that the bar is high early.
  const OrderLists& lefts = lists_[at(product.left)];
  std::vector<std::pair<double, std::int32_t>> sizes;
  for (std::int32_t size = std::max(1, order - right.most()); size <= std::min(lefts.most(), order - 1);
       ++size) {
    const SetList& left = lefts[size];
    const SetList& other = right[order - size];
    if (left.size() > 0 && other.size() > 0 && left.scores[0] + other.scores[0] > best.bar()) {
      sizes.emplace_back(left.scores[0] + other.scores[0], size);
    }
  }
  std::sort(sizes.begin(), sizes.end(), std::greater<>());
  for (const auto& [bound, size] : sizes) {
    const SetList& left = lefts[size];
    const SetList& other = right[order - size];
    for (std::int64_t i = 0; i < left.size() && left.scores[at(i)] + other.scores[0] > best.bar(); ++i) {
      for (std::int64_t j = 0; j < other.size(); ++j) {
        const double score = left.scores[at(i)] + other.scores[at(j)];
        if (!(score > best.bar())) {
          break;
        }
        if (!overlap(left.set(i, stride_), other.set(j, stride_))) {
          best.add(score, left.set(i, stride_), other.set(j, stride_));
        }
      }
    }
  }
}

void BeamChart::fill(std::int32_t symbol) {
  OrderLists& own = lists_[at(symbol)];
  if (grammar_.is_word(symbol)) {
    SetList& atom = own.make(1);
    atom.scores.push_back(0);
    atom.sets.assign(stride_, 0);
    atom.sets[at(symbol / 64)] = SetWord{1} << (symbol % 64);
    number(symbol, 1, atom);
    return;
  }
  std::vector<OrderLists> rights;
  for (const RuleProduct& product : grammar_.products(symbol)) {
    rights.push_back(right_side(symbol, product));
  }
  BestSets best(beam_, stride_);
  for (std::int32_t order = 1; order <= own.most(); ++order) {
    best.clear();
    std::size_t p = 0;
    for (const RuleProduct& product : grammar_.products(symbol)) {
      const OrderLists& right = rights[p++];
      const bool top = product.left == AttentionGrammar::kUnit;
      const SetList& carried = top ? right[order] : lists_[at(product.left)][order];
      const double epsilon = top ? 0 : epsilon_score(grammar_, product);
      for (std::int64_t i = 0; epsilon > kNoScore && i < carried.size(); ++i) {
        best.add(epsilon + carried.scores[at(i)], carried.set(i, stride_), nullptr);
      }
      if (!top) {
        meet(product, right, order, best);
      }
    }
    own.make(order) = best.take();
  }
  const auto seeds = seeds_of(symbol);
  for (const auto& [order, seed] : seeds) {
    add_seed(seed, own.make(order),
             [&, order = order](const SetWord* wanted) { return derive(symbol, order, wanted, rights); });
  }
  own.each(words_ + 1, [&](std::int32_t order, const SetList&) { number(symbol, order, own.make(order)); });
}

const OrderLists& BeamChart::numbered_right_side(std::int32_t symbol, const RuleProduct& product) {
  const std::int64_t number_of = product_number(grammar_, product);
  const auto [entry, fresh] = rights_.try_emplace(number_of);
  OrderLists& lists = entry->second;
  if (fresh) {
    lists = right_side(symbol, product);
    lists.each(words_ + 1, [&](std::int32_t order, const SetList&) {
      number(grammar_.symbol_count() + number_of, order, lists.make(order));
    });
  }
  return lists;
}

void BeamChart::right_rules(const RuleProduct& product, std::int32_t order, const SetWord* wanted,
                            std::vector<CellRule>& result) const {
  for (const RuleBand& band : grammar_.bands(product)) {
    for (std::int32_t n = 0; n < band.count; ++n) {
      const double weight = band.weight(n);
      if (weight <= 0) {
        continue;
      }
      const SetList& tail = lists_[at(band.tail_first + n)][order];
      if (const std::int64_t cell = tail.cell(wanted, stride_); cell >= 0) {
        result.push_back({std::log(weight), cell, -1});
      }
    }
  }
}

void BeamChart::rules(std::int64_t cell, std::vector<CellRule>& result) {
  const Place place = place_of(cell);
  const SetWord* const set = place.list->set(cell - place.list->first, stride_);
  const std::vector<SetWord> whole(set, set + stride_);
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
    const std::int64_t carried = lists_[at(product.left)][place.order].cell(whole.data(), stride_);
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
double BeamChart::derive(std::int32_t symbol, std::int32_t order, const SetWord* wanted,
                         const std::vector<OrderLists>& rights) const {
  double best = kNoScore;
  std::size_t p = 0;
  for (const RuleProduct& product : grammar_.products(symbol)) {
    const OrderLists& right = rights[p++];
    if (product.left == AttentionGrammar::kUnit) {
      for (const RuleBand& band : grammar_.bands(product)) {
        for (std::int32_t n = 0; n < band.count; ++n) {
          const double score = lists_[at(band.tail_first + n)][order].score_of(wanted, stride_);
          if (band.weight(n) > 0 && score > kNoScore) {
            best = std::max(best, std::log(band.weight(n)) + score);
          }
        }
      }
      continue;
    }
    best = std::max(
        best, epsilon_score(grammar_, product) + lists_[at(product.left)][order].score_of(wanted, stride_));
    each_split(product, right, order, wanted,
               [&](const SetList& left, std::int64_t i, const SetList& other, std::int64_t j) {
                 best = std::max(best, left.scores[at(i)] + other.scores[at(j)]);
               });
  }
  return best;
}

}  // namespace

std::unique_ptr<CellChart> make_beam_chart(const AttentionGrammar& grammar, const BeamOptions& options,
                                           const CellSeeds& seeds, const SearchControl& control) {
  return std::make_unique<BeamChart>(grammar, options, seeds, control);
}

}  // namespace mog::analysis
