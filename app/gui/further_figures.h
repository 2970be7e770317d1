// The figures of "More figures": which there are, what they need of a recording, what they are called.
#pragma once

#include <QString>
#include <cstdint>
#include <string_view>
#include <vector>

#include "io/recording/sentence_recording.h"

namespace mog::gui {

struct FurtherFigure {
  enum class Needs : std::uint8_t { maps, token_map, any_quantity, shares };
  std::string_view name;  // as `mog figure` calls it
  Needs needs = Needs::maps;
  bool of_sentence = false;
};

inline constexpr std::string_view kExpectedJoins = "posterior-arcs";

// Those that the other views do not show already and that `mog figure` knows.
std::vector<FurtherFigure> further_figures();
// The first where there is none of that name.
FurtherFigure further_figure(const QString& name);
QString further_figure_text(std::string_view name);
// Whether it can be made of the quantity.
bool serves(const QuantitySchema& schema, FurtherFigure::Needs needs);
// "encoder.3.split.norm" → "encoder.*.split.norm"
QString over_layers(const QuantityName& name);
QString as_qstring(std::string_view text);

}  // namespace mog::gui
