// A text with its chains: mentions that are chosen list what they may go back to; another text runs again.
#include <QLineEdit>
#include <QListWidget>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTest>
#include <QToolButton>
#include <cmath>

#include "app/gui/views/document/chain_text.h"
#include "app/gui/views/document/document_view.h"
#include "app/gui/views/strip/typing_field.h"
#include "app/gui/widgets/figure_canvas.h"
#include "app/gui/window/rail.h"
#include "tests/gui/gui_fixture.h"
#include "tests/support/coreference_model.h"

using mog::test::WindowFixture;
using namespace mog::gui;

namespace {

void settle(WindowFixture& fixture) {
  if (!fixture.settle()) {
    qFatal("the window does not come to rest");
  }
}

DocumentView& resolve_one(WindowFixture& fixture) {
  MainWindow& window = *fixture.window;
  window.workspace().addModel(QStringLiteral("coreference"), mog::test::coreference_model());
  window.workspace().runSentence(QStringLiteral("Mary saw John and Mary left John"));
  settle(fixture);
  fixture.see("document");
  auto* view = window.findChild<DocumentView*>();
  if (view == nullptr || view->shown() == nullptr) {
    qFatal("%s", qPrintable(window.workspace().messages().join(QLatin1Char('\n'))));
  }
  return *view;
}

void run_sentence(WindowFixture& fixture, const QString& text) {
  fixture.window->workspace().runSentence(text);
  settle(fixture);
}

QPushButton& offer_of(DocumentView& view) {
  return *view.findChild<FigureCanvas*>()->findChild<QPushButton*>();
}

void click(DocumentView& view, std::int64_t word) {
  QTest::mouseClick(&view.text(), Qt::LeftButton, Qt::NoModifier, view.text().wordPlace(word).center());
}

}  // namespace

class DocumentTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void mentionsHaveTheirChains() {
    WindowFixture fixture;
    DocumentView& view = resolve_one(fixture);
    const ShownDocument& shown = *view.shown();
    QCOMPARE(shown.words.size(), std::size_t{7});
    QCOMPARE(shown.mentions.size(), std::size_t{4});
    QCOMPARE(shown.chains, std::int64_t{2});
    QCOMPARE(shown.mentions[0].chain, shown.mentions[2].chain);
    QCOMPARE(shown.mentions[1].chain, shown.mentions[3].chain);
    QVERIFY(shown.mentions[0].chain != shown.mentions[1].chain);
  }

  void aChosenMentionListsItsCandidates() {
    WindowFixture fixture;
    DocumentView& view = resolve_one(fixture);
    click(view, 4);
    QCOMPARE(view.text().chosen(), std::int64_t{2});
    // Mary e^3 against John e^-3 and nothing, 1.
    const double sum = std::exp(3.0) + std::exp(-3.0) + 1;
    QCOMPARE(view.candidates().count(), 3);
    QVERIFY2(view.candidates().item(0)->text().startsWith(QLocale().toString(std::exp(3.0) / sum, 'f', 3) +
                                                          QStringLiteral("   Mary")),
             qPrintable(view.candidates().item(0)->text()));
    QVERIFY(view.candidates().item(1)->text().contains(QStringLiteral("nothing")));
    QVERIFY(view.candidates().item(2)->text().contains(QStringLiteral("John")));
    QVERIFY(view.text().accessibleDescription().contains(QStringLiteral("goes back to Mary")));
    // A word of no mention lets go.
    click(view, 1);
    QCOMPARE(view.text().chosen(), std::int64_t{-1});
    QCOMPARE(view.candidates().count(), 0);
  }

  void arrowsLeadFromMentionToMention() {
    WindowFixture fixture;
    DocumentView& view = resolve_one(fixture);
    view.text().choose(0);
    QTest::keyClick(&view.text(), Qt::Key_Right);
    QCOMPARE(view.text().chosen(), std::int64_t{1});
    QTest::keyClick(&view.text(), Qt::Key_Left);
    QTest::keyClick(&view.text(), Qt::Key_Left);
    QCOMPARE(view.text().chosen(), std::int64_t{0});
  }

  void anotherTextRunsAgain() {
    WindowFixture fixture;
    DocumentView& view = resolve_one(fixture);
    view.edit().click();
    QVERIFY(view.editor().isVisibleTo(&view));
    view.editor().setPlainText(QStringLiteral("Ann slept\nthen Ann woke"));
    view.run().click();
    settle(fixture);
    QVERIFY(!view.editor().isVisibleTo(&view));
    QCOMPARE(view.shown()->words.size(), std::size_t{5});
    QCOMPARE(view.shown()->sentences, (std::vector<std::int64_t>{0, 2}));
    QCOMPARE(view.shown()->mentions.size(), std::size_t{2});
    // Another sentence brings its own text.
    fixture.window->workspace().runSentence(QStringLiteral("no no"));
    settle(fixture);
    QCOMPARE(view.shown()->words.size(), std::size_t{2});
  }

  void whatIsChosenElsewhereKeepsTheFocus() {
    WindowFixture fixture;
    DocumentView& view = resolve_one(fixture);
    MainWindow& window = *fixture.window;
    QWidget& field = window.rail().field().typing();
    field.setFocus(Qt::OtherFocusReason);
    run_sentence(fixture, QStringLiteral("no no"));
    QCOMPARE(view.shown()->words.size(), std::size_t{2});
    QVERIFY(window.focusWidget() == &field);
    view.text().setFocus(Qt::OtherFocusReason);
    run_sentence(fixture, QStringLiteral("no no no"));
    QCOMPARE(view.shown()->words.size(), std::size_t{3});
    QVERIFY(window.focusWidget() == &view.text());
  }

  void theEditorHasTheFocusAndHandsItOn() {
    WindowFixture fixture;
    DocumentView& view = resolve_one(fixture);
    MainWindow& window = *fixture.window;
    view.edit().click();
    QVERIFY(window.focusWidget() == &view.editor());
    view.run().click();
    settle(fixture);
    QVERIFY(!view.edit().isChecked());
    QVERIFY(window.focusWidget() == &view.text());
    view.edit().click();
    QWidget& field = window.rail().field().typing();
    field.setFocus(Qt::OtherFocusReason);
    view.run().click();
    settle(fixture);
    QVERIFY(window.focusWidget() == &field);
  }

  void nothingTakesThePlaceOfATextThatIsChanged() {
    WindowFixture fixture;
    DocumentView& view = resolve_one(fixture);
    const QString draft = QStringLiteral("Ann slept\nthen");
    view.edit().click();
    view.editor().setPlainText(draft);
    fixture.window->workspace().addModel(QStringLiteral("another"), mog::test::coreference_model());
    settle(fixture);
    run_sentence(fixture, QStringLiteral("no no"));
    QVERIFY(view.edit().isChecked());
    QVERIFY(view.editor().isVisibleTo(&view));
    QCOMPARE(view.editor().toPlainText(), draft);
    QCOMPARE(view.shown()->words.size(), std::size_t{7});
    // It is left, and what came in between is shown.
    view.edit().click();
    settle(fixture);
    QVERIFY(!view.editor().isVisibleTo(&view));
    QCOMPARE(view.shown()->words.size(), std::size_t{2});
    QCOMPARE(view.editor().toPlainText(), QStringLiteral("no no"));
    // It is run, and that of the sentence chosen meanwhile is not.
    view.edit().click();
    view.editor().setPlainText(draft);
    run_sentence(fixture, QStringLiteral("no no no"));
    view.run().click();
    settle(fixture);
    QCOMPARE(view.editor().toPlainText(), draft);
    QCOMPARE(view.shown()->words.size(), std::size_t{3});
    QCOMPARE(view.shown()->sentences, (std::vector<std::int64_t>{0, 2}));
  }

  // What was typed and not run is no text of the model.
  void aTextThatWasNotRunWaits() {
    WindowFixture fixture;
    DocumentView& view = resolve_one(fixture);
    view.edit().click();
    view.editor().setPlainText(QStringLiteral("Ann"));
    view.edit().click();
    fixture.window->workspace().addModel(QStringLiteral("another"), mog::test::coreference_model());
    settle(fixture);
    QCOMPARE(view.shown()->words.size(), std::size_t{7});
    view.edit().click();
    QCOMPARE(view.editor().toPlainText(), QStringLiteral("Ann"));
  }

  void aTextThatIsRefusedCanBeChanged() {
    WindowFixture fixture;
    DocumentView& view = resolve_one(fixture);
    view.edit().click();
    view.editor().setPlainText(QStringLiteral(" "));
    view.run().click();
    settle(fixture);
    QVERIFY(view.shown() == nullptr);
    QVERIFY(!view.edit().isChecked());
    QVERIFY(view.text().isEnabled());
    QVERIFY(offer_of(view).isVisibleTo(&view));
    offer_of(view).click();
    QVERIFY(view.edit().isChecked());
    QVERIFY(fixture.window->focusWidget() == &view.editor());
    view.editor().setPlainText(QStringLiteral("Ann saw Ann"));
    view.run().click();
    settle(fixture);
    QCOMPARE(view.shown()->words.size(), std::size_t{3});
    QVERIFY(view.text().isVisibleTo(&view));
  }

  void theMatrixHasEveryCandidate() {
    WindowFixture fixture;
    DocumentView& view = resolve_one(fixture);
    const std::vector<ExportItem> items = view.exports();
    QCOMPARE(items.size(), std::size_t{1});
    QVERIFY(!items.front().command.possible());
    const auto& map = std::get<mog::analysis::HeatMap>(items.front().figure->body);
    QCOMPARE(map.rows.size(), std::size_t{4});
    QCOMPARE(map.columns.size(), std::size_t{5});
    QCOMPARE(map.rows[2].text, std::string("Mary (5)"));
    QVERIFY(map.value(2, 0) > 0.9);
    QVERIFY(std::isnan(map.value(0, 1)));
    QCOMPARE(map.value(0, 4), 1.0);
    QCOMPARE(map.marks[2].column, std::int64_t{0});
    QCOMPARE(map.marks[0].column, std::int64_t{4});
  }

  void withoutAModelItSaysSo() {
    WindowFixture fixture;
    fixture.openFakeModel();
    fixture.window->workspace().runSentence(QStringLiteral("the dog barked"));
    settle(fixture);
    fixture.see("document");
    auto& view = *fixture.window->findChild<DocumentView*>();
    QVERIFY(view.shown() == nullptr);
    QVERIFY(view.exports().empty());
    QVERIFY(view.run().isHidden());
  }
};

QTEST_MAIN(DocumentTest)
#include "gui_document_test.moc"
