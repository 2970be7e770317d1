// A monkey at the keyboard and the mouse, and the program killed under its hands.
//
// MOG_MONKEY_EVENTS (1,500), MOG_MONKEY_SEED (a fixed one) and MOG_MONKEY_KILLS (2) make longer runs; the
// same seed gives the same events, though not always at the same moments of the jobs.
#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QProcess>
#include <QTest>
#include <algorithm>
#include <random>

#include "app/gui/views/attention/attention_choices.h"
#include "app/gui/views/attention/attention_view.h"
#include "app/gui/widgets/figure_canvas.h"
#include "tests/gui/gui_fixture.h"
#include "tests/gui/monkey.h"

using mog::test::Monkey;
using mog::test::WindowFixture;
using namespace mog::gui;

namespace {

int from_environment(const char* name, int otherwise) {
  bool set = false;
  const int value = qEnvironmentVariableIntValue(name, &set);
  return set ? value : otherwise;
}

std::uint32_t seed() {
  return static_cast<std::uint32_t>(from_environment("MOG_MONKEY_SEED", 20261121));
}

QByteArray contents(const QString& path) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

QString write(const QString& path, const QByteArray& bytes) {
  QFile file(path);
  if (file.open(QIODevice::WriteOnly)) {
    file.write(bytes);
  }
  return path;
}

QString comparable(const mog::app::Session& session) {
  return QString::fromStdString(mog::app::print_session(session));
}

QString saved(const QString& path) {
  return comparable(mog::app::parse_session(contents(path).toStdString(), path.toStdString()));
}

}  // namespace

class MonkeyTest : public QObject {
  Q_OBJECT

  // What is open when the monkey begins, and what it may drop.
  static QStringList open(WindowFixture& fixture, const QString& folder) {
    const QString recording = mog::test::save_recording(folder + QStringLiteral("/fake.rec"));
    const QString model = mog::test::model_folder(folder);
    fixture.window->open({recording});
    fixture.settle();
    fixture.window->open({model});
    fixture.settle();
    fixture.window->workspace().runSentence(QStringLiteral("typed before all"));
    fixture.settle();
    fixture.window->workspace().select({1, 0});
    fixture.window->state().set(setting::kAttentionThreshold, ViewState::Value(0.0));
    fixture.window->attention().choices().togglePieces();
    fixture.window->selection().setToken(0);
    const QString session = folder + QStringLiteral("/kept.mog-session");
    fixture.window->session().save(session);
    return {recording, model, session, write(folder + QStringLiteral("/damaged.h5"), "no HDF5"),
            write(folder + QStringLiteral("/text.txt"), "some words\n")};
  }

 private Q_SLOTS:
  // Nothing is written outside of this folder, whatever the monkey types.
  void initTestCase() {
    QVERIFY(home_.isValid());
    qputenv("HOME", home_.path().toLocal8Bit());
    QVERIFY(QDir::setCurrent(home_.path()));
  }

  void randomEventsDoNoHarm() {
    QTemporaryDir sessions;
    WindowFixture fixture(mog::test::fake_openers(), sessions.path());
    MainWindow& window = *fixture.window;
    mog::test::MonkeyOptions options;
    options.seed = seed();
    options.events = from_environment("MOG_MONKEY_EVENTS", 1500);
    options.files = open(fixture, fixture.folder.path());
    qInfo("%lld events, seed %u", static_cast<long long>(options.events), options.seed);
    Monkey monkey(window, options);
    monkey.run();
    QVERIFY2(fixture.settle(), qPrintable(monkey.lastEvents()));
    const SelectionExtent& extent = window.selection().extent();
    QVERIFY(window.selection().layer() <= extent.layers);
    QVERIFY(window.selection().head() <= extent.heads);
    QVERIFY(!window.selection().token() || *window.selection().token() < extent.tokens);
    // It still does its work.
    window.setEnabled(true);
    fixture.openFake();
    window.attention().choices().setShow(AttentionChoices::Show::both);
    QVERIFY(fixture.settle());
    QVERIFY2(window.attention().matrix().figure() != nullptr, qPrintable(monkey.lastEvents()));
    // What is saved by itself is what the window would save.
    window.session().autosaveNow();
    if (!window.session().autosavePath().isEmpty()) {
      QCOMPARE(saved(window.session().autosavePath()), comparable(window.session().current()));
    }
  }

  // The child is this program with a monkey in it. At every moment the autosave is a whole session, and the
  // next start opens it.
  void killedAtAnyMomentItComesBack() {
    std::mt19937 random(seed());
    for (int kill = from_environment("MOG_MONKEY_KILLS", 2); kill > 0; --kill) {
      QTemporaryDir sessions;
      QProcess child;
      QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
      environment.insert(QStringLiteral("MOG_MONKEY_VICTIM"), sessions.path());
      environment.insert(QStringLiteral("TMPDIR"), sessions.path());  // what it leaves goes with the folder
      environment.insert(QStringLiteral("MOG_MONKEY_SEED"), QString::number(random() % 1'000'000));
      child.setProcessEnvironment(environment);
      child.setProcessChannelMode(QProcess::ForwardedChannels);
      child.start(QCoreApplication::applicationFilePath(), {QStringLiteral("actsUntilItIsKilled")});
      QVERIFY(child.waitForStarted());
      QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(sessions.filePath(QStringLiteral("acts"))), 60'000);
      QTest::qWait(static_cast<int>(random() % 3000));
      QCOMPARE(child.state(), QProcess::Running);  // it did not end by itself
      child.kill();
      QVERIFY(child.waitForFinished());
      const QStringList left =
          QDir(sessions.path()).entryList({QStringLiteral("autosave-*.mog-session")}, QDir::Files);
      QCOMPARE(left.size(), 1);
      const QString before = saved(sessions.filePath(left.front()));
      WindowFixture next(mog::test::fake_openers(), sessions.path());
      QVERIFY(next.window->session().recover());
      QVERIFY(next.settle());
      QCOMPARE(comparable(next.window->session().current()), before);
      const QStringList messages = next.window->workspace().messages();
      QVERIFY2(messages.last().contains(QStringLiteral("unexpectedly")),
               qPrintable(messages.join(QLatin1Char('\n'))));
    }
  }

  void actsUntilItIsKilled() {
    const QString folder = qEnvironmentVariable("MOG_MONKEY_VICTIM");
    if (folder.isEmpty()) {
      return;  // only as a child of the test above
    }
    WindowFixture fixture(mog::test::fake_openers(), folder);
    mog::test::MonkeyOptions options;
    options.seed = seed();
    options.events = 1'000'000;
    options.files = open(fixture, folder);
    const QString autosave = fixture.window->session().autosavePath();
    // Zero and false are kept as such.
    QTRY_VERIFY(contents(autosave).contains("\"attention.threshold\": 0.0"));
    QVERIFY(contents(autosave).contains("\"attention.pieces\": true"));
    write(folder + QStringLiteral("/acts"), {});
    Monkey(*fixture.window, options).run();
  }

 private:
  QTemporaryDir home_;
};

QTEST_MAIN(MonkeyTest)
#include "gui_monkey_test.moc"
