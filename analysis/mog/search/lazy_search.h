// Lazy k-best search over the products of an attention grammar.
#pragma once

#include <cstdint>
#include <unordered_set>
#include <vector>

#include "analysis/mog/expressions/expression_pool.h"
#include "analysis/mog/grammar/attention_grammar.h"

namespace mog::analysis {

class LazySearch {
 public:
  // One derivation of a symbol: the left symbol's derivation `left_rank` met the right side's element
  // `right_rank` of product `product`.
  struct Found {
    double score = 0;  // logarithm of the weight
    std::int32_t expression = 0;
    std::int32_t left_rank = 0;
    std::int32_t right_rank = 0;
    std::int32_t product = 0;
  };
  // An element of the right side of a product: epsilon, or one derivation of one tail.
  struct RightElement {
    double score = 0;
    std::int32_t expression = -1;  // -1: epsilon
    std::int32_t band = 0;
    std::int32_t column = 0;
    std::int32_t tail_rank = 0;
  };

  // With `merge`, each list holds every expression once, with its best weight.
  LazySearch(const AttentionGrammar& grammar, bool merge);

  // Whether `symbol` has a derivation of this rank (from 0); finds it if so.
  bool ensure(std::int32_t symbol, std::size_t rank) {
    Item& item = items_[static_cast<std::size_t>(symbol)];
    while (item.found.size() <= rank) {
      if (!advance(symbol, item)) {
        return false;
      }
    }
    return true;
  }
  const Found& found(std::int32_t symbol, std::size_t rank) const {
    return items_[static_cast<std::size_t>(symbol)].found[rank];
  }
  // The element that `found` took from the right.
  const RightElement& right(const Found& found) const;
  // Of which of the symbol's products it is.
  const RuleProduct& rules(const Found& found) const;
  const ExpressionPool& pool() const noexcept { return pool_; }

 private:
  struct Candidate {  // the next derivation of one column
    double score;
    double log_weight;
    std::int32_t band;  // -1: epsilon
    std::int32_t column;
    std::int32_t rank;
  };
  // The right side of one product, best first, as far as asked for.
  struct RightList {
    std::vector<RightElement> elements;
    std::vector<Candidate> heap;
    double rest_bound = 0;       // no column outside the heap scores more
    double threshold = 0;        // linear value down to which columns are in the heap
    std::int32_t best_code = 0;  // the column that entered alone
    double share = 0.8;          // of the greatest column outside, down to which columns enter, is its square
    bool has_rest = false;
    bool stale = false;  // the top of the heap was given out and must move on
  };
  struct Product {
    std::int32_t left = 0;         // item
    std::int32_t right_list = -1;  // -1: epsilon alone
    double unary_score = 0;
    const RuleProduct* rules = nullptr;
  };
  struct Frontier {
    double score;
    std::int32_t left_rank;
    std::int32_t right_rank;
    std::int32_t product;
  };
  struct Carried {  // the derivations of an item, all times one weight
    std::int32_t left = 0;
    double score = 0;
  };
  struct Item {
    std::vector<Found> found;
    std::vector<Frontier> heap;
    std::vector<Carried> carried;  // what a state merges, once its second derivation is asked for
    std::uint64_t block = 0;       // the bit of its block in seen_
    std::int32_t first_product = 0;
    bool is_state = false;  // no rule of it joins
    bool stale = false;
  };
  // Columns of a product as numbers that compare like their best scores, relative to `log_unit`.
  struct Scan {
    std::vector<double> values;  // [band 0 columns, band 1 columns, …]
    double log_unit = 0;
  };

  bool advance(std::int32_t symbol, Item& item);
  bool advance_state(std::int32_t symbol, Item& item);
  std::vector<Carried> carried_by(std::int32_t symbol) const;
  void start_state(std::int32_t symbol, Item& item);
  void move_on(Item& item);
  bool first_time(std::int32_t symbol, const Item& item, std::int32_t expression);
  bool right_score(const Product& product, std::int32_t rank, double& score);
  bool next_right(const Product& product, RightList& list);
  void start_right(const Product& product, RightList& list);
  void extend_right(const Product& product, RightList& list);
  void scan(const Product& product);
  void push_column(const Product& product, RightList& list, std::size_t code);
  void start_item(std::int32_t symbol);
  void close_block(std::int32_t first, std::int32_t count);

  const AttentionGrammar& grammar_;
  bool merge_;
  bool mask_fits_;  // owner and block tell a symbol, and the blocks fit in 64 bits
  ExpressionPool pool_;
  std::vector<Item> items_;  // [symbol], then the unit
  std::vector<Product> products_;
  std::vector<RightList> rights_;
  std::vector<double> linear_best_;  // [symbol]: weight of the best derivation relative to its block's
  std::vector<double> log_block_;    // [symbol / words]: logarithm of the block's best
  std::vector<std::uint64_t> seen_;  // [expression]: blocks whose lists hold it
  std::unordered_set<std::uint64_t> seen_far_;  // (symbol, expression) where the mask does not do
  Scan scan_;
};

}  // namespace mog::analysis
