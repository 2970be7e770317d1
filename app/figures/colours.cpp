// Colours of scales are tables of 1,025 colours between a few stops. Between two stops colours go in a
// straight line through OKLab, where equal steps look equal; stops of a sequential scale stand where their
// lightness puts them, so that its lightness rises or falls evenly. A page of thumbnails asks for half a
// million colours: each is a look into a table, also where a scale gives its colours out by a power: which
// colour begins at which value is a table, too.
//
// Categories are Okabe and Ito's colours, which people with any colour vision can tell apart; on a dark
// ground they keep their hue and get lighter. Layers have a ramp of a hue that no part has.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

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
// The ramp of layers and other ordered series: one hue that no part has, light to dark.
constexpr std::array<unsigned, 5> kRamp = {0xCDB4E4, 0xA885CC, 0x8259AE, 0x5B3287, 0x2A1048};
constexpr std::array<unsigned, 5> kRampOnDark = {0x6E4D94, 0x8A68B3, 0xA987CF, 0xC8ACE6, 0xEADCF9};

// The same on black: the first stands out 5 : 1.
constexpr std::array<unsigned, 5> kRampOnBlack = {0x8F6FD0, 0xA88DDC, 0xC2ADE8, 0xDDD0F4, 0xF8F4FF};

// The ramp of layers has few colours: between two of them, channel by channel.
template <std::size_t n>
QColor between(const std::array<unsigned, n>& table, double t) {
  const double place = std::clamp(t, 0.0, 1.0) * static_cast<double>(n - 1);
  const auto below = std::min(static_cast<std::size_t>(place), n - 2);
  const double share = place - static_cast<double>(below);
  const auto mix = [a = table[below], b = table[below + 1], share](unsigned shift) {
    const auto from = static_cast<int>(a >> shift & 0xFFU);
    const auto to = static_cast<int>(b >> shift & 0xFFU);
    return static_cast<int>(std::lround(from + (to - from) * share));
  };
  return QColor(mix(16), mix(8), mix(0));
}

// OKLab (Ottosson 2020): lightness, green to red, blue to yellow.
using Lab = std::array<double, 3>;

Lab to_oklab(unsigned colour) {
  const auto linear = [colour](unsigned shift) {
    const double v = (colour >> shift & 0xFFU) / 255.0;
    return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4);
  };
  const double r = linear(16);
  const double g = linear(8);
  const double b = linear(0);
  const double l = std::cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const double m = std::cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const double s = std::cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return {0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s,
          1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s,
          0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s};
}

QRgb from_oklab(const Lab& lab) {
  const double l = std::pow(lab[0] + 0.3963377774 * lab[1] + 0.2158037573 * lab[2], 3);
  const double m = std::pow(lab[0] - 0.1055613458 * lab[1] - 0.0638541728 * lab[2], 3);
  const double s = std::pow(lab[0] - 0.0894841775 * lab[1] - 1.2914855480 * lab[2], 3);
  const auto channel = [](double linear) {
    const double v = linear <= 0.0031308 ? 12.92 * linear : 1.055 * std::pow(linear, 1 / 2.4) - 0.055;
    return static_cast<int>(std::lround(std::clamp(v, 0.0, 1.0) * 255));
  };
  return qRgb(channel(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
              channel(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
              channel(-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s));
}

// The colours of a scale.
class Colours {
 public:
  enum class Stops : std::uint8_t { even, by_lightness };

  Colours(std::span<const unsigned> stops, Stops placed) : colours_(kSteps + 1) {
    std::vector<Lab> labs;
    for (const unsigned stop : stops) {
      labs.push_back(to_oklab(stop));
    }
    std::vector<double> places;
    for (std::size_t i = 0; i < labs.size(); ++i) {
      places.push_back(placed == Stops::even
                           ? static_cast<double>(i) / static_cast<double>(labs.size() - 1)
                           : (labs[i][0] - labs.front()[0]) / (labs.back()[0] - labs.front()[0]));
    }
    std::size_t above = 1;
    for (std::size_t step = 0; step <= kSteps; ++step) {
      const double t = static_cast<double>(step) / kSteps;
      while (above + 1 < places.size() && t > places[above]) {
        ++above;
      }
      const Lab& from = labs[above - 1];
      const Lab& to = labs[above];
      const double share = (t - places[above - 1]) / (places[above] - places[above - 1]);
      Lab mixed{};
      for (std::size_t i = 0; i < mixed.size(); ++i) {
        mixed[i] = from[i] + (to[i] - from[i]) * share;
      }
      colours_[step] = from_oklab(mixed);
    }
  }
  QRgb operator()(double t) const {
    return colours_[static_cast<std::size_t>(
        std::lround(std::clamp(std::isfinite(t) ? t : 0.0, 0.0, 1.0) * kSteps))];
  }
  std::span<const QRgb> all() const { return colours_; }

  static constexpr std::size_t kSteps = 1024;  // even: a middle stop has its own place

 private:
  std::vector<QRgb> colours_;
};

}  // namespace

// The step whose colour a place between the ends of an uneven scale has. The interval is cut into even
// pieces; of each the first step in it is known, and the few others follow.
class UnevenSteps {
 public:
  explicit UnevenSteps(analysis::ColourScale::Colouring colouring) {
    analysis::ColourScale unit;
    unit.colouring = colouring;
    for (std::size_t step = 0; step < Colours::kSteps; ++step) {
      ends_[step] = unit.at((static_cast<double>(step) + 0.5) / Colours::kSteps);
    }
    ends_.back() = 2;  // beyond every place
    std::size_t step = 0;
    for (std::size_t piece = 0; piece < first_.size(); ++piece) {
      while (static_cast<double>(piece) / kPieces >= ends_[step]) {
        ++step;
      }
      first_[piece] = static_cast<std::uint16_t>(step);
    }
  }
  std::size_t operator()(double t) const {
    std::size_t step = first_[static_cast<std::size_t>(t * kPieces)];
    while (t >= ends_[step]) {
      ++step;
    }
    return step;
  }

 private:
  static constexpr std::size_t kPieces = 16384;
  std::array<double, Colours::kSteps + 1> ends_{};
  std::array<std::uint16_t, kPieces + 1> first_{};
};

namespace {

// None: even steps.
const UnevenSteps* steps_of(analysis::ColourScale::Colouring colouring) {
  using Colouring = analysis::ColourScale::Colouring;
  static const UnevenSteps kRoot(Colouring::root);
  static const UnevenSteps kPower(Colouring::power);
  static const UnevenSteps kOfCividis(Colouring::cividis);
  switch (colouring) {
    case Colouring::even:
      return nullptr;
    case Colouring::root:
      return &kRoot;
    case Colouring::power:
      return &kPower;
    case Colouring::cividis:
      return &kOfCividis;
  }
  return nullptr;
}

// Of each theme: light, dark, high contrast.
using OfThemes = std::array<Colours, 3>;

const Colours& of(const OfThemes& themes, Theme theme) {
  return themes[static_cast<std::size_t>(theme)];
}

Colours sequence(std::initializer_list<unsigned> stops) {
  return {std::span(stops.begin(), stops.size()), Colours::Stops::by_lightness};
}

Colours parted(std::initializer_list<unsigned> stops) {
  return {std::span(stops.begin(), stops.size()), Colours::Stops::even};
}

// Entries without an order, by ColourKey::index: six colours of parts, then greys and olive.
constexpr std::array kEntryParts = {PartColour::green,      PartColour::blue,   PartColour::sky,
                                    PartColour::vermillion, PartColour::orange, PartColour::purple};
constexpr std::array<unsigned, 4> kEntries = {0x999999, 0x444444, 0xC6C6C6, 0x8A7A00};

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
  return of_theme(theme, 0xFFFFFF, 0x1C1F25, 0x000000);
}
QColor ink(Theme theme) {
  return of_theme(theme, 0x1B1F24, 0xE8EBF0, 0xFFFFFF);
}
QColor soft_ink(Theme theme) {
  return of_theme(theme, 0x57606A, 0xA6AEBA, 0xE0E0E0);
}
QColor faint_ink(Theme theme) {
  return of_theme(theme, 0xDCDFE3, 0x3A404A, 0x8C8C8C);
}
QColor accent(Theme theme) {
  return of_theme(theme, 0x2563EB, 0x7AA5FF, 0xFFE000);
}

QColor palette_colour(PartColour place, Theme theme) {
  switch (place) {
    case PartColour::vermillion:
      return of_theme(theme, 0xD55E00, 0xF2893B, 0xFF9A4D);
    case PartColour::blue:
      return of_theme(theme, 0x0072B2, 0x4A9BE0, 0x5AB4FF);
    case PartColour::sky:
      return of_theme(theme, 0x56B4E9, 0xA5DBFA, 0xB8E4FF);
    case PartColour::green:
      return of_theme(theme, 0x00825F, 0x3CC796, 0x00FFA0);
    case PartColour::purple:
      return theme == Theme::light ? rgb(0xCC79A7) : lighter(rgb(0xCC79A7), theme);
    case PartColour::orange:
      return theme == Theme::light ? rgb(0xE69F00) : lighter(rgb(0xE69F00), theme);
    case PartColour::ink:
      return of_theme(theme, 0x444444, 0xBBBBBB, 0xE8E8E8);
    case PartColour::soft:
      return of_theme(theme, 0x777777, 0x9A9A9A, 0xC0C0C0);
  }
  return ink(theme);
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
      const auto entry = static_cast<std::size_t>(key.index) % (kEntryParts.size() + kEntries.size());
      if (entry < kEntryParts.size()) {
        return palette_colour(kEntryParts[entry], theme);
      }
      const QColor colour = rgb(kEntries[entry - kEntryParts.size()]);
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

namespace {

// CIELAB's lightness in steps of 5: near black OKLab's steps are smaller than those of eight bits.
constexpr std::initializer_list<unsigned> kGreys = {
    0x000000, 0x111111, 0x1B1B1B, 0x262626, 0x303030, 0x3B3B3B, 0x474747,
    0x525252, 0x5E5E5E, 0x6A6A6A, 0x777777, 0x848484, 0x919191, 0x9E9E9E,
    0xABABAB, 0xB9B9B9, 0xC6C6C6, 0xD4D4D4, 0xE2E2E2, 0xF1F1F1, 0xFFFFFF};

const Colours& weights(Theme theme) {
  static const OfThemes kWeights = {sequence({0xFFFFFF, 0xE4E6FA, 0xB9BDF0, 0x7C80DD, 0x4338CA, 0x26207A}),
                                    sequence({0x1C1F25, 0x272A4D, 0x3A3D8C, 0x5B60CF, 0x969BF3, 0xE2E4FF}),
                                    parted(kGreys)};
  return of(kWeights, theme);
}

const Colours& cividis_table() {
  static const Colours kTable(kCividis, Colours::Stops::even);
  return kTable;
}

const Colours& differences(Theme theme) {
  static const OfThemes kDifferences = {parted({0x1D4ED8, 0xF7F7F7, 0xC2410C}),
                                        parted({0x7AA5FF, 0x2A2E35, 0xF2893B}),
                                        parted({0x66B3FF, 0x000000, 0xFFA040})};
  return of(kDifferences, theme);
}

const Colours& gates(Theme theme) {
  static const OfThemes kGates = {parted({0x1B8A5A, 0xEEF0F2, 0x7B3FA0}),
                                  parted({0x4CC38A, 0x2A2E35, 0xC08BE6}),
                                  parted({0x4CC38A, 0x2A2E35, 0xC08BE6})};
  return of(kGates, theme);
}

}  // namespace

QColor weight_colour(double t, Theme theme) {
  return QColor::fromRgb(weights(theme)(t));
}

QColor cividis(double t) {
  return QColor::fromRgb(cividis_table()(t));
}

QColor difference_colour(double t, Theme theme) {
  return QColor::fromRgb(differences(theme)((t + 1) / 2));
}

QColor gate_colour(double t, Theme theme) {
  return QColor::fromRgb(gates(theme)((t + 1) / 2));
}

ScaleColours::ScaleColours(const analysis::ColourScale& scale, Theme theme) {
  using Kind = analysis::ColourScale::Kind;
  constexpr double kLeast = 1e-300;
  switch (scale.kind) {
    case Kind::diverging: {
      const double end = std::max({std::abs(scale.low), std::abs(scale.high), kLeast});
      colours_ = differences(theme).all();
      zero_ = -end;
      width_ = 2 * end;
      break;
    }
    case Kind::gate: {
      // The longer side reaches the end of its colours, and both sides have equal steps.
      const double side = std::max({scale.high - scale.middle, scale.middle - scale.low, kLeast});
      colours_ = gates(theme).all();
      zero_ = scale.middle - side;
      width_ = 2 * side;
      break;
    }
    case Kind::sequential:
      colours_ = scale.colouring == analysis::ColourScale::Colouring::cividis ? cividis_table().all()
                                                                              : weights(theme).all();
      steps_ = steps_of(scale.colouring);
      zero_ = scale.low;
      width_ = scale.high > scale.low ? scale.high - scale.low : std::numeric_limits<double>::infinity();
      break;
  }
  if (!std::isfinite(zero_) || !(width_ > 0)) {  // of no number: all the first colour
    zero_ = 0;
    width_ = std::numeric_limits<double>::infinity();
  }
}

QRgb ScaleColours::operator()(double value) const {
  if (!std::isfinite(value)) {
    return qRgba(0, 0, 0, 0);
  }
  const double place = std::clamp((value - zero_) / width_, 0.0, 1.0);
  return colours_[steps_ != nullptr ? (*steps_)(place)
                                    : static_cast<std::size_t>(std::lround(place * Colours::kSteps))];
}

void ScaleColours::operator()(std::span<const double> values, QRgb* colours) const {
  for (std::size_t i = 0; i < values.size(); ++i) {
    colours[i] = (*this)(values[i]);
  }
}

QColor scale_colour(const analysis::ColourScale& scale, double value, Theme theme) {
  return std::isfinite(value) ? QColor::fromRgb(ScaleColours(scale, theme)(value)) : QColor();
}

QColor dimmed(const QColor& colour, Theme theme) {
  constexpr float kLeft = 0.4F;
  const QColor paper = background(theme);
  const auto mix = [](float from, float to) { return to + (from - to) * kLeft; };
  return QColor::fromRgbF(mix(colour.redF(), paper.redF()), mix(colour.greenF(), paper.greenF()),
                          mix(colour.blueF(), paper.blueF()));
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
