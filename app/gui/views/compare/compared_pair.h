// Which two sentences the workspace Compare is about: the second is the selected one.
#pragma once

#include <optional>

#include "app/gui/session/selection_model.h"
#include "app/gui/session/workspace.h"

namespace mog::gui {

// The first: the sentence that is held, else what the selected one was before its change; nullopt: neither,
// or the held one is the selected one.
std::optional<SentenceRef> first_of_pair(const Workspace& workspace, const SelectionModel& selection);

}  // namespace mog::gui
