#include "app/workflow/statistics/layers_needed.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "analysis/mog/dependencies/dependency_trees.h"
#include "analysis/mog/search/best_by_leaves.h"
#include "app/workflow/syntax/treebank_words.h"

namespace mog::app {

using analysis::WordSeries;

namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr std::string_view kGoldOwner = "gold, head owns";
constexpr std::string_view kGoldFree = "gold, free anchors";
constexpr std::string_view kFits = "share that fits";
constexpr std::string_view kFound = "found tree";
constexpr std::string_view kModel = "model";

}  // namespace

std::vector<WordSeries> layers_needed_series(bool with_recording, bool with_gold) {
  std::vector<WordSeries> series;
  const auto add = [&](bool wanted, std::string_view kind) {
    if (wanted) {
      series.push_back({.kind = std::string(kind)});
    }
  };
  add(with_gold, kGoldOwner);
  add(with_gold, kGoldFree);
  add(with_recording, kFound);
  add(with_recording, kModel);
  add(with_recording && with_gold, kFits);
  std::sort(series.begin(), series.end());
  return series;
}

analysis::SentenceValues layers_needed(const io::TreebankSentence* gold, std::int64_t number,
                                       std::int64_t words, const std::vector<WordSeries>& series,
                                       const analysis::AttentionGrammar* grammar,
                                       const analysis::SearchControl& control) {
  double needed = kNone;
  double free = kNone;
  if (gold != nullptr && !gold->words.empty()) {
    const DependencyTree tree = dependency_tree(*gold);
    const std::vector<std::int32_t> owner = analysis::layers_owner_head(tree);
    needed = *std::max_element(owner.begin(), owner.end());
    free = 0;
    for (const std::optional<std::int32_t>& layers : analysis::layers_free(tree, control)) {
      // Not a number where it takes more layers than are searched.
      free = layers && free >= 0 ? std::max(free, static_cast<double>(*layers)) : kNone;
    }
  }
  analysis::SentenceValues result{.number = number, .words = 1, .length = words};
  for (const WordSeries& one : series) {
    double value = kNone;
    if (one.kind == kGoldOwner) {
      value = needed;
    } else if (one.kind == kGoldFree) {
      value = free;
    } else if (one.kind == kModel) {
      value = static_cast<double>(grammar->layers());
    } else if (one.kind == kFits) {
      value = needed <= static_cast<double>(grammar->layers()) ? 1 : 0;
    } else {
      const auto best = analysis::BestByLeaves(*grammar, grammar->word_count(), control)
                            .best(analysis::Goal::top(), grammar->word_count());
      value = best ? best->entry.depth : kNone;
    }
    result.values.push_back(value);
  }
  return result;
}

}  // namespace mog::app
