// What can be done with what lies under the pointer: the menus of pictures, of the words of the strip and of
// the cards of graphs.
#pragma once

#include <QList>
#include <QObject>
#include <QPoint>
#include <optional>

#include "app/figures/painter.h"
#include "app/gui/session/selection_model.h"

class QAction;

namespace mog::gui {

class Exporter;
class FigureCanvas;
class SentenceStrip;
class View;
class ViewSet;

class PictureMenus : public QObject {
  Q_OBJECT
 public:
  // All outlive it.
  PictureMenus(const ViewSet& views, SelectionModel& selection, Exporter& exporter, SentenceStrip& strip,
               QObject* parent);

  // The actions in order; for menus and for tests. `parent` owns them.
  QList<QAction*> ofPicture(const View& view, FigureCanvas& picture, const std::optional<figures::Hit>& hit,
                            QObject* parent);
  QList<QAction*> ofCard(int card, QObject* parent);
  QList<QAction*> ofWord(int word, QObject* parent);  // of the strip; -1: of the sentence

 private:
  void addArc(QList<QAction*>& actions, const FigureCanvas& picture, const figures::Hit& hit,
              QObject* parent);
  void addGeneral(QList<QAction*>& actions, QObject* parent);
  void tryIt();
  void show(const QList<QAction*>& actions, QObject* owner, const QPoint& at) const;

  const ViewSet& views_;
  SelectionModel& selection_;
  Exporter& exporter_;
  SentenceStrip& strip_;
};

}  // namespace mog::gui
