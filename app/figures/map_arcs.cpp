// Arcs go down in proportion to the root of their length, so that short ones are seen beside long ones, and
// none leaves the room below the words. The strongest are drawn last.
#include "app/figures/map_arcs.h"

#include <QPainterPath>
#include <algorithm>
#include <cmath>
#include <vector>

#include "analysis/figure_data/weight_scale.h"

namespace mog::figures {
namespace {

using analysis::HeatMap;

// Places on the scale of the faintest and the strongest arc: paler than cells, so that lit ones stand out.
constexpr double kFaintest = 0.2;
constexpr double kStrongest = 0.6;
constexpr double kSmallestShare = 0.05;  // of the scale: weaker keys are no arcs, where all are drawn

struct MapArc {
  std::int64_t query = 0;
  std::int64_t key = 0;
  double weight = 0;
};

std::vector<MapArc> arcs_of(const HeatMap& map, std::int64_t query, std::int64_t count) {
  std::vector<MapArc> arcs;
  for (const std::int64_t key : analysis::strongest_keys(map, query, count)) {
    arcs.push_back({query, key, map.value(query, key)});
  }
  return arcs;
}

class Hanging {
 public:
  Hanging(const HeatMap& map, const HeatMapLayout& at)
      : map_(map), at_(at), top_(at.cells.bottom() + at.column.extent + kGap) {}

  void draw(Pen& pen, const MapArc& arc, const QColor& colour) const {
    const double share = std::clamp(arc.weight / std::max(map_.scale.high, 1e-300), 0.0, 1.0);
    const double width = (0.5 + 1.8 * share) * unit(pen.style());
    const double from = middle(arc.query);
    const double to = middle(arc.key);
    const double head = std::min(4.5 * unit(pen.style()), 0.7 * at_.cell_width);
    QPainterPath path(QPointF(from, top_));
    if (arc.query == arc.key) {
      const double loop = std::min(at_.cell_width * 0.8, at_.arcs_height * 0.4);
      path.cubicTo({from - loop, top_ + 1.4 * loop}, {from + loop, top_ + 1.4 * loop}, {from, top_ + head});
    } else {
      const double down = depth(std::abs(arc.query - arc.key));
      // The middle of a cubic is at three quarters of its handles' depth.
      path.cubicTo({from, top_ + down * 4 / 3}, {to, top_ + down * 4 / 3}, {to, top_ + head});
    }
    pen.path(path, colour, width);
    pen.arrowhead({to, top_}, {0, -1}, head, colour);
  }

  double top() const { return top_; }

 private:
  double middle(std::int64_t word) const {
    return at_.cells.left() + (static_cast<double>(word) + 0.5) * at_.cell_width;
  }
  double depth(std::int64_t length) const {
    const auto longest = static_cast<double>(std::max<std::size_t>(map_.columns.size(), 2) - 1);
    return std::max(0.12, std::sqrt(static_cast<double>(length) / longest)) * (at_.arcs_height - 2);
  }

  const HeatMap& map_;
  const HeatMapLayout& at_;
  double top_;
};

}  // namespace

void draw_map_arcs(Pen& pen, const HeatMap& map, const HeatMapLayout& at, const QRectF& area) {
  const Hanging hanging(map, at);
  std::vector<MapArc> arcs;
  const auto words = static_cast<std::int64_t>(std::min(map.rows.size(), map.columns.size()));
  for (std::int64_t word = 0; word < words; ++word) {
    const std::vector<MapArc> of_word = arcs_of(map, word, map.arcs);
    arcs.insert(arcs.end(), of_word.begin(), of_word.end());
  }
  std::stable_sort(arcs.begin(), arcs.end(),
                   [](const MapArc& a, const MapArc& b) { return a.weight < b.weight; });
  for (const MapArc& arc : arcs) {
    const double share = std::clamp(map.scale.place(arc.weight), 0.0, 1.0);
    const double place = kFaintest + (kStrongest - kFaintest) * share;
    hanging.draw(pen, arc, scale_colour(map.scale, map.scale.at(place), pen.theme()));
  }
  const TypeFace face(pen.style(), smallest_type(pen.style()));
  const QString text = map.arcs == 1   ? QStringLiteral("strongest key of a word")
                       : map.arcs == 2 ? QStringLiteral("two strongest keys a word")
                                       : QStringLiteral("%1 strongest keys a word").arg(map.arcs);
  const QStringList lines = face.wrapped(text, at.cells.left() - area.left() - 2 * kGap);
  if (static_cast<double>(lines.size()) * face.height() > at.arcs_height) {
    return;
  }
  double baseline = hanging.top() + face.ascent();
  for (const QString& line : lines) {
    pen.text({at.cells.left() - 2 * kGap, baseline}, line, face, soft_ink(pen.theme()), Across::right);
    baseline += face.height();
  }
}

void light_map_arcs(Pen& pen, const HeatMap& map, const HeatMapLayout& at, std::int64_t word, bool all) {
  const Hanging hanging(map, at);
  const auto count = all ? static_cast<std::int64_t>(map.columns.size()) : map.arcs;
  std::vector<MapArc> arcs = arcs_of(map, word, count);
  const auto weak = [&](const MapArc& arc) { return all && arc.weight < kSmallestShare * map.scale.high; };
  std::erase_if(arcs, weak);
  std::reverse(arcs.begin(), arcs.end());
  for (const MapArc& arc : arcs) {
    hanging.draw(pen, arc, accent(pen.theme()));
  }
}

}  // namespace mog::figures
