// Where Tab leads.
#pragma once

class QWidget;

namespace mog::gui {

// Moves the focus of `window` to the next control that the reader can see, or to the one before; false: there
// is no other. The focus moves once, for a screen reader says every control that it comes to.
bool move_focus(QWidget& window, bool next);

}  // namespace mog::gui
