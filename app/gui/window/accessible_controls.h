// What a screen reader is told of our own controls: their roles and values.
#pragma once

namespace mog::gui {

// For the whole program; more often than once does nothing.
void install_accessibility();

}  // namespace mog::gui
