// The bar at the top: which model, what is compared, the workspaces, find or run, export, theme.
#pragma once

#include <QWidget>
#include <map>
#include <optional>
#include <vector>

#include "app/gui/views/common/view.h"
#include "app/gui/widgets/bar_button.h"
#include "app/gui/widgets/icons.h"

class QAction;
class QHBoxLayout;
class QToolButton;

namespace mog::gui {

class Files;
class Pages;

class TopBar : public QWidget {
  Q_OBJECT
 public:
  static constexpr int kHeight = 48;
  TopBar(const ViewContext& context, Files& files, Pages& pages, QWidget* parent = nullptr);

  QToolButton& model() { return *model_; }
  QToolButton& workspace(const QString& name) { return *workspaces_.at(name); }
  QToolButton& find() { return *find_; }
  // Narrow windows have no room for words beside pictures.
  void setNarrow(bool narrow);

 Q_SIGNALS:
  void findAsked();
  void holdAsked();
  void exportAsked();
  void themeAsked();
  void secondWindowAsked();

 protected:
  void paintEvent(QPaintEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  void addWorkspaces(QHBoxLayout& row);
  QToolButton* addButton(QHBoxLayout& row, const QString& text, const QString& tip,
                         std::optional<Icon> picture = {}, BarButton::Look look = BarButton::Look::flat);
  void drawIcons();
  void fillModels();
  void showModel();
  void showHeld();
  void showWorkspace();
  bool translates() const;
  bool parses() const;
  void offerWorkspaces();

  ViewContext context_;
  Files& files_;
  Pages& pages_;
  QToolButton* model_;
  QToolButton* held_;
  std::map<QString, QToolButton*> workspaces_;
  QToolButton* find_;
  std::vector<std::pair<QToolButton*, Icon>> icons_;
};

}  // namespace mog::gui
