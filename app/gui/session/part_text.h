#pragma once

#include <QString>

#include "io/recording/part.h"

namespace mog::gui {

// "high", "middle 1", …, "all parts"
QString part_text(Part part);

}  // namespace mog::gui
