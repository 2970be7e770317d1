// Whole trees of long sentences. All stretches of neighbouring words are T^2 / 2 a symbol: too many beyond
// some 170 words and 12 layers. Here a stretch lies in one block of about sqrt(T) words, or consists of whole
// blocks: about T / 3 of them hold a given word, and the best tree of such steps costs L T^3 / 12 steps (600
// words and 12 layers of a Graph-Transformer: some 10^9, about a second). Any tree of these steps is a tree
// of neighbouring stretches, so its weight is a lower bound of theirs.
//
// A recurrent encoder takes one word after the other: its whole tree is a chain, R[l,t] over the words up to
// t from R[l-1,t] over word t and R[l,t-1] over those before (backward: over the words from t on).
#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "analysis/mog/search/cell_chart.h"

namespace mog::analysis {
namespace {

std::size_t at(std::int64_t index) {
  return static_cast<std::size_t>(index);
}

// Seeds as they are found.
class Seeds {
 public:
  explicit Seeds(const AttentionGrammar& grammar) : grammar_(grammar) {}
  void add(std::int64_t row, std::int64_t first, std::int64_t last) {
    std::vector<std::uint64_t> set(at(grammar_.word_count()) / 64 + 1, 0);
    for (std::int64_t w = first; w <= last; ++w) {
      set[at(w / 64)] |= std::uint64_t{1} << (w % 64);
    }
    auto& sets = seeds_[row];
    if (std::find(sets.begin(), sets.end(), set) == sets.end()) {
      sets.push_back(std::move(set));
    }
  }
  void add_right(const RuleProduct& product, std::int64_t first, std::int64_t last) {
    add(grammar_.symbol_count() + product_number(grammar_, product), first, last);
  }
  CellSeeds take() { return std::move(seeds_); }

 private:
  const AttentionGrammar& grammar_;
  CellSeeds seeds_;
};

// ---- blocks ------------------------------------------------------------------------------------------

// A stretch: first..last of the words of the owner's block, or of all blocks.
struct Stretch {
  bool blocks = false;
  std::int64_t first = 0;
  std::int64_t last = 0;
};

class BlockChart {
 public:
  BlockChart(const AttentionGrammar& grammar, const SearchControl& control);
  void trace(std::int32_t symbol, Seeds& seeds) const;

 private:
  struct Cell {
    std::int32_t symbol = 0;
    Stretch stretch;
  };
  struct Step {  // the best way to make a cell
    double score = kNoScore;
    Cell left;
    const RuleProduct* product = nullptr;  // null: the left cell as it is
    Cell right;
  };
  std::int64_t size(std::int64_t block) const { return starts_[at(block + 1)] - starts_[at(block)]; }
  static std::int64_t place(std::int64_t width, std::int64_t first, std::int64_t last) {
    return first * width - first * (first - 1) / 2 + (last - first);
  }
  std::int64_t block_of(std::int64_t word) const { return block_of_[at(word)]; }
  const double* inside(std::int64_t symbol) const { return scores_.data() + offsets_[at(symbol)]; }
  const double* blocks(std::int64_t symbol) const {
    const std::int64_t width = size(block_of(grammar_.word_of(static_cast<std::int32_t>(symbol))));
    return inside(symbol) + width * (width + 1) / 2;
  }
  double score(const Cell& cell) const {
    const std::int64_t width = cell.stretch.blocks ? count_ : size(block_of(grammar_.word_of(cell.symbol)));
    return (cell.stretch.blocks ? blocks(cell.symbol)
                                : inside(cell.symbol))[place(width, cell.stretch.first, cell.stretch.last)];
  }
  std::pair<std::int64_t, std::int64_t> words(const Cell& cell) const {
    if (cell.stretch.blocks) {
      return {starts_[at(cell.stretch.first)], starts_[at(cell.stretch.last + 1)] - 1};
    }
    const std::int64_t start = starts_[at(block_of(grammar_.word_of(cell.symbol)))];
    return {start + cell.stretch.first, start + cell.stretch.last};
  }
  void fill(std::int32_t symbol);
  // The best of what covers a stretch beside the own word or block, of all columns: [first, last].
  void reduce(const RuleProduct& product, std::int64_t own, bool of_blocks);
  // `width` words or blocks, of which `own` is the owner's.
  void meet(const double* left, double epsilon, std::int64_t width, std::int64_t own);
  Step step_of(const Cell& cell) const;
  Step right_of(const RuleProduct& product, const Stretch& stretch, std::int64_t block) const;

  const AttentionGrammar& grammar_;
  std::int64_t count_ = 0;  // blocks
  std::vector<std::int64_t> starts_;
  std::vector<std::int64_t> block_of_;
  std::vector<std::int64_t> offsets_;  // [symbol]
  std::vector<double> scores_;         // of a symbol: [stretch in its block], [stretch of blocks]
  std::vector<double> weights_, right_, made_;
};

BlockChart::BlockChart(const AttentionGrammar& grammar, const SearchControl& control) : grammar_(grammar) {
  const std::int64_t words = grammar.word_count();
  const std::int64_t length = block_length(grammar.word_count());
  count_ = (words + length - 1) / length;
  for (std::int64_t block = 0; block <= count_; ++block) {
    starts_.push_back(block * words / count_);
  }
  for (std::int64_t block = 0; block < count_; ++block) {
    block_of_.insert(block_of_.end(), at(size(block)), block);
  }
  std::int64_t total = 0;
  for (std::int32_t symbol = 0; symbol < grammar.top_symbol(); ++symbol) {
    offsets_.push_back(total);
    const std::int64_t width = size(block_of(grammar.word_of(symbol)));
    total += width * (width + 1) / 2 + count_ * (count_ + 1) / 2;
  }
  scores_.assign(at(total), kNoScore);
  const std::int64_t most = std::max(length, count_);
  right_.resize(at(most * most));
  made_.resize(at(most * most));
  for (std::int32_t symbol = 0; symbol < grammar.top_symbol(); ++symbol) {
    control.step("stretches and blocks of words", symbol, grammar.top_symbol());
    fill(symbol);
  }
}

void BlockChart::reduce(const RuleProduct& product, std::int64_t own, bool of_blocks) {
  const std::int64_t block = block_of(own);
  const std::int64_t width = of_blocks ? count_ : size(block);
  const std::int64_t place_of_own = of_blocks ? block : own - starts_[at(block)];
  std::fill(right_.begin(), right_.begin() + width * width, kNoScore);
  const std::int64_t first_word = of_blocks ? 0 : starts_[at(block)];
  const std::int64_t end_word = of_blocks ? grammar_.word_count() : starts_[at(block + 1)];
  for (const RuleBand& band : grammar_.bands(product)) {
    for (std::int64_t n = first_word; n < std::min<std::int64_t>(end_word, band.count); ++n) {
      const double weight = band.weight(static_cast<std::int32_t>(n));
      const std::int64_t in = of_blocks ? block_of(n) : n - first_word;
      if (weight <= 0 || in == place_of_own) {
        continue;
      }
      const double score = std::log(weight);
      const std::int64_t tail = band.tail_first + n;
      const double* const cells = of_blocks ? blocks(tail) : inside(tail);
      const std::int64_t least = in > place_of_own ? place_of_own + 1 : 0;
      const std::int64_t most = in < place_of_own ? place_of_own - 1 : width - 1;
      for (std::int64_t first = least; first <= in; ++first) {
        const double* const from = cells + place(width, first, in);
        double* const to = right_.data() + first * width + in;
        for (std::int64_t i = 0; i <= most - in; ++i) {
          to[i] = std::max(to[i], score + from[i]);
        }
      }
    }
  }
}

void BlockChart::meet(const double* left, double epsilon, std::int64_t width, std::int64_t own) {
  for (std::int64_t first = 0; first <= own; ++first) {
    for (std::int64_t last = own; last < width; ++last) {
      const double score = left[place(width, first, last)];
      if (score == kNoScore) {
        continue;
      }
      double& same = made_[at(first * width + last)];
      same = std::max(same, score + epsilon);
      for (std::int64_t end = last + 1; end < width; ++end) {
        double& made = made_[at(first * width + end)];
        made = std::max(made, score + right_[at((last + 1) * width + end)]);
      }
      for (std::int64_t begin = 0; begin < first; ++begin) {
        double& made = made_[at(begin * width + last)];
        made = std::max(made, score + right_[at(begin * width + first - 1)]);
      }
    }
  }
}

void BlockChart::fill(std::int32_t symbol) {
  const std::int64_t own = grammar_.word_of(symbol);
  const std::int64_t block = block_of(own);
  const std::int64_t width = size(block);
  double* const in_block = scores_.data() + offsets_[at(symbol)];
  double* const of_blocks = in_block + width * (width + 1) / 2;
  const auto keep = [&](std::int64_t wide, double* to) {
    for (std::int64_t first = 0; first < wide; ++first) {
      for (std::int64_t last = first; last < wide; ++last) {
        to[place(wide, first, last)] = made_[at(first * wide + last)];
      }
    }
  };
  const std::int64_t local = own - starts_[at(block)];
  if (grammar_.is_word(symbol)) {
    in_block[place(width, local, local)] = 0;
  } else {
    std::fill(made_.begin(), made_.begin() + width * width, kNoScore);
    for (const RuleProduct& product : grammar_.products(symbol)) {
      reduce(product, own, false);
      meet(inside(product.left), epsilon_score(grammar_, product), width, local);
    }
    keep(width, in_block);
  }
  std::fill(made_.begin(), made_.begin() + count_ * count_, kNoScore);
  if (!grammar_.is_word(symbol)) {
    for (const RuleProduct& product : grammar_.products(symbol)) {
      reduce(product, own, true);
      meet(blocks(product.left), epsilon_score(grammar_, product), count_, block);
    }
  }
  double& whole_block = made_[at(block * count_ + block)];
  whole_block = in_block[place(width, 0, width - 1)];
  keep(count_, of_blocks);
}

// The best right side over a stretch of words of `block`, or of blocks.
BlockChart::Step BlockChart::right_of(const RuleProduct& product, const Stretch& stretch,
                                      std::int64_t block) const {
  Step best;
  const std::int64_t first = stretch.blocks ? starts_[at(stretch.first)] : starts_[at(block)] + stretch.first;
  const std::int64_t end =
      stretch.blocks ? starts_[at(stretch.last + 1)] : starts_[at(block)] + stretch.last + 1;
  for (const RuleBand& band : grammar_.bands(product)) {
    for (std::int64_t n = first; n < std::min<std::int64_t>(end, band.count); ++n) {
      const double weight = band.weight(static_cast<std::int32_t>(n));
      if (weight <= 0) {
        continue;
      }
      const Cell tail{static_cast<std::int32_t>(band.tail_first + n), stretch};
      const double found = std::log(weight) + score(tail);
      if (found > best.score) {
        best.score = found;
        best.right = tail;
      }
    }
  }
  return best;
}

BlockChart::Step BlockChart::step_of(const Cell& cell) const {
  const std::int64_t block = block_of(grammar_.word_of(cell.symbol));
  const Stretch all = cell.stretch;
  const std::int64_t own = all.blocks ? block : grammar_.word_of(cell.symbol) - starts_[at(block)];
  Step best;
  for (const RuleProduct& product : grammar_.products(cell.symbol)) {
    const auto offer = [&](const Stretch& left, const Stretch& right) {
      const Cell first{product.left, left};
      if (const double base = score(first); base > kNoScore) {
        Step found = right_of(product, right, block);
        if (base + found.score > best.score) {
          best = {base + found.score, first, &product, found.right};
        }
      }
    };
    const Cell same{product.left, all};
    if (const double carried = epsilon_score(grammar_, product) + score(same); carried > best.score) {
      best = {carried, same, nullptr, {}};
    }
    for (std::int64_t cut = all.first; cut < all.last; ++cut) {
      const Stretch before{all.blocks, all.first, cut};
      const Stretch after{all.blocks, cut + 1, all.last};
      own <= cut ? offer(before, after) : offer(after, before);
    }
  }
  return best;
}

void BlockChart::trace(std::int32_t symbol, Seeds& seeds) const {
  const Stretch whole{true, 0, count_ - 1};
  const std::int64_t last_word = grammar_.word_count() - 1;
  std::vector<Cell> pending;
  if (symbol == grammar_.top_symbol()) {
    Step best;
    for (const RuleProduct& product : grammar_.products(symbol)) {
      const Step found = right_of(product, whole, 0);
      best = found.score > best.score ? found : best;
    }
    if (best.score == kNoScore) {
      return;
    }
    seeds.add(symbol, 0, last_word);
    pending.push_back(best.right);
  } else {
    pending.push_back({symbol, whole});
  }
  while (!pending.empty()) {
    Cell cell = pending.back();
    pending.pop_back();
    if (score(cell) == kNoScore) {
      continue;
    }
    const auto [first, last] = words(cell);
    seeds.add(cell.symbol, first, last);
    if (grammar_.is_word(cell.symbol)) {
      continue;
    }
    if (cell.stretch.blocks && cell.stretch.first == cell.stretch.last) {
      cell.stretch = {false, 0, size(cell.stretch.first) - 1};
    }
    const Step step = step_of(cell);
    pending.push_back(step.left);
    if (step.product != nullptr) {
      const auto [begin, end] = words(step.right);
      seeds.add_right(*step.product, begin, end);
      pending.push_back(step.right);
    }
  }
}

// ---- chains of a recurrent encoder -----------------------------------------------------------------------

// Per symbol of word t the best over t alone, over the words up to t, and (backward) over those from t on.
class Chains {
 public:
  explicit Chains(const AttentionGrammar& grammar)
      : grammar_(grammar),
        alone_(at(grammar.symbol_count()), kNoScore),
        until_(at(grammar.symbol_count()), kNoScore),
        from_(at(grammar.symbol_count()), kNoScore) {
    for (std::int32_t symbol = 0; symbol < grammar.top_symbol(); ++symbol) {
      if (grammar.is_word(symbol)) {
        alone_[at(symbol)] = 0;
        until_[at(symbol)] = symbol == 0 ? 0 : kNoScore;
        from_[at(symbol)] = symbol + 1 == grammar.word_count() ? 0 : kNoScore;
        continue;
      }
      for (const RuleProduct& product : grammar.products(symbol)) {
        if (!stays(symbol, product)) {
          continue;
        }
        const double take = epsilon_score(grammar, product);
        for (std::vector<double>* const best : {&alone_, &until_, &from_}) {
          (*best)[at(symbol)] = std::max((*best)[at(symbol)], (*best)[at(product.left)] + take);
        }
        until_[at(symbol)] = std::max(until_[at(symbol)], joined(symbol, product, -1));
        from_[at(symbol)] = std::max(from_[at(symbol)], joined(symbol, product, 1));
      }
    }
  }
  void trace(std::int32_t symbol, Seeds& seeds) const;

 private:
  // Whether the left symbol is of the same word.
  bool stays(std::int32_t symbol, const RuleProduct& product) const {
    return product.left >= 0 && grammar_.word_of(product.left) == grammar_.word_of(symbol);
  }
  const std::vector<double>& chains(std::int32_t direction) const { return direction < 0 ? until_ : from_; }
  // Word t alone with all before it (direction -1) or after it (1).
  double joined(std::int32_t symbol, const RuleProduct& product, std::int32_t direction) const {
    double best = kNoScore;
    for (const RuleBand& band : grammar_.bands(product)) {
      for (std::int32_t n = 0; n < band.count; ++n) {
        const std::int32_t tail = band.tail_first + n;
        if (band.weight(n) > 0 && grammar_.word_of(tail) == grammar_.word_of(symbol) + direction) {
          best = std::max(best,
                          alone_[at(product.left)] + std::log(band.weight(n)) + chains(direction)[at(tail)]);
        }
      }
    }
    return best;
  }
  void trace_alone(std::int32_t symbol, Seeds& seeds) const;
  void trace_chain(std::int32_t symbol, std::int32_t direction, Seeds& seeds) const;

  const AttentionGrammar& grammar_;
  std::vector<double> alone_;
  std::vector<double> until_;
  std::vector<double> from_;
};

void Chains::trace_alone(std::int32_t symbol, Seeds& seeds) const {
  const std::int32_t word = grammar_.word_of(symbol);
  while (true) {
    seeds.add(symbol, word, word);
    if (grammar_.is_word(symbol)) {
      return;
    }
    for (const RuleProduct& product : grammar_.products(symbol)) {
      if (stays(symbol, product) &&
          alone_[at(product.left)] + epsilon_score(grammar_, product) == alone_[at(symbol)]) {
        symbol = product.left;
        break;
      }
    }
  }
}

void Chains::trace_chain(std::int32_t symbol, std::int32_t direction, Seeds& seeds) const {
  const std::vector<double>& best = chains(direction);
  const std::int32_t end = grammar_.word_count() - 1;
  if (best[at(symbol)] == kNoScore) {
    return;
  }
  while (true) {
    const std::int32_t word = grammar_.word_of(symbol);
    seeds.add(symbol, direction < 0 ? 0 : word, direction < 0 ? word : end);
    if (grammar_.is_word(symbol)) {
      return;
    }
    for (const RuleProduct& product : grammar_.products(symbol)) {
      if (!stays(symbol, product)) {
        continue;
      }
      if (best[at(product.left)] + epsilon_score(grammar_, product) == best[at(symbol)]) {
        symbol = product.left;
        break;
      }
      if (joined(symbol, product, direction) == best[at(symbol)]) {
        trace_alone(product.left, seeds);
        seeds.add_right(product, direction < 0 ? 0 : word + 1, direction < 0 ? word - 1 : end);
        symbol = grammar_.bands(product).front().tail_first;
        break;
      }
    }
  }
}

void Chains::trace(std::int32_t symbol, Seeds& seeds) const {
  const std::int32_t end = grammar_.word_count() - 1;
  const auto whole = [&](std::int32_t from) {
    if (grammar_.word_of(from) == end) {
      trace_chain(from, -1, seeds);
    }
    if (grammar_.word_of(from) == 0) {
      trace_chain(from, 1, seeds);
    }
  };
  if (symbol != grammar_.top_symbol()) {
    return whole(symbol);
  }
  seeds.add(symbol, 0, end);
  for (const RuleProduct& product : grammar_.products(symbol)) {
    for (const RuleBand& band : grammar_.bands(product)) {
      for (std::int32_t n = 0; n < band.count; ++n) {
        if (band.weight(n) > 0) {
          whole(band.tail_first + n);
        }
      }
    }
  }
}

}  // namespace

std::int32_t block_length(std::int32_t words) noexcept {
  return std::max(1, static_cast<std::int32_t>(std::lround(std::sqrt(words))));
}

double block_trees_bytes(const GrammarSize& size) {
  const double length = block_length(size.words);
  return is_recurrent(size.kind) ? size.symbols() * 16 : size.symbols() * 8 * (length + 1) * (length + 1);
}

CellSeeds block_trees(const AttentionGrammar& grammar, std::span<const std::int32_t> goals,
                      const SearchControl& control) {
  Seeds seeds(grammar);
  if (grammar.recurrent()) {
    const Chains chains(grammar);
    for (const std::int32_t goal : goals) {
      chains.trace(goal, seeds);
    }
    return seeds.take();
  }
  const BlockChart chart(grammar, control);
  for (const std::int32_t goal : goals) {
    control.step("trees of blocks", 0, 0);
    chart.trace(goal, seeds);
  }
  return seeds.take();
}

}  // namespace mog::analysis
