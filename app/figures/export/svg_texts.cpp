#include "app/figures/export/svg_texts.h"

#include <algorithm>

namespace mog::figures {
namespace {

constexpr const char* kBegin = "mog-text-";
constexpr char kEnd = ';';

}  // namespace

QString SvgTexts::stand_in(const QString& text) {
  const bool plain =
      std::all_of(text.begin(), text.end(), [](QChar letter) { return letter.unicode() < 0x80; });
  if (plain && !text.contains(QLatin1String(kBegin))) {
    return text;
  }
  texts_.append(text);
  return QLatin1String(kBegin) + QString::number(texts_.size() - 1) + QLatin1Char(kEnd);
}

QByteArray SvgTexts::restored(const QByteArray& svg) const {
  const QByteArray begin(kBegin);
  QByteArray result;
  qsizetype done = 0;
  for (qsizetype at = svg.indexOf(begin); at >= 0; at = svg.indexOf(begin, done)) {
    const qsizetype end = svg.indexOf(kEnd, at);
    const qsizetype number = svg.mid(at + begin.size(), end - at - begin.size()).toLongLong();
    result += svg.mid(done, at - done);
    result += texts_.at(number).toHtmlEscaped().toUtf8();
    done = end + 1;
  }
  return result + svg.mid(done);
}

}  // namespace mog::figures
