#include "app/gui/session/part_text.h"

#include <QCoreApplication>

namespace mog::gui {

QString part_text(Part part) {
  return QCoreApplication::translate("Part", part.description().label.c_str());
}

}  // namespace mog::gui
