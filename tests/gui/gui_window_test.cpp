#include <QAbstractButton>
#include <QAccessible>
#include <QAction>
#include <QClipboard>
#include <QComboBox>
#include <QDropEvent>
#include <QFile>
#include <QGuiApplication>
#include <QImage>
#include <QLineEdit>
#include <QMimeData>
#include <QTableView>
#include <QTest>
#include <QToolButton>
#include <QUrl>
#include <semaphore>

#include "app/gui/views/attention/attention_choices.h"
#include "app/gui/views/attention/attention_view.h"
#include "app/gui/views/attention/gate_view.h"
#include "app/gui/views/corpus/sentence_view.h"
#include "app/gui/views/corpus/weight_view.h"
#include "app/gui/views/graphs/tree_view.h"
#include "app/gui/views/item_models/job_list_model.h"
#include "app/gui/views/item_models/k_best_model.h"
#include "app/gui/views/item_models/sentence_filter_model.h"
#include "app/gui/views/item_models/sentence_table_model.h"
#include "app/gui/views/jobs/jobs_view.h"
#include "app/gui/views/strip/typing_field.h"
#include "app/gui/widgets/figure_canvas.h"
#include "app/gui/widgets/film_strip.h"
#include "app/gui/widgets/layer_head_grid.h"
#include "app/gui/widgets/message_bar.h"
#include "app/gui/window/export_dialog.h"
#include "app/gui/window/exporter.h"
#include "app/gui/window/pages.h"
#include "app/gui/window/rail.h"
#include "tests/gui/gui_fixture.h"

using mog::Part;
using mog::test::WindowFixture;
using namespace mog::gui;

namespace {

// The middle of the first place where the view finds a hit of this kind that `wanted` accepts.
template <class Wanted>
std::optional<QPointF> find_hit(const FigureCanvas& view, Wanted wanted) {
  for (int y = 2; y < view.height(); y += 3) {
    for (int x = 2; x < view.width(); x += 3) {
      const auto hit = view.hitAt(QPointF(x, y));
      if (hit && wanted(*hit)) {
        return QPointF(x, y);
      }
    }
  }
  return std::nullopt;
}

void click(FigureCanvas& view, QPointF at) {
  QTest::mouseClick(&view, Qt::LeftButton, {}, at.toPoint());
}

}  // namespace

class WindowTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  // The read-out is about what stands under the pointer now, also when the pictures change under it.
  void theReadOutFollowsThePicture() {
    WindowFixture fixture;
    fixture.openFake();
    MainWindow& window = *fixture.window;
    FigureCanvas& matrix = window.attention().matrix();
    QPointF at;  // on a cell
    for (double part = 0.2; part < 0.8 && !matrix.hitAt(at); part += 0.01) {
      at = QPointF(matrix.width() * 0.5, matrix.height() * part);
    }
    QMouseEvent move(QEvent::MouseMove, at, matrix.mapToGlobal(at), Qt::NoButton, Qt::NoButton,
                     Qt::NoModifier);
    QApplication::sendEvent(&matrix, &move);
    const QString before = window.readout();
    QVERIFY(!before.isEmpty());
    window.workspace().select({1, 3});
    QVERIFY(fixture.settle());
    QVERIFY(window.readout() != before);
    QCOMPARE(window.readout(), matrix.hitAt(at)->readout);
    // The keys lead, wherever the pointer was left.
    window.attention().choices().setShow(AttentionChoices::Show::arcs);
    QVERIFY(fixture.settle());
    FigureCanvas& arcs = window.attention().arcs();
    QMouseEvent over(QEvent::MouseMove, at, arcs.mapToGlobal(at), Qt::NoButton, Qt::NoButton, Qt::NoModifier);
    QApplication::sendEvent(&arcs, &over);
    window.selection().setHovered(2);
    QTest::keyClick(&matrix, Qt::Key_Right);
    QVERIFY(fixture.settle());
    QVERIFY(!window.selection().hovered());
    QCOMPARE(window.selection().lit(), window.selection().token());
    window.attention().choices().setShow(AttentionChoices::Show::both);
    QVERIFY(fixture.settle());
    QApplication::sendEvent(&matrix, &move);
    QEvent leave(QEvent::Leave);
    QApplication::sendEvent(&matrix, &leave);
    QVERIFY(window.readout().isEmpty());
    window.workspace().select({1, 0});
    QVERIFY(fixture.settle());
    QVERIFY(window.readout().isEmpty());  // nothing is under a pointer that is gone
  }

  void startsEmptyAndSaysWhatToDo() {
    WindowFixture fixture;
    QVERIFY(fixture.settle());
    QVERIFY(fixture.window->workspace().items().empty());
    QVERIFY(fixture.window->attention().matrix().accessibleDescription().contains(QStringLiteral("Ctrl+O")));
    QVERIFY(fixture.window->exporter().items().empty());
    QVERIFY(!fixture.window->rail().field().typing().isEnabled());  // nothing to run it with
  }

  void aRecordingFillsEveryView() {
    WindowFixture fixture;
    fixture.openFake();
    MainWindow& window = *fixture.window;
    QCOMPARE(window.sentences().table().rowCount(), 6);
    QVERIFY(window.attention().matrix().figure() != nullptr);
    QVERIFY(window.attention().arcs().figure() != nullptr);
    QCOMPARE(window.attention().grid().grid()->layers, 3);
    QCOMPARE(window.attention().grid().grid()->heads, 2);
    QVERIFY(window.gates().picture().figure() != nullptr);
    fixture.see("trees");
    QVERIFY(window.trees().picture().figure() != nullptr);
    QVERIFY(window.trees().list().rowCount() > 0);
    window.showView(QStringLiteral("weights"));
    QVERIFY(fixture.settle());
    QVERIFY(window.weights().picture().figure() != nullptr);
    QVERIFY(window.workspace().messages().isEmpty());
  }

  void oneSelectionMovesAllViews() {
    WindowFixture fixture;
    fixture.openFake();
    MainWindow& window = *fixture.window;
    const auto map_before = window.attention().matrix().figure();
    const auto gate_before = window.gates().picture().figure();
    window.sentences().tableView().selectRow(3);
    QVERIFY(fixture.settle());
    QCOMPARE(window.selection().sentence().index, 3);
    QVERIFY(window.attention().matrix().figure() != map_before);
    QVERIFY(window.gates().picture().figure() != gate_before);
    const auto& map = std::get<mog::analysis::HeatMap>(window.attention().matrix().figure()->body);
    QCOMPARE(map.rows.size(), std::size_t{16});  // 15 words and </s>
    // A token chosen anywhere becomes the owner of the graphs.
    window.selection().setToken(4);
    window.selection().setLayer(2);
    QVERIFY(fixture.settle());
    fixture.see("trees");
    QCOMPARE(window.trees().list().derivation(0).entry.owner, 4);
  }

  void theTokenUnderThePointerLightsEverywhere() {
    WindowFixture fixture;
    fixture.openFake();
    MainWindow& window = *fixture.window;
    window.sentences().tableView().selectRow(1);
    QVERIFY(fixture.settle());
    FigureCanvas& matrix = window.attention().matrix();
    const auto place = find_hit(matrix, [](const mog::figures::Hit& hit) {
      return hit.kind == mog::figures::Hit::Kind::cell && hit.row == 2;
    });
    QVERIFY(place.has_value());
    QTest::mouseMove(&matrix, place->toPoint());
    QCOMPARE(window.selection().hovered().value(), 2);
    QVERIFY(!window.readout().isEmpty());
    const auto& gate = window.gates().picture().highlight();
    QVERIFY(gate.row == 2 || gate.column == 2);
    // Copying takes what the read-out says.
    const QString said = window.readout();
    for (QAction* action : window.findChildren<QAction*>()) {
      if (action->shortcut() == QKeySequence(QStringLiteral("Ctrl+Shift+C"))) {
        action->trigger();
      }
    }
    QCOMPARE(QGuiApplication::clipboard()->text(), said);
    // A click pins: the pointer may go.
    click(matrix, *place);
    QTest::mouseMove(&matrix, {1, 1});
    QCOMPARE(window.selection().token().value(), 2);
    QCOMPARE(window.selection().lit().value(), 2);
  }

  void keysMoveTheSelection() {
    WindowFixture fixture;
    fixture.openFake();
    MainWindow& window = *fixture.window;
    window.activateWindow();
    window.attention().matrix().setFocus();
    QVERIFY(QTest::qWaitForWindowActive(&window));
    SelectionModel& selection = window.selection();
    const auto press = [&](int key, Qt::KeyboardModifiers modifiers = {}) {
      QTest::keyClick(&window.attention().matrix(), static_cast<Qt::Key>(key), modifiers);
    };
    press(Qt::Key_Right);
    QCOMPARE(selection.token().value(), 0);
    press(Qt::Key_Right);
    QCOMPARE(selection.token().value(), 1);
    press(Qt::Key_Left);
    QCOMPARE(selection.token().value(), 0);
    QCOMPARE(selection.layer(), 3);
    press(Qt::Key_Down);  // the highest stands on top
    QCOMPARE(selection.layer(), 2);
    press(Qt::Key_Up);
    QCOMPARE(selection.layer(), 3);
    const auto arrow = [&window](const QString& name) {
      const auto buttons = window.attention().findChildren<QToolButton*>();
      const auto at = std::find_if(buttons.begin(), buttons.end(),
                                   [&name](const QToolButton* one) { return one->accessibleName() == name; });
      return at == buttons.end() ? nullptr : *at;
    };
    QVERIFY(arrow(QStringLiteral("Layer below (Down)")) != nullptr);
    arrow(QStringLiteral("Layer below (Down)"))->click();
    QCOMPARE(selection.layer(), 2);
    QVERIFY(arrow(QStringLiteral("Layer above (Up)")) != nullptr);
    arrow(QStringLiteral("Layer above (Up)"))->click();
    QCOMPARE(selection.layer(), 3);
    press(Qt::Key_BracketRight);
    QCOMPARE(selection.head(), 1);
    press(Qt::Key_BracketLeft);
    QCOMPARE(selection.head(), 0);
    press(Qt::Key_1);
    QVERIFY(selection.part() == Part::high);
    press(Qt::Key_3);
    QVERIFY(selection.part() == Part::middle2);
    press(Qt::Key_4);  // the low part is carried, not attended to: there is no map
    QVERIFY(selection.part() == Part::middle2);
    QVERIFY(window.readout().contains(QStringLiteral("low")));
    press(Qt::Key_0);
    QVERIFY(selection.part() == Part::none);
    press(Qt::Key_P);
    QVERIFY(!selection.token());
    press(Qt::Key_PageDown);
    QCOMPARE(selection.sentence().index, 1);
    press(Qt::Key_Slash);
    QVERIFY(window.sentences().find().hasFocus());
    // While a reader types, letters and digits are text.
    QTest::keyClicks(&window.sentences().find(), QStringLiteral("w3x1 [p"));
    QCOMPARE(window.sentences().find().text(), QStringLiteral("w3x1 [p"));
    QVERIFY(selection.part() == Part::none);
    QVERIFY(fixture.settle());
  }

  void findAndLengthFilterTheTable() {
    WindowFixture fixture;
    fixture.openFake();
    MainWindow& window = *fixture.window;
    window.sentences().find().setText(QStringLiteral("w3x"));
    QTRY_COMPARE(window.sentences().filter().rowCount(), 1);
    window.sentences().find().clear();
    QTRY_COMPARE(window.sentences().filter().rowCount(), 6);
  }

  void aLengthBinLeadsToItsSentences() {
    WindowFixture fixture;
    fixture.openFake();
    MainWindow& window = *fixture.window;
    window.showView(QStringLiteral("weights"));
    QVERIFY(fixture.settle());
    FigureCanvas& plot = window.weights().picture();
    QVERIFY(plot.figure() != nullptr);
    // Lengths 3 7 | 12 15 | 22 | 31: bins of ten words.
    const auto place = find_hit(plot, [](const mog::figures::Hit& hit) { return hit.column == 1; });
    QVERIFY(place.has_value());
    click(plot, *place);
    QVERIFY(window.selection().lengthRange().has_value());
    QCOMPARE(window.selection().lengthRange()->low, 10);
    QCOMPARE(window.sentences().filter().rowCount(), 2);
    QTest::keyClick(&window, Qt::Key_Escape);
    QCOMPARE(window.sentences().filter().rowCount(), 6);
  }

  void aTypedSentenceRunsAndIsShown() {
    WindowFixture fixture;
    fixture.openFakeModel();
    MainWindow& window = *fixture.window;
    QVERIFY(window.rail().field().typing().isVisible());
    window.rail().field().typing().setText(QStringLiteral("the dog that I saw barked"));
    QTest::keyClick(&window.rail().field().typing(), Qt::Key_Return);
    QVERIFY(fixture.settle());
    QCOMPARE(window.workspace().items().size(), std::size_t{1});
    QCOMPARE(window.selection().extent().tokens, 7);
    QVERIFY(window.attention().matrix().figure() != nullptr);
    fixture.see("trees");
    QVERIFY(window.trees().list().rowCount() > 0);
    window.rail().field().typing().setText(QStringLiteral("another one"));
    window.rail().field().run();
    QVERIFY(fixture.settle());
    QCOMPARE(window.workspace().items().size(), std::size_t{1});
    QCOMPARE(window.sentences().table().rowCount(), 2);
    QCOMPARE(window.selection().sentence().index, 1);
    QCOMPARE(window.sentences().table().row(1).text, QStringLiteral("another one"));
  }

  void runningWithoutAModelSaysWhatToDo() {
    WindowFixture fixture;
    fixture.window->workspace().runSentence(QStringLiteral("hello"));
    QCOMPARE(fixture.window->workspace().messages().size(), 1);
    QVERIFY(fixture.window->messages().isVisible());
    QVERIFY(fixture.window->messages().shown().contains(QStringLiteral("model")));
  }

  void aRunCanBeCancelled() {
    static std::binary_semaphore go(0);
    auto openers = mog::test::fake_openers();
    WindowFixture fixture(openers);
    MainWindow& window = *fixture.window;
    auto model = std::make_shared<mog::test::FakeModel>();
    model->on_run([](std::int64_t) { go.acquire(); });
    mog::app::LoadedModel loaded;
    loaded.model = model;
    loaded.tokenizer = std::make_shared<mog::test::FakeTokenizer>();
    window.workspace().addModel(QStringLiteral("slow.model"), loaded);
    window.workspace().runSentence(QStringLiteral("a slow sentence"));
    QTRY_COMPARE(window.jobList().model().rowCount(), 1);
    QVERIFY(window.workspace().isRunning());
    window.jobList().cancelRow(0);
    QVERIFY(!window.workspace().isRunning());
    go.release();
    QVERIFY(fixture.settle());
    QVERIFY(window.workspace().items().empty());
    QVERIFY(window.workspace().messages().isEmpty());
    QCOMPARE(window.jobList().model().index(0, 1).data().toString(), QStringLiteral("cancelled"));
  }

  void exportsWriteFiles() {
    WindowFixture fixture;
    fixture.openFake();
    MainWindow& window = *fixture.window;
    window.showView(QStringLiteral("weights"));
    QVERIFY(fixture.settle());
    for (const char* view : {"trees", "flow", "weights"}) {
      fixture.see(view);
    }
    const auto items = window.exporter().items();
    QVERIFY(items.size() >= 6);  // matrix, arcs, grid, graph, gates, weights
    for (const auto& item : items) {
      for (const QString& end : {QStringLiteral(".svg"), QStringLiteral(".pdf"), QStringLiteral(".png")}) {
        ExportRequest request;
        request.item = item;
        request.path = fixture.folder.filePath(item.file_name + end);
        QVERIFY2(window.exporter().write(request), qPrintable(request.path));
        QVERIFY(QFile(request.path).size() > 300);
        QVERIFY(QFile(fixture.folder.filePath(item.file_name + QStringLiteral(".csv"))).size() > 20);
      }
    }
    // A folder that is not there: a message, and the window goes on.
    ExportRequest nowhere;
    nowhere.item = items.front();
    nowhere.path = fixture.folder.filePath(QStringLiteral("no/such/folder/x.svg"));
    QVERIFY(!window.exporter().write(nowhere));
    QCOMPARE(window.workspace().messages().size(), 1);
  }

  void aPlainTransformerHasNoGatesButMapsAndGraphs() {
    WindowFixture fixture;
    mog::test::CorpusOptions options;
    options.model.graph = false;
    auto recording = mog::test::make_recording(options);
    auto tokens = recording->token_counts();
    fixture.window->workspace().addRecording(QStringLiteral("plain.rec"), {}, std::move(recording), tokens);
    QVERIFY(fixture.settle());
    QVERIFY(fixture.window->gates().picture().figure() == nullptr);
    QVERIFY(fixture.window->attention().matrix().figure() != nullptr);
    fixture.see("trees");
    QVERIFY(fixture.window->trees().list().rowCount() > 0);
    QCOMPARE(fixture.window->selection().extent().parts, std::vector<Part>{Part::full});
  }

  void aSummaryRecordingSaysWhatIsMissing() {
    WindowFixture fixture;
    mog::test::CorpusOptions options;
    options.maps = false;
    auto recording = mog::test::make_recording(options);
    auto tokens = recording->token_counts();
    fixture.window->workspace().addRecording(QStringLiteral("summary.rec"), {}, std::move(recording), tokens);
    QVERIFY(fixture.settle());
    QVERIFY(fixture.window->attention().matrix().figure() == nullptr);
    QVERIFY(fixture.window->attention().matrix().accessibleDescription().contains(
        QStringLiteral("--capture attention")));
    QVERIFY(fixture.window->gates().picture().figure() != nullptr);
    QVERIFY(fixture.window->workspace().messages().isEmpty());
  }

  void workspacesAreAsTheyWereLeft() {
    QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("s.ini"));
    {
      MainWindow window(std::make_unique<QSettings>(file, QSettings::IniFormat), mog::test::fake_openers());
      window.show();
      window.showView(QStringLiteral("decomposition"));
      window.showView(QStringLiteral("sentences"));
      window.close();
    }
    MainWindow window(std::make_unique<QSettings>(file, QSettings::IniFormat), mog::test::fake_openers());
    window.show();
    QCOMPARE(window.pages().current(), QStringLiteral("read"));
    window.pages().show(QStringLiteral("attention"));
    QVERIFY(window.pages().inSight(QStringLiteral("decomposition")));
    QVERIFY(!window.pages().inSight(QStringLiteral("gates")));
  }

  void everyInputHasAnAccessibleName() {
    WindowFixture fixture;
    fixture.openFake();
    for (const QWidget* widget : fixture.window->findChildren<QWidget*>()) {
      const bool input = qobject_cast<const QLineEdit*>(widget) || qobject_cast<const QComboBox*>(widget) ||
                         qobject_cast<const QTableView*>(widget) || qobject_cast<const FigureCanvas*>(widget);
      if (input && !widget->objectName().startsWith(QStringLiteral("qt_"))) {
        QVERIFY2(!widget->accessibleName().isEmpty(), widget->metaObject()->className());
      }
    }
  }

  void closingAnItemLeavesTheOthers() {
    WindowFixture fixture;
    fixture.openFake();
    fixture.openFake();
    Workspace& workspace = fixture.window->workspace();
    QCOMPARE(workspace.items().size(), std::size_t{2});
    workspace.closeItem(workspace.items().back().id);
    QVERIFY(fixture.settle());
    QCOMPARE(fixture.window->selection().sentence().item, 1);
    workspace.closeItem(1);
    QVERIFY(fixture.settle());
    QVERIFY(!fixture.window->selection().sentence().valid());
    QVERIFY(fixture.window->attention().matrix().figure() == nullptr);
  }
};

QTEST_MAIN(WindowTest)
#include "gui_window_test.moc"
