// The menu View: layouts, themes, languages, and which docks can be seen.
#pragma once

#include <QObject>
#include <QString>

class QAction;
class QMainWindow;
class QMenu;
class QSettings;

namespace mog::gui {

class StatusLine;
class ViewState;

class ViewMenu : public QObject {
  Q_OBJECT
 public:
  // Adds it to the menu bar of `window`. The layout is a setting of `state`; theme and language are kept in
  // `settings`. Everything given outlives it.
  ViewMenu(QMainWindow& window, ViewState& state, StatusLine& status, QSettings& settings);

  // What shows and hides a dock, below those of before.
  void add(QAction* toggle_view);
  // One of theme_names(), remembered.
  void chooseTheme(const QString& name);
  // One of language_names(), remembered for the next start.
  void chooseLanguage(const QString& name);

 Q_SIGNALS:
  // The layout in use as it was at first.
  void layoutResetAsked();

 private:
  void addLayouts();
  void addThemes();
  void addLanguages();

  ViewState& state_;
  StatusLine& status_;
  QSettings& settings_;
  QMenu* menu_;
};

}  // namespace mog::gui
