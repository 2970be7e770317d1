// What a recording or a model lacks: it is computed, or the window says why it is not there and what to do.
#include <QComboBox>
#include <QPushButton>
#include <QTest>

#include "app/gui/views/attention/attention_view.h"
#include "app/gui/views/attention/decomposition_view.h"
#include "app/gui/views/corpus/weight_view.h"
#include "app/gui/widgets/figure_canvas.h"
#include "tests/gui/gui_fixture.h"

using mog::Part;
using mog::test::WindowFixture;
using namespace mog::gui;

namespace {

mog::test::FakeModelOptions plain_model() {
  mog::test::FakeModelOptions options;
  options.graph = false;
  return options;
}

void open_plain_model(WindowFixture& fixture) {
  fixture.window->workspace().addModel(QStringLiteral("/models/plain"),
                                       mog::test::fake_openers(plain_model()).model({}));
}

void add_plain_recording(WindowFixture& fixture) {
  mog::test::CorpusOptions options;
  options.model = plain_model();
  auto recording = mog::test::make_recording(options);
  auto tokens = recording->token_counts();
  fixture.window->workspace().addRecording(QStringLiteral("plain.rec"), {}, std::move(recording), tokens);
}

// A recording without maps that says by which command it was made.
class Summary final : public mog::RecordingSource {
 public:
  explicit Summary(const std::string& command)
      : inner_(mog::test::make_recording({.lengths = {3, 4}, .maps = false})), header_(inner_->header()) {
    header_.provenance.command_line = command;
  }
  const mog::RecordingHeader& header() const override { return header_; }
  std::int64_t size() const override { return inner_->size(); }
  mog::Sentence sentence(std::int64_t index) const override { return inner_->sentence(index); }
  std::vector<std::int64_t> token_counts() const override { return inner_->token_counts(); }
  std::vector<std::int64_t> word_counts() const override { return inner_->word_counts(); }
  mog::HostTensor read(std::int64_t index, const mog::QuantityName& name) const override {
    return inner_->read(index, name);
  }

 private:
  std::shared_ptr<const mog::RecordingSource> inner_;
  mog::RecordingHeader header_;
};

void add_summary(WindowFixture& fixture, const std::string& command = {}) {
  const auto recording = std::make_shared<const Summary>(command);
  fixture.window->workspace().addRecording(QStringLiteral("summary.rec"), {}, recording,
                                           recording->token_counts());
}

QPushButton& offer(FigureCanvas& picture) {
  return *picture.findChild<QPushButton*>();
}

}  // namespace

class MissingTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  // What a recording lacks its model computes, where the reader looks.
  void theModelFillsAnEmptyPicture() {
    WindowFixture fixture;
    MainWindow& window = *fixture.window;
    add_summary(fixture);
    window.workspace().select({1, 1});
    QVERIFY(fixture.settle());
    QVERIFY(window.attention().matrix().figure() == nullptr);
    // Without the model there is only one thing to do.
    QPushButton& button = offer(window.attention().matrix());
    QVERIFY(button.isVisible());
    QVERIFY2(button.text().contains(QStringLiteral("Open its model")), qPrintable(button.text()));
    fixture.openFakeModel();
    QVERIFY(window.selection().sentence() == (SentenceRef{1, 1}));
    QVERIFY2(button.text().contains(QStringLiteral("Run the model")), qPrintable(button.text()));
    button.click();
    QVERIFY(fixture.settle());
    const WorkspaceItem& item = *window.workspace().selectedItem();
    QCOMPARE(item.kind, WorkspaceItem::Kind::typed);
    QCOMPARE(item.typed.size(), std::size_t{1});
    QCOMPARE(item.typed[0].text, window.workspace().item(1)->source->sentence(1).text);
    QVERIFY(window.attention().matrix().figure() != nullptr);
    QVERIFY(!button.isVisible());
    // A second time it is there.
    window.workspace().runAgain({1, 1});
    QVERIFY(fixture.settle());
    QCOMPARE(window.workspace().selectedItem()->typed.size(), std::size_t{1});
    // The other views offer the same.
    for (const char* name : {"trees", "flow"}) {
      window.workspace().select({1, 0});
      window.showView(QString::fromLatin1(name));
      QVERIFY(fixture.settle());
      FigureCanvas& picture = *window.view(QString::fromLatin1(name))->findChild<FigureCanvas*>();
      QVERIFY2(offer(picture).isVisible(), name);
      offer(picture).click();
      QVERIFY(fixture.settle());
      QVERIFY2(picture.figure() != nullptr, name);
    }
  }

  // The command in the recording says where its model is.
  void theModelIsOpenedFirst() {
    WindowFixture fixture;
    MainWindow& window = *fixture.window;
    const QString folder = mog::test::model_folder(fixture.folder.path());
    add_summary(fixture, "mog record --model '" + folder.toStdString() + "' --input a.txt");
    QVERIFY(fixture.settle());
    QVERIFY(window.workspace().models().empty());
    QPushButton& button = offer(window.attention().matrix());
    QVERIFY2(button.text().contains(QStringLiteral("Run the model")), qPrintable(button.text()));
    button.click();
    QVERIFY(fixture.settle());
    QCOMPARE(window.workspace().models().size(), std::size_t{1});
    QCOMPARE(window.workspace().selectedItem()->kind, WorkspaceItem::Kind::typed);
    QVERIFY(window.attention().matrix().figure() != nullptr);
  }

  // Other weights in that place are not taken for those of the recording.
  void anotherModelIsNotTaken() {
    mog::test::FakeModelOptions other;
    other.seed = 7;
    WindowFixture fixture(mog::test::fake_openers(other));
    MainWindow& window = *fixture.window;
    const QString folder = mog::test::model_folder(fixture.folder.path());
    add_summary(fixture, "mog record --model " + folder.toStdString());
    QVERIFY(fixture.settle());
    offer(window.attention().matrix()).click();
    QVERIFY(fixture.settle());
    QCOMPARE(window.workspace().selectedItem()->kind, WorkspaceItem::Kind::recording);
    QVERIFY(window.workspace().messages().back().contains(QStringLiteral("not the one that made")));
  }

  void aTypedSentenceIsDecomposed() {
    WindowFixture fixture;
    MainWindow& window = *fixture.window;
    open_plain_model(fixture);
    window.workspace().runSentence(QStringLiteral("one two three"));
    window.showView(QStringLiteral("decomposition"));
    QVERIFY(fixture.settle());
    window.selection().setMap(2, Part::full, 1);
    window.selection().setToken(1);
    window.selection().setKey(0);
    for (const auto show : {DecompositionView::Show::score, DecompositionView::Show::weight,
                            DecompositionView::Show::values, DecompositionView::Show::state}) {
      window.decomposition().setShow(show);
      QVERIFY(fixture.settle());
      QVERIFY2(window.decomposition().picture().figure() != nullptr,
               qPrintable(window.decomposition().hint()));
      const auto exported = window.decomposition().exports();
      QCOMPARE(exported.size(), std::size_t{1});
      QVERIFY(!exported.front().command.possible());
      QVERIFY(exported.front().command.why_not.contains(QStringLiteral("--quantity 'encoder.")));
    }
  }

  // Of a recording too, while its model is open; else what is said can be done as it stands.
  void aRecordingIsDecomposedByItsModel() {
    WindowFixture fixture;
    MainWindow& window = *fixture.window;
    add_plain_recording(fixture);
    window.showView(QStringLiteral("decomposition"));
    window.selection().setToken(1);
    QVERIFY(fixture.settle());
    QVERIFY(window.decomposition().picture().figure() == nullptr);
    const QString hint = window.decomposition().hint();
    QVERIFY2(hint.contains(QStringLiteral("fake")) && hint.contains(QStringLiteral("--quantity 'encoder.*.")),
             qPrintable(hint));
    for (const char* placeholder : {"MODEL", "TEXT", "parts.rec"}) {
      QVERIFY2(!hint.contains(QLatin1String(placeholder)), qPrintable(hint));
    }
    open_plain_model(fixture);
    QVERIFY(fixture.settle());
    QVERIFY2(window.decomposition().picture().figure() != nullptr, qPrintable(window.decomposition().hint()));
  }

  // The share of a single part is 1 by definition: no line of ones, and no differences of 0.
  void ofOnePartThereIsNoShareToCount() {
    WindowFixture fixture;
    MainWindow& window = *fixture.window;
    window.showView(QStringLiteral("weights"));
    fixture.openFake();
    window.state().set(setting::kWeightsMeasure, ViewState::Value(std::string("share")));
    QVERIFY(fixture.settle());
    QCOMPARE(window.weights().what().count(QStringLiteral("one part")), 0);
    add_plain_recording(fixture);
    QVERIFY(fixture.settle());
    const auto* combo = window.weights().findChild<QComboBox*>();
    for (int row = 0; row < combo->count(); ++row) {
      QVERIFY(combo->itemData(row).toInt() != static_cast<int>(mog::analysis::Measure::share));
    }
    QVERIFY2(window.weights().what().startsWith(QStringLiteral("The layers of this model have one part")),
             qPrintable(window.weights().what()));
    const auto figure = window.weights().picture().figure();
    QVERIFY(figure != nullptr);
    const auto& plot = std::get<mog::analysis::LinePlot>(figure->body);
    QVERIFY(plot.series.front().points.front().y != 1);
    window.state().set(setting::kWeightsMeasure, ViewState::Value(std::string("gate")));
    QVERIFY(fixture.settle());
    QVERIFY2(window.weights().what().startsWith(QStringLiteral("This model has no gates")),
             qPrintable(window.weights().what()));
  }
};

QTEST_MAIN(MissingTest)
#include "gui_missing_test.moc"
