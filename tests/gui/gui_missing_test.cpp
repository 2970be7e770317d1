// What a recording or a model lacks: it is computed, or the window says why it is not there and what to do.
#include <QComboBox>
#include <QTest>

#include "app/gui/views/decomposition_view.h"
#include "app/gui/views/weight_view.h"
#include "app/gui/widgets/figure_canvas.h"
#include "tests/gui/gui_fixture.h"

using mog::Part;
using mog::test::WindowFixture;
using namespace mog::gui;

namespace {

mog::test::FakeModelOptions plain_model() {
  mog::test::FakeModelOptions options;
  options.graph = false;
  return options;
}

void open_plain_model(WindowFixture& fixture) {
  fixture.window->workspace().addModel(QStringLiteral("/models/plain"),
                                       mog::test::fake_openers(plain_model()).model({}));
}

void add_plain_recording(WindowFixture& fixture) {
  mog::test::CorpusOptions options;
  options.model = plain_model();
  auto recording = mog::test::make_recording(options);
  auto tokens = recording->token_counts();
  fixture.window->workspace().addRecording(QStringLiteral("plain.rec"), {}, std::move(recording), tokens);
}

}  // namespace

class MissingTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void aTypedSentenceIsDecomposed() {
    WindowFixture fixture;
    MainWindow& window = *fixture.window;
    open_plain_model(fixture);
    window.workspace().runSentence(QStringLiteral("one two three"));
    window.showView(QStringLiteral("decomposition"));
    QVERIFY(fixture.settle());
    window.selection().setMap(2, Part::full, 1);
    window.selection().setToken(1);
    window.selection().setKey(0);
    for (const auto show : {DecompositionView::Show::score, DecompositionView::Show::weight,
                            DecompositionView::Show::values, DecompositionView::Show::state}) {
      window.decomposition().setShow(show);
      QVERIFY(fixture.settle());
      QVERIFY2(window.decomposition().picture().figure() != nullptr,
               qPrintable(window.decomposition().hint()));
      const auto exported = window.decomposition().exports();
      QCOMPARE(exported.size(), std::size_t{1});
      QVERIFY(!exported.front().command.possible());
      QVERIFY(exported.front().command.why_not.contains(QStringLiteral("--quantity 'encoder.")));
    }
  }

  // Of a recording too, while its model is open; else what is said can be done as it stands.
  void aRecordingIsDecomposedByItsModel() {
    WindowFixture fixture;
    MainWindow& window = *fixture.window;
    add_plain_recording(fixture);
    window.showView(QStringLiteral("decomposition"));
    window.selection().setToken(1);
    QVERIFY(fixture.settle());
    QVERIFY(window.decomposition().picture().figure() == nullptr);
    const QString hint = window.decomposition().hint();
    QVERIFY2(hint.contains(QStringLiteral("fake")) && hint.contains(QStringLiteral("--quantity 'encoder.*.")),
             qPrintable(hint));
    for (const char* placeholder : {"MODEL", "TEXT", "parts.rec"}) {
      QVERIFY2(!hint.contains(QLatin1String(placeholder)), qPrintable(hint));
    }
    open_plain_model(fixture);
    QVERIFY(fixture.settle());
    QVERIFY2(window.decomposition().picture().figure() != nullptr, qPrintable(window.decomposition().hint()));
  }

  // The share of a single part is 1 by definition: no line of ones, and no differences of 0.
  void ofOnePartThereIsNoShareToCount() {
    WindowFixture fixture;
    MainWindow& window = *fixture.window;
    window.showView(QStringLiteral("weights"));
    fixture.openFake();
    window.state().set(setting::kWeightsMeasure, ViewState::Value(std::string("share")));
    QVERIFY(fixture.settle());
    QCOMPARE(window.weights().what().count(QStringLiteral("one part")), 0);
    add_plain_recording(fixture);
    QVERIFY(fixture.settle());
    const auto* combo = window.weights().findChild<QComboBox*>();
    for (int row = 0; row < combo->count(); ++row) {
      QVERIFY(combo->itemData(row).toInt() != static_cast<int>(mog::analysis::Measure::share));
    }
    QVERIFY2(window.weights().what().startsWith(QStringLiteral("The layers of this model have one part")),
             qPrintable(window.weights().what()));
    const auto figure = window.weights().picture().figure();
    QVERIFY(figure != nullptr);
    const auto& plot = std::get<mog::analysis::LinePlot>(figure->body);
    QVERIFY(plot.series.front().points.front().y != 1);
    window.state().set(setting::kWeightsMeasure, ViewState::Value(std::string("gate")));
    QVERIFY(fixture.settle());
    QVERIFY2(window.weights().what().startsWith(QStringLiteral("This model has no gates")),
             qPrintable(window.weights().what()));
  }
};

QTEST_MAIN(MissingTest)
#include "gui_missing_test.moc"
