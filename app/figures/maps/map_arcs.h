// Arcs that hang from the words below a map: the strongest keys of each word.
#pragma once

#include <cstdint>
#include <vector>

#include "app/figures/maps/heat_map_layout.h"

namespace mog::figures {

struct MapArc {
  std::int64_t query = 0;
  std::int64_t key = 0;
  double weight = 0;
};

// Chosen once for a layout, drawn as often as it is looked at. Keeps `map` and `at`.
class MapArcs {
 public:
  // None where the map has none (HeatMap::arcs).
  MapArcs(const analysis::HeatMap& map, const HeatMapLayout& at);
  void draw(Pen& pen, const QRectF& area) const;
  // How many arcs there is room for; empty: for all.
  QString note() const;
  // Those of one word; `all`: to more than its strongest keys, though to none that would hardly be seen.
  void light(Pen& pen, const QRectF& area, std::int64_t word, bool all) const;

 private:
  std::vector<MapArc> of(std::int64_t query, std::int64_t count) const;
  // Its width is by the share of `greatest`.
  void draw(Pen& pen, const MapArc& arc, const QColor& colour, double greatest) const;
  QString drawn_keys() const;
  // Beside the arcs; false: there is no room, and nothing is written.
  bool tell(Pen& pen, const QRectF& area, const QString& text, bool over = false) const;
  double middle(std::int64_t word) const;
  double depth(std::int64_t length) const;

  const analysis::HeatMap& map_;
  const HeatMapLayout& at_;
  double top_;
  std::vector<MapArc> arcs_;  // the weakest first
  std::size_t left_out_ = 0;
};

}  // namespace mog::figures
