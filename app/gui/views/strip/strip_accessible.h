// The words of the strip for screen readers: a list, an item a word.
#pragma once

namespace mog::gui {

// Once for the program; more often does no harm.
void install_strip_accessibility();

}  // namespace mog::gui
