// A recording of a system that the program has never heard of: picker, keys, menu and views follow what it
// says of itself.
#include <QAction>
#include <QTest>

#include "app/figures/style.h"
#include "app/gui/session/part_text.h"
#include "app/gui/views/attention/map_picker.h"
#include "tests/gui/gui_fixture.h"

using mog::Part;
using mog::test::WindowFixture;
using namespace mog::gui;

class SystemTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void partsOfAnInventedSystemAreChosen() {
    WindowFixture fixture;
    MainWindow& window = *fixture.window;
    mog::test::CorpusOptions options;
    options.model.system = mog::test::invented_system();
    window.open({mog::test::save_recording(fixture.folder.filePath(QStringLiteral("weather.rec")), options)});
    QVERIFY(fixture.settle());
    window.workspace().select({window.selection().sentence().item, 1});
    QVERIFY(fixture.settle());
    SelectionModel& selection = window.selection();
    const std::vector<Part> maps = {Part::parse("sky"), Part::parse("tree"), Part::parse("ground")};
    QVERIFY(selection.extent().parts == maps);
    QCOMPARE(selection.extent().layers, 3);
    QCOMPARE(selection.extent().heads, 2);
    window.activateWindow();
    const auto press = [&](Qt::Key key) { QTest::keyClick(&window, key); };
    press(Qt::Key_2);
    QVERIFY(selection.part() == maps[1]);
    press(Qt::Key_4);  // root is carried, not attended to: there is no map
    QVERIFY(selection.part() == maps[1]);
    QVERIFY2(window.readout().contains(QStringLiteral("root")), qPrintable(window.readout()));
    QStringList named;
    for (const QAction* action : window.findChildren<QAction*>()) {
      if (action->isVisible() && action->text().startsWith(QStringLiteral("Part"))) {
        named << action->text();
      }
    }
    QVERIFY2(named.contains(QStringLiteral("Part: tree view")), qPrintable(named.join(u'\n')));
    QVERIFY2(named.contains(QStringLiteral("Part: root")), qPrintable(named.join(u'\n')));
    QCOMPARE(part_text(maps[0]), QStringLiteral("sky view"));
    QVERIFY(mog::figures::part_colour(maps[0], mog::figures::Theme::light) ==
            mog::figures::palette_colour(mog::PartColour::purple, mog::figures::Theme::light));
    for (const char* const dock : {"attention", "gates", "trees", "flow", "weights", "guide"}) {
      window.showView(QString::fromLatin1(dock));
      QVERIFY2(fixture.settle(), dock);
    }
    QVERIFY(window.workspace().messages().isEmpty());
  }
};

QTEST_MAIN(SystemTest)
#include "gui_system_test.moc"
