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
  EXPECT_EQ(weight_colour(0, Theme::light), QColor(0xFF, 0xFF, 0xFF));
  EXPECT_EQ(weight_colour(1, Theme::light), QColor(0x26, 0x20, 0x7A));
  for (const Theme theme : {Theme::light, Theme::dark, Theme::high_contrast}) {
    EXPECT_EQ(weight_colour(0, theme), background(theme));
    EXPECT_EQ(weight_colour(7, theme), weight_colour(1, theme));
  }
  EXPECT_EQ(difference_colour(0, Theme::light), QColor(0xF7, 0xF7, 0xF7));
  EXPECT_EQ(difference_colour(-1, Theme::light), QColor(0x1D, 0x4E, 0xD8));
  EXPECT_EQ(difference_colour(1, Theme::dark), QColor(0xF2, 0x89, 0x3B));
  analysis::ColourScale signed_scale{analysis::ColourScale::Kind::diverging, -0.2, 0.4, {}};
  EXPECT_EQ(scale_colour(signed_scale, 0.4, Theme::light), difference_colour(1, Theme::light));
  EXPECT_EQ(scale_colour(signed_scale, -0.2, Theme::dark), difference_colour(-0.5, Theme::dark));
  EXPECT_FALSE(scale_colour(signed_scale, analysis::kAbsent, Theme::light).isValid());
  EXPECT_EQ(part_colour(Part::high, Theme::light), QColor(0xD5, 0x5E, 0x00));
  EXPECT_EQ(part_colour(Part::low, Theme::light), QColor(0x00, 0x82, 0x5F));
  // The ramp goes from light to dark.
  for (int i = 1; i < 12; ++i) {
    EXPECT_LT(ramp_colour(i, 12, Theme::light).lightnessF(),
              ramp_colour(i - 1, 12, Theme::light).lightnessF());
  }
}

// Gates part at the median, wherever it lies between the ends; the farther end has the full colour.
TEST(Colours, GatesPartAtTheMedian) {
  analysis::ColourScale scale{analysis::ColourScale::Kind::gate, 0.2, 0.5, {}};
  scale.middle = 0.4;
  EXPECT_EQ(scale_colour(scale, 0.4, Theme::light), QColor(0xEE, 0xF0, 0xF2));
  EXPECT_EQ(scale_colour(scale, 0.2, Theme::light), QColor(0x1B, 0x8A, 0x5A));
  EXPECT_EQ(scale_colour(scale, 0.5, Theme::light), gate_colour(0.5, Theme::light));
  EXPECT_EQ(gate_colour(1, Theme::light), QColor(0x7B, 0x3F, 0xA0));
  EXPECT_EQ(gate_colour(-1, Theme::dark), QColor(0x4C, 0xC3, 0x8A));
}

// Cividis is there for who asks for it; powers below 1 spread the small weights.
TEST(Colours, WeightsAreColouredAsIsChosen) {
  using Colouring = analysis::ColourScale::Colouring;
  analysis::ColourScale scale{analysis::ColourScale::Kind::sequential, 0, 0.4, {}, Colouring::power};
  const double weight = 0.1;
  EXPECT_EQ(scale_colour(scale, weight, Theme::light), weight_colour(std::pow(0.25, 0.6), Theme::light));
  EXPECT_NEAR(scale.at(scale.place(weight)), weight, 1e-12);
  scale.colouring = Colouring::cividis;
  EXPECT_EQ(scale_colour(scale, weight, Theme::dark), cividis(std::pow(0.25, 0.6)));
  scale.colouring = Colouring::even;
  EXPECT_EQ(scale_colour(scale, weight, Theme::light), weight_colour(0.25, Theme::light));
}

// Cells take their colours from tables: the same as those of the formula, in every place.
TEST(Colours, ColoursOfCellsAreThoseOfTheScale) {
  using Colouring = analysis::ColourScale::Colouring;
  for (const Colouring colouring : {Colouring::even, Colouring::root, Colouring::power, Colouring::cividis}) {
    analysis::ColourScale scale{analysis::ColourScale::Kind::sequential, 0, 0.37, {}, colouring};
    const ScaleColours colours(scale, Theme::dark);
    for (int i = -100; i <= 12'000; ++i) {
      const double value = 0.37 * i / 10'007;
      const double place = scale.place(value);
      EXPECT_EQ(QColor::fromRgb(colours(value)),
                colouring == Colouring::cividis ? cividis(place) : weight_colour(place, Theme::dark))
          << value;
    }
    EXPECT_EQ(qAlpha(colours(analysis::kAbsent)), 0);
    scale.high = 0;
    EXPECT_EQ(QColor::fromRgb(ScaleColours(scale, Theme::light)(1)),
              colouring == Colouring::cividis ? cividis(0) : weight_colour(0, Theme::light));
  }
}

// Dimmed cells keep their order but come near to paper.
TEST(Colours, DimmedCellsComeNearToPaper) {
  for (const Theme theme : {Theme::light, Theme::dark, Theme::high_contrast}) {
    const auto far = [theme](const QColor& colour) {
      return std::abs(colour.lightnessF() - background(theme).lightnessF());
    };
    const QColor most = weight_colour(1, theme);
    EXPECT_LT(far(dimmed(most, theme)), 0.5F * far(most));
    EXPECT_GT(far(dimmed(most, theme)), far(dimmed(weight_colour(0.5, theme), theme)));
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
