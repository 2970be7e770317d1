// Colours, and what is left of a line at the edge of a box.
#include "app/figures/style.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "analysis/figure_data/figure_data.h"
#include "app/figures/pen.h"

namespace mog::figures {
namespace {

// 17 parts of speech: no two lines have the same colour and dash.
TEST(Colours, CategoriesAreTold) {
  std::set<std::pair<QRgb, analysis::Dash>> seen;
  for (std::int64_t i = 0; i < 17; ++i) {
    seen.insert({colour_of(analysis::ColourKey::of_category(i, 17), Theme::light).rgb(),
                 analysis::dash_of_category(i)});
  }
  EXPECT_EQ(seen.size(), 17U);
  EXPECT_NE(analysis::dash_of_part(Part::middle1), analysis::dash_of_part(Part::middle2));
}

TEST(Colours, ScalesHaveTheirEndsAndMiddles) {
  EXPECT_EQ(cividis(0), QColor(0x00, 0x22, 0x4E));
  EXPECT_EQ(cividis(1), QColor(0xFE, 0xE8, 0x38));
  EXPECT_EQ(cividis(7), cividis(1));
  EXPECT_EQ(diverging(0), QColor(0xF7, 0xF7, 0xF7));
  analysis::ColourScale signed_scale{analysis::ColourScale::Kind::diverging, -0.2, 0.4, {}};
  EXPECT_EQ(scale_colour(signed_scale, 0.4), diverging(1));
  EXPECT_EQ(scale_colour(signed_scale, -0.2), diverging(-0.5));
  EXPECT_FALSE(scale_colour(signed_scale, analysis::kAbsent).isValid());
  EXPECT_EQ(part_colour(Part::high, Theme::light), QColor(0xD5, 0x5E, 0x00));
  EXPECT_EQ(part_colour(Part::low, Theme::light), QColor(0x00, 0x9E, 0x73));
  // The ramp goes from light to dark.
  for (int i = 1; i < 12; ++i) {
    EXPECT_LT(ramp_colour(i, 12, Theme::light).lightnessF(),
              ramp_colour(i - 1, 12, Theme::light).lightnessF());
  }
}

// The colours that maps look up are those of the scale, at every place and beside the ends of every bin.
TEST(Colours, AreLookedUpExactly) {
  const analysis::ColourScale sequential{analysis::ColourScale::Kind::sequential, 0, 1, {}};
  const analysis::ColourScale signed_scale{analysis::ColourScale::Kind::diverging, -1, 1, {}};
  for (int i = 0; i <= 8192 * 5; ++i) {
    const double even = i / (8192.0 * 5);
    for (const double t : {even, std::nextafter(even, 0.0), std::nextafter(even, 2.0)}) {
      ASSERT_EQ(scale_colour(sequential, t), cividis(t)) << t;
      ASSERT_EQ(scale_colour(signed_scale, 2 * t - 1), diverging(2 * t - 1)) << t;
    }
  }
}

// Contrast as WCAG 2.1 defines it.
double contrast(const QColor& a, const QColor& b) {
  const auto luminance = [](const QColor& colour) {
    const auto linear = [](float value) {
      const auto v = static_cast<double>(value);
      return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4);
    };
    return 0.2126 * linear(colour.redF()) + 0.7152 * linear(colour.greenF()) +
           0.0722 * linear(colour.blueF());
  };
  const double one = luminance(a) + 0.05;
  const double other = luminance(b) + 0.05;
  return std::max(one, other) / std::min(one, other);
}

TEST(Colours, EveryLineStandsOutOnBlack) {
  const Theme theme = Theme::high_contrast;
  for (std::int64_t i = 0; i < 12; ++i) {
    EXPECT_GE(contrast(ramp_colour(i, 12, theme), background(theme)), 4.5) << i;
    for (const auto& key : {analysis::ColourKey::of_category(i, 12), analysis::ColourKey::of_entry(i)}) {
      EXPECT_GE(contrast(colour_of(key, theme), background(theme)), 4.5) << i;
    }
  }
}

TEST(Clipping, LinesAndPolygonsStayInside) {
  const QRectF box(0, 0, 10, 10);
  const auto runs = clipped_line({{-5, 5}, {5, 5}, {5, 20}, {8, 20}, {8, 5}}, box);
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_EQ(runs[0], (QPolygonF{{0, 5}, {5, 5}, {5, 10}}));
  EXPECT_EQ(runs[1], (QPolygonF{{8, 10}, {8, 5}}));
  const QPolygonF cut = clipped_polygon({{-5, -5}, {20, -5}, {20, 20}, {-5, 20}}, box);
  EXPECT_EQ(cut.boundingRect(), box);
}

}  // namespace
}  // namespace mog::figures
