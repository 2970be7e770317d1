// What the tour shows, and in which order.
#pragma once

#include <vector>

#include "app/gui/window/tour.h"

namespace mog::gui {

class TypingField;
class ViewSet;
struct WorkspaceModel;

// The steps bring views to the front, so all given outlives the tour. `model`: the one that is open, or
// nullptr.
std::vector<TourStep> tour_steps(const ViewSet& views, TypingField& field, const WorkspaceModel* model);

}  // namespace mog::gui
