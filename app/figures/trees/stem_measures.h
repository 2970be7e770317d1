// Lengths, sizes of type and colours of the word × layer picture, on paper and on a screen.
#pragma once

#include <QColor>
#include <cstddef>

#include "app/figures/style.h"

namespace mog::figures {

struct StemMeasures {
  bool screen = false;
  double unit = 1;  // lengths that are not named here grow with it
  // Type.
  double word = 0;  // the largest and the smallest of words
  double least_word = 0;
  double name = 0;   // owners
  double small = 0;  // weights, rows, what is said beside joins
  double count = 0;  // numbers at words, letters in discs
  // Lanes.
  double radius = 0;   // of a disc that has room
  double padding = 0;  // of a lane, beside its word
  double least_lane = 0;
  double widest_lane = 0;
  double elided = 0;  // a word that has no room
  double gap = 0;     // of unused words; at the ends `end_gap`
  double end_gap = 0;
  // Rows.
  double row = 0;       // with a join
  double idle_row = 0;  // without one, where there are many rows
  double highest_row = 0;
  double first_track = 0;  // of a key edge below the discs
  double track_step = 0;
  double corner = 0;
  double head = 0;          // above the last row
  double carried_head = 0;  // where something is carried on
  double box = 0;           // around a word, above and below its type
  // Lines.
  double query_line = 0;
  double key_line = 0;
};
StemMeasures measures_of(const Style& style);

// The radius of discs with so many lanes, of which the narrowest is so wide.
double disc_radius(const StemMeasures& measures, std::size_t lanes, double narrowest);

// Beyond it words are turned on a screen, and joins have one line of text at most.
inline constexpr std::size_t kManyLanes = 24;

struct StemColours {
  QColor ink;
  QColor secondary;
  QColor row;      // lines of rows
  QColor box;      // around words
  QColor chip;     // behind a gap
  QColor accent;   // what is selected, and the word whose graph it is
  float tint = 0;  // opacity of the accent behind what is selected
};
StemColours colours_of(const Style& style);

}  // namespace mog::figures
