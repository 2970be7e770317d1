// The strip of the selected sentence: its words, bars, keys and editing.
#include <QAccessible>
#include <QApplication>
#include <QLineEdit>
#include <QScrollArea>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>
#include <cmath>

#include "analysis/figure_data/builders.h"
#include "analysis/figure_data/gate_median.h"
#include "analysis/figure_data/sentence_figures.h"
#include "app/gui/session/workspace.h"
#include "app/gui/views/common/view_kind.h"
#include "app/gui/views/strip/sentence_strip.h"
#include "app/gui/widgets/gate_colours.h"
#include "app/gui/widgets/theme.h"
#include "tests/gui/gui_fixture.h"

using namespace mog::gui;
using mog::HostTensor;
using mog::RecordingSource;

namespace {

// What a window has around a strip.
struct Fixture {
  Fixture() {
    strip.resize(1900, 72);
    strip.show();
  }
  void open(std::shared_ptr<const RecordingSource> recording, std::int64_t index = 0) {
    auto tokens = recording->token_counts();
    workspace.addRecording(QStringLiteral("r.rec"), {}, std::move(recording), std::move(tokens));
    choose(index);
  }
  void choose(std::int64_t index) {
    workspace.select({workspace.items().back().id, index});
    settle();
  }
  void settle() {
    QTest::qWait(10);
    QTRY_VERIFY(jobs.idle());
    QTest::qWait(10);
  }
  QPoint middleOf(int word) { return strip.line().places().pieceOf(word)->box.center().toPoint(); }
  void click(int word) { QTest::mouseClick(&strip.line(), Qt::LeftButton, {}, middleOf(word)); }
  void press(Qt::Key key) { QTest::keyClick(&strip.line(), key); }

  JobRunner jobs;
  SelectionModel selection;
  Workspace workspace{jobs, selection, mog::test::fake_openers()};
  ViewState state{settings_of(view_kinds())};
  SentenceStrip strip{{workspace, selection, jobs, state}};
};

// One sentence whose words are cut into pieces of at most three letters, and </s>; the gate of its tokens.
std::shared_ptr<const RecordingSource> sentence_of(const QStringList& words, std::vector<float> gates) {
  mog::Sentence sentence;
  sentence.number = 1;
  for (const QString& word : words) {
    const auto begin = static_cast<std::int64_t>(sentence.text.size()) + (sentence.text.empty() ? 0 : 1);
    sentence.text += (sentence.text.empty() ? "" : " ") + word.toStdString();
    const mog::ByteSpan bytes{begin, static_cast<std::int64_t>(sentence.text.size())};
    for (qsizetype at = 0; at < word.size(); at += 3) {
      const bool last = at + 3 >= word.size();
      sentence.tokens.push_back({word.mid(at, 3).toStdString() + (last ? "" : "@@"), 5,
                                 static_cast<std::int64_t>(sentence.words.size()), bytes});
    }
    sentence.words.push_back({word.toStdString(), bytes});
  }
  sentence.tokens.push_back({"</s>", 2, -1, {}});
  mog::RecordingHeader header;
  header.model.encoder_kind = "graph_transformer";
  header.model.tokenizer = "bpe";
  header.model.layers = 1;
  header.model.heads = 1;
  mog::RecordingBatch batch;
  if (!gates.empty()) {
    header.quantities = {{mog::QuantityName::parse("encoder.1.gate.mean"),
                          {mog::Axis::token},
                          {0},
                          mog::DType::float32,
                          "1",
                          ""}};
    batch.quantities.emplace_back(header.quantities[0].name,
                                  HostTensor::of<float>({static_cast<std::int64_t>(gates.size())}, gates));
  }
  batch.sentences = {sentence};
  auto recording = std::make_shared<mog::MemoryRecording>();
  recording->begin(header);
  recording->write(batch);
  recording->finish();
  return recording;
}

QStringList texts(const StripSentence& sentence) {
  QStringList all;
  for (const StripWord& word : sentence.words) {
    all.push_back(word.text);
  }
  return all;
}

// Every word is inside and no two meet.
void check_places(const StripLine& line) {
  const auto& pieces = line.places().pieces;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    QVERIFY(QRectF(line.rect()).contains(pieces[i].box));
    QVERIFY(pieces[i].bar.isEmpty() || QRectF(line.rect()).contains(pieces[i].bar));
    for (std::size_t k = i + 1; k < pieces.size(); ++k) {
      QVERIFY(!pieces[i].box.intersects(pieces[k].box));
      QVERIFY(pieces[i].bar.isEmpty() || !pieces[i].bar.intersects(pieces[k].box));
    }
  }
}

}  // namespace

class StripTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void words_are_whole_and_clicked();
  void bars_are_means_of_gates();
  void without_gates_no_bars();
  void pieces_and_special_tokens();
  void long_sentences_are_whole();
  void keys_move_word_and_sentence();
  void editing_asks_for_a_run();
  void right_to_left_words();
  void says_what_would_fill_it();
  void reads_as_a_list();
  void pages_and_widths();
  void median_of_a_recording();
};

void StripTest::words_are_whole_and_clicked() {
  Fixture at;
  at.open(mog::test::make_recording(), 1);
  QCOMPARE(at.strip.line().sentence().words.size(), 7U);
  QCOMPARE(at.strip.line().sentence().words[6].text, QStringLiteral("w1x6"));
  QCOMPARE(at.strip.line().places().lines, 1);
  QCOMPARE(at.strip.line().places().pixel_size, 18);
  QCOMPARE(at.strip.height(), 72);
  check_places(at.strip.line());
  at.click(2);
  QCOMPARE(at.selection.token(), std::optional<std::int64_t>(2));
  QTest::mouseMove(&at.strip.line(), at.middleOf(4));
  QCOMPARE(at.selection.hovered(), std::optional<std::int64_t>(4));
  at.click(2);
  QVERIFY(!at.selection.token().has_value());
  at.strip.setGraphWords({1, 3});
  QVERIFY(at.strip.line().inGraph(1) && at.strip.line().inGraph(3) && !at.strip.line().inGraph(2));
  QVERIFY(at.strip.footOf(1).has_value());
  at.choose(0);
  QVERIFY(!at.strip.line().inGraph(1));  // another sentence
}

void StripTest::bars_are_means_of_gates() {
  Fixture at;
  // "telescope" has three pieces.
  at.open(sentence_of({QStringLiteral("the"), QStringLiteral("telescope")}, {0.25F, 0.5F, 0.6F, 0.7F, 0.9F}));
  const StripSentence& sentence = at.strip.line().sentence();
  QCOMPARE(texts(sentence), QStringList({QStringLiteral("the"), QStringLiteral("telescope")}));
  QCOMPARE(sentence.words[1].tokens, (std::vector<std::int64_t>{1, 2, 3}));
  QVERIFY(std::abs(sentence.words[0].gate - 0.25) < 1e-6 && std::abs(sentence.words[1].gate - 0.6) < 1e-6);
  QVERIFY(!at.strip.line().places().pieces[1].bar.isEmpty());
  QVERIFY(at.strip.key().isVisible());
  QCOMPARE(at.strip.key().title(), QStringLiteral("gate of layer 1"));
  QVERIFY(at.strip.key().median().startsWith(QStringLiteral("median 0.")));
  QCOMPARE(at.strip.line().nameOf(1), QStringLiteral("telescope, gate 0.60"));
  QCOMPARE(gate_colour(light_palette(), 1), QColor(0x7b, 0x3f, 0xa0));
  QCOMPARE(gate_colour(light_palette(), -2), QColor(0x1b, 0x8a, 0x5a));
  QCOMPARE(gate_colour(dark_palette(), 0), QColor(0x2a, 0x2e, 0x35));
}

void StripTest::without_gates_no_bars() {
  Fixture at;
  at.open(sentence_of({QStringLiteral("the"), QStringLiteral("sun")}, {}));
  QCOMPARE(at.strip.line().sentence().words.size(), 2U);
  QVERIFY(std::isnan(at.strip.line().sentence().words[0].gate));
  QVERIFY(at.strip.line().places().pieces[0].bar.isEmpty());
  QVERIFY(!at.strip.key().isVisible());
  QCOMPARE(at.strip.line().nameOf(1), QStringLiteral("sun"));
}

void StripTest::pieces_and_special_tokens() {
  Fixture at;
  at.open(sentence_of({QStringLiteral("the"), QStringLiteral("telescope")}, {0.25F, 0.5F, 0.6F, 0.7F, 0.9F}));
  at.click(1);
  QCOMPARE(at.selection.token(), std::optional<std::int64_t>(1));
  at.selection.setToken(3);  // any piece pins the word
  QCOMPARE(at.strip.line().pinned(), 1);
  at.strip.setPieces(true);
  at.settle();
  QCOMPARE(texts(at.strip.line().sentence()),
           QStringList({QStringLiteral("the"), QStringLiteral("tel"), QStringLiteral("esc"),
                        QStringLiteral("ope"), QStringLiteral("</s>")}));
  QVERIFY(at.strip.line().sentence().words[4].special);
  QVERIFY(at.strip.line().places().pieces[4].bar.isEmpty());
  QCOMPARE(at.strip.line().pinned(), 3);
}

void StripTest::long_sentences_are_whole() {
  Fixture at;
  mog::test::CorpusOptions options;
  options.lengths = {12, 36, 60, 512};
  at.open(mog::test::make_recording(options), 1);
  QCOMPARE(at.strip.line().places().lines, 2);
  QCOMPARE(at.strip.line().places().pixel_size, 15);
  QCOMPARE(at.strip.height(), 72);
  check_places(at.strip.line());
  QVERIFY(!at.strip.footOf(1).has_value());  // two lines: nothing leads down
  at.choose(2);
  QCOMPARE(at.strip.line().places().lines, 3);
  QCOMPARE(at.strip.line().places().pixel_size, 13);
  QCOMPARE(at.strip.height(), 96);
  check_places(at.strip.line());
  at.choose(3);
  QCOMPARE(at.strip.line().sentence().words.size(), 512U);
  QCOMPARE(at.strip.height(), 96);
  check_places(at.strip.line());
  QVERIFY(at.strip.line().width() <= at.strip.findChild<QScrollArea*>()->viewport()->width());
  for (const std::int64_t token : {500, 3, 250}) {
    at.selection.setToken(token);
    const QRectF box = at.strip.line().places().pieceOf(static_cast<int>(token))->box;
    QVERIFY(QRectF(at.strip.line().visibleRegion().boundingRect()).contains(box));
  }
  // The focus moves nothing.
  at.selection.setToken(3);
  at.strip.activateWindow();
  at.strip.findChildren<QToolButton*>()[1]->setFocus();
  QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
  QVERIFY(at.strip.line().hasFocus());
  QTest::qWait(20);
  QCOMPARE(at.strip.findChild<QScrollArea*>()->verticalScrollBar()->value(), 0);
  // A word that is wider than the strip goes on in the next line.
  at.open(sentence_of({QString(400, QLatin1Char('w')), QStringLiteral("end")}, {}));
  QVERIFY(at.strip.line().places().lines > 1);
  QString whole;
  for (const StripPiece& piece : at.strip.line().places().pieces) {
    whole += piece.word == 0 ? piece.text : QString();
  }
  QCOMPARE(whole.size(), 400);
  check_places(at.strip.line());
}

void StripTest::keys_move_word_and_sentence() {
  Fixture at;
  at.open(sentence_of({QStringLiteral("the"), QStringLiteral("telescope"), QStringLiteral("is")}, {}));
  at.strip.activateWindow();
  at.strip.setFocus();
  at.press(Qt::Key_Right);
  QCOMPARE(at.selection.token(), std::optional<std::int64_t>(0));
  at.press(Qt::Key_Right);
  at.press(Qt::Key_Right);
  at.press(Qt::Key_Right);                                         // no further
  QCOMPARE(at.selection.token(), std::optional<std::int64_t>(4));  // over all pieces of a word
  at.press(Qt::Key_Left);
  QCOMPARE(at.selection.token(), std::optional<std::int64_t>(1));
  at.press(Qt::Key_Space);
  QVERIFY(!at.selection.token().has_value());
  at.press(Qt::Key_End);
  QCOMPARE(at.selection.token(), std::optional<std::int64_t>(4));
  QSignalSpy steps(&at.strip, &SentenceStrip::stepAsked);
  at.press(Qt::Key_PageDown);
  at.press(Qt::Key_PageUp);
  QCOMPARE(steps.size(), 2);
  QCOMPARE(steps[0][0].toInt(), 1);
  QCOMPARE(steps[1][0].toInt(), -1);
}

void StripTest::editing_asks_for_a_run() {
  Fixture at;
  at.open(mog::test::make_recording());
  QSignalSpy edited(&at.strip, &SentenceStrip::edited);
  at.press(Qt::Key_F2);
  QVERIFY(at.strip.isEditing());
  QCOMPARE(at.strip.editor().text(), QStringLiteral("w0x0 w0x1 w0x2"));
  QTest::keyClick(&at.strip.editor(), Qt::Key_Return);  // nothing is changed
  QVERIFY(!at.strip.isEditing());
  QCOMPARE(edited.size(), 0);
  at.press(Qt::Key_F2);
  at.strip.editor().setText(QStringLiteral("another one"));
  QTest::keyClick(&at.strip.editor(), Qt::Key_Escape);
  QVERIFY(!at.strip.isEditing());
  QCOMPARE(edited.size(), 0);
  at.click(1);
  const auto pinned = at.selection.token();
  // A double click begins with a click, which lets go of the word: it comes back.
  QTest::mouseClick(&at.strip.line(), Qt::LeftButton, {}, at.middleOf(1));
  QTest::mouseDClick(&at.strip.line(), Qt::LeftButton, {}, at.middleOf(1));
  QVERIFY(at.strip.isEditing());
  QVERIFY(pinned.has_value());
  at.strip.editor().setText(QStringLiteral(" another one "));
  QTest::keyClick(&at.strip.editor(), Qt::Key_Return);
  QCOMPARE(edited.size(), 1);
  QCOMPARE(edited[0][0].toString(), QStringLiteral("another one"));
  // Return begins it as F2 does; Return in it ends it for the picture, Escape for the words.
  QSignalSpy entered(&at.strip, &SentenceStrip::entered);
  at.press(Qt::Key_Return);
  QVERIFY(at.strip.isEditing());
  QTest::keyClick(&at.strip.editor(), Qt::Key_Escape);
  QCOMPARE(entered.size(), 0);
  at.press(Qt::Key_Enter);
  QVERIFY(at.strip.isEditing());
  QTest::keyClick(&at.strip.editor(), Qt::Key_Return);
  QVERIFY(!at.strip.isEditing());
  QCOMPARE(entered.size(), 1);
  QCOMPARE(edited.size(), 1);
}

void StripTest::right_to_left_words() {
  Fixture at;
  const QString hello = QString::fromUtf8("שלום");
  at.open(sentence_of({hello, QString::fromUtf8("עולם")}, {}));
  const auto& places = at.strip.line().places();
  QCOMPARE(places.pieces.size(), 2U);
  QCOMPARE(places.pieces[0].text, hello);
  // In the order of the sentence, as in every picture.
  QVERIFY(places.pieces[0].box.right() < places.pieces[1].box.left());
}

void StripTest::says_what_would_fill_it() {
  Fixture at;
  at.settle();
  QVERIFY(at.strip.emptyText().contains(QStringLiteral("Ctrl+O")));
  QVERIFY(at.strip.page().isEmpty());
  QTemporaryDir folder;
  at.workspace.addModel(mog::test::model_folder(folder.path()), mog::test::fake_openers().model({}));
  at.settle();
  QVERIFY(at.strip.emptyText().contains(QStringLiteral("Ctrl+L")));
  at.workspace.runSentence(QStringLiteral("one two three"));
  QCOMPARE(at.strip.emptyText(), QStringLiteral("The model runs…"));
  at.settle();
  QVERIFY(at.strip.emptyText().isEmpty());
  QCOMPARE(at.strip.line().sentence().words.size(), 3U);
  at.workspace.runSentence(QStringLiteral("one two three four"));
  QCOMPARE(at.strip.key().note(), QStringLiteral("The model runs…"));
  at.settle();
  QVERIFY(at.strip.key().note().isEmpty());
  QCOMPARE(at.strip.line().sentence().words.size(), 4U);
  at.workspace.closeItem(at.workspace.items().front().id);
  at.settle();
  QVERIFY(!at.strip.emptyText().isEmpty());
}

void StripTest::reads_as_a_list() {
  Fixture at;
  at.open(mog::test::make_recording());
  QAccessibleInterface* list = QAccessible::queryAccessibleInterface(&at.strip.line());
  QVERIFY(list != nullptr);
  QCOMPARE(list->role(), QAccessible::List);
  QCOMPARE(list->childCount(), 3);
  QAccessibleInterface* word = list->child(1);
  QCOMPARE(word->role(), QAccessible::ListItem);
  QVERIFY(word->text(QAccessible::Name).startsWith(QStringLiteral("w0x1, gate 0.")));
  QCOMPARE(list->indexOfChild(word), 1);
  QVERIFY(!word->state().selected);
  word->actionInterface()->doAction(QAccessibleActionInterface::pressAction());
  QCOMPARE(at.selection.token(), std::optional<std::int64_t>(1));
  QVERIFY(word->state().selected);
  const QPoint middle = at.strip.line().mapToGlobal(at.middleOf(2));
  QCOMPARE(list->childAt(middle.x(), middle.y()), list->child(2));
}

void StripTest::pages_and_widths() {
  Fixture at;
  at.open(mog::test::make_recording(), 2);
  QCOMPARE(at.strip.page(), QStringLiteral("3 / 6"));
  QSignalSpy steps(&at.strip, &SentenceStrip::stepAsked);
  const auto arrows = at.strip.findChildren<QToolButton*>();
  QCOMPARE(arrows.size(), 2);
  QTest::mouseClick(arrows[1], Qt::LeftButton);
  QCOMPARE(steps.size(), 1);
  at.strip.setPagerWidth(48);
  QCOMPARE(at.strip.page(), QStringLiteral("3/6"));
  QVERIFY(!arrows[0]->isVisible() && !arrows[1]->isVisible());
  at.strip.setPagerWidth(240);
  at.strip.setKeyWidth(0);
  QVERIFY(!at.strip.key().isVisible());
  for (const int width : {800, 1024, 1280}) {
    at.strip.resize(width, at.strip.height());
    check_places(at.strip.line());
  }
}

void StripTest::median_of_a_recording() {
  mog::test::CorpusOptions options;
  options.lengths.assign(700, 5);
  const auto recording = mog::test::make_recording(options);
  const auto middle = mog::analysis::gate_middle(*recording, 0);
  QVERIFY(middle.has_value());
  QCOMPARE(middle->of, 700);
  QVERIFY(middle->sentences >= 500 && middle->sentences < 700);
  QVERIFY(middle->median > 0 && middle->median < 1 && middle->reach > 0);
  // Few sentences are read all: half of the words lie on either side.
  options.lengths.assign(9, 5);
  const auto few = mog::test::make_recording(options);
  const auto all = mog::analysis::gate_middle(*few, 0);
  QCOMPARE(all->sentences, 9);
  int below = 0;
  int above = 0;
  for (std::int64_t index = 0; index < 9; ++index) {
    const auto figure = mog::analysis::gate_figure(*few, index, {.special_tokens = false, .by_word = true});
    for (const double gate : std::get<mog::analysis::HeatMap>(figure.body).values) {
      below += gate < all->median ? 1 : 0;
      above += gate > all->median ? 1 : 0;
    }
  }
  QCOMPARE(below, above);
  QVERIFY(below > 30);  // of 45 words in each layer
  QVERIFY(!mog::analysis::gate_middle(*sentence_of({QStringLiteral("a")}, {}), 0).has_value());
}

QTEST_MAIN(StripTest)
#include "gui_strip_test.moc"
