// Holding the selected sentence to compare it with another one, as the key D, the button of the top bar and
// the menus of pictures do: the pair is shown where the reader looks at pairs.
#pragma once

namespace mog::gui {

class ViewSet;

void hold_sentence(const ViewSet& views);

}  // namespace mog::gui
