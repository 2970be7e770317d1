#include <QSignalSpy>
#include <QTest>

#include <utility>

#include "app/gui/session/selection_model.h"
#include "app/gui/session/view_state.h"
#include "app/gui/views/attention/attention_choices.h"

using mog::Part;
using mog::gui::SelectionModel;

namespace {
const mog::gui::SelectionExtent kExtent{
    .layers = 6, .heads = 4, .tokens = 10, .parts = {Part::high, Part::middle1, Part::middle2, Part::low}};
}

class SelectionTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void startsAtTheLastLayerAndStaysInside() {
    SelectionModel selection;
    selection.setLayer(3);
    QCOMPARE(selection.layer(), 0);
    selection.setSentence({1, 0}, kExtent);
    QCOMPARE(selection.layer(), 6);
    selection.setLayer(99);
    QCOMPARE(selection.layer(), 6);
    selection.setLayer(-4);
    QCOMPARE(selection.layer(), 1);
    selection.setHead(9);
    QCOMPARE(selection.head(), 4);
    selection.setToken(50);
    QCOMPARE(selection.token().value(), 9);
    selection.setToken(-1);
    QVERIFY(!selection.token());
  }

  void anotherSentenceKeepsTheMapAndDropsTheToken() {
    SelectionModel selection;
    selection.setSentence({1, 0}, kExtent);
    selection.setMap(3, Part::middle2, 2);
    selection.setToken(4);
    selection.setHovered(5);
    QSignalSpy sentence(&selection, &SelectionModel::sentenceChanged);
    QSignalSpy map(&selection, &SelectionModel::mapChanged);
    selection.setSentence({1, 1}, kExtent);
    QCOMPARE(sentence.count(), 1);
    QCOMPARE(map.count(), 0);
    QCOMPARE(selection.layer(), 3);
    QVERIFY(selection.part() == Part::middle2);
    QCOMPARE(selection.head(), 2);
    QVERIFY(!selection.token());
    QVERIFY(!selection.hovered());
    // A plain model with two layers has neither the part nor the layer nor the head.
    selection.setSentence({2, 0}, {.layers = 2, .heads = 1, .tokens = 3, .parts = {Part::full}});
    QCOMPARE(selection.layer(), 2);
    QVERIFY(selection.part() == Part::none);
    QCOMPARE(selection.head(), 0);
    QCOMPARE(map.count(), 1);
  }

  void startsAtTheLastLayerThatHasAMap() {
    SelectionModel selection;
    mog::gui::SelectionExtent extent = kExtent;
    extent.mapped = 4;
    selection.setSentence({1, 0}, extent);
    QCOMPARE(selection.layer(), 4);
  }

  void aLongTextIsShownByStretches() {
    SelectionModel selection;
    mog::gui::ViewState state({});
    mog::gui::AttentionChoices choices(state, selection);
    QSignalSpy changed(&choices, &mog::gui::AttentionChoices::stretchChanged);
    const auto shown = [&](bool keys) {
      const auto stretch = choices.stretch(keys);
      return std::pair(stretch.first, stretch.last);
    };
    using Ends = std::pair<std::int64_t, std::int64_t>;
    mog::gui::SelectionExtent extent = kExtent;
    selection.setSentence({1, 0}, extent);
    QVERIFY(choices.stretch(false).all());  // a short one whole
    extent.tokens = 1050;
    selection.setSentence({1, 1}, extent);
    QCOMPARE(shown(false), Ends(1, 200));
    choices.stepStretch(true, -1);
    QCOMPARE(changed.count(), 0);
    choices.stepStretch(true, 2);
    QCOMPARE(shown(false), Ends(1, 200));
    QCOMPARE(shown(true), Ends(401, 600));
    // A pair inside leaves everything where it is; a word elsewhere brings the queries alone.
    selection.setToken(20);
    choices.followSelection();
    selection.setKey(450);
    choices.followSelection();
    QCOMPARE(changed.count(), 1);
    selection.setToken(1049);
    choices.followSelection();
    QCOMPARE(shown(false), Ends(1001, 1050));
    QCOMPARE(shown(true), Ends(401, 600));
    selection.setKey(0);
    choices.followSelection();
    QCOMPARE(shown(true), Ends(1, 200));
    // Where both sides are one stretch a word brings both.
    choices.stepStretch(true, 5);
    QCOMPARE(shown(true), Ends(1001, 1050));
    selection.setToken(300);
    choices.followSelection();
    QCOMPARE(shown(false), Ends(201, 400));
    QCOMPARE(shown(true), Ends(201, 400));
    choices.stepStretch(false, 9);
    QCOMPARE(shown(false), Ends(201, 400));
    extent.tokens = 700;
    choices.stepStretch(false, 4);
    selection.setSentence({1, 2}, extent);
    QCOMPARE(shown(false), Ends(601, 700));
  }

  void aPartThatIsNotThereIsIgnored() {
    SelectionModel selection;
    selection.setSentence({1, 0}, kExtent);
    selection.setPart(Part::low);
    selection.setPart(Part::full);
    QVERIFY(selection.part() == Part::low);
    selection.setPart(Part::none);
    QVERIFY(selection.part() == Part::none);
  }

  void stepsStopAtTheEnds() {
    SelectionModel selection;
    selection.setSentence({1, 0}, kExtent);
    selection.stepHead(-1);
    QCOMPARE(selection.head(), 0);
    selection.stepHead(1);
    QCOMPARE(selection.head(), 1);
    selection.setLayer(6);
    selection.stepLayer(1);
    QCOMPARE(selection.layer(), 6);
  }

  void pinTakesTheHoveredTokenAndLetsItGo() {
    SelectionModel selection;
    selection.setSentence({1, 0}, kExtent);
    selection.setHovered(7);
    QCOMPARE(selection.lit().value(), 7);
    selection.togglePin();
    QCOMPARE(selection.token().value(), 7);
    selection.setHovered(2);
    QCOMPARE(selection.lit().value(), 2);
    selection.setHovered(std::nullopt);
    QCOMPARE(selection.lit().value(), 7);
    selection.togglePin();
    QVERIFY(!selection.token());
  }

  void signalsComeOnlyWithChanges() {
    SelectionModel selection;
    selection.setSentence({1, 0}, kExtent);
    QSignalSpy map(&selection, &SelectionModel::mapChanged);
    QSignalSpy token(&selection, &SelectionModel::tokenChanged);
    selection.setLayer(2);
    selection.setLayer(2);
    selection.setToken(1);
    selection.setToken(1);
    QCOMPARE(map.count(), 1);
    QCOMPARE(token.count(), 1);
  }
};

QTEST_MAIN(SelectionTest)
#include "gui_selection_test.moc"
