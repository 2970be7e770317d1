// What the inspector says in words.
#include <QTest>
#include <cmath>

#include "app/gui/views/inspector/inspector_text.h"
#include "tests/gui/gui_fixture.h"

using mog::Part;
using namespace mog::gui;

class InspectorTextTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void numbersFitTheirPlace() {
    QCOMPARE(number_text(0.1834), QStringLiteral("0.18"));
    QCOMPARE(number_text(0.0163), QStringLiteral("0.016"));
    QCOMPARE(number_text(0.00163), QStringLiteral("0.0016"));
    QCOMPARE(number_text(0.00061), QStringLiteral("6.1e-4"));
    QCOMPARE(number_text(0), QStringLiteral("0"));
    QCOMPARE(number_text(3.14e-6), QStringLiteral("3.1e-6"));
    QCOMPARE(number_text(std::nan("")), QStringLiteral("–"));
    QCOMPARE(difference_text(0.16), QStringLiteral("+0.16"));
    QCOMPARE(difference_text(-0.11), QStringLiteral("−0.11"));
  }

  void listsAndRanksReadAsWords() {
    QCOMPARE(list_text({}), QString());
    QCOMPARE(list_text({QStringLiteral("her")}), QStringLiteral("her"));
    QCOMPARE(list_text({QStringLiteral("her"), QStringLiteral("sun")}), QStringLiteral("her and sun"));
    const QStringList many = {QStringLiteral("a"), QStringLiteral("b"), QStringLiteral("c"),
                              QStringLiteral("d")};
    QCOMPARE(list_text(many), QStringLiteral("a, b, c and d"));
    QCOMPARE(list_text(many, 3), QStringLiteral("a, b and 2 others"));
    QCOMPARE(rank_text(1), QStringLiteral("the largest"));
    QCOMPARE(rank_text(2), QStringLiteral("the 2nd largest"));
    QCOMPARE(rank_text(11), QStringLiteral("the 11th largest"));
    QCOMPARE(rank_text(13), QStringLiteral("the 13th largest"));
    QCOMPARE(rank_text(20), QStringLiteral("the 20th largest"));
    QCOMPARE(rank_text(23), QStringLiteral("the 23rd largest"));
    QCOMPARE(rank_text(101), QStringLiteral("the 101st largest"));
    QCOMPARE(words_text(1), QStringLiteral("1 word"));
    QCOMPARE(words_text(5), QStringLiteral("5 words"));
  }

  void aJoinReadsAsASentence() {
    const std::vector<std::string> words = {"her", "telescope", "morning", "sun", "rose"};
    mog::app::JoinFacts join;
    join.layer = 3;
    join.query = 1;
    join.key = 3;
    join.left_words = {0, 1};
    join.left_layer = 1;
    join.right_words = {2, 3, 3, 4};
    join.right_layer = 2;
    const auto said = [&] { return join_sentence(join, words_of(join, words)); };
    QCOMPARE(said().plain, QStringLiteral("telescope, which holds her since layer 1, reads sun, which has "
                                          "just joined morning and rose."));
    QVERIFY(said().rich.startsWith(QStringLiteral("<b>telescope</b>, which holds <b>her</b>")));
    join.left_words = {1};
    join.left_layer = 0;
    QCOMPARE(said().plain, QStringLiteral("telescope reads sun, which has just joined morning and rose."));
    join.right_words = {3};
    join.right_layer = 0;
    QCOMPARE(said().plain, QStringLiteral("telescope reads sun."));
    join.left_words = {0, 1};
    join.left_layer = 2;
    join.right_words = {3, 4};
    join.right_layer = 1;
    QCOMPARE(said().plain, QStringLiteral("telescope, which has just joined her, reads sun, which holds rose "
                                          "since layer 1."));
    join.key = 1;
    QVERIFY2(said().plain.endsWith(QStringLiteral("reads itself.")), qPrintable(said().plain));
  }

  // What a word says is no markup, and no place for another word.
  void wordsAreTakenAsTheyAre() {
    mog::app::JoinFacts join;
    join.query = 0;
    join.key = 1;
    join.left_words = {0};
    join.right_words = {1};
    const auto said = join_sentence(join, words_of(join, {"{key}", "<b>&%1"}));
    QCOMPARE(said.plain, QStringLiteral("{key} reads <b>&%1."));
    QCOMPARE(said.rich, QStringLiteral("<b>{key}</b> reads <b>&lt;b&gt;&amp;%1</b>."));
  }

  void kindsAreExplained() {
    mog::app::JoinFacts join;
    join.left_words = {0};
    join.right_words = {1, 2, 2};
    join.kind = 4;
    QVERIFY(
        kind_text(join, words_of(join, {"a", "b", "c"})).title.contains(QStringLiteral("from the right")));
    join.left_words = {0, 0};
    QVERIFY(kind_text(join, words_of(join, {"a", "b", "c"})).title.contains(QStringLiteral("both sides")));
    join.right_words = {1};
    QVERIFY(kind_text(join, words_of(join, {"a", "b", "c"})).title.contains(QStringLiteral("from the left")));
    for (join.kind = 1; join.kind <= 4; ++join.kind) {
      QVERIFY(!kind_text(join, words_of(join, {"a", "b", "c"})).explained.isEmpty());
    }
  }

  void cellsAndWordsReadAsSentences() {
    const QString telescope = QStringLiteral("telescope");
    const QString until = QStringLiteral("until");
    QCOMPARE(
        cell_sentence(telescope, until, 3, 0.181, 20, 324).plain,
        QStringLiteral("0.18 of what telescope reads with head 3 comes from until. It is the 20th largest "
                       "of 324 cells."));
    QCOMPARE(cell_sentence(telescope, until, 0, 0.181, 0, 0).plain,
             QStringLiteral("0.18 of what telescope reads comes from until, on average over heads."));
    QCOMPARE(word_sentence(QStringLiteral("budget"), 6, {4, 1, 3, 4, 2},
                           {"we", "the", "new", "budget", "approved"})
                 .plain,
             QStringLiteral("Layer 6 of budget is mostly the new budget approved."));
    QCOMPARE(word_sentence(QStringLiteral("we"), 2, {0, 3}, {"we", "the", "new", "budget"}).plain,
             QStringLiteral("Layer 2 of we is mostly we … budget."));
    QCOMPARE(word_sentence(QStringLiteral("we"), 2, {0}, {"we"}).plain,
             QStringLiteral("Layer 2 of we is mostly the word itself."));
  }

  // Parts are called as the recording describes them.
  void aPartSaysWhatItJoins() {
    const auto system = mog::test::invented_system();
    QCOMPARE(operands_text(system.stacks[0].parts[2]), QStringLiteral("older with new"));
    QCOMPARE(place_text(system.stacks[0], 2, system.stacks[0].parts[2]),
             QStringLiteral("layer 2, ground view"));
    QCOMPARE(operands_text(system.stacks[1].parts[0]), QStringLiteral("glance back"));
    QCOMPARE(place_text(system.stacks[1], 2, system.stacks[1].parts[0]), QStringLiteral("layer 2"));
  }

  void aChangeSaysWhatAndWhere() {
    const auto source = mog::test::make_recording();
    const mog::Sentence sentence = source->sentence(0);
    const auto word = [&](std::size_t token) {
      return QString::fromStdString(sentence.words.at(token).text);
    };
    mog::analysis::RunChange change;
    change.what = mog::analysis::RunChange::What::attention;
    change.name = mog::QuantityName::parse("encoder.3.middle2.attention");
    change.token = 1;
    change.key = 0;
    QCOMPARE(text_of(change, sentence, source->header()).what, word(1) + QStringLiteral(" → ") + word(0));
    QCOMPARE(text_of(change, sentence, source->header()).of, QStringLiteral("attention, layer 3, middle 2"));
    change.head = 2;
    QCOMPARE(text_of(change, sentence, source->header(), true).of,
             QStringLiteral("layer 3, M2, head 2: attention"));
    change = {};
    change.name = mog::QuantityName::parse("encoder.2.gate");
    QCOMPARE(text_of(change, sentence, source->header()).of, QStringLiteral("gate, layer 2"));
    change.what = mog::analysis::RunChange::What::tag;
    change.name = mog::QuantityName::tag_scores("pos");
    change.tag = 1;
    QCOMPARE(text_of(change, sentence, source->header()).of, QStringLiteral("probability of Y (pos)"));
  }
};

QTEST_MAIN(InspectorTextTest)
#include "gui_inspector_text_test.moc"
