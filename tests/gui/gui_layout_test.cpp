// Workspaces, the rail, a second window.
#include <QAction>
#include <QApplication>
#include <QFile>
#include <QLineEdit>
#include <QScreen>
#include <QSplitter>
#include <QTest>
#include <QTreeWidget>
#include <QUndoStack>
#include <algorithm>
#include <cstdlib>
#include <map>

#include "app/gui/views/attention/attention_view.h"
#include "app/gui/views/attention/head_tiles.h"
#include "app/gui/views/corpus/sentence_view.h"
#include "app/gui/views/corpus/weight_view.h"
#include "app/gui/views/start/start_view.h"
#include "app/gui/views/strip/typing_field.h"
#include "app/gui/widgets/figure_canvas.h"
#include "app/gui/widgets/layer_head_grid.h"
#include "app/gui/window/pages.h"
#include "app/gui/window/rail.h"
#include "app/gui/window/top_bar.h"
#include "tests/gui/gui_fixture.h"

using mog::test::WindowFixture;
using namespace mog::gui;

namespace {

QWidget& view(MainWindow& window, const char* name) {
  return *window.view(QString::fromLatin1(name));
}

// What the reader sees of it; nothing where it stands behind another or in another workspace.
QSize seen(MainWindow& window, const char* name) {
  return view(window, name).isVisible() ? view(window, name).size() : QSize();
}

std::unique_ptr<QSettings> ini(const QTemporaryDir& folder) {
  return std::make_unique<QSettings>(folder.filePath(QStringLiteral("s.ini")), QSettings::IniFormat);
}

}  // namespace

class LayoutTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void everyWorkspaceShowsItsPicture_data() {
    QTest::addColumn<QSize>("size");
    QTest::newRow("least") << QSize(800, 560);
    QTest::newRow("small") << QSize(1024, 768);
    QTest::newRow("usual") << QSize(1440, 900);
    QTest::newRow("4K") << QSize(3840, 2160);
  }

  void everyWorkspaceShowsItsPicture() {
    QFETCH(QSize, size);
    WindowFixture fixture;
    MainWindow& window = *fixture.window;
    window.resize(size);
    fixture.openFake();
    const std::map<const char*, const char*> main = {{"read", "sentences"},
                                                     {"graphs", "trees"},
                                                     {"attention", "attention"},
                                                     {"corpus", "weights"},
                                                     {"compare", "compare"}};
    for (const auto& [workspace, name] : main) {
      window.pages().show(QString::fromLatin1(workspace));
      QVERIFY(fixture.settle());
      QCOMPARE(window.size(), size);
      const QSize room = seen(window, name);
      QVERIFY2(room.width() >= 300 && room.height() >= 200, workspace);
      // All of it lies in the window.
      QVERIFY2(window.rect().contains(QRect(view(window, name).mapTo(&window, QPoint()), room)), workspace);
      QVERIFY(window.topBar().workspace(QString::fromLatin1(workspace)).isChecked());
    }
  }

  // Six layers of eight heads, the means and all, without scrolling; the map keeps room.
  void theTilesFitIntoASmallWindow() {
    WindowFixture fixture;
    MainWindow& window = *fixture.window;
    window.resize(1920, 1080);
    auto recording = mog::test::make_recording({.model = {.layers = 6, .heads = 8}});
    auto tokens = recording->token_counts();
    window.workspace().addRecording(QStringLiteral("eight.rec"), {}, std::move(recording), std::move(tokens));
    QVERIFY(fixture.settle());
    const LayerHeadGrid& grid = window.attention().grid();
    const auto least = [&grid] { return grid.cell(1, 8).width(); };
    QVERIFY2(least() >= 48, qPrintable(QString::number(least())));
    window.resize(1024, 768);
    QVERIFY(fixture.settle());
    QTest::qWait(50);
    QCOMPARE(window.size(), QSize(1024, 768));
    QVERIFY2(least() >= 28, qPrintable(QString::number(least())));
    const QRect seen = grid.visibleRegion().boundingRect();
    for (int layer = 1; layer <= 7; ++layer) {
      QVERIFY(seen.contains(grid.cell(layer, 8).toRect()));
    }
    QVERIFY(window.attention().matrix().width() >= 280);
  }

  // What has only a sentence to say leaves the room to the map, and gives way to who needs it.
  void aModelWithoutGatesLeavesTheRoom() {
    WindowFixture fixture;
    MainWindow& window = *fixture.window;
    window.resize(1024, 768);
    mog::test::FakeModelOptions plain;
    plain.graph = false;
    window.workspace().addModel(QStringLiteral("/models/plain"), mog::test::fake_openers(plain).model({}));
    window.workspace().runSentence(QStringLiteral("one two three"));
    window.showView(QStringLiteral("decomposition"));
    QVERIFY(fixture.settle());
    const int share = seen(window, "decomposition").height();
    window.showView(QStringLiteral("gates"));
    QVERIFY(fixture.settle());
    const int least = 4 * window.fontMetrics().height();
    QVERIFY(seen(window, "gates").height() >= least);
    QVERIFY(seen(window, "attention").height() > 3 * seen(window, "gates").height());
    // The handle is dragged meanwhile: the share is that of before.
    auto* const splitter = window.findChild<QSplitter*>(QStringLiteral("workspace.attention"));
    QVERIFY(splitter != nullptr);
    QWidget* const handle = splitter->handle(1);
    QTest::mousePress(handle, Qt::LeftButton, {}, handle->rect().center());
    QTest::mouseMove(handle, handle->rect().center() + QPoint(0, 25));
    QTest::mouseRelease(handle, Qt::LeftButton, {}, handle->rect().center() + QPoint(0, 25));
    QVERIFY(fixture.settle());
    window.showView(QStringLiteral("decomposition"));
    QVERIFY(fixture.settle());
    QVERIFY(share > 2 * least);
    QVERIFY2(std::abs(seen(window, "decomposition").height() - share) <= 1,
             qPrintable(QStringLiteral("%1, %2").arg(share).arg(seen(window, "decomposition").height())));
  }

  void aWorkspaceKeepsWhatIsInFront() {
    WindowFixture fixture;
    MainWindow& window = *fixture.window;
    fixture.openFake();
    fixture.see("flow");
    QVERIFY(seen(window, "trees").isEmpty());
    window.pages().show(QStringLiteral("corpus"));
    QVERIFY(!seen(window, "sentences").isEmpty());
    window.pages().show(QStringLiteral("read"));
    QVERIFY(!seen(window, "sentences").isEmpty());  // it goes along
    window.pages().show(QStringLiteral("graphs"));
    QVERIFY(!seen(window, "flow").isEmpty());
    window.pages().reset();
    QVERIFY(seen(window, "flow").isEmpty());
    QVERIFY(!seen(window, "trees").isEmpty());
    window.state().history().undo();
    QVERIFY(!seen(window, "flow").isEmpty());
    window.state().history().undo();  // back to Read
    QCOMPARE(window.pages().current(), QStringLiteral("read"));
  }

  void theArrangementOutlivesTheProgramAndTheSession() {
    const QTemporaryDir folder;
    const QString session = folder.filePath(QStringLiteral("a.mog-session"));
    QSize gates;
    {
      MainWindow window(ini(folder), mog::test::fake_openers());
      window.resize(1440, 900);
      window.pages().show(QStringLiteral("attention"));
      window.show();
      QTest::qWait(50);
      auto* splitter = window.findChild<QSplitter*>(QStringLiteral("workspace.attention"));
      splitter->setSizes({950, 50});
      Q_EMIT splitter->splitterMoved(300, 1);
      QTest::qWait(400);
      gates = seen(window, "gates");
      // Workspaces that were never seen stay as they are meant.
      const QString kept = window.state().choice(QStringLiteral("window.arrangement"));
      QVERIFY2(kept.contains(QStringLiteral("corpus 580,420")) &&
                   kept.contains(QStringLiteral("compare 640,360")) &&
                   !kept.contains(QStringLiteral("attention 600,400")),
               qPrintable(kept));
      window.session().save(session);
      window.close();
    }
    {
      MainWindow window(ini(folder), mog::test::fake_openers());
      window.resize(1440, 900);
      window.show();
      QTest::qWait(50);
      QCOMPARE(window.pages().current(), QStringLiteral("attention"));
      QVERIFY(std::abs(seen(window, "gates").height() - gates.height()) <= 4);
      // Another one is drawn, and this one kept with it.
      const QString kept = window.state().choice(QStringLiteral("window.arrangement"));
      window.pages().show(QStringLiteral("read"));
      window.pages().showView(QStringLiteral("model"));
      QTest::qWait(400);
      const auto shares = [](const QString& all) {
        return all.section(QStringLiteral("attention "), 1).section(QLatin1Char(' '), 0, 0);
      };
      QCOMPARE(shares(window.state().choice(QStringLiteral("window.arrangement"))), shares(kept));
      window.pages().show(QStringLiteral("attention"));
      QTest::qWait(50);
      window.pages().reset();
      QTest::qWait(50);
      QVERIFY(seen(window, "gates").height() > gates.height() + 20);
      window.close();
    }
    WindowFixture fixture;
    MainWindow& window = *fixture.window;
    window.resize(1440, 900);
    window.open({session});
    QVERIFY(fixture.settle());
    QVERIFY(std::abs(seen(window, "gates").height() - gates.height()) <= 4);
    QVERIFY(window.workspace().messages().isEmpty());
  }

  // A program that is killed writes nothing at its end.
  void whatIsArrangedIsKeptAtOnce() {
    const QTemporaryDir folder;
    QSize size;
    {
      MainWindow window(ini(folder), mog::test::fake_openers());
      window.show();
      window.resize(800, 610);  // the screen of the tests is as wide
      window.pages().show(QStringLiteral("attention"));
      QTest::qWait(50);
      auto* splitter = window.findChild<QSplitter*>(QStringLiteral("workspace.attention"));
      splitter->setSizes({950, 50});
      Q_EMIT splitter->splitterMoved(300, 1);
      size = window.size();
      QTest::qWait(1400);
    }  // not closed
    const auto kept = ini(folder);
    QVERIFY(kept->contains(QStringLiteral("geometry")));
    MainWindow window(ini(folder), mog::test::fake_openers());
    QCOMPARE(window.size(), size);
    window.show();
    QTest::qWait(50);
    QCOMPARE(window.pages().current(), QStringLiteral("attention"));
    QVERIFY(seen(window, "gates").height() < 200);
  }

  // Sessions of the time of docks name a layout and hold a state of docks.
  void sessionsOfEarlierVersionsOpen() {
    WindowFixture fixture;
    MainWindow& window = *fixture.window;
    const QString path = fixture.folder.filePath(QStringLiteral("old.mog-session"));
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(R"({"format": "mog-workbench session", "version": 1, "models": [], "items": [],
                   "selection": {"item": 0, "sentence": 1, "layer": 0, "part": "all", "head": 0}, "views": {"window.layout": "count", "gates.show": "dimensions"},
                   "docks": "AAAA/wAAAAD9", "layouts": {"look": "AAAA/wAAAAD9"}})");
    file.close();
    window.open({path});
    QVERIFY(fixture.settle());
    QVERIFY2(window.workspace().messages().isEmpty(), qPrintable(window.workspace().messages().join(u' ')));
    QCOMPARE(window.pages().current(), QStringLiteral("corpus"));
    QCOMPARE(window.state().choice(setting::kGatesShow), QStringLiteral("dimensions"));
  }

  void aWorkspaceStandsInAWindowOfItsOwn() {
    WindowFixture fixture;
    MainWindow& window = *fixture.window;
    fixture.openFake();
    window.pages().show(QStringLiteral("corpus"));
    QVERIFY(fixture.settle());
    window.pages().moveOut();
    QVERIFY(fixture.settle());
    QWidget* outside = window.pages().windowOf(QStringLiteral("corpus"));
    QVERIFY(outside != nullptr && outside->isVisible());
    QVERIFY(outside->isAncestorOf(&window.weights()) && window.weights().isVisible());
    window.pages().show(QStringLiteral("read"));  // its views stay where they are
    QVERIFY(outside->isAncestorOf(&window.sentences()));
    window.workspace().select({1, 2});
    QVERIFY(fixture.settle());
    QVERIFY(window.weights().picture().figure() != nullptr);
    QTest::keyClick(outside, Qt::Key_2, Qt::ControlModifier);  // keys of the window work there
    QCOMPARE(window.pages().current(), QStringLiteral("graphs"));
    outside->close();
    QTRY_VERIFY(window.pages().windowOf(QStringLiteral("corpus")) == nullptr);
    window.pages().show(QStringLiteral("corpus"));
    QVERIFY(fixture.settle());
    QVERIFY(window.isAncestorOf(&window.weights()) && window.weights().isVisible());
  }

  // The rail gives way on a small screen, unless the reader says how it is to be.
  void theRailGivesWay() {
    const QTemporaryDir folder;
    {
      MainWindow window(ini(folder), mog::test::fake_openers());
      window.resize(1440, 900);
      window.show();
      QVERIFY(!window.rail().isNarrow());
      window.resize(1024, 768);
      QTRY_VERIFY(window.rail().isNarrow());
      QCOMPARE(window.rail().width(), Rail::kNarrow);
      // To type in it opens, which is no choice.
      window.rail().focusTyping();
      QVERIFY(!window.rail().isNarrow());
      window.close();
    }
    {
      MainWindow window(ini(folder), mog::test::fake_openers());
      window.resize(1024, 768);
      window.show();
      QTRY_VERIFY(window.rail().isNarrow());
      Q_EMIT window.rail().narrowAsked(false);
      QVERIFY(!window.rail().isNarrow());
      window.close();
    }
    MainWindow window(ini(folder), mog::test::fake_openers());
    window.resize(1024, 768);
    window.show();
    QTRY_VERIFY(!window.rail().isNarrow());
  }

  void typedSentencesHaveNames() {
    QCOMPARE(sentence_names({"one two three four", "other words", "one two three five six", "other words"}),
             (std::vector<std::string>{"one … four", "other words", "one … five six", "other words (2)"}));
    QCOMPARE(sentence_names({"a b", "a c"}), (std::vector<std::string>{"a b", "a c"}));  // seen at once
    QCOMPARE(sentence_names({"a b c", "a b c d"}), (std::vector<std::string>{"a b c", "a … d"}));
    WindowFixture fixture;
    MainWindow& window = *fixture.window;
    fixture.openFakeModel();
    const QString text = QStringLiteral("one two three four");
    for (const QString& typed : {text, QStringLiteral("one two three five")}) {
      window.rail().field().run(typed);
      QVERIFY(fixture.settle());
    }
    QTreeWidget& tree = window.rail().tree();
    const auto names = [&tree] {
      QStringList found;
      for (int i = 0; i < tree.topLevelItem(0)->child(0)->childCount(); ++i) {
        found << tree.topLevelItem(0)->child(0)->child(i)->text(0);
      }
      return found;
    };
    QCOMPARE(names(), (QStringList{QStringLiteral("one … four"), QStringLiteral("one … five")}));
    QCOMPARE(tree.topLevelItem(0)->child(0)->child(0)->toolTip(0), text);
    const SentenceRef first{window.workspace().items().front().id, 0};
    window.workspace().renameSentence(first, QStringLiteral(" with four "));
    QVERIFY(fixture.settle());
    QCOMPARE(names().front(), QStringLiteral("with four"));
    const QString session = fixture.folder.filePath(QStringLiteral("a.mog-session"));
    window.session().save(session);
    WindowFixture other;
    other.window->open({session});
    QVERIFY(other.settle());
    QCOMPARE(other.window->workspace().items().front().typed.front().name, std::string("with four"));
    other.window->workspace().renameSentence({other.window->workspace().items().front().id, 0}, {});
    QCOMPARE(other.window->rail().tree().topLevelItem(0)->child(0)->child(0)->text(0),
             QStringLiteral("one … four"));
  }

  // The first page has the room until there is a list to choose from.
  void oneTypedSentenceIsNoList() {
    WindowFixture fixture;
    MainWindow& window = *fixture.window;
    window.resize(1680, 900);
    window.show();
    fixture.openFakeModel();
    window.rail().field().run(QStringLiteral("one two three"));
    fixture.see("start");
    QVERIFY(seen(window, "start").width() > 1200);
    QVERIFY(window.start().picture().isVisible());
    QVERIFY(seen(window, "sentences").isEmpty());
    window.rail().field().run(QStringLiteral("one two four"));
    QVERIFY(fixture.settle());
    fixture.see("start");
    QVERIFY(!seen(window, "sentences").isEmpty());
  }

  void theRailShowsWhatIsOpen() {
    WindowFixture fixture;
    MainWindow& window = *fixture.window;
    fixture.openFake();
    fixture.openFakeModel();
    QTreeWidget& tree = window.rail().tree();
    const auto entries = [&tree](const char* text) {
      return tree.findItems(QString::fromLatin1(text), Qt::MatchRecursive | Qt::MatchStartsWith);
    };
    window.workspace().chooseModel(window.workspace().models().front().id);
    window.rail().field().run(QStringLiteral("one two three"));
    QVERIFY(fixture.settle());
    QCOMPARE(entries("one two three").size(), 1);
    window.workspace().runChanged(window.selection().sentence(), "one two three",
                                  {mog::model::ScaleLayer{.layer = 1, .factor = 0}});
    QVERIFY(fixture.settle());
    QTreeWidgetItem* sentence = entries("one two three").front();
    QCOMPARE(sentence->childCount(), 1);  // the variant
    QCOMPARE(tree.currentItem(), sentence->child(0));
    tree.setCurrentItem(sentence);
    QVERIFY(fixture.settle());
    QCOMPARE(window.selection().sentence().index, 0);
    // The right button asks what can be done with an entry; what is shown stays.
    QObject menu;
    const auto compare = [&](QTreeWidgetItem* entry) {
      const auto all = window.rail().actionsOf(entry, &menu);
      const auto at = std::find_if(all.begin(), all.end(), [](const QAction* action) {
        return action->text().contains(QStringLiteral("Compare"));
      });
      return at == all.end() ? nullptr : *at;
    };
    QVERIFY(compare(sentence) == nullptr);  // with itself
    const QPoint place = tree.visualItemRect(sentence->child(0)).center();
    QTest::mouseClick(tree.viewport(), Qt::RightButton, {}, place);
    QVERIFY(fixture.settle());
    QCOMPARE(window.selection().sentence().index, 0);
    QVERIFY(compare(sentence->child(0)) != nullptr);
    compare(sentence->child(0))->trigger();
    QVERIFY(fixture.settle());
    QCOMPARE(window.selection().sentence().index, 0);
    QCOMPARE(window.selection().held().value().index, 1);
    window.selection().setHeld(std::nullopt);
    // In a narrow window the rail opens to type, and folds when that runs.
    Q_EMIT window.rail().narrowAsked(true);
    window.rail().focusTyping();
    QVERIFY(window.rail().width() > 100);
    window.rail().field().typing().setText(QStringLiteral("four five"));
    window.rail().field().run();
    QVERIFY(fixture.settle());
    QVERIFY(window.rail().width() < 100);
    Q_EMIT window.rail().narrowAsked(false);
    QTreeWidgetItem* recording = entries("fake").back();
    tree.setCurrentItem(recording);
    QVERIFY(fixture.settle());
    QCOMPARE(window.selection().sentence().item, 1);
    QObject actions;
    window.rail().actionsOf(recording, &actions).back()->trigger();  // Close
    QVERIFY(fixture.settle());
    QVERIFY(window.workspace().item(1) == nullptr);
    QVERIFY(entries("fake corpus").isEmpty());
  }

  // What the tiles have beside the map is a setting: kept, and a step of undo.
  void theRoomOfTheTilesIsKept() {
    WindowFixture fixture;
    MainWindow& window = *fixture.window;
    fixture.openFake();
    fixture.see("attention");
    QVERIFY(fixture.settle());
    auto* tiles = window.findChild<HeadTiles*>();
    auto* beside = qobject_cast<QSplitter*>(tiles->parentWidget());
    QVERIFY(beside != nullptr && tiles->isVisible());
    const int asked = tiles->width();
    beside->setSizes({beside->width() * 6 / 10, beside->width() * 4 / 10});
    Q_EMIT beside->splitterMoved(beside->width() * 6 / 10, 1);
    const int dragged = tiles->width();
    QVERIFY(std::abs(dragged - asked) > 20);
    const double share = window.state().number(QStringLiteral("attention.tiles"));
    QVERIFY2(std::abs(share - 1000.0 * dragged / beside->width()) < 5, qPrintable(QString::number(share)));
    window.state().history().undo();
    QVERIFY(fixture.settle());
    QVERIFY(std::abs(tiles->width() - asked) < 8);
    window.state().history().redo();
    QVERIFY(fixture.settle());
    QVERIFY(std::abs(tiles->width() - dragged) < 8);
  }

  // A part of a corpus is not shown as the whole of it.
  void aRecordingThatIsNotCompleteSaysSo() {
    WindowFixture fixture;
    MainWindow& window = *fixture.window;
    const QString path = mog::test::save_recording(fixture.folder.filePath(QStringLiteral("part.rec")),
                                                   *mog::test::make_recording(), false);
    window.open({path});
    QVERIFY(fixture.settle());
    QVERIFY2(!window.workspace().items().empty(),
             qPrintable(window.workspace().messages().join(QLatin1Char('\n'))));
    const auto entries = window.rail().tree().findItems(window.workspace().items().front().name,
                                                        Qt::MatchRecursive | Qt::MatchExactly);
    QVERIFY(!entries.isEmpty());
    QVERIFY2(entries.front()->text(1).endsWith(QChar(0x2026)), qPrintable(entries.front()->text(1)));
    QVERIFY(entries.front()->toolTip(1).contains(QStringLiteral("not complete")));
    fixture.see("weights");
    QVERIFY(fixture.settle());
    const auto* weights = window.findChild<WeightView*>();
    QVERIFY2(weights->what().contains(QStringLiteral("not complete")), qPrintable(weights->what()));
  }

  void theWindowFitsTheScreen() {
    const QTemporaryDir folder;
    for (const bool was_larger : {false, true}) {
      if (was_larger) {
        QWidget large;
        large.setGeometry(0, 0, 4000, 3000);
        ini(folder)->setValue(QStringLiteral("geometry"), large.saveGeometry());
      }
      const MainWindow window(ini(folder), mog::test::fake_openers());
      QVERIFY(window.screen()->availableGeometry().contains(window.geometry()));
    }
  }
};

QTEST_MAIN(LayoutTest)
#include "gui_layout_test.moc"
