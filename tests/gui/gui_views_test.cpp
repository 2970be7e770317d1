// A view that no file of the program names: the menu, the layouts, the guide and sessions have it by its kind
// alone.
#include <QAction>
#include <QMenu>
#include <QSettings>
#include <QTemporaryDir>
#include <QTest>
#include <QUndoStack>
#include <set>
#include <string>

#include "app/gui/views/common/view_kind.h"
#include "app/gui/widgets/guide_page.h"
#include "app/gui/window/help.h"
#include "app/gui/window/main_window.h"
#include "app/gui/window/pages.h"
#include "tests/gui/gui_fixture.h"

using namespace mog::gui;

namespace {

const QString kCup = QStringLiteral("tea.cup");

class TeaView : public View {
 public:
  using View::View;
  std::vector<ExportItem> exports() const override { return {}; }
  int drawn = 0;

 protected:
  void refresh() override { ++drawn; }
};

constexpr mog::app::GuideEntry kEntry{.name = "view.tea",
                                      .title = "Tea leaves",
                                      .formula = "",
                                      .range = "",
                                      .level = mog::app::ClaimLevel::none,
                                      .meaning = "What the leaves at the bottom of a cup say."};

const ViewKind kTea{.name = "tea",
                    .rank = 6,
                    .create = [](const ViewContext& context, QWidget* parent) -> QWidget* {
                      return new TeaView(context, parent);
                    },
                    .places = {{"corpus", 0, 2}, {"read", 0, 1}},
                    .settings = {{.name = kCup,
                                  .initial = std::string("green"),
                                  .text = "cup",
                                  .choices = {QStringLiteral("green"), QStringLiteral("black")}}},
                    .guide = [](const ViewContext&) { return QStringList{QStringLiteral("view.trees")}; },
                    .entry = &kEntry};

std::vector<const ViewKind*> with_tea() {
  std::vector<const ViewKind*> kinds(view_kinds().begin(), view_kinds().end());
  kinds.push_back(&kTea);
  return kinds;
}

struct Window {
  QTemporaryDir folder;
  std::vector<const ViewKind*> kinds = with_tea();
  MainWindow window{
      std::make_unique<QSettings>(folder.filePath(QStringLiteral("settings.ini")), QSettings::IniFormat),
      mog::test::fake_openers(),
      {},
      nullptr,
      kinds};
  Window() {
    window.resize(1600, 900);
    window.show();
  }
  TeaView& tea() { return *static_cast<TeaView*>(window.view(QStringLiteral("tea"))); }
};

}  // namespace

class ViewsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void everyViewIsExplainedAndHasSettingsOfItsOwn() {
    std::set<std::string> names;
    std::set<QString> settings;
    for (const ViewKind* const kind : view_kinds()) {
      QVERIFY2(names.insert(kind->name).second, kind->name);
      QVERIFY2(entry_of(*kind) != nullptr, kind->name);
      QVERIFY2(!kind->places.empty(), kind->name);
      for (const ViewPlace& place : kind->places) {
        const QString workspace = QString::fromLatin1(place.workspace);
        QVERIFY2(workspace == QLatin1String("side") || Pages::names().contains(workspace), kind->name);
      }
      for (const Setting& setting : kind->settings) {
        QVERIFY2(settings.insert(setting.name).second, qPrintable(setting.name));
      }
    }
    QCOMPARE(names.size(), std::size_t{21});
  }

  void theMenuAndTheWorkspacesHaveIt() {
    Window made;
    const auto actions = made.window.findChildren<QAction*>();
    QVERIFY(std::any_of(actions.begin(), actions.end(), [](const QAction* action) {
      return action->text() == QStringLiteral("Tea leaves");
    }));
    made.window.pages().show(QStringLiteral("compare"));
    QVERIFY(!made.tea().isVisible());  // it does not name it
    made.window.pages().show(QStringLiteral("corpus"));
    QVERIFY(!made.tea().isVisible());  // behind the first of its pane
    made.window.showView(kTea);
    QVERIFY(made.tea().isVisible());
    QCOMPARE(made.window.pages().current(), QStringLiteral("corpus"));
    QTRY_VERIFY(made.tea().drawn > 0);
    made.window.pages().show(QStringLiteral("read"));
    QVERIFY(!made.tea().isVisible());
    made.window.showView(kTea);
    QCOMPARE(made.window.pages().current(), QStringLiteral("read"));  // the one at hand has it
    QVERIFY(made.tea().isVisible());
  }

  void theGuideExplainsIt() {
    Window made;
    GuidePage& page = made.window.help().showGuide(QStringLiteral("tea"));
    QCOMPARE(page.shown(), QStringLiteral("view.tea"));
    QVERIFY(page.text().contains(QStringLiteral("bottom of a cup")));
    QVERIFY(page.text().contains(QStringLiteral("Multi-order graphs")));  // what it is shown with
    page.search(QStringLiteral("leaves at the bottom"));
    QCOMPARE(page.count(), 1);
  }

  void sessionsAndUndoKnowItsSettings() {
    Window made;
    ViewState& state = made.window.state();
    QCOMPARE(state.choice(kCup), QStringLiteral("green"));
    state.set(kCup, QStringLiteral("white"));  // no such cup
    QCOMPARE(state.choice(kCup), QStringLiteral("green"));
    state.set(kCup, QStringLiteral("black"));
    QVERIFY(state.history().undoText().contains(QStringLiteral("cup")));
    const auto kept = state.values();
    Window again;
    QCOMPARE(again.window.state().restore(kept), QStringList());
    QCOMPARE(again.window.state().choice(kCup), QStringLiteral("black"));
    ViewState without(settings_of(view_kinds()));
    QVERIFY(without.restore(kept).contains(kCup));  // a program without the view says so
  }
};

QTEST_MAIN(ViewsTest)
#include "gui_views_test.moc"
