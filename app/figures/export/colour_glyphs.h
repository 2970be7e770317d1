// Letters that a font has as coloured pictures: emoji. PDF and outlines have no place for them as letters.
#pragma once

#include <QFont>
#include <QImage>
#include <QRectF>
#include <QString>
#include <vector>

namespace mog::figures {

// A stretch of a text that is drawn in one way.
struct TextPiece {
  QString text;
  double x = 0;  // of its left end, from the beginning of the text
  double width = 0;
  bool coloured = false;  // pictures, else letters
};

// Of a text with coloured letters; empty: it has none.
std::vector<TextPiece> pieces_with_colour(const QString& text, const QFont& font);

// A coloured piece, with transparent surroundings.
struct GlyphPicture {
  QImage image;
  QRectF area;  // from the left end of the piece's baseline
};
GlyphPicture picture_of(const TextPiece& piece, const QFont& font);

}  // namespace mog::figures
