// Colours of scales are tables (cividis; blue, white, orange) with linear interpolation. A page of
// thumbnails asks for half a million of them, so they are looked up in bins that begin and end where the
// table's segments do. Within a segment a channel only rises or falls: a bin with the same colour at both
// ends has no other, and those with two are computed. So the table is exact, and 32 segments take 8,192
// bins.
//
// Categories are Okabe and Ito's colours, which people with any colour vision can tell apart; on a dark
// ground they keep their hue and get lighter. Layers have a ramp of a hue that no part has.
//
// Trap: the argument needs straight lines between the points, and bins that end where they bend: kBins is a
// multiple of the number of segments. 0 marks a bin with two colours, and is none of an opaque scale.
#include <algorithm>
#include <array>
#include <cmath>

#include "app/figures/style.h"

namespace mog::figures {
namespace {

QColor rgb(unsigned value) {
  return QColor::fromRgb(static_cast<int>(value >> 16U & 0xFFU), static_cast<int>(value >> 8U & 0xFFU),
                         static_cast<int>(value & 0xFFU));
}

// The colour map cividis (Nuñez, Anderton, Renslow, PLoS ONE 2018; released as CC0) at 33 even places.
constexpr std::array<unsigned, 33> kCividis = {
    0x00224E, 0x00285B, 0x002E6A, 0x053371, 0x1A386F, 0x273E6E, 0x32436D, 0x3B496C, 0x434E6C,
    0x4B546C, 0x535A6D, 0x5A5F6E, 0x61656F, 0x686A71, 0x6F7073, 0x767676, 0x7D7C78, 0x848279,
    0x8C8878, 0x938E78, 0x9B9476, 0xA39A74, 0xABA072, 0xB4A76F, 0xBCAE6C, 0xC4B468, 0xCDBB63,
    0xD5C25E, 0xDEC958, 0xE7D150, 0xF0D846, 0xF9E03A, 0xFEE838};
// Okabe and Ito's colours but the yellow, which white paper swallows; the last is ink.
constexpr std::array<unsigned, analysis::ColourKey::kHues> kCategories = {
    0x0072B2, 0xE69F00, 0x009E73, 0xD55E00, 0x56B4E9, 0xCC79A7, 0x1A1A1A};
// Blue - white - orange, dark ends of equal lightness.
constexpr std::array<unsigned, 9> kDiverging = {0x08457A, 0x2F79B5, 0x72ACD3, 0xBCD9EA, 0xF7F7F7,
                                                0xFBD3A9, 0xF09C4B, 0xC8640F, 0x7F3B08};
// The ramp of layers and other ordered series: one hue that no part has, light to dark.
constexpr std::array<unsigned, 5> kRamp = {0xCDB4E4, 0xA885CC, 0x8259AE, 0x5B3287, 0x2A1048};
constexpr std::array<unsigned, 5> kRampOnDark = {0x6E4D94, 0x8A68B3, 0xA987CF, 0xC8ACE6, 0xEADCF9};

// The same on black: the first stands out 5 : 1.
constexpr std::array<unsigned, 5> kRampOnBlack = {0x8F6FD0, 0xA88DDC, 0xC2ADE8, 0xDDD0F4, 0xF8F4FF};

// Plain integers: a page of thumbnails asks for half a million of these.
template <std::size_t n>
QRgb between_rgb(const std::array<unsigned, n>& table, double t) {
  const double place = std::clamp(std::isfinite(t) ? t : 0.0, 0.0, 1.0) * static_cast<double>(n - 1);
  const auto below = std::min(static_cast<std::size_t>(place), n - 2);
  const double share = place - static_cast<double>(below);
  const auto mix = [a = table[below], b = table[below + 1], share](unsigned shift) {
    const auto from = static_cast<int>(a >> shift & 0xFFU);
    const auto to = static_cast<int>(b >> shift & 0xFFU);
    return static_cast<int>(from + (to - from) * share + 0.5);
  };
  return qRgb(mix(16), mix(8), mix(0));
}

// The same colours, looked up: within one of these bins each channel only rises or falls (bins end where
// segments of the scale do), so a bin whose ends have one colour has no other. The few with two are computed.
template <std::size_t n>
class LookedUp {
 public:
  explicit LookedUp(const std::array<unsigned, n>& table) : table_(table), bins_(kBins) {
    for (std::size_t bin = 0; bin < kBins; ++bin) {
      const double begin = static_cast<double>(bin) / kBins;
      const double end = std::nextafter(static_cast<double>(bin + 1) / kBins, 0.0);
      const QRgb first = between_rgb(table_, begin);
      bins_[bin] = first == between_rgb(table_, end) ? first : kMixed;
    }
  }
  QRgb operator()(double t) const {
    if (t >= 0 && t < 1) {
      if (const QRgb found = bins_[static_cast<std::size_t>(t * kBins)]; found != kMixed) {
        return found;
      }
    }
    return between_rgb(table_, t);
  }

 private:
  static constexpr std::size_t kBins = (n - 1) * 256;
  static constexpr QRgb kMixed = 0;  // transparent: no colour of a scale
  const std::array<unsigned, n>& table_;
  std::vector<QRgb> bins_;
};

template <std::size_t n>
QColor between(const std::array<unsigned, n>& table, double t) {
  return QColor::fromRgb(between_rgb(table, t));
}

// Entries without an order, by ColourKey::index: green, blue, sky blue, vermilion, orange, pink, grey, dark
// and light grey, olive (Okabe-Ito, with the greys of parts).
constexpr std::array<unsigned, 10> kEntries = {0x009E73, 0x0072B2, 0x56B4E9, 0xD55E00, 0xE69F00,
                                               0xCC79A7, 0x999999, 0x444444, 0xC6C6C6, 0x8A7A00};

// The same hue, light enough for a dark ground, or for black.
QColor lighter(QColor colour, Theme theme) {
  const float lightness = std::max(colour.lightnessF(), theme == Theme::high_contrast ? 0.62F : 0.55F);
  return QColor::fromHslF(colour.hslHueF() < 0 ? 0 : colour.hslHueF(), colour.hslSaturationF(), lightness);
}

}  // namespace

Style Style::of(Paper paper, Theme theme) {
  Style style;
  style.paper = paper;
  style.theme = theme;
  if (paper == Paper::slide) {
    style.body_pt = 18;
    style.tick_pt = 16;
    style.caption_pt = 12;
    style.line_pt = 1.8;
    style.marker_pt = 6;
  }
  return style;
}

std::span<const PaperPreset> paper_presets() {
  static constexpr std::array<PaperPreset, 8> kPresets = {{{"page", Paper::page, 17.5},
                                                           {"column", Paper::column, 8.5},
                                                           {"acl", Paper::acl, 7.7},
                                                           {"acl-wide", Paper::acl_wide, 16},
                                                           {"neurips", Paper::neurips, 13.97},
                                                           {"lncs", Paper::lncs, 12.2},
                                                           {"slide", Paper::slide, 25.4},
                                                           {"slides", Paper::slide, 25.4}}};
  return kPresets;
}

double width_pt(Paper paper) {
  constexpr double kPointsPerCm = 72 / 2.54;
  constexpr double kScreen = 640;
  const auto presets = paper_presets();
  const auto preset = std::find_if(presets.begin(), presets.end(),
                                   [&](const PaperPreset& one) { return one.paper == paper; });
  return preset == presets.end() ? kScreen : preset->width_cm * kPointsPerCm;
}

namespace {
QColor of_theme(Theme theme, unsigned light, unsigned dark, unsigned high_contrast) {
  return rgb(theme == Theme::light ? light : theme == Theme::dark ? dark : high_contrast);
}
}  // namespace

QColor background(Theme theme) {
  return of_theme(theme, 0xFFFFFF, 0x1E1F22, 0x000000);
}
QColor ink(Theme theme) {
  return of_theme(theme, 0x1A1A1A, 0xE4E4E4, 0xFFFFFF);
}
QColor soft_ink(Theme theme) {
  return of_theme(theme, 0x5F5F5F, 0xA9A9AC, 0xE0E0E0);
}
QColor faint_ink(Theme theme) {
  return of_theme(theme, 0xDCDCDC, 0x3C3D41, 0x8C8C8C);
}
QColor accent(Theme theme) {
  return of_theme(theme, 0xB8860B, 0xF0C24B, 0xFFD800);
}

QColor palette_colour(PartColour place, Theme theme) {
  QColor colour;
  switch (place) {
    case PartColour::vermillion:
      colour = rgb(0xD55E00);
      break;
    case PartColour::blue:
      colour = rgb(0x0072B2);
      break;
    case PartColour::sky:
      colour = rgb(0x56B4E9);
      break;
    case PartColour::green:
      colour = rgb(0x009E73);
      break;
    case PartColour::purple:
      colour = rgb(0xCC79A7);
      break;
    case PartColour::orange:
      colour = rgb(0xE69F00);
      break;
    case PartColour::ink:
      return of_theme(theme, 0x444444, 0xBDBDBD, 0xE8E8E8);
    case PartColour::soft:
      return of_theme(theme, 0x777777, 0x9A9A9A, 0xC0C0C0);
  }
  return theme == Theme::light ? colour : lighter(colour, theme);
}

QColor part_colour(Part part, Theme theme) {
  return palette_colour(part.description().colour, theme);
}

QColor ramp_colour(std::int64_t index, std::int64_t count, Theme theme) {
  const double t = count < 2 ? 0.6 : static_cast<double>(index) / static_cast<double>(count - 1);
  return between(theme == Theme::light ? kRamp : theme == Theme::dark ? kRampOnDark : kRampOnBlack, t);
}

QColor colour_of(const analysis::ColourKey& key, Theme theme) {
  using Kind = analysis::ColourKey::Kind;
  switch (key.kind) {
    case Kind::part:
      return part_colour(key.part, theme);
    case Kind::palette:
      return palette_colour(static_cast<PartColour>(key.index), theme);
    case Kind::layer:
    case Kind::ramp:
      return ramp_colour(key.index, key.count, theme);
    case Kind::entry: {
      const QColor colour = rgb(kEntries[static_cast<std::size_t>(key.index) % kEntries.size()]);
      return theme == Theme::light ? colour : lighter(colour, theme);
    }
    case Kind::model:
      return key.index == 0 ? ink(theme) : soft_ink(theme);
    case Kind::neutral:
      return ink(theme);
    case Kind::category: {
      const auto hue = static_cast<std::size_t>(key.index % analysis::ColourKey::kHues);
      if (hue + 1 == kCategories.size()) {
        return ink(theme);
      }
      const QColor colour = rgb(kCategories[hue]);
      return theme == Theme::light ? colour : lighter(colour, theme);
    }
  }
  return ink(theme);
}

QColor cividis(double t) {
  return between(kCividis, t);
}

QColor diverging(double t) {
  return between(kDiverging, (t + 1) / 2);
}

QRgb scale_rgba(const analysis::ColourScale& scale, double value) {
  if (!std::isfinite(value)) {
    return qRgba(0, 0, 0, 0);
  }
  if (scale.kind == analysis::ColourScale::Kind::diverging) {
    const double end = std::max({std::abs(scale.low), std::abs(scale.high), 1e-300});
    static const LookedUp diverging(kDiverging);
    return diverging((value / end + 1) / 2);
  }
  static const LookedUp cividis(kCividis);
  return cividis(scale.high > scale.low ? scale.place(value) : 0.0);
}

QColor scale_colour(const analysis::ColourScale& scale, double value) {
  return std::isfinite(value) ? QColor::fromRgb(scale_rgba(scale, value)) : QColor();
}

QColor text_on(const QColor& fill) {
  const auto linear = [](float value) {
    const auto v = static_cast<double>(value);
    return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4);
  };
  const double luminance =
      0.2126 * linear(fill.redF()) + 0.7152 * linear(fill.greenF()) + 0.0722 * linear(fill.blueF());
  // Where the contrast with white and with black ink is equal.
  return luminance > 0.2 ? rgb(0x1A1A1A) : rgb(0xFFFFFF);
}

}  // namespace mog::figures
