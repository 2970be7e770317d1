// Each stem has a lane of its own, as wide as its word wants; what is left goes to the narrow ones first.
// Where words do not fit beside each other at any size allowed, all are turned by 60° and lanes are even;
// then lanes narrow down to what there is, discs with them, and words that would meet have no label.
//
// Rows are as high as their tracks ask for. In an area that is too low all shrink alike, discs and tracks
// too, so that nothing meets that did not meet before. Everything is O(stems + joins); lanes are shared out
// by bisection.
//
// Above its last join a lane is empty, so a key edge that comes down in it meets no disc; on its way there it
// runs level, at the height of its row or on a track below the discs of the row.
#include "app/figures/trees/stem_layout.h"

#include <algorithm>
#include <cmath>

namespace mog::figures {

using analysis::TreeFigure;

namespace {

constexpr double kGapShare = 0.4;  // of a lane, where words are turned
constexpr double kManyRows = 8;
constexpr double kLead = 28;
constexpr double kLeastDisc = 0.85;
constexpr double kNarrow = 640;  // names of rows are brief

}  // namespace

// The narrow ones first: all get the same where none asks for more.
std::vector<double> StemLayout::shared_out(const std::vector<Room>& rooms, double width) {
  const auto widths = [&](double each) {
    std::vector<double> result;
    result.reserve(rooms.size());
    for (const Room& room : rooms) {
      result.push_back(std::clamp(each, room.least, std::max(room.least, room.most)));
    }
    return result;
  };
  const auto sum = [](const std::vector<double>& values) {
    double total = 0;
    for (const double value : values) {
      total += value;
    }
    return total;
  };
  double low = 0;
  double high = width;
  for (int round = 0; round < 40; ++round) {
    const double each = (low + high) / 2;
    (sum(widths(each)) <= width ? low : high) = each;
  }
  return widths(low);
}

QString row_name(const TreeFigure& tree, std::int64_t row) {
  return drawable(tree.row) + QLatin1Char(' ') + QString::number(row);
}

QString StemLayout::row_text(std::int64_t row) const {
  if (!measures.screen) {
    return row == 0 ? QString() : row_name(tree_, row);
  }
  const bool brief = area.width() < kNarrow * measures.unit;
  if (row == 0) {
    return QStringLiteral("Words");
  }
  const QString name = drawable(tree_.row);
  return name.left(1).toUpper() + (brief ? QString() : name.mid(1) + QLatin1Char(' ')) + QString::number(row);
}

QString StemLayout::band_text() const {
  QString first = row_text(stems.rows + 1);
  if (stems.rows + 1 == tree_.layers) {
    return first;
  }
  const bool brief = area.width() < kNarrow * measures.unit;
  const QString name = drawable(tree_.row);
  return brief ? first + QStringLiteral("–%1").arg(tree_.layers)
               : name.left(1).toUpper() + name.mid(1) +
                     QStringLiteral("s %1–%2").arg(stems.rows + 1).arg(tree_.layers);
}

double StemLayout::names_width() const {
  const TypeFace face(style_, measures.small);
  if (measures.screen) {
    const double band = stems.carried ? face.width(band_text()) : 0;
    return std::max({face.width(row_text(0)), face.width(row_text(stems.rows)), band}) + 18 * measures.unit;
  }
  return stems.rows == 0 ? 0 : face.width(row_name(tree_, stems.rows)) + 5 * measures.unit;
}

StemLayout::StemLayout(const TreeFigure& tree, const Style& style, const QRectF& where)
    : stems(stems_of(tree)), measures(measures_of(style)), area(where), tree_(tree), style_(style) {
  left = area.left() + std::min(names_width(), area.width() / 2);
  place_lanes();
  words_top = std::max(area.top(), area.bottom() - words_height());
  words_bottom = area.bottom();
  place_rows();
  place_words();
  place_edges();
}

double StemLayout::wanted_height(const TreeFigure& tree, const Style& style, double width, double share) {
  const StemLayout layout(tree, style, QRectF(0, 0, width, 100));
  double height = layout.words_height() + layout.head_height();
  for (std::int64_t row = 1; row <= layout.stems.rows; ++row) {
    height += share * layout.row_height(row);
  }
  return height;
}

double StemLayout::least_width(const TreeFigure& tree, const Style& style) {
  constexpr double kAmple = 4000;
  const StemLayout layout(tree, style, QRectF(0, 0, kAmple, 100));
  if (!layout.measures.screen) {
    return 0;
  }
  if (layout.always_turned()) {
    return layout.left + layout.measures.least_lane * (static_cast<double>(layout.lane_x.size()) +
                                                       kGapShare * static_cast<double>(layout.gap_x.size()));
  }
  double needed = layout.left + 1;
  for (const Room& room : layout.rooms(layout.measures.least_word, layout.measures.elided)) {
    needed += room.least;
  }
  return needed;
}

void StemLayout::place_lanes() {
  lane_x.assign(stems.lanes.size(), 0);
  lane_width = lane_x;
  gap_x.assign(stems.gaps.size(), 0);
  gap_width = gap_x;
  const bool many = lane_x.size() > kManyLanes;
  for (const double longest : {1e9, measures.elided}) {
    // The smallest size itself is tried, too: least_width() asks for no more.
    bool smaller = !always_turned() && (longest > 1e8 || !many || tree_.all_words);
    for (double size = measures.word; smaller; size = std::max(size - 1, measures.least_word)) {
      if (in_a_row(size, longest)) {
        return;
      }
      smaller = size > measures.least_word;
    }
  }
  turn_words();
}

bool StemLayout::always_turned() const {
  return measures.screen && !tree_.all_words && lane_x.size() > kManyLanes;
}

// What gaps and lanes ask for, from the left.
std::vector<StemLayout::Room> StemLayout::rooms(double size, double longest) const {
  const double u = measures.unit;
  const TypeFace face(style_, size);
  const TypeFace small(style_, measures.small);
  const auto around = [&](const QString& text) {
    return std::max(std::min(face.width(text), longest) + measures.padding, measures.least_lane);
  };
  std::vector<Room> result;
  for (std::size_t lane = 0, gap = 0; lane <= stems.lanes.size(); ++lane) {
    for (; gap < stems.gaps.size() && stems.gaps[gap].before == lane; ++gap) {
      const QString text = gap_text(stems.gaps[gap]);
      if (tree_.all_words) {
        result.push_back({around(text), measures.widest_lane});
        continue;
      }
      const bool end = lane == 0 || lane == stems.lanes.size();
      result.push_back(
          {small.width(text) + (measures.screen ? 16 : 2) * u, end ? measures.end_gap : measures.gap});
    }
    if (lane < stems.lanes.size()) {
      const Stem& stem = stems.stems[stems.lanes[lane]];
      const double number = stem.number > 1 ? (measures.screen ? 12 : 7) * u : 0;
      const double wide = std::min(face.width(word(stem)), longest) + number;
      result.push_back({std::max(wide + measures.padding, measures.least_lane), measures.widest_lane});
    }
  }
  return result;
}

// True where all words fit.
bool StemLayout::in_a_row(double size, double longest) {
  std::vector<Room> wanted = rooms(size, longest);
  // On paper a gap before the first word stands below the names of the rows.
  const bool gap_first =
      !measures.screen && !tree_.all_words && !stems.gaps.empty() && stems.gaps.front().before == 0;
  const double start = gap_first ? area.left() : left;
  if (gap_first) {
    wanted.front().least = std::max(wanted.front().least, left - start);
  }
  double needed = 0;
  for (const Room& room : wanted) {
    needed += room.least;
  }
  if (needed > area.right() - start) {
    return false;
  }
  const std::vector<double> shares = shared_out(wanted, area.right() - start);
  double all = 0;
  for (const double share : shares) {
    all += share;
  }
  double from = start + std::max(0.0, area.right() - start - all) / 2;
  std::size_t place = 0;
  const auto put = [&](double& x, double& width) {
    width = shares[place++];
    x = from + width / 2;
    from += width;
  };
  for (std::size_t lane = 0, gap = 0; lane <= stems.lanes.size(); ++lane) {
    for (; gap < stems.gaps.size() && stems.gaps[gap].before == lane; ++gap) {
      put(gap_x[gap], gap_width[gap]);
    }
    if (lane < stems.lanes.size()) {
      put(lane_x[lane], lane_width[lane]);
    }
  }
  turned = false;
  word_size = size;
  return true;
}

// Above the last row: what is carried on and whose graph it is, or half a disc and a weight.
double StemLayout::head_height() const {
  return stems.carried ? std::max(measures.carried_head, measures.head) : measures.head;
}

// Down to the row below it. On a screen rows with joins are equally high.
double StemLayout::row_height(std::int64_t row) const {
  const auto found = stems.tracks.find(row);
  const bool many = static_cast<double>(stems.rows) > kManyRows;
  if (found == stems.tracks.end() && (many || !measures.screen)) {
    return many ? measures.idle_row : measures.row;
  }
  std::size_t tracks = found == stems.tracks.end() ? 0 : found->second;
  for (const auto& [other, count] : stems.tracks) {
    tracks = measures.screen ? std::max(tracks, count) : tracks;
  }
  const double below =
      tracks == 0 ? 0 : measures.first_track + static_cast<double>(tracks - 1) * measures.track_step;
  return std::max(measures.row, below + measures.radius + 10 * measures.unit);
}

void StemLayout::place_rows() {
  double wanted = 0;
  for (std::int64_t row = 1; row <= stems.rows; ++row) {
    wanted += row_height(row);
  }
  // Where rows have room, some of it stands above them: for lines from words above the picture.
  const double ample = words_top - area.top() - head_height() - wanted;
  const double lead = measures.screen ? std::clamp(ample / 6, 0.0, kLead * measures.unit) : 0;
  const double room = words_top - area.top() - lead;
  double scale = wanted <= 0 ? 1 : std::max(0.0, room - head_height()) / wanted;
  scale = std::min(scale, measures.highest_row / measures.row);
  if (measures.screen) {  // what is left stands above and below
    const double below = std::max(0.0, room - head_height() - wanted * scale) / 2;
    words_top -= below;
    words_bottom -= below;
  }
  row_y = {words_top};
  for (std::int64_t row = 1; row <= stems.rows; ++row) {
    row_y.push_back(row_y.back() - row_height(row) * scale);
  }
  double narrowest = 1e9;
  for (std::size_t lane = 1; lane < lane_x.size(); ++lane) {
    narrowest = std::min(narrowest, lane_x[lane] - lane_x[lane - 1]);
  }
  // Without tracks below them discs need not shrink as much as rows to meet nothing.
  const bool tracks =
      std::any_of(stems.tracks.begin(), stems.tracks.end(), [](const auto& row) { return row.second > 0; });
  const double least = measures.screen && !tracks ? std::min(kLeastDisc, 1.3 * scale) : 0;
  radius = std::min(disc_radius(measures, lane_x.size(), narrowest) * std::clamp(scale, least, 1.0),
                    0.42 * narrowest);
  band_top = stems.carried ? std::max(area.top(), row_y.back() - head_height()) : row_y.back();
  if (measures.screen) {
    goal_bottom = row_y.back() - head_height() + 26 * measures.unit;
    band_top = stems.carried ? goal_bottom : band_top;
  }
  for (const StemJoin& join : stems.joins) {
    joins.emplace_back(x(stems.stems[join.stem]), row_y[static_cast<std::size_t>(join.layer)]);
  }
}

double StemLayout::stem_top(const Stem& stem) const {
  return stem.joins.empty() ? words_top - 1 : joins[stem.joins.back()].y() - radius - 0.6 * measures.unit;
}

// From its word up to where it ends, dotted over layers without a join.
void StemLayout::place_stem(std::size_t index) {
  const auto at = [&](std::int64_t row) { return row_y[static_cast<std::size_t>(row)]; };
  const Stem& stem = stems.stems[index];
  const auto add = [&](double from, double to, bool carried, std::int64_t join) {
    if (from - to > 1e-9) {
      stretches.push_back({{x(stem), from}, {x(stem), to}, carried});
      owner.push_back(index);
      makes.push_back(join);
    }
  };
  std::int64_t below = 0;
  for (const std::size_t join : stem.joins) {
    const std::int64_t layer = stems.joins[join].layer;
    add(at(below), at(std::max(layer - 1, below)), true, static_cast<std::int64_t>(join));
    add(at(std::max(layer - 1, below)), at(layer), false, static_cast<std::int64_t>(join));
    below = layer;
  }
  if (stem.consumer || tree_.roots.empty()) {
    return;
  }
  add(at(below), stems.carried ? band_top : at(stems.rows), true, -1);
  if (measures.screen && !stems.carried) {
    add(at(stems.rows), goal_bottom, false, -1);
  }
}

void StemLayout::place_edges() {
  const auto at = [&](std::int64_t row) { return row_y[static_cast<std::size_t>(row)]; };
  for (std::size_t index = 0; index < stems.stems.size(); ++index) {
    place_stem(index);
  }
  for (std::size_t i = 0; i < stems.joins.size(); ++i) {
    const StemJoin& join = stems.joins[i];
    const Stem& key = stems.stems[join.key];
    const double aside = x(key) < joins[i].x() ? -1 : 1;
    const double row = at(join.layer) - at(join.layer - 1);
    const double full = -row / row_height(join.layer);  // 1: nothing shrank
    KeyEdge edge;
    double level = joins[i].y();
    if (join.track == 0) {
      edge.line << joins[i] + QPointF(aside * radius, 0);
    } else {
      level += (measures.first_track + static_cast<double>(join.track - 1) * measures.track_step) *
               std::min(full, 1.0);
      const QPointF start = joins[i] + QPointF(aside * radius * 0.5, radius * 0.866);
      edge.line << start << QPointF(start.x(), level);
    }
    if (stems.top(key) == join.layer) {
      const QPointF disc = joins[key.joins.back()];
      const double away = radius + 1.5 * measures.unit;
      edge.in_row = true;
      if (join.track == 0) {
        edge.line << disc - QPointF(aside * away, 0);
      } else {
        const QPointF below = disc + QPointF(-aside * away * 0.5, away * 0.866);
        edge.line << QPointF(below.x(), level) << below;
      }
      edge.corner = std::min({measures.corner, std::abs(disc.x() - joins[i].x()) / 2, level - disc.y()});
      edge.carried_at = edge.line.back().y();
      keys.push_back(std::move(edge));
      continue;
    }
    const double end = stem_top(key);
    edge.line << QPointF(x(key), level) << QPointF(x(key), end);
    edge.corner = std::min({measures.corner, std::abs(x(key) - joins[i].x()) / 2, std::abs(end - level) / 2});
    edge.carried_at =
        stems.top(key) < join.layer - 1 ? std::max(at(join.layer - 1), level + edge.corner) : end;
    keys.push_back(std::move(edge));
  }
}

}  // namespace mog::figures
