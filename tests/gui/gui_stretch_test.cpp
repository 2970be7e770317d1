// Maps of a long text in the window: what is drawn of a stretch, and what is drawn when it changes.
#include <QTest>
#include <QToolButton>

#include "app/gui/views/attention/attention_choices.h"
#include "app/gui/views/attention/attention_view.h"
#include "app/gui/views/attention/stretch_picker.h"
#include "app/gui/widgets/figure_canvas.h"
#include "tests/gui/gui_fixture.h"

using mog::QuantityName;
using mog::analysis::HeatMap;
using mog::test::WindowFixture;
using namespace mog::gui;

class StretchTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void aLongTextIsDrawnByStretchesAndAShortOneWhole() {
    WindowFixture fixture;
    MainWindow& window = *fixture.window;
    window.resize(1400, 900);
    const auto recording =
        mog::test::make_recording({.model = {.layers = 1, .heads = 1, .graph = false}, .lengths = {650, 5}});
    auto tokens = recording->token_counts();
    window.workspace().addRecording(QStringLiteral("long.rec"), {}, recording, std::move(tokens));
    QVERIFY(fixture.settle());
    fixture.see("attention");
    auto* const picker = window.attention().findChild<StretchPicker*>();
    QVERIFY(picker != nullptr);
    QVERIFY(picker->isVisible());
    compare(window, *recording, 0, 0, 200);
    if (QTest::currentTestFailed()) {
      return;
    }
    // The last button is that of the keys that follow.
    const auto buttons = picker->findChildren<QToolButton*>();
    QCOMPARE(buttons.size(), 4);
    QVERIFY(!buttons[2]->isEnabled());  // nothing lies before the first keys
    for (int i = 0; i < 3; ++i) {
      QTest::mouseClick(buttons[3], Qt::LeftButton);
    }
    QVERIFY(fixture.settle());
    QVERIFY(!buttons[3]->isEnabled());
    compare(window, *recording, 0, 600, 51);  // 650 words and </s>
    // A word that is selected elsewhere brings its queries, and the keys stay.
    window.selection().setToken(444);
    QVERIFY(fixture.settle());
    compare(window, *recording, 400, 600, 51);
    window.workspace().select({window.selection().sentence().item, 1});
    QVERIFY(fixture.settle());
    QVERIFY(!picker->isVisible());
    QCOMPARE(map_of(window).columns.size(), std::size_t{6});
  }

 private:
  static HeatMap map_of(MainWindow& window) {
    const auto figure = window.attention().matrix().figure();
    return figure == nullptr ? HeatMap() : std::get<HeatMap>(figure->body);
  }
  // Cell by cell, beside the map of the recording.
  static void compare(MainWindow& window, const mog::RecordingSource& recording, std::int64_t first_query,
                      std::int64_t first_key, std::int64_t keys) {
    const std::vector<float> whole =
        recording.read(0, QuantityName::parse("encoder.1.full.attention")).to_floats();
    const HeatMap map = map_of(window);
    QCOMPARE(map.rows.size(), std::size_t{200});
    QCOMPARE(static_cast<std::int64_t>(map.columns.size()), keys);
    for (std::int64_t row = 0; row < 200; ++row) {
      for (std::int64_t column = 0; column < keys; ++column) {
        const auto expected = whole[static_cast<std::size_t>((first_query + row) * 651 + first_key + column)];
        QVERIFY2(std::abs(map.value(row, column) - static_cast<double>(expected)) < 1e-6,
                 qPrintable(QStringLiteral("row %1, column %2").arg(row).arg(column)));
      }
    }
  }
};

QTEST_MAIN(StretchTest)
#include "gui_stretch_test.moc"
