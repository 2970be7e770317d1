// What the window puts into its palette, a function each kind.
#pragma once

#include <QObject>
#include <QString>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "app/gui/session/workspace.h"
#include "app/gui/views/common/view_kind.h"
#include "app/gui/window/palette_match.h"
#include "io/recording/sentence_recording.h"

class QMenuBar;

namespace mog::gui {

class CommandPalette;
class JobRunner;

// Every action of the menus, with its keys and where it is.
std::vector<PaletteEntry> action_entries(const QMenuBar& menus);
std::vector<PaletteEntry> view_entries(std::span<const ViewKind* const> kinds,
                                       const std::function<void(const QString& name)>& show);
// Every number of the guide; `open` is given its name.
std::vector<PaletteEntry> quantity_entries(const std::function<void(const QString& name)>& open);
// Kinds of figures that have no view of their own.
std::vector<PaletteEntry> figure_entries(const std::function<void(const QString& kind)>& open);
// Models and recordings that are open; one that is chosen is looked at.
std::vector<PaletteEntry> item_entries(Workspace& workspace);

// Sentences of the selected recording, and all that were typed; read in a job when the palette opens.
class SentenceEntries : public QObject {
  Q_OBJECT
 public:
  static constexpr std::int64_t kMost = 5000;  // rows
  // Everything given outlives it.
  SentenceEntries(Workspace& workspace, JobRunner& jobs, CommandPalette& palette);

 private:
  void read();
  Workspace& workspace_;
  JobRunner& jobs_;
  CommandPalette& palette_;
};

}  // namespace mog::gui
