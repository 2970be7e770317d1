// "Copy as command": the command that the window gives for a picture makes the same file, byte by byte.
#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QFile>
#include <QFileInfo>
#include <QGuiApplication>
#include <QLineEdit>
#include <QProcess>
#include <QSpinBox>
#include <QTest>
#include <QToolButton>
#include <map>

#include "app/gui/session/gold_syntax.h"
#include "app/gui/views/attention/attention_choices.h"
#include "app/gui/views/attention/attention_view.h"
#include "app/gui/views/attention/decomposition_view.h"
#include "app/gui/views/attention/gate_view.h"
#include "app/gui/views/compare/compare_view.h"
#include "app/gui/views/corpus/further_figures_view.h"
#include "app/gui/views/corpus/weight_view.h"
#include "app/gui/views/graphs/flow_view.h"
#include "app/gui/views/graphs/tree_view.h"
#include "app/gui/views/parse/parse_view.h"
#include "app/gui/views/parse/step_bar.h"
#include "app/gui/window/export_dialog.h"
#include "app/gui/window/exporter.h"
#include "tests/gui/gui_fixture.h"
#include "tests/support/places.h"

using mog::Part;
using mog::test::WindowFixture;
using namespace mog::gui;

namespace {

QByteArray contents(const QString& path) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

// Runs the line in `folder` as a shell does, with the built mog as `mog`.
void run_line(const QString& line, const QString& folder) {
  QProcess shell;
  QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
  environment.insert(QStringLiteral("PATH"), QCoreApplication::applicationDirPath() + QLatin1Char(':') +
                                                 environment.value(QStringLiteral("PATH")));
  shell.setProcessEnvironment(environment);
  shell.setWorkingDirectory(folder);
  shell.start(QStringLiteral("/bin/sh"), {QStringLiteral("-c"), line});
  QVERIFY(shell.waitForFinished(60'000));
  QVERIFY2(shell.exitCode() == 0, (line.toUtf8() + "\n" + shell.readAllStandardError()).constData());
}

// What the commands made, by their lines: a picture that several rounds show is made once.
using Made = std::map<QString, QByteArray>;

// Exports every picture of the window and makes each by its command.
void check_all(WindowFixture& fixture, Made& made) {
  fixture.seeAll();
  const std::vector<ExportItem> items = fixture.window->exporter().items();
  QVERIFY(items.size() >= 8);
  for (const ExportItem& item : items) {
    QVERIFY2(item.command.possible(), qPrintable(item.name + QStringLiteral(": ") + item.command.why_not));
    ExportRequest request;
    request.item = item;
    request.path = fixture.folder.filePath(QStringLiteral("window.svg"));
    QVERIFY(fixture.window->exporter().write(request));
    const QString name = QStringLiteral("command.svg");
    const QString line = item.command.line(name);
    if (made.count(line) == 0) {
      QFile::remove(fixture.folder.filePath(name));
      run_line(line, fixture.folder.path());
      if (QTest::currentTestFailed()) {
        return;
      }
      made[line] = contents(fixture.folder.filePath(name));
    }
    QVERIFY2(!made[line].isEmpty() && contents(request.path) == made[line], qPrintable(line));
  }
}

// What the export dialog writes of a picture, its numbers too, and what the command that it shows writes.
void check_dialog(WindowFixture& fixture, const ExportItem& item) {
  const QString folder = fixture.folder.path();
  ExportDialog dialog({item}, folder);
  dialog.findChild<QLineEdit*>(QStringLiteral("file"))
      ->setText(fixture.folder.filePath(QStringLiteral("picture.svg")));
  dialog.findChild<QCheckBox*>(QStringLiteral("data"))->setChecked(true);
  const ExportRequest request = dialog.request();
  QVERIFY(fixture.window->exporter().write(request));
  Made window;
  for (const char* name : {"picture.svg", "picture.csv", "picture.h5"}) {
    const QString path = fixture.folder.filePath(QString::fromLatin1(name));
    window[path] = contents(path);
    QVERIFY(QFile::remove(path));
  }
  const QString line = dialog.findChild<QLineEdit*>(QStringLiteral("command"))->text();
  run_line(line, folder);
  for (const auto& [path, bytes] : window) {
    QVERIFY2(!bytes.isEmpty() && contents(path) == bytes, qPrintable(path + QStringLiteral(": ") + line));
  }
}

}  // namespace

class CommandTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void everyPictureOfARecording() {
    WindowFixture fixture;
    Made made;
    fixture.window->open({fixture.saveFake()});
    QVERIFY(fixture.settle());
    MainWindow& window = *fixture.window;
    window.showView(QStringLiteral("weights"));
    window.workspace().select({1, 2});
    QVERIFY(fixture.settle());
    check_all(fixture, made);
    // Other choices everywhere, a pinned token among them.
    window.selection().setMap(2, Part::middle1, 2);
    window.selection().setToken(4);
    window.attention().choices().togglePieces();
    window.attention().choices().nextSpecialTokens();
    window.gates().setShow(GateView::Show::dimensions);
    window.showView(QStringLiteral("gates"));
    window.trees().setListed(TreeView::Listed::by_weight);
    window.trees().setShow(TreeView::Show::arcs);
    window.weights().setShow(mog::analysis::WeightPlot::difference_by_length);
    QVERIFY(fixture.settle());
    check_all(fixture, made);
    window.selection().setMap(1, Part::none, 0);
    window.attention().choices().toggleHead(1);
    window.state().set(setting::kAttentionThreshold, ViewState::Value(0.0));
    window.attention().choices().nextSpecialTokens();
    window.weights().setShow(mog::analysis::WeightPlot::by_layer);
    window.state().set(setting::kWeightsMeasure, QStringLiteral("share"));
    window.showView(QStringLiteral("weights"));
    QVERIFY(fixture.settle());
    check_all(fixture, made);
  }

  void differencesAndTheOtherFigures() {
    WindowFixture fixture;
    Made made;
    fixture.window->open({fixture.saveFake(), fixture.saveFake(QStringLiteral("other.rec"))});
    QVERIFY(fixture.settle());
    MainWindow& window = *fixture.window;
    window.showView(QStringLiteral("compare"));
    window.workspace().select({1, 1});
    window.compare().hold();
    window.workspace().select({1, 3});
    QVERIFY(fixture.settle());
    check_all(fixture, made);
    window.workspace().select({2, 1});
    window.state().set(setting::kCompareWhat, QStringLiteral("gate"));
    QVERIFY(fixture.settle());
    check_all(fixture, made);
    for (const char* measure : {"gate", "entropy"}) {
      window.state().set(setting::kCompareWhat, QStringLiteral("corpus"));
      window.state().set(setting::kCompareMeasure, QString::fromLatin1(measure));
      QVERIFY(fixture.settle());
      QCOMPARE(window.compare().exports().size(), std::size_t{1});
      check_all(fixture, made);
    }
    // The flow into a state, and gold arcs under attention and under a graph.
    QFile gold(fixture.folder.filePath(QStringLiteral("the gold.conllu")));
    QVERIFY(gold.open(QIODevice::WriteOnly));
    gold.write(
        "1\tw0x0\t_\t_\t_\t_\t2\tnsubj\t_\t_\n2\tw0x1\t_\t_\t_\t_\t0\troot\t_\t_\n"
        "3\tw0x2\t_\t_\t_\t_\t2\tobj\t_\t_\n\n");
    gold.close();
    window.workspace().gold().open(gold.fileName());
    window.workspace().select({1, 0});
    window.trees().setShow(TreeView::Show::arcs);
    window.state().set(setting::kFlowState, QStringLiteral("ancestors 2@3"));
    window.showView(QStringLiteral("flow"));
    QVERIFY(fixture.settle());
    check_all(fixture, made);
    const std::vector<ExportItem> flow = window.flow().exports();
    QCOMPARE(flow.size(), std::size_t{1});
    const QByteArray& of_state = made[flow.front().command.line(QStringLiteral("command.svg"))];
    QVERIFY(of_state.size() > 1000);
    window.workspace().gold().open({});
    window.showView(QStringLiteral("figures"));
    window.selection().setToken(3);
    window.state().set(setting::kAttentionThreshold, ViewState::Value(0.05));
    for (const char* kind : {"leaves-by-layer", "order-bands", "quantity-by-layer", "quantity-map", "forest",
                             "posterior-arcs"}) {
      window.furtherFigures().setKind(QString::fromLatin1(kind));
      QVERIFY(fixture.settle());
      const auto items = window.furtherFigures().exports();
      QCOMPARE(items.size(), std::size_t{1});
      ExportRequest request;
      request.item = items.front();
      request.path = fixture.folder.filePath(QStringLiteral("w.svg"));
      QVERIFY(window.exporter().write(request));
      const QString line = request.item.command.line(QStringLiteral("c.svg"));
      run_line(line, fixture.folder.path());
      QVERIFY2(contents(request.path) == contents(fixture.folder.filePath(QStringLiteral("c.svg"))),
               qPrintable(line));
    }
  }

  void aDecomposition() {
    WindowFixture fixture;
    Made made;
    fixture.window->open({mog::test::save_recording(fixture.folder.filePath(QStringLiteral("terms.rec")),
                                                    *mog::test::decomposed_recording())});
    QVERIFY(fixture.settle());
    MainWindow& window = *fixture.window;
    window.selection().setMap(1, Part::full, 2);
    window.selection().setToken(1);
    window.selection().setKey(0);
    window.showView(QStringLiteral("decomposition"));
    QVERIFY(fixture.settle());
    QCOMPARE(window.decomposition().exports().size(), std::size_t{1});
    check_all(fixture, made);
  }

  // Of bundled parsers, which need the engine: rounds or states, arcs set by hand, no crossing ones.
  void aParse_data() {
    QTest::addColumn<QString>("model");
    QTest::newRow("scores of pairs") << QStringLiteral("parser-en");
    QTest::newRow("transitions") << QStringLiteral("parser-en-transitions");
  }
  void aParse() {
#ifndef MOG_ENGINE_IS_BUILT
    QSKIP("the engine is not built");
#endif
    QFETCH(const QString, model);
    WindowFixture fixture(Openers::standard());
    MainWindow& window = *fixture.window;
    window.open(
        {QString::fromStdString((mog::test::resources_dir() / "models" / model.toStdString()).string())});
    QVERIFY(fixture.settle());
    window.workspace().runSentence(QStringLiteral("The dog's owner saw a cat that barked."));
    QVERIFY(fixture.settle());
    fixture.see("parse");
    auto* const view = window.findChild<ParseView*>();
    QVERIFY2(view != nullptr && view->shown() != nullptr,
             qPrintable(window.workspace().messages().join(QLatin1Char('\n'))));
    const auto check = [&] {
      QVERIFY(fixture.settle());
      const std::vector<ExportItem> items = view->exports();
      QCOMPARE(items.size(), std::size_t{2});
      for (const ExportItem& item : items) {
        check_dialog(fixture, item);
        if (QTest::currentTestFailed()) {
          return;
        }
      }
    };
    check();
    if (view->steps().steps() > 1) {
      view->steps().setCurrent(view->steps().steps() / 2);
      check();
    }
    view->projective().click();
    if (!view->shown()->parsed.by_transitions()) {
      QVERIFY(fixture.settle());
      view->setArc({2, 4}, mog::gui::ArcSetting::forced);
      QVERIFY(fixture.settle());
      view->setArc({1, 2}, mog::gui::ArcSetting::forbidden);
      QVERIFY(fixture.settle());
      QCOMPARE(view->constraints().forced.size(), std::size_t{1});
      QCOMPARE(view->constraints().forbidden.size(), std::size_t{1});
    }
    check();
    // A sentence of a recording keeps its words.
    fixture.openFake();
    QVERIFY(fixture.settle());
    QVERIFY(view->exports()
                .front()
                .command.line(QStringLiteral("a.svg"))
                .contains(QStringLiteral("--words spaces")));
    check();
  }

  // What the export dialog shows makes the file that it writes: format, width, resolution, numbers.
  void theDialogsCommandMakesItsFile() {
    WindowFixture fixture;
    fixture.window->open({fixture.saveFake()});
    QVERIFY(fixture.settle());
    const QString folder = fixture.folder.path();
    for (const char* name : {"picture.pdf", "picture.png", "picture.svg"}) {
      ExportDialog dialog(fixture.window->exporter().items(), folder);
      auto* width = dialog.findChild<QComboBox*>(QStringLiteral("width"));
      width->setCurrentIndex(width->findData(static_cast<int>(mog::figures::Paper::lncs)));
      dialog.findChild<QDoubleSpinBox*>(QStringLiteral("centimetres"))->setValue(11.25);
      auto* caption = dialog.findChild<QComboBox*>(QStringLiteral("caption"));
      caption->setCurrentIndex(caption->findData(static_cast<int>(mog::figures::Caption::full)));
      dialog.findChild<QLineEdit*>(QStringLiteral("title"))->setText(QStringLiteral("It's a title"));
      dialog.findChild<QLineEdit*>(QStringLiteral("file"))
          ->setText(fixture.folder.filePath(QString::fromLatin1(name)));
      dialog.findChild<QSpinBox*>(QStringLiteral("dots"))->setValue(144);
      dialog.findChild<QCheckBox*>(QStringLiteral("data"))->setChecked(true);
      const ExportRequest request = dialog.request();
      QVERIFY(fixture.window->exporter().write(request));
      const QByteArray picture = contents(request.path);
      const QString data = fixture.folder.filePath(QStringLiteral("picture.h5"));
      const QString table = fixture.folder.filePath(QStringLiteral("picture.csv"));
      const QByteArray numbers = contents(data);
      const QByteArray rows = contents(table);
      QVERIFY(QFile::remove(request.path) && QFile::remove(data) && QFile::remove(table));
      const QString line = dialog.findChild<QLineEdit*>(QStringLiteral("command"))->text();
      run_line(line, folder);
      QVERIFY2(!picture.isEmpty() && contents(request.path) == picture, qPrintable(line));
      QVERIFY2(!numbers.isEmpty() && contents(data) == numbers, qPrintable(line));
      QVERIFY2(rows.contains("made_by") && contents(table) == rows, qPrintable(line));
    }
  }

  void theCommandIsCopied() {
    WindowFixture fixture;
    QVERIFY(!fixture.window->exporter().copyCommand());  // nothing is open
    fixture.window->open({fixture.saveFake(QStringLiteral("it's a name.rec"))});
    QVERIFY(fixture.settle());
    QVERIFY(fixture.window->exporter().copyCommand());
    const QString line = QGuiApplication::clipboard()->text();
    QVERIFY2(line.startsWith(QStringLiteral("mog figure attention '")), qPrintable(line));
    QVERIFY(line.contains(QStringLiteral("it'\\''s a name.rec")));
    run_line(line, fixture.folder.path());
  }

  void typedSentencesAreRecordedFirst() {
    WindowFixture fixture;
    fixture.openFakeModel();
    fixture.window->workspace().runSentence(QStringLiteral("it's typed"));
    QVERIFY(fixture.settle());
    const ExportItem item = fixture.window->exporter().items().front();
    QVERIFY(item.command.possible());
    const QString line = item.command.line(QStringLiteral("x.svg"));
    QVERIFY2(line.startsWith(QStringLiteral("printf '%s\\n' 'it'\\''s typed' | mog record --model ")),
             qPrintable(line));
    QVERIFY(line.contains(QStringLiteral(" && mog figure attention typed.rec ")));
  }
};

QTEST_MAIN(CommandTest)
#include "gui_command_test.moc"
