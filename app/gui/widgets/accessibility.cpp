#include "app/gui/widgets/accessibility.h"

#include <QAccessible>
#include <QComboBox>
#include <QCoreApplication>
#include <QLineEdit>
#include <QToolButton>

namespace mog::gui {
namespace {

struct Text {
  Q_DECLARE_TR_FUNCTIONS(Accessibility)
};

}  // namespace

void set_label(QComboBox& box, const QString& label) {
  box.setAccessibleName(label);
  box.setAccessibleDescription(label);
}

void name_clear_button(QLineEdit& line) {
  if (auto* button = line.findChild<QToolButton*>()) {
    button->setAccessibleName(Text::tr("Clear: %1").arg(line.accessibleName()));
  }
}

// AT-SPI, as Qt speaks it, has no alerts: there readers say what is shown.
void announce(QWidget& message) {
  for (const QAccessible::Event kind : {QAccessible::Alert, QAccessible::ObjectShow}) {
    QAccessibleEvent event(&message, kind);
    QAccessible::updateAccessibility(&event);
  }
}

}  // namespace mog::gui
