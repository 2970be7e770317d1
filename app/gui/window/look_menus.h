// The menus Sentence and Look: which sentence, token, layer, head and part all views show, and how.
//
// Keys of one letter belong to the pictures: while a reader types into a line they are text (Qt gives a
// focused line edit the first right to them).
#pragma once

#include <QObject>
#include <vector>

#include "app/gui/session/selection_model.h"

class QAction;
class QMainWindow;
class QMenu;

namespace mog::gui {

class Rail;
class SentenceStrip;
class StatusLine;
class ViewSet;

class LookMenus : public QObject {
  Q_OBJECT
 public:
  // Adds them to the menu bar of `window`. Everything given outlives them.
  LookMenus(QMainWindow& window, SelectionModel& selection, const ViewSet& views, Rail& rail,
            SentenceStrip& strip, StatusLine& status);

 private:
  void buildSentence();
  void buildLook();
  void addPlaces(QMenu& look);
  void addParts(QMenu& look);
  void addViews(QMenu& look);
  void stepWord(int by);
  void choosePart(Part part);
  void namePartActions();
  void escape();

  QMainWindow& window_;
  SelectionModel& selection_;
  const ViewSet& views_;
  Rail& rail_;
  SentenceStrip& strip_;
  StatusLine& status_;
  std::vector<QAction*> part_actions_;  // of the keys 1, 2, …
};

}  // namespace mog::gui
