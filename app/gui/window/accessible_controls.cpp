#include "app/gui/window/accessible_controls.h"

#include <QAbstractButton>
#include <QAccessible>
#include <QAccessibleWidget>
#include <QToolButton>

#include "app/gui/widgets/figure_canvas.h"
#include "app/gui/widgets/layer_head_grid.h"
#include "app/gui/widgets/message_bar.h"
#include "app/gui/widgets/tool_row.h"
#include "app/gui/window/tour.h"

namespace mog::gui {
namespace {

// A picture; its value is what is chosen or lit in it.
class PictureInterface : public QAccessibleWidget {
 public:
  explicit PictureInterface(QWidget* picture) : QAccessibleWidget(picture, QAccessible::Graphic) {}

  QString text(QAccessible::Text kind) const override {
    if (kind == QAccessible::Value) {
      const auto* view = qobject_cast<const FigureCanvas*>(widget());
      return view != nullptr ? view->value() : widget()->accessibleName();
    }
    return QAccessibleWidget::text(kind);
  }
};

// One of a Choice: exactly one of the row is on.
class ChoiceInterface : public QAccessibleWidget {
 public:
  explicit ChoiceInterface(QAbstractButton* button) : QAccessibleWidget(button, QAccessible::RadioButton) {}

  QAccessible::State state() const override {
    QAccessible::State state = QAccessibleWidget::state();
    state.checkable = true;
    state.checked = button().isChecked();
    return state;
  }

  QStringList actionNames() const override {
    return QStringList{toggleAction()} + QAccessibleWidget::actionNames();
  }

  void doAction(const QString& name) override {
    if (name == toggleAction()) {
      button().click();
    } else {
      QAccessibleWidget::doAction(name);
    }
  }

 private:
  QAbstractButton& button() const { return *static_cast<QAbstractButton*>(widget()); }
};

QAccessibleInterface* make_interface(const QString& /*class_name*/, QObject* object) {
  if (qobject_cast<FigureCanvas*>(object) != nullptr || qobject_cast<LayerHeadGrid*>(object) != nullptr) {
    return new PictureInterface(static_cast<QWidget*>(object));
  }
  if (auto* button = qobject_cast<QToolButton*>(object)) {
    return qobject_cast<Choice*>(button->parent()) != nullptr ? new ChoiceInterface(button) : nullptr;
  }
  if (auto* choice = qobject_cast<Choice*>(object)) {
    return new QAccessibleWidget(choice, QAccessible::Grouping);
  }
  if (auto* bar = qobject_cast<MessageBar*>(object)) {
    return new QAccessibleWidget(bar, QAccessible::AlertMessage);
  }
  if (auto* tour = qobject_cast<Tour*>(object)) {
    return new QAccessibleWidget(tour, QAccessible::Dialog);
  }
  return nullptr;
}

}  // namespace

void install_accessibility() {
  QAccessible::removeFactory(make_interface);
  QAccessible::installFactory(make_interface);
}

}  // namespace mog::gui
