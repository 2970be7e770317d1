// Arcs go down in proportion to the root of their length, so that short ones are seen beside long ones, and
// none leaves the room below the words. The strongest are drawn last.
#include "app/figures/maps/map_arcs.h"

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
constexpr double kFaintestLit = 0.12;    // opacity, of all keys of a word

constexpr double kRoom = 2;  // points for each arc; where there is less the weakest are left out
constexpr std::int64_t kMostLit = 64;
constexpr double kSmallestHead = 1.2;  // points: smaller ones are specks

}  // namespace

MapArcs::MapArcs(const HeatMap& map, const HeatMapLayout& at)
    : map_(map), at_(at), top_(at.cells.bottom() + at.column.extent + kGap) {
  if (map.arcs <= 0 || map.thumbnail) {
    return;
  }
  const auto words = static_cast<std::int64_t>(std::min(map.rows.size(), map.columns.size()));
  for (std::int64_t word = 0; word < words; ++word) {
    const std::vector<MapArc> of_word = of(word, map.arcs);
    arcs_.insert(arcs_.end(), of_word.begin(), of_word.end());
  }
  std::stable_sort(arcs_.begin(), arcs_.end(),
                   [](const MapArc& a, const MapArc& b) { return a.weight < b.weight; });
  const auto most = static_cast<std::size_t>(std::max(at.cells.width() / kRoom, 1.0));
  if (arcs_.size() > most) {
    left_out_ = arcs_.size() - most;
    arcs_.erase(arcs_.begin(), arcs_.begin() + static_cast<std::ptrdiff_t>(left_out_));
  }
}

std::vector<MapArc> MapArcs::of(std::int64_t query, std::int64_t count) const {
  std::vector<MapArc> arcs;
  for (const std::int64_t key : analysis::strongest_keys(map_, query, count)) {
    arcs.push_back({query, key, map_.value(query, key)});
  }
  return arcs;
}

double MapArcs::middle(std::int64_t word) const {
  return at_.cells.left() + (static_cast<double>(word) + 0.5) * at_.cell_width;
}

double MapArcs::depth(std::int64_t length) const {
  const auto longest = static_cast<double>(std::max<std::size_t>(map_.columns.size(), 2) - 1);
  return std::max(0.12, std::sqrt(static_cast<double>(length) / longest)) * (at_.arcs_height - 2);
}

void MapArcs::draw(Pen& pen, const MapArc& arc, const QColor& colour, double greatest) const {
  const double share = std::clamp(arc.weight / std::max(greatest, 1e-300), 0.0, 1.0);
  const double width = (0.5 + 1.8 * share) * unit(pen.style());
  const double from = middle(arc.query);
  const double to = middle(arc.key);
  const double head = std::min(4.5 * unit(pen.style()), 0.7 * at_.cell_width);
  const double loop = std::min(at_.cell_width * 0.8, at_.arcs_height * 0.4);
  const double down = arc.query == arc.key ? loop : depth(std::abs(arc.query - arc.key));
  const double aside = arc.query == arc.key ? loop : 0;
  const QRectF covered = QRectF(QPointF(std::min(from, to) - aside, top_),
                                QPointF(std::max(from, to) + aside, top_ + down + head))
                             .adjusted(-head - width, -width, head + width, width);
  if (!covered.intersects(pen.visible())) {
    return;
  }
  QPainterPath path(QPointF(from, top_));
  if (arc.query == arc.key) {
    path.cubicTo({from - loop, top_ + 1.4 * loop}, {from + loop, top_ + 1.4 * loop}, {from, top_ + head});
  } else {
    // The middle of a cubic is at three quarters of its handles' depth.
    path.cubicTo({from, top_ + down * 4 / 3}, {to, top_ + down * 4 / 3}, {to, top_ + head});
  }
  pen.path(path, colour, width);
  if (head >= kSmallestHead) {
    pen.arrowhead({to, top_}, {0, -1}, head, colour);
  }
}

void MapArcs::draw(Pen& pen, const QRectF& area) const {
  for (const MapArc& arc : arcs_) {
    const double share = std::clamp(map_.scale.place(arc.weight), 0.0, 1.0);
    const double place = kFaintest + (kStrongest - kFaintest) * share;
    draw(pen, arc, scale_colour(map_.scale, map_.scale.at(place), pen.theme()), map_.scale.high);
  }
  tell(pen, area, drawn_keys());
}

// What the arcs are.
QString MapArcs::drawn_keys() const {
  const QString keys = map_.arcs == 1   ? QStringLiteral("strongest key of a word")
                       : map_.arcs == 2 ? QStringLiteral("two strongest keys a word")
                                        : QStringLiteral("%1 strongest keys a word").arg(map_.arcs);
  return left_out_ == 0 ? keys : keys + QStringLiteral(", ") + note();
}

// Beside the arcs, in the place of what was said there.
bool MapArcs::tell(Pen& pen, const QRectF& area, const QString& text, bool over) const {
  const TypeFace face(pen.style(), smallest_type(pen.style()));
  const QStringList lines = face.wrapped(text, at_.cells.left() - area.left() - 2 * kGap);
  if (static_cast<double>(lines.size()) * face.height() > at_.arcs_height) {
    return false;
  }
  if (over) {
    pen.fill(QRectF(area.left(), top_, at_.cells.left() - area.left() - 1.5 * kGap, at_.arcs_height),
             background(pen.theme()));
  }
  double baseline = top_ + face.ascent();
  for (const QString& line : lines) {
    pen.text({at_.cells.left() - 2 * kGap, baseline}, line, face, soft_ink(pen.theme()), Across::right);
    baseline += face.height();
  }
  return true;
}

QString MapArcs::note() const {
  return left_out_ == 0
             ? QString()
             : QStringLiteral("the strongest %1 of %2 arcs").arg(arcs_.size()).arg(arcs_.size() + left_out_);
}

void MapArcs::light(Pen& pen, const QRectF& area, std::int64_t word, bool all) const {
  const std::int64_t most = std::max(kMostLit, map_.arcs);
  std::vector<MapArc> arcs = of(word, all ? most + 1 : map_.arcs);
  const auto weak = [&](const MapArc& arc) { return all && arc.weight < kSmallestShare * map_.scale.high; };
  std::erase_if(arcs, weak);
  const bool more = std::ssize(arcs) > most;
  if (more && all) {
    arcs.resize(static_cast<std::size_t>(most));
  }
  if (!all || arcs.empty()) {
    for (auto arc = arcs.rbegin(); arc != arcs.rend(); ++arc) {
      draw(pen, *arc, accent(pen.theme()), map_.scale.high);
    }
    return;
  }
  // Of many keys those that count stand out.
  const double greatest = arcs.front().weight;
  for (auto arc = arcs.rbegin(); arc != arcs.rend(); ++arc) {
    QColor colour = accent(pen.theme());
    colour.setAlphaF(static_cast<float>(kFaintestLit + (1 - kFaintestLit) * arc->weight / greatest));
    draw(pen, *arc, colour, greatest);
  }
  const QString text = drawable(map_.rows[static_cast<std::size_t>(word)].text);
  tell(pen, area,
       more ? QStringLiteral("lit: the %1 words that “%2” reads most, width by weight").arg(most).arg(text)
            : QStringLiteral("lit: the words that “%1” reads with %2 and more, width by weight")
                  .arg(text)
                  .arg(kSmallestShare * map_.scale.high, 0, 'g', 2),
       true);
}

}  // namespace mog::figures
