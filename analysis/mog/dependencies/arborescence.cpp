// Tarjan's algorithm on a dense matrix, as a growing path (Gabow and others): from any word follow the best
// incoming edge backwards. Where the path meets the root's part it is settled; where it meets itself the
// cycle becomes one node, whose row of incoming weights is the best of its members' rows, each less what the
// member pays already. A row costs O(n), and there are at most 2n nodes: O(n^2). The textbook recursion
// contracts one cycle a pass and is O(n^3) on chains of cycles.
#include "analysis/mog/dependencies/arborescence.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <fmt/format.h>

#include "io/recording/errors.h"

namespace mog::analysis {
namespace {

constexpr double kNone = -std::numeric_limits<double>::infinity();

std::size_t at(std::int32_t index) {
  return static_cast<std::size_t>(index);
}

void check(const EdgeWeights& weights) {
  const std::size_t side = at(weights.words) + 1;
  if (weights.words < 1 || weights.values.size() != side * side) {
    throw UsageError(fmt::format("best tree over {} words: expected {} weights, found {}", weights.words,
                                 side * side, weights.values.size()));
  }
  for (std::int32_t dependent = 1; dependent <= weights.words; ++dependent) {
    for (std::int32_t head = 0; head <= weights.words; ++head) {
      const double weight = weights.at(head, dependent);
      if (head != dependent && (std::isnan(weight) || weight == -kNone)) {
        throw UsageError(fmt::format("best tree over {} words: the weight of {} -> {} is {}", weights.words,
                                     head, dependent, weight));
      }
    }
  }
}

[[noreturn]] void no_tree(std::int32_t words) {
  throw UsageError(fmt::format("best tree over {} words: no tree has edges that are all there", words));
}

class Contraction {
 public:
  explicit Contraction(const EdgeWeights& weights) : vertices_(weights.words + 1) {
    const std::size_t most = 2 * at(vertices_);
    rows_.resize(most);
    above_.assign(most, -1);
    group_.resize(most);
    std::iota(group_.begin(), group_.end(), 0);
    entered_.assign(most, {});
    state_.assign(most, State::fresh);
    for (std::int32_t v = 1; v < vertices_; ++v) {
      rows_[at(v)].resize(at(vertices_));
      for (std::int32_t u = 0; u < vertices_; ++u) {
        rows_[at(v)][at(u)] = {u == v ? kNone : weights.at(u, v), v};
      }
    }
    state_[0] = State::settled;
    next_ = vertices_;
  }

  std::vector<std::int32_t> heads() {
    for (std::int32_t start = 1; start < vertices_; ++start) {
      if (state_[at(find(start))] == State::fresh) {
        grow(find(start));
      }
    }
    return expand();
  }

 private:
  enum class State : char { fresh, on_path, settled };
  struct Entry {  // the best edge from one vertex into a node
    double weight = kNone;
    std::int32_t target = 0;  // the member that it enters
  };
  struct Entered {
    std::int32_t source = -1;
    std::int32_t target = -1;
  };

  std::int32_t find(std::int32_t node) {
    while (group_[at(node)] != node) {
      group_[at(node)] = group_[at(group_[at(node)])];
      node = group_[at(node)];
    }
    return node;
  }

  // The best edge from outside; of equal ones the one from the smallest vertex.
  double enter(std::int32_t node) {
    double best = kNone;
    for (std::int32_t u = 0; u < vertices_; ++u) {
      const Entry& entry = rows_[at(node)][at(u)];
      if (entry.weight > best && find(u) != node) {
        best = entry.weight;
        entered_[at(node)] = {u, entry.target};
      }
    }
    if (best == kNone) {
      no_tree(vertices_ - 1);
    }
    return best;
  }

  void grow(std::int32_t start) {
    std::vector<std::int32_t> path{start};
    std::vector<double> paid;  // the weight that entered each node of the path
    state_[at(start)] = State::on_path;
    while (true) {
      paid.push_back(enter(path.back()));
      const std::int32_t before = find(entered_[at(path.back())].source);
      if (state_[at(before)] == State::settled) {
        break;
      }
      if (state_[at(before)] == State::fresh) {
        state_[at(before)] = State::on_path;
        path.push_back(before);
        continue;
      }
      const auto first = std::find(path.begin(), path.end(), before);
      const auto keep = first - path.begin();
      const std::int32_t made =
          contract({path.begin() + keep, path.end()}, {paid.begin() + keep, paid.end()});
      path.resize(static_cast<std::size_t>(keep));
      paid.resize(static_cast<std::size_t>(keep));
      path.push_back(made);
    }
    for (const std::int32_t node : path) {
      state_[at(node)] = State::settled;
    }
  }

  std::int32_t contract(const std::vector<std::int32_t>& cycle, const std::vector<double>& paid) {
    const std::int32_t made = next_++;
    std::vector<Entry>& row = rows_[at(made)];
    row.resize(at(vertices_));
    for (std::size_t i = 0; i < cycle.size(); ++i) {
      std::vector<Entry>& member = rows_[at(cycle[i])];
      for (std::size_t u = 0; u < row.size(); ++u) {
        const double weight = member[u].weight - paid[i];
        if (weight > row[u].weight) {
          row[u] = {weight, member[u].target};
        }
      }
      std::vector<Entry>().swap(member);
      above_[at(cycle[i])] = made;
      group_[at(cycle[i])] = made;
    }
    state_[at(made)] = State::on_path;
    return made;
  }

  // Later nodes first: an edge into a node decides which member it enters, and with it every node between.
  std::vector<std::int32_t> expand() {
    std::vector<std::int32_t> heads(at(vertices_) - 1, 0);
    std::vector<char> decided(at(next_), 0);
    for (std::int32_t node = next_ - 1; node > 0; --node) {
      if (decided[at(node)] != 0 || entered_[at(node)].source < 0) {
        continue;
      }
      const Entered edge = entered_[at(node)];
      heads[at(edge.target) - 1] = edge.source;
      for (std::int32_t below = edge.target; below != node; below = above_[at(below)]) {
        decided[at(below)] = 1;
      }
    }
    return heads;
  }

  std::int32_t vertices_;
  std::int32_t next_ = 0;
  std::vector<std::vector<Entry>> rows_;  // [node][vertex]
  std::vector<std::int32_t> above_;       // the node that a node became part of
  std::vector<std::int32_t> group_;       // union-find
  std::vector<Entered> entered_;
  std::vector<State> state_;
};

// Root edges so dear that as few as possible are taken, and the rest decides among them.
EdgeWeights with_dear_roots(EdgeWeights weights) {
  double low = std::numeric_limits<double>::infinity();
  double high = kNone;
  for (std::int32_t dependent = 1; dependent <= weights.words; ++dependent) {
    for (std::int32_t head = 0; head <= weights.words; ++head) {
      const double weight = weights.at(head, dependent);
      if (head != dependent && std::isfinite(weight)) {
        low = std::min(low, weight);
        high = std::max(high, weight);
      }
    }
  }
  const double price = high > low ? 2 * (high - low) * weights.words + 1 : 1;
  for (std::int32_t dependent = 1; dependent <= weights.words; ++dependent) {
    weights.values[at(dependent)] -= price;
  }
  return weights;
}

// ---- Eisner --------------------------------------------------------------------------------------------
//
// Complete spans: the head at one end, everything between under it. Incomplete spans: an edge between the two
// ends. Without the root; the root is put above the best word at the end (one_root), or is word 0 of its own.

class Eisner {
 public:
  Eisner(const EdgeWeights& weights, std::int32_t first)
      : weights_(weights), first_(first), side_(at(weights.words) + 1), cells_(side_ * side_) {
    for (std::int32_t i = first_; i <= weights.words; ++i) {
      cell(i, i).complete[0] = cell(i, i).complete[1] = 0;
    }
    for (std::int32_t length = 1; length <= weights.words - first_; ++length) {
      for (std::int32_t i = first_; i + length <= weights.words; ++i) {
        fill(i, i + length);
      }
    }
  }
  // Everything from i to j under its left (0) or right (1) end.
  double complete(std::int32_t i, std::int32_t j, int head_right) { return cell(i, j).complete[head_right]; }

  void read(std::int32_t i, std::int32_t j, int head_right, std::vector<std::int32_t>& heads) {
    struct Task {
      std::int32_t i;
      std::int32_t j;
      int head_right;
      bool complete;
    };
    std::vector<Task> tasks{{i, j, head_right, true}};
    while (!tasks.empty()) {
      const Task task = tasks.back();
      tasks.pop_back();
      if (task.i == task.j) {
        continue;
      }
      const Cell& c = cell(task.i, task.j);
      if (!task.complete) {
        heads[at(task.head_right == 0 ? task.j : task.i) - 1] = task.head_right == 0 ? task.i : task.j;
        tasks.push_back({task.i, c.meet, 0, true});
        tasks.push_back({c.meet + 1, task.j, 1, true});
      } else if (task.head_right == 0) {
        const std::int32_t split = c.split[0];
        tasks.push_back({task.i, split, 0, false});
        tasks.push_back({split, task.j, 0, true});
      } else {
        const std::int32_t split = c.split[1];
        tasks.push_back({task.i, split, 1, true});
        tasks.push_back({split, task.j, 1, false});
      }
    }
  }

 private:
  struct Cell {
    double complete[2] = {kNone, kNone};
    double incomplete[2] = {kNone, kNone};
    std::int32_t split[2] = {-1, -1};
    std::int32_t meet = -1;
  };
  Cell& cell(std::int32_t i, std::int32_t j) { return cells_[at(i) * side_ + at(j)]; }

  void fill(std::int32_t i, std::int32_t j) {
    Cell& c = cell(i, j);
    double inside = kNone;
    for (std::int32_t k = i; k < j; ++k) {
      const double sum = cell(i, k).complete[0] + cell(k + 1, j).complete[1];
      if (sum > inside) {
        inside = sum;
        c.meet = k;
      }
    }
    c.incomplete[0] = inside + weights_.at(i, j);
    c.incomplete[1] = i == 0 ? kNone : inside + weights_.at(j, i);  // nothing is above the root
    for (std::int32_t k = i + 1; k <= j; ++k) {
      const double sum = cell(i, k).incomplete[0] + cell(k, j).complete[0];
      if (sum > c.complete[0]) {
        c.complete[0] = sum;
        c.split[0] = k;
      }
    }
    for (std::int32_t k = i; k < j; ++k) {
      const double sum = cell(i, k).complete[1] + cell(k, j).incomplete[1];
      if (sum > c.complete[1]) {
        c.complete[1] = sum;
        c.split[1] = k;
      }
    }
  }

  const EdgeWeights& weights_;
  std::int32_t first_;
  std::size_t side_;
  std::vector<Cell> cells_;
};

std::vector<std::int32_t> projective_heads(const EdgeWeights& weights, bool one_root) {
  std::vector<std::int32_t> heads(at(weights.words), 0);
  Eisner chart(weights, one_root ? 1 : 0);
  if (!one_root) {
    if (chart.complete(0, weights.words, 0) == kNone) {
      no_tree(weights.words);
    }
    chart.read(0, weights.words, 0, heads);
    return heads;
  }
  double best = kNone;
  std::int32_t root = 0;
  for (std::int32_t word = 1; word <= weights.words; ++word) {
    const double sum =
        weights.at(0, word) + chart.complete(1, word, 1) + chart.complete(word, weights.words, 0);
    if (sum > best) {
      best = sum;
      root = word;
    }
  }
  if (root == 0) {
    no_tree(weights.words);
  }
  chart.read(1, root, 1, heads);
  chart.read(root, weights.words, 0, heads);
  return heads;
}

}  // namespace

std::vector<std::int32_t> best_heads(const EdgeWeights& weights, const TreeOptions& options) {
  check(weights);
  if (options.projective) {
    return projective_heads(weights, options.one_root);
  }
  if (!options.one_root) {
    return Contraction(weights).heads();
  }
  std::vector<std::int32_t> heads = Contraction(with_dear_roots(weights)).heads();
  if (std::count(heads.begin(), heads.end(), 0) != 1) {
    no_tree(weights.words);
  }
  return heads;
}

EdgeWeights attachment_weights(std::span<const double> map, std::int32_t words, bool key_is_head) {
  constexpr double kLeast = 1e-12;
  const std::size_t side = at(words);
  if (words < 1 || map.size() != side * side) {
    throw UsageError(
        fmt::format("a map of {} words has {} values, expected {}", words, map.size(), side * side));
  }
  EdgeWeights weights{words, std::vector<double>((side + 1) * (side + 1), 0.0)};
  for (std::size_t query = 0; query < side; ++query) {
    for (std::size_t key = 0; key < side; ++key) {
      const std::size_t head = key_is_head ? key : query;
      const std::size_t dependent = key_is_head ? query : key;
      weights.values[(head + 1) * (side + 1) + dependent + 1] =
          std::log(std::max(map[query * side + key], kLeast));
    }
  }
  return weights;
}

}  // namespace mog::analysis
