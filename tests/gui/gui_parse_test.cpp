// The workspace of parsers: the tree, arcs set by hand, rounds, the command of what is shown.
#include <QAction>
#include <QPushButton>
#include <QSlider>
#include <QTest>
#include <QToolButton>
#include <QUndoStack>

#include "app/gui/views/parse/arc_chips.h"
#include "app/gui/views/parse/parse_view.h"
#include "app/gui/views/parse/step_bar.h"
#include "app/gui/widgets/figure_canvas.h"
#include "app/gui/window/picture_menus.h"
#include "tests/gui/gui_fixture.h"
#include "tests/support/parsing_model.h"

using mog::app::TreeArc;
using mog::test::WindowFixture;
using namespace mog::gui;

namespace {

void settle(WindowFixture& fixture) {
  if (!fixture.settle()) {
    qFatal("the window does not come to rest");
  }
}

ParseView& parse_one(WindowFixture& fixture, bool refines = false) {
  MainWindow& window = *fixture.window;
  window.workspace().addModel(QStringLiteral("parser"), mog::test::parsing_model(refines));
  window.workspace().runSentence(QStringLiteral("a b c d"));
  settle(fixture);
  fixture.see("parse");
  auto* view = window.findChild<ParseView*>();
  if (view == nullptr || view->shown() == nullptr) {
    qFatal("%s", qPrintable(window.workspace().messages().join(QLatin1Char('\n'))));
  }
  return *view;
}

const mog::analysis::ArcFigure& arcs_of(ParseView& view) {
  return std::get<mog::analysis::ArcFigure>(view.arcs().figure()->body);
}

// Of the words of the tree that is shown.
std::vector<std::int64_t> heads_of(ParseView& view) {
  std::vector<std::int64_t> heads;
  for (const mog::analysis::Arc& arc : arcs_of(view).arcs) {
    heads.push_back(arc.source + 1);
  }
  return heads;
}

using Heads = std::vector<std::int64_t>;

mog::figures::Hit cell(std::int64_t head, std::int64_t dependent) {
  mog::figures::Hit hit;
  hit.kind = mog::figures::Hit::Kind::cell;
  hit.row = head;
  hit.column = dependent - 1;
  return hit;
}

void click(WindowFixture& fixture, ParseView& view, const mog::figures::Hit& hit,
           Qt::KeyboardModifiers modifiers = Qt::NoModifier) {
  Q_EMIT view.matrix().clicked(hit, modifiers);
  settle(fixture);
}

QString command_of(const ParseView& view, std::size_t item) {
  return view.exports().at(item).command.line(QStringLiteral("a.svg"));
}

}  // namespace

class ParseTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void theTreeStandsOverItsWords() {
    WindowFixture fixture;
    ParseView& view = parse_one(fixture);
    QCOMPARE(heads_of(view), (Heads{2, 3, 4, 0}));
    QCOMPARE(arcs_of(view).arcs[0].label, std::string("a"));
    QVERIFY(!view.steps().before().isVisibleTo(&view));  // one round is no walk
    QVERIFY(view.chips().isHidden());
    const auto& map = std::get<mog::analysis::HeatMap>(view.matrix().figure()->body);
    QCOMPARE(map.rows.size(), std::size_t{5});
    const QString line = command_of(view, 0);
    QVERIFY2(line.startsWith(QStringLiteral("printf '%s\\n' 'a b c d' | mog parse --model")),
             qPrintable(line));
    QVERIFY2(line.endsWith(QStringLiteral("--input - --svg a.svg")), qPrintable(line));
    QVERIFY2(command_of(view, 1).contains(QStringLiteral("--draw matrix")), qPrintable(command_of(view, 1)));
    QVERIFY(view.exports().front().command.facts().command.find("mog parse") == 0);
  }

  void aClickSetsAnArcAndOnceMoreLetsGo() {
    WindowFixture fixture;
    ParseView& view = parse_one(fixture);
    click(fixture, view, cell(4, 1));  // not in the tree: forced
    QCOMPARE(heads_of(view), (Heads{4, 3, 4, 0}));
    QVERIFY(arcs_of(view).arcs[0].forced);
    QCOMPARE(view.chips().buttons().size(), std::size_t{1});
    QVERIFY(view.chips().buttons()[0]->accessibleName().contains(QStringLiteral("d → a")));
    QVERIFY2(command_of(view, 0).contains(QStringLiteral("--force 1:4")), qPrintable(command_of(view, 0)));
    click(fixture, view, cell(3, 2));  // in the tree: forbidden
    QVERIFY(heads_of(view)[1] != 3);
    QVERIFY2(command_of(view, 0).contains(QStringLiteral("--forbid 2:3")), qPrintable(command_of(view, 0)));
    QCOMPARE(view.chips().buttons().size(), std::size_t{2});
    click(fixture, view, cell(3, 2));
    QCOMPARE(heads_of(view), (Heads{4, 3, 4, 0}));
    // Another head of the same word takes the place of the first.
    click(fixture, view, cell(3, 1));
    QCOMPARE(heads_of(view), (Heads{3, 3, 4, 0}));
    QCOMPARE(view.constraints().forced, (std::vector<TreeArc>{{1, 3}}));
    view.chips().buttons()[0]->click();
    settle(fixture);
    QCOMPARE(heads_of(view), (Heads{2, 3, 4, 0}));
    QVERIFY(view.chips().isHidden());
    // With Shift the other way round: one that is there is kept.
    click(fixture, view, cell(2, 1), Qt::ShiftModifier);
    QCOMPARE(view.constraints().forced, (std::vector<TreeArc>{{1, 2}}));
    click(fixture, view, cell(2, 1), Qt::ShiftModifier);
    QVERIFY(view.constraints().empty());
    // The diagonal is no arc.
    click(fixture, view, cell(1, 1));
    QVERIFY(view.constraints().empty());
  }

  void settingAnArcIsAStepOfUndo() {
    WindowFixture fixture;
    ParseView& view = parse_one(fixture);
    click(fixture, view, cell(4, 1));
    QCOMPARE(heads_of(view)[0], std::int64_t{4});
    fixture.window->state().history().undo();
    settle(fixture);
    QCOMPARE(heads_of(view)[0], std::int64_t{2});
    fixture.window->state().history().redo();
    settle(fixture);
    QCOMPARE(heads_of(view)[0], std::int64_t{4});
    // They are of their sentence.
    fixture.window->workspace().runSentence(QStringLiteral("a b c d e"));
    settle(fixture);
    QCOMPARE(heads_of(view), (Heads{2, 3, 4, 5, 0}));
    QVERIFY(view.chips().isHidden());
  }

  void arcsThatNoTreeObeysAreLetGo() {
    WindowFixture fixture;
    ParseView& view = parse_one(fixture);
    view.setArc({1, 2}, ArcSetting::forced);
    settle(fixture);
    view.setArc({2, 1}, ArcSetting::forced);
    settle(fixture);
    QVERIFY(fixture.window->workspace()
                .messages()
                .join(QLatin1Char(' '))
                .contains(QStringLiteral("No tree obeys")));
    QCOMPARE(view.constraints().forced, (std::vector<TreeArc>{{1, 2}}));
    QCOMPARE(heads_of(view), (Heads{2, 3, 4, 0}));
    // The step is undone: the next one is that before it.
    auto& history = fixture.window->state().history();
    history.redo();
    settle(fixture);
    QCOMPARE(view.constraints().forced, (std::vector<TreeArc>{{1, 2}}));
    history.undo();
    settle(fixture);
    QVERIFY(view.constraints().empty());
    history.redo();
    settle(fixture);
    QCOMPARE(view.constraints().forced, (std::vector<TreeArc>{{1, 2}}));
  }

  void noCrossingArcsAreRefusedWhereArcsCross() {
    WindowFixture fixture;
    ParseView& view = parse_one(fixture);
    click(fixture, view, cell(3, 1));
    click(fixture, view, cell(4, 2));
    QCOMPARE(heads_of(view), (Heads{3, 4, 4, 0}));
    view.projective().click();
    settle(fixture);
    QVERIFY(fixture.window->workspace()
                .messages()
                .join(QLatin1Char(' '))
                .contains(QStringLiteral("No tree without crossing arcs obeys")));
    QVERIFY(!view.projective().isChecked());
    QCOMPARE(heads_of(view), (Heads{3, 4, 4, 0}));
    fixture.window->state().history().undo();
    settle(fixture);
    QCOMPARE(view.constraints().forced, (std::vector<TreeArc>{{1, 3}}));
  }

  // No step brought them, so none is undone.
  void arcsOfASessionThatNoTreeObeysAreTheReadersToLetGo() {
    WindowFixture fixture;
    ParseView& view = parse_one(fixture);
    auto values = fixture.window->state().values();
    const QString arcs = set_arcs_text({{{1, 2}, {2, 1}}, {}}, QStringLiteral("a b c d"));
    values[kSetArcs.toStdString()] = arcs.toStdString();
    QVERIFY(fixture.window->state().restore(values).isEmpty());
    settle(fixture);
    QVERIFY(view.shown() == nullptr);
    QCOMPARE(fixture.window->state().choice(kSetArcs), arcs);
    view.arcs().findChild<QPushButton*>()->click();
    settle(fixture);
    QCOMPARE(heads_of(view), (Heads{2, 3, 4, 0}));
    QVERIFY(view.constraints().empty());
  }

  // Another error while arcs are set is not theirs.
  void whatElseFailsLeavesTheArcsAlone() {
    WindowFixture fixture;
    MainWindow& window = *fixture.window;
    fixture.openFakeModel();
    window.workspace().runSentence(QStringLiteral("a b c d"));
    settle(fixture);
    window.workspace().addModel(QStringLiteral("parser"), mog::test::parsing_model());
    fixture.see("parse");
    auto& view = *window.findChild<ParseView*>();
    click(fixture, view, cell(4, 1));
    QCOMPARE(heads_of(view), (Heads{4, 3, 4, 0}));
    const QString arcs = window.state().choice(kSetArcs);
    const auto steps = window.state().history().count();
    OpenedModel narrow = mog::test::parsing_model();
    narrow.longest = 2;
    window.workspace().addModel(QStringLiteral("narrow"), narrow);
    settle(fixture);
    QVERIFY(view.shown() == nullptr);
    QVERIFY2(view.arcs().accessibleDescription().contains(QStringLiteral("position table")),
             qPrintable(view.arcs().accessibleDescription()));
    QCOMPARE(window.state().choice(kSetArcs), arcs);
    QCOMPARE(window.state().history().count(), steps);
    window.workspace().closeModel(window.workspace().models().back().id);
    settle(fixture);
    QCOMPARE(heads_of(view), (Heads{4, 3, 4, 0}));
  }

  void whileAnotherSentenceIsParsedNoArcIsSet() {
    WindowFixture fixture;
    ParseView& view = parse_one(fixture);
    MainWindow& window = *fixture.window;
    const SentenceRef first = window.selection().sentence();
    window.workspace().runSentence(QStringLiteral("a b c d e"));
    settle(fixture);
    QObject owner;
    const auto menu = [&] {
      return window.pictureMenus().ofPicture(view, view.matrix(), cell(4, 1), &owner);
    };
    const QList<QAction*> before = menu();
    QVERIFY(before.front()->text().contains(QStringLiteral("Force")));
    window.workspace().select(first);
    QVERIFY(view.stale());
    QVERIFY(!view.arcAt(view.matrix(), cell(4, 1)).has_value());
    QVERIFY(!menu().front()->text().contains(QStringLiteral("Force")));
    view.setArc({1, 4}, ArcSetting::forced);
    QVERIFY(view.constraints().empty());
    settle(fixture);
    before.front()->trigger();  // of a menu that was open
    settle(fixture);
    QVERIFY(view.constraints().empty());
    QCOMPARE(heads_of(view), (Heads{2, 3, 4, 0}));
    menu().front()->trigger();
    settle(fixture);
    QCOMPARE(heads_of(view), (Heads{4, 3, 4, 0}));
  }

  void manyArcsCanBeSet() {
    WindowFixture fixture;
    ParseView& view = parse_one(fixture);
    const QString text = QStringLiteral("a b c d e f g h i j k l m n o p");
    fixture.window->workspace().runSentence(text);
    settle(fixture);
    mog::app::TreeConstraints arcs;
    for (std::int32_t dependent = 3; dependent <= 16; ++dependent) {
      for (std::int32_t head = 1; head + 1 < dependent; ++head) {
        arcs.forbidden.push_back({dependent, head});
      }
    }
    QVERIFY(arcs.forbidden.size() > 100);
    fixture.window->state().set(kSetArcs, set_arcs_text(arcs, text));
    settle(fixture);
    QCOMPARE(view.constraints(), arcs);
    click(fixture, view, cell(4, 1));
    QCOMPARE(view.constraints().forced, (std::vector<TreeArc>{{1, 4}}));
    QCOMPARE(heads_of(view)[0], std::int64_t{4});
    QCOMPARE(view.chips().buttons().size(), arcs.forbidden.size() + 1);
  }

  void roundsAreWalkedThroughAndChangesMarked() {
    WindowFixture fixture;
    ParseView& view = parse_one(fixture, true);
    QCOMPARE(view.steps().steps(), std::int64_t{3});
    QCOMPARE(view.steps().current(), std::int64_t{3});
    QVERIFY(view.steps().next().isVisibleTo(&view));
    QVERIFY(!view.steps().next().isEnabled());
    QVERIFY2(view.steps().text().contains(QStringLiteral("stays")), qPrintable(view.steps().text()));
    view.steps().before().click();
    QVERIFY2(view.steps().text().contains(QStringLiteral("3 changed")), qPrintable(view.steps().text()));
    QVERIFY(arcs_of(view).arcs[0].changed);
    QCOMPARE(arcs_of(view).gold.size(), std::size_t{3});
    QVERIFY2(command_of(view, 0).contains(QStringLiteral("--step 2")), qPrintable(command_of(view, 0)));
    // The keys of the view do the same.
    for (QAction* const action : view.actions()) {
      if (action->shortcut() == QKeySequence(Qt::CTRL | Qt::Key_PageUp)) {
        action->trigger();
      }
    }
    QCOMPARE(view.steps().current(), std::int64_t{1});
    QCOMPARE(heads_of(view), (Heads{2, 3, 4, 0}));
    QVERIFY(!view.steps().before().isEnabled());
  }

  // The model reads the forced arc in the next round, and another word follows.
  void aModelThatReadsItsTreeReadsTheForcedArc() {
    WindowFixture fixture;
    ParseView& view = parse_one(fixture, true);
    click(fixture, view, cell(3, 1));
    QCOMPARE(heads_of(view), (Heads{3, 1, 4, 0}));
    view.steps().setCurrent(1);
    QCOMPARE(heads_of(view), (Heads{3, 3, 4, 0}));
  }

  void aCellAndItsArcAreLitTogether() {
    WindowFixture fixture;
    ParseView& view = parse_one(fixture);
    Q_EMIT view.matrix().hovered(cell(3, 2));
    QCOMPARE(view.arcs().highlight().arc, std::optional<std::int64_t>(1));
    Q_EMIT view.matrix().hovered(cell(1, 2));
    QCOMPARE(view.arcs().highlight().arc, std::optional<std::int64_t>());
    QCOMPARE(view.arcs().highlight().word, std::optional<std::int64_t>(1));
    mog::figures::Hit arc;
    arc.kind = mog::figures::Hit::Kind::arc;
    arc.arc = 0;
    Q_EMIT view.arcs().hovered(arc);
    QCOMPARE(view.matrix().highlight().row, std::optional<std::int64_t>(2));
    QCOMPARE(view.matrix().highlight().column, std::optional<std::int64_t>(0));
    Q_EMIT view.arcs().hovered(std::nullopt);
    QVERIFY(view.matrix().highlight().empty());
    // A word is that of the whole window.
    mog::figures::Hit word;
    word.kind = mog::figures::Hit::Kind::word;
    word.word = 2;
    Q_EMIT view.arcs().clicked(word, Qt::NoModifier);
    QCOMPARE(fixture.window->selection().token(), std::optional<std::int64_t>(2));
    QCOMPARE(view.arcs().highlight().word, std::optional<std::int64_t>(2));
  }

  void withoutAParserItSaysSo() {
    WindowFixture fixture;
    fixture.openFakeModel();
    fixture.window->workspace().runSentence(QStringLiteral("the dog barked"));
    QVERIFY(fixture.settle());
    QVERIFY(fixture.window->findChild<QToolButton*>(QStringLiteral("workspace.parse"))->isHidden());
    fixture.see("parse");
    auto& view = *fixture.window->findChild<ParseView*>();
    QVERIFY(view.shown() == nullptr);
    QVERIFY(view.exports().empty());
    QVERIFY(view.matrix().isHidden());
    // A parser parses what was typed for another model, too.
    fixture.window->workspace().addModel(QStringLiteral("parser"), mog::test::parsing_model());
    QVERIFY(!fixture.window->findChild<QToolButton*>(QStringLiteral("workspace.parse"))->isHidden());
    QVERIFY(fixture.settle());
    QVERIFY(view.shown() != nullptr);
    QCOMPARE(heads_of(view), (Heads{2, 3, 0}));
  }

  void aRecordedSentenceKeepsItsWords() {
    WindowFixture fixture;
    fixture.openFake();
    fixture.window->workspace().addModel(QStringLiteral("parser"), mog::test::parsing_model());
    fixture.see("parse");
    settle(fixture);
    auto& view = *fixture.window->findChild<ParseView*>();
    QVERIFY(view.shown() != nullptr);
    const auto& item = *fixture.window->workspace().selectedItem();
    const auto sentence = item.source->sentence(fixture.window->selection().sentence().index);
    QCOMPARE(view.shown()->parsed.sentence.words.size(), sentence.words.size());
    QVERIFY2(command_of(view, 0).contains(QStringLiteral("--words spaces")), qPrintable(command_of(view, 0)));
  }
};

QTEST_MAIN(ParseTest)
#include "gui_parse_test.moc"
