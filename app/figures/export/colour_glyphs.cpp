#include "app/figures/export/colour_glyphs.h"

#include <QGlyphRun>
#include <QPainter>
#include <QRawFont>
#include <QTextBoundaryFinder>
#include <QTextLayout>
#include <algorithm>
#include <array>
#include <cmath>

namespace mog::figures {
namespace {

// The tables that hold pictures (Google's, Microsoft's, Apple's), of the first the index.
bool has_pictures(const QRawFont& font) {
  constexpr std::array kTables = {"CBLC", "COLR", "sbix"};
  return std::any_of(kTables.begin(), kTables.end(),
                     [&](const char* table) { return !font.fontTable(table).isEmpty(); });
}

bool is_coloured(const QString& letter, const QFont& font) {
  QTextLayout layout(letter, font);
  layout.beginLayout();
  layout.createLine();
  layout.endLayout();
  const QList<QGlyphRun> runs = layout.glyphRuns();
  return std::any_of(runs.begin(), runs.end(),
                     [](const QGlyphRun& run) { return has_pictures(run.rawFont()); });
}

// Emoji lie beyond the alphabets: most texts need no closer look.
bool may_be_coloured(const QString& text) {
  return std::any_of(text.begin(), text.end(), [](QChar letter) { return letter.unicode() >= 0x2000; });
}

}  // namespace

std::vector<TextPiece> pieces_with_colour(const QString& text, const QFont& font) {
  std::vector<TextPiece> pieces;
  if (!may_be_coloured(text)) {
    return pieces;
  }
  QTextBoundaryFinder letters(QTextBoundaryFinder::Grapheme, text);
  bool any = false;
  for (qsizetype from = 0, to = letters.toNextBoundary(); to > from;
       from = to, to = letters.toNextBoundary()) {
    const QString letter = text.mid(from, to - from);
    const bool coloured = may_be_coloured(letter) && is_coloured(letter, font);
    any = any || coloured;
    if (pieces.empty() || pieces.back().coloured != coloured) {
      pieces.push_back({letter, 0, 0, coloured});
    } else {
      pieces.back().text += letter;
    }
  }
  if (!any) {
    return {};
  }
  QTextLayout layout(text, font);
  QTextOption option;
  option.setTextDirection(Qt::LeftToRight);
  option.setWrapMode(QTextOption::NoWrap);
  layout.setTextOption(option);
  layout.beginLayout();
  const QTextLine line = layout.createLine();
  layout.endLayout();
  int from = 0;
  for (TextPiece& piece : pieces) {
    const int to = from + static_cast<int>(piece.text.size());
    const double first = line.cursorToX(from);
    const double last = line.cursorToX(to);
    piece.x = std::min(first, last);
    piece.width = std::abs(last - first);
    from = to;
  }
  return pieces;
}

GlyphPicture picture_of(const TextPiece& piece, const QFont& font) {
  constexpr double kPixels = 160;  // of the type's size; more than the pictures of the fonts have
  const double size = font.pixelSize();
  const double scale = kPixels / size;
  // Pictures reach a little beyond the line.
  const QRectF area(-0.1 * size, -1.2 * size, piece.width + 0.2 * size, 1.7 * size);
  QImage image((area.size() * scale).toSize(), QImage::Format_ARGB32_Premultiplied);
  image.fill(Qt::transparent);
  QPainter painter(&image);
  painter.setRenderHints(QPainter::Antialiasing | QPainter::TextAntialiasing |
                         QPainter::SmoothPixmapTransform);
  painter.scale(scale, scale);
  painter.translate(-area.topLeft());
  painter.setFont(font);
  painter.drawText(QPointF(0, 0), piece.text);
  painter.end();
  return {image, area};
}

}  // namespace mog::figures
