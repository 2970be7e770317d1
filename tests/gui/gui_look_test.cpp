// What a reader must see: in every theme, in a small window, in scripts from right to left.
#include <QAbstractButton>
#include <QCheckBox>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QTest>
#include <algorithm>
#include <map>
#include <memory>
#include <semaphore>

#include "app/figures/style.h"
#include "app/gui/session/open_path.h"
#include "app/gui/views/attention/attention_view.h"
#include "app/gui/views/corpus/sentence_view.h"
#include "app/gui/views/graphs/flow_view.h"
#include "app/gui/views/graphs/tree_view.h"
#include "app/gui/views/item_models/k_best_model.h"
#include "app/gui/views/item_models/sentence_table_model.h"
#include "app/gui/widgets/figure_canvas.h"
#include "app/gui/widgets/film_strip.h"
#include "app/gui/widgets/layer_head_grid.h"
#include "app/gui/widgets/theme.h"
#include "app/gui/window/batch_dialog.h"
#include "app/gui/window/batches.h"
#include "app/gui/window/tour.h"
#include "app/gui/window/view_menu.h"
#include "tests/gui/gui_fixture.h"

using mog::test::WindowFixture;
using namespace mog::gui;

namespace {

// The greatest contrast with `ground` on the way from one point to another.
double seen(const QImage& image, QPoint from, QPoint to, const QColor& ground) {
  double greatest = 1;
  const int steps = std::max(std::abs(to.x() - from.x()), std::abs(to.y() - from.y()));
  for (int step = 0; step <= steps; ++step) {
    const QPoint at = from + (to - from) * step / std::max(1, steps);
    if (image.rect().contains(at)) {
      greatest = std::max(greatest, contrast(image.pixelColor(at), ground));
    }
  }
  return greatest;
}

int differing_pixels(const QImage& one, const QImage& other) {
  if (one.size() != other.size()) {
    return one.width() * one.height();
  }
  int result = 0;
  for (int y = 0; y < one.height(); ++y) {
    for (int x = 0; x < one.width(); ++x) {
      result += one.pixel(x, y) != other.pixel(x, y) ? 1 : 0;
    }
  }
  return result;
}

// Exposes what the table draws of a row.
class OpenDelegate : public SentenceDelegate {
 public:
  using SentenceDelegate::initStyleOption;
};

// As a plain Transformer.
class WithoutGates final : public mog::model::Model {
 public:
  const mog::model::ModelConfig& config() const override { return fake_.config(); }
  const mog::ModelCard& card() const override { return fake_.card(); }
  std::string device() const override { return fake_.device(); }
  std::vector<mog::QuantitySchema> quantities() const override {
    std::vector<mog::QuantitySchema> all = fake_.quantities();
    std::erase_if(
        all, [](const mog::QuantitySchema& schema) { return schema.name.quantity() == mog::Quantity::gate; });
    return all;
  }
  void run(const mog::model::PackedBatch& batch, std::span<const mog::model::Intervention> interventions,
           std::span<mog::model::Observer* const> observers) const override {
    fake_.run(batch, interventions, observers);
  }
  std::vector<std::vector<mog::model::Hypothesis>> translate(const mog::model::PackedBatch& batch,
                                                             const mog::model::BeamOptions& options,
                                                             std::stop_token stop) const override {
    return fake_.translate(batch, options, stop);
  }

 private:
  mog::test::FakeModel fake_;
};

}  // namespace

class LookTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void cleanup() { apply_theme(*qApp, QStringLiteral("light")); }

  void fieldsAndBoxesHaveEdges_data() {
    QTest::addColumn<QString>("theme");
    for (const char* theme : {"light", "dark", "high-contrast"}) {
      QTest::newRow(theme) << QString::fromLatin1(theme);
    }
  }
  void fieldsAndBoxesHaveEdges() {
    QFETCH(const QString, theme);
    apply_theme(*qApp, theme);
    QWidget window;
    auto* line = new QLineEdit(&window);
    line->setGeometry(20, 20, 120, 28);
    auto* box = new QCheckBox(&window);
    box->setGeometry(20, 60, 24, 24);
    window.resize(200, 120);
    window.show();
    QVERIFY(QTest::qWaitForWindowExposed(&window));
    window.setFocus();
    const QImage image = window.grab().toImage();
    const QColor ground = window.palette().color(QPalette::Window);
    const QColor base = window.palette().color(QPalette::Base);
    for (const QColor& beside : {ground, base}) {
      const double edge = seen(image, {80, 16}, {80, 24}, beside);
      QVERIFY2(edge >= 3, qPrintable(QStringLiteral("line %1").arg(edge)));
      const double side = seen(image, {16, 72}, {30, 72}, beside);
      QVERIFY2(side >= 3, qPrintable(QStringLiteral("box %1").arg(side)));
    }
    QVERIFY(contrast(edge_colour(window.palette()), ground) >= 3);
    QVERIFY(contrast(edge_colour(window.palette()), base) >= 3);
    // The card of the tour.
    auto* label = new QLabel(&window);
    Tour tour(window, {{[label] { return label; }, QStringLiteral("title"), QStringLiteral("text")}});
    const QImage card = tour.grab().toImage();
    for (const QColor& beside : {ground, base}) {
      QVERIFY(contrast(card.pixelColor(0, card.height() / 2), beside) >= 3);
    }
  }

  // What a theme looks like does not depend on the one before.
  void themesChangeAtRunTime() {
    QVERIFY(theme_names().size() >= 4);
    std::map<QString, QImage> started;
    const auto show = [](WindowFixture& fixture) {
      fixture.openFake();
      fixture.window->selection().setToken(2);
      fixture.window->attention().matrix().setFocus(Qt::OtherFocusReason);
      return fixture.settle();
    };
    for (const QString& theme : theme_names()) {
      apply_theme(*qApp, theme);
      WindowFixture fixture;
      QVERIFY(show(fixture));
      started[theme] = fixture.window->grab().toImage();
    }
    QVERIFY(started[QStringLiteral("light")] != started[QStringLiteral("dark")]);
    const auto compare = [&started](WindowFixture& fixture, const QString& from, const QString& to) {
      fixture.window->viewMenu().chooseTheme(to);
      QVERIFY(fixture.settle());
      const int different = differing_pixels(fixture.window->grab().toImage(), started[to]);
      QVERIFY2(different < 20, qPrintable(QStringLiteral("%1 to %2: %3").arg(from, to).arg(different)));
    };
    for (const QString& from : theme_names()) {
      apply_theme(*qApp, from);
      WindowFixture fixture;
      QVERIFY(show(fixture));
      for (const QString& to : theme_names()) {
        if (to != from) {
          compare(fixture, from, to);
          compare(fixture, to, from);
        }
      }
    }
  }

  // A click and the eye reach the last head of every model.
  void allThumbnailsAreInside_data() {
    QTest::addColumn<int>("heads");
    QTest::addColumn<int>("layers");
    QTest::addColumn<QSize>("size");
    QTest::newRow("MiniLM at 1024 × 768") << 12 << 6 << QSize(190, 240);
    QTest::newRow("many") << 32 << 48 << QSize(200, 240);
    QTest::newRow("few") << 2 << 3 << QSize(300, 240);
  }
  void allThumbnailsAreInside() {
    QFETCH(const int, heads);
    QFETCH(const int, layers);
    QFETCH(const QSize, size);
    const auto overview = std::make_shared<mog::analysis::AttentionOverview>();
    overview->layers = layers;
    overview->heads = heads;
    overview->maps.resize(static_cast<std::size_t>(layers) + 1);
    LayerHeadGrid grid;
    grid.setGrid(overview);
    grid.resize(size);
    QVERIFY(grid.minimumSizeHint().width() >= (heads + 1) * 28);  // it scrolls in less
    const QRectF inside = grid.rect();
    for (int layer = 1; layer <= layers; ++layer) {
      for (int head = 0; head <= heads; ++head) {
        const QRectF cell = grid.cell(layer, head);
        QVERIFY2(cell.width() > 0 && inside.contains(cell), qPrintable(QStringLiteral("%1").arg(head)));
        QCOMPARE(grid.mapAt(cell.center()), std::pair(std::int64_t{layer}, std::int64_t{head}));
      }
    }
    // Numbers do not run into each other; the chosen one and the mean are there.
    grid.setCurrent(layers, heads - 1);
    const std::vector<bool> named = grid.headsNamed();
    QVERIFY(named.at(0) && named.at(static_cast<std::size_t>(heads) - 1));
    const double wide = grid.fontMetrics().horizontalAdvance(QString::number(heads));
    double last = -1e9;
    for (int head = 0; head <= heads; ++head) {
      if (named.at(static_cast<std::size_t>(head))) {
        QVERIFY(grid.cell(1, head).center().x() - last > wide);
        last = grid.cell(1, head).center().x();
      }
    }
    last = -1e9;
    const std::vector<bool> layers_named = grid.layersNamed();
    for (int layer = layers; layer >= 1; --layer) {  // the highest on top
      if (layers_named.at(static_cast<std::size_t>(layer) - 1)) {
        QVERIFY(grid.cell(layer, 0).center().y() - last >= grid.fontMetrics().ascent());
        last = grid.cell(layer, 0).center().y();
      }
    }
  }

  // What a table would say of a graph stands in the tool tip of its card; the card is seen whole.
  void theStripOfGraphsKeepsItsExpressions() {
    WindowFixture fixture;
    fixture.openFake();
    MainWindow& window = *fixture.window;
    window.resize(1024, 768);
    window.showView(QStringLiteral("trees"));
    window.selection().setToken(2);
    for (const TreeView::Listed listed : {TreeView::Listed::by_leaves, TreeView::Listed::by_weight}) {
      window.trees().setListed(listed);
      for (const int wide : {1024, 1600, 1024}) {
        window.resize(wide, 768);
        QVERIFY(fixture.settle());
        FilmStrip& strip = window.trees().filmstrip();
        const KBestModel& list = window.trees().list();
        QCOMPARE(strip.count(), list.rowCount());
        QVERIFY(strip.count() >= 4);
        for (int row = 0; row < strip.count(); ++row) {
          const QString expression = list.index(row, KBestModel::kExpression).data().toString();
          QVERIFY(strip.button(row)->toolTip().contains(expression.left(100)));
          QVERIFY(strip.button(row)->accessibleDescription().contains(expression.left(100)));
          QVERIFY(strip.button(row)->accessibleName().contains(strip.card(row).words));
          QVERIFY(strip.button(row)->accessibleName().contains(strip.card(row).weight_text));
        }
        const QAbstractButton& card = *strip.button(strip.current());
        QCOMPARE(card.visibleRegion().boundingRect(), card.rect());
      }
    }
  }

  void wordsFromRightToLeftStandAlone() {
    mog::analysis::Derivation derivation;
    derivation.text = "(\u05d1)->\u05d1 U (a)->\u05d2-x";
    KBestModel model;
    model.setDerivations({derivation}, KBestModel::Mode::by_weight);
    QCOMPARE(model.index(0, KBestModel::kExpression).data().toString(),
             QStringLiteral("\u200e(\u2068\u05d1\u2069)->\u2068\u05d1\u2069 U (a)->\u2068\u05d2-x\u2069"));
    derivation.text = "(a)->a U (b-c)->b-c";
    model.setDerivations({derivation}, KBestModel::Mode::by_weight);
    QCOMPARE(model.index(0, KBestModel::kExpression).data().toString(),
             QStringLiteral("(a)->a U (b-c)->b-c"));
  }

  void sentencesHaveTheirDirection() {
    SentenceTableModel model;
    SentenceRow row;
    row.text = QStringLiteral("\u05d4\u05e1\u05e4\u05e8 a");
    model.append({row});
    row.text = QStringLiteral("a \u05d4\u05e1\u05e4\u05e8");
    model.append({row});
    const OpenDelegate delegate;
    QStyleOptionViewItem hebrew;
    delegate.initStyleOption(&hebrew, model.index(0, SentenceTableModel::kText));
    QCOMPARE(hebrew.direction, Qt::RightToLeft);
    QVERIFY(hebrew.displayAlignment.testFlag(Qt::AlignRight) &&
            hebrew.displayAlignment.testFlag(Qt::AlignAbsolute));
    QStyleOptionViewItem english;
    delegate.initStyleOption(&english, model.index(1, SentenceTableModel::kText));
    QCOMPARE(english.direction, Qt::LeftToRight);
  }

  void theNumberOfEdgesHasRoom() {
    WindowFixture fixture;
    fixture.openFake();
    MainWindow& window = *fixture.window;
    window.showView(QStringLiteral("flow"));
    const auto labels = window.flow().findChildren<LineLabel*>();
    for (const QSize size : {QSize(1440, 900), QSize(1024, 768)}) {
      window.resize(size);
      QVERIFY(fixture.settle());
      QCOMPARE(window.size(), size);
      const auto edges = std::find_if(labels.begin(), labels.end(), [](const LineLabel* label) {
        return label->text().startsWith(QStringLiteral("edges: "));
      });
      QVERIFY(edges != labels.end());
      const int wanted = (*edges)->fontMetrics().horizontalAdvance((*edges)->text());
      QVERIFY2((*edges)->width() >= wanted,
               qPrintable(QStringLiteral("%1 of %2").arg((*edges)->width()).arg(wanted)));
    }
  }

  void cardsOfGraphsHaveRoom() {
    WindowFixture fixture;
    fixture.openFake();
    MainWindow& window = *fixture.window;
    window.showView(QStringLiteral("trees"));
    FilmStrip& strip = window.trees().filmstrip();
    for (const QSize size : {QSize(1440, 900), QSize(1024, 768)}) {
      window.resize(size);
      window.workspace().select({1, size.width() % 2});
      QVERIFY(fixture.settle());
      QVERIFY(strip.count() >= 3);
      for (int row = 0; row < strip.count(); ++row) {
        const FilmCard& card = strip.card(row);
        const QAbstractButton& button = *strip.button(row);
        const QFontMetrics letters(button.font());
        QVERIFY2(letters.horizontalAdvance(card.number + card.brief_words) + 20 <= button.width(),
                 qPrintable(card.name));
      }
    }
  }

  void aTextIsNoSound() {
    QTemporaryDir folder;
    QFile file(folder.filePath(QStringLiteral("corpus.txt")));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("A line .\n");
    file.close();
    const Opened opened = open_path(file.fileName().toStdString(), Openers::standard());
    const auto* other = std::get_if<OpenedOther>(&opened);
    QVERIFY(other != nullptr);
    QVERIFY(other->advice.find("sound") == std::string::npos);
    QVERIFY(other->advice.find("a file of the kind text") != std::string::npos);
  }

  // Whatever is open or under way: a view without a sentence says what is so and what to do about it.
  void emptyViewsSayWhatToDo() {
    static std::binary_semaphore go(0);
    WindowFixture fixture;
    MainWindow& window = *fixture.window;
    const auto says = [](QWidget& view, const QString& words) {
      const auto pictures = view.findChildren<FigureCanvas*>();
      return std::any_of(pictures.begin(), pictures.end(), [&words](const FigureCanvas* picture) {
        return picture->figure() == nullptr && picture->accessibleDescription().contains(words);
      });
    };
    const auto every_view_says = [&window, &says](const char* words) {
      const QString text = QString::fromLatin1(words);
      for (const char* name :
           {"attention", "trees", "gates", "flow", "decomposition", "weights", "compare", "figures"}) {
        window.showView(QString::fromLatin1(name));
        QTRY_VERIFY2(says(*window.view(QString::fromLatin1(name)), text), name);
      }
    };
    every_view_says("Nothing is open yet");
    every_view_says("Ctrl+O");
    auto model = std::make_shared<mog::test::FakeModel>();
    model->on_run([](std::int64_t) { go.acquire(); });
    mog::app::LoadedModel loaded;
    loaded.model = model;
    loaded.tokenizer = std::make_shared<mog::test::FakeTokenizer>();
    window.workspace().addModel(QStringLiteral("slow.model"), loaded);
    every_view_says("No sentence yet");
    every_view_says("Type a sentence");
    window.workspace().runSentence(QStringLiteral("a slow sentence"));
    every_view_says("The model runs");
    window.jobs().cancelAll();
    go.release();
    every_view_says("Type a sentence");
    const auto nothing = mog::test::make_recording({.lengths = {}});
    window.workspace().addRecording(QStringLiteral("empty"), {}, nothing, nothing->token_counts());
    every_view_says("No sentence in this recording");
    const auto bare = mog::test::make_recording({.lengths = {4}, .maps = false});
    window.workspace().addRecording(QStringLiteral("bare"), {}, bare, bare->token_counts());
    window.showView(QStringLiteral("attention"));
    QTRY_VERIFY(says(window.attention(), QStringLiteral("--capture attention")));
    for (const char* name : {"trees", "flow"}) {
      window.showView(QString::fromLatin1(name));
      QTRY_VERIFY2(says(*window.view(QString::fromLatin1(name)), QStringLiteral("--capture")), name);
    }
  }

  // What a model does not have is not offered to be kept.
  void onlyWhatTheModelHasIsKept() {
    for (const bool gates : {true, false}) {
      mog::app::LoadedModel loaded;
      loaded.model = gates
                         ? std::shared_ptr<const mog::model::Model>(std::make_shared<mog::test::FakeModel>())
                         : std::make_shared<WithoutGates>();
      loaded.tokenizer = std::make_shared<mog::test::FakeTokenizer>();
      WindowFixture fixture;
      fixture.window->workspace().addModel(QStringLiteral("model"), loaded);
      BatchDialog dialog(fixture.window->workspace(), fixture.window->batches().runner(), {},
                         fixture.folder.path());
      QCOMPARE(dialog.request().captures.count(mog::app::CaptureName::gates), std::size_t{gates ? 1U : 0U});
      QCOMPARE(dialog.request().captures.count(mog::app::CaptureName::attention), std::size_t{1});
    }
  }

  // WCAG 2: text 4.5 : 1, what is drawn 3 : 1.
  void textCanBeReadInEveryTheme() {
    const std::map<const char*, QPalette> palettes = {
        {"light", light_palette()}, {"dark", dark_palette()}, {"high contrast", high_contrast_palette()}};
    using Role = QPalette::ColorRole;
    const std::vector<std::pair<Role, Role>> pairs = {
        {QPalette::WindowText, QPalette::Window},         {QPalette::Text, QPalette::Base},
        {QPalette::Text, QPalette::AlternateBase},        {QPalette::ButtonText, QPalette::Button},
        {QPalette::HighlightedText, QPalette::Highlight}, {QPalette::ToolTipText, QPalette::ToolTipBase},
        {QPalette::PlaceholderText, QPalette::Base},      {QPalette::Link, QPalette::Base}};
    for (const auto& [name, palette] : palettes) {
      const double least = palette == high_contrast_palette() ? 7 : 4.5;
      for (const auto group : {QPalette::Active, QPalette::Inactive, QPalette::Disabled}) {
        for (const auto& [text, ground] : pairs) {
          const double found = contrast(palette.color(group, text), palette.color(group, ground));
          QVERIFY2(found >= (group == QPalette::Disabled ? 4.5 : least),
                   qPrintable(QStringLiteral("%1: role %2 on %3: %4")
                                  .arg(QString::fromLatin1(name))
                                  .arg(text)
                                  .arg(ground)
                                  .arg(found)));
        }
      }
      for (const auto ground : {QPalette::Window, QPalette::Base}) {
        QVERIFY2(contrast(quiet_text(palette), palette.color(ground)) >= least, name);
      }
    }
  }

  void figuresCanBeReadInEveryTheme() {
    using namespace mog::figures;
    for (const Theme theme : {Theme::light, Theme::dark, Theme::high_contrast}) {
      const QColor ground = background(theme);
      const double least = theme == Theme::high_contrast ? 7 : 4.5;
      QVERIFY(contrast(ink(theme), ground) >= least);
      QVERIFY(contrast(soft_ink(theme), ground) >= least);
      if (theme != Theme::high_contrast) {
        continue;  // parts have the palette of the papers there, and dashes and labels beside it
      }
      QVERIFY(contrast(faint_ink(theme), ground) >= 3);
      QVERIFY(contrast(accent(theme), ground) >= least);
      for (const mog::Part part : {mog::Part::high, mog::Part::middle1, mog::Part::middle2, mog::Part::low,
                                   mog::Part::full, mog::Part::recurrent, mog::Part::none}) {
        QVERIFY(contrast(part_colour(part, theme), ground) >= 4.5);
      }
      for (std::int64_t step = 0; step < 6; ++step) {
        QVERIFY(contrast(ramp_colour(step, 6, theme), ground) >= 3);
      }
    }
  }

  void theThemeIsChosenAndRemembered() {
    WindowFixture fixture;
    MainWindow& window = *fixture.window;
    window.viewMenu().chooseTheme(QStringLiteral("high-contrast"));
    QTRY_VERIFY(is_high_contrast(window.palette()));
    QVERIFY(figure_theme(window.palette()) == mog::figures::Theme::high_contrast);
    window.viewMenu().chooseTheme(QStringLiteral("light"));
    QTRY_VERIFY(!is_dark(window.palette()));
    QVERIFY(figure_theme(window.palette()) == mog::figures::Theme::light);
    window.viewMenu().chooseTheme(QStringLiteral("system"));
  }
};

QTEST_MAIN(LookTest)
#include "gui_look_test.moc"
