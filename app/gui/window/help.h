// What explains the window from inside: the menu Help, the page of keys, the guide of quantities and views,
// the tour.
#pragma once

#include <QObject>
#include <QPointer>
#include <QString>

#include "app/gui/views/common/view.h"

class QMainWindow;

namespace mog::gui {

class AboutPage;
class GuidePage;
class Tour;
class TypingField;
class ViewSet;

class Help : public QObject {
  Q_OBJECT
 public:
  // Adds its menu to the menu bar of `window`, whose children its pages are. Everything given
  // outlives it.
  Help(QMainWindow& window, const ViewContext& context, const ViewSet& views, TypingField& field);

  void showKeys();
  AboutPage& showAbout();
  // The guide, open at a view ("gates").
  GuidePage& showGuide(const QString& view);
  // The guide, open at one of its entries ("encoder.L.gate").
  void showEntry(const QString& name);
  // The guide, open at the view in use.
  GuidePage& whatIsThis();
  // On the model that is open; where nothing else is, a sentence is run first.
  void startTour();
  Tour* tour() const;  // while it is under way, else nullptr

 private:
  void buildMenu();
  GuidePage& raiseGuide();

  QMainWindow& window_;
  ViewContext context_;
  const ViewSet& views_;
  TypingField& field_;
  QPointer<GuidePage> guide_;
  QPointer<Tour> tour_;
};

}  // namespace mog::gui
