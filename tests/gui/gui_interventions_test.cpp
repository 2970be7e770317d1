// Changes inside the model, two sentences beside each other, the other figures.
#include <QAbstractItemModelTester>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QFile>
#include <QLineEdit>
#include <QTableView>
#include <QTest>
#include <QUndoStack>
#include <algorithm>
#include <cmath>

#include "analysis/effects/run_changes.h"
#include "app/gui/session/intervention_text.h"
#include "app/gui/views/attention/attention_view.h"
#include "app/gui/views/common/threshold_box.h"
#include "app/gui/views/compare/compare_view.h"
#include "app/gui/views/compare/interventions_view.h"
#include "app/gui/views/corpus/further_figures_view.h"
#include "app/gui/views/corpus/sentence_view.h"
#include "app/gui/views/item_models/trail_model.h"
#include "app/gui/widgets/figure_canvas.h"
#include "app/gui/window/rail.h"
#include "tests/gui/gui_fixture.h"
#include "tests/support/parsing_model.h"

using mog::Part;
using mog::test::WindowFixture;
using namespace mog::gui;

namespace {

const mog::analysis::PanelFigure& panels(MainWindow& window) {
  return std::get<mog::analysis::PanelFigure>(window.compare().picture().figure()->body);
}

const mog::analysis::HeatMap& panel(MainWindow& window, std::size_t number) {
  return std::get<mog::analysis::HeatMap>(panels(window).panels.at(number).body);
}

// A typed sentence, its tokens: the dog barked </s>.
void type_one(WindowFixture& fixture) {
  fixture.openFakeModel();
  fixture.window->workspace().runSentence(QStringLiteral("the dog barked"));
  QVERIFY(fixture.settle());
  fixture.window->showView(QStringLiteral("changes"));
  fixture.window->showView(QStringLiteral("compare"));
  QVERIFY(fixture.settle());
}

}  // namespace

class InterventionsTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  // The map of a head is made before the head is cut: what the cut changes most is shown, and said.
  void aCutHeadShowsWhatItChanges_data() {
    QTest::addColumn<int>("layer");
    QTest::newRow("first layer") << 1;
    QTest::newRow("second layer") << 2;
    QTest::newRow("last layer: no map comes after it") << 3;
  }
  void aCutHeadShowsWhatItChanges() {
    QFETCH(const int, layer);
    WindowFixture fixture;
    type_one(fixture);
    MainWindow& window = *fixture.window;
    window.selection().setMap(layer, Part::high, 2);
    window.interventions().setChoice(InterventionsView::Choice::head);
    window.interventions().run();
    QVERIFY(fixture.settle());
    // Of all maps after the cut the one with the largest change; 0: the gates.
    const WorkspaceItem& item = *window.workspace().selectedItem();
    const auto changes = mog::analysis::run_changes({*item.source, 0}, {*item.source, 1}, {.at_most = 0});
    const auto most = std::find_if(changes.largest.begin(), changes.largest.end(), [](const auto& change) {
      return change.what == mog::analysis::RunChange::What::attention;
    });
    const auto shown = most == changes.largest.end() ? 0 : most->name.layer();
    QCOMPARE(shown == 0, layer == 3);
    const auto& difference = panel(window, 2);
    QVERIFY(std::any_of(difference.values.begin(), difference.values.end(),
                        [](double value) { return std::isfinite(value) && value != 0; }));
    QCOMPARE(difference.row_title == "layer", shown == 0);
    if (shown > 0) {
      const double largest = std::abs(most->difference());
      QVERIFY(std::any_of(difference.values.begin(), difference.values.end(),
                          [largest](double value) { return std::abs(std::abs(value) - largest) < 1e-5; }));
    }
    const QString text = window.compare().what();
    QVERIFY2(text.contains(QStringLiteral("after the maps of layer %1").arg(layer)), qPrintable(text));
    QVERIFY2(
        text.contains(shown == 0 ? QStringLiteral("the gates") : QStringLiteral("in layer %1").arg(shown)),
        qPrintable(text));
    const QString file = window.compare().exports().front().file_name;
    QVERIFY2(shown == 0 || file.endsWith(QStringLiteral("-l%1").arg(shown)), qPrintable(file));
    // A map that does change is shown as it was chosen.
    if (layer < 3) {
      window.selection().setMap(layer + 1, Part::high, 1);
      QVERIFY(fixture.settle());
      QVERIFY(!window.compare().what().contains(QStringLiteral("the change comes after")));
    }
  }

  void aMaskedWordIsANewSentenceWithItsParent() {
    WindowFixture fixture;
    type_one(fixture);
    MainWindow& window = *fixture.window;
    InterventionsView& interventions = window.interventions();
    interventions.setChoice(InterventionsView::Choice::mask);
    QVERIFY(interventions.interventions().empty());
    QVERIFY(!interventions.whatIsMissing().isEmpty());  // no word is chosen
    window.selection().setToken(1);
    QCOMPARE(interventions.interventions().size(), std::size_t{1});
    interventions.run();
    QVERIFY(fixture.settle());
    const WorkspaceItem& item = *window.workspace().selectedItem();
    QCOMPARE(item.typed.size(), std::size_t{2});
    QCOMPARE(item.typed[1].parent, 0);
    QCOMPARE(std::get<mog::model::MaskToken>(item.typed[1].interventions.at(0)).token, 1);
    QCOMPARE(window.selection().sentence().index, 1);
    QCOMPARE(interventions.trail().rows().at(1).parent, 1);
    QVERIFY(interventions.trail().rows().at(1).change.contains(QStringLiteral("dog")));
    // Before, after, difference: nothing attends to the masked word any more.
    const auto& before = panel(window, 0);
    const auto& after = panel(window, 1);
    const auto& difference = panel(window, 2);
    QVERIFY(before.value(0, 1) > 0);
    QCOMPARE(after.value(0, 1), 0.0);
    QCOMPARE(difference.value(0, 1), after.value(0, 1) - before.value(0, 1));
    QCOMPARE(before.scale.high, after.scale.high);
    QCOMPARE(difference.scale.low, -difference.scale.high);
    QVERIFY(!window.compare().exports().front().command.possible());  // mog record cannot do that
  }

  void changesAddUp() {
    WindowFixture fixture;
    type_one(fixture);
    MainWindow& window = *fixture.window;
    InterventionsView& interventions = window.interventions();
    window.selection().setToken(0);
    interventions.setChoice(InterventionsView::Choice::mask);
    interventions.run();
    QVERIFY(fixture.settle());
    interventions.setChoice(InterventionsView::Choice::gate);
    interventions.value().setValue(0);
    window.selection().setLayer(2);
    interventions.run();
    QVERIFY(fixture.settle());
    const auto& typed = window.workspace().selectedItem()->typed;
    QCOMPARE(typed.size(), std::size_t{3});
    QCOMPARE(typed[2].parent, 1);
    QCOMPARE(typed[2].interventions.size(), std::size_t{2});
    const auto& gate = std::get<mog::model::SetGate>(typed[2].interventions[1]);
    QCOMPARE(gate.layer, 2);
    QCOMPARE(gate.value, 0.0);
    QVERIFY(!gate.token);  // the new sentence has no word chosen: all words
    window.state().set(setting::kCompareWhat, QStringLiteral("gate"));
    QVERIFY(fixture.settle());
    QCOMPARE(panel(window, 1).value(1, 0), 0.0);
    QVERIFY(panel(window, 0).value(1, 0) > 0);
    // The trail leads back.
    interventions.trailView().selectRow(0);
    QVERIFY(fixture.settle());
    QCOMPARE(window.selection().sentence().index, 0);
    const QString path = fixture.folder.filePath(QStringLiteral("trail.tsv"));
    interventions.writeTrail(path);
    QFile file(path);
    QVERIFY(file.open(QIODevice::ReadOnly));
    QCOMPARE(file.readAll().count('\n'), 4);
  }

  void headsPartsAndLayersAreScaled() {
    WindowFixture fixture;
    type_one(fixture);
    MainWindow& window = *fixture.window;
    InterventionsView& interventions = window.interventions();
    interventions.setChoice(InterventionsView::Choice::head);
    interventions.value().setValue(0);
    QVERIFY(!interventions.whatIsMissing().isEmpty());  // the mean is no head
    window.selection().setMap(2, Part::middle1, 2);
    const auto head = interventions.interventions();
    QCOMPARE(head.size(), std::size_t{1});
    QCOMPARE(std::get<mog::model::ScaleHead>(head[0]).head, 2);
    QVERIFY(std::get<mog::model::ScaleHead>(head[0]).part == Part::middle1);
    window.selection().setPart(Part::none);
    QCOMPARE(interventions.interventions().size(), std::size_t{3});  // all parts of the layer
    interventions.setChoice(InterventionsView::Choice::layer);
    interventions.value().setValue(0.5);
    QCOMPARE(std::get<mog::model::ScaleLayer>(interventions.interventions().at(0)).factor, 0.5);
    interventions.setChoice(InterventionsView::Choice::part);
    QCOMPARE(interventions.interventions().size(), std::size_t{1});
    interventions.run();
    QVERIFY(fixture.settle());
    QVERIFY2(window.workspace().messages().isEmpty(),
             qPrintable(window.workspace().messages().join(QLatin1Char('\n'))));
    QCOMPARE(window.workspace().selectedItem()->typed.size(), std::size_t{2});
  }

  void termsOfTheGraphAreCutByTheirNames() {
    WindowFixture fixture;
    MainWindow& window = *fixture.window;
    window.workspace().addModel(QStringLiteral("parser"), mog::test::parsing_model(/*refines=*/true));
    window.workspace().runSentence(QStringLiteral("a b c d"));
    QVERIFY(fixture.settle());
    window.showView(QStringLiteral("changes"));
    QVERIFY(fixture.settle());
    InterventionsView& interventions = window.interventions();
    interventions.setChoice(InterventionsView::Choice::graph);
    QStringList names;
    for (int item = 0; item < interventions.terms().count(); ++item) {
      names.push_back(interventions.terms().itemText(item));
    }
    const QStringList of_command_line = {QStringLiteral("graph"), QStringLiteral("content"),
                                         QStringLiteral("relation_key"), QStringLiteral("relation_query"),
                                         QStringLiteral("relation_value")};
    QCOMPARE(names, of_command_line);
    QVERIFY(interventions.terms().isVisible() && !interventions.value().isVisible());
    window.selection().setMap(2, Part::high, 0);
    QCOMPARE(interventions.interventions().size(), std::size_t{3});
    interventions.terms().setCurrentText(QStringLiteral("relation_value"));
    window.selection().setMap(2, Part::high, 1);
    interventions.run();
    QVERIFY(fixture.settle());
    QVERIFY2(window.workspace().messages().isEmpty(),
             qPrintable(window.workspace().messages().join(QLatin1Char('\n'))));
    const auto& changed = window.workspace().selectedItem()->typed.at(1);
    QCOMPARE(changed.interventions.size(), std::size_t{1});
    const auto& cut = std::get<mog::model::CutGraphTerm>(changed.interventions.front());
    QVERIFY(cut.term == mog::model::GraphTerm::relation_value);
    QCOMPARE(cut.layer, 2);
    QCOMPARE(cut.head, std::optional<std::int64_t>(1));
    QCOMPARE(interventions.trail().rows().at(1).change,
             QStringLiteral("cut relation_value of head 1 of layer 2"));
    QCOMPARE(interventions.terms().currentText(), QStringLiteral("relation_value"));
    // A model that reads no graph has none.
    window.workspace().addModel(QStringLiteral("plain"), mog::test::parsing_model());
    window.workspace().runSentence(QStringLiteral("a b c d"));
    QVERIFY(fixture.settle());
    QVERIFY(!interventions.terms().isVisible());
    QCOMPARE(interventions.terms().count(), 0);
    interventions.setChoice(InterventionsView::Choice::graph);
    QVERIFY(interventions.interventions().empty() ||
            !std::holds_alternative<mog::model::CutGraphTerm>(interventions.interventions().front()));
  }

  void aReplacedWordKeepsTheOtherChanges() {
    WindowFixture fixture;
    type_one(fixture);
    MainWindow& window = *fixture.window;
    InterventionsView& interventions = window.interventions();
    window.selection().setToken(2);  // barked
    interventions.setChoice(InterventionsView::Choice::mask);
    interventions.run();
    QVERIFY(fixture.settle());
    window.selection().setToken(1);  // dog
    interventions.setChoice(InterventionsView::Choice::replace);
    interventions.word().setText(QStringLiteral("big old cat"));
    interventions.run();
    QVERIFY(fixture.settle());
    const auto& typed = window.workspace().selectedItem()->typed.back();
    QCOMPARE(typed.text, std::string("the big old cat barked"));
    QCOMPARE(typed.interventions.size(), std::size_t{1});
    QCOMPARE(std::get<mog::model::MaskToken>(typed.interventions[0]).token, 4);
    // Words of one side only are absent in the difference.
    const auto& difference = panel(window, 2);
    QCOMPARE(difference.rows.size(), std::size_t{7});  // the dog big old cat barked </s>
    QVERIFY(std::isnan(difference.value(1, 0)));
    QVERIFY(std::isfinite(difference.value(0, 0)));
    // The masked word itself replaced: its mask goes with it.
    window.selection().setToken(4);
    interventions.word().setText(QStringLiteral("ran"));
    interventions.run();
    QVERIFY(fixture.settle());
    QVERIFY(window.workspace().selectedItem()->typed.back().interventions.empty());
    // A special token is no word.
    window.selection().setToken(5);
    QVERIFY(!interventions.whatIsMissing().isEmpty());
  }

  void aChangeIsOfTheSentenceThatIsSelectedNow() {
    WindowFixture fixture;
    fixture.openFakeModel();
    MainWindow& window = *fixture.window;  // the view is hidden: it was never refreshed
    window.workspace().runSentence(QStringLiteral("one"));
    QVERIFY(fixture.settle());
    window.selection().setToken(0);
    window.interventions().run();
    QVERIFY(fixture.settle());
    window.workspace().runSentence(QStringLiteral("a longer one follows here"));
    QVERIFY(fixture.settle());
    window.selection().setToken(4);
    QCOMPARE(window.interventions().interventions().size(), std::size_t{1});
    QCOMPARE(std::get<mog::model::MaskToken>(window.interventions().interventions().front()).token, 4);
  }

  void aRecordingSaysWhatAChangeNeeds() {
    WindowFixture fixture;
    fixture.openFake();
    fixture.window->showView(QStringLiteral("changes"));
    QVERIFY(fixture.settle());
    QVERIFY(fixture.window->interventions().interventions().empty());
    QVERIFY(fixture.window->interventions().whatIsMissing().contains(QStringLiteral("model")));
    fixture.window->interventions().run();
    QVERIFY(fixture.settle());
    QCOMPARE(fixture.window->workspace().items().size(), std::size_t{1});
  }

  void theTrailIsASoundModel() {
    TrailModel model;
    const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.setRows({{1, 0, QStringLiteral("a")}, {2, 1, QStringLiteral("mask")}});
    QCOMPARE(model.rowCount(), 2);
    QCOMPARE(model.index(1, TrailModel::kParent).data().toInt(), 1);
    QVERIFY(!model.index(0, TrailModel::kParent).data().isValid());
    model.setRows({});
    QCOMPARE(model.rowCount(), 0);
  }

  void changesStayInTheSession() {
    WindowFixture fixture;
    type_one(fixture);
    fixture.window->selection().setToken(0);
    fixture.window->interventions().setChoice(InterventionsView::Choice::mask);
    fixture.window->interventions().run();
    QVERIFY(fixture.settle());
    const QString path = fixture.folder.filePath(QStringLiteral("changed.mog-session"));
    fixture.window->session().save(path);
    WindowFixture other;
    other.window->open({path});
    QVERIFY(other.settle());
    const auto& typed = other.window->workspace().selectedItem()->typed;
    QCOMPARE(typed.size(), std::size_t{2});
    QCOMPARE(typed[1].parent, 0);
    QCOMPARE(std::get<mog::model::MaskToken>(typed[1].interventions.at(0)).token, 0);
    other.window->showView(QStringLiteral("compare"));
    QVERIFY(other.settle());
    QCOMPARE(panel(*other.window, 1).value(1, 0), 0.0);
  }

  void aHeldSentenceStandsBesideAnother() {
    WindowFixture fixture;
    fixture.openFake();
    MainWindow& window = *fixture.window;
    window.showView(QStringLiteral("compare"));
    QVERIFY(fixture.settle());
    QVERIFY(window.compare().picture().figure() == nullptr);
    window.workspace().select({1, 1});
    window.compare().hold();
    window.workspace().select({1, 2});
    QVERIFY(fixture.settle());
    QCOMPARE(panels(window).panels.size(), std::size_t{3});
    QCOMPARE(panel(window, 0).rows.size(), std::size_t{8});
    QCOMPARE(panel(window, 1).rows.size(), std::size_t{13});
    QCOMPARE(panel(window, 2).rows.size(), std::size_t{20});  // only </s> is in both
    window.selection().setToken(12);
    QCOMPARE(window.compare().picture().highlight().row.value(), 12);
    QCOMPARE(window.compare().picture().highlight().panel.value(), 1);
    window.compare().hold();  // lets go
    QVERIFY(fixture.settle());
    QVERIFY(window.compare().picture().figure() == nullptr);
  }

  void otherFiguresFollowWhatIsRecorded() {
    WindowFixture fixture;
    fixture.window->open({fixture.saveFake()});
    QVERIFY(fixture.settle());
    MainWindow& window = *fixture.window;
    window.showView(QStringLiteral("figures"));
    QVERIFY(fixture.settle());
    FurtherFiguresView& figures = window.furtherFigures();
    const QStringList kinds = figures.kinds();
    for (const char* kind : {"leaves-by-layer", "order-bands", "joins-by-part", "quantity-by-layer",
                             "quantity-map", "forest", "posterior-arcs"}) {
      QVERIFY2(kinds.contains(QString::fromLatin1(kind)), kind);
    }
    for (const QString& kind : kinds) {
      figures.setKind(kind);
      QVERIFY(fixture.settle());
      QVERIFY2(figures.picture().figure() != nullptr,
               qPrintable(kind + QStringLiteral(": ") + figures.picture().accessibleDescription()));
    }
    // The threshold of arcs is one for all pictures of them: this one too, undo and the command included.
    figures.setKind(QStringLiteral("posterior-arcs"));
    QVERIFY(fixture.settle());
    const auto arcs = [&figures] {
      return std::get<mog::analysis::ArcFigure>(figures.picture().figure()->body).arcs.size();
    };
    const std::size_t automatic = arcs();
    const auto* box = figures.findChild<ThresholdBox*>();
    QVERIFY(box->isVisible() && box->value() == box->minimum());
    window.state().set(setting::kAttentionThreshold, ViewState::Value(0.0));
    QVERIFY(fixture.settle());
    QVERIFY(arcs() > automatic);
    QCOMPARE(box->value(), 0.0);
    const auto command = figures.exports().front().command.arguments;
    const auto option = std::find(command.begin(), command.end(), "--threshold");
    QVERIFY(option != command.end() && *(option + 1) == "0");
    window.state().history().undo();
    QVERIFY(fixture.settle());
    QCOMPARE(arcs(), automatic);
    figures.setKind(QStringLiteral("quantity-map"));
    QVERIFY(fixture.settle());
    QVERIFY(!box->isVisible());
    figures.setQuantity(figures.quantities().back());
    QVERIFY(fixture.settle());
    QVERIFY(figures.picture().figure() != nullptr);
    QVERIFY(window.workspace().messages().isEmpty());
    // Typed sentences have those of one sentence.
    fixture.openFakeModel();
    window.workspace().runSentence(QStringLiteral("only typed"));
    QVERIFY(fixture.settle());
    QVERIFY(figures.kinds().contains(QStringLiteral("forest")));
    QVERIFY(!figures.kinds().contains(QStringLiteral("leaves-by-layer")));
  }
};

QTEST_MAIN(InterventionsTest)
#include "gui_interventions_test.moc"
