// Two recordings against each other, and the sentence that is held: in the session, under undo.
#include <QFile>
#include <QPushButton>
#include <QTest>
#include <QToolButton>
#include <QUndoStack>
#include <algorithm>
#include <cmath>

#include "app/gui/views/attention/attention_view.h"
#include "app/gui/views/attention/gate_view.h"
#include "app/gui/views/compare/compare_view.h"
#include "app/gui/views/corpus/sentence_view.h"
#include "app/gui/widgets/figure_canvas.h"
#include "tests/gui/gui_fixture.h"
#include "tests/support/halving_tokenizer.h"

using mog::test::CorpusOptions;
using mog::test::save_recording;
using mog::test::WindowFixture;
using namespace mog::gui;

namespace {

constexpr std::uint64_t kOtherModel = 2;

QString save(const WindowFixture& fixture, const char* name, std::uint64_t seed,
             const std::vector<std::int64_t>& lengths) {
  CorpusOptions options;
  options.model.seed = seed;
  options.lengths = lengths;
  return save_recording(fixture.folder.filePath(QString::fromLatin1(name)), options);
}

// Two recordings; the last sentence of the first is held, that of the second selected.
void open_two(WindowFixture& fixture, const std::vector<std::int64_t>& first,
              const std::vector<std::int64_t>& second) {
  MainWindow& window = *fixture.window;
  window.open({save(fixture, "first.rec", 1, first)});
  QVERIFY(fixture.settle());  // two that are opened at once may come in either order
  window.open({save(fixture, "second.rec", kOtherModel, second)});
  QVERIFY(fixture.settle());
  window.showView(QStringLiteral("compare"));
  window.workspace().select({1, static_cast<std::int64_t>(first.size()) - 1});
  window.compare().hold();
  window.workspace().select({2, static_cast<std::int64_t>(second.size()) - 1});
  window.state().set(setting::kCompareWhat, QStringLiteral("corpus"));
  QVERIFY(fixture.settle());
}

const mog::analysis::LinePlot* plot_of(MainWindow& window) {
  const auto figure = window.compare().picture().figure();
  return figure == nullptr ? nullptr : std::get_if<mog::analysis::LinePlot>(&figure->body);
}

QString empty_text(MainWindow& window) {
  return window.compare().picture().accessibleDescription();
}

const std::vector<std::int64_t> kLengths = {3, 7, 12, 15, 22, 31, 8, 9};

}  // namespace

class CompareTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void twoRecordingsAreComparedAsAWhole() {
    WindowFixture fixture;
    open_two(fixture, kLengths, kLengths);
    MainWindow& window = *fixture.window;
    const auto* plot = plot_of(window);
    QVERIFY2(plot != nullptr, qPrintable(empty_text(window)));
    QCOMPARE(plot->x_categories.size(), std::size_t{3});
    QCOMPARE(plot->series.size(), std::size_t{1});  // gates have no parts
    QCOMPARE(plot->series[0].points[0].sentences, std::int64_t{8});
    QVERIFY(plot->series[0].points[0].p > 0 && plot->series[0].points[0].p <= 1);
    // A click on a layer selects it.
    mog::figures::Hit hit;
    hit.kind = mog::figures::Hit::Kind::bin;
    hit.column = 1;
    Q_EMIT window.compare().picture().clicked(hit, {});
    QCOMPARE(window.selection().layer(), 2);
    const auto exports = window.compare().exports();
    QCOMPARE(exports.size(), std::size_t{1});
    QVERIFY2(exports.front().command.possible(), qPrintable(exports.front().command.why_not));
    QCOMPARE(exports.front().command.arguments.at(2), std::string("corpus-difference"));
    QCOMPARE(exports.front().command.arguments.size(), std::size_t{5});  // and both recordings
    // Another quantity, with parts; back with undo.
    window.state().set(setting::kCompareMeasure, QStringLiteral("share"));
    QVERIFY(fixture.settle());
    plot = plot_of(window);
    QVERIFY(plot != nullptr && plot->series.size() > 1);
    QCOMPARE(window.compare().exports().front().command.arguments.at(6), std::string("share"));
    window.state().history().undo();
    QVERIFY(fixture.settle());
    QCOMPARE(plot_of(window)->series.size(), std::size_t{1});
  }

  // Pieces of two tokenisers do not pair: the words do.
  void twoTokenisersAreComparedByWords() {
    WindowFixture fixture;
    MainWindow& window = *fixture.window;
    for (const bool halves : {false, true}) {
      mog::app::LoadedModel loaded = mog::test::halving_model();
      if (!halves) {
        loaded.tokenizer = std::make_shared<mog::test::FakeTokenizer>();
      }
      window.workspace().addModel(halves ? QStringLiteral("halves") : QStringLiteral("wholes"), loaded);
      window.workspace().runSentence(QStringLiteral("some words here"));
      QVERIFY(fixture.settle());
    }
    window.showView(QStringLiteral("compare"));
    window.workspace().select({1, 0});
    window.compare().hold();
    window.workspace().select({2, 0});
    window.state().set(setting::kAttentionPieces, ViewState::Value(true));
    QVERIFY(fixture.settle());
    const auto figure = window.compare().picture().figure();
    QVERIFY2(figure != nullptr, qPrintable(empty_text(window)));
    const auto& panels = std::get<mog::analysis::PanelFigure>(figure->body).panels;
    QCOMPARE(std::get<mog::analysis::HeatMap>(panels.at(1).body).rows.size(),
             std::get<mog::analysis::HeatMap>(panels.at(0).body).rows.size());
    // Gates too, and the figure says what was done with the pieces; the command does the same.
    window.state().set(setting::kCompareWhat, QStringLiteral("gate"));
    QVERIFY(fixture.settle());
    const auto gates = window.compare().picture().figure();
    QVERIFY2(gates != nullptr, qPrintable(empty_text(window)));
    const auto& of_gates = std::get<mog::analysis::PanelFigure>(gates->body).panels;
    const auto& wholes = std::get<mog::analysis::HeatMap>(of_gates.at(0).body);
    const auto& halves = std::get<mog::analysis::HeatMap>(of_gates.at(1).body);
    QVERIFY(wholes.columns.size() == halves.columns.size());
    QVERIFY(wholes.columns.at(1).text == halves.columns.at(1).text);
    QVERIFY(halves.scale.quantity.averaged.find("pieces of a word") != std::string::npos);
    const auto& difference = std::get<mog::analysis::HeatMap>(of_gates.at(2).body);
    QVERIFY(std::none_of(difference.values.begin(), difference.values.end(),
                         [](double value) { return std::isnan(value); }));
    window.state().set(setting::kCompareWhat, QStringLiteral("attention"));
    QVERIFY(fixture.settle());
    // Of one tokeniser pieces stay pieces.
    window.workspace().runSentence(QStringLiteral("other words here"));
    QVERIFY(fixture.settle());
    window.compare().hold();  // lets go
    window.compare().hold();
    window.workspace().select({2, 0});
    QVERIFY(fixture.settle());
    const auto pieces = window.compare().picture().figure();
    QVERIFY(pieces != nullptr);
    QVERIFY(
        std::get<mog::analysis::HeatMap>(std::get<mog::analysis::PanelFigure>(pieces->body).panels.at(1).body)
            .rows.size() >= 6);
  }

  // The gates follow the choice of words or pieces, by layer and by dimension.
  void gatesAreOfWordsWhereMapsAre() {
    WindowFixture fixture;
    MainWindow& window = *fixture.window;
    window.workspace().addModel(QStringLiteral("halves"), mog::test::halving_model());
    window.workspace().runSentence(QStringLiteral("some words here"));
    QVERIFY(fixture.settle());
    const auto map = [&window]() -> const mog::analysis::HeatMap& {
      return std::get<mog::analysis::HeatMap>(window.gates().picture().figure()->body);
    };
    QCOMPARE(map().columns.size(), std::size_t{4});
    QTest::keyClick(&window.attention().matrix(), Qt::Key_W);
    QVERIFY(fixture.settle());
    QCOMPARE(map().columns.size(), std::size_t{7});  // two pieces a word, </s>
    const double whole = (map().values.at(2) + map().values.at(3)) / 2;
    QTest::keyClick(&window.attention().matrix(), Qt::Key_W);
    QVERIFY(fixture.settle());
    QCOMPARE(map().columns.size(), std::size_t{4});
    QCOMPARE(map().columns.at(1).text, std::string("words"));
    QVERIFY(std::abs(map().values.at(1) - whole) < 1e-6);
    // A word of the picture is the token of its first piece, and any of its pieces lights it.
    window.selection().setToken(3);
    QCOMPARE(*window.gates().picture().highlight().column, 1);
    const auto command = window.gates().exports().front().command.arguments;
    QVERIFY(std::find(command.begin(), command.end(), "--by-word") != command.end());
    window.gates().setShow(GateView::Show::dimensions);
    QVERIFY(fixture.settle());
    QCOMPARE(map().rows.size(), std::size_t{4});
    QCOMPARE(map().columns.size(), std::size_t{8});
    QVERIFY(map().scale.quantity.averaged.find("pieces of a word") != std::string::npos);
    QTest::keyClick(&window.attention().matrix(), Qt::Key_W);
    QVERIFY(fixture.settle());
    QCOMPARE(map().rows.size(), std::size_t{7});
  }

  // Three maps below each other asked for more height than a small screen has, and nothing was drawn.
  void gatesAreDrawnInALowView() {
    WindowFixture fixture;
    open_two(fixture, kLengths, kLengths);
    MainWindow& window = *fixture.window;
    window.resize(1024, 600);
    window.state().set(setting::kCompareWhat, QStringLiteral("gate"));
    QVERIFY(fixture.settle());
    const FigureCanvas& picture = window.compare().picture();
    QVERIFY(picture.figureSize().height() > picture.height());
    double highest = 0;
    for (int y = 0; y < picture.height(); y += 3) {
      const auto hit = picture.hitAt(QPointF(picture.width() / 2.0, y));
      highest =
          hit && hit->kind == mog::figures::Hit::Kind::cell ? std::max(highest, hit->area.height()) : highest;
    }
    QVERIFY2(highest >= 9, qPrintable(QString::number(highest)));
  }

  void anotherSentenceOfTheSameTwoAsksNothingAnew() {
    WindowFixture fixture;
    open_two(fixture, kLengths, kLengths);
    MainWindow& window = *fixture.window;
    const auto figure = window.compare().picture().figure();
    QVERIFY(figure != nullptr);
    int started = 0;
    connect(&window.jobs(), &JobRunner::jobStarted, this, [&started](const JobStatus& job) {
      started += job.info.slot == QLatin1String("compare-corpora") ? 1 : 0;
    });
    window.workspace().select({2, 0});
    window.selection().setLayer(1);
    QVERIFY(fixture.settle());
    QCOMPARE(window.compare().picture().figure(), figure);
    window.state().set(setting::kCompareWhat, QStringLiteral("gate"));
    QVERIFY(fixture.settle());
    QVERIFY(plot_of(window) == nullptr);
    window.state().set(setting::kCompareWhat, QStringLiteral("corpus"));
    QVERIFY(fixture.settle());
    QCOMPARE(window.compare().picture().figure(), figure);
    QCOMPARE(started, 0);
  }

  void whatHasNoCorpusSaysSo() {
    {
      WindowFixture fixture;
      open_two(fixture, kLengths, kLengths);
      fixture.window->workspace().select({1, 0});  // of the held one's recording
      QVERIFY(fixture.settle());
      QVERIFY(fixture.window->compare().picture().figure() == nullptr);
      QVERIFY2(empty_text(*fixture.window).contains(QStringLiteral("One recording alone")),
               qPrintable(empty_text(*fixture.window)));
      QVERIFY(fixture.window->compare().exports().empty());
    }
    {
      WindowFixture fixture;
      open_two(fixture, kLengths, {3});
      QVERIFY(fixture.window->compare().picture().figure() == nullptr);
      QVERIFY2(empty_text(*fixture.window).contains(QStringLiteral("no corpus")),
               qPrintable(empty_text(*fixture.window)));
    }
    {
      WindowFixture fixture;
      open_two(fixture, {3, 4, 5}, {4, 5, 6});  // other sentences under the same numbers
      QVERIFY(fixture.window->compare().picture().figure() == nullptr);
      QVERIFY2(
          empty_text(*fixture.window).contains(QStringLiteral("of 3 and 3 sentences have the same text")),
          qPrintable(empty_text(*fixture.window)));
      QVERIFY(fixture.window->workspace().messages().isEmpty());
      // The same place says nothing, unless that is chosen; then the caption says it.
      fixture.window->state().set(setting::kComparePairs, QStringLiteral("number"));
      QVERIFY(fixture.settle());
      QVERIFY2(plot_of(*fixture.window) != nullptr, qPrintable(empty_text(*fixture.window)));
      const std::string caption = fixture.window->compare().picture().figure()->caption;
      QVERIFY2(caption.find("3 sentences paired by number, 3 with another text") != std::string::npos,
               caption.c_str());
      const auto exported = fixture.window->compare().exports();
      QVERIFY(!exported.empty());
    }
  }

  void aCountThatWasCancelledCanBeAskedAgain() {
    WindowFixture fixture;
    MainWindow& window = *fixture.window;
    const auto cancel =
        connect(&window.jobs(), &JobRunner::jobStarted, this, [&window](const JobStatus& job) {
          if (job.info.slot == QLatin1String("compare-corpora")) {
            QMetaObject::invokeMethod(
                &window.jobs(), [&window, id = job.id] { window.jobs().cancel(id); }, Qt::QueuedConnection);
          }
        });
    open_two(fixture, kLengths, kLengths);
    QVERIFY(window.compare().picture().figure() == nullptr);
    QTRY_VERIFY2_WITH_TIMEOUT(empty_text(window).contains(QStringLiteral("cancelled")),
                              qPrintable(empty_text(window)), 30'000);
    disconnect(cancel);
    const auto buttons = window.compare().findChildren<QToolButton*>();
    for (QToolButton* button : buttons) {
      if (button->text() == QLatin1String("Corpus")) {
        button->click();
      }
    }
    QVERIFY(fixture.settle());
    QVERIFY2(plot_of(window) != nullptr, qPrintable(empty_text(window)));
  }

  // Of two recordings of one corpus the reader turns the pages of both.
  void pagesOfBothAreTurned() {
    WindowFixture fixture;
    MainWindow& window = *fixture.window;
    open_two(fixture, {3, 4, 5, 6}, {3, 4, 9, 6});  // of the third each has its own
    window.state().set(setting::kCompareWhat, QStringLiteral("attention"));
    const auto titles = [&window] {
      const auto figure = window.compare().picture().figure();
      const auto* both = figure ? std::get_if<mog::analysis::PanelFigure>(&figure->body) : nullptr;
      return both == nullptr ? std::vector<std::string>()
                             : std::vector<std::string>{both->panels.at(0).title, both->panels.at(1).title};
    };
    const auto words = [&window](std::size_t panel) {
      const auto& both = std::get<mog::analysis::PanelFigure>(window.compare().picture().figure()->body);
      return std::get<mog::analysis::HeatMap>(both.panels.at(panel).body).rows.size();
    };
    const auto turn = [&](std::int64_t index) {
      window.workspace().select({2, index});
      QVERIFY(fixture.settle());
    };
    const auto shows = [&titles](const char* first, const char* second) {
      return titles().size() == 2 && titles()[0].find(first) != std::string::npos &&
             titles()[1].find(second) != std::string::npos;
    };
    window.selection().setHeld(SentenceRef{1, 3});
    turn(0);
    QVERIFY2(shows("sentence 1", "sentence 1"), qPrintable(empty_text(window)));
    QVERIFY(titles()[0] != titles()[1]);  // one model, two files
    window.sentences().step(1);
    QVERIFY(fixture.settle());
    QVERIFY2(shows("sentence 2", "sentence 2"), qPrintable(empty_text(window)));
    QCOMPARE(words(0), words(1));
    QVERIFY(window.compare().held() == (SentenceRef{1, 3}));
    turn(2);
    QVERIFY(titles().empty());
    QVERIFY2(empty_text(window).contains(QStringLiteral("No such sentence in first.rec")),
             qPrintable(empty_text(window)));
    // The held one itself.
    window.compare().picture().findChild<QPushButton*>()->click();
    QVERIFY(fixture.settle());
    QVERIFY2(shows("sentence 4", "sentence 3"), qPrintable(empty_text(window)));
  }

  // The same of sentences that were typed for two models; where the other has none of that text, the held one
  // stays, and of several of one text the one that is held.
  void pagesOfTypedSentencesAreTurned() {
    WindowFixture fixture;
    MainWindow& window = *fixture.window;
    const std::vector<QString> texts = {QStringLiteral("some words here"), QStringLiteral("two here"),
                                        QStringLiteral("only of one")};
    for (const int model : {0, 1}) {
      window.workspace().addModel(QStringLiteral("/models/m%1").arg(model),
                                  mog::test::fake_openers().model({}));
      for (std::size_t i = 0; i < (model == 0 ? texts.size() : 2); ++i) {
        window.workspace().runSentence(texts[i]);
        QVERIFY(fixture.settle());
      }
    }
    QCOMPARE(window.workspace().items().size(), std::size_t{2});
    const int first = window.workspace().items()[0].id;
    const int second = window.workspace().items()[1].id;
    window.workspace().runChanged({second, 0}, texts[0].toStdString(),
                                  {mog::model::MaskToken{.sentence = 0, .token = 1}});
    QVERIFY(fixture.settle());
    fixture.see("compare");
    window.state().set(setting::kCompareWhat, QStringLiteral("attention"));
    const auto turn = [&](std::int64_t index) {
      window.workspace().select({first, index});
      const bool settled = fixture.settle();
      const auto figure = window.compare().picture().figure();
      return settled && figure ? QString::fromStdString(
                                     std::get<mog::analysis::PanelFigure>(figure->body).panels.at(0).title)
                               : empty_text(window);
    };
    const auto is = [](const QString& title, int number) {
      return title.contains(QStringLiteral("sentence %1").arg(number));
    };
    window.selection().setHeld(SentenceRef{second, 1});
    QVERIFY2(is(turn(0), 1), qPrintable(turn(0)));
    QVERIFY2(is(turn(1), 2), qPrintable(turn(1)));
    QVERIFY2(is(turn(2), 2), qPrintable(turn(2)));  // it has none of that text
    // A recorded sentence that is held stays beside what is typed.
    window.open({fixture.saveFake()});
    QVERIFY(fixture.settle());
    const int recording = window.workspace().items().back().id;
    window.selection().setHeld(SentenceRef{recording, 1});
    QVERIFY2(is(turn(0), 2), qPrintable(turn(0)));
    window.selection().setHeld(SentenceRef{second, 2});  // a variant of the first
    QVERIFY2(is(turn(0), 3), qPrintable(turn(0)));
    QVERIFY2(is(turn(1), 2), qPrintable(turn(1)));
  }

  void holdingIsAStepOfUndo() {
    WindowFixture fixture;
    MainWindow& window = *fixture.window;
    window.open({fixture.saveFake(), fixture.saveFake(QStringLiteral("other.rec"))});
    QVERIFY(fixture.settle());
    QUndoStack& history = window.state().history();
    window.workspace().select({1, 0});
    window.compare().hold();
    const SentenceRef held{1, 0};
    QVERIFY(window.compare().held() == held);
    history.undo();
    QVERIFY(!window.compare().held());
    history.redo();
    QVERIFY(window.compare().held() == held);
    window.workspace().select({2, 1});
    window.compare().hold();  // lets go
    QVERIFY(!window.compare().held());
    history.undo();
    QVERIFY(window.compare().held() == held);
    QVERIFY(window.selection().sentence() == (SentenceRef{2, 1}));  // looking is no step
    // Its recording is closed: nothing is held, and nothing comes back by undo.
    const int steps = history.count();
    window.workspace().closeItem(1);
    QVERIFY(!window.compare().held());
    QCOMPARE(history.count(), steps);
    QVERIFY(window.workspace().messages().isEmpty());
    while (history.canUndo()) {
      history.undo();
      QVERIFY(!window.compare().held());
    }
    QVERIFY(window.workspace().messages().isEmpty());
    while (history.canRedo()) {
      history.redo();
    }
    QVERIFY(!window.workspace().messages().isEmpty());
    QVERIFY(window.workspace().messages().back().contains(QStringLiteral("recording that is closed")));
    QVERIFY(!window.compare().held());
    QVERIFY(fixture.settle());
  }

  void theHeldSentenceStaysInTheSession() {
    WindowFixture fixture;
    const QString session = fixture.folder.filePath(QStringLiteral("held.mog-session"));
    open_two(fixture, kLengths, kLengths);
    fixture.window->selection().setHeld(SentenceRef{1, 0});
    fixture.window->state().set(setting::kCompareMeasure, QStringLiteral("entropy"));
    QVERIFY(fixture.settle());
    fixture.window->session().save(session);
    {
      WindowFixture other;
      other.window->open({session});
      QVERIFY(other.settle());
      const auto held = other.window->compare().held();
      QVERIFY(held.has_value());
      QCOMPARE(held->index, std::int64_t{0});
      QCOMPARE(other.window->workspace().item(held->item)->name, QStringLiteral("first.rec"));
      QVERIFY(!other.window->state().history().canUndo());
      QCOMPARE(other.window->state().choice(setting::kCompareWhat), QStringLiteral("corpus"));
      other.window->showView(QStringLiteral("compare"));
      QVERIFY(other.settle());
      QVERIFY2(plot_of(*other.window) != nullptr, qPrintable(empty_text(*other.window)));
      // A session without anything held lets go.
      other.window->compare().hold();
      const QString none = fixture.folder.filePath(QStringLiteral("none.mog-session"));
      other.window->session().save(none);
      other.window->compare().hold();
      other.window->open({none});
      QVERIFY(other.settle());
      QVERIFY(!other.window->compare().held());
    }
  }
};

QTEST_MAIN(CompareTest)
#include "gui_compare_test.moc"
