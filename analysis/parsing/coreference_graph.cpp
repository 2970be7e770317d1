// Both ways are one pass over tokens that end a mention. Out: the mentions that are kept, by last token, each
// linked with the last one of its chain. In: a disjoint set of mentions that the links join.
#include "analysis/parsing/coreference_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "analysis/parsing/chain_union.h"
#include "io/recording/errors.h"

namespace mog::analysis {
namespace {

struct Kept {
  std::int64_t begin = 0;
  std::size_t chain = 0;
};

std::int64_t links_of(std::span<const Chain> chains) {
  std::int64_t links = 0;
  for (const Chain& chain : chains) {
    links += std::max(std::int64_t{0}, std::ssize(chain) - 1);
  }
  return links;
}

}  // namespace

CoreferenceGraph coreference_graph(std::span<const Chain> chains) {
  CoreferenceGraph graph;
  std::map<Mention, std::size_t> chain_of;
  for (std::size_t chain = 0; chain < chains.size(); ++chain) {
    for (const Mention& mention : chains[chain]) {
      if (mention.begin < 0 || mention.end <= mention.begin) {
        throw UsageError(fmt::format("graph of coreference: a mention of the tokens {} to {}", mention.begin,
                                     mention.end - 1));
      }
      chain_of.try_emplace(mention, chain);
    }
  }
  std::map<std::int64_t, Kept> kept;  // [last token]; mentions come by begin, so the longest first
  std::vector<std::int64_t> sizes(chains.size(), 0);
  for (const auto& [mention, chain] : chain_of) {
    graph.lost_mentions += kept.try_emplace(mention.end - 1, Kept{mention.begin, chain}).second ? 0 : 1;
    graph.lost_links += sizes[chain]++ > 0 ? 1 : 0;
  }
  std::vector<std::vector<std::int64_t>> ends(chains.size());  // [chain] last tokens so far
  for (const auto& [last, mention] : kept) {
    const auto query = static_cast<std::int32_t>(last);
    graph.arcs.push_back({query, static_cast<std::int32_t>(mention.begin), kMentionRelation});
    std::vector<std::int64_t>& earlier = ends[mention.chain];
    const auto antecedent =
        std::find_if(earlier.rbegin(), earlier.rend(),
                     [begin = mention.begin](std::int64_t token) { return token != begin; });
    if (antecedent != earlier.rend()) {
      graph.arcs.push_back({query, static_cast<std::int32_t>(*antecedent), kCoreferenceRelation});
    }
    earlier.push_back(last);
  }
  std::ranges::sort(graph.arcs);
  graph.lost_links -= links_of(coreference_chains(graph.arcs));
  return graph;
}

std::vector<Chain> coreference_chains(std::span<const GraphArc> arcs) {
  std::map<std::int32_t, std::int32_t> begin;  // [last token]
  for (const GraphArc& arc : arcs) {
    const bool linked = arc.relation == kCoreferenceRelation;
    if ((arc.relation != kMentionRelation && !linked) || arc.key < 0 || arc.key > arc.query ||
        (linked && arc.key == arc.query)) {
      throw FormatError(fmt::format(
          "graph of coreference: relation {} from token {} to token {}; expected {} (a mention, to its first "
          "token) or {} (a link, to an earlier token)",
          arc.relation, arc.query, arc.key, kMentionRelation, kCoreferenceRelation));
    }
    if (!linked) {
      const auto [at, fresh] = begin.try_emplace(arc.query, arc.key);
      at->second = std::min(at->second, arc.key);
    }
  }
  ChainUnion joined;
  std::map<std::int32_t, std::size_t> number;  // [last token]
  for (const auto& [last, first] : begin) {
    number[last] = joined.add({first, std::int64_t{last} + 1});
  }
  for (const GraphArc& arc : arcs) {
    if (arc.relation == kCoreferenceRelation && number.contains(arc.query) && number.contains(arc.key)) {
      joined.join(number[arc.query], number[arc.key]);
    }
  }
  return joined.chains();
}

}  // namespace mog::analysis
