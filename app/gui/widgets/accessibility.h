// What a screen reader is told beyond what Qt tells it: names where Qt gives none, and
// messages that are said whatever has the focus.
#pragma once

#include <QString>

class QComboBox;
class QLineEdit;
class QWidget;

namespace mog::gui {

// On Linux the name of a box is its current text: what it is for stands in its description, too.
void set_label(QComboBox& box, const QString& label);

// The button in a line that clears it.
void name_clear_button(QLineEdit& line);

// Something that must be heard at once has appeared, or its text is another.
void announce(QWidget& message);

}  // namespace mog::gui
