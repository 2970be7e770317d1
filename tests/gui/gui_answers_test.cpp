// A view shows the answer to its last question: no older one comes after it, whatever takes long, is
// cancelled, fails or is closed meanwhile.
#include <QComboBox>
#include <QTest>
#include <QUndoStack>
#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <vector>

#include "app/gui/views/attention/attention_view.h"
#include "app/gui/views/attention/gate_view.h"
#include "app/gui/views/corpus/further_figures_view.h"
#include "app/gui/views/corpus/weight_view.h"
#include "app/gui/views/graphs/flow_view.h"
#include "app/gui/views/graphs/tree_view.h"
#include "app/gui/widgets/figure_canvas.h"
#include "app/gui/widgets/layer_head_grid.h"
#include "app/gui/widgets/message_bar.h"
#include "app/gui/window/exporter.h"
#include "app/workflow/statistics/statistics_job.h"
#include "tests/gui/gui_fixture.h"

using mog::test::WindowFixture;
using namespace mog::gui;

namespace {

// Reading some sentences of it waits until they are let go.
class HeldRecording final : public mog::RecordingSource {
 public:
  static constexpr std::int64_t kAll = -1;
  static constexpr std::int64_t kNone = -2;
  explicit HeldRecording(std::shared_ptr<const RecordingSource> inner) : inner_(std::move(inner)) {}
  void hold(std::int64_t index) const {
    const std::lock_guard lock(mutex_);
    held_ = index;
    changed_.notify_all();
  }
  const mog::RecordingHeader& header() const override { return inner_->header(); }
  std::int64_t size() const override { return inner_->size(); }
  mog::Sentence sentence(std::int64_t index) const override { return inner_->sentence(index); }
  std::vector<std::int64_t> token_counts() const override { return inner_->token_counts(); }
  std::vector<std::int64_t> word_counts() const override { return inner_->word_counts(); }
  mog::HostTensor read(std::int64_t index, const mog::QuantityName& name) const override {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this, index] { return held_ != index && held_ != kAll; });
    return inner_->read(index, name);
  }

 private:
  std::shared_ptr<const RecordingSource> inner_;
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  mutable std::int64_t held_ = kNone;
};

struct HeldFixture : WindowFixture {
  HeldFixture() : recording(std::make_shared<HeldRecording>(mog::test::make_recording())) {
    auto tokens = recording->token_counts();
    window->workspace().addRecording(QStringLiteral("held.rec"), {}, recording, std::move(tokens));
    settle();
    window->workspace().select({1, 0});
    settle();
  }
  ~HeldFixture() { recording->hold(HeldRecording::kNone); }
  // The views ask about sentence 2 and nobody answers.
  void askForTheSecond() {
    recording->hold(1);
    window->workspace().select({1, 1});
    QTest::qWait(100);
  }
  bool letGo() {
    recording->hold(HeldRecording::kNone);
    return settle();
  }
  std::shared_ptr<HeldRecording> recording;
};

QString empty_text(FigureCanvas& picture) {
  return picture.accessibleDescription();
}

// As a reader does.
void choose(View& view, const QString& text) {
  for (QComboBox* box : view.findChildren<QComboBox*>()) {
    if (const int at = box->findText(text); at >= 0) {
      box->setCurrentIndex(at);
      Q_EMIT box->activated(at);
      return;
    }
  }
  QFAIL(qPrintable(text + QStringLiteral(" is no choice")));
}

}  // namespace

class AnswersTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void theFlowIsOfTheSentenceThatIsSelected() {
    HeldFixture fixture;
    MainWindow& window = *fixture.window;
    window.showView(QStringLiteral("flow"));
    QVERIFY(fixture.settle());
    const auto words = [&] {
      return std::get<mog::analysis::FlowFigure>(window.flow().picture().figure()->body).words.size();
    };
    const std::size_t of_first = words();
    fixture.askForTheSecond();
    window.workspace().select({1, 0});
    QTest::qWait(100);
    QVERIFY(fixture.letGo());
    QCOMPARE(words(), of_first);
    window.workspace().select({1, 1});
    QVERIFY(fixture.settle());
    QVERIFY(words() != of_first);
  }

  void nothingComesAfterARecordingWasClosed_data() {
    QTest::addColumn<QString>("asking");
    QTest::addColumn<QString>("in_sight");  // when it is closed
    const QString attention = QStringLiteral("attention");
    const QString trees = QStringLiteral("trees");
    QTest::newRow("attention") << attention << attention;
    QTest::newRow("trees") << trees << trees;
    QTest::newRow("attention, hidden meanwhile") << attention << trees;
    QTest::newRow("trees, hidden meanwhile") << trees << attention;
  }

  void nothingComesAfterARecordingWasClosed() {
    QFETCH(QString, asking);
    QFETCH(QString, in_sight);
    HeldFixture fixture;
    MainWindow& window = *fixture.window;
    for (const QString& view : {in_sight, asking}) {
      window.showView(view);
      QVERIFY(fixture.settle());
    }
    QVERIFY(in_sight == asking || window.trees().picture().figure() != nullptr);
    QVERIFY(in_sight == asking || window.attention().matrix().figure() != nullptr);
    fixture.askForTheSecond();
    QVERIFY(!window.jobs().idle());
    window.showView(in_sight);
    QTest::qWait(100);
    window.workspace().closeItem(1);
    QTest::qWait(100);
    QVERIFY(fixture.letGo());
    for (const QString& view : {in_sight, asking, QStringLiteral("attention"), QStringLiteral("trees")}) {
      window.showView(view);
      QVERIFY(fixture.settle());
      if (view == QLatin1String("trees")) {
        QVERIFY(window.trees().picture().figure() == nullptr);
      } else {
        // Below the attention while something is open, else hidden.
        QVERIFY(window.gates().picture().figure() == nullptr ||
                (!window.gates().isVisible() && window.gates().stale()));
        QVERIFY(window.attention().matrix().figure() == nullptr);
        QCOMPARE(window.attention().grid().grid()->layers, std::int64_t{0});
      }
    }
    QVERIFY(window.exporter().items().empty());
  }

  // What is on the screen is of the sentence before.
  void nothingIsExportedUntilTheAnswerIsThere() {
    HeldFixture fixture;
    MainWindow& window = *fixture.window;
    const auto names = [&] {
      QStringList all;
      for (const ExportItem& item : window.exporter().items()) {
        all.push_back(item.file_name);
      }
      return all;
    };
    const auto all_of = [&](const char* sentence) {
      for (const char* kind : {"attention-", "arcs-", "grid-", "gate-", "tree-"}) {
        QVERIFY2(!names().filter(QLatin1String(kind)).filter(QLatin1String(sentence)).isEmpty(), kind);
      }
    };
    fixture.see("trees");
    fixture.see("attention");
    all_of("s1");
    fixture.askForTheSecond();
    // In sight or not: what was drawn of the first is none of the second.
    QVERIFY2(names().isEmpty(), qPrintable(names().join(QLatin1Char(' '))));
    window.showView(QStringLiteral("trees"));
    QTest::qWait(100);
    QVERIFY2(names().isEmpty(), qPrintable(names().join(QLatin1Char(' '))));
    QVERIFY(fixture.letGo());
    fixture.see("attention");
    all_of("s2");
  }

  void aQuantityThatIsKnownStaysWhileAnotherIsCounted() {
    HeldFixture fixture;
    MainWindow& window = *fixture.window;
    window.showView(QStringLiteral("weights"));
    QVERIFY(fixture.settle());
    const auto measures = mog::app::measures_of(fixture.recording->header());
    QVERIFY(measures.size() > 1);
    const auto file_name = [&] {
      const auto items = window.weights().exports();
      return items.empty() ? QString() : items.front().file_name;
    };
    const QString first = file_name();
    QVERIFY(!first.isEmpty());
    const QString of_first = measure_text(measures.front());
    const QString of_second = measure_text(measures[1]);
    fixture.recording->hold(HeldRecording::kAll);
    choose(window.weights(), of_second);
    QTest::qWait(100);
    QVERIFY(file_name().isEmpty());
    choose(window.weights(), of_first);
    QTest::qWait(100);
    QCOMPARE(file_name(), first);
    choose(window.weights(), of_second);
    QTest::qWait(100);
    QVERIFY(file_name().isEmpty());  // it counts still
    choose(window.weights(), of_first);
    QVERIFY(fixture.letGo());
    QCOMPARE(file_name(), first);
    choose(window.weights(), of_second);
    QVERIFY(fixture.settle());
    QVERIFY(file_name() != first && !file_name().isEmpty());
  }

  void aCountThatWasCancelledIsSaidAndCanBeAskedAgain() {
    HeldFixture fixture;
    MainWindow& window = *fixture.window;
    window.showView(QStringLiteral("weights"));
    QVERIFY(fixture.settle());
    const auto measures = mog::app::measures_of(fixture.recording->header());
    const QString second = measure_text(measures[1]);
    int counting = 0;
    connect(&window.jobs(), &JobRunner::jobStarted, this, [&counting](const JobStatus& job) {
      counting = job.info.slot == QLatin1String("weights") ? job.id : counting;
    });
    fixture.recording->hold(HeldRecording::kAll);
    choose(window.weights(), second);
    QTest::qWait(100);
    QVERIFY(counting > 0);
    window.jobs().cancel(counting);
    QVERIFY2(empty_text(window.weights().picture()).contains(QStringLiteral("cancelled")),
             qPrintable(empty_text(window.weights().picture())));
    QVERIFY(fixture.letGo());
    // Another sentence does not begin it again, choosing it does.
    const int before = counting;
    window.workspace().select({1, 2});
    QVERIFY(fixture.settle());
    QCOMPARE(counting, before);
    QVERIFY(window.weights().picture().figure() == nullptr);
    choose(window.weights(), second);
    QVERIFY(fixture.settle());
    QVERIFY(counting > before);
    QVERIFY(window.weights().picture().figure() != nullptr);
  }

  void aFigureOfTheRecordingIsCountedOnceForAllSentences() {
    WindowFixture fixture;
    MainWindow& window = *fixture.window;
    window.open({fixture.saveFake()});
    QVERIFY(fixture.settle());
    window.showView(QStringLiteral("figures"));
    QVERIFY(fixture.settle());
    auto& figures = *window.findChild<FurtherFiguresView*>();
    int counts = 0;
    connect(&window.jobs(), &JobRunner::jobStarted, this, [&](const JobStatus& job) {
      if (job.info.background && job.info.slot.startsWith(QLatin1String("figures"))) {
        ++counts;
        window.workspace().select({1, window.selection().sentence().index + 1});
      }
    });
    figures.setKind(QStringLiteral("joins-by-part"));
    QVERIFY(fixture.settle());
    QCOMPARE(counts, 1);
    QVERIFY(figures.picture().figure() != nullptr);
    const auto items = figures.exports();
    QVERIFY(!items.empty());
  }

  void aDoubleClickOnAHeadThatStandsAloneBringsAllBack() {
    WindowFixture fixture;
    fixture.openFake();
    MainWindow& window = *fixture.window;
    LayerHeadGrid& grid = window.attention().grid();
    const auto twice = [&grid] {
      QTest::mouseDClick(&grid, Qt::LeftButton, {}, grid.label(2).center().toPoint());
    };
    twice();
    QCOMPARE(window.state().list(setting::kHeadsOff), std::vector<std::int64_t>{1});
    window.selection().setToken(1);
    twice();
    QVERIFY(window.state().list(setting::kHeadsOff).empty());
    QCOMPARE(window.selection().token().value_or(-1), std::int64_t{1});  // no other step was undone
    QVERIFY(fixture.settle());
  }

  void whatIsSaidAgainStandsThereOnce() {
    MessageBar bar;
    bar.add(QStringLiteral("a"));
    bar.add(QStringLiteral("a"));
    QCOMPARE(bar.all(), QStringList{QStringLiteral("a")});
    bar.add(QStringLiteral("b"));
    bar.add(QStringLiteral("a"));
    QCOMPARE(bar.all().size(), 3);
  }
};

QTEST_MAIN(AnswersTest)
#include "gui_answers_test.moc"
