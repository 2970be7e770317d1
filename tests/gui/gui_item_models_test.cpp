#include <QAbstractItemModelTester>
#include <QTest>
#include <cmath>

#include "analysis/mog/grammar/from_recording.h"
#include "app/gui/session/typed_recording.h"
#include "app/gui/views/common/figure_data_tasks.h"
#include "app/gui/views/item_models/job_list_model.h"
#include "app/gui/views/item_models/k_best_model.h"
#include "app/gui/views/item_models/sentence_filter_model.h"
#include "app/gui/views/item_models/sentence_table_model.h"
#include "io/recording/errors.h"
#include "tests/gui/gui_fixture.h"

using namespace mog::gui;
using mog::test::make_recording;
using Mode = QAbstractItemModelTester::FailureReportingMode;

namespace {
std::vector<SentenceRow> rows_of(std::initializer_list<std::pair<std::int64_t, const char*>> sentences) {
  std::vector<SentenceRow> rows;
  for (const auto& [words, text] : sentences) {
    rows.push_back({static_cast<std::int64_t>(rows.size()) + 1, words, words + 1,
                    0.1 * static_cast<double>(words), QString::fromUtf8(text)});
  }
  return rows;
}
}  // namespace

class ItemModelsTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void sentenceTableGrows() {
    SentenceTableModel model;
    QAbstractItemModelTester tester(&model, Mode::QtTest);
    model.append(rows_of({{2, "two words"}, {3, "now three words"}}));
    model.append({});
    model.append(rows_of({{1, "one"}}));
    QCOMPARE(model.rowCount(), 3);
    QCOMPARE(model.index(1, SentenceTableModel::kText).data().toString(), QStringLiteral("now three words"));
    QCOMPARE(model.index(1, SentenceTableModel::kWords).data(SentenceTableModel::kSortRole).toInt(), 3);
    model.clear();
    QCOMPARE(model.rowCount(), 0);
  }

  void filterByTextAndLength() {
    SentenceTableModel model;
    model.append(rows_of({{2, "Red house"}, {5, "a red car and house"}, {12, "blue"}, {30, "RED"}}));
    SentenceFilterModel filter;
    QAbstractItemModelTester tester(&filter, Mode::QtTest);
    filter.setSourceModel(&model);
    filter.setText(QStringLiteral("house RED"));
    QCOMPARE(filter.rowCount(), 2);
    filter.setText({});
    filter.setRange(LengthRange{5, 30});
    QCOMPARE(filter.rowCount(), 2);
    filter.setRange(LengthRange{5, {}});
    QCOMPARE(filter.rowCount(), 3);
    filter.setRange({});
    QCOMPARE(filter.rowCount(), 4);
    // Numbers sort as numbers: 12 comes after 5.
    filter.sort(SentenceTableModel::kWords, Qt::DescendingOrder);
    QCOMPARE(filter.index(0, SentenceTableModel::kText).data().toString(), QStringLiteral("RED"));
    QCOMPARE(filter.index(1, SentenceTableModel::kText).data().toString(), QStringLiteral("blue"));
  }

  void filterFollowsATableThatGrowsAndEnds() {
    SentenceTableModel model;
    SentenceFilterModel filter;
    QAbstractItemModelTester tester(&filter, Mode::QtTest);
    QAbstractItemModelTester source_tester(&model, Mode::QtTest);
    filter.setSourceModel(&model);
    filter.sort(SentenceTableModel::kWords, Qt::DescendingOrder);
    filter.setText(QStringLiteral("a"));
    model.append(rows_of({{2, "a b"}, {5, "c d e f g"}}));
    QCOMPARE(filter.rowCount(), 1);
    model.append(rows_of({{9, "nine words with a"}, {1, "Ä"}, {1, "A"}}));
    QCOMPARE(filter.rowCount(), 3);
    QCOMPARE(filter.index(0, SentenceTableModel::kWords).data(SentenceTableModel::kSortRole).toInt(), 9);
    filter.setRange(LengthRange{1, 2});
    QCOMPARE(filter.rowCount(), 1);
    model.clear();
    QCOMPARE(filter.rowCount(), 0);
    filter.setText({});
    filter.setRange({});
    model.append(rows_of({{3, "one two three"}}));
    QCOMPARE(filter.rowCount(), 1);
  }

  // What a list of 100,000 sentences costs the window's thread: the filter looks at every row.
  void longTablesAreFilteredInTime() {
    SentenceTableModel model;
    SentenceFilterModel filter;
    filter.setSourceModel(&model);
    filter.sort(SentenceTableModel::kNumber, Qt::AscendingOrder);
    for (int block = 0; block < 100; ++block) {
      std::vector<SentenceRow> rows;
      for (int i = 0; i < 1000; ++i) {
        rows.push_back({block * 1000 + i + 1, 20, 21, 0.5,
                        QStringLiteral("sentence %1 of a long corpus with some more words").arg(i)});
      }
      model.append(std::move(rows));
    }
    filter.setText(QStringLiteral("corpus 77"));
    QCOMPARE(filter.rowCount(), 1900);
  }

  void rowsAreReadFromARecording() {
    const auto recording = make_recording();
    const auto rows = read_sentence_rows(*recording, 1, 3);
    QCOMPARE(rows.size(), std::size_t{3});
    QCOMPARE(rows[0].number, 2);
    QCOMPARE(rows[0].words, 7);
    QCOMPARE(rows[0].tokens, 8);
    // The mean gate: over layers and words, without </s>.
    double sum = 0;
    for (std::int64_t layer = 1; layer <= 3; ++layer) {
      const auto gate = recording
                            ->read(1, mog::QuantityName(mog::Stack::encoder, layer, mog::Part::none,
                                                        mog::Quantity::gate, mog::Reduction::mean))
                            .to_floats();
      for (std::size_t token = 0; token < 7; ++token) {
        sum += static_cast<double>(gate[token]);
      }
    }
    QVERIFY(std::abs(rows[0].gate - sum / 21) < 1e-6);
  }

  void plainModelsHaveNoGate() {
    mog::test::CorpusOptions options;
    options.model.graph = false;
    const auto rows = read_sentence_rows(*make_recording(options), 0, 2);
    QVERIFY(std::isnan(rows[0].gate));
  }

  void kBestListShowsWhatTheSearchFound() {
    const auto recording = make_recording();
    SentenceGraphs search(recording, 1);
    KBestModel model;
    QAbstractItemModelTester tester(&model, Mode::QtTest);
    auto answer = search.best(mog::analysis::Goal::of_word(3, 2), 10);
    QVERIFY(!answer.derivations.empty());
    const auto expected = answer.derivations.front();
    model.setDerivations(std::move(answer.derivations));
    QCOMPARE(model.rowCount(), 10);
    QCOMPARE(model.index(0, KBestModel::kRank).data().toInt(), 1);
    QCOMPARE(model.index(0, KBestModel::kExpression).data().toString(),
             QString::fromStdString(expected.text));
    QCOMPARE(model.index(0, KBestModel::kOrder).data().toInt(), expected.entry.order);
    QCOMPARE(expected.entry.owner, 2);
    // The best for each number of leaves: the same list in another order.
    auto by_leaves = search.best_by_leaves(mog::analysis::Goal::of_word(3, 2), 5);
    model.setDerivations(std::move(by_leaves.derivations), KBestModel::Mode::by_leaves);
    QVERIFY(model.rowCount() > 1);
    QVERIFY(!model.headerData(KBestModel::kRank, Qt::Horizontal, Qt::DisplayRole).toString().isEmpty());
    model.clear();
    QCOMPARE(model.rowCount(), 0);
  }

  void jobListFollowsTheRunner() {
    JobRunner jobs;
    JobListModel model(jobs);
    QAbstractItemModelTester tester(&model, Mode::QtTest);
    jobs.start(
        {.title = QStringLiteral("good"), .slot = {}}, this, [](const JobContext&) { return 1; }, [](int) {});
    jobs.start(
        {.title = QStringLiteral("bad"), .slot = {}}, this,
        [](const JobContext&) -> int { throw mog::StorageError("disk full"); }, [](int) {});
    jobs.start(
        {.title = QStringLiteral("quiet"), .slot = {}, .quiet = true}, this,
        [](const JobContext&) { return 1; }, [](int) {});
    QTRY_VERIFY(jobs.idle());
    QCOMPARE(model.rowCount(), 2);
    QCOMPARE(model.index(0, JobListModel::kTitle).data().toString(), QStringLiteral("bad"));
    QVERIFY(model.index(0, JobListModel::kState).data().toString().contains(QStringLiteral("disk full")));
    QVERIFY(!model.index(1, 0).data(JobListModel::kRunningRole).toBool());
    for (int i = 0; i < 80; ++i) {
      jobs.start(
          {.title = QString::number(i), .slot = {}}, this, [](const JobContext&) { return 1; }, [](int) {});
    }
    QTRY_VERIFY(jobs.idle());
    QVERIFY(model.rowCount() <= 85);
  }

  void typedSentencesGrowWithoutTouchingTheOlderList() {
    mog::test::CorpusOptions one;
    one.lengths = {4};
    mog::test::CorpusOptions two;
    two.lengths = {6};
    const auto first = std::make_shared<const TypedRecording>(make_recording(one));
    const auto both = first->with(make_recording(two));
    QCOMPARE(first->size(), 1);
    QCOMPARE(both->size(), 2);
    QCOMPARE(both->sentence(1).number, 2);
    QCOMPARE(both->word_counts(), (std::vector<std::int64_t>{4, 6}));
    const mog::QuantityName gate(mog::Stack::encoder, 2, mog::Part::none, mog::Quantity::gate,
                                 mog::Reduction::mean);
    QCOMPARE(both->read(1, gate).size(), 7);
    QCOMPARE(both->read_packed(0, 2, gate).size(), 12);
    QVERIFY_EXCEPTION_THROWN(both->sentence(2), mog::UsageError);
  }
};

QTEST_MAIN(ItemModelsTest)
#include "gui_item_models_test.moc"
