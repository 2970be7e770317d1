// Whole texts in SVG. Qt writes a text that takes letters from several fonts as several elements: half a word
// cannot be found or moved. A stand-in of plain letters is written in its place and exchanged afterwards.
#pragma once

#include <QByteArray>
#include <QString>
#include <QStringList>

namespace mog::figures {

class SvgTexts {
 public:
  // What to draw for `text`: itself where one font has all of it.
  QString stand_in(const QString& text);
  // The file with the texts in the places of their stand-ins.
  QByteArray restored(const QByteArray& svg) const;

 private:
  QStringList texts_;
};

}  // namespace mog::figures
