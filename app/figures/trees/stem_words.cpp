// Words of the picture: level in boxes or plain, or turned by 60° where they have no room, and what is below
// them. Turned words are chosen one after the other: words before the same words again before gaps, each from
// the left; what would meet a label that is there has none.
#include <algorithm>
#include <cmath>
#include <set>

#include "app/figures/trees/stem_layout.h"

namespace mog::figures {
namespace {

constexpr double kTurn = 60;  // degrees
const double kSine = std::sin(kTurn * 3.14159265358979323846 / 180);
const double kCosine = 0.5;
constexpr double kLongest = 86;    // of a turned word
constexpr double kGapShare = 0.4;  // of a lane, where words are turned
constexpr double kWidestTurned = 60;

}  // namespace

QString StemLayout::word(std::int64_t index) const {
  const auto at = static_cast<std::size_t>(index);
  return index >= 0 && at < tree_.words.size() ? drawable(tree_.words[at].text) : QString();
}

QString StemLayout::gap_text(const WordGap& gap) const {
  return tree_.all_words ? word(gap.first) : QStringLiteral("⋯ %1").arg(gap.last - gap.first + 1);
}

std::optional<double> StemLayout::column(std::int64_t word) const {
  for (const Stem& stem : stems.stems) {
    if (stem.word == word && stem.number == 1) {
      return x(stem);
    }
  }
  for (std::size_t gap = 0; gap < stems.gaps.size(); ++gap) {
    if (word >= stems.gaps[gap].first && word <= stems.gaps[gap].last) {
      return gap_x[gap];
    }
  }
  return std::nullopt;
}

void StemLayout::turn_words() {
  turned = true;
  const double u = measures.unit;
  const double gap_share = tree_.all_words ? 1 : kGapShare;
  const double shares =
      static_cast<double>(stems.lanes.size()) + gap_share * static_cast<double>(stems.gaps.size());
  // The first words end below their lanes and begin left of them.
  double start = left;
  const double width = area.right() - left;
  const TypeFace full(style_, style_.body_pt);
  for (std::size_t lane = 0; lane < stems.lanes.size() && lane < 8; ++lane) {
    const double wide =
        std::min(full.width(word(stems.stems[stems.lanes[lane]])), kLongest * u) + full.size();
    const double before = (static_cast<double>(lane) + 0.5) * width / shares;
    start = std::max(start, std::min(area.left() + wide * kCosine - before, left + width / 5));
  }
  const double widest = kWidestTurned * u * (measures.screen ? style_.zoom : 1);
  const double pitch = std::min((area.right() - start) / std::max(shares, 1.0), widest);
  double from = start + (area.right() - start - pitch * shares) / 2;
  for (std::size_t lane = 0, gap = 0; lane <= stems.lanes.size(); ++lane) {
    for (; gap < stems.gaps.size() && stems.gaps[gap].before == lane; ++gap) {
      gap_width[gap] = gap_share * pitch;
      gap_x[gap] = from + gap_width[gap] / 2;
      from += gap_width[gap];
    }
    if (lane < stems.lanes.size()) {
      lane_width[lane] = pitch;
      lane_x[lane] = from + pitch / 2;
      from += pitch;
    }
  }
  const double smallest = measures.screen ? measures.small : measures.least_word;
  word_size = std::clamp(std::floor(pitch * kSine / 1.15), smallest, std::max(smallest, style_.body_pt));
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
          turned_label(gap_text(stems.gaps[gap]), gap_x[gap], measures.small, StemLabel::Kind::gap));
      labels.back().of = gap;
    }
  }
}

// Reads upwards; it ends below its lane.
StemLabel StemLayout::turned_label(const QString& text, double x, double size, StemLabel::Kind kind) const {
  const TypeFace face(style_, size);
  const double high = face.cap_height();
  const QPointF end(x + high / 2 * kSine, words_top + 3 * measures.unit + high * kCosine);
  const double room = std::min(kLongest * measures.unit, (end.x() - area.left() - high) / kCosine);
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

double StemLayout::box_height() const {
  return TypeFace(style_, word_size > 0 ? word_size : style_.body_pt).height() + 2 * measures.box;
}

double StemLayout::words_height() const {
  const double u = measures.unit;
  if (!turned) {
    return box_height() + (measures.screen ? TypeFace(style_, measures.count).height() + 10 * u : 0);
  }
  double deepest = 20 * u;
  for (const StemLabel& label : labels) {
    if (label.kind == StemLabel::Kind::word || label.kind == StemLabel::Kind::gap) {
      deepest = std::max(deepest, label.outline[3].y() - words_top);
    }
  }
  return deepest + 4 * u;
}

QRectF StemLayout::word_area(const Stem& stem) const {
  const double box = turned || !measures.screen
                         ? 0
                         : TypeFace(style_, word_size).width(word(stem)) / 2 + measures.padding / 2;
  const double half = std::max(std::min(lane_width[stem.lane] / 2, std::max(40 * measures.unit, box)), 2.0);
  return {x(stem) - half, words_top, 2 * half, std::max(words_bottom - words_top, 1.0)};
}

QRectF StemLayout::gap_area(std::size_t gap) const {
  const double half = std::max(gap_width[gap] / 2, 1.5);
  return {gap_x[gap] - half, words_top, 2 * half, std::max(words_bottom - words_top, 1.0)};
}

void StemLayout::place_words() {
  if (turned) {  // chosen, but laid out from 0
    for (StemLabel& label : labels) {
      label.at.ry() += words_top;
      label.outline.translate(0, words_top);
    }
    return;
  }
  const double u = measures.unit;
  const bool screen = measures.screen;
  const TypeFace face(style_, word_size);
  const TypeFace small(style_, measures.small);
  const double high = box_height();
  // `around`: of a box, beside the text.
  const auto add = [&](StemLabel::Kind kind, const TypeFace& type, const QString& text, double x, double more,
                       double around, std::size_t of) {
    const double wide = type.width(text) + more;
    const double baseline = words_top + (screen ? (high + type.cap_height()) / 2 : 2 * u + face.ascent());
    const QPointF at(x - wide / 2, baseline);
    const QRectF outline = screen ? QRectF(at.x() - around, words_top, wide + 2 * around, high)
                                  : QRectF(at.x(), baseline - type.ascent(), wide, type.height());
    labels.push_back({kind, text, at, type.size(), QPolygonF(outline), of});
    labels.back().outline.removeLast();
  };
  for (const std::size_t index : stems.lanes) {
    const Stem& stem = stems.stems[index];
    const double more = stem.number > 1 && !screen ? 5 * u : 0;
    const double room = lane_width[stem.lane] - more - (screen ? 20 : 4) * u;
    add(StemLabel::Kind::word, face, face.elided(word(stem), room), x(stem), more, 8 * u, index);
  }
  for (std::size_t gap = 0; gap < gap_x.size(); ++gap) {
    const TypeFace& type = tree_.all_words ? face : small;
    const QString text = gap_text(stems.gaps[gap]);
    add(StemLabel::Kind::gap, type, tree_.all_words ? type.elided(text, gap_width[gap] - 4 * u) : text,
        gap_x[gap], 0, tree_.all_words ? 1 : 6 * u, gap);
  }
  if (!screen) {
    return;
  }
  const TypeFace count(style_, measures.count);
  const auto number = [&](std::int64_t word, double x, std::size_t of) {
    const QString text = QString::number(word + 1);
    const double wide = count.width(text);
    const QPointF at(x - wide / 2, words_top + high + 5 * u + count.ascent());
    labels.push_back({StemLabel::Kind::number, text, at, count.size(),
                      QPolygonF(QRectF(at.x(), at.y() - count.cap_height(), wide, count.cap_height())), of});
    labels.back().outline.removeLast();
  };
  for (const std::size_t index : stems.lanes) {
    if (stems.stems[index].number == 1) {
      number(stems.stems[index].word, x(stems.stems[index]), index);
    }
  }
  for (std::size_t gap = 0; tree_.all_words && gap < gap_x.size(); ++gap) {
    number(stems.gaps[gap].first, gap_x[gap], gap);
  }
}

}  // namespace mog::figures
