// Arcs of a parse that a reader sets by hand: as a setting, which undo and sessions keep, and what a click
// does to them.
#pragma once

#include <QString>
#include <cstdint>

#include "app/workflow/graphs/tree_constraints.h"

namespace mog::gui {

inline const QString kSetArcs = QStringLiteral("parse.arcs");  // name of the setting

// "+7:2 -3:1|8d5e957f2974": forced and forbidden arcs, and what tells their sentence; empty: none is set.
QString set_arcs_text(const app::TreeConstraints& arcs, const QString& sentence);
// None where the setting is of another sentence.
app::TreeConstraints set_arcs_of(const QString& setting, const QString& sentence);

enum class ArcSetting : std::uint8_t { none, forced, forbidden };
ArcSetting setting_of(const app::TreeConstraints& arcs, const app::TreeArc& arc);
// A word has one forced head, and a sentence one forced root: another one lets go of the former.
app::TreeConstraints with_arc(app::TreeConstraints arcs, const app::TreeArc& arc, ArcSetting set);

}  // namespace mog::gui
