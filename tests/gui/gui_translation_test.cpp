// The workspace of translations: the best ones, words lit by their weights, a beginning of one's own.
#include <QComboBox>
#include <QLineEdit>
#include <QListWidget>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>
#include <QUndoStack>
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
TranslationView& translate_one(WindowFixture& fixture, bool global = false) {
  MainWindow& window = *fixture.window;
  window.workspace().addModel(QStringLiteral("translator"), mog::test::translating_model(global));
  window.workspace().runSentence(QStringLiteral("the dog barked"));
  if (!fixture.settle()) {
    qFatal("the window does not come to rest");
  }
  fixture.see("translation");
  return view_of(window);
}

void choose_maps(WindowFixture& fixture, TranslationView& view, DecoderMaps maps) {
  const int place = view.mapsChoice().findData(static_cast<int>(maps));
  view.mapsChoice().setCurrentIndex(place);
  Q_EMIT view.mapsChoice().activated(place);
  if (!fixture.settle()) {
    qFatal("the window does not come to rest");
  }
}

// A cell of the picture; panel -1: it has none.
mog::figures::Hit cell(std::int64_t panel, std::int64_t row, std::int64_t column) {
  mog::figures::Hit hit;
  hit.panel = panel;
  hit.row = row;
  hit.column = column;
  return hit;
}

QString command_of(const TranslationView& view) {
  return view.exports().front().command.line(QStringLiteral("a.svg"));
}

// Its deu_Latn is a special token.
class LanguageTokenizer final : public mog::model::Tokenizer {
 public:
  mog::Sentence encode(std::string_view text, std::int64_t number) const override {
    return words_.encode(text, number);
  }
  mog::Sentence encode_words(std::span<const std::string> words, std::int64_t number) const override {
    return words_.encode_words(words, number);
  }
  mog::model::DecodedText decode(std::span<const std::string> tokens) const override {
    mog::model::DecodedText decoded;
    std::int64_t word = 0;
    for (const std::string& token : tokens) {
      const bool special = token == "deu_Latn";
      decoded.words.push_back(special ? -1 : word++);
      decoded.text += special ? "" : (decoded.text.empty() ? "" : " ") + token;
    }
    return decoded;
  }
  const mog::model::Vocabulary& vocabulary() const override { return words_.vocabulary(); }
  std::string_view kind() const override { return "whitespace"; }

 private:
  mog::test::FakeTokenizer words_;
};

void click(TranslationView& view, const mog::figures::Hit& hit) {
  Q_EMIT view.map().clicked(hit, Qt::NoModifier);
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

  // The row of a word is that of the step that predicts it.
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
      const auto read = static_cast<std::size_t>(TranslatingModel::read_by(word));
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
    const auto read = static_cast<std::size_t>(mog::test::TranslatingModel::read_by(0));
    QVERIFY(view.words().buttons(Side::source)[read]->accessibleName().contains(QStringLiteral("0.4")));
    const std::vector<ExportItem> items = view.exports();
    QCOMPARE(items.size(), std::size_t{1});
    const QString line = items.front().command.line(QStringLiteral("a.svg"));
    for (const char* part :
         {"printf", "ein Hund", "--target translation.txt", "alignment", "--layer 1", "--head 2"}) {
      QVERIFY2(line.contains(QLatin1String(part)), qPrintable(line));
    }
  }

  // Row 0 of the map is what translations begin with; a word reads itself and the one before it.
  void theDecodersOwnAttentionHasItsGrid() {
    WindowFixture fixture;
    TranslationView& view = translate_one(fixture);
    QCOMPARE(view.mapsChoice().count(), 2);
    choose_maps(fixture, view, DecoderMaps::own);
    QVERIFY(view.grid().isVisibleTo(&view));
    QCOMPARE(view.grid().grid()->heads, std::int64_t{2});
    Q_EMIT view.grid().chosen(1, 2);
    QVERIFY(fixture.settle());
    const auto& map = std::get<mog::analysis::HeatMap>(view.map().figure()->body);
    QCOMPARE(map.rows.size(), std::size_t{3});
    for (std::int64_t row = 0; row < 3; ++row) {
      for (std::int64_t key = 0; key < 3; ++key) {
        if (key > row) {
          QVERIFY(!std::isfinite(map.value(row, key)));  // not seen: no cell
          continue;
        }
        QCOMPARE(map.value(row, key),
                 static_cast<double>(mog::test::TranslatingModel::own_weight(1, row, key)));
      }
    }
    const auto& words = view.words().buttons(Side::target);
    view.words().choose(Side::target, 1);
    QCOMPARE(words[0]->shade(), 1.0);  // 0.75 of head 2
    QVERIFY(words[0]->accessibleName().contains(QStringLiteral("0.75")));
    QVERIFY(words[1]->accessibleName().contains(QStringLiteral("0.25")));
    QCOMPARE(view.words().buttons(Side::source)[0]->shade(), 0.0);
    QCOMPARE(view.map().highlight().row, std::optional<std::int64_t>(2));
    const QString line = view.exports().front().command.line(QStringLiteral("a.svg"));
    for (const char* part : {"figure attention", "--part self", "--layer 1", "--head 2", "--by-word"}) {
      QVERIFY2(line.contains(QLatin1String(part)), qPrintable(line));
    }
    // A click on a row chooses its word; on the row of no word nothing.
    QCOMPARE(view.words().chosen(Side::target), std::optional<std::int64_t>(1));
    click(view, cell(-1, 1, 0));
    QCOMPARE(view.words().chosen(Side::target), std::optional<std::int64_t>(0));
    click(view, cell(-1, 2, 0));
    QCOMPARE(view.words().chosen(Side::target), std::optional<std::int64_t>(1));
    click(view, cell(-1, 0, 0));
    QCOMPARE(view.words().chosen(Side::target), std::optional<std::int64_t>(1));
    // The choice is a step of undo.
    fixture.window->state().history().undo();
    fixture.window->state().history().undo();
    fixture.window->state().history().undo();
    QVERIFY(fixture.settle());
    QVERIFY(view.maps() == DecoderMaps::source);
  }

  void capsulesHaveLayersWeightsAndGate() {
    WindowFixture fixture;
    TranslationView& view = translate_one(fixture, true);
    QVERIFY2(view.shown().has_value(), qPrintable(view.map().accessibleDescription()));
    QCOMPARE(view.mapsChoice().count(), 3);
    choose_maps(fixture, view, DecoderMaps::capsules);
    QVERIFY(!view.grid().isVisibleTo(&view));
    const auto& panels = std::get<mog::analysis::PanelFigure>(view.map().figure()->body).panels;
    QCOMPARE(panels.size(), std::size_t{3});
    QCOMPARE(std::get<mog::analysis::HeatMap>(panels[1].body).values, (std::vector<double>{0.25, 0.75}));
    const auto& gates = std::get<mog::analysis::LinePlot>(panels[2].body);
    QCOMPARE(gates.x_categories, (std::vector<std::string>{"ein", "Hund", "</s>"}));
    QCOMPARE(gates.series.front().points[1].y, static_cast<double>(mog::test::TranslatingModel::gate(1)));
    // Under the pointer a capsule lights what it collects.
    Q_EMIT view.map().hovered(cell(0, 1, -1));
    const auto& sources = view.words().buttons(Side::source);
    QCOMPARE(sources[0]->shade(), 0.0);
    QCOMPARE(sources[1]->shade(), 1.0);
    Q_EMIT view.map().hovered(std::nullopt);
    QCOMPARE(sources[1]->shade(), 0.0);
    // Columns of layers are words of the source, those of the gate words of the translation.
    click(view, cell(0, -1, 2));
    QCOMPARE(view.words().chosen(Side::source), std::optional<std::int64_t>(2));
    click(view, cell(2, 0, 1));
    QCOMPARE(view.words().chosen(Side::target), std::optional<std::int64_t>(1));
    QCOMPARE(view.map().highlight().panel, std::optional<std::int64_t>(2));
    click(view, cell(1, 0, 0));
    QCOMPARE(view.words().chosen(Side::target), std::optional<std::int64_t>(1));
    const QString line = view.exports().front().command.line(QStringLiteral("a.svg"));
    for (const char* part : {"figure routing", "--pooling", "--gate", "--by-word"}) {
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

  void theCommandKeepsTheLanguage() {
    WindowFixture fixture;
    mog::app::LoadedModel loaded = mog::test::translating_model();
    loaded.tokenizer = std::make_shared<const LanguageTokenizer>();
    loaded.target_vocabulary = std::make_shared<const mog::model::Vocabulary>(
        std::vector<std::string>{"<pad>", "<unk>", "</s>", "a", "deu_Latn", "ein", "Hund", "c"});
    fixture.window->workspace().addModel(QStringLiteral("translator"), loaded);
    fixture.window->workspace().runSentence(QStringLiteral("the dog barked"));
    QVERIFY(fixture.settle());
    fixture.see("translation");
    TranslationView& view = view_of(*fixture.window);
    QVERIFY(!command_of(view).contains(QLatin1String("deu_Latn")));
    for (const auto& [begins, line] :
         {std::pair("deu_Latn", "'deu_Latn ein Hund'"), std::pair("deu_Latn ein", "'deu_Latn ein c'")}) {
      view.begins().setText(QLatin1String(begins));
      QTest::keyClick(&view.begins(), Qt::Key_Return);
      QVERIFY(fixture.settle());
      QVERIFY2(command_of(view).contains(QLatin1String(line)), qPrintable(command_of(view)));
      QVERIFY(view.translations().count() == 0 ||
              !view.translations().item(0)->text().contains(QLatin1String("deu_Latn")));
    }
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
