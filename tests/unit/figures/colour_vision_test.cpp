// Seven lengths are told apart by readers who see no red, no green or no blue, and on grey paper.
#include <gtest/gtest.h>

#include <QImage>
#include <array>
#include <cmath>
#include <string>

#include "app/figures/lines/legend.h"
#include "app/figures/painter.h"

namespace mog::figures {
namespace {

using Vector = std::array<double, 3>;
using Matrix = std::array<Vector, 3>;

Vector operator*(const Matrix& matrix, const Vector& v) {
  Vector result{};
  for (std::size_t i = 0; i < 3; ++i) {
    result[i] = matrix[i][0] * v[0] + matrix[i][1] * v[1] + matrix[i][2] * v[2];
  }
  return result;
}

Vector linear(const QColor& colour) {
  const auto one = [](float value) {
    const auto v = static_cast<double>(value);
    return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4);
  };
  return {one(colour.redF()), one(colour.greenF()), one(colour.blueF())};
}

// CIELAB under D65.
Vector lab(const Vector& rgb) {
  constexpr Matrix kToXyz = {{{0.4124564, 0.3575761, 0.1804375},
                              {0.2126729, 0.7151522, 0.0721750},
                              {0.0193339, 0.1191920, 0.9503041}}};
  Vector xyz = kToXyz * rgb;
  const auto f = [](double t) { return t > 216.0 / 24389 ? std::cbrt(t) : (24389.0 / 27 * t + 16) / 116; };
  const double x = f(std::max(0.0, xyz[0]) / 0.95047);
  const double y = f(std::max(0.0, xyz[1]));
  const double z = f(std::max(0.0, xyz[2]) / 1.08883);
  return {116 * y - 16, 500 * (x - y), 200 * (y - z)};
}

// Machado, Oliveira and Fernandes 2009, severity 1, on linear RGB; and what a grey printer leaves.
struct Sight {
  const char* name;
  Matrix matrix;
};
constexpr std::array<Sight, 5> kSights = {
    {{"all colours", {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}},
     {"protanopia",
      {{{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}}}},
     {"deuteranopia",
      {{{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}}}},
     {"tritanopia",
      {{{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}}}},
     {"grey", {{{0.2126, 0.7152, 0.0722}, {0.2126, 0.7152, 0.0722}, {0.2126, 0.7152, 0.0722}}}}}};

// 2.3 is the least difference that is seen side by side; lines are apart from each other: twice that, and
// markers say the same again.
TEST(ColourVision, SevenLengthsDifferInColour) {
  constexpr double kLeast = 2 * 2.3;
  for (const Theme theme : {Theme::light, Theme::dark, Theme::high_contrast}) {
    for (const Sight& sight : kSights) {
      for (std::int64_t a = 0; a < 7; ++a) {
        for (std::int64_t b = 0; b < a; ++b) {
          const Vector first = lab(sight.matrix * linear(ramp_colour(a, 7, theme)));
          const Vector second = lab(sight.matrix * linear(ramp_colour(b, 7, theme)));
          const double distance =
              std::hypot(first[0] - second[0], first[1] - second[1], first[2] - second[2]);
          EXPECT_GT(distance, kLeast) << sight.name << ", lengths " << b + 1 << " and " << a + 1 << ", theme "
                                      << static_cast<int>(theme);
        }
      }
    }
  }
}

double distance(const Sight& sight, const QColor& a, const QColor& b) {
  const Vector first = lab(sight.matrix * linear(a));
  const Vector second = lab(sight.matrix * linear(b));
  return std::hypot(first[0] - second[0], first[1] - second[1], first[2] - second[2]);
}

// 0 to 1: OKLab's (Ottosson 2020); of greys from black on CIELAB's, whose steps eight bits can show there.
double lightness(const QColor& colour, Theme theme) {
  if (theme == Theme::high_contrast) {
    return lab(linear(colour))[0] / 100;
  }
  constexpr Matrix kToCones = {{{0.4122214708, 0.5363325363, 0.0514459929},
                                {0.2119034982, 0.6806995451, 0.1073969566},
                                {0.0883024619, 0.2817188376, 0.6299787005}}};
  const Vector cones = kToCones * linear(colour);
  return 0.2104542553 * std::cbrt(cones[0]) + 0.7936177850 * std::cbrt(cones[1]) -
         0.0040720468 * std::cbrt(cones[2]);
}

// Twice the weight's place on the scale is twice as far from paper.
TEST(ColourVision, WeightsGetDarkerInEvenSteps) {
  constexpr int kSteps = 20;
  for (const Theme theme : {Theme::light, Theme::dark, Theme::high_contrast}) {
    const double from = lightness(weight_colour(0, theme), theme);
    const double whole = lightness(weight_colour(1, theme), theme) - from;
    EXPECT_EQ(whole < 0, theme == Theme::light);
    EXPECT_GT(std::abs(whole), 0.6);
    for (int i = 1; i <= kSteps; ++i) {
      const auto at = [theme](int place) {
        return lightness(weight_colour(static_cast<double>(place) / kSteps, theme), theme);
      };
      const double step = (at(i) - at(i - 1)) / whole;
      EXPECT_NEAR(step * kSteps, 1, 0.15) << "step " << i << ", theme " << static_cast<int>(theme);
    }
  }
}

// Weights are told apart in tenths of the scale, parts from each other, by readers who see no red, no green
// or no blue.
TEST(ColourVision, WeightsAndPartsStayApart) {
  constexpr double kLeast = 2 * 2.3;
  const std::array parts = {Part::high, Part::middle1, Part::middle2, Part::full};
  for (const Theme theme : {Theme::light, Theme::dark, Theme::high_contrast}) {
    for (const Sight& sight : kSights) {
      const bool grey = std::string(sight.name) == "grey";
      for (int a = 0; a <= 10; ++a) {
        for (int b = 0; b < a; ++b) {
          EXPECT_GT(distance(sight, weight_colour(a / 10.0, theme), weight_colour(b / 10.0, theme)), kLeast)
              << sight.name << ", weights " << b << " and " << a << " tenths, theme "
              << static_cast<int>(theme);
        }
      }
      for (std::size_t a = 0; a < parts.size() && !grey; ++a) {  // letters say it in grey
        for (std::size_t b = 0; b < a; ++b) {
          EXPECT_GT(distance(sight, part_colour(parts[a], theme), part_colour(parts[b], theme)), 2 * kLeast)
              << sight.name << ", " << name(parts[b]) << " and " << name(parts[a]) << ", theme "
              << static_cast<int>(theme);
        }
      }
    }
  }
}

// Which side of the median or of 0 a value lies on.
TEST(ColourVision, BothSidesOfTheMiddleStayApart) {
  constexpr double kLeast = 2 * 2.3;
  for (const Theme theme : {Theme::light, Theme::dark, Theme::high_contrast}) {
    for (const Sight& sight : kSights) {
      if (std::string(sight.name) == "grey") {
        continue;  // the numbers say it
      }
      for (const double t : {0.5, 1.0}) {
        EXPECT_GT(distance(sight, gate_colour(-t, theme), gate_colour(t, theme)), kLeast)
            << sight.name << ", gates, theme " << static_cast<int>(theme);
        EXPECT_GT(distance(sight, difference_colour(-t, theme), difference_colour(t, theme)), kLeast)
            << sight.name << ", differences, theme " << static_cast<int>(theme);
      }
    }
  }
}

QImage marker(std::int64_t shape) {
  constexpr int kSide = 64;
  QImage image(kSide, kSide, QImage::Format_RGB32);
  image.fill(Qt::white);
  QPainter painter(&image);
  const Style style;
  Pen pen(painter, style);
  draw_marker(pen, {kSide / 2.0, kSide / 2.0}, shape, 36, Qt::black);
  return image;
}

// Without any colour: no two shapes cover nearly the same.
TEST(ColourVision, MarkersDifferInShape) {
  for (std::int64_t a = 0; a < kMarkers; ++a) {
    const QImage first = marker(a);
    for (std::int64_t b = 0; b < a; ++b) {
      const QImage second = marker(b);
      int unlike = 0;
      int covered = 0;
      for (int y = 0; y < first.height(); ++y) {
        for (int x = 0; x < first.width(); ++x) {
          const bool in_first = first.pixelColor(x, y).lightness() < 128;
          const bool in_second = second.pixelColor(x, y).lightness() < 128;
          unlike += in_first != in_second ? 1 : 0;
          covered += in_first || in_second ? 1 : 0;
        }
      }
      EXPECT_GT(unlike, covered / 6) << "shapes " << b << " and " << a;
    }
  }
}

// A length keeps its shape where a shorter one is left out; others go by their place.
TEST(ColourVision, LengthsKeepTheirMarkers) {
  analysis::LineSeries length;
  length.colour = analysis::ColourKey::of_ramp(5, 7);
  EXPECT_EQ(marker_of(length, 2), 5);
  analysis::LineSeries named;
  named.colour = analysis::ColourKey::of_category(5, 7);
  EXPECT_EQ(marker_of(named, 2), 2);
}

}  // namespace
}  // namespace mog::figures
