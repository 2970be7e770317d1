// Colours of gates: they diverge around a middle, towards carrying and towards taking in.
#pragma once

#include <QColor>
#include <QPalette>

namespace mog::gui {

// −1 and below: carries most; 0: the middle; 1 and above: takes in most.
QColor gate_colour(const QPalette& palette, double away);

}  // namespace mog::gui
