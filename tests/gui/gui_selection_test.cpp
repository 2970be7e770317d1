#include <QSignalSpy>
#include <QTest>

#include "app/gui/session/selection_model.h"

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
