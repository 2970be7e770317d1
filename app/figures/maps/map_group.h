// Maps of one figure that compare: a word stands at the same place in each of them.
#pragma once

#include <vector>

#include "app/figures/body.h"

namespace mog::figures {

class MapGroup {
 public:
  // `maps`: all of a figure, in a grid of panels of this width.
  MapGroup(std::vector<const analysis::HeatMap*> maps, const Style& style, double width, bool stacked);

  // Maps of the same kind of rows and columns, no thumbnails.
  static bool compares(const std::vector<const analysis::HeatMap*>& maps);

  // The framing of each in panels of this height.
  std::vector<MapFraming> framings(double height) const;
  // With cells as large as they like to be, and with the smallest that are read on a screen.
  std::vector<double> wanted_heights() const;
  std::vector<double> least_heights() const;
  // Of maps below each other: rows of all are equally high.
  std::vector<double> heights(double room) const;
  bool stacked() const noexcept { return stacked_; }

 private:
  std::vector<MapFraming> start() const;
  std::vector<double> heights_with(double cell) const;

  std::vector<const analysis::HeatMap*> maps_;
  const Style& style_;
  double width_;
  bool stacked_;
};

}  // namespace mog::figures
