#include "app/figures/text.h"

#include <QFontDatabase>
#include <QRegularExpression>
#include <algorithm>
#include <cmath>

#include "app/figures/export/export.h"
#include "io/recording/errors.h"

static void register_fonts() {
  Q_INIT_RESOURCE(mog_fonts);
}

namespace mog::figures {

QString bundled_font_family() {
  static const QString family = [] {
    register_fonts();
    QString name;
    for (const char* const file : {":/mog/fonts/DejaVuSans.ttf", ":/mog/fonts/DejaVuSans-Bold.ttf"}) {
      const int id = QFontDatabase::addApplicationFont(QString::fromLatin1(file));
      const QStringList families = QFontDatabase::applicationFontFamilies(id);
      if (families.isEmpty()) {
        throw Error("drawing a figure: the bundled font could not be read from the program; build it again");
      }
      name = families.front();
    }
    return name;
  }();
  return family;
}

namespace {

// U+2068 … U+2069 around words, as titles have them, every one closed: they turn nothing around.
bool has_isolated_words(const QString& text) {
  int open = 0;
  bool any = false;
  for (const QChar character : text) {
    open += character.unicode() == 0x2068 ? 1 : character.unicode() == 0x2069 ? -1 : 0;
    any |= open > 0;
    if (open < 0) {
      return false;
    }
  }
  return any && open == 0;
}

}  // namespace

QString drawable(const std::string& text) {
  QString result = QString::fromStdString(text);
  const bool isolated = has_isolated_words(result);
  for (QChar& character : result) {
    const char16_t code = character.unicode();
    if (isolated && (code == 0x2068 || code == 0x2069)) {
      continue;
    }
    if (code < 0x20 || code == 0x7F || (code >= 0x202A && code <= 0x202E) ||
        (code >= 0x2066 && code <= 0x2069)) {
      character = QChar(u'\uFFFD');  // controls break lines, direction overrides turn the text around them
    } else if (code == 0x2028 || code == 0x2029) {
      character = QChar(u' ');
    }
  }
  return result;
}

namespace {

QFont font_of(const Style& style, double size_pt, bool bold, bool italic) {
  QFont font(style.font_family.isEmpty() ? bundled_font_family() : style.font_family);
  font.setPixelSize(std::max(1, static_cast<int>(std::lround(size_pt))));
  font.setBold(bold);
  font.setItalic(italic);
  font.setHintingPreference(QFont::PreferNoHinting);
  font.setStyleStrategy(QFont::PreferOutline);
  return font;
}

}  // namespace

TypeFace::TypeFace(const Style& style, double size_pt, bool bold, bool italic)
    : font_(font_of(style, size_pt, bold, italic)), metrics_(font_), size_(size_pt) {
  // Measures of the font at a large size, scaled: free of rounding to whole pixels.
  QFont large = font_;
  large.setPixelSize(font_.pixelSize() * 16);
  const QFontMetricsF metrics(large);
  ascent_ = metrics.ascent() / 16 * 0.92;  // DejaVu's line is generous; accents still fit
  descent_ = metrics.descent() / 16;
  cap_height_ = metrics.capHeight() / 16;
}

double TypeFace::width(const QString& text) const {
  return metrics_.horizontalAdvance(text);
}

QString TypeFace::elided(const QString& text, double width) const {
  if (this->width(text) <= width) {
    return text;
  }
  return metrics_.elidedText(text, Qt::ElideRight, width);
}

QStringList TypeFace::wrapped(const QString& text, double width) const {
  QStringList lines;
  QString line;
  const auto flush = [&] {
    if (!line.isEmpty()) {
      lines.append(line);
      line.clear();
    }
  };
  for (QString word : text.split(QChar(u' '), Qt::SkipEmptyParts)) {
    const QString longer = line.isEmpty() ? word : line + QChar(u' ') + word;
    if (this->width(longer) <= width) {
      line = longer;
      continue;
    }
    flush();
    while (this->width(word) > width && word.size() > 1) {
      qsizetype cut = word.size() - 1;
      while (cut > 1 && this->width(word.left(cut)) > width) {
        --cut;
      }
      // Rather behind a hyphen or its like than anywhere: "tagger-en-" and "graph".
      const qsizetype sign = word.lastIndexOf(QRegularExpression(QStringLiteral("[-_/.,]")), cut - 1);
      if (sign > 0 && sign + 1 < word.size() && sign + 1 >= cut / 3) {
        cut = sign + 1;
      }
      if (word.at(cut - 1).isHighSurrogate()) {
        cut = cut > 1 ? cut - 1 : cut + 1;
      }
      lines.append(word.left(cut));
      word = word.mid(cut);
    }
    line = word;
  }
  flush();
  return lines;
}

}  // namespace mog::figures
