#include "app/figures/graphs/arc_legend.h"

#include <algorithm>
#include <utility>

#include "app/figures/graphs/sentence_line.h"

namespace mog::figures {
namespace {

using analysis::Arc;
using analysis::ArcFigure;

LegendEntry told(const QString& label) {
  return {label, {}, analysis::Dash::solid, LegendEntry::Mark::none, -1};
}

// Of a parser's state.
void add_boxes(const ArcFigure& figure, Theme theme, std::vector<LegendEntry>& legend) {
  using Box = analysis::WordLabel::Box;
  for (const auto& [box, text] : {std::pair(Box::filled, "on the stack"), {Box::framed, "in the buffer"}}) {
    if (std::any_of(figure.words.begin(), figure.words.end(),
                    [box = box](const analysis::WordLabel& word) { return word.box == box; })) {
      LegendEntry entry{QString::fromLatin1(text), box == Box::filled ? box_colour(theme) : soft_ink(theme),
                        analysis::Dash::solid, LegendEntry::Mark::box};
      entry.hollow = box == Box::framed;
      legend.push_back(entry);
    }
  }
}

}  // namespace

std::vector<LegendEntry> arc_legend(const ArcFigure& figure, Theme theme) {
  std::vector<Part> parts;
  bool changed = false;
  bool forced = false;
  for (const Arc& arc : figure.arcs) {
    parts.push_back(arc.part);
    changed = changed || arc.changed;
    forced = forced || arc.forced;
  }
  std::vector<LegendEntry> result = part_legend(parts, theme);
  std::erase_if(result, [](const LegendEntry& entry) { return entry.label.isEmpty(); });
  if (!figure.weight.quantity.empty() && !figure.arcs.empty()) {
    result.push_back(told(QStringLiteral("width: ") + drawable(figure.weight.text()) +
                          QStringLiteral(", full at ") +
                          QString::number(figure.weight_of_full_width, 'g', 2)));
  }
  add_boxes(figure, theme, result);
  if (changed) {
    result.push_back({QStringLiteral("Δ changed"), palette_colour(PartColour::vermillion, theme)});
  }
  if (forced) {
    result.push_back(told(QStringLiteral("framed: set by hand")));
  }
  if (figure.arcs.empty() && !figure.weight.quantity.empty()) {
    result.push_back(told(QStringLiteral("no arc above the threshold")));
  }
  if (!figure.gold.empty()) {
    result.push_back(
        {(figure.gold_name.empty() ? QStringLiteral("gold syntax") : drawable(figure.gold_name)) +
             QStringLiteral(", below"),
         soft_ink(theme), analysis::Dash::dashed});
  }
  return result;
}

}  // namespace mog::figures
