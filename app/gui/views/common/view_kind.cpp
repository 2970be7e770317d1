#include "app/gui/views/common/view_kind.h"

#include <algorithm>
#include <string>

#include "app/gui/widgets/guide_page.h"

namespace mog::gui {

std::span<const ViewKind* const> registered_view_kinds();  // made from the files *_view.cpp

std::span<const ViewKind* const> view_kinds() {
  static const std::vector<const ViewKind*> by_rank = [] {
    const auto all = registered_view_kinds();
    std::vector<const ViewKind*> kinds(all.begin(), all.end());
    std::stable_sort(kinds.begin(), kinds.end(),
                     [](const ViewKind* left, const ViewKind* right) { return left->rank < right->rank; });
    return kinds;
  }();
  return by_rank;
}

const app::GuideEntry* entry_of(const ViewKind& kind) {
  return kind.entry != nullptr ? kind.entry : app::explain(std::string("view.") + kind.name);
}

QString ViewKind::title() const {
  const app::GuideEntry* const explained = entry_of(*this);
  return explained == nullptr ? QString::fromLatin1(name) : guide_text(explained->title);
}

std::vector<Setting> settings_of(std::span<const ViewKind* const> kinds) {
  std::vector<Setting> settings;
  for (const ViewKind* const kind : kinds) {
    settings.insert(settings.end(), kind->settings.begin(), kind->settings.end());
  }
  return settings;
}

QString of_stack(const ViewContext& context, const char* name) {
  const WorkspaceItem* const item = context.workspace.selectedItem();
  const Stack stack = item != nullptr && item->source ? item->source->header().stack().stack : Stack();
  return QString::fromStdString(std::string(mog::name(stack))) + QStringLiteral(".L.") +
         QString::fromLatin1(name);
}

}  // namespace mog::gui
