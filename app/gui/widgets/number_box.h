// Numbers on the surface, in the form of its language.
#pragma once

#include <QDoubleSpinBox>
#include <QLocale>

namespace mog::gui {

// "1.5e-6" as the language writes it: "1,5e-6".
inline QString in_language(QString number) {
  return number.replace(QLatin1Char('.'), QLocale().decimalPoint());
}

// Two digits, small ones as a power: "0.25", "3e-6".
inline QString short_number(double value, char format = 'g', int digits = 2) {
  return in_language(
      QString::number(value, format, digits).replace(QStringLiteral("e-0"), QStringLiteral("e-")));
}

// A field for a number; a decimal point or comma of another language that is typed becomes that of this one.
class NumberBox : public QDoubleSpinBox {
 public:
  using QDoubleSpinBox::QDoubleSpinBox;
  QValidator::State validate(QString& text, int& place) const override {
    const QString point = locale().decimalPoint();
    for (const QChar mark : {QChar(u','), QChar(u'.')}) {
      if (mark != point) {
        text.replace(mark, point);
      }
    }
    return QDoubleSpinBox::validate(text, place);
  }
};

}  // namespace mog::gui
