// Information flow, decomposition and gold syntax in the window.
#include <QDoubleSpinBox>
#include <QFile>
#include <QRegularExpression>
#include <QSlider>
#include <QSplitter>
#include <QTest>
#include <QToolButton>
#include <QUndoStack>
#include <algorithm>
#include <cmath>
#include <functional>

#include "app/gui/session/gold_syntax.h"
#include "app/gui/session/language.h"
#include "app/gui/views/attention/attention_choices.h"
#include "app/gui/views/attention/attention_view.h"
#include "app/gui/views/attention/decomposition_view.h"
#include "app/gui/views/common/gold_line.h"
#include "app/gui/views/graphs/flow_view.h"
#include "app/gui/views/graphs/tree_view.h"
#include "app/gui/widgets/figure_canvas.h"
#include "app/gui/window/export_dialog.h"
#include "tests/gui/gui_fixture.h"

using mog::Part;
using mog::analysis::ArcFigure;
using mog::analysis::FlowFigure;
using mog::figures::Hit;
using mog::test::WindowFixture;
using namespace mog::gui;

namespace {

const FlowFigure& flow_of(MainWindow& window) {
  return std::get<FlowFigure>(window.flow().picture().figure()->body);
}

std::optional<QPointF> find_hit(const FigureCanvas& view, const std::function<bool(const Hit&)>& wanted) {
  for (int y = 2; y < view.height(); y += 2) {
    for (int x = 2; x < view.width(); x += 2) {
      const auto hit = view.hitAt(QPointF(x, y));
      if (hit && wanted(*hit)) {
        return QPointF(x, y);
      }
    }
  }
  return std::nullopt;
}

void click(FigureCanvas& view, const std::function<bool(const Hit&)>& wanted) {
  const auto place = find_hit(view, wanted);
  QVERIFY(place.has_value());
  QTest::mouseClick(&view, Qt::LeftButton, {}, place->toPoint());
}

void show_flow(WindowFixture& fixture) {
  fixture.window->resize(1400, 900);
  fixture.window->showView(QStringLiteral("flow"));
  QVERIFY(fixture.settle());
}

void open(WindowFixture& fixture, std::shared_ptr<const mog::RecordingSource> recording) {
  auto tokens = recording->token_counts();
  fixture.window->workspace().addRecording(QStringLiteral("r.rec"), {}, std::move(recording),
                                           std::move(tokens));
  QVERIFY(fixture.settle());
}

// A chain: each word hangs on the one before it. `skip`: that sentence has other words.
QString save_gold(const QTemporaryDir& folder, std::size_t skip = 99) {
  QByteArray text;
  const std::vector<std::int64_t> lengths = mog::test::CorpusOptions{}.lengths;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    for (std::int64_t word = 0; word < lengths[i]; ++word) {
      const QByteArray form = i == skip ? QByteArray("other")
                                        : "w" + QByteArray::number(static_cast<int>(i)) + "x" +
                                              QByteArray::number(static_cast<int>(word));
      text += QByteArray::number(static_cast<int>(word) + 1) + "\t" + form + "\t_\tX\t_\t_\t" +
              QByteArray::number(static_cast<int>(word)) + "\t" + (word == 0 ? "root" : "dep") + "\t_\t_\n";
    }
    text += "\n";
  }
  QFile file(folder.filePath(QStringLiteral("gold.conllu")));
  if (file.open(QIODevice::WriteOnly)) {
    file.write(text);
  }
  return file.fileName();
}

const ArcFigure& arcs_of(const FigureCanvas& view) {
  return std::get<ArcFigure>(view.figure()->body);
}

}  // namespace

class FlowTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void theFlowIsDrawnAndSaysWhatItsWeightsAre() {
    WindowFixture fixture;
    fixture.openFake();
    show_flow(fixture);
    MainWindow& window = *fixture.window;
    QVERIFY(window.flow().picture().figure() != nullptr);
    const FlowFigure& flow = flow_of(window);
    QCOMPARE(flow.words.size(), std::size_t{3});
    QCOMPARE(flow.rows.size(), std::size_t{4});
    QVERIFY(QString::fromStdString(flow.weight.averaged).contains(QStringLiteral("g·π·A")));
    QVERIFY(window.workspace().messages().isEmpty());
    // A plain Transformer: what is carried is assumed, and the picture says so.
    open(fixture, mog::test::make_recording({.model = {.graph = false}}));
    QVERIFY(QString::fromStdString(flow_of(window).weight.averaged).contains(QStringLiteral("assumed")));
    // Without maps it says why not.
    open(fixture, mog::test::make_recording({.maps = false}));
    QVERIFY(window.flow().picture().figure() == nullptr);
    QVERIFY(window.flow().picture().accessibleDescription().contains(QStringLiteral("--capture")));
  }

  void theSliderIsASettingWithUndo() {
    WindowFixture fixture;
    fixture.openFake();
    MainWindow& window = *fixture.window;
    window.workspace().select({1, 4});
    show_flow(fixture);
    const std::size_t automatic = flow_of(window).edges.size();
    QVERIFY(automatic > 22 * 3);
    window.flow().slider().setValue(290);
    QVERIFY(fixture.settle());
    QVERIFY(window.state().number(setting::kFlowThreshold) > 0.7);
    QVERIFY(flow_of(window).edges.size() < automatic);
    window.state().history().undo();
    QVERIFY(fixture.settle());
    QCOMPARE(window.state().number(setting::kFlowThreshold), -1.0);
    QCOMPARE(flow_of(window).edges.size(), automatic);
    window.flow().threshold().setValue(0.0);  // everything, as far as it can be drawn
    QVERIFY(fixture.settle());
    QVERIFY(flow_of(window).edges.size() > automatic);
    QVERIFY(flow_of(window).edges.size() <= 3000);
  }

  void aClickOnAStateKeepsItsAncestors() {
    WindowFixture fixture;
    fixture.openFake();
    MainWindow& window = *fixture.window;
    window.workspace().select({1, 1});
    show_flow(fixture);
    const std::size_t all = flow_of(window).edges.size();
    const auto wanted = [](const Hit& hit) {
      return hit.kind == Hit::Kind::node && hit.row == 2 && hit.word == 3;
    };
    click(window.flow().picture(), wanted);
    QVERIFY(fixture.settle());
    QCOMPARE(window.state().choice(setting::kFlowState), QStringLiteral("ancestors 4@2"));
    QCOMPARE(*flow_of(window).state, 2 * 7 + 3);
    QVERIFY(flow_of(window).edges.size() < all);
    for (const auto& edge : flow_of(window).edges) {
      QVERIFY(edge.to_row <= 2);
    }
    QCOMPARE(window.selection().layer(), 2);
    QCOMPARE(*window.selection().token(), 3);
    window.flow().setShow(FlowView::Show::descendants);
    QVERIFY(fixture.settle());
    for (const auto& edge : flow_of(window).edges) {
      QCOMPARE(edge.to_row, 3);
      QCOMPARE(edge.from_word, 3);
    }
    // The same state once more lets go.
    click(window.flow().picture(), wanted);
    QVERIFY(fixture.settle());
    QCOMPARE(flow_of(window).edges.size(), all);
    // Of a sentence that has no such word everything is shown.
    window.state().set(setting::kFlowState, QStringLiteral("ancestors 20@2"));
    QVERIFY(fixture.settle());
    QCOMPARE(flow_of(window).edges.size(), all);
    window.workspace().select({1, 4});
    QVERIFY(fixture.settle());
    QVERIFY(flow_of(window).state.has_value());
    // What is no state is as none.
    window.state().set(setting::kFlowState, QStringLiteral("ancestors nonsense"));
    QVERIFY(fixture.settle());
    QVERIFY(!flow_of(window).state.has_value());
  }

  void anEdgeLeadsToItsHeadsAndAHeadToItsMap() {
    WindowFixture fixture;
    fixture.openFake();
    MainWindow& window = *fixture.window;
    window.workspace().select({1, 1});
    show_flow(fixture);
    const FlowFigure& flow = flow_of(window);
    std::int64_t chosen = -1;
    click(window.flow().picture(), [&](const Hit& hit) {
      if (hit.kind != Hit::Kind::arc) {
        return false;
      }
      const auto& edge = flow.edges[static_cast<std::size_t>(hit.arc)];
      chosen = hit.arc;
      return !edge.carried && edge.to_row == 3 && edge.part == Part::middle1;
    });
    QVERIFY(fixture.settle());
    const auto edge = flow.edges[static_cast<std::size_t>(chosen)];
    QVERIFY(window.flow().heads().isVisible());
    // Their room is a setting: kept, and a step of undo.
    auto* beside = qobject_cast<QSplitter*>(window.flow().heads().parentWidget());
    QVERIFY(beside != nullptr);
    const int at_first = window.flow().heads().width();
    beside->setSizes({beside->width() / 2, beside->width() / 2});
    Q_EMIT beside->splitterMoved(beside->width() / 2, 1);
    const int dragged = window.flow().heads().width();
    QVERIFY(dragged > at_first + 20);
    QVERIFY(std::abs(window.state().number(QStringLiteral("flow.heads")) -
                     1000.0 * dragged / beside->width()) < 2);
    window.state().history().undo();
    QVERIFY(std::abs(window.flow().heads().width() - at_first) < 8);
    QCOMPARE(window.selection().layer(), 3);
    QVERIFY(window.selection().part() == Part::middle1);
    QCOMPARE(*window.selection().token(), edge.to_word);
    QCOMPARE(*window.selection().key(), edge.from_word);
    QVERIFY(window.flow().heads().figure() != nullptr);
    const auto heads = window.flow().exports();
    QCOMPARE(heads.size(), std::size_t{2});
    click(window.flow().heads(), [](const Hit& hit) { return hit.row == 1; });
    QVERIFY(fixture.settle());
    QCOMPARE(window.selection().head(), 2);
    fixture.see("attention");
    QVERIFY(QString::fromStdString(window.attention().matrix().figure()->title)
                .contains(QStringLiteral("head 2")));
    // A carried edge has no heads, and says so.
    fixture.see("flow");
    click(window.flow().picture(), [&](const Hit& hit) {
      return hit.kind == Hit::Kind::arc && flow_of(window).edges[static_cast<std::size_t>(hit.arc)].carried;
    });
    QVERIFY(fixture.settle());
    QVERIFY(window.flow().heads().figure() == nullptr);
  }

  void hoverGoesBothWays() {
    WindowFixture fixture;
    fixture.openFake();
    MainWindow& window = *fixture.window;
    window.workspace().select({1, 1});
    show_flow(fixture);
    const auto place = find_hit(window.flow().picture(),
                                [](const Hit& hit) { return hit.kind == Hit::Kind::node && hit.word == 5; });
    QVERIFY(place.has_value());
    QTest::mouseMove(&window.flow().picture(), place->toPoint());
    QCOMPARE(*window.selection().hovered(), 5);
    QVERIFY(window.readout().contains(QStringLiteral("w1x5")));
    QTest::mouseMove(&window.flow().picture(), {1, 1});
    QVERIFY(!window.selection().hovered());
    window.selection().setHovered(2);
    QCOMPARE(*window.flow().picture().highlight().word, 2);
    window.selection().setHovered(7);  // </s> has no column
    QVERIFY(!window.flow().picture().highlight().word);
    const int drawn = window.flow().picture().renderings();
    window.selection().setHovered(1);
    window.flow().picture().grab();
    QCOMPARE(window.flow().picture().renderings(), drawn);
  }

  void aScoreIsDecomposedWhereItWasRecorded() {
    WindowFixture fixture;
    MainWindow& window = *fixture.window;
    window.showView(QStringLiteral("decomposition"));
    open(fixture, mog::test::decomposed_recording());
    QVERIFY(window.decomposition().hint().contains(QStringLiteral("cell")));
    click(window.attention().matrix(),
          [](const Hit& hit) { return hit.kind == Hit::Kind::cell && hit.row == 1 && hit.column == 0; });
    window.selection().setHead(2);
    QVERIFY(fixture.settle());
    QCOMPARE(*window.selection().token(), 1);
    QCOMPARE(*window.selection().key(), 0);
    const auto figure = window.decomposition().picture().figure();
    QVERIFY(figure != nullptr);
    const auto& plot = std::get<mog::analysis::LinePlot>(figure->body);
    QCOMPARE(plot.x_categories.size(), std::size_t{7});  // six terms and their sum
    QCOMPARE(plot.x_categories.front(), std::string("pp"));
    // Head 2, term pp, query 2, key 1: the 26th value.
    QVERIFY(std::abs(plot.series.front().points.front().y - (26 / 10.0 - 2)) < 1e-6);
    QCOMPARE(window.decomposition().exports().size(), std::size_t{1});
    // What was not recorded says how it is.
    window.decomposition().setShow(DecompositionView::Show::weight);
    QVERIFY(fixture.settle());
    QVERIFY(
        window.decomposition().hint().contains(QStringLiteral("--quantity 'encoder.*.full.aumann_shapley'")));
    // A click on the same cell lets go of the pair.
    click(window.attention().matrix(),
          [](const Hit& hit) { return hit.kind == Hit::Kind::cell && hit.row == 1 && hit.column == 0; });
    QVERIFY(!window.selection().token());
    QVERIFY(!window.selection().key());
    fixture.openFake();
    QVERIFY(window.decomposition().hint().contains(QStringLiteral("Graph-Transformer")));
  }

  void goldArcsStandBelowTheWords() {
    WindowFixture fixture;
    fixture.window->open({fixture.saveFake()});
    QVERIFY(fixture.settle());
    MainWindow& window = *fixture.window;
    window.resize(1400, 900);
    window.workspace().select({1, 1});
    window.selection().setMap(2, Part::high, 1);
    window.attention().choices().setShow(AttentionChoices::Show::arcs);
    window.open({save_gold(fixture.folder)});
    QVERIFY(fixture.settle());
    QVERIFY(window.workspace().gold().isOpen());
    const ArcFigure& arcs = arcs_of(window.attention().arcs());
    QCOMPARE(arcs.gold.size(), std::size_t{7});
    QCOMPARE(arcs.gold[0].head, -1);
    QCOMPARE(arcs.gold[4].head, 3);
    QCOMPARE(arcs.gold[4].dependent, 4);
    GoldLine& line = window.attention().goldLine();
    QVERIFY(line.isVisible());
    // UAS is of words, either way of edges, which are fewer: the root is none.
    static const QRegularExpression shares(
        QStringLiteral("UAS \\d+ % \\(\\d of 7 words\\), either way \\d+ % \\(\\d of 6 edges\\)"));
    QVERIFY2(shares.globalMatch(line.text()).isValid() && line.text().count(shares) == 2,
             qPrintable(line.text()));
    QVERIFY(find_hit(window.attention().arcs(), [](const Hit& hit) {
              return hit.kind == Hit::Kind::arc && hit.readout.startsWith(QStringLiteral("gold:"));
            }).has_value());
    // The whole recording is a job; its scores stay for other layers and heads.
    QVERIFY(line.button().isVisible());
    line.button().click();
    QVERIFY(fixture.settle());
    QVERIFY2(line.text().contains(QStringLiteral("sentences: 6")), qPrintable(line.text()));
    QVERIFY(!line.button().isVisible());
    window.selection().setMap(3, Part::middle2, 0);
    QVERIFY(fixture.settle());
    QVERIFY2(line.text().contains(QStringLiteral("sentences: 6")), qPrintable(line.text()));
    // The joins of a graph.
    fixture.see("trees");
    window.trees().setShow(TreeView::Show::arcs);
    QVERIFY(fixture.settle());
    QCOMPARE(arcs_of(window.trees().picture()).gold.size(), std::size_t{7});
    QVERIFY(window.trees().goldLine().text().contains(QStringLiteral("join")));
    window.workspace().gold().open({});
    fixture.see("attention");
    QVERIFY(arcs_of(window.attention().arcs()).gold.empty());
    QVERIFY(!line.isVisible());
  }

  void theGoldLineIsGerman() {
    install_language(*qApp, QStringLiteral("de"));
    {
      WindowFixture fixture;
      fixture.openFake();
      MainWindow& window = *fixture.window;
      window.workspace().select({1, 1});
      window.selection().setMap(2, Part::high, 1);
      window.workspace().gold().open(save_gold(fixture.folder));
      QVERIFY(fixture.settle());
      const QString maps = window.attention().goldLine().text();
      fixture.see("trees");
      window.trees().setShow(TreeView::Show::arcs);
      QVERIFY(fixture.settle());
      QVERIFY2(maps.contains(QStringLiteral("Anfragen als Köpfe")) &&
                   maps.contains(QStringLiteral("von 7 Wörtern")),
               qPrintable(maps));
      QVERIFY2(!maps.contains(QStringLiteral(" of ")), qPrintable(maps));
      const QString joins = window.trees().goldLine().text();
      QVERIFY2(joins.contains(QStringLiteral("Verknüpfung")), qPrintable(joins));
    }
    install_language(*qApp, QStringLiteral("en"));
  }

  void aSentenceWithoutAGoldTreeSaysWhy() {
    WindowFixture fixture;
    fixture.openFake();
    MainWindow& window = *fixture.window;
    window.workspace().select({1, 1});
    window.workspace().gold().open(save_gold(fixture.folder, 1));
    QVERIFY(fixture.settle());
    QVERIFY(arcs_of(window.attention().arcs()).gold.empty());
    QVERIFY2(window.attention().goldLine().text().contains(QStringLiteral("other")),
             qPrintable(window.attention().goldLine().text()));
    QVERIFY(window.workspace().messages().isEmpty());
    // What is no treebank gives a message; the program goes on.
    QFile broken(fixture.folder.filePath(QStringLiteral("broken.conllu")));
    QVERIFY(broken.open(QIODevice::WriteOnly));
    broken.write("1\tword\n");
    broken.close();
    window.open({broken.fileName()});
    QVERIFY(fixture.settle());
    QCOMPARE(window.workspace().messages().size(), 1);
    QVERIFY(window.workspace().gold().isOpen());  // the one that was open stays
  }

  void aSessionKeepsThem() {
    WindowFixture first;
    first.window->open({first.saveFake()});
    QVERIFY(first.settle());
    MainWindow& window = *first.window;
    window.workspace().gold().open(save_gold(first.folder));
    window.state().set(setting::kFlowThreshold, ViewState::Value(0.0));
    window.state().set(setting::kFlowState, QStringLiteral("descendants 1@0"));
    window.decomposition().setShow(DecompositionView::Show::values);
    window.selection().setToken(2);
    window.selection().setKey(0);
    QVERIFY(first.settle());
    const QString path = first.folder.filePath(QStringLiteral("s.mog-session"));
    window.session().save(path);
    WindowFixture second;
    second.window->open({path});
    QVERIFY(second.settle());
    QVERIFY(second.window->workspace().gold().isOpen());
    QCOMPARE(second.window->state().number(setting::kFlowThreshold), 0.0);
    QCOMPARE(second.window->state().choice(setting::kFlowState), QStringLiteral("descendants 1@0"));
    QVERIFY(second.window->decomposition().show() == DecompositionView::Show::values);
    QCOMPARE(*second.window->selection().token(), 2);
    QCOMPARE(*second.window->selection().key(), 0);
  }
};

QTEST_MAIN(FlowTest)
#include "gui_flow_test.moc"
