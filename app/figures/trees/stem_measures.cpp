#include "app/figures/trees/stem_measures.h"

#include "app/figures/text.h"

namespace mog::figures {
namespace {

StemMeasures on_paper(const Style& style) {
  const double u = unit(style);
  const double radius = 5.6 * u;
  const double small = smallest_type(style);
  return {.unit = u,
          .word = style.body_pt,
          .least_word = small,
          .name = small + 0.5 * u,
          .small = small,
          .count = small,
          .radius = radius,
          .padding = 4 * u,
          .least_lane = 2 * radius + 6 * u,
          .widest_lane = 260 * u,
          .elided = 64 * u,
          .gap = 64 * u,
          .end_gap = 56 * u,
          .row = 28 * u,
          .idle_row = 16.8 * u,
          .highest_row = 200 * u,
          .first_track = radius + 2.5 * u,
          .track_step = 3.5 * u,
          .corner = 7 * u,
          .head = radius + 5 * u,
          .carried_head = 20 * u,
          .box = 1.5 * u,
          .query_line = 1.4 * style.line_pt,
          .key_line = 1.2 * style.line_pt};
}

// Pixels of a window whose controls are written with 13; other sizes of type scale them.
StemMeasures on_screen(const Style& style) {
  const double s = style.body_pt / 13;
  return {.screen = true,
          .unit = s,
          .word = 18 * s,
          .least_word = 13 * s,
          .name = 13 * s,
          .small = 12 * s,
          .count = 11 * s,
          .radius = 14 * s,
          .padding = 26 * s,
          .least_lane = 56 * s,
          .widest_lane = 260 * s * style.zoom,
          .elided = 64 * s,
          .gap = 64 * s,
          .end_gap = 56 * s,
          .row = 56 * s,
          .idle_row = 40 * s,
          .highest_row = 200 * s * style.zoom,
          .first_track = 19 * s,
          .track_step = 16 * s,
          .corner = 20 * s,
          .head = 56 * s,
          .carried_head = 88 * s,
          .box = 6 * s,
          .query_line = 2 * s,
          .key_line = 1.75 * s};
}

}  // namespace

StemMeasures measures_of(const Style& style) {
  return style.paper == Paper::screen ? on_screen(style) : on_paper(style);
}

double disc_radius(const StemMeasures& measures, std::size_t lanes, double narrowest) {
  if (!measures.screen) {
    return measures.radius;
  }
  return lanes > kManyLanes               ? 8 * measures.unit
         : narrowest < 96 * measures.unit ? 11 * measures.unit
                                          : measures.radius;
}

StemColours colours_of(const Style& style) {
  const Theme theme = style.theme;
  if (style.paper != Paper::screen) {
    return {.ink = ink(theme),
            .secondary = soft_ink(theme),
            .row = faint_ink(theme),
            .box = faint_ink(theme),
            .chip = background(theme),
            .accent = accent(theme),
            .tint = 0.3F};
  }
  switch (theme) {
    case Theme::light:
      return {.ink = QColor(0x1b, 0x1f, 0x24),
              .secondary = QColor(0x57, 0x60, 0x6a),
              .row = QColor(0xed, 0xf0, 0xf3),
              .box = QColor(0xd0, 0xd6, 0xdd),
              .chip = QColor(0xee, 0xf1, 0xf5),
              .accent = QColor(0x25, 0x63, 0xeb),
              .tint = 0.08F};
    case Theme::dark:
      return {.ink = QColor(0xe8, 0xeb, 0xf0),
              .secondary = QColor(0xa6, 0xae, 0xba),
              .row = QColor(0x2b, 0x30, 0x38),
              .box = QColor(0x4a, 0x52, 0x5e),
              .chip = QColor(0x2a, 0x2f, 0x37),
              .accent = QColor(0x7a, 0xa5, 0xff),
              .tint = 0.12F};
    case Theme::high_contrast:
      break;
  }
  return {.ink = Qt::white,
          .secondary = Qt::white,
          .row = QColor(0x60, 0x60, 0x60),
          .box = Qt::white,
          .chip = QColor(0x30, 0x30, 0x30),
          .accent = QColor(0xff, 0xe0, 0x00),
          .tint = 0};
}

}  // namespace mog::figures
