// The choice is the authors': of each relation and direction the 25 units with the best accuracy are tried
// in that order. While the ensemble has fewer than four, a unit joins when it makes the mean of the maps more
// accurate; later it takes the place of the member for which it gains most, if it gains at all.
//
// Where each word of each map looks is found once, in one pass over all values; it gives the accuracy of
// every single unit. An ensemble then costs edges x words x its size, and there are at most 100 a relation.
// Equal accuracies leave the earlier unit first (the authors' sort leaves the later one).
#include "analysis/ensembles/head_ensembles.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "io/recording/errors.h"

namespace mog::analysis {
namespace {

std::size_t at(std::int32_t index) {
  return static_cast<std::size_t>(index);
}

struct Edge {
  std::int32_t sentence = 0;
  std::int32_t attending = 0;
  std::int32_t attended = 0;
};

// The other word with the greatest weight; of equal ones the first. -1: there is no other word.
std::int32_t looks_at(std::span<const float> row, std::int32_t word) {
  std::int32_t best = -1;
  for (std::int32_t other = 0; other < std::ssize(row); ++other) {
    if (other != word && (best < 0 || row[at(other)] > row[at(best)])) {
      best = other;
    }
  }
  return best;
}

void check(std::span<const AnnotatedSentence> sentences, std::int32_t relations,
           const EnsembleOptions& options) {
  if (options.candidates < 1 || options.most < 1 || relations < 0) {
    throw UsageError(
        fmt::format("head ensembles of {} of {} candidates for {} relations: at least 1, 1 and "
                    "0 are needed",
                    options.most, options.candidates, relations));
  }
  for (const AnnotatedSentence& sentence : sentences) {
    const AnnotatedTree& tree = sentence.tree;
    const auto words = static_cast<std::int64_t>(tree.heads.size());
    const UnitMaps& maps = sentence.maps;
    if (maps.words != words || std::ssize(tree.relations) != words ||
        maps.units != sentences.front().maps.units ||
        std::ssize(maps.values) != std::int64_t{maps.units} * words * words) {
      throw ShapeError(
          fmt::format("head ensembles: a tree of {} words with {} relations, {} maps of {} words "
                      "({} values), where the first sentence has {} maps",
                      words, tree.relations.size(), maps.units, maps.words, maps.values.size(),
                      sentences.front().maps.units));
    }
    for (std::size_t word = 0; word < tree.heads.size(); ++word) {
      const bool root = tree.heads[word] == 0;
      if (tree.heads[word] < 0 || tree.heads[word] > words ||
          (!root && (tree.relations[word] < 0 || tree.relations[word] >= relations))) {
        throw ShapeError(
            fmt::format("head ensembles: word {} has the head {} and the relation {}; there are "
                        "{} words and {} relations",
                        word + 1, tree.heads[word], tree.relations[word], words, relations));
      }
    }
  }
}

class Choice {
 public:
  Choice(std::span<const AnnotatedSentence> sentences, const EnsembleOptions& options)
      : sentences_(sentences), options_(options) {
    units_ = sentences.empty() ? 0 : sentences.front().maps.units;
    for (const AnnotatedSentence& sentence : sentences) {
      if (options.stop.stop_requested()) {
        throw Interrupted("the choice of head ensembles was stopped before it was done");
      }
      std::vector<std::int32_t>& looks = looks_.emplace_back();
      for (std::int32_t unit = 0; unit < units_; ++unit) {
        for (std::int32_t word = 0; word < sentence.maps.words; ++word) {
          looks.push_back(looks_at(sentence.maps.row(unit, word), word));
        }
      }
    }
  }

  HeadEnsemble ensemble(std::span<const Edge> edges) const {
    HeadEnsemble best;
    best.edges = std::ssize(edges);
    if (edges.empty()) {
      return best;
    }
    for (const std::int32_t candidate : candidates(edges)) {
      if (options_.stop.stop_requested()) {
        throw Interrupted("the choice of head ensembles was stopped before it was done");
      }
      consider(candidate, edges, best);
    }
    return best;
  }

 private:
  std::vector<std::int32_t> candidates(std::span<const Edge> edges) const {
    std::vector<std::int64_t> found(at(units_), 0);
    for (const Edge& edge : edges) {
      const std::vector<std::int32_t>& looks = looks_[at(edge.sentence)];
      const std::int32_t words = sentences_[at(edge.sentence)].maps.words;
      for (std::int32_t unit = 0; unit < units_; ++unit) {
        found[at(unit)] += looks[at(unit) * at(words) + at(edge.attending)] == edge.attended ? 1 : 0;
      }
    }
    std::vector<std::int32_t> order(at(units_));
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::int32_t a, std::int32_t b) { return found[at(a)] > found[at(b)]; });
    order.resize(std::min(order.size(), at(options_.candidates)));
    return order;
  }

  double accuracy(std::span<const std::int32_t> units, std::span<const Edge> edges) const {
    std::int64_t found = 0;
    std::vector<float> mean;
    for (const Edge& edge : edges) {
      const UnitMaps& maps = sentences_[at(edge.sentence)].maps;
      mean.assign(at(maps.words), 0.0F);
      for (const std::int32_t unit : units) {
        const std::span<const float> row = maps.row(unit, edge.attending);
        std::transform(row.begin(), row.end(), mean.begin(), mean.begin(), std::plus<>());
      }
      found += looks_at(mean, edge.attending) == edge.attended ? 1 : 0;
    }
    return static_cast<double>(found) / static_cast<double>(edges.size());
  }

  void consider(std::int32_t candidate, std::span<const Edge> edges, HeadEnsemble& best) const {
    if (std::ssize(best.units) < options_.most) {
      std::vector<std::int32_t> with = best.units;
      with.push_back(candidate);
      const double found = accuracy(with, edges);
      if (best.units.empty() || found > best.accuracy) {
        best.units = std::move(with);
        best.accuracy = found;
      }
      return;
    }
    const std::vector<std::int32_t> before = best.units;
    for (std::size_t place = 0; place < before.size(); ++place) {
      std::vector<std::int32_t> with = before;
      with[place] = candidate;
      const double found = accuracy(with, edges);
      if (found > best.accuracy) {
        best.units = std::move(with);
        best.accuracy = found;
      }
    }
  }

  std::span<const AnnotatedSentence> sentences_;
  EnsembleOptions options_;
  std::int32_t units_ = 0;
  std::vector<std::vector<std::int32_t>> looks_;  // [sentence] -> [unit, word]
};

}  // namespace

std::vector<RelationHeads> choose_ensembles(std::span<const AnnotatedSentence> sentences,
                                            std::int32_t relations, const EnsembleOptions& options) {
  check(sentences, relations, options);
  std::vector<std::array<std::vector<Edge>, 2>> edges(at(relations));
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    const AnnotatedTree& tree = sentences[i].tree;
    for (std::size_t word = 0; word < tree.heads.size(); ++word) {
      if (tree.heads[word] > 0) {
        auto& of = edges[at(tree.relations[word])];
        const auto sentence = static_cast<std::int32_t>(i);
        const auto dependent = static_cast<std::int32_t>(word);
        const std::int32_t head = tree.heads[word] - 1;
        of[static_cast<std::size_t>(Attends::dependent)].push_back({sentence, dependent, head});
        of[static_cast<std::size_t>(Attends::head)].push_back({sentence, head, dependent});
      }
    }
  }
  const Choice choice(sentences, options);
  std::vector<RelationHeads> chosen(at(relations));
  for (std::size_t relation = 0; relation < chosen.size(); ++relation) {
    for (const Attends attends : kBothAttend) {
      const auto side = static_cast<std::size_t>(attends);
      chosen[relation][side] = choice.ensemble(edges[relation][side]);
    }
  }
  return chosen;
}

}  // namespace mog::analysis
