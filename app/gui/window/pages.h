// The workspaces of the window: Read, Graphs, Attention, Corpus, Compare, Translate, Parse. Each has panes,
// and every view says itself in which of them it stands (ViewKind::places); one that stands in several goes
// along with the reader.
//
// Which workspace is in front, and how all are arranged (widths, views in front), are settings: steps of
// undo, kept in sessions and over the end of the program. A workspace can stand in a second window.
#pragma once

#include <QPointer>
#include <QString>
#include <QStringList>
#include <QTimer>
#include <QWidget>
#include <map>
#include <span>
#include <vector>

#include "app/gui/session/view_state.h"
#include "app/gui/window/pane.h"
#include "app/gui/window/view_set.h"

class QSettings;
class QSplitter;
class QStackedWidget;

namespace mog::gui {

// The workspace that only models with a decoder have a use for.
inline const QString kTranslate = QStringLiteral("translate");
// The one that parsers have a use for.
inline const QString kParse = QStringLiteral("parse");

class Pages : public QWidget {
  Q_OBJECT
 public:
  // Names of the workspaces, in their order: "read", "graphs" …
  static QStringList names();
  static QString title(const QString& name);
  static QString description(const QString& name);
  static std::vector<Setting> settings();

  // Everything given outlives it.
  Pages(const ViewSet& views, ViewState& state, QSettings& settings, QWidget* parent = nullptr);
  ~Pages() override;

  QString current() const { return current_; }
  void show(const QString& workspace);
  // Brings a view to the front, in the workspace at hand where that has it.
  void showView(const QString& name);
  // Seen by the reader now.
  bool inSight(const QString& name) const;
  // The column beside the workspaces: the inspector. Its width is the window's.
  Pane& side() { return *side_; }
  bool wantsSide() const;
  // While there is no sentence to show, the first pane has the room.
  void setNothingOpen(bool nothing);
  // The workspace in front as it was at first.
  void reset();
  // Into the settings of the program.
  void store();

  // The workspace in front into a window of its own, and back.
  void moveOut();
  void bringBack(const QString& workspace);
  bool isOut(const QString& workspace) const { return windows_.count(workspace) > 0; }
  QWidget* windowOf(const QString& workspace) const;

 Q_SIGNALS:
  void changed();                      // another workspace is in front
  void asked(const QString& view);     // what does it show?
  void windowOpened(QWidget* window);  // a second one
  void sideWanted(bool wanted);        // the workspace in front has use for the inspector

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  struct Page {
    QWidget* whole = nullptr;  // what the stack or a window of its own has
    std::vector<int> shares;   // of its panes, per mille: given, or as they were dragged
    QSplitter* splitter = nullptr;
    std::vector<Pane*> panes;
  };
  Page makePage(const QString& name);
  void follow();
  void take(const QString& workspace);
  void keep();
  void arrange();
  QString arrangement() const;
  static void takeShares(Page& page);
  void giveSizes(const QString& workspace, const std::vector<int>& shares);

  const ViewSet& views_;
  ViewState& state_;
  QSettings& settings_;
  QStackedWidget* stack_;
  std::map<QString, Page> pages_;
  std::map<QString, QWidget*> windows_;  // of those outside
  std::map<QString, QWidget*> stand_ins_;
  Pane* side_;
  QString current_;
  QTimer keep_timer_;
  bool arranging_ = false;
  bool nothing_open_ = true;
};

}  // namespace mog::gui
