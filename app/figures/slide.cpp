#include "app/figures/slide.h"

#include <algorithm>
#include <array>

#include "app/figures/body.h"
#include "app/figures/frame.h"

namespace mog::figures {
namespace {

using analysis::FigureData;
using analysis::PanelFigure;

Style smaller(Style style, double times) {
  for (double* const length :
       {&style.body_pt, &style.tick_pt, &style.caption_pt, &style.line_pt, &style.marker_pt}) {
    *length /= times;
  }
  return style;
}

// The places of thumbnails say what they are.
bool may_move(const PanelFigure& figure) {
  return std::none_of(figure.panels.begin(), figure.panels.end(), [](const FigureData& panel) {
    const auto* const map = std::get_if<analysis::HeatMap>(&panel.body);
    return map != nullptr && map->thumbnail;
  });
}

bool all_lines(const PanelFigure& figure) {
  return std::all_of(figure.panels.begin(), figure.panels.end(), [](const FigureData& panel) {
    return std::holds_alternative<analysis::LinePlot>(panel.body);
  });
}

// The part of the height it wants that the figure gets.
double room(const FigureData& figure, const Style& style, QSizeF size) {
  const double body = size.height() - frame_height(figure, style, size.width());
  return body / std::max(1.0, wanted_height(figure, style, size.width() - 2 * kMargin));
}

}  // namespace

OnSlide fit_to_slide(const FigureData& figure, const Style& style, QSizeF size) {
  constexpr std::array<double, 5> kTimes = {1, 1.25, 1.5, 1.75, 2};
  const auto* const panels = std::get_if<PanelFigure>(&figure.body);
  if (panels == nullptr) {
    return {figure, style};
  }
  const auto count = static_cast<std::int64_t>(panels->panels.size());
  const std::int64_t first = std::max<std::int64_t>(1, panels->columns);
  // Lines take any height; maps and sentences lose cells and layers.
  const double enough = all_lines(*panels) ? 0.6 : 0.85;
  const std::int64_t last = may_move(*panels) ? std::max(first, count) : first;
  OnSlide best{figure, style};
  double most = 0;
  for (const double times : kTimes) {
    for (std::int64_t columns = first; columns <= last && most < enough; ++columns) {
      FigureData other = figure;
      std::get<PanelFigure>(other.body).columns = columns;
      const Style type = smaller(style, times);
      if (const double found = room(other, type, size); found > most) {
        most = found;
        best = {std::move(other), type};
      }
    }
  }
  return best;
}

}  // namespace mog::figures
