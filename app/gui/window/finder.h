// Find or run: what the palette of the window holds, and what it remembers.
#pragma once

#include <QObject>
#include <functional>

#include "app/gui/views/common/view.h"

class QMainWindow;
class QSettings;

namespace mog::gui {

class CommandPalette;
class Help;
class SentenceEntries;
class ViewSet;

class Finder : public QObject {
  Q_OBJECT
 public:
  // Everything given outlives it.
  Finder(QMainWindow& window, const ViewContext& context, const ViewSet& views, Help& help,
         QSettings& settings);
  // Below the bar at the top, which is `top` high.
  void open(int top);
  CommandPalette& palette() { return *palette_; }

 private:
  QMainWindow& window_;
  CommandPalette* palette_;
  SentenceEntries* sentences_;
};

}  // namespace mog::gui
