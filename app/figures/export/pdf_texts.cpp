// The new objects go behind the file with a cross-reference table of their own, as PDF's updates do: not a
// byte of Qt's moves, so offsets stay good. A page with several content streams runs them one after another,
// and Qt's leaves its scale behind; hence "q" before and "Q" after it. Fonts have 255 codes, so that a code
// is one byte; letters are graphemes, found by a linear search: O(letters · different letters), which are
// emoji and few.
//
// Trap: the file is read by patterns of what Qt writes ("/Type /Page", "N 0 obj"), not by a parser of PDF.
// Whatever is missing makes the file stay as it is; nothing is guessed.
#include "app/figures/export/pdf_texts.h"

#include <QRegularExpression>
#include <QStringList>
#include <QTextBoundaryFinder>
#include <algorithm>
#include <cstring>
#include <utility>

namespace mog::figures {
namespace {

constexpr qsizetype kCodes = 255;       // of one font, from 1
constexpr qsizetype kMappedOnce = 100;  // entries in one block of a character map

QByteArray hex_of(qsizetype code) {
  return '<' + QByteArray::number(code, 16).rightJustified(2, '0') + '>';
}

QByteArray hex_of(const QString& text) {
  QByteArray result;
  for (const QChar unit : text) {
    result += QByteArray::number(unit.unicode(), 16).rightJustified(4, '0');
  }
  return '<' + result + '>';
}

QByteArray stream_of(const QByteArray& data) {
  return "<< /Length " + QByteArray::number(data.size()) + " >>\nstream\n" + data + "\nendstream";
}

QByteArray reference(qsizetype number) {
  return QByteArray::number(number) + " 0 R";
}

// The number of the object that `key` refers to in a dictionary; 0: none.
qsizetype referred(const QByteArray& dictionary, const char* key) {
  const QRegularExpression pattern(QLatin1String(key) + QStringLiteral("\\s+(\\d+) 0 R"));
  return pattern.match(QString::fromLatin1(dictionary)).captured(1).toLongLong();
}

// What stands between "N 0 obj" and "endobj"; empty: there is no such object.
QByteArray object_of(const QByteArray& pdf, qsizetype number) {
  const QByteArray head = '\n' + QByteArray::number(number) + " 0 obj\n";
  const qsizetype at = pdf.indexOf(head);
  const qsizetype first = at + head.size();
  const qsizetype end = at < 0 ? -1 : pdf.indexOf("\nendobj", first);
  return end < 0 ? QByteArray() : pdf.mid(first, end - first);
}

// The number of the only page; 0: there is none, or there are several.
qsizetype page_number(const QByteArray& pdf) {
  const QByteArray type("\n<<\n/Type /Page\n");
  const qsizetype at = pdf.indexOf(type);
  if (at < 0 || pdf.indexOf(type, at + 1) >= 0) {
    return 0;
  }
  const qsizetype line = pdf.lastIndexOf('\n', at - 1) + 1;
  return pdf.mid(line, pdf.indexOf(' ', line) - line).toLongLong();
}

// A section behind the file: objects, where they are, and where the section before has its own.
class Section {
 public:
  explicit Section(const QByteArray& pdf) : bytes_(pdf) {
    const qsizetype trailer = pdf.lastIndexOf("trailer\n");
    trailer_ = trailer < 0 ? QByteArray() : pdf.mid(trailer);
    size_ = next_ = number_after("/Size ");
    before_ = number_after("startxref\n");
  }
  bool sound() const { return size_ > 0 && before_ > 0 && referred(trailer_, "/Root") > 0; }
  qsizetype reserve() { return next_++; }
  void put(qsizetype number, const QByteArray& object) {
    offsets_.emplace_back(number, bytes_.size());
    bytes_ += QByteArray::number(number) + " 0 obj\n" + object + "\nendobj\n";
  }
  QByteArray finished() {
    std::sort(offsets_.begin(), offsets_.end());
    const qsizetype table = bytes_.size();
    bytes_ += "xref\n";
    for (const auto& [number, offset] : offsets_) {
      bytes_ += QByteArray::number(number) + " 1\n" + QByteArray::number(offset).rightJustified(10, '0') +
                " 00000 n \n";
    }
    bytes_ += "trailer\n<<\n/Size " + QByteArray::number(next_) + "\n/Root " +
              reference(referred(trailer_, "/Root"));
    if (const qsizetype info = referred(trailer_, "/Info"); info > 0) {
      bytes_ += "\n/Info " + reference(info);
    }
    bytes_ += "\n/Prev " + QByteArray::number(before_) + "\n>>\nstartxref\n" + QByteArray::number(table) +
              "\n%%EOF\n";
    return std::move(bytes_);
  }

 private:
  qsizetype number_after(const char* key) const {
    const qsizetype at = trailer_.indexOf(key);
    const qsizetype first = at + static_cast<qsizetype>(std::strlen(key));
    qsizetype end = first;
    while (at >= 0 && end < trailer_.size() && trailer_[end] >= '0' && trailer_[end] <= '9') {
      ++end;
    }
    return at < 0 ? 0 : trailer_.mid(first, end - first).toLongLong();
  }
  QByteArray bytes_;
  QByteArray trailer_;
  qsizetype size_ = 0;
  qsizetype next_ = 0;
  qsizetype before_ = 0;
  std::vector<std::pair<qsizetype, qsizetype>> offsets_;
};

QByteArray font_name(qsizetype font) {
  return "/MoGText" + QByteArray::number(font);
}

// Every glyph is a square of side 1 in which nothing is painted.
QByteArray font_object(qsizetype codes, qsizetype glyph, qsizetype unicode) {
  QByteArray names;
  QByteArray glyphs;
  QByteArray widths;
  for (qsizetype code = 1; code <= codes; ++code) {
    const QByteArray name = "/t" + QByteArray::number(code);
    names += name + ' ';
    glyphs += name + ' ' + reference(glyph) + ' ';
    widths += "1000 ";
  }
  return "<< /Type /Font /Subtype /Type3 /FontBBox [0 -200 1000 800] /FontMatrix [0.001 0 0 0.001 0 0]\n"
         "/FirstChar 1 /LastChar " +
         QByteArray::number(codes) + " /Widths [" + widths +
         "]\n/Encoding << /Type /Encoding /Differences [1 " + names + "] >>\n/CharProcs << " + glyphs +
         ">>\n/Resources << >> /ToUnicode " + reference(unicode) + " >>";
}

}  // namespace

void PdfTexts::add(const QString& text, const QTransform& to_device, double width, double size) {
  QTextBoundaryFinder boundaries(QTextBoundaryFinder::Grapheme, text);
  QStringList letters;
  for (qsizetype from = 0, to = boundaries.toNextBoundary(); to > from;
       from = to, to = boundaries.toNextBoundary()) {
    letters.push_back(text.mid(from, to - from));
  }
  const double each = letters.isEmpty() ? 0 : width / static_cast<double>(letters.size());
  for (qsizetype i = 0; i < letters.size(); ++i) {
    const auto at = std::find(letters_.begin(), letters_.end(), letters[i]);
    const qsizetype letter = at - letters_.begin();
    if (at == letters_.end()) {
      letters_.push_back(letters[i]);
    }
    const QTransform square(each, 0, 0, -size, each * static_cast<double>(i), 0);
    placed_.push_back({letter, square * to_device * page_});
  }
}

qsizetype PdfTexts::fonts() const {
  return (static_cast<qsizetype>(letters_.size()) + kCodes - 1) / kCodes;
}

QByteArray PdfTexts::content() const {
  QByteArray result("Q\nBT\n3 Tr\n");
  for (const Placed& one : placed_) {
    result += font_name(one.letter / kCodes) + " 1 Tf ";
    for (const double value : {one.place.m11(), one.place.m12(), one.place.m21(), one.place.m22(),
                               one.place.dx(), one.place.dy()}) {
      result += QByteArray::number(value, 'f', 4) + ' ';
    }
    result += "Tm " + hex_of(one.letter % kCodes + 1) + " Tj\n";
  }
  return result + "ET";
}

QByteArray PdfTexts::unicode_map(qsizetype font) const {
  QByteArray result(
      "/CIDInit /ProcSet findresource begin\n12 dict begin\nbegincmap\n"
      "/CMapName /MoGText def\n/CMapType 2 def\n1 begincodespacerange\n<00> <ff>\nendcodespacerange\n");
  const qsizetype first = font * kCodes;
  const qsizetype end = std::min(first + kCodes, static_cast<qsizetype>(letters_.size()));
  for (qsizetype block = first; block < end; block += kMappedOnce) {
    const qsizetype stop = std::min(block + kMappedOnce, end);
    result += QByteArray::number(stop - block) + " beginbfchar\n";
    for (qsizetype letter = block; letter < stop; ++letter) {
      result += hex_of(letter - first + 1) + ' ' + hex_of(letters_[static_cast<std::size_t>(letter)]) + '\n';
    }
    result += "endbfchar\n";
  }
  return result + "endcmap\nCMapName currentdict /CMap defineresource pop\nend\nend";
}

QByteArray PdfTexts::added(const QByteArray& pdf) const {
  Section section(pdf);
  const qsizetype page = page_number(pdf);
  QByteArray page_object = object_of(pdf, page);
  const qsizetype contents = referred(page_object, "/Contents");
  const qsizetype resources = referred(page_object, "/Resources");
  QByteArray resources_object = object_of(pdf, resources);
  const qsizetype fonts_at = resources_object.indexOf("/Font <<");
  if (placed_.empty() || !section.sound() || page == 0 || contents == 0 || fonts_at < 0) {
    return pdf;
  }
  // Qt leaves its own scale behind: the content stands between q and Q.
  const qsizetype before = section.reserve();
  const qsizetype after = section.reserve();
  const qsizetype glyph = section.reserve();
  section.put(before, stream_of("q"));
  section.put(after, stream_of(content()));
  section.put(glyph, stream_of("1000 0 d0"));
  QByteArray names;
  for (qsizetype font = 0; font < fonts(); ++font) {
    const qsizetype number = section.reserve();
    const qsizetype unicode = section.reserve();
    const qsizetype codes = std::min(kCodes, static_cast<qsizetype>(letters_.size()) - font * kCodes);
    section.put(number, font_object(codes, glyph, unicode));
    section.put(unicode, stream_of(unicode_map(font)));
    names += '\n' + font_name(font) + ' ' + reference(number);
  }
  resources_object.insert(fonts_at + 8, names);
  section.put(resources, resources_object);
  page_object.replace(
      "/Contents " + reference(contents),
      "/Contents [" + reference(before) + ' ' + reference(contents) + ' ' + reference(after) + ']');
  section.put(page, page_object);
  return section.finished();
}

}  // namespace mog::figures
