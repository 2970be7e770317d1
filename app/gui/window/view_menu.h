// The menu View: workspaces, themes, languages, and every view.
#pragma once

#include <QObject>
#include <QString>
#include <functional>

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
  // Adds it to the menu bar of `window`. The workspace is a setting of `state`; theme and language are kept
  // in `settings`. Everything given outlives it.
  ViewMenu(QMainWindow& window, ViewState& state, StatusLine& status, QSettings& settings);

  // A view that `show` brings to the front, below those of before.
  void add(const QString& title, std::function<void()> show);
  // One of theme_names(), remembered.
  void chooseTheme(const QString& name);
  // From light to dark, or back.
  void changeTheme();
  // One of language_names(), remembered for the next start.
  void chooseLanguage(const QString& name);

 Q_SIGNALS:
  void resetAsked();         // the workspace in front as it was at first
  void secondWindowAsked();  // it in a window of its own

 private:
  void addWorkspaces();
  void addThemes();
  void addLanguages();

  ViewState& state_;
  StatusLine& status_;
  QSettings& settings_;
  QMenu* menu_;
};

}  // namespace mog::gui
