// Views are registered: each says in its own file how it is called, made, explained, where the workspaces
// have it and which settings it has. The window, its menu, its workspaces, sessions, the guide and --show
// know views by this table.
#pragma once

#include <QString>
#include <QStringList>
#include <span>
#include <vector>

#include "app/gui/session/view_state.h"
#include "app/gui/views/common/view.h"
#include "app/workflow/describe/guide.h"

namespace mog::gui {

// Where a workspace has a view. Views of one pane stand behind each other, in the order of `place`.
struct ViewPlace {
  const char* workspace;  // "graphs"; "side": the column beside the workspaces
  int pane = 0;           // from 0, as the workspace counts them
  int place = 0;
};

struct ViewKind {
  const char* name;  // "trees": in sessions, and of its entry "view.trees" in the guide
  int rank = 0;      // its place in the menu View
  QWidget* (*create)(const ViewContext& context, QWidget* parent) = nullptr;
  std::vector<ViewPlace> places = {};                          // the first is where it is looked for
  std::vector<Setting> settings = {};                          // with what they are at first
  QStringList (*guide)(const ViewContext& context) = nullptr;  // names of the guide for what it shows now
  const app::GuideEntry* entry = nullptr;  // its entry where the guide of `mog describe` has none

  QString title() const;  // in the language of the window
};

// All, in the order of the menu View.
std::span<const ViewKind* const> view_kinds();
// "view.trees"; nullptr where there is none.
const app::GuideEntry* entry_of(const ViewKind& kind);
std::vector<Setting> settings_of(std::span<const ViewKind* const> kinds);
// "encoder.L.gate": a name of the guide, of the stack that is looked at.
QString of_stack(const ViewContext& context, const char* name);

}  // namespace mog::gui
