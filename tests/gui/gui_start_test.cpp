// The first page: its questions have answers that were computed, and do the clicks themselves.
#include <QLabel>
#include <QLineEdit>
#include <QLocale>
#include <QPushButton>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>

#include "analysis/figure_data/attention_overview.h"
#include "analysis/figure_data/builders.h"
#include "app/gui/session/part_text.h"
#include "app/gui/session/workspace.h"
#include "app/gui/views/common/view_kind.h"
#include "app/gui/views/start/question_card.h"
#include "app/gui/views/start/start_notes.h"
#include "app/gui/views/start/start_view.h"
#include "app/gui/widgets/figure_canvas.h"
#include "app/workflow/trees/tree_search.h"
#include "tests/gui/gui_fixture.h"

using namespace mog::gui;
using mog::RecordingSource;

namespace {

struct Fixture {
  Fixture() {
    start.resize(1400, 900);
    start.show();
    settle();
  }
  void open(std::shared_ptr<const RecordingSource> recording, std::int64_t index = 0) {
    auto tokens = recording->token_counts();
    workspace.addRecording(QStringLiteral("r.rec"), {}, std::move(recording), std::move(tokens));
    workspace.select({workspace.items().back().id, index});
    settle();
  }
  void settle() {
    for (int i = 0; i < 3; ++i) {
      QTest::qWait(10);
      QTRY_VERIFY_WITH_TIMEOUT(jobs.idle() && !start.stale(), 20'000);
    }
  }

  JobRunner jobs;
  SelectionModel selection;
  Workspace workspace{jobs, selection, mog::test::fake_openers()};
  ViewState state{settings_of(view_kinds())};
  StartView start{{workspace, selection, jobs, state}};
};

// The best graph with at most eight leaves and a weight of 10⁻⁶, of the word that has the largest.
mog::analysis::Derivation largest(const RecordingSource& source, std::int64_t index) {
  mog::app::TreeSearch search(source, index);
  std::optional<mog::analysis::Derivation> best;
  const auto words = static_cast<std::int32_t>(search.grammar()->words().size());
  for (std::int32_t word = 0; word < words; ++word) {
    const auto goal = mog::analysis::Goal::of_word(search.grammar()->layers(), word);
    for (const mog::analysis::Derivation& found : search.best_by_leaves(goal, 8).derivations) {
      if (found.entry.weight >= 1e-6 &&
          (!best || found.entry.leaves > best->entry.leaves ||
           (found.entry.leaves == best->entry.leaves && found.entry.weight > best->entry.weight))) {
        best = found;
      }
    }
  }
  return best.value();
}

}  // namespace

class StartTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void says_what_the_graph_is();
  void finds_the_largest_attention();
  void counts_what_is_open();
  void pinned_word_is_asked_about();
  void runs_an_example_where_nothing_is_open();
  void a_failed_example_is_forgotten();
  void keys_choose_questions();
  void starts_from_ones_own();
  void without_maps();
  void small_windows();
  void notes_explain_the_graph();
  void the_example_is_there_at_the_first_start();
};

void StartTest::says_what_the_graph_is() {
  Fixture at;
  const auto recording = mog::test::make_recording();
  at.open(recording, 1);
  const mog::analysis::Derivation best = largest(*recording, 1);
  const QString word = QStringLiteral("w1x%1").arg(best.entry.owner);
  QCOMPARE(at.start.collected().text(), QStringLiteral("What did “%1” collect?").arg(word));
  QVERIFY(!best.root().is_leaf());
  QCOMPARE(at.start.collected().detail(),
           QStringLiteral("Graphs: its best graph has %1 leaves and reaches “w1x%2” in layer %3")
               .arg(best.entry.leaves)
               .arg(best.root().target)
               .arg(best.root().layer));
  QVERIFY(at.start.picture().figure() != nullptr);
  QVERIFY(at.start.caption().contains(word));
  QCOMPARE(at.start.exports().size(), 1U);
  QSignalSpy asked(&at.start, &StartView::viewAsked);
  at.start.collected().click();
  QCOMPARE(asked.size(), 1);
  QCOMPARE(asked[0][0].toString(), QStringLiteral("trees"));
  QCOMPARE(at.selection.token(), std::optional<std::int64_t>(best.entry.owner));
  QCOMPARE(at.selection.layer(), 3);
}

void StartTest::finds_the_largest_attention() {
  Fixture at;
  const auto recording = mog::test::make_recording();
  at.open(recording, 1);
  double most = 0;
  std::int64_t query = -1;
  std::int64_t key = -1;
  std::int64_t layer = 0;
  std::int64_t head = 0;
  mog::Part part = mog::Part::none;
  for (std::int64_t l = 1; l <= 3; ++l) {
    for (const mog::Part p : mog::analysis::parts_of_layer(recording->header(), l)) {
      for (std::int64_t h = 1; h <= 2; ++h) {
        const auto map = mog::analysis::attention_map(*recording, 1, l, p, h);
        for (std::int64_t row = 0; row < 7; ++row) {
          for (std::int64_t column = 0; column < 7; ++column) {  // </s> is the eighth
            const double weight = map.values[static_cast<std::size_t>(row * map.columns + column)];
            if (row != column && weight > most) {
              most = weight;
              query = row;
              key = column;
              layer = l;
              head = h;
              part = p;
            }
          }
        }
      }
    }
  }
  QCOMPARE(at.start.looks().text(), QStringLiteral("Where does “w1x%1” look?").arg(query));
  QVERIFY(at.start.looks().detail().contains(QStringLiteral("“w1x%1”").arg(key)));
  QVERIFY(at.start.looks().detail().contains(QString::number(most, 'f', 2)));
  QVERIFY(at.start.looks().detail().contains(part_text(part)));
  QSignalSpy asked(&at.start, &StartView::viewAsked);
  at.start.looks().click();
  QCOMPARE(asked.size(), 1);
  QCOMPARE(asked[0][0].toString(), QStringLiteral("attention"));
  QCOMPARE(at.selection.layer(), layer);
  QCOMPARE(at.selection.head(), head);
  QVERIFY(at.selection.part() == part);
  QCOMPARE(at.selection.token(), std::optional(query));
  QCOMPARE(at.selection.key(), std::optional(key));
}

void StartTest::counts_what_is_open() {
  Fixture at;
  QSignalSpy record(&at.start, &StartView::recordAsked);
  QSignalSpy asked(&at.start, &StartView::viewAsked);
  at.start.lengths().click();
  QCOMPARE(record.size(), 1);
  at.open(mog::test::make_recording());
  QVERIFY(at.start.lengths().detail().contains(QStringLiteral("6 recorded sentences")));
  at.start.lengths().click();
  QCOMPARE(asked.size(), 1);
  QCOMPARE(asked[0][0].toString(), QStringLiteral("weights"));
  QCOMPARE(record.size(), 1);
}

void StartTest::pinned_word_is_asked_about() {
  Fixture at;
  at.open(mog::test::make_recording(), 1);
  at.selection.setToken(4);
  at.settle();
  QCOMPARE(at.start.collected().text(), QStringLiteral("What did “w1x4” collect?"));
  QCOMPARE(at.start.looks().text(), QStringLiteral("Where does “w1x4” look?"));
  at.selection.setToken(7);  // </s>: no word
  at.settle();
  QVERIFY(at.start.collected().text().contains(QStringLiteral("w1x")));
}

void StartTest::runs_an_example_where_nothing_is_open() {
  Fixture at;
  QVERIFY(at.start.collected().isEnabled());
  QVERIFY(at.start.collected().detail().contains(QStringLiteral("bundled model")));
  QSignalSpy asked(&at.start, &StartView::viewAsked);
  at.start.collected().click();
  at.settle();
  QCOMPARE(at.workspace.models().size(), 1U);
  QCOMPARE(at.workspace.items().size(), 1U);
  QCOMPARE(at.workspace.items()[0].source->sentence(0).text, StartView::example().toStdString());
  QCOMPARE(asked.size(), 1);
  QCOMPARE(asked[0][0].toString(), QStringLiteral("trees"));
  QVERIFY(at.selection.token().has_value());
  at.settle();
  QCOMPARE(asked.size(), 1);  // once
}

void StartTest::a_failed_example_is_forgotten() {
  Fixture at;
  QSignalSpy asked(&at.start, &StartView::viewAsked);
  const QByteArray resources = qgetenv("MOG_RESOURCES");
  QTemporaryDir none;
  qputenv("MOG_RESOURCES", none.path().toUtf8());
  QSignalSpy said(&at.start, &StartView::said);
  at.start.collected().click();
  at.settle();
  qputenv("MOG_RESOURCES", resources);
  QCOMPARE(said.size(), 1);
  at.open(mog::test::make_recording(), 1);
  QVERIFY(at.start.collected().text().contains(QStringLiteral("w1x")));
  QCOMPARE(asked.size(), 0);
}

void StartTest::keys_choose_questions() {
  Fixture at;
  at.open(mog::test::make_recording(), 1);
  QSignalSpy asked(&at.start, &StartView::viewAsked);
  at.start.activateWindow();
  at.start.setFocus();
  QVERIFY(at.start.collected().hasFocus());
  QTest::keyClick(&at.start.collected(), Qt::Key_Return);
  at.settle();
  QTest::keyClick(&at.start.collected(), Qt::Key_2);
  at.settle();
  QTest::keyClick(&at.start.collected(), Qt::Key_3);
  QTest::keyClick(&at.start.collected(), Qt::Key_1);
  QCOMPARE(asked.size(), 4);
  QCOMPARE(asked[0][0].toString(), QStringLiteral("trees"));
  QCOMPARE(asked[1][0].toString(), QStringLiteral("attention"));
  QCOMPARE(asked[2][0].toString(), QStringLiteral("weights"));
  QCOMPARE(asked[3][0].toString(), QStringLiteral("trees"));
  at.start.line().setFocus();
  QTest::keyClicks(&at.start.line(), QStringLiteral("1 2 3"));
  QCOMPARE(asked.size(), 4);  // a sentence, no questions
  QCOMPARE(at.start.line().text(), QStringLiteral("1 2 3"));
}

void StartTest::starts_from_ones_own() {
  Fixture at;
  QSignalSpy typed(&at.start, &StartView::typed);
  QSignalSpy open(&at.start, &StartView::openAsked);
  QSignalSpy asked(&at.start, &StartView::viewAsked);
  QTest::keyClick(&at.start.line(), Qt::Key_Return);
  QCOMPARE(typed.size(), 0);
  QTest::keyClicks(&at.start.line(), QStringLiteral("one two"));
  QTest::keyClick(&at.start.line(), Qt::Key_Return);
  QCOMPARE(typed.size(), 1);
  QCOMPARE(typed[0][0].toString(), QStringLiteral("one two"));
  auto* button = at.start.findChild<QPushButton*>();
  button->setFocus();
  QTest::keyClick(button, Qt::Key_Return);  // the button's, not the first question's
  QCOMPARE(open.size(), 1);
  QCOMPARE(asked.size(), 0);
  QVERIFY(at.workspace.items().empty() && at.workspace.models().empty());
}

void StartTest::without_maps() {
  Fixture at;
  mog::test::CorpusOptions options;
  options.maps = false;
  at.open(mog::test::make_recording(options));
  QVERIFY(!at.start.collected().isEnabled());
  QVERIFY(!at.start.looks().isEnabled());
  QVERIFY(at.start.looks().detail().contains(QStringLiteral("no maps")));
  QVERIFY(at.start.lengths().isEnabled());
  QVERIFY(at.start.exports().empty());
  QVERIFY2(at.start.collected().detail().contains(QStringLiteral("no attention maps")),
           qPrintable(at.start.collected().detail()));
  // Enter asks what can be asked.
  QSignalSpy asked(&at.start, &StartView::viewAsked);
  QTest::keyClick(&at.start, Qt::Key_Return);
  QCOMPARE(asked.count(), 1);
  QCOMPARE(asked.front().front().toString(), QStringLiteral("weights"));
}

void StartTest::small_windows() {
  Fixture at;
  at.open(mog::test::make_recording(), 1);
  QVERIFY(at.start.picture().isVisible());
  at.start.resize(800, 560);
  QTest::qWait(20);
  QVERIFY(!at.start.picture().isVisible());
  for (const QuestionCard* card : {&at.start.collected(), &at.start.looks(), &at.start.lengths()}) {
    QVERIFY(card->height() >= card->heightForWidth(card->width()));
    QVERIFY(card->width() >= 280 && card->width() <= at.start.width());
  }
  // Nothing of the questions is cut, with the picture or without.
  for (const int width : {800, 999, 1000, 1199, 1399, 1400, 1700}) {
    at.start.resize(width, 700);
    QTest::qWait(20);
    for (const QWidget* part :
         {static_cast<QWidget*>(&at.start.collected()), static_cast<QWidget*>(&at.start.line())}) {
      const QWidget* port = part->parentWidget();
      while (port != nullptr && !port->inherits("QScrollArea")) {
        port = port->parentWidget();
      }
      QVERIFY(port != nullptr);
      QVERIFY2(part->mapTo(port, part->rect().bottomRight()).x() <= port->width(),
               qPrintable(QString::number(width)));
    }
    QCOMPARE(at.start.picture().isVisible(), width >= 1000);
    // The text speaks of a picture where there is one.
    const auto labels = at.start.findChildren<QLabel*>();
    QCOMPARE(std::any_of(labels.begin(), labels.end(),
                         [](const QLabel* label) {
                           return label->text().contains(QStringLiteral("The picture shows"));
                         }),
             width >= 1000);
  }
}

// Three numbers in the picture, each with a note and a question; all is of the graph that is shown.
void StartTest::notes_explain_the_graph() {
  Fixture at;
  QVERIFY(at.start.notes().isHidden());
  const auto recording = mog::test::make_recording();
  at.open(recording, 1);
  const mog::analysis::Derivation best = largest(*recording, 1);
  const StartNotes& notes = at.start.notes();
  QVERIFY(notes.isVisible());
  QCOMPARE(notes.marks().size(), 3U);
  QCOMPARE(at.start.picture().marks().size(), 3U);
  for (const mog::analysis::DerivationNode& node : best.nodes) {
    if (node.is_leaf()) {
      QVERIFY(notes.text(0).contains(QStringLiteral("w1x%1").arg(node.word)));
    }
  }
  const auto& tree = std::get<mog::analysis::TreeFigure>(at.start.picture().figure()->body);
  QCOMPARE(notes.marks()[1].index, tree.roots.front());
  const auto& root = tree.nodes[static_cast<std::size_t>(tree.roots.front())];
  QVERIFY(notes.text(1).contains(part_text(root.part)));
  QVERIFY(notes.text(1).contains(QLocale().toString(root.weight, 'g', 2).left(4)));
  const QuestionCard* const cards[] = {&at.start.collected(), &at.start.looks(), &at.start.lengths()};
  for (int i = 0; i < 3; ++i) {
    QCOMPARE(cards[i]->number(), i + 1);
  }
  at.start.resize(800, 560);  // the picture has no room
  QTest::qWait(20);
  QCOMPARE(cards[0]->number(), 0);
}

// Its graph stands beside the questions; nothing else is taken to the front.
void StartTest::the_example_is_there_at_the_first_start() {
  Fixture at;
  QSignalSpy asked(&at.start, &StartView::viewAsked);
  at.start.showAtFirst();
  at.settle();
  QVERIFY(at.workspace.items().empty());
  QTemporaryDir folder;
  at.workspace.open(mog::test::model_folder(folder.path()));
  at.settle();
  at.settle();
  QCOMPARE(at.workspace.items().size(), 1U);
  QVERIFY(at.start.picture().figure() != nullptr);
  QVERIFY(at.start.notes().isVisible());
  QCOMPARE(asked.size(), 0);
  at.workspace.closeItem(at.workspace.items().front().id);
  at.workspace.open(mog::test::model_folder(folder.path()));
  at.settle();
  QVERIFY(at.workspace.items().empty());  // once
}

QTEST_MAIN(StartTest)
#include "gui_start_test.moc"
