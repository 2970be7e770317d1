// What a model that reads from left to right foresees: the logit lens, the surprisal below the words, what
// may follow in the inspector; and its maps, which are triangles. The recording is made by hand; its tokens
// are named by a small model folder.
#include <QTest>

#include "analysis/figure_data/figure_data.h"
#include "app/gui/views/attention/attention_view.h"
#include "app/gui/views/attention/lens_view.h"
#include "app/gui/views/inspector/inspector_page.h"
#include "app/gui/views/inspector/inspector_view.h"
#include "app/gui/views/strip/gate_key.h"
#include "app/gui/views/strip/sentence_strip.h"
#include "app/gui/widgets/figure_canvas.h"
#include "model/model_directory.h"
#include "tests/gui/gui_fixture.h"
#include "tests/support/places.h"

using namespace mog::gui;
using mog::HostTensor;
using mog::QuantityName;
using mog::QuantitySchema;
using mog::test::WindowFixture;

namespace {

const QString kModel = QString::fromStdString((mog::test::data_dir() / "stacks/gpt2-bytes").string());
constexpr int kLayers = 2;
constexpr int kBest = 3;

struct Values {
  std::string name;
  std::vector<mog::Axis> axes;
  std::vector<std::int64_t> extents;
  std::vector<float> values;
};

// "The old cat" and a line end of a model of two layers, the second with a window of one token.
std::shared_ptr<const mog::RecordingSource> causal_recording(bool lens = true) {
  using mog::Axis;
  const auto model = mog::model::open_model_directory(kModel.toStdString(), {.weights = false});
  mog::RecordingHeader header;
  header.model = model.card;
  header.model.config_json = R"({"encoder": {"windows": [0, 1]}})";
  header.provenance.corpus_name = "by hand";
  header.provenance.command_line = "mog record -m " + kModel.toStdString();
  mog::Sentence sentence;
  sentence.number = 1;
  sentence.text = "The old cat";
  sentence.words = {{"The", {0, 3}}, {"old", {4, 7}}, {"cat", {8, 11}}};
  sentence.tokens = {{"The", 40, 0, {0, 3}},
                     {"\u0120old", 41, 1, {3, 7}},
                     {"\u0120c", 42, 2, {7, 9}},
                     {"at", 43, 2, {9, 11}}};
  const std::size_t tokens = sentence.tokens.size();
  std::vector<Values> all;
  for (int layer = 1; layer <= kLayers; ++layer) {
    std::vector<float> map;
    for (std::size_t query = 0; query < tokens; ++query) {
      for (std::size_t key = 0; key < tokens; ++key) {
        const std::size_t first = layer == 2 && query > 0 ? query - 1 : 0;
        map.push_back(key > query || key < first ? 0.0F : 1.0F / static_cast<float>(query - first + 1));
      }
    }
    all.push_back({"encoder." + std::to_string(layer) + ".full.attention",
                   {Axis::head, Axis::query, Axis::key},
                   {1, 0, 0},
                   map});
  }
  for (int layer = 0; layer <= (lens ? kLayers : 0); ++layer) {
    const std::string of =
        layer == 0 ? "encoder.next_token." : "encoder." + std::to_string(layer) + ".next_token.";
    std::vector<float> ids;
    std::vector<float> probabilities;
    for (std::size_t token = 0; token < tokens; ++token) {
      for (int place = 0; place < kBest; ++place) {
        ids.push_back(static_cast<float>(40 + (layer + static_cast<int>(token) + place) % 4));
        probabilities.push_back(0.5F / static_cast<float>(place + 1));
      }
    }
    const float nan = std::numeric_limits<float>::quiet_NaN();
    all.push_back({of + "best", {Axis::token, Axis::rank}, {0, kBest}, ids});
    all.push_back({of + "best_probability", {Axis::token, Axis::rank}, {0, kBest}, probabilities});
    all.push_back({of + "entropy", {Axis::token}, {0}, {1, 2, 3, 4}});
    all.push_back({of + "rank", {Axis::token}, {0}, {nan, 5, 1, 2}});
    all.push_back({of + "surprisal", {Axis::token}, {0}, {nan, 3, 0.5F, 2}});
  }
  for (const Values& one : all) {
    header.quantities.push_back(
        {QuantityName::parse(one.name), one.axes, one.extents, mog::DType::float32, "1", ""});
  }
  std::sort(header.quantities.begin(), header.quantities.end(),
            [](const QuantitySchema& a, const QuantitySchema& b) { return a.name < b.name; });
  auto recording = std::make_shared<mog::MemoryRecording>();
  recording->begin(header);
  mog::RecordingBatch batch;
  batch.sentences = {sentence};
  for (const QuantitySchema& schema : header.quantities) {
    const auto of = std::find_if(all.begin(), all.end(), [&](const Values& one) {
      return QuantityName::parse(one.name) == schema.name;
    });
    batch.quantities.emplace_back(
        schema.name, HostTensor::of<float>({static_cast<std::int64_t>(of->values.size())}, of->values));
  }
  recording->write(batch);
  recording->finish();
  return recording;
}

struct CausalWindow {
  explicit CausalWindow(bool lens = true) {
    path = mog::test::save_recording(fixture.folder.filePath(QStringLiteral("causal.rec")),
                                     *causal_recording(lens));
    fixture.window->open({path});
    settled = fixture.settle();
    fixture.window->workspace().select({fixture.window->workspace().items().front().id, 0});
    settled = fixture.settle() && settled;
  }
  MainWindow& window() { return *fixture.window; }
  template <class View>
  View& view(const char* name) {
    fixture.see(name);
    return *static_cast<View*>(window().view(QString::fromLatin1(name)));
  }
  WindowFixture fixture;
  QString path;
  bool settled = false;
};

const mog::analysis::HeatMap& map_of(const FigureCanvas& picture) {
  return std::get<mog::analysis::HeatMap>(picture.figure()->body);
}

}  // namespace

class NextTokenTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void theLensShowsLayersByTokens() {
    CausalWindow opened;
    QVERIFY(opened.settled);
    auto& lens = opened.view<LensView>("lens");
    QVERIFY2(lens.picture().figure() != nullptr, "no lens");
    const auto& map = map_of(lens.picture());
    QCOMPARE(map.rows.size(), std::size_t{kLayers});
    QCOMPARE(map.rows.front().text, std::string("2"));  // the last layer on top
    QCOMPARE(map.columns.size(), std::size_t{4});
    QVERIFY(map.details.front().find(", ") != std::string::npos);
    QVERIFY2(map.details.front().find("; follows \u201c\u2581old\u201d: p 0.05") != std::string::npos,
             map.details.front().c_str());
    QVERIFY(map.details.front().find("rank 5") != std::string::npos);
    QVERIFY(map.details.back().find("follows") == std::string::npos);  // nothing does
    const auto items = lens.exports();
    QCOMPARE(items.size(), std::size_t{1});
    const std::vector<std::string> wanted = {
        "mog",        "figure", "logit-lens",   opened.path.toStdString(),
        "--sentence", "1",      "--vocabulary", kModel.toStdString()};
    QVERIFY2(items.front().command.arguments == wanted,
             qPrintable(items.front().command.line(QStringLiteral("x.svg"))));
  }

  void aClickOnTheLensChoosesLayerAndToken() {
    CausalWindow opened;
    auto& lens = opened.view<LensView>("lens");
    mog::figures::Hit hit;
    hit.kind = mog::figures::Hit::Kind::cell;
    hit.row = 1;
    hit.column = 2;
    lens.picture().choose(hit);
    QCOMPARE(opened.window().selection().layer(), std::int64_t{1});
    QVERIFY(opened.window().selection().token() == 2);
    lens.setColour(LensView::Colour::surprisal);
    QVERIFY(opened.fixture.settle());
    QCOMPARE(map_of(lens.picture()).scale.quantity.quantity, std::string("surprisal of what follows"));
    QVERIFY(std::isnan(map_of(lens.picture()).value(0, 3)));  // behind the last token
    const auto arguments = lens.exports().front().command.arguments;
    QVERIFY(std::find(arguments.begin(), arguments.end(), "surprisal") != arguments.end());
    QVERIFY(std::find(arguments.begin(), arguments.end(), "column=3") != arguments.end());  // what is pinned
  }

  void theLensSaysWhyThereIsNone() {
    CausalWindow opened(/*lens=*/false);
    auto& lens = opened.view<LensView>("lens");
    QVERIFY(lens.picture().figure() == nullptr);
    QVERIFY(lens.exports().empty());
    WindowFixture other;
    other.openFake();
    other.window->workspace().select({other.window->workspace().items().front().id, 0});
    other.see("lens");
    auto& none = *static_cast<LensView*>(other.window->view(QStringLiteral("lens")));
    QVERIFY(none.picture().figure() == nullptr);
    QVERIFY2(none.picture().accessibleDescription().contains(QStringLiteral("left to right")),
             qPrintable(none.picture().accessibleDescription()));
  }

  void wordsHaveTheirSurprisalBelowThem() {
    CausalWindow opened;
    const StripLine& line = opened.window().findChild<SentenceStrip*>()->line();
    QVERIFY(line.sentence().bars() && !line.sentence().gates());
    QCOMPARE(line.sentence().words.size(), std::size_t{3});
    QVERIFY(std::isnan(line.sentence().words.front().surprisal));
    QCOMPARE(line.sentence().words.at(1).surprisal, 3.0);
    QCOMPARE(line.sentence().words.at(2).surprisal, 2.5);  // of both pieces
    QVERIFY(line.explain(1).contains(QStringLiteral("rank 5")));
    QVERIFY(line.nameOf(2).contains(QStringLiteral("2.5")));
    const GateKey& key = opened.window().findChild<SentenceStrip*>()->key();
    QVERIFY(key.title().contains(QStringLiteral("surprisal")));
  }

  void theInspectorListsWhatMayFollow() {
    CausalWindow opened;
    opened.fixture.seeAll();
    auto* page = opened.window().findChild<InspectorPage*>();
    QVERIFY(page != nullptr);
    QCOMPARE(page->rows(InspectorPage::next).rows().size(),
             std::size_t{3});  // of the sentence: tokens 2 to 4
    QCOMPARE(page->rows(InspectorPage::next).rows().front().label, QStringLiteral("\u2581old"));
    QVERIFY2(page->rows(InspectorPage::next).rows().front().note.contains(QStringLiteral("rank 5")),
             qPrintable(page->rows(InspectorPage::next).rows().front().note));
    Q_EMIT page->rows(InspectorPage::next).chosen(1);
    QVERIFY(opened.window().selection().token() == 2);
    opened.window().selection().setToken(0);
    opened.window().selection().setLayer(1);
    QVERIFY(opened.fixture.settle());
    const auto& rows = page->rows(InspectorPage::next).rows();
    QCOMPARE(rows.size(), std::size_t{kBest});  // what follows, id 41, is among the best of layer 1
    QVERIFY(rows.front().strong);
    QVERIFY2(page->note(InspectorPage::next).contains(QStringLiteral("rank 5")),
             qPrintable(page->note(InspectorPage::next)));
    QVERIFY(page->section(InspectorPage::next).title().contains(QStringLiteral("layer 1")));
  }

  void mapsAreTrianglesAndBands() {
    CausalWindow opened;
    opened.window().selection().setMap(1, mog::Part::full, 1);
    auto& attention = opened.view<AttentionView>("attention");
    const auto pieces = [&] {
      for (const FigureCanvas* canvas : attention.findChildren<FigureCanvas*>()) {
        if (canvas->accessibleName() == QStringLiteral("Attention matrix")) {
          return map_of(*canvas);
        }
      }
      return mog::analysis::HeatMap();
    };
    opened.window().state().set(setting::kAttentionPieces, true);
    QVERIFY(opened.fixture.settle());
    const auto full = pieces();
    QCOMPARE(full.rows.size(), std::size_t{4});
    for (std::int64_t query = 0; query < 4; ++query) {
      for (std::int64_t key = 0; key < 4; ++key) {
        QCOMPARE(full.value(query, key) == mog::analysis::kUnseen, key > query);
      }
    }
    opened.window().selection().setLayer(2);
    QVERIFY(opened.fixture.settle());
    QCOMPARE(pieces().value(3, 1), mog::analysis::kUnseen);  // outside the window of one token
    QCOMPARE(pieces().value(3, 2), 0.5);
    opened.window().state().set(setting::kAttentionPieces, false);
    QVERIFY(opened.fixture.settle());
    QCOMPARE(pieces().value(0, 1), mog::analysis::kUnseen);
    QVERIFY(pieces().value(2, 1) != mog::analysis::kUnseen);  // the first piece of "cat" sees "old"
  }
};

QTEST_MAIN(NextTokenTest)
#include "gui_next_token_test.moc"
