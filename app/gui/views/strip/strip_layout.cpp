#include "app/gui/views/strip/strip_layout.h"

#include <QFontMetricsF>
#include <QTextBoundaryFinder>
#include <algorithm>

namespace mog::gui {
namespace {

// Measures of one size of type, in pixels.
struct Rows {
  int type;
  double padding;   // in a box, beside the word
  double gap;       // between boxes
  double box;       // height
  double top;       // of the first box
  double top_bare;  // the same without bars
  double pitch;     // from line to line
  double bar;       // from the top of the box
  int most_lines;
};

constexpr double kMargin = 10;
constexpr double kBar = 3;
constexpr Rows kRows[] = {
    {18, 6, 6, 29, 15, 21, 40, 36, 1}, {15, 5, 6, 23, 5, 8, 32, 26, 2}, {13, 4, 5, 20, 4, 6, 30, 23, 0}};

// The longest beginning of a text, from `from` on, that is not wider than `width`: at least one character.
qsizetype end_of_part(const QString& text, qsizetype from, const QFontMetricsF& metrics, double width) {
  QTextBoundaryFinder characters(QTextBoundaryFinder::Grapheme, text);
  characters.setPosition(from);
  qsizetype end = characters.toNextBoundary();
  for (qsizetype next = end; next >= 0; next = characters.toNextBoundary()) {
    if (next > end && metrics.horizontalAdvance(text.mid(from, next - from)) > width) {
      break;
    }
    end = next;
  }
  return end < 0 ? text.size() : end;
}

StripLayout lay_out(const StripSentence& sentence, const QFont& font, double width, const Rows& rows) {
  StripLayout layout;
  layout.pixel_size = rows.type;
  const QFontMetricsF words(strip_font(font, rows.type, false));
  const QFontMetricsF specials(strip_font(font, rows.type, true));
  const double room = std::max(width - 2 * kMargin, 24.0);
  const double top = sentence.bars() ? rows.top : rows.top_bare;
  double x = kMargin;
  int line = 0;
  const auto put = [&](int word, const QString& text, double advance) {
    const double wide = advance + 2 * rows.padding;
    if (x > kMargin && x + wide > kMargin + room) {
      x = kMargin;
      ++line;
    }
    StripPiece piece{word, text, QRectF(x, top + line * rows.pitch, wide, rows.box), {}};
    if (sentence.bars() && !sentence.words[static_cast<std::size_t>(word)].special) {
      piece.bar = QRectF(x + rows.padding, piece.box.top() + rows.bar, std::max(advance, 6.0), kBar);
    }
    layout.pieces.push_back(std::move(piece));
    x += wide + rows.gap;
  };
  for (std::size_t at = 0; at < sentence.words.size(); ++at) {
    const StripWord& word = sentence.words[at];
    const QFontMetricsF& metrics = word.special ? specials : words;
    const double most = room - 2 * rows.padding;
    if (const double advance = metrics.horizontalAdvance(word.text); advance <= most) {
      put(static_cast<int>(at), word.text, advance);
      continue;
    }
    for (qsizetype from = 0; from < word.text.size();) {
      const qsizetype end = end_of_part(word.text, from, metrics, most);
      const QString part = word.text.mid(from, end - from);
      put(static_cast<int>(at), part, metrics.horizontalAdvance(part));
      from = end;
    }
  }
  layout.lines = line + 1;
  layout.height = top + line * rows.pitch + (sentence.bars() ? rows.bar + kBar : rows.box) + 5;
  return layout;
}

}  // namespace

QFont strip_font(const QFont& font, int pixel_size, bool special) {
  QFont sized = font;
  sized.setPixelSize(special ? std::max(11, pixel_size - 4) : pixel_size);
  return sized;
}

const StripPiece* StripLayout::pieceOf(int word) const {
  const auto at = std::find_if(pieces.begin(), pieces.end(),
                               [word](const StripPiece& piece) { return piece.word == word; });
  return at == pieces.end() ? nullptr : &*at;
}

// The bar belongs to its word.
int StripLayout::wordAt(QPointF position) const {
  for (const StripPiece& piece : pieces) {
    const QRectF place = piece.bar.isEmpty() ? piece.box : piece.box | piece.bar.adjusted(0, 0, 0, 2);
    if (place.contains(position)) {
      return piece.word;
    }
  }
  return -1;
}

StripLayout lay_out_strip(const StripSentence& sentence, const QFont& font, double width) {
  StripLayout layout;
  for (const Rows& rows : kRows) {
    layout = lay_out(sentence, font, width, rows);
    if (layout.lines <= rows.most_lines) {
      break;
    }
  }
  return layout;
}

}  // namespace mog::gui
