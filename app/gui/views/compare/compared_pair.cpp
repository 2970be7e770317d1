#include "app/gui/views/compare/compared_pair.h"

#include <iterator>

namespace mog::gui {

std::optional<SentenceRef> first_of_pair(const Workspace& workspace, const SelectionModel& selection) {
  const SentenceRef now = selection.sentence();
  if (const auto held = selection.held(); held && !(*held == now)) {
    return held;
  }
  const WorkspaceItem* const item = workspace.selectedItem();
  if (item == nullptr || now.index >= std::ssize(item->typed)) {
    return std::nullopt;
  }
  const std::int64_t parent = item->typed[static_cast<std::size_t>(now.index)].parent;
  return parent < 0 ? std::nullopt : std::optional(SentenceRef{now.item, parent});
}

}  // namespace mog::gui
