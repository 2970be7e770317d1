// Corpora recorded from the window: estimate, progress, cancel, resume; and the page of what was found.
#include <QCheckBox>
#include <QFile>
#include <QLineEdit>
#include <QPushButton>
#include <QTest>
#include <atomic>
#include <semaphore>

#include "app/gui/session/batch_runner.h"
#include "app/gui/views/item_models/job_list_model.h"
#include "app/gui/views/jobs/jobs_view.h"
#include "app/gui/views/jobs/model_view.h"
#include "app/gui/widgets/message_bar.h"
#include "app/gui/window/batch_dialog.h"
#include "app/gui/window/batches.h"
#include "app/gui/window/rail.h"
#include "io/hdf5/recording/recording_reader.h"
#include "tests/gui/gui_fixture.h"

using mog::test::WindowFixture;
using namespace mog::gui;

namespace {

QString write_corpus(const WindowFixture& fixture, int sentences) {
  const QString path = fixture.folder.filePath(QStringLiteral("corpus.txt"));
  QFile file(path);
  if (file.open(QIODevice::WriteOnly)) {
    for (int i = 0; i < sentences; ++i) {
      file.write("the dog that I saw barked\n");
    }
  }
  return path;
}

BatchRequest make_request(const WindowFixture& fixture, const QString& corpus) {
  BatchRequest request;
  request.model = fixture.window->workspace().currentModel()->id;
  request.corpus = corpus;
  request.output = fixture.folder.filePath(QStringLiteral("corpus.rec"));
  request.captures = {mog::app::CaptureName::summary};
  return request;
}

}  // namespace

class BatchTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  // What is looked at stays until the reader opens what was recorded.
  void aCorpusIsRecordedCountedAndOffered() {
    WindowFixture fixture;
    fixture.openFakeModel();
    MainWindow& window = *fixture.window;
    BatchRequest request = make_request(fixture, write_corpus(fixture, 40));
    request.table = fixture.folder.filePath(QStringLiteral("corpus.csv"));
    QVERIFY(window.batches().runner().start(request) != 0);
    QCOMPARE(window.batches().runner().start(request), 0);  // twice into one folder: no
    QVERIFY(fixture.settle());
    QCOMPARE(window.workspace().messages().size(), 1);
    QVERIFY(output_state(request.output) == OutputState::complete);
    QVERIFY(window.workspace().items().empty());
    QVERIFY(window.messages().shown().contains(QStringLiteral("corpus.rec is recorded")));
    QPushButton& open = window.messages().button();
    QVERIFY(!open.isHidden() && open.focusPolicy() == Qt::StrongFocus);
    for (JobIndicator* row : window.rail().jobRows()) {
      QVERIFY(!row->isHidden() && !row->button().isHidden());
    }
    open.click();
    QVERIFY(fixture.settle());
    QCOMPARE(window.workspace().items().size(), std::size_t{1});
    QCOMPARE(window.workspace().items().front().tokens.size(), std::size_t{40});
    QVERIFY(!window.messages().shown().contains(QStringLiteral("is recorded")));
    for (JobIndicator* row : window.rail().jobRows()) {
      QVERIFY(row->isHidden());
    }
    QFile table(request.table);
    QVERIFY(table.open(QIODevice::ReadOnly));
    const QByteArray text = table.readAll();
    QVERIFY(text.contains("gate") && text.contains("entropy"));
  }

  void aCancelledRecordingGoesOn() {
    static std::atomic<int> runs = 0;
    static std::counting_semaphore<1000> go(0);
    runs = 0;
    WindowFixture fixture;
    MainWindow& window = *fixture.window;
    auto model = std::make_shared<mog::test::FakeModel>();
    model->on_run([](std::int64_t) {
      if (++runs > 3) {
        go.acquire();
      }
    });
    mog::app::LoadedModel loaded;
    loaded.model = model;
    loaded.tokenizer = std::make_shared<mog::test::FakeTokenizer>();
    window.workspace().addModel(QStringLiteral("slow.model"), loaded);
    const BatchRequest request = make_request(fixture, write_corpus(fixture, 2000));
    const int job = window.batches().runner().start(request);
    QTRY_VERIFY(runs > 3);
    QVERIFY(!window.batches().runner().canResume(job));
    window.jobs().cancel(job);
    QVERIFY(window.batches().runner().canResume(job));
    go.release(900);
    const int next = window.batches().runner().resume(job);
    QVERIFY(next != 0 && next != job);
    QVERIFY(!window.batches().runner().canResume(job));
    QVERIFY(fixture.settle());
    QVERIFY2(window.workspace().messages().isEmpty(),
             qPrintable(window.workspace().messages().join(QLatin1Char('\n'))));
    QVERIFY(output_state(request.output) == OutputState::complete);
    const mog::io::RecordingReader reader(request.output.toStdString());
    QCOMPARE(reader.size(), 2000);
  }

  // Before the folder, before the first sentence, between two, after the last.
  void cancelledAtAnyMomentItGoesOn() {
    for (const int wait_ms : {0, 1, 2, 3, 5, 8, 13, 21, 34, 200}) {
      WindowFixture fixture;
      fixture.openFakeModel();
      MainWindow& window = *fixture.window;
      const BatchRequest request = make_request(fixture, write_corpus(fixture, 40));
      const int job = window.batches().runner().start(request);
      QTest::qSleep(wait_ms);  // no event comes through: the runner does not know how far it is
      window.jobs().cancel(job);
      QVERIFY(window.batches().runner().resume(job) != 0);
      QVERIFY(fixture.settle());
      QVERIFY2(window.workspace().messages().isEmpty(),
               qPrintable(window.workspace().messages().join(QLatin1Char('\n'))));
      const mog::io::RecordingReader reader(request.output.toStdString());
      QCOMPARE(reader.size(), 40);
      window.rail().jobRows().front()->button().click();
      QVERIFY(fixture.settle());
      QCOMPARE(window.workspace().items().size(), std::size_t{1});
      QVERIFY(window.messages().shown().isEmpty());
    }
  }

  void theDialogEstimatesAndRefuses() {
    WindowFixture fixture;
    fixture.openFakeModel();
    MainWindow& window = *fixture.window;
    const QString corpus = write_corpus(fixture, 25);
    BatchDialog dialog(window.workspace(), window.batches().runner(), {}, fixture.folder.path());
    QVERIFY(!dialog.canStart());
    dialog.corpus().setText(corpus);
    QCOMPARE(dialog.output().text(), fixture.folder.filePath(QStringLiteral("corpus.rec")));
    QTRY_VERIFY(dialog.estimateText().contains(QStringLiteral("25 sentences")));
    QVERIFY(dialog.canStart());
    const BatchRequest request = dialog.request();
    QVERIFY(!request.resume);
    const QString line = batch_command(request, *window.workspace().currentModel());
    QVERIFY2(line.startsWith(QStringLiteral("mog record --model")), qPrintable(line));
    dialog.name().setText(QStringLiteral("two\u202elines"));  // turns the direction of writing
    QVERIFY(!dialog.canStart());
    dialog.name().setText(QStringLiteral(" news "));
    QTRY_VERIFY(dialog.canStart());
    QVERIFY(batch_command(dialog.request(), *window.workspace().currentModel())
                .contains(QStringLiteral("--name news")));
    QVERIFY(window.batches().runner().start(dialog.request()) != 0);
    QVERIFY(fixture.settle());
    QCOMPARE(mog::io::RecordingReader(request.output.toStdString()).header().provenance.name,
             std::string("news"));
    // Now there is one of this name.
    dialog.corpus().setText(QString());
    dialog.corpus().setText(corpus);
    QVERIFY(!dialog.canStart());
    dialog.output().setText(corpus);  // a file
    QVERIFY(!dialog.canStart());
    QFile damaged(fixture.folder.filePath(QStringLiteral("latin.txt")));
    QVERIFY(damaged.open(QIODevice::WriteOnly));
    damaged.write("caf\xe9\n");
    damaged.close();
    dialog.output().setText(fixture.folder.filePath(QStringLiteral("other.rec")));
    dialog.corpus().setText(damaged.fileName());
    QTRY_VERIFY(dialog.estimateText().contains(QStringLiteral("UTF-8")));
    QVERIFY(!dialog.canStart());
  }

  void withoutAModelTheDialogSaysSo() {
    WindowFixture fixture;
    BatchDialog dialog(fixture.window->workspace(), fixture.window->batches().runner(), {},
                       fixture.folder.path());
    QVERIFY(!dialog.canStart());
    QVERIFY(dialog.estimateText().contains(QStringLiteral("Ctrl+O")));
  }

  void theJobListOffersToGoOn() {
    static std::counting_semaphore<1000> go(0);
    WindowFixture fixture;
    MainWindow& window = *fixture.window;
    auto model = std::make_shared<mog::test::FakeModel>();
    model->on_run([](std::int64_t) { go.acquire(); });
    mog::app::LoadedModel loaded;
    loaded.model = model;
    loaded.tokenizer = std::make_shared<mog::test::FakeTokenizer>();
    window.workspace().addModel(QStringLiteral("slow.model"), loaded);
    window.showView(QStringLiteral("jobs"));
    window.batches().runner().start(make_request(fixture, write_corpus(fixture, 5)));
    QTRY_COMPARE(window.jobList().model().rowCount(), 1);
    window.jobList().cancelRow(0);
    go.release(500);
    QPushButton* go_on = nullptr;
    for (QPushButton* button : window.jobList().findChildren<QPushButton*>()) {
      if (button->isVisible()) {
        go_on = button;
      }
    }
    QVERIFY(go_on != nullptr);
    go_on->click();
    QVERIFY(fixture.settle());
    window.messages().button().click();
    QVERIFY(fixture.settle());
    QCOMPARE(window.workspace().items().size(), std::size_t{1});
    QVERIFY(window.workspace().messages().isEmpty());
  }

  void whatWasOpenedIsDescribed() {
    WindowFixture fixture;
    MainWindow& window = *fixture.window;
    QVERIFY(window.modelView().text().contains(QStringLiteral("Nothing was opened")));
    const QString recording = fixture.saveFake();
    window.open({recording});
    QVERIFY(fixture.settle());
    window.showView(QStringLiteral("model"));
    QVERIFY(fixture.settle());
    QVERIFY(window.modelView().text().contains(QStringLiteral("sentences")));
    QVERIFY(window.modelView().text().contains(QStringLiteral("fake corpus")));
    // A corpus is no picture: the page comes to the front and says what it is.
    const QString corpus = write_corpus(fixture, 3);
    window.open({corpus});
    QVERIFY(fixture.settle());
    QVERIFY(window.modelView().isVisible());
    QVERIFY(window.modelView().text().contains(QStringLiteral("Ctrl+B")));
    // A refusal, in the words of the message.
    const QString nothing = fixture.folder.filePath(QStringLiteral("not-there"));
    window.open({nothing});
    QVERIFY(fixture.settle());
    QVERIFY(window.modelView().text().contains(QStringLiteral("cannot be opened")));
    QCOMPARE(window.modelView().paths().size(), 3);
  }
};

QTEST_MAIN(BatchTest)
#include "gui_batch_test.moc"
