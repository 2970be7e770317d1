// What a screen reader hears: texts, roles, values, and events that come when something changed, and only
// then.
#include <QAccessible>
#include <QApplication>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QTabBar>
#include <QTableView>
#include <QTest>
#include <QToolButton>
#include <algorithm>
#include <iterator>
#include <variant>
#include <vector>

#include "app/gui/views/attention/attention_view.h"
#include "app/gui/views/attention/gate_view.h"
#include "app/gui/views/common/view.h"
#include "app/gui/views/corpus/sentence_view.h"
#include "app/gui/views/strip/typing_field.h"
#include "app/gui/widgets/figure_canvas.h"
#include "app/gui/widgets/layer_head_grid.h"
#include "app/gui/widgets/message_bar.h"
#include "app/gui/widgets/theme.h"
#include "app/gui/window/batch_dialog.h"
#include "app/gui/window/batches.h"
#include "app/gui/window/pane.h"
#include "app/gui/window/rail.h"
#include "app/gui/window/status_line.h"
#include "tests/gui/gui_fixture.h"

using mog::test::WindowFixture;
using namespace mog::gui;

namespace {

struct Heard {
  QAccessible::Event kind;
  QObject* who;
  QString name;
  QString description;
};

// Of all events since the last call of clear().
std::vector<Heard>& heard() {
  static std::vector<Heard> events;
  return events;
}

QString text_of(QObject* object, QAccessible::Text kind) {
  QAccessibleInterface* found = QAccessible::queryAccessibleInterface(object);
  return found == nullptr ? QString() : found->text(kind);
}

void hear(QAccessibleEvent* event) {
  const auto* widget = qobject_cast<QWidget*>(event->object());
  heard().push_back({event->type(), event->object(), widget == nullptr ? QString() : widget->accessibleName(),
                     widget == nullptr ? QString() : widget->accessibleDescription()});
}

std::vector<Heard> heard_of(QAccessible::Event kind) {
  std::vector<Heard> result;
  std::copy_if(heard().begin(), heard().end(), std::back_inserter(result),
               [kind](const Heard& one) { return one.kind == kind; });
  return result;
}

// A label that says what its name was before it said what is in it.
QLabel* label_described(const QWidget& inside, const char* description) {
  for (QLabel* label : inside.findChildren<QLabel*>()) {
    if (label->accessibleDescription() == QString::fromLatin1(description)) {
      return label;
    }
  }
  return nullptr;
}

}  // namespace

// The offscreen platform has no screen reader, and without one Qt tells nothing: these take the place of what
// QtGui has, for this program and the libraries that it loads.
bool QAccessible::isActive() {
  return true;
}
void QAccessible::updateAccessibility(QAccessibleEvent* event) {
  hear(event);
}

class AccessibilityTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() { heard().clear(); }

  void messagesAreAlertsWithTheirText() {
    WindowFixture fixture;
    heard().clear();
    const QString message = QStringLiteral("The file is no recording.");
    fixture.window->workspace().report(message);
    const auto alerts = heard_of(QAccessible::Alert);
    QCOMPARE(alerts.size(), std::size_t{1});
    QCOMPARE(alerts.front().name, message);
    auto* bar = fixture.window->findChild<MessageBar*>();
    QVERIFY(bar != nullptr);
    QCOMPARE(QAccessible::queryAccessibleInterface(bar)->role(), QAccessible::AlertMessage);
    QLabel* label = label_described(*bar, "Message");
    QVERIFY(label != nullptr);
    QCOMPARE(text_of(label, QAccessible::Name), message);
  }

  void whatIsReadOutIsTheName() {
    WindowFixture fixture;
    QLabel* label = label_described(*fixture.window, "Read-out");
    QVERIFY(label != nullptr);
    fixture.window->status().setReadout(QStringLiteral("query the, key cat: 0.31"));
    QCOMPARE(text_of(label, QAccessible::Name), QStringLiteral("query the, key cat: 0.31"));
    const auto changes = heard_of(QAccessible::NameChanged);
    QVERIFY(std::any_of(changes.begin(), changes.end(), [&](const Heard& one) { return one.who == label; }));
  }

  void theEstimateIsTheName() {
    WindowFixture fixture;
    fixture.openFakeModel();
    fixture.window->batches().ask({});
    QVERIFY(fixture.settle());
    const auto* dialog = fixture.window->findChild<BatchDialog*>();
    QVERIFY(dialog != nullptr);
    QLabel* label = label_described(*dialog, "Estimate");
    QVERIFY(label != nullptr);
    QCOMPARE(text_of(label, QAccessible::Name), label->text());
    QVERIFY(label->accessibleName().isEmpty());
  }

  // Tables follow the selection; the focus stays where it is.
  void onlyTheFocusSaysThatItHasIt() {
    WindowFixture fixture;
    fixture.openFake();
    FigureCanvas& matrix = focusedMatrix(fixture);
    heard().clear();
    for (const Qt::Key key : {Qt::Key_Right, Qt::Key_Down, Qt::Key_Up, Qt::Key_1, Qt::Key_PageDown}) {
      QTest::keyClick(&matrix, key);
      QVERIFY(fixture.settle());
    }
    QCOMPARE(fixture.window->selection().sentence().index, 1);
    QVERIFY(!heard().empty());
    for (const Heard& one : heard_of(QAccessible::Focus)) {
      QVERIFY2(one.who == &matrix, qPrintable(one.name));
    }
    // In the table itself the cell is said.
    QTableView& table = fixture.window->sentences().tableView();
    table.setFocus(Qt::TabFocusReason);
    heard().clear();
    table.selectRow(2);
    QVERIFY(!heard_of(QAccessible::Focus).empty());
    QVERIFY(fixture.settle());
  }

  void tabMovesTheFocusOnce() {
    WindowFixture fixture;
    fixture.openFakeModel();
    fixture.openFake();
    focusedMatrix(fixture);
    for (int i = 0; i < 60; ++i) {
      QWidget* const before = QApplication::focusWidget();
      heard().clear();
      QTest::keyClick(before, i < 30 ? Qt::Key_Tab : Qt::Key_Backtab);
      QWidget* const now = QApplication::focusWidget();
      QVERIFY(now != nullptr && now != before);
      const auto moves = heard_of(QAccessible::Focus);
      QVERIFY2(!moves.empty(), qPrintable(now->accessibleName()));
      for (const Heard& one : moves) {
        QVERIFY2(one.who == now, qPrintable(now->accessibleName() + QStringLiteral(" / ") + one.name));
      }
    }
  }

  void aPictureSaysWhatIsChosen() {
    WindowFixture fixture;
    fixture.openFake();
    FigureCanvas& matrix = focusedMatrix(fixture);
    const auto row = [&matrix](std::size_t place) {
      return QString::fromStdString(
          std::get<mog::analysis::HeatMap>(matrix.figure()->body).rows.at(place).text);
    };
    const auto told = [&matrix](const QString& text) {
      const auto changes = heard_of(QAccessible::DescriptionChanged);
      return std::any_of(changes.begin(), changes.end(), [&](const Heard& one) {
        return one.who == &matrix && one.description.contains(text);
      });
    };
    for (std::size_t place = 0; place < 3; ++place) {
      heard().clear();
      QTest::keyClick(&matrix, Qt::Key_Right);
      QVERIFY(told(row(place)));
      QVERIFY(text_of(&matrix, QAccessible::Value).contains(row(place)));
      QVERIFY(text_of(&matrix, QAccessible::Description).contains(row(place)));
    }
    // The keys that walk say the cell, those that choose the token again.
    QTest::keyClick(&matrix, Qt::Key_Right, Qt::ShiftModifier);
    QTest::keyClick(&matrix, Qt::Key_Down, Qt::ShiftModifier);
    QVERIFY(!fixture.window->readout().isEmpty());
    QCOMPARE(matrix.accessibleDescription(), fixture.window->readout());
    heard().clear();
    QTest::keyClick(&matrix, Qt::Key_Left);
    QVERIFY(told(row(1)));
    QVERIFY(fixture.settle());
  }

  void escapeLeavesTheFocusInAPicture() {
    WindowFixture fixture;
    fixture.openFakeModel();
    fixture.openFake();
    FigureCanvas& matrix = focusedMatrix(fixture);
    for (QWidget* picture :
         {static_cast<QWidget*>(&matrix), static_cast<QWidget*>(&fixture.window->gates().picture()),
          static_cast<QWidget*>(&fixture.window->attention().grid())}) {
      picture->setFocus(Qt::TabFocusReason);
      QTest::keyClick(picture, Qt::Key_Escape);
      QCOMPARE(QApplication::focusWidget(), picture);
    }
    for (QLineEdit* line : {&fixture.window->sentences().find(), &fixture.window->rail().field().typing()}) {
      line->setFocus(Qt::ShortcutFocusReason);
      heard().clear();
      QTest::keyClick(line, Qt::Key_Escape);
      QCOMPARE(QApplication::focusWidget(), static_cast<QWidget*>(&matrix));
      const auto focused = heard_of(QAccessible::Focus);
      QCOMPARE(focused.size(), std::size_t{1});
      QCOMPARE(focused.front().who, static_cast<QObject*>(&matrix));
    }
    QVERIFY(fixture.settle());
  }

  void everyBoxSaysWhatItIsFor() {
    WindowFixture fixture;
    fixture.openFakeModel();
    fixture.openFake();
    const auto boxes = fixture.window->findChildren<QComboBox*>();
    QVERIFY(boxes.size() > 4);
    for (QComboBox* box : boxes) {
      QVERIFY(!box->accessibleName().isEmpty());
      QCOMPARE(text_of(box, QAccessible::Description), box->accessibleName());
    }
  }

  void controlsHaveTheirRoles() {
    WindowFixture fixture;
    fixture.openFake();
    const auto role = [](QWidget& widget) { return QAccessible::queryAccessibleInterface(&widget)->role(); };
    QCOMPARE(role(fixture.window->attention().matrix()), QAccessible::Graphic);
    QCOMPARE(role(fixture.window->attention().grid()), QAccessible::Graphic);
    Choice choice(QStringLiteral("Shown as"));
    choice.add(QStringLiteral("tree"), 1, QStringLiteral("As a tree"));
    QToolButton* arcs = choice.add(QStringLiteral("arcs"), 2, QStringLiteral("As arcs"));
    choice.setCurrent(1);
    QCOMPARE(role(choice), QAccessible::Grouping);
    QAccessibleInterface* button = QAccessible::queryAccessibleInterface(arcs);
    QCOMPARE(button->role(), QAccessible::RadioButton);
    QCOMPARE(button->text(QAccessible::Name), QStringLiteral("As arcs"));
    QVERIFY(!button->state().checked);
    QVERIFY(button->state().checkable);
    button->actionInterface()->doAction(QAccessibleActionInterface::toggleAction());
    QVERIFY(button->state().checked);
    QCOMPARE(choice.current(), 2);
  }

  // A reader that hears of a new name finds the new description.
  void nameAndDescriptionChangeTogether() {
    LineLabel label;
    label.setText(QStringLiteral("layer 2, head 3"));
    heard().clear();
    label.setText(QStringLiteral("layer 2, head 4"), QStringLiteral("of 6"));
    QCOMPARE(heard_of(QAccessible::DescriptionChanged).size(), std::size_t{1});
    const auto names = heard_of(QAccessible::NameChanged);
    QCOMPARE(names.size(), std::size_t{1});
    QVERIFY(names.front().description.contains(QStringLiteral("head 4")));
    QVERIFY(names.front().description.contains(QStringLiteral("of 6")));
  }

  void partsThatQtMakesHaveNames() {
    WindowFixture fixture;
    fixture.openFake();
    for (const QLineEdit* line :
         {&fixture.window->sentences().find(), &fixture.window->rail().field().typing()}) {
      const auto* clear = line->findChild<QToolButton*>();
      QVERIFY(clear != nullptr);
      QVERIFY(clear->accessibleName().contains(line->accessibleName()));
    }
    for (const QToolButton* button : fixture.window->findChildren<QToolButton*>()) {
      const bool named = !button->accessibleName().isEmpty() || !button->text().isEmpty();
      const bool not_ours = button->objectName().startsWith(QLatin1String("qt_")) ||
                            qobject_cast<QTabBar*>(button->parent()) != nullptr;
      QVERIFY2(named || not_ours,
               qPrintable(QStringLiteral("%1 in %2")
                              .arg(button->objectName(),
                                   QString::fromLatin1(button->parent()->metaObject()->className()))));
    }
    QStringList of_titles;
    for (const Pane* pane : fixture.window->findChildren<Pane*>()) {
      if (!pane->isEmpty()) {
        of_titles.push_back(pane->findChild<QToolButton*>(QStringLiteral("help"))->accessibleName());
      }
    }
    QVERIFY(of_titles.size() > 1);
    QCOMPARE(of_titles.removeDuplicates(), 0);  // each says of which view it is
  }

  void tablesShowTheFocusAtTheirFrame_data() {
    QTest::addColumn<QString>("theme");
    for (const QString& theme : theme_names()) {
      QTest::newRow(qPrintable(theme)) << theme;
    }
  }
  void tablesShowTheFocusAtTheirFrame() {
    QFETCH(const QString, theme);
    WindowFixture fixture;
    fixture.openFake();
    apply_theme(*qApp, theme);  // while the window is there
    QVERIFY(fixture.settle());
    focusedMatrix(fixture);
    QTableView& table = fixture.window->sentences().tableView();
    const auto at_frame = [&table] { return table.grab().toImage().pixelColor(1, table.height() / 2); };
    const QColor highlight = table.palette().color(QPalette::Highlight);
    QVERIFY(at_frame() != highlight);
    table.setFocus(Qt::TabFocusReason);
    QCOMPARE(at_frame(), highlight);
    apply_theme(*qApp, QStringLiteral("light"));
  }

 private:
  static FigureCanvas& focusedMatrix(WindowFixture& fixture) {
    MainWindow& window = *fixture.window;
    window.activateWindow();
    [&] { QVERIFY(QTest::qWaitForWindowActive(&window)); }();
    FigureCanvas& matrix = window.attention().matrix();
    matrix.setFocus(Qt::TabFocusReason);
    return matrix;
  }
};

QTEST_MAIN(AccessibilityTest)
#include "gui_accessibility_test.moc"
