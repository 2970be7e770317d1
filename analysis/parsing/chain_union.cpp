#include "analysis/parsing/chain_union.h"

namespace mog::analysis {

std::size_t ChainUnion::add(const Mention& mention) {
  const auto [at, fresh] = number_.try_emplace(mention, parent_.size());
  if (fresh) {
    parent_.push_back(at->second);
  }
  return at->second;
}

std::size_t ChainUnion::root(std::size_t at) {
  while (parent_[at] != at) {
    parent_[at] = parent_[parent_[at]];
    at = parent_[at];
  }
  return at;
}

void ChainUnion::join(std::size_t a, std::size_t b) {
  parent_[root(a)] = root(b);
}

std::vector<Chain> ChainUnion::chains() {
  std::vector<Chain> result;
  std::map<std::size_t, std::size_t> place;  // [root]
  for (const auto& [mention, number] : number_) {
    const auto [at, fresh] = place.try_emplace(root(number), result.size());
    if (fresh) {
      result.emplace_back();
    }
    result[at->second].push_back(mention);
  }
  return result;
}

}  // namespace mog::analysis
