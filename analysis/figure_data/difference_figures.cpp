// Two maps over different words: rows and columns are aligned by a longest common subsequence, so that a
// word that one sentence has alone is a hatched row and all others keep their partner. Places alone would
// compare every word behind an insertion with the wrong one. O(n · m) time and memory for n and m words,
// which is below that of the maps.
//
// Words match when form and special mark are equal. Where a word comes several times the first match from
// the left is taken; among equally long alignments words of the first sentence come first.
//
// Both maps get one scale, the difference one that is even around 0 and ends at a round number.
#include "analysis/figure_data/difference_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/figure_data/captions.h"
#include "analysis/figure_data/ticks.h"
#include "analysis/figure_data/weight_scale.h"

namespace mog::analysis {
namespace {

using Pairs = std::vector<std::pair<std::int64_t, std::int64_t>>;

FigureData figure_of(const ComparedSentence& sentence, const ComparisonOptions& options) {
  return options.what == Compared::gate ? gate_figure(sentence.source, sentence.index, options.tokens)
                                        : attention_figure(sentence.source, sentence.index, options.layer,
                                                           options.part, options.head, options.tokens);
}

std::vector<WordLabel> labels_of(const Pairs& pairs, const std::vector<WordLabel>& first,
                                 const std::vector<WordLabel>& second) {
  std::vector<WordLabel> labels;
  for (const auto& [a, b] : pairs) {
    labels.push_back(a >= 0 ? first[static_cast<std::size_t>(a)] : second[static_cast<std::size_t>(b)]);
    labels.back().word = static_cast<std::int64_t>(labels.size()) - 1;  // no under-bars across the two
  }
  return labels;
}

// What neither sees is no cell; what one of them does not see has the weight 0 there.
double difference(double first, double second) {
  return first == kUnseen && second == kUnseen ? kUnseen : number_of_value(second) - number_of_value(first);
}

HeatMap difference_of(const HeatMap& first, const HeatMap& second) {
  const Pairs rows = align_words(first.rows, second.rows);
  const Pairs columns = align_words(first.columns, second.columns);
  HeatMap result;
  result.row_title = second.row_title;
  result.column_title = second.column_title;
  result.square_cells = second.square_cells;
  result.special_in_scale = second.special_in_scale;
  result.rows = labels_of(rows, first.rows, second.rows);
  result.columns = labels_of(columns, first.columns, second.columns);
  double greatest = 0;
  for (const auto& row : rows) {
    for (const auto& column : columns) {
      const bool both = row.first >= 0 && row.second >= 0 && column.first >= 0 && column.second >= 0;
      const double value =
          both ? difference(first.value(row.first, column.first), second.value(row.second, column.second))
               : kAbsent;
      const bool scaled =
          result.special_in_scale || !result.is_special(result.values.size() / result.columns.size(),
                                                        result.values.size() % result.columns.size());
      if (std::isfinite(value) && scaled) {
        greatest = std::max(greatest, std::abs(value));
      }
      result.values.push_back(value);
    }
  }
  const double end = greatest > 0 ? round_range(0, greatest, 4).high : 1.0;
  result.scale = {ColourScale::Kind::diverging, -end, end, second.scale.quantity};
  result.scale.more = std::any_of(result.values.begin(), result.values.end(),
                                  [end](double value) { return std::abs(value) > end * (1 + 1e-9); });
  // Differences part at 0, not at a median.
  std::string& averaged = result.scale.quantity.averaged;
  averaged.resize(std::min(averaged.size(), averaged.find("; median")));
  result.scale.quantity.quantity = "difference of " + second.scale.quantity.quantity;
  return result;
}

// One scale for both. Gates part where those of the first do.
void share_scale(HeatMap& first, HeatMap& second, bool gates) {
  first.scale.low = second.scale.low = std::min(first.scale.low, second.scale.low);
  first.scale.high = second.scale.high = std::max(first.scale.high, second.scale.high);
  if (gates) {
    if (first.scale.middle != second.scale.middle) {
      first.scale.quantity.averaged += " (the first)";
    }
    second.scale = first.scale;
  } else {
    first.scale.more = exceeds(first, first.scale.high);
    second.scale.more = exceeds(second, second.scale.high);
  }
}

}  // namespace

Pairs align_words(const std::vector<WordLabel>& first, const std::vector<WordLabel>& second) {
  const std::size_t n = first.size();
  const std::size_t m = second.size();
  // Length of the longest common subsequence of what follows places i and j.
  std::vector<std::int32_t> longest((n + 1) * (m + 1), 0);
  const auto at = [&](std::size_t i, std::size_t j) -> std::int32_t& { return longest[i * (m + 1) + j]; };
  const auto same = [&](std::size_t i, std::size_t j) {
    return first[i].text == second[j].text && first[i].special == second[j].special;
  };
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t j = m; j-- > 0;) {
      at(i, j) = same(i, j) ? at(i + 1, j + 1) + 1 : std::max(at(i + 1, j), at(i, j + 1));
    }
  }
  Pairs pairs;
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < n || j < m) {
    if (i < n && j < m && same(i, j)) {
      pairs.emplace_back(i++, j++);
    } else if (i < n && (j == m || at(i + 1, j) >= at(i, j + 1))) {
      pairs.emplace_back(i++, -1);
    } else {
      pairs.emplace_back(-1, j++);
    }
  }
  return pairs;
}

FigureData difference_figure(const ComparedSentence& first, const ComparedSentence& second,
                             const ComparisonOptions& options) {
  FigureData a = figure_of(first, options);
  FigureData b = figure_of(second, options);
  auto& map_a = std::get<HeatMap>(a.body);
  auto& map_b = std::get<HeatMap>(b.body);
  share_scale(map_a, map_b, options.what == Compared::gate);
  FigureData difference;
  difference.title = "difference";
  difference.body = difference_of(map_a, map_b);
  FigureData figure;
  figure.title = b.title + ": difference";
  const auto part_of_caption = [](const ComparedSentence& sentence) {
    const RecordingHeader& header = sentence.source.header();
    return fmt::format("model {}; corpus {}; sentence {}", header.model.name, header.provenance.corpus_name,
                       sentence.source.sentence(sentence.index).number);
  };
  figure.caption = fmt::format("{} less {}; {}{}", part_of_caption(second), part_of_caption(first),
                               kLevelOfClaim, "summary");
  const auto name_of = [](const ComparedSentence& sentence) {
    return sentence.name.empty() ? fmt::format("{}, sentence {}", sentence.source.header().model.name,
                                               sentence.source.sentence(sentence.index).number)
                                 : sentence.name;
  };
  a.title = name_of(first);
  b.title = name_of(second);
  a.caption.clear();
  b.caption.clear();
  PanelFigure panels;
  panels.columns = options.what == Compared::gate ? 1 : 3;
  panels.share_legend = false;
  panels.panels = {std::move(a), std::move(b), std::move(difference)};
  figure.body = std::move(panels);
  return figure;
}

}  // namespace mog::analysis
