// Where the words of the strip stand: as large as the sentence allows, and never cut.
#pragma once

#include <QFont>
#include <QRectF>
#include <QString>
#include <vector>

#include "app/gui/views/strip/strip_words.h"

namespace mog::gui {

// A word, or a part of one that is wider than the strip.
struct StripPiece {
  int word = 0;
  QString text;
  QRectF box;  // what is tinted and clicked
  QRectF bar;  // of its gate or surprisal; empty without
};

struct StripLayout {
  int pixel_size = 18;
  int lines = 1;
  double height = 0;  // of all lines
  std::vector<StripPiece> pieces;
  // The first one of a word; nullptr: none.
  const StripPiece* pieceOf(int word) const;
  int wordAt(QPointF position) const;  // -1: none
};

inline constexpr int kStripHeight = 72;
inline constexpr int kTallStripHeight = 96;  // from three lines on

// 18 pixels in one line, else 15 in two, else 13 in as many as it takes.
StripLayout lay_out_strip(const StripSentence& sentence, const QFont& font, double width);
QFont strip_font(const QFont& font, int pixel_size, bool special);

}  // namespace mog::gui
