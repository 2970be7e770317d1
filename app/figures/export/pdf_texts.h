// Texts that a PDF file shows as pictures, for programs that search and copy: Qt's writer has neither
// invisible text nor replacement texts, and writes letters only where a font has outlines of them.
//
// The file as Qt wrote it stays as it is. What is added is a second section, as PDF has it for changes
// (ISO 32000-1, 7.5.6): a font of empty glyphs, each of which stands for a letter, a page content that puts
// them where the pictures are, and the page with both.
#pragma once

#include <QByteArray>
#include <QString>
#include <QTransform>
#include <vector>

namespace mog::figures {

class PdfTexts {
 public:
  // `page`: from pixels of the device to points of the page, which go upwards.
  explicit PdfTexts(const QTransform& page) : page_(page) {}
  // `to_device`: from the left end of the text's baseline, x to the right, y downwards. `size`: of the type.
  void add(const QString& text, const QTransform& to_device, double width, double size);
  // The file with the texts; itself where there are none, or it is not as Qt writes one page.
  QByteArray added(const QByteArray& pdf) const;

 private:
  struct Placed {
    qsizetype letter = 0;  // in letters_
    QTransform place;      // from a square of side 1, upwards
  };
  QByteArray content() const;
  QByteArray unicode_map(qsizetype font) const;
  qsizetype fonts() const;
  QTransform page_;
  std::vector<QString> letters_;  // what a reader takes for one, each once
  std::vector<Placed> placed_;
};

}  // namespace mog::figures
