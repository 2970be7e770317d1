// What a reader can do about something that is not there.
#pragma once

#include <QString>
#include <functional>

namespace mog::gui {

// Without text nothing.
struct Offer {
  QString text;  // of a button
  std::function<void()> act;
};

}  // namespace mog::gui
