// The view of neighbours: it follows the selected word, a click goes to another sentence and the list stays.
#include <QCheckBox>
#include <QTest>

#include "app/gui/views/corpus/neighbours_view.h"
#include "app/gui/widgets/figure_canvas.h"
#include "tests/gui/gui_fixture.h"

using mog::test::WindowFixture;
using namespace mog::gui;

namespace {

NeighboursView& view_of(WindowFixture& fixture) {
  return *fixture.window->findChild<NeighboursView*>();
}

// Of sentence `index`, from 0.
void choose(WindowFixture& fixture, std::int64_t index, std::int64_t token) {
  MainWindow& window = *fixture.window;
  window.workspace().select({window.workspace().items().front().id, index});
  window.selection().setToken(token);
  QVERIFY(fixture.settle());
}

// A place of the picture in that row.
QPoint place_of(FigureCanvas& picture, std::int64_t row) {
  for (int y = 2; y < picture.height(); y += 3) {
    for (int x = picture.width() / 4; x < picture.width(); x += 11) {
      const auto hit = picture.hitAt(QPointF(x, y));
      if (hit && hit->kind == mog::figures::Hit::Kind::cell && hit->row == row) {
        return {x, y};
      }
    }
  }
  qFatal("no such row in the picture");
  return {};
}

class GuiNeighboursTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void whatIsMissingIsSaid() {
    WindowFixture fixture;
    fixture.openFake();
    fixture.see("neighbours");
    choose(fixture, 0, 0);
    QVERIFY(view_of(fixture).shown() == nullptr);
    QVERIFY(view_of(fixture).exports().empty());
  }

  void aClickGoesToTheSentenceAndTheListStays() {
    WindowFixture fixture;
    auto recording = mog::test::make_recording({.states = true});
    auto tokens = recording->token_counts();
    fixture.window->resize(1400, 900);
    fixture.window->workspace().addRecording(QStringLiteral("states.rec"), {}, std::move(recording),
                                             std::move(tokens));
    QVERIFY(fixture.settle());
    fixture.see("neighbours");
    choose(fixture, 1, 2);
    NeighboursView& view = view_of(fixture);
    QVERIFY(view.shown() != nullptr);
    QCOMPARE(view.shown()->word.sentence, 2);
    QCOMPARE(view.shown()->found.size(), 20U);
    QCOMPARE(view.exports().size(), 1U);

    const mog::app::Neighbours before = *view.shown();
    QTest::mouseClick(&view.picture(), Qt::LeftButton, {}, place_of(view.picture(), 1));
    QVERIFY(fixture.settle());
    const mog::app::NeighbourWord& nearest = before.found.front();
    QCOMPARE(fixture.window->selection().sentence().index + 1, nearest.sentence);
    QVERIFY(fixture.window->selection().token().has_value());
    QCOMPARE(view.shown()->word.sentence, before.word.sentence);
    QCOMPARE(view.shown()->word.word, before.word.word);

    // Another layer is one of the word that the click chose.
    mog::gui::SelectionModel& selection = fixture.window->selection();
    const mog::app::Neighbours* const stays = view.shown();
    selection.setHead(1);  // of the same states
    QVERIFY(fixture.settle());
    QCOMPARE(view.shown(), stays);
    const std::string last = before.quantity;
    selection.setLayer(1);
    QVERIFY(fixture.settle());
    QVERIFY(view.shown()->quantity != last);
    QCOMPARE(view.shown()->word.sentence, nearest.sentence);
    QCOMPARE(view.shown()->word.word, nearest.word);

    // Another word is another list.
    choose(fixture, 3, 1);
    QCOMPARE(view.shown()->word.sentence, 4);
    QVERIFY(!view.shown()->centered);
    view.center().click();
    QVERIFY(fixture.settle());
    QVERIFY(view.shown()->centered);
  }
};

}  // namespace

QTEST_MAIN(GuiNeighboursTest)
#include "gui_neighbours_test.moc"
