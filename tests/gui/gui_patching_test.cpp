// The view of activation patching: which two sentences, what is read, and the command of the picture.
#include <QLineEdit>
#include <QTest>

#include "app/gui/views/compare/compare_view.h"
#include "app/gui/views/compare/patching_view.h"
#include "app/gui/widgets/figure_canvas.h"
#include "model/patching.h"
#include "tests/gui/gui_fixture.h"

using mog::test::WindowFixture;
using namespace mog::gui;

namespace {

// A fake model whose activations can be replaced: layer and token of the site say what comes of it.
class PatchedModel final : public mog::model::Model, public mog::model::Patching {
 public:
  PatchedModel() : config_(fake_.config()) {}
  const mog::model::ModelConfig& config() const override { return config_; }
  const mog::ModelCard& card() const override { return fake_.card(); }
  std::string device() const override { return fake_.device(); }
  std::vector<mog::QuantitySchema> quantities() const override { return fake_.quantities(); }
  mog::SystemDescription system() const override { return fake_.system(); }
  void run(const mog::model::PackedBatch& batch, std::span<const mog::model::Intervention> interventions,
           std::span<mog::model::Observer* const> observers) const override {
    fake_.run(batch, interventions, observers);
  }
  std::vector<std::vector<mog::model::Hypothesis>> translate(const mog::model::PackedBatch& batch,
                                                             const mog::model::BeamOptions& options,
                                                             std::stop_token stop) const override {
    return fake_.translate(batch, options, stop);
  }
  mog::model::PatchEffects patch(const mog::model::PatchRequest& request) const override {
    ++patched;
    mog::model::PatchEffects effects;
    effects.from = 1;
    for (const mog::model::PatchSite& site : request.sites) {
      effects.patched.push_back(0.1 * static_cast<double>(site.layer) +
                                0.01 * static_cast<double>(site.token.value_or(site.head)));
    }
    return effects;
  }
  mutable int patched = 0;

 private:
  mog::test::FakeModel fake_;
  mog::model::ModelConfig config_;
};

struct PatchingWindow {
  explicit PatchingWindow(std::shared_ptr<const PatchedModel> with = std::make_shared<const PatchedModel>())
      : model(std::move(with)) {
    fixture.window->resize(1400, 900);
    mog::app::LoadedModel loaded;
    loaded.model = model;
    loaded.tokenizer = std::make_shared<const mog::test::FakeTokenizer>();
    const QString path = mog::test::model_folder(fixture.folder.path());
    fixture.window->workspace().addModel(path, loaded);
    fixture.settle();
  }
  void type(const char* text) {
    fixture.window->workspace().runSentence(QString::fromUtf8(text));
    fixture.settle();
  }
  PatchingView& view() {
    fixture.see("patching");
    return *fixture.window->findChild<PatchingView*>();
  }
  const mog::analysis::HeatMap* map() {
    const auto figure = view().picture().figure();
    return figure == nullptr ? nullptr : std::get_if<mog::analysis::HeatMap>(&figure->body);
  }
  std::shared_ptr<const PatchedModel> model;
  WindowFixture fixture;
};

class GuiPatchingTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void twoSentencesAreAskedFor() {
    PatchingWindow opened;
    QVERIFY(opened.map() == nullptr);
    opened.type("one two three");
    QVERIFY(opened.map() == nullptr);
    QVERIFY(opened.view().exports().empty());
    opened.fixture.window->selection().setHeld(opened.fixture.window->selection().sentence());
    QVERIFY(opened.fixture.settle());
    QVERIFY(opened.map() == nullptr);
    opened.type("one two four");
    QVERIFY2(opened.map() != nullptr, qPrintable(opened.view().picture().accessibleDescription()));
  }

  // The key that holds a sentence leads to the comparison, but not away from here.
  void holdingStaysWhereItIsLookedAt() {
    PatchingWindow opened;
    opened.type("one two three");
    PatchingView& view = opened.view();
    QVERIFY(view.isVisible());
    QTest::keyClick(opened.fixture.window.get(), Qt::Key_D);
    opened.fixture.settle();
    QVERIFY(opened.fixture.window->selection().held());
    QVERIFY(view.isVisible());
    opened.fixture.see("attention");
    QTest::keyClick(opened.fixture.window.get(), Qt::Key_D);
    opened.fixture.settle();
    QVERIFY(!opened.fixture.window->selection().held());
    QVERIFY(opened.fixture.window->findChild<mog::gui::CompareView*>()->isVisible());
  }

  void cellsAreRunsAndAClickSelects() {
    PatchingWindow opened;
    opened.type("one two three");
    opened.fixture.window->selection().setHeld(opened.fixture.window->selection().sentence());
    opened.type("one two four");
    const auto* map = opened.map();
    QVERIFY(map != nullptr);
    QCOMPARE(map->rows.size(), std::size_t{4});     // three layers and the embedding
    QCOMPARE(map->columns.size(), std::size_t{4});  // </s> too
    QVERIFY(std::abs(map->value(1, 1) - 0.21) < 1e-12);
    QVERIFY(map->columns[2].text.find(" / ") != std::string::npos);  // what differs stands beside each other
    QVERIFY(map->columns[1].text.find(" / ") == std::string::npos);
    QVERIFY(opened.view().said().contains(QStringLiteral("1.000")));

    mog::figures::Hit hit;
    hit.kind = mog::figures::Hit::Kind::cell;
    hit.row = 1;  // the highest layer is the first row
    hit.column = 1;
    opened.view().picture().choose(hit);
    QVERIFY(opened.fixture.settle());
    QCOMPARE(opened.fixture.window->selection().layer(), std::int64_t{2});
    QCOMPARE(opened.fixture.window->selection().token(), std::optional<std::int64_t>(1));
    const int runs = opened.model->patched;
    opened.fixture.window->selection().setLayer(1);
    QVERIFY(opened.fixture.settle());
    QCOMPARE(opened.model->patched, runs);  // a selection asks nothing anew

    opened.fixture.window->state().set(QStringLiteral("patching.place"), QStringLiteral("head"));
    QVERIFY(opened.fixture.settle());
    const auto figure = opened.view().picture().figure();
    const auto* parts = std::get_if<mog::analysis::PanelFigure>(&figure->body);
    QVERIFY(parts != nullptr);
    QCOMPARE(parts->panels.size(), std::size_t{3});  // a panel each part with heads
    const auto& heads = std::get<mog::analysis::HeatMap>(parts->panels[1].body);
    QCOMPARE(heads.columns.size(), std::size_t{2});
    QVERIFY(heads.row_title == "layer" && heads.column_title == "head");
    hit.panel = 1;
    opened.view().picture().choose(hit);
    QVERIFY(opened.fixture.settle());
    QCOMPARE(opened.fixture.window->selection().head(), std::int64_t{2});
    QCOMPARE(opened.fixture.window->selection().part(), mog::Part::find("middle1").value_or(mog::Part::none));
  }

  void theCommandIsThatOfTheTable() {
    PatchingWindow opened;
    opened.type("one two three");
    opened.fixture.window->selection().setHeld(opened.fixture.window->selection().sentence());
    opened.type("one two four");
    opened.fixture.window->state().set(QStringLiteral("patching.into"), QStringLiteral("clean"));
    QVERIFY(opened.fixture.settle());
    const auto items = opened.view().exports();
    QCOMPARE(items.size(), std::size_t{1});
    const QString line = items.front().command.line(QStringLiteral("p.svg"));
    for (const char* words :
         {"mog patch ", "--clean 'one two three'", "--corrupt 'one two four'", "--places residual",
          "--into clean", "mog figure patching patch.csv", "--output p.svg"}) {
      QVERIFY2(line.contains(QLatin1String(words)), qPrintable(line));
    }
    QVERIFY(!opened.view().answer().isVisible());  // the model does not say what follows
  }

  void whatCannotBePatchedSaysWhy() {
    PatchingWindow opened;
    opened.type("one two three");
    opened.fixture.window->selection().setHeld(opened.fixture.window->selection().sentence());
    opened.type("one two three four");
    QVERIFY(opened.map() == nullptr);
    QVERIFY2(opened.view().picture().accessibleDescription().contains(
                 QStringLiteral("has 4 tokens, the second 5")),
             qPrintable(opened.view().picture().accessibleDescription()));
    opened.type("one two four");
    QVERIFY(opened.map() != nullptr);
    opened.fixture.window->workspace().runChanged(opened.fixture.window->selection().sentence(),
                                                  "one two four",
                                                  {mog::model::ScaleLayer{.layer = 1, .factor = 0}});
    QVERIFY(opened.fixture.settle());
    QVERIFY(opened.map() == nullptr);
    QVERIFY(opened.view().picture().accessibleDescription().contains(QStringLiteral("inside the model")));
  }

  void aModelThatIsClosedGoes() {
    std::weak_ptr<const PatchedModel> model;
    PatchingWindow opened;
    opened.type("one two three");
    opened.fixture.window->selection().setHeld(opened.fixture.window->selection().sentence());
    opened.type("one two four");
    QVERIFY(opened.map() != nullptr);
    model = opened.model;
    opened.model.reset();
    opened.fixture.see("sentences");
    opened.fixture.window->workspace().closeModel(opened.fixture.window->workspace().models().front().id);
    QVERIFY(opened.fixture.settle());
    QVERIFY(model.expired());
  }
};

}  // namespace

QTEST_MAIN(GuiPatchingTest)
#include "gui_patching_test.moc"
