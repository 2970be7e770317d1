// The workspace of translations: the best ones, words lit by their weights, a beginning of one's own.
#include <QLineEdit>
#include <QListWidget>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>
#include <cmath>

#include "app/gui/views/translation/translation_view.h"
#include "app/gui/views/translation/translation_words.h"
#include "app/gui/widgets/figure_canvas.h"
#include "app/gui/widgets/layer_head_grid.h"
#include "tests/gui/gui_fixture.h"
#include "tests/support/translating_model.h"

using mog::test::WindowFixture;
using namespace mog::gui;
using Side = TranslationWords::Side;

namespace {

TranslationView& view_of(MainWindow& window) {
  auto* view = window.findChild<TranslationView*>();
  Q_ASSERT(view != nullptr);
  return *view;
}

QStringList texts(const std::vector<WordButton*>& buttons) {
  QStringList all;
  for (const WordButton* button : buttons) {
    all.push_back(button->text());
  }
  return all;
}

// "the dog barked" by a model that says "ein Hund".
TranslationView& translate_one(WindowFixture& fixture) {
  MainWindow& window = *fixture.window;
  window.workspace().addModel(QStringLiteral("translator"), mog::test::translating_model());
  window.workspace().runSentence(QStringLiteral("the dog barked"));
  if (!fixture.settle()) {
    qFatal("the window does not come to rest");
  }
  fixture.see("translation");
  return view_of(window);
}

}  // namespace

class TranslationTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void theBestTranslationsAreListedAndOneIsShown() {
    WindowFixture fixture;
    TranslationView& view = translate_one(fixture);
    QVERIFY(view.shown().has_value());
    QCOMPARE(texts(view.words().buttons(Side::source)),
             (QStringList{QStringLiteral("the"), QStringLiteral("dog"), QStringLiteral("barked")}));
    QCOMPARE(texts(view.words().buttons(Side::target)),
             (QStringList{QStringLiteral("ein"), QStringLiteral("Hund")}));
    QCOMPARE(view.translations().count(), 2);
    QVERIFY(view.translations().item(0)->text().contains(QStringLiteral("ein Hund")));
    QCOMPARE(view.translations().currentRow(), 0);
    // Another one: the decoder reads it.
    view.translations().setCurrentRow(1);
    QVERIFY(fixture.settle());
    QCOMPARE(texts(view.words().buttons(Side::target)),
             (QStringList{QStringLiteral("a"), QStringLiteral("Hund")}));
    QCOMPARE(view.translations().currentRow(), 1);
  }

  // The row of a word is that of the step that has read it.
  void aChosenWordLightsWhereItComesFrom() {
    WindowFixture fixture;
    TranslationView& view = translate_one(fixture);
    using mog::test::TranslatingModel;
    for (std::int64_t word = 0; word < 2; ++word) {
      view.words().buttons(Side::target)[static_cast<std::size_t>(word)]->click();
      if (!view.words().chosen(Side::target)) {  // it was chosen already
        view.words().buttons(Side::target)[static_cast<std::size_t>(word)]->click();
      }
      QCOMPARE(view.words().chosen(Side::target), std::optional(word));
      const auto& sources = view.words().buttons(Side::source);
      const auto read = static_cast<std::size_t>(TranslatingModel::read_by(word + 1));
      QCOMPARE(sources[read]->shade(), 1.0);
      QVERIFY(sources[read]->accessibleName().contains(QStringLiteral("0.6")));
      QCOMPARE(sources[1 - read]->shade(), 0.0);
      QCOMPARE(view.map().highlight().row, std::optional(word));
    }
    // The other way round, and the selection of the window goes along.
    view.words().buttons(Side::source)[0]->click();
    QCOMPARE(fixture.window->selection().token(), std::optional<std::int64_t>(0));
    QVERIFY(view.words().buttons(Side::target)[0]->shade() > 0 ||
            view.words().buttons(Side::target)[1]->shade() > 0);
    fixture.window->selection().setToken(1);
    QCOMPARE(view.words().chosen(Side::source), std::optional<std::int64_t>(1));
  }

  void aHeadOfItsOwn() {
    WindowFixture fixture;
    TranslationView& view = translate_one(fixture);
    QVERIFY2(view.grid().isVisibleTo(&view),
             qPrintable(fixture.window->workspace().messages().join(QLatin1Char('\n'))));
    QVERIFY2(view.grid().grid()->heads == 2,
             qPrintable(fixture.window->workspace().messages().join(QLatin1Char('\n'))));
    Q_EMIT view.grid().chosen(1, 2);
    QVERIFY(fixture.settle());
    view.words().choose(Side::target, 0);
    const auto read = static_cast<std::size_t>(mog::test::TranslatingModel::read_by(1));
    QVERIFY(view.words().buttons(Side::source)[read]->accessibleName().contains(QStringLiteral("0.4")));
    const std::vector<ExportItem> items = view.exports();
    QCOMPARE(items.size(), std::size_t{1});
    const QString line = items.front().command.line(QStringLiteral("a.svg"));
    for (const char* part :
         {"printf", "ein Hund", "--target translation.txt", "alignment", "--layer 1", "--head 2"}) {
      QVERIFY2(line.contains(QLatin1String(part)), qPrintable(line));
    }
  }

  void aTranslationBeginsAsOneTypes() {
    WindowFixture fixture;
    TranslationView& view = translate_one(fixture);
    QVERIFY(view.begins().isEnabled());
    view.begins().setText(QStringLiteral("b"));
    QTest::keyClick(&view.begins(), Qt::Key_Return);
    QVERIFY(fixture.settle());
    QCOMPARE(texts(view.words().buttons(Side::target)),
             (QStringList{QStringLiteral("b"), QStringLiteral("c")}));
    QVERIFY(view.translations().isHidden());  // one alone is no list
    // Another sentence begins anew.
    fixture.window->workspace().runSentence(QStringLiteral("a cat"));
    QVERIFY(fixture.settle());
    QVERIFY(view.begins().text().isEmpty());
    QCOMPARE(texts(view.words().buttons(Side::target)),
             (QStringList{QStringLiteral("ein"), QStringLiteral("Hund")}));
  }

  void withoutADecoderItSaysSo() {
    WindowFixture fixture;
    fixture.openFakeModel();
    fixture.window->workspace().runSentence(QStringLiteral("the dog barked"));
    QVERIFY(fixture.settle());
    QVERIFY(fixture.window->findChild<QToolButton*>(QStringLiteral("workspace.translate"))->isHidden());
    fixture.see("translation");
    TranslationView& view = view_of(*fixture.window);
    QVERIFY(!view.shown().has_value());
    QVERIFY(view.words().isHidden());
    QVERIFY(view.exports().empty());
    // A translator brings the workspace into the bar.
    fixture.window->workspace().addModel(QStringLiteral("translator"), mog::test::translating_model());
    QVERIFY(!fixture.window->findChild<QToolButton*>(QStringLiteral("workspace.translate"))->isHidden());
  }
};

QTEST_MAIN(TranslationTest)
#include "gui_translation_test.moc"
