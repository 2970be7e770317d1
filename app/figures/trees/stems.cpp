// The query operand of a join has the join's owner. So every leaf starts one stem, the leaf and the joins in
// which it is the query, and every join takes in one other stem: k leaves make k stems and k - 1 key edges.
//
// Nodes are unfolded by occurrence, operands first, with a stack of its own (an expression may be 2,000 joins
// deep). Each node is unfolded at least once; a second time only below kMostStems, since shared nodes may
// double at every level. Whole: O(nodes + kMostStems), and O(joins²) in a row for its tracks.
//
// Tracks depend on the order of the lanes alone, not on their widths, so that the height of a row is known
// before its width. Shortest edge first: it has the least room to go elsewhere.
#include "app/figures/trees/stems.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

namespace mog::figures {

using analysis::TreeFigure;
using analysis::TreeNode;

bool is_join(const TreeFigure& tree, std::int64_t node) {
  const TreeNode& found = tree.nodes[static_cast<std::size_t>(node)];
  return found.left >= 0 && found.right >= 0 && found.left < node && found.right < node;
}

namespace {

class Unfolding {
 public:
  explicit Unfolding(const TreeFigure& tree) : tree_(tree), seen_(tree.nodes.size(), false) {}

  // Roots, then joins that nothing takes in; where there are none, each word by itself.
  Stems whole() {
    for (const std::int64_t root : tree_.roots) {
      if (root >= 0 && root < size()) {
        unfold(root);
      }
    }
    std::vector<bool> used(tree_.nodes.size(), false);
    for (std::int64_t i = 0; i < size(); ++i) {
      if (is_join(tree_, i)) {
        used[static_cast<std::size_t>(tree_.nodes[static_cast<std::size_t>(i)].left)] = true;
        used[static_cast<std::size_t>(tree_.nodes[static_cast<std::size_t>(i)].right)] = true;
      }
    }
    for (std::int64_t i = 0; i < size(); ++i) {
      const auto at = static_cast<std::size_t>(i);
      if (is_join(tree_, i) && !used[at] && !seen_[at]) {
        unfold(i);
      }
    }
    for (std::int64_t i = 0; stems_.joins.empty() && tree_.roots.empty() && i < size(); ++i) {
      unfold(i);
    }
    return std::move(stems_);
  }

 private:
  struct Step {
    std::int64_t node;
    int operands = 0;  // begun
  };

  std::int64_t size() const { return static_cast<std::int64_t>(tree_.nodes.size()); }

  void unfold(std::int64_t root) {
    std::vector<Step> open{{root}};
    std::vector<std::size_t> made;  // stems of finished operands
    while (!open.empty()) {
      Step& step = open.back();
      const auto at = static_cast<std::size_t>(step.node);
      const TreeNode& node = tree_.nodes[at];
      const bool join = is_join(tree_, step.node);
      const bool again = join && step.operands == 0 && seen_[at] && stems_.stems.size() >= kMostStems;
      if (!join || again) {
        stems_.cut += again ? 1 : 0;
        made.push_back(stems_.stems.size());
        stems_.stems.push_back({step.node, node.word, {}, {}});
        open.pop_back();
      } else if (step.operands < 2) {
        seen_[at] = true;
        const std::int64_t operand = step.operands++ == 0 ? node.left : node.right;
        open.push_back({operand});
      } else {
        const std::size_t key = made.back();
        made.pop_back();
        const std::size_t stem = made.back();
        const std::size_t index = stems_.joins.size();
        stems_.joins.push_back({step.node, std::max<std::int64_t>(node.layer, 1), stem, key});
        stems_.stems[stem].joins.push_back(index);
        stems_.stems[key].consumer = index;
        open.pop_back();
      }
    }
  }

  const TreeFigure& tree_;
  std::vector<bool> seen_;
  Stems stems_;
};

// Of a ghost: whether it stands left of the main stem, and beyond those that are taken in higher up.
std::pair<bool, std::int64_t> side(const Stems& all, std::size_t stem) {
  const Stem& ghost = all.stems[stem];
  if (!ghost.consumer) {
    return {false, 0};
  }
  const StemJoin& consumer = all.joins[*ghost.consumer];
  return {all.stems[consumer.stem].word < ghost.word, consumer.layer};
}

void order_lanes(Stems& all) {
  std::map<std::int64_t, std::vector<std::size_t>> columns;
  for (std::size_t i = 0; i < all.stems.size(); ++i) {
    columns[all.stems[i].word].push_back(i);
  }
  for (auto& [word, column] : columns) {
    const std::size_t main = *std::max_element(column.begin(), column.end(), [&](auto a, auto b) {
      const auto rank = [&](std::size_t stem) {
        return std::pair(all.stems[stem].joins.size(), !all.stems[stem].consumer);
      };
      return rank(a) < rank(b);
    });
    const auto place = [&](std::size_t stem) {
      if (stem == main) {
        return std::tuple(1, std::int64_t{0});
      }
      const auto [left, layer] = side(all, stem);
      return left ? std::tuple(0, layer) : std::tuple(2, -layer);
    };
    std::stable_sort(column.begin(), column.end(), [&](auto a, auto b) { return place(a) < place(b); });
    std::int64_t number = 2;
    for (const std::size_t stem : column) {
      all.stems[stem].number = stem == main ? 1 : number++;
      all.stems[stem].lane = all.lanes.size();
      all.lanes.push_back(stem);
    }
  }
}

// Where all words have columns, each by itself.
void find_gaps(Stems& all, std::int64_t words, bool each) {
  std::int64_t next = 0;
  for (std::size_t lane = 0; lane <= all.lanes.size(); ++lane) {
    const std::int64_t word = lane < all.lanes.size() ? all.stems[all.lanes[lane]].word : words;
    const std::int64_t last = std::min(word, words) - 1;
    for (std::int64_t first = next; first <= last; first = each ? first + 1 : last + 1) {
      all.gaps.push_back({lane, first, each ? first : last});
    }
    next = std::max(next, word + 1);
  }
}

void choose_tracks(Stems& all) {
  struct Span {
    std::size_t from;
    std::size_t to;
    std::size_t join;
  };
  std::map<std::int64_t, std::vector<Span>> rows;
  for (std::size_t i = 0; i < all.joins.size(); ++i) {
    const auto [from, to] = std::minmax(all.stems[all.joins[i].stem].lane, all.stems[all.joins[i].key].lane);
    rows[all.joins[i].layer].push_back({from, to, i});
  }
  for (auto& [layer, spans] : rows) {
    std::sort(spans.begin(), spans.end(), [](const Span& a, const Span& b) {
      return std::tuple(a.to - a.from, a.from, a.join) < std::tuple(b.to - b.from, b.from, b.join);
    });
    std::set<std::size_t> discs;
    for (const Span& span : spans) {
      discs.insert(all.stems[all.joins[span.join].stem].lane);
    }
    std::vector<std::vector<Span>> taken;
    for (const Span& span : spans) {
      const auto disc = discs.upper_bound(span.from);
      std::size_t track = disc != discs.end() && *disc < span.to ? 1 : 0;
      // Two that touch at a disc of this row end at its two sides.
      const auto touches = [&](std::size_t end, std::size_t begin) {
        return track == 0 && end == begin && discs.count(end) > 0;
      };
      const auto meets = [&](const Span& other) {
        return other.from <= span.to && span.from <= other.to && !touches(other.to, span.from) &&
               !touches(span.to, other.from);
      };
      while (track < taken.size() && std::any_of(taken[track].begin(), taken[track].end(), meets)) {
        ++track;
      }
      taken.resize(std::max(taken.size(), track + 1));
      taken[track].push_back(span);
      all.joins[span.join].track = track;
    }
    all.tracks[layer] = taken.size() - 1;
  }
}

}  // namespace

Stems stems_of(const TreeFigure& tree) {
  Stems all = Unfolding(tree).whole();
  order_lanes(all);
  find_gaps(all, static_cast<std::int64_t>(tree.words.size()), tree.all_words);
  choose_tracks(all);
  for (const StemJoin& join : all.joins) {
    all.rows = std::max(all.rows, join.layer);
  }
  all.carried = !all.stems.empty() && !tree.roots.empty() && all.rows < tree.layers;
  return all;
}

}  // namespace mog::figures
