// The problem: the 100 best expressions of each of 100 words under 86,000 to 9 million rules, in
// milliseconds. Algorithm 3 of Huang & Chiang (2005) finds derivations best first and asks the tails for
// their next one only when it is needed. Four things make it fast here:
//
//  * Rules are not pushed one by one. A symbol is a product left × (epsilon + Σ_n w_n · tail_n), so that
//    its derivations are a merge of two sorted lists; the right list is itself a lazy merge over the
//    columns n. A map row of 512 columns gives one heap entry to the symbol, not 512.
//  * Columns enter the right list's heap by need: first the best one (one pass of multiplications and
//    maxima, no logarithms), then those down to a share of the best outside, with a bound on the rest. The
//    top of the heap is used only when it is not below that bound, so the order stays exact.
//  * A symbol without joins (a gated state) merges the lists of what it takes over. States among these are
//    passed through, so that an expression of the first layer is not copied from layer to layer.
//  * Lists hold expressions, not derivations: the best weight of an expression is a rule's weight times the
//    best weights of its operands, so a derivation that reads like an earlier one of the same symbol can
//    be dropped where it appears. Masses over all derivations are computed afterwards, exactly, by
//    ExpressionMasses.
//
// Linear values may underflow relative to the best of their block; such columns stay in the rest until
// everything else is used up.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>

#include "analysis/mog/search/lazy_search.h"

namespace mog::analysis {
namespace {

constexpr double kNone = -std::numeric_limits<double>::infinity();
constexpr double kTiny = 1e-290;
constexpr std::size_t kFirstRoom = 8;  // of lists and heaps: most get longer than one entry

template <class Heap>
void sift_down(Heap& heap, std::size_t at) {
  const auto entry = heap[at];
  const std::size_t size = heap.size();
  for (std::size_t child = 2 * at + 1; child < size; child = 2 * at + 1) {
    if (child + 1 < size && heap[child + 1].score > heap[child].score) {
      ++child;
    }
    if (!(heap[child].score > entry.score)) {
      break;
    }
    heap[at] = heap[child];
    at = child;
  }
  heap[at] = entry;
}

template <class Heap>
void push(Heap& heap, const typename Heap::value_type& entry) {
  std::size_t at = heap.size();
  heap.push_back(entry);
  while (at > 0 && entry.score > heap[(at - 1) / 2].score) {
    heap[at] = heap[(at - 1) / 2];
    at = (at - 1) / 2;
  }
  heap[at] = entry;
}

template <class Heap>
void pop(Heap& heap) {
  heap.front() = heap.back();
  heap.pop_back();
  if (!heap.empty()) {
    sift_down(heap, 0);
  }
}

// The logarithm of a linear value, less what rounding may add: so that the best column alone does not ask
// for the next ones.
double bound(double log_unit, double value) {
  const double score = log_unit + std::log(value);
  return score - 4e-15 * (8 + std::abs(score));
}

std::size_t at(std::int32_t index) {
  return static_cast<std::size_t>(index);
}

}  // namespace

LazySearch::LazySearch(const AttentionGrammar& grammar, bool merge)
    : grammar_(grammar), merge_(merge), mask_fits_(false), pool_(grammar.word_count()) {
  const std::int32_t words = grammar.word_count();
  const std::int32_t symbols = grammar.symbol_count();
  mask_fits_ = !grammar.recurrent() && symbols / words <= 64;
  items_.resize(at(symbols) + 1);
  for (std::int32_t symbol = 0; mask_fits_ && symbol < grammar.top_symbol(); ++symbol) {
    items_[at(symbol)].block = std::uint64_t{1} << static_cast<unsigned>(symbol / words);
  }
  linear_best_.assign(at(symbols), 0.0);
  log_block_.assign(at(symbols / words) + 1, 0.0);
  seen_.assign(at(words), 0);
  items_.back().found.push_back({0, -1, 0, 0, -1});
  for (std::int32_t word = 0; word < words; ++word) {
    items_[at(word)].found.push_back({0, word, 0, 0, -1});
    linear_best_[at(word)] = 1;
  }
  for (std::int32_t symbol = words; symbol < symbols; ++symbol) {
    start_item(symbol);
    if ((symbol + 1) % words == 0) {
      close_block(symbol + 1 - words, words);
    }
  }
}

void LazySearch::start_item(std::int32_t symbol) {
  Item& item = items_[at(symbol)];
  item.first_product = static_cast<std::int32_t>(products_.size());
  item.is_state = merge_;
  for (const RuleProduct& rules : grammar_.products(symbol)) {
    Product product{.left = rules.left == AttentionGrammar::kUnit ? grammar_.symbol_count() : rules.left,
                    .rules = &rules};
    const auto bands = grammar_.bands(rules);
    if (bands.size() == 1 && (bands[0].count == 0 || bands[0].scale <= 0)) {
      product.unary_score = std::log(bands[0].epsilon);
    } else {
      item.is_state = false;
      product.right_list = static_cast<std::int32_t>(rights_.size());
      start_right(product, rights_.emplace_back());
    }
    products_.push_back(product);
  }
  if (item.is_state) {
    start_state(symbol, item);
    return;
  }
  item.found.reserve(kFirstRoom);
  item.heap.reserve(kFirstRoom);
  const auto end = static_cast<std::int32_t>(products_.size());
  for (std::int32_t index = item.first_product; index < end; ++index) {
    const Product& product = products_[at(index)];
    double score = product.unary_score;
    if (product.right_list < 0 ? score > kNone : right_score(product, 0, score)) {
      push(item.heap, Frontier{items_[at(product.left)].found.front().score + score, 0, 0, index});
    }
  }
  ensure(symbol, 0);
}

void LazySearch::close_block(std::int32_t first, std::int32_t count) {
  double best = kNone;
  for (std::int32_t symbol = first; symbol < first + count; ++symbol) {
    best = std::max(best, items_[at(symbol)].found.front().score);
  }
  log_block_[at(first / count)] = best;
  for (std::int32_t symbol = first; symbol < first + count; ++symbol) {
    linear_best_[at(symbol)] = std::exp(items_[at(symbol)].found.front().score - best);
  }
}

bool LazySearch::first_time(std::int32_t symbol, const Item& item, std::int32_t expression) {
  if (!mask_fits_) {
    return seen_far_
        .insert(static_cast<std::uint64_t>(symbol) << 32U | static_cast<std::uint32_t>(expression))
        .second;
  }
  if (symbol == grammar_.top_symbol()) {
    return true;  // the words' lists have no expression in common
  }
  if (at(expression) >= seen_.size()) {
    seen_.resize(std::max(at(expression) + 1, seen_.size() * 2), 0);
  }
  const bool first = (seen_[at(expression)] & item.block) == 0;
  seen_[at(expression)] |= item.block;
  return first;
}

// Replaces the top of the heap, which was given out, by what follows it. Each pair (left, right) is reached
// once: along its row, and rows from their first pair.
void LazySearch::move_on(Item& item) {
  const Frontier top = item.heap.front();
  const Product& product = products_[at(top.product)];
  const Item& left = items_[at(product.left)];
  if (product.right_list < 0) {
    if (ensure(product.left, at(top.left_rank) + 1)) {
      const double score = left.found[at(top.left_rank) + 1].score + product.unary_score;
      item.heap.front() = {score, top.left_rank + 1, 0, top.product};
      sift_down(item.heap, 0);
    } else {
      pop(item.heap);
    }
    return;
  }
  double score = 0;
  if (right_score(product, top.right_rank + 1, score)) {
    score += left.found[at(top.left_rank)].score;
    item.heap.front() = {score, top.left_rank, top.right_rank + 1, top.product};
    sift_down(item.heap, 0);
  } else {
    pop(item.heap);
  }
  if (top.right_rank == 0 && ensure(product.left, at(top.left_rank) + 1)) {
    score = left.found[at(top.left_rank) + 1].score + rights_[at(product.right_list)].elements.front().score;
    push(item.heap, Frontier{score, top.left_rank + 1, 0, top.product});
  }
}

// The best derivation of a state, which is most often all that is asked of it.
void LazySearch::start_state(std::int32_t symbol, Item& item) {
  Found best{.score = kNone};
  for (std::size_t index = at(item.first_product); index < products_.size(); ++index) {
    const Found& left = items_[at(products_[index].left)].found.front();
    if (const double score = left.score + products_[index].unary_score; score > best.score) {
      best.score = score;
      best.expression = left.expression;
    }
  }
  first_time(symbol, item, best.expression);
  item.found.push_back(best);
}

// The items from which a state takes over, at once those that a state among them takes over from: an
// expression of the first layer would go through a list of every layer else. Of several ways to an item the
// best counts.
std::vector<LazySearch::Carried> LazySearch::carried_by(std::int32_t symbol) const {
  std::vector<Carried> carried;
  std::map<std::int32_t, double, std::greater<>>
      ways;  // items that are still to be looked at, the last first
  ways.emplace(symbol, 0.0);
  while (!ways.empty()) {
    const auto [item, score] = *ways.begin();
    ways.erase(ways.begin());
    if (item != symbol && !items_[at(item)].is_state) {
      carried.push_back({item, score});
      continue;
    }
    for (std::size_t i = 0; i < grammar_.products(item).size(); ++i) {
      const Product& product = products_[at(items_[at(item)].first_product) + i];
      if (product.unary_score > kNone) {
        double& best = ways.try_emplace(product.left, kNone).first->second;
        best = std::max(best, score + product.unary_score);
      }
    }
  }
  return carried;
}

bool LazySearch::advance_state(std::int32_t symbol, Item& item) {
  if (item.carried.empty()) {
    item.carried = carried_by(symbol);
    item.heap.reserve(item.carried.size());
    for (std::size_t i = 0; i < item.carried.size(); ++i) {
      const double score = items_[at(item.carried[i].left)].found.front().score + item.carried[i].score;
      push(item.heap, Frontier{score, 0, 0, static_cast<std::int32_t>(i)});
    }
  }
  while (true) {
    if (item.stale) {
      item.stale = false;
      Frontier& top = item.heap.front();
      const Carried& carried = item.carried[at(top.product)];
      if (ensure(carried.left, at(++top.left_rank))) {
        top.score = items_[at(carried.left)].found[at(top.left_rank)].score + carried.score;
        sift_down(item.heap, 0);
      } else {
        pop(item.heap);
      }
    }
    if (item.heap.empty()) {
      return false;
    }
    item.stale = true;
    const Frontier& top = item.heap.front();
    const std::int32_t left = item.carried[at(top.product)].left;
    const std::int32_t expression = items_[at(left)].found[at(top.left_rank)].expression;
    if (first_time(symbol, item, expression)) {
      item.found.push_back({.score = top.score, .expression = expression});
      return true;
    }
  }
}

bool LazySearch::advance(std::int32_t symbol, Item& item) {
  if (item.is_state) {
    return advance_state(symbol, item);
  }
  while (true) {
    if (item.stale) {
      item.stale = false;
      move_on(item);
    }
    if (item.heap.empty()) {
      return false;
    }
    item.stale = true;
    const Frontier& top = item.heap.front();
    const Product& product = products_[at(top.product)];
    const std::int32_t left = items_[at(product.left)].found[at(top.left_rank)].expression;
    const std::int32_t right =
        product.right_list < 0 ? -1 : rights_[at(product.right_list)].elements[at(top.right_rank)].expression;
    const std::int32_t expression = left < 0 ? right : right < 0 ? left : pool_.join(left, right);
    if (merge_ && !first_time(symbol, item, expression)) {
      continue;
    }
    item.found.push_back({top.score, expression, top.left_rank, top.right_rank, top.product});
    return true;
  }
}

// Of a product with a list.
bool LazySearch::right_score(const Product& product, std::int32_t rank, double& score) {
  RightList& list = rights_[at(product.right_list)];
  while (list.elements.size() <= at(rank)) {
    if (!next_right(product, list)) {
      return false;
    }
  }
  score = list.elements[at(rank)].score;
  return true;
}

// Fills scan_ with the linear values of all columns.
void LazySearch::scan(const Product& product) {
  const std::int32_t words = grammar_.word_count();
  const auto bands = grammar_.bands(*product.rules);
  double unit = kNone;
  for (const RuleBand& band : bands) {
    unit = std::max(unit, log_block_[at(band.tail_first / words)]);
  }
  scan_.log_unit = unit;
  std::size_t size = 0;
  for (const RuleBand& band : bands) {
    size += at(band.count);
  }
  scan_.values.resize(size);
  double* out = scan_.values.data();
  for (const RuleBand& band : bands) {
    const double scale = band.scale * std::exp(log_block_[at(band.tail_first / words)] - unit);
    const double* const best = linear_best_.data() + band.tail_first;
    for (std::int32_t n = 0; n < band.count; ++n) {
      out[n] = scale * band.weights[n] * best[n];
    }
    if (band.skip >= 0 && band.skip < band.count) {
      out[band.skip] = 0;
    }
    out += band.count;
  }
}

void LazySearch::push_column(const Product& product, RightList& list, std::size_t code) {
  const auto bands = grammar_.bands(*product.rules);
  std::int32_t band = 0;
  while (code >= at(bands[at(band)].count)) {
    code -= at(bands[at(band)].count);
    ++band;
  }
  const auto column = static_cast<std::int32_t>(code);
  const double weight = bands[at(band)].weight(column);
  const Item& tail = items_[at(bands[at(band)].tail_first + column)];
  if (weight > 0 && !tail.found.empty()) {
    const double log_weight = std::log(weight);
    push(list.heap, Candidate{log_weight + tail.found.front().score, log_weight, band, column, 0});
  }
}

// Enters epsilon and the best column.
void LazySearch::start_right(const Product& product, RightList& list) {
  const auto bands = grammar_.bands(*product.rules);
  for (std::size_t b = 0; b < bands.size(); ++b) {
    if (bands[b].epsilon > 0) {
      const double score = std::log(bands[b].epsilon);
      // The column tells which band's epsilon it is.
      push(list.heap, Candidate{score, score, -1, static_cast<std::int32_t>(b), 0});
    }
  }
  if (bands.size() == 1 && bands[0].count == 1) {
    push_column(product, list, 0);  // its tail may be of a block that is not closed
    return;
  }
  scan(product);
  const std::vector<double>& values = scan_.values;
  double best[4] = {0, 0, 0, 0};
  std::size_t i = 0;
  for (; i + 4 <= values.size(); i += 4) {
    for (std::size_t lane = 0; lane < 4; ++lane) {
      best[lane] = values[i + lane] > best[lane] ? values[i + lane] : best[lane];
    }
  }
  for (; i < values.size(); ++i) {
    best[0] = std::max(best[0], values[i]);
  }
  const double most = std::max(std::max(best[0], best[1]), std::max(best[2], best[3]));
  list.has_rest = true;
  if (most < kTiny) {
    list.rest_bound = bound(scan_.log_unit, kTiny);
    list.threshold = std::numeric_limits<double>::infinity();
    list.best_code = -1;
    return;
  }
  list.best_code = static_cast<std::int32_t>(std::find(values.begin(), values.end(), most) - values.begin());
  list.threshold = std::numeric_limits<double>::infinity();
  push_column(product, list, at(list.best_code));
  list.rest_bound = bound(scan_.log_unit, most);
}

// Enters the best columns of those outside: what is no less than a share of the greatest (at first of the one
// that is inside). Of columns
// that differ much few enter, and the share falls from time to time, so that none is looked at often.
void LazySearch::extend_right(const Product& product, RightList& list) {
  scan(product);
  const std::vector<double>& values = scan_.values;
  double most = 0;
  for (const double value : values) {
    most = std::max(most, value < list.threshold ? value : 0.0);
  }
  list.share *= list.share;
  const double threshold = most * list.share;
  const bool all = threshold < kTiny;
  for (std::size_t code = 0; code < values.size(); ++code) {
    if ((all || values[code] >= threshold) && values[code] < list.threshold &&
        static_cast<std::int32_t>(code) != list.best_code) {
      push_column(product, list, code);
    }
  }
  list.threshold = threshold;
  list.has_rest = !all;
  list.rest_bound = all ? kNone : bound(scan_.log_unit, threshold);
}

bool LazySearch::next_right(const Product& product, RightList& list) {
  const auto bands = grammar_.bands(*product.rules);
  if (list.stale) {
    list.stale = false;
    const Candidate top = list.heap.front();
    const std::int32_t tail = top.band < 0 ? -1 : bands[at(top.band)].tail_first + top.column;
    if (tail >= 0 && ensure(tail, at(top.rank) + 1)) {
      const double score = top.log_weight + items_[at(tail)].found[at(top.rank) + 1].score;
      list.heap.front() = {score, top.log_weight, top.band, top.column, top.rank + 1};
      sift_down(list.heap, 0);
    } else {
      pop(list.heap);
    }
  }
  while (list.has_rest && (list.heap.empty() || list.heap.front().score < list.rest_bound)) {
    extend_right(product, list);
  }
  if (list.heap.empty()) {
    return false;
  }
  const Candidate& top = list.heap.front();
  list.stale = true;
  if (top.band < 0) {
    list.elements.push_back({top.score, -1, top.column, -1, 0});
  } else {
    const Item& tail = items_[at(bands[at(top.band)].tail_first + top.column)];
    list.elements.push_back({top.score, tail.found[at(top.rank)].expression, top.band, top.column, top.rank});
  }
  return true;
}

const LazySearch::RightElement& LazySearch::right(const Found& found) const {
  static const RightElement epsilon{0, -1, 0, -1, 0};
  const Product& product = products_[at(found.product)];
  return product.right_list < 0 ? epsilon : rights_[at(product.right_list)].elements[at(found.right_rank)];
}

const RuleProduct& LazySearch::rules(const Found& found) const {
  return *products_[at(found.product)].rules;
}

}  // namespace mog::analysis
