// What one map asks for all get: the scale below, turned labels, room for the widest word. Each of these
// changes the room of the cells, and with it what the next one asks: rounds, each on what the last one found.
// In the end square cells are as small as the smallest of the group.
//
// Maps below each other have their scales below, so that their columns are equally wide, and where the next
// map has the same scale it stands there alone.
#include "app/figures/maps/map_group.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "app/figures/maps/heat_map_layout.h"

namespace mog::figures {
namespace {

using analysis::HeatMap;

constexpr double kLeastSquare = 3;    // pixels, where the width allows it
constexpr double kHighHeight = 1e4;   // more than any map asks for
constexpr double kLikeCounts = 1.25;  // words: above it, cells of two maps differ

// As high as small letters, and 9 pixels.
double least_row(const Style& style) {
  return std::max(9.0, 0.85 * smallest_type(style));
}

bool same_scale(const HeatMap& a, const HeatMap& b) {
  return a.scale.kind == b.scale.kind && a.scale.low == b.scale.low && a.scale.high == b.scale.high &&
         a.scale.colouring == b.scale.colouring && a.scale.middle == b.scale.middle &&
         a.scale.more == b.scale.more && a.scale.quantity.text() == b.scale.quantity.text();
}

double most_words(const HeatMap& map) {
  return static_cast<double>(std::max({map.rows.size(), map.columns.size(), std::size_t{1}}));
}

}  // namespace

MapGroup::MapGroup(std::vector<const HeatMap*> maps, const Style& style, double width, bool stacked)
    : maps_(std::move(maps)), style_(style), width_(width), stacked_(stacked) {}

bool MapGroup::compares(const std::vector<const HeatMap*>& maps) {
  return maps.size() > 1 && std::all_of(maps.begin(), maps.end(), [&](const HeatMap* map) {
           return !map->thumbnail && map->arcs == 0 && map->square_cells == maps.front()->square_cells &&
                  map->row_title == maps.front()->row_title &&
                  map->column_title == maps.front()->column_title;
         });
}

std::vector<MapFraming> MapGroup::start() const {
  std::vector<MapFraming> all(maps_.size());
  for (std::size_t i = 0; stacked_ && i < all.size(); ++i) {
    all[i].scale_below = true;
    all[i].scale = i + 1 == all.size() || !same_scale(*maps_[i], *maps_[i + 1]);
  }
  return all;
}

std::vector<MapFraming> MapGroup::framings(double height) const {
  std::vector<MapFraming> all = start();
  const auto laid_out = [&](std::size_t i) {
    return lay_out_cells(*maps_[i], style_, QRectF(0, 0, width_, height), all[i]);
  };
  enum class Round : std::uint8_t { scale, labels, extents, last };
  for (const Round round : {Round::scale, Round::labels, Round::extents, Round::last}) {
    MapFraming common;
    for (std::size_t i = 0; i < maps_.size(); ++i) {
      const HeatMapLayout at = laid_out(i);
      common.scale_below = common.scale_below || at.scale_height > 0;
      common.turned = common.turned || at.column.turned;
      common.beside = std::max(common.beside, at.row.extent);
      common.above = std::max(common.above, at.column.extent);
      common.scale_width = std::max(common.scale_width, at.scale_width);
      common.note = std::max(common.note, at.note_height);
    }
    for (MapFraming& one : all) {
      one.scale_below = one.scale_below || common.scale_below;
      one.turned = round >= Round::labels && common.turned;
      if (round >= Round::extents) {
        one.beside = common.beside;
        one.above = common.above;
        one.scale_width = common.scale_width;
        one.note = stacked_ ? 0 : common.note;
      }
    }
  }
  if (!maps_.front()->square_cells) {
    return all;
  }
  std::vector<double> sides;
  double fewest = most_words(*maps_.front());
  double most = fewest;
  for (std::size_t i = 0; i < maps_.size(); ++i) {
    sides.push_back(laid_out(i).cell_width);
    fewest = std::min(fewest, most_words(*maps_[i]));
    most = std::max(most, most_words(*maps_[i]));
  }
  for (std::size_t i = 0; i < maps_.size(); ++i) {
    for (std::size_t other = 0; other < maps_.size(); ++other) {
      if (most <= kLikeCounts * fewest || most_words(*maps_[i]) == most_words(*maps_[other])) {
        all[i].cell = all[i].cell > 0 ? std::min(all[i].cell, sides[other]) : sides[other];
      }
    }
  }
  return all;
}

std::vector<double> MapGroup::wanted_heights() const {
  double height = 0;
  for (const HeatMap* map : maps_) {
    height = std::max(height, wanted_height(*map, style_, width_));
  }
  const std::vector<MapFraming> all = framings(height);
  std::vector<double> wanted;
  for (std::size_t i = 0; i < maps_.size(); ++i) {
    MapFraming framing = all[i];
    framing.cell = 0;
    wanted.push_back(wanted_height(*maps_[i], style_, width_, framing));
  }
  return wanted;
}

std::vector<double> MapGroup::heights_with(double cell) const {
  std::vector<double> heights;
  const std::vector<MapFraming> all = framings(kHighHeight);
  for (std::size_t i = 0; i < maps_.size(); ++i) {
    heights.push_back(height_with_rows(*maps_[i], style_, width_, cell, all[i]));
  }
  return heights;
}

std::vector<double> MapGroup::least_heights() const {
  if (!maps_.front()->square_cells) {
    return heights_with(least_row(style_));
  }
  std::vector<double> heights;
  const std::vector<MapFraming> all = framings(kHighHeight);
  for (std::size_t i = 0; i < maps_.size(); ++i) {
    const double side = std::min(kLeastSquare, all[i].cell);
    heights.push_back(height_with_rows(*maps_[i], style_, width_, side, all[i]));
  }
  return heights;
}

std::vector<double> MapGroup::heights(double room) const {
  double rows = 0;
  for (const HeatMap* map : maps_) {
    rows += static_cast<double>(map->rows.size());
  }
  double cell = least_row(style_);
  std::vector<double> all = heights_with(cell);
  for (int round = 0; round < 3; ++round) {
    double used = 0;
    for (const double height : all) {
      used += height;
    }
    cell = std::max(0.5, cell + (room - used) / std::max(rows, 1.0));
    all = heights_with(cell);
  }
  return all;
}

}  // namespace mog::figures
