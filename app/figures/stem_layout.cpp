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
#include "app/figures/stem_layout.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace mog::figures {

using analysis::TreeFigure;

namespace {

constexpr double kTurn = 60;  // degrees
const double kSine = std::sin(kTurn * 3.14159265358979323846 / 180);
const double kCosine = 0.5;
constexpr double kLongest = 86;    // of a turned word
constexpr double kElided = 64;     // of a level word that has no room
constexpr double kWidest = 260;    // lane
constexpr double kHighest = 200;   // row
constexpr double kGapShare = 0.4;  // of a lane, where words are turned
constexpr std::size_t kManyLanes = 24;
constexpr double kManyRows = 8;

struct Room {
  double least;
  double most;
};

// The narrow ones first: all get the same where none asks for more.
std::vector<double> shared_out(const std::vector<Room>& rooms, double width) {
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

double full_radius(const Style& style) {
  return style.paper == Paper::screen ? 8 : 5.6 * unit(style);
}
double padding(const Style& style) {
  return (style.paper == Paper::screen ? 14 : 4) * unit(style);
}
double first_track(const Style& style) {
  return full_radius(style) + 2.5 * unit(style);
}
double track_step(const Style& style) {
  return 3.5 * unit(style);
}

QString gap_text(const WordGap& gap) {
  return QStringLiteral("⋯ %1").arg(gap.last - gap.first + 1);
}

}  // namespace

QString row_name(const TreeFigure& tree, std::int64_t row) {
  return drawable(tree.row) + QLatin1Char(' ') + QString::number(row);
}

double row_names_width(const TreeFigure& tree, const Stems& stems, const Style& style) {
  const TypeFace face(style, smallest_type(style));
  return stems.rows == 0 ? 0 : face.width(row_name(tree, stems.rows)) + 5 * unit(style);
}

StemLayout::StemLayout(const TreeFigure& tree, const Style& style, const QRectF& where)
    : stems(stems_of(tree)), area(where), tree_(tree), style_(style) {
  left = area.left() + std::min(row_names_width(tree, stems, style), area.width() / 2);
  place_lanes();
  words_top = std::max(area.top(), area.bottom() - words_height());
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

QString StemLayout::word(const Stem& stem) const {
  const auto at = static_cast<std::size_t>(stem.word);
  return stem.word >= 0 && at < tree_.words.size() ? drawable(tree_.words[at].text) : QString();
}

void StemLayout::place_lanes() {
  const double smallest = smallest_type(style_);
  lane_x.assign(stems.lanes.size(), 0);
  lane_width = lane_x;
  gap_x.assign(stems.gaps.size(), 0);
  gap_width = gap_x;
  for (const double longest : {1e9, kElided * unit(style_)}) {
    for (double size = style_.body_pt; size >= smallest; --size) {
      if ((longest > 1e8 || lane_x.size() <= kManyLanes) && in_a_row(size, longest)) {
        return;
      }
    }
  }
  turn_words();
}

// True where all words fit.
bool StemLayout::in_a_row(double size, double longest) {
  const double u = unit(style_);
  const TypeFace face(style_, size);
  const TypeFace small(style_, smallest_type(style_));
  // A gap before the first word stands below the names of the rows.
  const bool gap_first = !stems.gaps.empty() && stems.gaps.front().before == 0;
  const double start = gap_first ? area.left() : left;
  std::vector<Room> rooms;
  std::vector<double*> places;
  std::vector<double*> widths;
  for (std::size_t lane = 0, gap = 0; lane <= stems.lanes.size(); ++lane) {
    for (; gap < stems.gaps.size() && stems.gaps[gap].before == lane; ++gap) {
      const bool end = lane == 0 || lane == stems.lanes.size();
      rooms.push_back({std::max(small.width(gap_text(stems.gaps[gap])) + 2 * u, lane == 0 ? left - start : 0),
                       (end ? 56 : 64) * u});
      places.push_back(&gap_x[gap]);
      widths.push_back(&gap_width[gap]);
    }
    if (lane < stems.lanes.size()) {
      const Stem& stem = stems.stems[stems.lanes[lane]];
      const double wide = std::min(face.width(word(stem)), longest) + (stem.number > 1 ? 7 * u : 0);
      rooms.push_back({std::max(wide + padding(style_), 2 * full_radius(style_) + 6 * u), kWidest * u});
      places.push_back(&lane_x[lane]);
      widths.push_back(&lane_width[lane]);
    }
  }
  double needed = 0;
  for (const Room& room : rooms) {
    needed += room.least;
  }
  if (needed > area.right() - start) {
    return false;
  }
  const std::vector<double> shares = shared_out(rooms, area.right() - start);
  double all = 0;
  for (const double share : shares) {
    all += share;
  }
  double from = start + std::max(0.0, area.right() - start - all) / 2;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    *places[i] = from + shares[i] / 2;
    *widths[i] = shares[i];
    from += shares[i];
  }
  turned = false;
  word_size = size;
  return true;
}

void StemLayout::turn_words() {
  turned = true;
  const double shares =
      static_cast<double>(stems.lanes.size()) + kGapShare * static_cast<double>(stems.gaps.size());
  // The first words end below their lanes and begin left of them.
  double start = left;
  const double width = area.right() - left;
  const TypeFace full(style_, style_.body_pt);
  for (std::size_t lane = 0; lane < stems.lanes.size() && lane < 8; ++lane) {
    const double wide =
        std::min(full.width(word(stems.stems[stems.lanes[lane]])), kLongest * unit(style_)) + full.size();
    const double before = (static_cast<double>(lane) + 0.5) * width / shares;
    start = std::max(start, std::min(area.left() + wide * kCosine - before, left + width / 5));
  }
  const double pitch = std::min((area.right() - start) / std::max(shares, 1.0), 60 * unit(style_));
  double from = start + (area.right() - start - pitch * shares) / 2;
  for (std::size_t lane = 0, gap = 0; lane <= stems.lanes.size(); ++lane) {
    for (; gap < stems.gaps.size() && stems.gaps[gap].before == lane; ++gap) {
      gap_width[gap] = kGapShare * pitch;
      gap_x[gap] = from + gap_width[gap] / 2;
      from += gap_width[gap];
    }
    if (lane < stems.lanes.size()) {
      lane_width[lane] = pitch;
      lane_x[lane] = from + pitch / 2;
      from += pitch;
    }
  }
  word_size = std::clamp(std::floor(pitch * kSine / 1.15), smallest_type(style_), style_.body_pt);
  // Words before the same words again before gaps, each from the left.
  const double thick = TypeFace(style_, word_size).cap_height() + 1.2;
  std::set<double> taken;
  const auto free = [&](double x) {
    const auto next = taken.lower_bound(x);
    const double apart = thick / kSine - 1e-6;
    const bool good = (next == taken.end() || *next - x >= apart) &&
                      (next == taken.begin() || x - *std::prev(next) >= apart);
    if (good) {
      taken.insert(x);
    }
    return good;
  };
  for (const bool again : {false, true}) {
    for (const std::size_t index : stems.lanes) {
      const Stem& stem = stems.stems[index];
      if ((stem.number > 1) != again) {
        continue;
      }
      if (free(x(stem))) {
        labels.push_back(word_label(index));
      } else {
        unlabelled += again ? 0 : 1;
      }
    }
  }
  for (std::size_t gap = 0; gap < gap_x.size(); ++gap) {
    if (free(gap_x[gap])) {
      labels.push_back(
          turned_label(gap_text(stems.gaps[gap]), gap_x[gap], smallest_type(style_), StemLabel::Kind::gap));
      labels.back().of = gap;
    }
  }
}

// Reads upwards; it ends below its lane.
StemLabel StemLayout::turned_label(const QString& text, double x, double size, StemLabel::Kind kind) const {
  const TypeFace face(style_, size);
  const double high = face.cap_height();
  const QPointF end(x + high / 2 * kSine, words_top + 3 * unit(style_) + high * kCosine);
  const double room = std::min(kLongest * unit(style_), (end.x() - area.left() - high) / kCosine);
  StemLabel label{kind, face.elided(text, std::max(room, 10.0)), end, size, {}, 0};
  const QPointF back = QPointF(kCosine, -kSine) * face.width(label.text);
  const QPointF up = QPointF(-kSine, -kCosine) * high;
  label.outline = QPolygonF{end, end + up, end + up - back, end - back};
  return label;
}

StemLabel StemLayout::word_label(std::size_t index) const {
  const Stem& stem = stems.stems[index];
  const QString number = stem.number > 1 ? QStringLiteral(" ") + QString::number(stem.number) : QString();
  StemLabel label = turned_label(word(stem) + number, x(stem), word_size, StemLabel::Kind::word);
  label.of = index;
  return label;
}

double StemLayout::words_height() const {
  const double u = unit(style_);
  if (!turned) {
    return TypeFace(style_, word_size > 0 ? word_size : style_.body_pt).height() +
           (style_.paper == Paper::screen ? 9 : 3) * u;
  }
  double deepest = 20 * u;
  for (const StemLabel& label : labels) {
    if (label.kind == StemLabel::Kind::word || label.kind == StemLabel::Kind::gap) {
      deepest = std::max(deepest, label.outline[3].y() - words_top);
    }
  }
  return deepest + 4 * u;
}

// Above the last row: what is carried on, or half a disc and a weight.
double StemLayout::head_height() const {
  return std::max(stems.carried ? 20 * unit(style_) : 0, full_radius(style_) + 5 * unit(style_));
}

// Down to the row below it.
double StemLayout::row_height(std::int64_t row) const {
  const double u = unit(style_);
  const auto found = stems.tracks.find(row);
  const double base = (style_.paper == Paper::screen ? 44 : 28) * u;
  if (found == stems.tracks.end()) {
    return static_cast<double>(stems.rows) > kManyRows ? 0.6 * base : base;
  }
  const double tracks =
      found->second == 0 ? 0
                         : first_track(style_) + static_cast<double>(found->second - 1) * track_step(style_);
  return std::max(base, tracks + full_radius(style_) + 10 * u);
}

void StemLayout::place_rows() {
  const double u = unit(style_);
  double wanted = 0;
  for (std::int64_t row = 1; row <= stems.rows; ++row) {
    wanted += row_height(row);
  }
  const double room = words_top - area.top();
  const double base = (style_.paper == Paper::screen ? 44 : 28) * u;
  double scale = wanted <= 0 ? 1 : std::max(0.0, room - head_height()) / wanted;
  scale = std::min(scale, kHighest * u / base);
  row_y = {words_top};
  for (std::int64_t row = 1; row <= stems.rows; ++row) {
    row_y.push_back(row_y.back() - row_height(row) * scale);
  }
  double narrowest = 1e9;
  for (std::size_t lane = 1; lane < lane_x.size(); ++lane) {
    narrowest = std::min(narrowest, lane_x[lane] - lane_x[lane - 1]);
  }
  radius = std::min(full_radius(style_) * std::min(scale, 1.0), 0.42 * narrowest);
  band_top = stems.carried ? std::max(area.top(), row_y.back() - head_height()) : row_y.back();
  for (const StemJoin& join : stems.joins) {
    joins.emplace_back(x(stems.stems[join.stem]), row_y[static_cast<std::size_t>(join.layer)]);
  }
}

double StemLayout::stem_top(const Stem& stem) const {
  return stem.joins.empty() ? words_top - 1 : joins[stem.joins.back()].y() - radius - 0.6 * unit(style_);
}

void StemLayout::place_edges() {
  const auto at = [&](std::int64_t row) { return row_y[static_cast<std::size_t>(row)]; };
  for (std::size_t index = 0; index < stems.stems.size(); ++index) {
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
    if (!stem.consumer && stems.carried) {
      add(at(below), band_top, true, -1);
    } else if (!stem.consumer && !tree_.roots.empty()) {
      add(at(below), at(stems.rows), true, -1);
    }
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
      level += (first_track(style_) + static_cast<double>(join.track - 1) * track_step(style_)) *
               std::min(full, 1.0);
      const QPointF start = joins[i] + QPointF(aside * radius * 0.5, radius * 0.866);
      edge.line << start << QPointF(start.x(), level);
    }
    const double end = stem_top(key);
    edge.line << QPointF(x(key), level) << QPointF(x(key), end);
    edge.corner =
        std::min({7 * unit(style_), std::abs(x(key) - joins[i].x()) / 2, std::abs(end - level) / 2});
    edge.carried_at =
        stems.top(key) < join.layer - 1 ? std::max(at(join.layer - 1), level + edge.corner) : end;
    keys.push_back(std::move(edge));
  }
}

QRectF StemLayout::word_area(const Stem& stem) const {
  const double half = std::max(std::min(lane_width[stem.lane] / 2, 40 * unit(style_)), 2.0);
  return {x(stem) - half, words_top, 2 * half, std::max(area.bottom() - words_top, 1.0)};
}

QRectF StemLayout::gap_area(std::size_t gap) const {
  const double half = std::max(gap_width[gap] / 2, 1.5);
  return {gap_x[gap] - half, words_top, 2 * half, std::max(area.bottom() - words_top, 1.0)};
}

void StemLayout::place_words() {
  if (turned) {  // chosen, but laid out from 0
    for (StemLabel& label : labels) {
      label.at.ry() += words_top;
      label.outline.translate(0, words_top);
    }
    return;
  }
  const double u = unit(style_);
  const TypeFace face(style_, word_size);
  const TypeFace small(style_, smallest_type(style_));
  const double baseline = words_top + (style_.paper == Paper::screen ? 5 : 2) * u + face.ascent();
  const auto add = [&](StemLabel::Kind kind, const TypeFace& type, const QString& text, double x, double more,
                       std::size_t of) {
    const double wide = type.width(text);
    const QPointF at(x - (wide + more) / 2, baseline);
    labels.push_back({kind, text, at, type.size(),
                      QPolygonF(QRectF(at.x(), baseline - type.ascent(), wide + more, type.height())), of});
    labels.back().outline.removeLast();
  };
  for (const std::size_t index : stems.lanes) {
    const Stem& stem = stems.stems[index];
    const double more = stem.number > 1 ? 5 * u : 0;
    add(StemLabel::Kind::word, face, face.elided(word(stem), lane_width[stem.lane] - more - 4 * u), x(stem),
        more, index);
  }
  for (std::size_t gap = 0; gap < gap_x.size(); ++gap) {
    add(StemLabel::Kind::gap, small, gap_text(stems.gaps[gap]), gap_x[gap], 0, gap);
  }
}

}  // namespace mog::figures
