// One arrangement of the docks for each task: Look, Count, Compare, Syntax.
//
// Which layout is in use is the setting kLayout of ViewState, so that choosing another is a step of undo.
// What a reader changes of an arrangement (moved, hidden, resized docks) stays with that layout, in the
// window's settings and in its session, until it is reset. Lives in the window's thread.
#pragma once

#include <QByteArray>
#include <QObject>
#include <QString>
#include <QStringList>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "app/gui/session/view_state.h"

class QDockWidget;
class QMainWindow;
class QSettings;

namespace mog::gui {

struct ViewKind;

class LayoutKeeper : public QObject {
  Q_OBJECT
 public:
  // All docks of `window` exist already. Takes up the layout that `settings` name, with what was changed of
  // it.
  LayoutKeeper(QMainWindow& window, std::span<const ViewKind* const> kinds, ViewState& state,
               QSettings& settings, QObject* parent = nullptr);
  static Setting setting();  // which one is in use

  // Names as in sessions and --layout: "look", "count", "compare", "syntax".
  static QStringList names();
  static QString title(const QString& name);
  static QString description(const QString& name);

  QString current() const { return current_; }
  // The layout in use as it is at first, for the window's size of now.
  void reset();
  // Sizes can be given once the window has its own; does nothing where a reader's arrangement was taken up.
  void windowShown();

  // Into the settings, at a clean end.
  void store();
  // Arrangements by name, base64, as they are now; back again from a session.
  std::map<std::string, std::string> values();
  void restore(const std::map<std::string, std::string>& values, const QByteArray& of_current);
  QByteArray arrangement() const;

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void follow();
  void keep();
  void arrange();
  void place(const std::vector<QStringList>& columns, const QStringList& left);
  void giveSizes();
  void liftFloating();
  std::vector<QDockWidget*> docksOf(const QStringList& names) const;

  std::vector<QStringList> columnsOf(const QString& layout) const;  // the first stands at the left
  QMainWindow& window_;
  std::span<const ViewKind* const> kinds_;
  ViewState& state_;
  QSettings& settings_;
  QString current_;
  std::map<QString, QByteArray> arrangements_;  // what readers made of them
  std::map<QString, QByteArray> pristine_;      // as arranged, to know whether a reader changed anything
  bool shown_ = false;
};

}  // namespace mog::gui
