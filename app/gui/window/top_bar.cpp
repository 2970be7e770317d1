#include "app/gui/window/top_bar.h"

#include <QButtonGroup>
#include <QEvent>
#include <QHBoxLayout>
#include <QMenu>
#include <QPainter>
#include <QToolButton>
#include <algorithm>
#include <utility>

#include "app/gui/views/document/document_run.h"
#include "app/gui/views/parse/parse_run.h"
#include "app/gui/widgets/theme.h"
#include "app/gui/window/files.h"
#include "app/gui/window/pages.h"

namespace mog::gui {
namespace {

Icon icon_of(const QString& workspace) {
  return workspace == QLatin1String("read")        ? Icon::read
         : workspace == QLatin1String("attention") ? Icon::attention
         : workspace == QLatin1String("corpus")    ? Icon::corpus
         : workspace == QLatin1String("compare")   ? Icon::compare
         : workspace == kTranslate                 ? Icon::translate
         : workspace == kParse                     ? Icon::parse
                                                   : Icon::graphs;
}

}  // namespace

TopBar::TopBar(const ViewContext& context, Files& files, Pages& pages, QWidget* parent)
    : QWidget(parent), context_(context), files_(files), pages_(pages) {
  setFixedHeight(kHeight);
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(12, 8, 12, 8);
  row->setSpacing(8);
  model_ = addButton(*row, {}, tr("The model that is looked at; others, and how to open one"), Icon::model,
                     BarButton::Look::pill);
  model_->setPopupMode(QToolButton::InstantPopup);
  auto* models = new QMenu(model_);
  model_->setMenu(models);
  connect(models, &QMenu::aboutToShow, this, &TopBar::fillModels);
  held_ = addButton(*row, tr("+ compare"), {});
  connect(held_, &QToolButton::clicked, this, &TopBar::holdAsked);
  row->addStretch(1);
  addWorkspaces(*row);
  row->addStretch(1);
  find_ = addButton(*row, tr("Find or run") + QStringLiteral("      Ctrl+K"),
                    tr("Find any action, view, quantity, figure or sentence (Ctrl+K)"), Icon::search,
                    BarButton::Look::field);
  connect(find_, &QToolButton::clicked, this, &TopBar::findAsked);
  connect(addButton(*row, {}, tr("Export the picture or its numbers (Ctrl+E)"), Icon::exporting),
          &QToolButton::clicked, this, &TopBar::exportAsked);
  connect(addButton(*row, {}, tr("Light or dark"), Icon::theme), &QToolButton::clicked, this,
          &TopBar::themeAsked);
  connect(addButton(*row, {}, tr("This workspace in a window of its own"), Icon::window),
          &QToolButton::clicked, this, &TopBar::secondWindowAsked);
  Workspace& workspace = context_.workspace;
  connect(&workspace, &Workspace::modelChanged, this, &TopBar::showModel);
  connect(&workspace, &Workspace::itemAdded, this, &TopBar::showModel);
  connect(&workspace, &Workspace::itemRemoved, this, &TopBar::showModel);
  connect(&workspace, &Workspace::allRemoved, this, &TopBar::showModel);
  connect(&context_.selection, &SelectionModel::sentenceChanged, this, &TopBar::showModel);
  connect(&context_.selection, &SelectionModel::heldChanged, this, &TopBar::showHeld);
  connect(&pages_, &Pages::changed, this, &TopBar::showWorkspace);
  drawIcons();
  showModel();
  showHeld();
  showWorkspace();
}

void TopBar::drawIcons() {
  for (const auto& [button, picture] : icons_) {
    button->setIcon(icon(picture, palette()));
  }
}

void TopBar::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) {
    drawIcons();
  }
}

QToolButton* TopBar::addButton(QHBoxLayout& row, const QString& text, const QString& tip,
                               std::optional<Icon> picture, BarButton::Look look) {
  auto* button = new BarButton(look, this);
  button->setText(text);
  button->setToolTip(tip);
  if (!tip.isEmpty()) {
    button->setAccessibleName(tip);
  }
  if (picture) {
    icons_.emplace_back(button, *picture);
    button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  }
  row.addWidget(button);
  return button;
}

void TopBar::addWorkspaces(QHBoxLayout& row) {
  auto* group = new QButtonGroup(this);
  int number = 0;
  for (const QString& name : Pages::names()) {
    QToolButton* button =
        addButton(row, Pages::title(name),
                  tr("%1 (Ctrl+%2)").arg(Pages::description(name), QString::number(++number)), icon_of(name));
    button->setObjectName(QStringLiteral("workspace.") + name);
    button->setAccessibleName(Pages::title(name));
    button->setAccessibleDescription(button->toolTip());
    button->setCheckable(true);
    group->addButton(button);
    connect(button, &QToolButton::clicked, this, [this, name] { pages_.show(name); });
    workspaces_[name] = button;
  }
}

void TopBar::setNarrow(bool narrow) {
  find_->setText(narrow ? QString() : tr("Find or run") + QStringLiteral("      Ctrl+K"));
  held_->setVisible(!narrow || context_.selection.held());
  for (const auto& [name, button] : workspaces_) {
    button->setToolButtonStyle(narrow ? Qt::ToolButtonTextOnly : Qt::ToolButtonTextBesideIcon);
  }
}

// The workspace of translations is offered while something open has a decoder.
bool TopBar::translates() const {
  const auto& models = context_.workspace.models();
  const auto& items = context_.workspace.items();
  return std::any_of(models.begin(), models.end(),
                     [](const WorkspaceModel& model) { return model.loaded.target_vocabulary != nullptr; }) ||
         std::any_of(items.begin(), items.end(), [](const WorkspaceItem& item) {
           if (item.source == nullptr) {
             return false;
           }
           const auto& stacks = item.source->header().system.stacks;
           return std::any_of(stacks.begin(), stacks.end(), [](const StackDescription& stack) {
             return stack.input == StackInput::target;
           });
         });
}

// That of trees and chains while a model of them is open.
bool TopBar::parses() const {
  const auto& models = context_.workspace.models();
  return std::any_of(models.begin(), models.end(), [](const WorkspaceModel& model) {
    return is_parser(model.loaded) || resolves_coreference(model.loaded);
  });
}

void TopBar::offerWorkspaces() {
  workspaces_.at(kTranslate)->setVisible(translates() || pages_.current() == kTranslate);
  workspaces_.at(kParse)->setVisible(parses() || pages_.current() == kParse);
}

// The model of what is shown, not the one opened last.
void TopBar::showModel() {
  offerWorkspaces();
  const WorkspaceModel* chosen = context_.workspace.modelWithoutSentences();
  const WorkspaceItem* item = context_.workspace.selectedItem();
  QString name;
  if (chosen != nullptr) {
    name = chosen->name;
  } else if (item != nullptr) {
    const WorkspaceModel* by = context_.workspace.modelOf(*item);
    name = by != nullptr ? by->name : QString::fromStdString(item->source->header().model.name);
  } else if (const WorkspaceModel* model = context_.workspace.currentModel()) {
    name = model->name;
  }
  const QString shown = name.isEmpty() ? tr("Open a model…") : name;
  model_->setText(fontMetrics().elidedText(shown, Qt::ElideMiddle, 260));
  model_->setAccessibleName(tr("Model: %1").arg(shown));
}

void TopBar::fillModels() {
  QMenu& menu = *model_->menu();
  menu.clear();
  const WorkspaceModel* now = context_.workspace.currentModel();
  for (const WorkspaceModel& model : context_.workspace.models()) {
    QAction* action = menu.addAction(model.name);
    action->setCheckable(true);
    action->setChecked(now != nullptr && now->id == model.id);
    connect(action, &QAction::triggered, this, [this, id = model.id] { context_.workspace.chooseModel(id); });
  }
  menu.addSeparator();
  connect(menu.addAction(tr("Open a model or recording…")), &QAction::triggered, this,
          [this] { files_.askForFolder(); });
}

void TopBar::showHeld() {
  const auto& held = context_.selection.held();
  const WorkspaceItem* item = held ? context_.workspace.item(held->item) : nullptr;
  held_->setText(item == nullptr ? tr("+ compare") : tr("compared with %1").arg(held->index + 1));
  const QString tip =
      item == nullptr
          ? tr("Hold this sentence to compare it with the next (D)")
          : tr("Sentence %1 of %2 is held (D lets go)").arg(QString::number(held->index + 1), item->name);
  held_->setToolTip(tip);
  held_->setAccessibleName(tip);
}

void TopBar::showWorkspace() {
  // Tab leads to the one in front, the arrows to the others.
  for (const auto& [name, button] : workspaces_) {
    const bool front = name == pages_.current();
    button->setChecked(front);
    button->setFocusPolicy(front ? Qt::TabFocus : Qt::NoFocus);
  }
  offerWorkspaces();
}

void TopBar::paintEvent(QPaintEvent* /*event*/) {
  QPainter painter(this);
  const Roles roles = roles_of(palette());
  painter.fillRect(rect(), roles.surface);
  painter.setPen(roles.border);
  painter.drawLine(rect().bottomLeft(), rect().bottomRight());
}

}  // namespace mog::gui
