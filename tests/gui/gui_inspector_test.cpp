// The inspector: what is selected in words and numbers, and what would be if it were changed.
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "analysis/figure_data/builders.h"
#include "app/gui/views/inspector/inspector_page.h"
#include "app/gui/views/inspector/inspector_text.h"
#include "app/gui/views/inspector/inspector_view.h"
#include "tests/gui/gui_fixture.h"
#include "tests/support/halving_tokenizer.h"
#include "tests/support/translating_model.h"

using mog::Part;
using mog::test::WindowFixture;
using namespace mog::gui;
using Try = TryIt::Choice;
using Page = InspectorPage;

namespace {

InspectorView& inspector(MainWindow& window) {
  auto* view = window.findChild<InspectorView*>();
  Q_ASSERT(view != nullptr);
  return *view;
}

// A typed sentence of the fake model, its tokens: the old dog barked </s>.
InspectorView& type_one(WindowFixture& fixture) {
  fixture.openFakeModel();
  fixture.window->workspace().runSentence(QStringLiteral("the old dog barked"));
  fixture.window->showView(QStringLiteral("inspector"));
  if (!fixture.settle()) {
    qFatal("the window does not come to rest");
  }
  return inspector(*fixture.window);
}

std::shared_ptr<const mog::app::JoinFacts> a_join() {
  auto join = std::make_shared<mog::app::JoinFacts>();
  join->layer = 3;
  join->part = Part::middle2;
  join->query = 2;
  join->key = 0;
  join->left_words = {1, 2};
  join->left_layer = 1;
  join->right_words = {0, 3};
  join->right_layer = 2;
  join->order = 4;
  join->weight = 0.016;
  join->attention = 0.047;
  join->share = 1.0 / 3;
  join->gate = 0.52;
  join->heads = {0.01, 0.113};
  return join;
}

double sum(const std::vector<ValueRow>& rows) {
  return std::accumulate(rows.begin(), rows.end(), 0.0,
                         [](double all, const ValueRow& row) { return all + row.value; });
}

}  // namespace

class InspectorTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void withoutASelectionTheSentenceIsDescribed() {
    WindowFixture fixture;
    InspectorView& view = type_one(fixture);
    QCOMPARE(view.subject(), Subject::sentence);
    QVERIFY(view.page().factsText().contains(QStringLiteral("fake")));
    QVERIFY(view.page().factsText().contains(QStringLiteral("3 layers, 2 heads")));
    QVERIFY(view.page().sentence().contains(QStringLiteral("Click a word")));
    QVERIFY(!view.page().tryIt().button(Try::mask).isEnabled());
  }

  void aWordHasItsGatesKeysAndGraph() {
    WindowFixture fixture;
    InspectorView& view = type_one(fixture);
    MainWindow& window = *fixture.window;
    window.selection().setMap(3, Part::high, 1);
    window.selection().setToken(2);
    QVERIFY(fixture.settle());
    QCOMPARE(view.subject(), Subject::word);
    Page& page = view.page();
    QVERIFY2(page.title().startsWith(QStringLiteral("dog")), qPrintable(page.title()));
    const auto source = window.workspace().selectedItem()->source;
    const auto figure = mog::analysis::gate_figure(*source, 0);
    const auto& gates = std::get<mog::analysis::HeatMap>(figure.body);
    QCOMPARE(page.gateLine().gates().size(), std::size_t{3});
    for (std::int64_t row = 0; row < static_cast<std::int64_t>(gates.rows.size()); ++row) {
      const auto layer = static_cast<std::size_t>(std::stoi(gates.rows[static_cast<std::size_t>(row)].text));
      QCOMPARE(page.gateLine().gates()[layer - 1], gates.value(row, 2));
    }
    // The row of the map, special tokens by themselves.
    const auto& keys = page.rows(Page::keys).rows();
    QCOMPARE(keys.size(), std::size_t{5});
    QVERIFY(std::abs(sum(keys) - 1) < 1e-5);
    QVERIFY(keys.back().quiet);
    QVERIFY(std::is_sorted(keys.begin(), keys.end() - 1, [](const ValueRow& left, const ValueRow& right) {
      return left.value > right.value;
    }));
    QVERIFY2(page.sentence().startsWith(QStringLiteral("Layer 3 of dog is mostly ")),
             qPrintable(page.sentence()));
    QVERIFY(!page.rows(Page::joins).rows().empty());
    Q_EMIT page.gateLine().chosen(2);
    QCOMPARE(window.selection().layer(), 2);
    // A join of the graph leads to its cell.
    QVERIFY(fixture.settle());
    if (!page.rows(Page::joins).rows().empty()) {
      Q_EMIT page.rows(Page::joins).chosen(0);
      QVERIFY(fixture.settle());
      QCOMPARE(view.subject(), Subject::cell);
    }
  }

  void aCellSaysWhatIsReadAndWhereItStands() {
    WindowFixture fixture;
    InspectorView& view = type_one(fixture);
    MainWindow& window = *fixture.window;
    window.selection().setMap(3, Part::middle2, 2);
    window.selection().setToken(2);
    window.selection().setKey(0);
    QVERIFY(fixture.settle());
    QCOMPARE(view.subject(), Subject::cell);
    Page& page = view.page();
    const auto source = window.workspace().selectedItem()->source;
    const auto map = mog::analysis::attention_map(*source, 0, 3, Part::middle2, 2);
    const double weight = map.values[static_cast<std::size_t>(2 * map.columns)];
    std::int64_t rank = 1;
    for (std::int64_t row = 0; row < 4; ++row) {
      for (std::int64_t key = 0; key < 4; ++key) {
        rank += map.values[static_cast<std::size_t>(row * map.columns + key)] > weight ? 1 : 0;
      }
    }
    QCOMPARE(page.sentence(),
             cell_sentence(QStringLiteral("dog"), QStringLiteral("the"), 2, weight, rank, 16).plain);
    QVERIFY(page.badges().contains(QStringLiteral("1 exact")));
    const auto& heads = page.rows(Page::heads).rows();
    QCOMPARE(heads.size(), std::size_t{2});
    QVERIFY(std::abs(heads[1].value - weight) < 1e-9);
    QVERIFY(heads[1].strong);
    QCOMPARE(page.rows(Page::parts).rows().size(), std::size_t{3});
    QVERIFY2(page.note(Page::terms).contains(QStringLiteral("plain Transformers")),
             qPrintable(page.note(Page::terms)));
    Q_EMIT page.rows(Page::heads).chosen(0);
    QCOMPARE(window.selection().head(), 1);
    Q_EMIT page.rows(Page::parts).chosen(0);
    QCOMPARE(window.selection().part(), Part::high);
    QVERIFY(fixture.settle());
  }

  // The model is open: the score is taken apart on demand.
  void aScoreOfAPlainTransformerHasItsTerms() {
    WindowFixture fixture;
    mog::test::FakeModelOptions plain;
    plain.graph = false;
    MainWindow& window = *fixture.window;
    window.workspace().addModel(QStringLiteral("/models/plain"), mog::test::fake_openers(plain).model({}));
    window.workspace().runSentence(QStringLiteral("one two three"));
    window.showView(QStringLiteral("inspector"));
    QVERIFY(fixture.settle());
    window.selection().setMap(2, Part::full, 1);
    window.selection().setToken(1);
    window.selection().setKey(0);
    QVERIFY(fixture.settle());
    Page& page = inspector(window).page();
    QVERIFY2(page.note(Page::terms).isEmpty(), qPrintable(page.note(Page::terms)));
    const std::vector<ValueRow>& terms = page.rows(Page::terms).rows();
    QVERIFY(terms.size() >= 4);
    double score = 0;
    for (const ValueRow& term : terms) {
      const double value = QString(term.text).replace(QChar(0x2212), QLatin1Char('-')).toDouble();
      QVERIFY(std::abs(std::abs(value) - term.value) <= 0.05 * term.value);
      score += &term == &terms.back() ? 0 : value;
    }
    QCOMPARE(terms.back().label, QStringLiteral("sum"));
    const double sum = QString(terms.back().text).replace(QChar(0x2212), QLatin1Char('-')).toDouble();
    QVERIFY2(std::abs(score - sum) < 0.05, qPrintable(terms.back().text));
    QVERIFY(!page.sentence().contains(QStringLiteral("mog ")));
  }

  void aJoinShowsItsWeightAndHeads() {
    WindowFixture fixture;
    InspectorView& view = type_one(fixture);
    MainWindow& window = *fixture.window;
    window.selection().setToken(2);
    window.selection().setJoin(a_join());
    QVERIFY(fixture.settle());
    QCOMPARE(view.subject(), Subject::join);
    Page& page = view.page();
    QCOMPARE(page.place(), QStringLiteral("Join, layer 3, middle 2"));
    QCOMPARE(page.title(), QStringLiteral("dog takes in the"));
    QCOMPARE(page.sentence(), QStringLiteral("dog, which holds old since layer 1, reads the, which has just "
                                             "joined barked."));
    for (const char* badge : {"older with new", "4 words", "kind 1"}) {
      QVERIFY2(page.badges().contains(QString::fromLatin1(badge)), badge);
    }
    QVERIFY2(page.factsText().contains(QStringLiteral("makes: old dog the barked")),
             qPrintable(page.factsText()));
    QCOMPARE(page.rows(Page::heads).rows().size(), std::size_t{2});
    QVERIFY(page.section(Page::kind).title().contains(QStringLiteral("Kind 1")));
    QCOMPARE(page.tryIt().button(Try::mask).text(), QStringLiteral("Mask “the”"));
    QCOMPARE(page.tryIt().button(Try::head).text(), QStringLiteral("Cut head 2"));  // the strongest
    // A head of it opens its map; the join stays.
    Q_EMIT page.rows(Page::heads).chosen(0);
    QVERIFY(fixture.settle());
    QCOMPARE(window.selection().part(), Part::middle2);
    QCOMPARE(window.selection().layer(), 3);
    QCOMPARE(window.selection().head(), 1);
    QCOMPARE(view.subject(), Subject::join);
    // A cell that is chosen later is shown, the word where neither is.
    window.selection().setKey(3);
    QVERIFY(fixture.settle());
    QCOMPARE(view.subject(), Subject::cell);
    window.selection().setToken(1);
    QVERIFY(fixture.settle());
    QCOMPARE(view.subject(), Subject::word);
  }

  void aMaskIsTriedWithoutARow() {
    WindowFixture fixture;
    InspectorView& view = type_one(fixture);
    MainWindow& window = *fixture.window;
    window.selection().setToken(2);
    QVERIFY(fixture.settle());
    TryIt& tries = view.tryIt();
    tries.button(Try::mask).click();
    QVERIFY(fixture.settle());
    QVERIFY(tries.tried().has_value());
    QCOMPARE(window.workspace().selectedItem()->typed.size(), std::size_t{1});  // no row
    const auto& rows = tries.changes().rows();
    QVERIFY(!rows.empty());
    // What the masked word gets was set itself: it is no effect.
    for (const ValueRow& row : rows) {
      QVERIFY2(!row.label.endsWith(QStringLiteral(" dog")), qPrintable(row.label));
      QVERIFY(row.value != 0);
      QVERIFY(!row.before.isEmpty() && !row.after.isEmpty());
    }
    // A change leads to its place, and the list stays.
    const std::size_t listed = rows.size();
    Q_EMIT tries.changes().chosen(0);
    QVERIFY(fixture.settle());
    QCOMPARE(view.tryIt().changes().rows().size(), listed);
    QVERIFY(window.selection().layer() >= 1);
    // Kept, it is a sentence with its parent, and what differs comes first.
    tries.keepButton().click();
    QVERIFY(fixture.settle());
    const WorkspaceItem& item = *window.workspace().selectedItem();
    QCOMPARE(item.typed.size(), std::size_t{2});
    QCOMPARE(item.typed[1].parent, 0);
    QCOMPARE(std::get<mog::model::MaskToken>(item.typed[1].interventions.at(0)).token, 2);
    QCOMPARE(window.selection().sentence().index, 1);
    QVERIFY(!tries.tried().has_value());
    QCOMPARE(view.page().place(), QStringLiteral("Variant of sentence 1"));
    QVERIFY(!view.page().rows(Page::changes).rows().empty());
    QVERIFY(view.page().badges().contains(QStringLiteral("3 causal")));
  }

  // A cell of words has the number that the map of words shows, and is one of its cells; pieces have theirs.
  void aCellOfWordsIsThatOfTheMap() {
    WindowFixture fixture;
    MainWindow& window = *fixture.window;
    window.workspace().addModel(QStringLiteral("halves"), mog::test::halving_model());
    window.workspace().runSentence(QStringLiteral("some words here"));
    QVERIFY(fixture.settle());
    window.showView(QStringLiteral("inspector"));
    window.selection().setMap(1, Part::high, 1);
    window.selection().setToken(2);  // the first piece of "words"
    window.selection().setKey(1);    // the second of "some"
    QVERIFY(fixture.settle());
    Page& page = inspector(window).page();
    const auto source = window.workspace().selectedItem()->source;
    for (const bool pieces : {false, true}) {
      window.state().set(setting::kAttentionPieces, ViewState::Value(pieces));
      QVERIFY(fixture.settle());
      const auto figure = mog::analysis::attention_figure(*source, 0, 1, Part::high, 1, {.by_word = !pieces});
      const auto& map = std::get<mog::analysis::HeatMap>(figure.body);
      const double value = pieces ? map.value(2, 1) : map.value(1, 0);
      const std::size_t shown = static_cast<std::size_t>(
          std::count_if(map.rows.begin(), map.rows.end(), [](const auto& label) { return !label.special; }));
      QCOMPARE(shown, pieces ? std::size_t{6} : std::size_t{3});
      QVERIFY2(page.sentence().contains(QStringLiteral("of %1 cells").arg(shown * shown)),
               qPrintable(page.sentence()));
      QVERIFY(std::abs(page.rows(Page::heads).rows().at(0).value - value) < 1e-9);
      QCOMPARE(page.title(), pieces ? QStringLiteral("w reads ome") : QStringLiteral("words reads some"));
      QVERIFY(!page.rows(Page::keys).rows().empty());
    }
  }

  // Two models differ without an intervention: no effect, and nothing above what was clicked.
  void differencesOfModelsAreNoEffects() {
    WindowFixture fixture;
    MainWindow& window = *fixture.window;
    for (const char* const name : {"/models/one", "/models/two"}) {
      mog::test::FakeModelOptions options;
      options.seed = name[8] == 'o' ? 1 : 2;
      window.workspace().addModel(QString::fromLatin1(name), mog::test::fake_openers(options).model({}));
      window.workspace().runSentence(QStringLiteral("some words here"));
      QVERIFY(fixture.settle());
    }
    window.showView(QStringLiteral("inspector"));
    window.selection().setHeld(SentenceRef{window.workspace().items()[0].id, 0});
    window.selection().setToken(std::nullopt);
    QVERIFY(fixture.settle());
    Page& page = inspector(window).page();
    Section& changes = page.section(Page::changes);
    QVERIFY(!changes.isHidden());
    QVERIFY2(changes.title().contains(QStringLiteral("Largest differences from fake (one)")),
             qPrintable(changes.title()));
    QVERIFY(!page.rows(Page::changes).rows().empty());
    QVERIFY2(page.rows(Page::changes).rows().front().spoken.contains(QStringLiteral("held")),
             qPrintable(page.rows(Page::changes).rows().front().spoken));
    window.selection().setToken(1);
    window.selection().setKey(0);
    QVERIFY(fixture.settle());
    QVERIFY(changes.isHidden());
  }

  // Of a model with a decoder the tokens that it puts out are among the changes.
  void outputTokensAreAmongTheChanges() {
    WindowFixture fixture;
    MainWindow& window = *fixture.window;
    window.workspace().addModel(QStringLiteral("translator"), mog::test::translating_model());
    window.workspace().runSentence(QStringLiteral("the dog barked"));
    QVERIFY(fixture.settle());
    window.showView(QStringLiteral("inspector"));
    window.selection().setToken(1);
    QVERIFY(fixture.settle());
    TryIt& tries = inspector(window).tryIt();
    tries.button(Try::mask).click();
    QVERIFY(fixture.settle());
    if (!tries.allButton().isHidden()) {
      tries.allButton().click();
    }
    const auto& rows = tries.changes().rows();
    const auto at = std::find_if(rows.begin(), rows.end(), [](const ValueRow& row) {
      return row.label.contains(QStringLiteral("Hund"));
    });
    QVERIFY(at != rows.end());
    using mog::test::TranslatingModel;
    QVERIFY(std::abs(at->value - TranslatingModel::probability(1) + TranslatingModel::probability(0)) < 1e-6);
    QVERIFY2(at->note.contains(QStringLiteral("token 2")), qPrintable(at->note));
    // The others are as sure as before.
    QVERIFY(std::none_of(rows.begin(), rows.end(),
                         [](const ValueRow& row) { return row.label.contains(QStringLiteral("ein")); }));
    // A click leads to the word that it reads most.
    QVERIFY2(at->note.contains(QStringLiteral("reads “the” most")), qPrintable(at->note));
    Q_EMIT tries.changes().chosen(static_cast<int>(at - rows.begin()));
    QCOMPARE(window.selection().token().value(), TranslatingModel::read_by(1));
  }

  // Masking and putting the unknown token in a word's place are two things.
  void aTokenInItsPlaceIsNotAMask() {
    WindowFixture fixture;
    InspectorView& view = type_one(fixture);
    fixture.window->selection().setToken(2);
    QVERIFY(fixture.settle());
    QPushButton& button = view.tryIt().button(Try::stand_in);
    QVERIFY2(button.text().contains(QStringLiteral("<unk>")), qPrintable(button.text()));
    QVERIFY(button.text() != view.tryIt().button(Try::mask).text());
    button.click();
    QVERIFY(fixture.settle());
    const auto& tried = *view.tryIt().tried();
    QCOMPARE(std::get<mog::model::ReplaceToken>(tried.changed.interventions.at(0)).id, 3);
    QVERIFY(!view.tryIt().changes().rows().empty());
  }

  // A cut head leaves its own map as it is: what it reaches comes first.
  void aCutHeadShowsWhatItReaches() {
    WindowFixture fixture;
    InspectorView& view = type_one(fixture);
    MainWindow& window = *fixture.window;
    window.selection().setMap(1, Part::high, 2);
    window.selection().setToken(1);
    window.selection().setKey(0);
    QVERIFY(fixture.settle());
    view.tryIt().button(Try::head).click();
    QVERIFY(fixture.settle());
    const auto& rows = view.tryIt().changes().rows();
    QVERIFY(!rows.empty());
    for (const ValueRow& row : rows) {
      QVERIFY2(
          !(row.note.startsWith(QStringLiteral("layer 1")) && row.note.endsWith(QStringLiteral("attention"))),
          qPrintable(row.note));
    }
    QSignalSpy asked(&view, &InspectorView::asked);
    view.tryIt().compareButton().click();
    QVERIFY(fixture.settle());
    QCOMPARE(asked.size(), 1);
    QCOMPARE(asked.front().front().toString(), QStringLiteral("compare"));
    QVERIFY(window.selection().held().has_value());
    QCOMPARE(window.selection().held()->index, 0);
    QCOMPARE(window.selection().sentence().index, 1);
  }

  void wordsAreReplacedInPlace() {
    WindowFixture fixture;
    InspectorView& view = type_one(fixture);
    fixture.window->selection().setToken(2);
    QVERIFY(fixture.settle());
    TryIt& tries = view.tryIt();
    tries.button(Try::replace).click();
    QVERIFY(!tries.word().isHidden());
    tries.word().setText(QStringLiteral("cat"));
    QTest::keyClick(&tries.word(), Qt::Key_Return);
    QVERIFY(fixture.settle());
    QCOMPARE(tries.tried()->changed.text, std::string("the old cat barked"));
    QVERIFY(!tries.changes().rows().empty());
  }

  void gatesAreSetAndPartsScaled() {
    WindowFixture fixture;
    InspectorView& view = type_one(fixture);
    MainWindow& window = *fixture.window;
    window.selection().setMap(2, Part::high, 1);
    window.selection().setToken(2);
    QVERIFY(fixture.settle());
    TryIt& tries = view.tryIt();
    tries.button(Try::gate).click();
    tries.value().setValue(1);
    tries.apply().click();
    QVERIFY(fixture.settle());
    const auto& gate = std::get<mog::model::SetGate>(tries.tried()->changed.interventions.at(0));
    QCOMPARE(gate.layer, 2);
    QCOMPARE(gate.token, std::optional<std::int64_t>(2));
    QCOMPARE(gate.value, 1.0);
    // The fake model changes nothing else: what was set itself is no effect.
    QVERIFY(tries.changes().isHidden());
    QVERIFY(!tries.message().isEmpty());
    tries.button(Try::scale).click();
    tries.scaled().setCurrentIndex(tries.scaled().findText(QStringLiteral("middle 1")));
    tries.value().setValue(0.25);
    tries.apply().click();
    QVERIFY(fixture.settle());
    const auto& scale = std::get<mog::model::ScalePart>(tries.tried()->changed.interventions.at(0));
    QCOMPARE(scale.part, Part::middle1);
    QCOMPARE(scale.factor, 0.25);
  }

  // A sentence of a recording runs on the model that made it; else the window says which one to open.
  void aSentenceOfARecordingNeedsItsModel() {
    WindowFixture fixture;
    MainWindow& window = *fixture.window;
    fixture.openFake();
    window.showView(QStringLiteral("inspector"));
    window.selection().setToken(1);
    QVERIFY(fixture.settle());
    TryIt& tries = inspector(window).tryIt();
    QVERIFY(!tries.button(Try::mask).isEnabled());
    QVERIFY2(tries.message().contains(QStringLiteral("the model fake")), qPrintable(tries.message()));
    // What to do about it stands there as a button, as in the other places.
    QVERIFY(!tries.offerButton().isHidden());
    QVERIFY2(tries.offerButton().text().startsWith(QStringLiteral("Open")),
             qPrintable(tries.offerButton().text()));
    fixture.openFakeModel();
    QVERIFY(fixture.settle());
    QVERIFY(tries.offerButton().isHidden());
    QVERIFY(tries.button(Try::mask).isEnabled());
    const SentenceRef recorded = window.selection().sentence();
    tries.button(Try::mask).click();
    QVERIFY(fixture.settle());
    QVERIFY2(tries.tried().has_value(), qPrintable(tries.message()));
    QCOMPARE(window.selection().sentence(), recorded);
    tries.keepButton().click();
    QVERIFY(fixture.settle());
    const WorkspaceItem& item = *window.workspace().selectedItem();
    QCOMPARE(item.kind, WorkspaceItem::Kind::typed);
    QCOMPARE(item.typed.size(), std::size_t{2});  // the sentence, and its variant
    QCOMPARE(item.typed[1].parent, 0);
    QCOMPARE(item.typed[0].text, item.typed[1].text);
  }

  void whatIsNotRecordedIsSaid() {
    WindowFixture fixture;
    MainWindow& window = *fixture.window;
    mog::test::CorpusOptions options;
    options.maps = false;
    auto recording = mog::test::make_recording(options);
    auto tokens = recording->token_counts();
    window.workspace().addRecording(QStringLiteral("summary.rec"), {}, std::move(recording), tokens);
    window.showView(QStringLiteral("inspector"));
    window.selection().setToken(1);
    QVERIFY(fixture.settle());
    Page& page = inspector(window).page();
    QCOMPARE(inspector(window).subject(), Subject::word);
    QVERIFY2(page.note(Page::keys).contains(QStringLiteral("does not hold")) ||
                 page.note(Page::keys).contains(QStringLiteral("--capture attention")),
             qPrintable(page.note(Page::keys)));
    QVERIFY(!page.note(Page::joins).isEmpty());
    QCOMPARE(page.gateLine().gates().size(), std::size_t{3});  // means are in the summary
  }

  void sectionsStayFolded() {
    WindowFixture fixture;
    InspectorView& view = type_one(fixture);
    MainWindow& window = *fixture.window;
    window.selection().setToken(2);
    QVERIFY(fixture.settle());
    Section& keys = view.page().section(Page::keys);
    QVERIFY(!keys.folded());
    QTest::keyClick(&keys.head(), Qt::Key_Space);
    QVERIFY(keys.folded());
    window.selection().setToken(1);
    QVERIFY(fixture.settle());
    QVERIFY(keys.folded());
    QCOMPARE(window.state().list(QStringLiteral("inspector.folded")), std::vector<std::int64_t>{Page::keys});
    window.state().set(QStringLiteral("inspector.folded"), ViewState::Value(std::vector<double>{}));
    QVERIFY(!keys.folded());
  }

  // Rows are walked with the keys, and said.
  void rowsAreReachedWithTheKeyboard() {
    WindowFixture fixture;
    InspectorView& view = type_one(fixture);
    MainWindow& window = *fixture.window;
    window.selection().setMap(2, Part::high, 0);
    window.selection().setToken(2);
    window.selection().setKey(1);
    QVERIFY(fixture.settle());
    Rows& heads = view.page().rows(Page::heads);
    QVERIFY(heads.focusPolicy() != Qt::NoFocus);
    QVERIFY(!heads.accessibleName().isEmpty());
    QTest::keyClick(&heads, Qt::Key_Down);
    QVERIFY2(heads.accessibleDescription().startsWith(QStringLiteral("head 2")),
             qPrintable(heads.accessibleDescription()));
    QTest::keyClick(&heads, Qt::Key_Return);
    QCOMPARE(window.selection().head(), 2);
    QCOMPARE(window.selection().layer(), 2);  // Down is the rows' own here
  }

  // Another recording of the same text that is held.
  void heldSentencesOfOneTextAreCompared() {
    WindowFixture fixture;
    MainWindow& window = *fixture.window;
    mog::test::CorpusOptions other;
    other.model.seed = 2;
    for (const auto& options : {mog::test::CorpusOptions{}, other}) {
      auto recording = mog::test::make_recording(options);
      auto tokens = recording->token_counts();
      window.workspace().addRecording(QStringLiteral("run %1").arg(options.model.seed), {},
                                      std::move(recording), tokens);
    }
    window.showView(QStringLiteral("inspector"));
    const int first = window.workspace().items().front().id;
    QVERIFY(fixture.settle());
    Page& page = inspector(window).page();
    QVERIFY(page.section(Page::changes).isHidden());
    window.selection().setHeld(SentenceRef{first, 0});
    QVERIFY(fixture.settle());
    QVERIFY(!page.section(Page::changes).isHidden());
    QVERIFY(!page.rows(Page::changes).rows().empty());
    window.selection().setHeld(SentenceRef{first, 1});  // another text
    QVERIFY(fixture.settle());
    QVERIFY(page.section(Page::changes).isHidden());
  }
};

QTEST_MAIN(InspectorTest)
#include "gui_inspector_test.moc"
