// The menus of what lies under the pointer: joins, words, cells, cards.
#include <QAbstractButton>
#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QLineEdit>
#include <QMenu>
#include <QTest>

#include "app/gui/views/attention/attention_view.h"
#include "app/gui/views/graphs/tree_view.h"
#include "app/gui/views/item_models/k_best_model.h"
#include "app/gui/views/strip/sentence_strip.h"
#include "app/gui/widgets/figure_canvas.h"
#include "app/gui/widgets/film_strip.h"
#include "app/gui/window/pages.h"
#include "app/gui/window/picture_menus.h"
#include "tests/gui/gui_fixture.h"

using mog::figures::Hit;
using mog::test::WindowFixture;
using namespace mog::gui;

namespace {

std::optional<Hit> find(const FigureCanvas& view, Hit::Kind kind) {
  for (int y = 2; y < view.height(); y += 3) {
    for (int x = 2; x < view.width(); x += 3) {
      const auto hit = view.hitAt(QPointF(x, y));
      if (hit && hit->kind == kind && (kind != Hit::Kind::word || hit->word >= 0)) {
        return hit;
      }
    }
  }
  return std::nullopt;
}

QAction* one(const QList<QAction*>& actions, const char* text) {
  for (QAction* action : actions) {
    if (action->text().contains(QString::fromUtf8(text))) {
      return action;
    }
  }
  return nullptr;
}

}  // namespace

class MenusTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void joinsAndWordsOfAGraph() {
    WindowFixture fixture;
    fixture.openFake();
    fixture.see("trees");
    MainWindow& window = *fixture.window;
    TreeView& trees = window.trees();
    window.selection().setToken(1);
    QVERIFY(fixture.settle());
    trees.filmstrip().button(3)->click();
    QVERIFY(fixture.settle());
    FigureCanvas& view = trees.picture();
    const auto join = find(view, Hit::Kind::node);
    QVERIFY(join.has_value());
    QObject owner;
    const auto actions = window.pictureMenus().ofPicture(trees, view, join, &owner);
    QVERIFY(one(actions, "Export picture") != nullptr);
    QVERIFY(one(actions, "Try it") != nullptr);
    one(actions, "Select")->trigger();
    QVERIFY(window.selection().join() != nullptr);
    QCOMPARE(window.selection().join()->node, join->node);
    one(actions, "Copy “")->trigger();
    QCOMPARE(QGuiApplication::clipboard()->text(), join->readout);
    one(actions, "expression")->trigger();
    QCOMPARE(QGuiApplication::clipboard()->text(), QString::fromStdString(trees.list().derivation(3).text));
    one(actions, "Hold")->trigger();
    QVERIFY(window.selection().held().has_value());
    QVERIFY(one(window.pictureMenus().ofPicture(trees, view, std::nullopt, &owner),
                "Let go of the sentence") != nullptr);
    fixture.see("trees");
    const auto word = find(view, Hit::Kind::word);
    one(window.pictureMenus().ofPicture(trees, view, word, &owner), "Try it")->trigger();
    QVERIFY(window.selection().token().has_value());  // pinned, also where it was before
    // On empty ground: what can be done with the whole.
    QVERIFY(one(window.pictureMenus().ofPicture(trees, view, std::nullopt, &owner), "Select") == nullptr);
  }

  void cellsOfAMap() {
    WindowFixture fixture;
    fixture.openFake();
    fixture.see("attention");
    MainWindow& window = *fixture.window;
    for (FigureCanvas* view : window.attention().findChildren<FigureCanvas*>()) {
      const auto cell = view->isVisible() ? find(*view, Hit::Kind::cell) : std::nullopt;
      if (cell) {
        QObject owner;
        const auto actions = window.pictureMenus().ofPicture(window.attention(), *view, cell, &owner);
        one(actions, "Select this cell")->trigger();
        QVERIFY(window.selection().token().has_value() && window.selection().key().has_value());
        QVERIFY(one(actions, "Try it") != nullptr);
        return;
      }
    }
    QFAIL("no map is seen");
  }

  void cardsAndWordsOfTheStrip() {
    WindowFixture fixture;
    fixture.openFake();
    fixture.see("trees");
    MainWindow& window = *fixture.window;
    TreeView& trees = window.trees();
    window.selection().setToken(1);
    QVERIFY(fixture.settle());
    QObject owner;
    const int before = trees.filmstrip().current();
    const int other = before == 0 ? 1 : 0;
    one(window.pictureMenus().ofCard(other, &owner), "Show this graph")->trigger();
    QCOMPARE(trees.filmstrip().current(), other);
    one(window.pictureMenus().ofCard(before, &owner), "Copy its expression")->trigger();
    QCOMPARE(QGuiApplication::clipboard()->text(),
             QString::fromStdString(trees.list().derivation(before).text));
    const auto of_word = window.pictureMenus().ofWord(0, &owner);
    one(of_word, "Pin")->trigger();
    QCOMPARE(window.strip().line().pinned(), 0);
    one(window.pictureMenus().ofWord(0, &owner), "Let go of “")->trigger();
    QVERIFY(!window.selection().token().has_value());
    one(of_word, "Copy the sentence")->trigger();
    QCOMPARE(QGuiApplication::clipboard()->text(), window.strip().line().sentence().text);
    one(of_word, "Change the sentence")->trigger();
    QVERIFY(window.strip().isEditing());
  }

  // By the right button and by the key.
  void menusAreShownWhereTheyAreAsked() {
    WindowFixture fixture;
    MainWindow& window = *fixture.window;
    window.resize(1400, 880);
    window.show();
    fixture.openFake();
    fixture.see("trees");
    const auto shows = [](QWidget& widget, QContextMenuEvent::Reason reason) {
      const QPoint at = widget.rect().center();
      QContextMenuEvent event(reason, at, widget.mapToGlobal(at));
      QApplication::sendEvent(&widget, &event);
      auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
      const bool shown = menu != nullptr && !menu->actions().isEmpty();
      if (menu != nullptr) {
        menu->close();
      }
      QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
      return shown;
    };
    for (const auto reason : {QContextMenuEvent::Mouse, QContextMenuEvent::Keyboard}) {
      QVERIFY(shows(window.trees().picture(), reason));
      QVERIFY(shows(window.strip().line(), reason));
      QVERIFY(shows(*window.trees().filmstrip().button(0), reason));
    }
  }
};

QTEST_MAIN(MenusTest)
#include "gui_menus_test.moc"
