// Sessions, autosave, recovery after a kill, undo.
#include <QDir>
#include <QFile>
#include <QLineEdit>
#include <QProcess>
#include <QTest>
#include <QThread>
#include <QUndoStack>
#include <cmath>
#include <csignal>
#include <memory>
#include <semaphore>

#include "app/gui/views/attention/attention_choices.h"
#include "app/gui/views/attention/attention_view.h"
#include "app/gui/views/attention/gate_view.h"
#include "app/gui/views/common/view_kind.h"
#include "app/gui/views/corpus/sentence_view.h"
#include "app/gui/views/corpus/weight_view.h"
#include "app/gui/views/graphs/tree_view.h"
#include "app/gui/views/item_models/k_best_model.h"
#include "app/gui/widgets/figure_canvas.h"
#include "app/gui/widgets/layer_head_grid.h"
#include "app/gui/window/files.h"
#include "tests/gui/gui_fixture.h"

using mog::Part;
using mog::test::WindowFixture;
using namespace mog::gui;

namespace {

QByteArray contents(const QString& path) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

// What a person could have left: zeros and falses where others might take them for nothing.
void make_choices(MainWindow& window) {
  window.attention().choices().togglePieces();  // true
  window.state().set(setting::kAttentionThreshold, ViewState::Value(0.0));
  window.attention().choices().setShow(AttentionChoices::Show::matrix);
  window.attention().choices().toggleHead(2);
  window.gates().setShow(GateView::Show::dimensions);
  window.trees().setListed(TreeView::Listed::by_weight);
  window.trees().setShow(TreeView::Show::arcs);
  window.weights().setShow(mog::analysis::WeightPlot::by_layer);
  window.selection().setMap(2, Part::middle1, 0);
  window.selection().setToken(0);
}

void check_choices(MainWindow& window) {
  QCOMPARE(window.state().flag(setting::kAttentionPieces), true);
  QCOMPARE(window.state().number(setting::kAttentionThreshold), 0.0);
  QCOMPARE(window.state().choice(setting::kAttentionShow), QStringLiteral("matrix"));
  QCOMPARE(window.state().list(setting::kHeadsOff), std::vector<std::int64_t>{2});
  QVERIFY(window.gates().show() == GateView::Show::dimensions);
  QVERIFY(window.trees().listed() == TreeView::Listed::by_weight);
  QVERIFY(window.trees().show() == TreeView::Show::arcs);
  QVERIFY(window.weights().show() == mog::analysis::WeightPlot::by_layer);
  QCOMPARE(window.selection().layer(), 2);
  QVERIFY(window.selection().part() == Part::middle1);
  QCOMPARE(window.selection().head(), 0);
  QVERIFY(window.selection().token().has_value());
  QCOMPARE(*window.selection().token(), 0);
}

}  // namespace

class SessionTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void everythingComesBack() {
    WindowFixture fixture;
    const QString recording = fixture.saveFake();
    const QString session = fixture.folder.filePath(QStringLiteral("a.mog-session"));
    {
      fixture.window->open({recording});
      QVERIFY(fixture.settle());
      fixture.openFakeModel();
      fixture.window->workspace().runSentence(QStringLiteral("one typed sentence"));
      QVERIFY(fixture.settle());
      fixture.window->workspace().runSentence(QStringLiteral("and another"));
      QVERIFY(fixture.settle());
      fixture.window->workspace().select({1, 3});
      make_choices(*fixture.window);
      fixture.window->sentences().find().setText(QStringLiteral("w"));
      QVERIFY(fixture.settle());
      fixture.window->session().save(session);
    }
    const QByteArray text = contents(session);
    QVERIFY(text.size() < 8000);  // never weights, never numbers of a recording
    WindowFixture other;
    other.window->open({session});
    QVERIFY(other.settle());
    QVERIFY2(other.window->workspace().messages().isEmpty(),
             qPrintable(other.window->workspace().messages().join(QLatin1Char('\n'))));
    QCOMPARE(other.window->workspace().items().size(), std::size_t{2});
    QCOMPARE(other.window->workspace().items()[1].typed.at(1).text, std::string("and another"));
    QCOMPARE(other.window->workspace().items()[1].tokens.size(), std::size_t{2});
    QCOMPARE(other.window->selection().sentence().index, 3);
    check_choices(*other.window);
    QCOMPARE(other.window->sentences().find().text(), QStringLiteral("w"));
    QVERIFY(!other.window->state().history().canUndo());  // opening is no change
    // Kept again it is the same file, byte by byte.
    const QString again = other.folder.filePath(QStringLiteral("b.mog-session"));
    other.window->resize(fixture.window->size());
    QVERIFY(other.settle());
    other.window->session().save(again);
    QCOMPARE(contents(again), text);
    QVERIFY(other.window->files().recent().contains(QFileInfo(again).absoluteFilePath()));
  }

  void whatIsMissingStaysInTheSession() {
    WindowFixture fixture;
    const QString recording = fixture.saveFake();
    fixture.window->open({recording});
    QVERIFY(fixture.settle());
    const QString session = fixture.folder.filePath(QStringLiteral("a.mog-session"));
    fixture.window->session().save(session);
    QVERIFY(QDir().rename(recording, recording + QStringLiteral(".away")));
    WindowFixture other;
    other.window->open({session});
    QVERIFY(other.settle());
    QCOMPARE(other.window->workspace().messages().size(), 1);
    QVERIFY(other.window->workspace().items().empty());
    const auto now = other.window->session().current();
    QCOMPARE(now.items.size(), std::size_t{1});
    QCOMPARE(QString::fromStdString(now.items[0].recording), QFileInfo(recording).absoluteFilePath());
  }

  // A run that ends after its model was closed has nowhere to put its sentence.
  void runsEndWithTheSessionTheyBelongTo() {
    WindowFixture fixture;
    fixture.window->open({fixture.saveFake()});
    QVERIFY(fixture.settle());
    const QString session = fixture.folder.filePath(QStringLiteral("a.mog-session"));
    fixture.window->session().save(session);
    auto slow = std::make_shared<mog::test::FakeModel>();
    slow->on_run([](std::int64_t) { QThread::msleep(600); });
    mog::gui::OpenedModel loaded;
    loaded.model = slow;
    loaded.tokenizer = std::make_shared<const mog::test::FakeTokenizer>();
    fixture.window->workspace().addModel(mog::test::model_folder(fixture.folder.path()), loaded);
    fixture.window->workspace().runSentence(QStringLiteral("too late"));
    fixture.window->open({session});
    QVERIFY(fixture.settle());
    QTest::qWait(800);
    QCOMPARE(fixture.window->workspace().items().size(), std::size_t{1});
    QVERIFY(fixture.window->workspace().models().empty());
    QCOMPARE(fixture.window->session().current().items.size(), std::size_t{1});
  }

  void aDamagedSessionGivesAMessageAndLeavesTheWindow() {
    WindowFixture fixture;
    fixture.openFake();
    const QString path = fixture.folder.filePath(QStringLiteral("bad.mog-session"));
    const QList<QByteArray> texts = {
        "",
        "{",
        "[]",
        "{\"format\": \"mog-workbench session\", \"version\": 99}",
        "{\"format\": \"mog-workbench session\", \"version\": 1, \"models\": 3}",
        "{\"format\": \"mog-workbench session\", \"version\": 1, \"models\": [], \"items\": [{\"model\": 1, "
        "\"sentences\": []}], \"selection\": {}}"};
    for (const QByteArray& text : texts) {
      QFile file(path);
      QVERIFY(file.open(QIODevice::WriteOnly));
      file.write(text);
      file.close();
      const auto before = fixture.window->workspace().messages().size();
      fixture.window->open({path});
      QVERIFY(fixture.settle());
      QCOMPARE(fixture.window->workspace().messages().size(), before + 1);
      QVERIFY(fixture.window->workspace().messages().last().contains(QStringLiteral("bad.mog-session")));
      QCOMPARE(fixture.window->workspace().items().size(), std::size_t{1});
    }
  }

  void settingsThatCannotBeAreSaidAndLeftOut() {
    WindowFixture fixture;
    const QString recording = fixture.saveFake();
    fixture.window->open({recording});
    QVERIFY(fixture.settle());
    const QString session = fixture.folder.filePath(QStringLiteral("a.mog-session"));
    fixture.window->session().save(session);
    QByteArray text = contents(session);
    text.replace("\"attention.threshold\": -1.0", "\"attention.threshold\": 7000");
    text.replace("\"gates.show\": \"layers\"", "\"gates.show\": \"sideways\"");
    QFile file(session);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(text);
    file.close();
    fixture.window->open({session});
    QVERIFY(fixture.settle());
    QVERIFY(fixture.window->workspace().messages().last().contains(QStringLiteral("attention.threshold")));
    QVERIFY(fixture.window->workspace().messages().last().contains(QStringLiteral("gates.show")));
    QCOMPARE(fixture.window->state().number(setting::kAttentionThreshold), -1.0);
    QVERIFY(fixture.window->gates().show() == GateView::Show::layers);
  }

  // Order was said of leaves, too: what a session of before chose is what it shows.
  void formerNamesAreThoseOfToday() {
    ViewState state(settings_of(view_kinds()));
    const QStringList refused =
        state.restore({{setting::kGraphsList.toStdString(), std::string("by-order")},
                       {setting::kWeightsMeasure.toStdString(), std::string("order")},
                       {setting::kFiguresKind.toStdString(), std::string("order-distribution")}});
    QCOMPARE(refused, QStringList());
    QCOMPARE(state.choice(setting::kGraphsList), QStringLiteral("by-leaves"));
    QCOMPARE(state.choice(setting::kWeightsMeasure), QStringLiteral("leaves"));
    QCOMPARE(state.choice(setting::kFiguresKind), QStringLiteral("leaves-distribution"));
  }

  void undoGoesBackThroughEveryChange() {
    WindowFixture fixture;
    fixture.openFake();
    MainWindow& window = *fixture.window;
    QUndoStack& history = window.state().history();
    const auto first = window.state().values();
    make_choices(window);
    window.selection().setLengthRange(LengthRange{10, 20});
    QVERIFY(fixture.settle());
    const auto last = window.state().values();
    QVERIFY(first != last);
    while (history.canUndo()) {
      history.undo();
    }
    QVERIFY(fixture.settle());
    for (const auto& [name, value] : window.state().values()) {
      QVERIFY2(first.at(name) == value, name.c_str());
    }
    QVERIFY(!window.selection().token());
    QVERIFY(!window.selection().lengthRange());
    QVERIFY(std::get<mog::analysis::HeatMap>(window.attention().matrix().figure()->body).arcs > 0);
    while (history.canRedo()) {
      history.redo();
    }
    QVERIFY(fixture.settle());
    QVERIFY(window.state().values() == last);
    QCOMPARE(*window.selection().token(), 0);
    QCOMPARE(window.selection().lengthRange()->low, 10);
    QCOMPARE(std::get<mog::analysis::HeatMap>(window.attention().matrix().figure()->body).arcs,
             std::int64_t{0});
    // A pin of another sentence: undo goes back there.
    window.workspace().select({1, 0});
    QTest::qWait(1100);
    window.selection().setToken(2);
    window.workspace().select({1, 4});
    QTest::qWait(1100);
    window.selection().setToken(5);
    history.undo();
    QCOMPARE(window.selection().sentence().index, 4);
    QVERIFY(!window.selection().token());
    history.undo();
    QCOMPARE(window.selection().sentence().index, 0);
    QVERIFY(fixture.settle());
  }

  void anotherRecordingIsNoStep() {
    WindowFixture fixture;
    fixture.openFake();
    fixture.window->selection().setLengthRange(LengthRange{10, 20});
    const int steps = fixture.window->state().history().count();
    fixture.openFake();
    QVERIFY(!fixture.window->selection().lengthRange());
    QCOMPARE(fixture.window->state().history().count(), steps);
  }

  void headsAreToggledAndIsolatedInTheGrid() {
    WindowFixture fixture;
    fixture.openFake();
    MainWindow& window = *fixture.window;
    LayerHeadGrid& grid = window.attention().grid();
    const auto mean = [&] {
      return std::get<mog::analysis::HeatMap>(window.attention().matrix().figure()->body).values;
    };
    const auto both = mean();
    QTest::mouseClick(&grid, Qt::LeftButton, {}, grid.label(2).center().toPoint());
    QVERIFY(fixture.settle());
    QCOMPARE(window.state().list(setting::kHeadsOff), std::vector<std::int64_t>{2});
    const auto without = mean();
    QVERIFY(without != both);
    QVERIFY(window.attention().matrix().figure()->title.find("head 1") != std::string::npos);
    // The last one stays.
    window.attention().choices().toggleHead(1);
    QCOMPARE(window.state().list(setting::kHeadsOff), std::vector<std::int64_t>{2});
    // The mean of one head is that head.
    window.selection().setHead(1);
    QVERIFY(fixture.settle());
    QVERIFY(mean() == without);
    window.selection().setHead(0);
    QTest::mouseDClick(&grid, Qt::LeftButton, {}, grid.label(2).center().toPoint());
    QVERIFY(fixture.settle());
    QCOMPARE(window.state().list(setting::kHeadsOff), std::vector<std::int64_t>{1});
    window.attention().choices().isolateHead(2);  // once more: all
    QVERIFY(window.state().list(setting::kHeadsOff).empty());
    QVERIFY(fixture.settle());
    QVERIFY(mean() == both);
    // A double click on one of its maps, too.
    QTest::mouseDClick(&grid, Qt::LeftButton, {}, grid.cell(1, 1).center().toPoint());
    QCOMPARE(window.state().list(setting::kHeadsOff), std::vector<std::int64_t>{2});
  }

  // A session takes the place of all that is open: what comes beside it is opened after it, whoever is
  // faster.
  void whatIsOpenedBesideASessionStays() {
    WindowFixture fixture;
    fixture.openFake();
    MainWindow& window = *fixture.window;
    const QString session = fixture.folder.filePath(QStringLiteral("kept.mog-session"));
    window.session().save(session);
    const QString other = mog::test::save_recording(fixture.folder.filePath(QStringLiteral("other.rec")), {});
    window.open({other, session});
    QVERIFY(window.session().restoring());
    QVERIFY(fixture.settle());
    QVERIFY(!window.session().restoring());
    QStringList names;
    for (const WorkspaceItem& item : window.workspace().items()) {
      names.push_back(item.name);
    }
    QVERIFY2(names.contains(QStringLiteral("other.rec")), qPrintable(names.join(QLatin1Char(' '))));
    // The same after one that cannot be brought back.
    const QString broken = fixture.folder.filePath(QStringLiteral("broken.mog-session"));
    QFile::copy(session, broken);
    const QString third = mog::test::save_recording(fixture.folder.filePath(QStringLiteral("third.rec")), {});
    window.open({broken});
    window.open({third});
    window.jobs().cancelSlot(QStringLiteral("session"));
    QVERIFY(!window.session().restoring());
    QVERIFY(fixture.settle());
    QVERIFY(static_cast<qsizetype>(window.workspace().items().size()) > names.size());
  }

  void autosaveFollowsAndACleanEndKeepsTheLastSession() {
    QTemporaryDir sessions;
    QString autosave;
    {
      WindowFixture fixture(mog::test::fake_openers(), sessions.path());
      const QString recording = fixture.saveFake();
      fixture.window->open({recording});
      QVERIFY(fixture.settle());
      autosave = fixture.window->session().autosavePath();
      QTRY_VERIFY(QFile::exists(autosave));
      fixture.window->selection().setToken(0);
      QTRY_VERIFY(contents(autosave).contains("\"token\": 1"));
      fixture.window->close();
      QVERIFY(!QFile::exists(autosave));
      QVERIFY(!fixture.window->session().lastSession().isEmpty());
    }
    WindowFixture next(mog::test::fake_openers(), sessions.path());
    QVERIFY(!next.window->session().recover());
  }

  // The child is this program, killed while a window is open.
  void aKilledProgramComesBack() {
    QTemporaryDir sessions;
    QProcess child;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QStringLiteral("MOG_TEST_KILLED"), sessions.path());
    child.setProcessEnvironment(environment);
    child.start(QCoreApplication::applicationFilePath(), {QStringLiteral("livesUntilItIsKilled")});
    QVERIFY(child.waitForFinished(60'000));
    QCOMPARE(child.exitStatus(), QProcess::CrashExit);
    WindowFixture fixture(mog::test::fake_openers(), sessions.path());
    QVERIFY(fixture.window->session().recover());
    QVERIFY(fixture.settle());
    QCOMPARE(fixture.window->workspace().items().size(), std::size_t{2});
    QCOMPARE(fixture.window->workspace().items()[1].typed.front().text, std::string("typed before the end"));
    check_choices(*fixture.window);
    QVERIFY(fixture.window->workspace().messages().last().contains(QStringLiteral("unexpectedly")));
    const QStringList left = QDir(sessions.path()).entryList({QStringLiteral("*.mog-session")}, QDir::Files);
    QCOMPARE(left.size(), 1);
    QCOMPARE(QDir(sessions.path()).filePath(left.front()), fixture.window->session().autosavePath());
  }

  // A start that was killed while it brought a session back leaves nothing that stands before that session.
  void anEmptyWindowIsNothingToRecover() {
    QTemporaryDir sessions;
    const auto left = [&sessions](const char* name) {
      return QDir(sessions.path()).filePath(QString::fromLatin1(name));
    };
    {
      WindowFixture full;
      full.window->open({mog::test::save_recording(sessions.path() + QStringLiteral("/fake.rec"))});
      QVERIFY(full.settle());
      full.window->session().save(left("autosave-1.mog-session"));
      const WindowFixture empty;
      empty.window->session().save(left("autosave-2.mog-session"));
    }
    WindowFixture fixture(mog::test::fake_openers(), sessions.path());
    QVERIFY(fixture.window->session().recover());
    QVERIFY(fixture.settle());
    QCOMPARE(fixture.window->workspace().items().size(), std::size_t{1});
    QVERIFY(!QFile::exists(left("autosave-2.mog-session")));
    const QStringList messages = fixture.window->workspace().messages();
    QVERIFY2(!messages.isEmpty() && messages.last().contains(QStringLiteral("unexpectedly")),
             qPrintable(messages.join(QLatin1Char('\n'))));
  }

  // A recovery that was cancelled does not end the saving.
  void aCancelledRecoveryIsFollowedByAutosaves() {
    QTemporaryDir sessions;
    {
      WindowFixture full;
      full.window->open({mog::test::save_recording(sessions.path() + QStringLiteral("/fake.rec"))});
      QVERIFY(full.settle());
      full.window->session().save(QDir(sessions.path()).filePath(QStringLiteral("autosave-1.mog-session")));
    }
    WindowFixture fixture(mog::test::fake_openers(), sessions.path());
    QVERIFY(fixture.window->session().recover());
    fixture.window->jobs().cancelSlot(QStringLiteral("session"));
    QVERIFY(fixture.settle());
    QVERIFY(!fixture.window->session().restoring());
    fixture.window->open({sessions.path() + QStringLiteral("/fake.rec")});
    QVERIFY(fixture.settle());
    QTRY_VERIFY(QFile::exists(fixture.window->session().autosavePath()));
    QTRY_VERIFY(contents(fixture.window->session().autosavePath()).contains("fake.rec"));
  }

  // The window is empty until what was left is open again: that is not what the next start should find.
  void nothingIsSavedWhileARecoveryRuns() {
    QTemporaryDir sessions;
    const QString recording = mog::test::save_recording(sessions.path() + QStringLiteral("/fake.rec"));
    {
      WindowFixture full;
      full.window->open({recording});
      QVERIFY(full.settle());
      full.window->session().save(QDir(sessions.path()).filePath(QStringLiteral("autosave-1.mog-session")));
    }
    const auto may_open = std::make_shared<std::binary_semaphore>(0);
    Openers slow = mog::test::fake_openers();
    slow.recording = [may_open, open = slow.recording](const std::filesystem::path& path) {
      may_open->acquire();
      return open(path);
    };
    WindowFixture fixture(std::move(slow), sessions.path());
    SessionKeeper& session = fixture.window->session();
    session.touch();
    QVERIFY(session.recover());
    session.touch();
    QTest::qWait(2 * kAutosaveMs);  // it would have been saved
    const bool saved = QFile::exists(session.autosavePath());
    const bool restoring = session.restoring();
    may_open->release();
    QVERIFY(fixture.settle());
    QVERIFY(restoring);
    QVERIFY(!saved);
    QTRY_VERIFY(contents(session.autosavePath()).contains("fake.rec"));
  }

  // Another session takes the place of what is open: what was typed and is in no session is kept.
  void whatWasTypedIsKeptWhenAnotherSessionIsOpened() {
    QTemporaryDir sessions;
    WindowFixture fixture(mog::test::fake_openers(), sessions.path());
    MainWindow& window = *fixture.window;
    const QString other = fixture.folder.filePath(QStringLiteral("other.mog-session"));
    fixture.openFake();
    window.session().save(other);
    const auto kept = [&sessions] {
      return QDir(sessions.path()).entryList({QStringLiteral("replaced-*.mog-session")}, QDir::Files);
    };
    window.open({mog::test::model_folder(fixture.folder.path())});
    QVERIFY(fixture.settle());
    window.workspace().runSentence(QStringLiteral("typed and not saved"));
    QVERIFY(fixture.settle());
    window.open({other});
    QVERIFY(fixture.settle());
    QCOMPARE(kept().size(), 1);
    QVERIFY(contents(QDir(sessions.path()).filePath(kept().front())).contains("typed and not saved"));
    QVERIFY(window.workspace().messages().last().contains(QStringLiteral("are kept in the session")));
    // What is in a session needs no copy.
    window.open({QDir(sessions.path()).filePath(kept().front())});
    QVERIFY(fixture.settle());
    window.open({other});
    QVERIFY(fixture.settle());
    QCOMPARE(kept().size(), 1);
  }

  void livesUntilItIsKilled() {
    const QString sessions = qEnvironmentVariable("MOG_TEST_KILLED");
    if (sessions.isEmpty()) {
      return;  // only as a child of the test above
    }
    auto* fixture = new WindowFixture(mog::test::fake_openers(), sessions);
    fixture->window->open({mog::test::save_recording(sessions + QStringLiteral("/fake.rec"))});
    QVERIFY(fixture->settle());
    fixture->window->open({mog::test::model_folder(sessions)});
    QVERIFY(fixture->settle());
    fixture->window->workspace().runSentence(QStringLiteral("typed before the end"));
    QVERIFY(fixture->settle());
    fixture->window->workspace().select({1, 0});
    make_choices(*fixture->window);
    QVERIFY(fixture->settle());
    QTRY_VERIFY(contents(fixture->window->session().autosavePath()).contains("\"token\": 1"));
    QTest::qWait(1200);
    std::raise(SIGKILL);
  }

  void aSessionThatEndedTheProgramTwiceIsNotOpenedByItself() {
    QTemporaryDir sessions;
    const QString recovering = QDir(sessions.path()).filePath(QStringLiteral("recovering-1.mog-session"));
    QFile file(recovering);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("{}");
    file.close();
    WindowFixture fixture(mog::test::fake_openers(), sessions.path());
    QVERIFY(!fixture.window->session().recover());
    QVERIFY(!QFile::exists(recovering));
    QVERIFY(QFile::exists(QDir(sessions.path()).filePath(QStringLiteral("unrestored-1.mog-session"))));
    QCOMPARE(fixture.window->workspace().messages().size(), 1);
  }
};

QTEST_MAIN(SessionTest)
#include "gui_session_test.moc"
