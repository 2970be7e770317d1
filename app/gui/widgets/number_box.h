// A field for a number with a decimal point; a comma that is typed becomes one.
#pragma once

#include <QDoubleSpinBox>

namespace mog::gui {

class NumberBox : public QDoubleSpinBox {
 public:
  using QDoubleSpinBox::QDoubleSpinBox;
  QValidator::State validate(QString& text, int& place) const override {
    text.replace(QLatin1Char(','), QLatin1Char('.'));
    return QDoubleSpinBox::validate(text, place);
  }
};

}  // namespace mog::gui
