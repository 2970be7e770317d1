// The window in German: nothing of the window stays English, and it fits.
#include <QAbstractButton>
#include <QAction>
#include <QComboBox>
#include <QDockWidget>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMenuBar>
#include <QPointer>
#include <QRegularExpression>
#include <QSet>
#include <QTest>
#include <QUndoStack>
#include <atomic>
#include <memory>
#include <semaphore>

#include "app/gui/batch_runner.h"
#include "app/gui/guide_page.h"
#include "app/gui/item_models/job_list_model.h"
#include "app/gui/jobs_view.h"
#include "app/gui/language.h"
#include "app/gui/message_bar.h"
#include "app/gui/model_edits.h"
#include "app/gui/model_page.h"
#include "app/gui/sentence_view.h"
#include "app/gui/shortcuts.h"
#include "app/gui/window_host.h"
#include "app/workflow/guide.h"
#include "io/recording/errors.h"
#include "tests/gui/gui_fixture.h"

using mog::test::WindowFixture;
using namespace mog::gui;

namespace {

constexpr int kPatienceMs = 30'000;  // with sanitizers beside other tests

QStringList menu_texts(const QMenu& menu) {
  QStringList texts;
  for (const QAction* action : menu.actions()) {
    if (!action->isSeparator()) {
      texts.push_back(action->text());
    }
    if (const QMenu* inside = action->menu<QMenu*>()) {
      texts += menu_texts(*inside);
    }
  }
  return texts;
}

QStringList titles_of(const JobListModel& jobs) {
  QStringList titles;
  for (int row = 0; row < jobs.rowCount(); ++row) {
    titles.push_back(jobs.index(row, JobListModel::kTitle).data().toString());
  }
  return titles;
}

// What a reader sees or hears of the window itself.
QStringList texts_of(const MainWindow& window) {
  QStringList texts;
  for (const QAction* action : window.menuBar()->actions()) {
    texts.push_back(action->text());
    texts += menu_texts(*action->menu<QMenu*>());
  }
  for (const QWidget* widget : window.findChildren<QWidget*>()) {
    texts += {widget->toolTip(), widget->accessibleName(), widget->windowTitle()};
    if (const auto* button = qobject_cast<const QAbstractButton*>(widget)) {
      texts.push_back(button->text());
    }
    if (const auto* label = qobject_cast<const QLabel*>(widget)) {
      texts.push_back(label->text());
    }
    if (const auto* box = qobject_cast<const QComboBox*>(widget)) {
      for (int i = 0; i < box->count(); ++i) {
        texts.push_back(box->itemText(i));
      }
    }
  }
  return texts;
}

}  // namespace

class LanguageTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void cleanup() { install_language(*qApp, QStringLiteral("en")); }

  void namesAreKnown() {
    QCOMPARE(install_language(*qApp, QStringLiteral("de")), QStringLiteral("de"));
    QCOMPARE(install_language(*qApp, QStringLiteral("en")), QStringLiteral("en"));
    const QString followed = install_language(*qApp, QStringLiteral("system"));
    QVERIFY(followed == QLatin1String("en") || followed == QLatin1String("de"));
    for (const QString& name : language_names()) {
      QVERIFY(!language_text(name).isEmpty());
    }
  }

  void theWindowIsGerman() {
    QStringList english;
    {
      WindowFixture fixture;
      fixture.openFakeModel();
      fixture.openFake();
      english = texts_of(*fixture.window);
    }
    install_language(*qApp, QStringLiteral("de"));
    WindowFixture fixture;
    fixture.openFakeModel();
    fixture.openFake();
    const QStringList german = texts_of(*fixture.window);
    QVERIFY(german.contains(QStringLiteral("&Datei")));
    QVERIFY(german.contains(QStringLiteral("Änderungen")));
    // Words that are of no German text.
    static const QRegularExpression words(QStringLiteral(
        "\\b(the|and|with|sentence|sentences|layer|heads|word|open|choose|of|is|are|view)\\b"));
    for (const QString& text : german) {
      if (text.contains(QStringLiteral("fake"))) {
        continue;  // names of what is open
      }
      // Further lines are notes of the analysis, English as in files.
      QVERIFY2(!words.match(text.section(QLatin1Char('\n'), 0, 0)).hasMatch(), qPrintable(text));
    }
    QVERIFY(english.size() > 100);
  }

  void keysAndGuideAreGerman() {
    install_language(*qApp, QStringLiteral("de"));
    WindowFixture fixture;
    bool control = false;
    for (const ShortcutGroup& group : shortcut_groups(*fixture.window)) {
      for (const ShortcutRow& row : group.rows) {
        control = control || row.text().contains(QStringLiteral("Strg+"));
        QVERIFY2(!row.text().contains(QStringLiteral("Ctrl")), qPrintable(row.text()));
      }
    }
    QVERIFY(control);
    static const QRegularExpression words(
        QStringLiteral("\\b(the|and|or|with|of|is|are|before|after|over|without|mean|leaves|carried)\\b"));
    for (const mog::app::GuideEntry* entry : mog::app::guide()) {
      QVERIFY2(guide_text(entry->meaning) !=
                   QString::fromUtf8(entry->meaning.data(), static_cast<qsizetype>(entry->meaning.size())),
               entry->name.data());
      const QString formula = guide_text(entry->formula);
      QVERIFY2(!words.match(formula).hasMatch(), qPrintable(formula));
    }
  }

  // They are made outside of Qt's classes, where the context of a text is easily another one.
  void changesAreGerman() {
    install_language(*qApp, QStringLiteral("de"));
    const mog::Sentence sentence = mog::test::FakeTokenizer().encode("one two");
    QCOMPARE(edit_text(mog::model::MaskToken{.token = 0}, sentence), QStringLiteral("“one” maskiert"));
    QCOMPARE(edit_text(mog::model::ScaleLayer{.layer = 2, .factor = 0}, sentence),
             QStringLiteral("Aufmerksamkeit von Schicht 2 entfernt"));
    const TypedSentence parent{"one two", {}, -1};
    QCOMPARE(change_text({"one three", {}, 0}, &parent, sentence),
             QStringLiteral("andere Wörter: one three"));
  }

  void wordsOfTheFieldAndNamesFit() {
    install_language(*qApp, QStringLiteral("de"));
    // Of attention, not of a game.
    QCOMPARE(QCoreApplication::translate("mog::gui::DecompositionView", "Score"), QStringLiteral("Score"));
    // A name that is put in has no case.
    const QString job = QCoreApplication::translate("mog::gui::WeightView", "%1 of %2");
    QCOMPARE(job.arg(QStringLiteral("Gate-Gewicht"), QStringLiteral("Getippte Sätze")),
             QStringLiteral("Gate-Gewicht: Getippte Sätze"));
  }

  // Another language is another window with the same session.
  void theLanguageChangesAtOnce() {
    QTemporaryDir folder;
    const QString recording = mog::test::save_recording(folder.filePath(QStringLiteral("fake.rec")));
    const QString model = mog::test::model_folder(folder.path());
    const auto make = [&] {
      return std::make_unique<MainWindow>(
          std::make_unique<QSettings>(folder.filePath(QStringLiteral("s.ini")), QSettings::IniFormat),
          mog::test::fake_openers(), folder.filePath(QStringLiteral("sessions")));
    };
    WindowHost host(make);
    host.window().resize(1200, 800);
    host.window().show();
    host.window().open({recording, model});
    QTRY_VERIFY_WITH_TIMEOUT(
        host.window().jobs().idle() && host.window().workspace().currentModel() != nullptr, kPatienceMs);
    host.window().workspace().runSentence(QStringLiteral("a typed sentence"));
    QTRY_VERIFY_WITH_TIMEOUT(host.window().jobs().idle() && host.window().workspace().items().size() == 2,
                             kPatienceMs);
    MainWindow& english = host.window();
    english.workspace().select({1, 2});
    english.selection().setMap(2, mog::Part::high, 1);
    english.selection().setToken(3);
    english.state().set(setting::kGraphsShow, QStringLiteral("arcs"));
    english.sentences().find().setText(QStringLiteral("w2x"));
    english.sentences().typing().setText(QStringLiteral("not run yet"));
    english.workspace().report(QStringLiteral("said before"));
    english.showDock(QStringLiteral("gates"));
    QTRY_VERIFY_WITH_TIMEOUT(english.jobs().idle(), kPatienceMs);
    const auto kept = [](MainWindow& window) {
      mog::app::Session session = window.session().current();
      session.docks.clear();
      session.layouts.clear();
      return mog::app::print_session(session);
    };
    const std::string before = kept(english);
    const QPointer<MainWindow> first = &english;

    // A job that runs ends as it should: the language waits for it.
    static std::binary_semaphore go(0);
    bool done = false;
    const int slow = english.jobs().start(
        {.title = QStringLiteral("slow"), .slot = {}}, qApp,
        [](const JobContext&) {
          go.acquire();
          return 1;
        },
        [&done](int) { done = true; });
    // What was cancelled can still go on there.
    BatchRequest request;
    request.model = english.workspace().currentModel()->id;
    request.output = QStringLiteral("half.rec");
    english.batches().addStopped(slow, request);
    const int steps = english.state().history().count();
    const QString undo_text = english.state().history().undoText();
    QVERIFY(steps >= 2);
    english.chooseLanguage(QStringLiteral("de"));
    QTest::qWait(50);
    QCOMPARE(&host.window(), first.data());
    QVERIFY(!done && english.readout().contains(QStringLiteral("as soon as")));
    go.release();
    QTRY_VERIFY_WITH_TIMEOUT(first.isNull(), kPatienceMs);
    QVERIFY(done);
    QTRY_VERIFY_WITH_TIMEOUT(host.window().readout().contains(QStringLiteral("Deutsch")), kPatienceMs);
    QTRY_VERIFY_WITH_TIMEOUT(host.window().jobs().idle(), kPatienceMs);

    MainWindow& german = host.window();
    QVERIFY(german.isVisible());
    QVERIFY(texts_of(german).contains(QStringLiteral("&Datei")));
    QCOMPARE(kept(german), before);
    QCOMPARE(german.sentences().typing().text(), QStringLiteral("not run yet"));
    QCOMPARE(german.messages().shown(), QStringLiteral("said before"));
    QCOMPARE(german.size(), QSize(1200, 800));
    // Its past goes along: undo in the new language, and the jobs that have ended.
    QUndoStack& history = german.state().history();
    QCOMPARE(history.count(), steps);
    QCOMPARE(history.index(), steps);
    QVERIFY(!history.undoText().isEmpty() && history.undoText() != undo_text);
    history.undo();
    QCOMPARE(german.state().choice(setting::kGraphsShow), QStringLiteral("tree"));
    history.undo();
    QVERIFY(!german.selection().token());
    history.redo();
    history.redo();
    QTRY_VERIFY_WITH_TIMEOUT(german.jobs().idle(), kPatienceMs);
    QCOMPARE(kept(german), before);
    const JobListModel& jobs = german.jobList().model();
    QVERIFY(titles_of(jobs).contains(QStringLiteral("Öffnet fake.rec")));
    QVERIFY(titles_of(jobs).contains(QStringLiteral("Lässt „a typed sentence“ laufen")));
    int row = 0;
    while (row < jobs.rowCount() && jobs.index(row, 0).data().toString() != QLatin1String("slow")) {
      ++row;
    }
    QVERIFY(row < jobs.rowCount());
    const int number = jobs.index(row, 0).data(JobListModel::kIdRole).toInt();
    QVERIFY(number < 0);
    QVERIFY(german.batches().canResume(number));
    QVERIFY(german.workspace().model(german.batches().canGoOn().at(number).model) != nullptr);
    // The same language once more is nothing; and back.
    german.chooseLanguage(QStringLiteral("de"));
    QTest::qWait(20);
    QCOMPARE(&host.window(), &german);
    german.chooseLanguage(QStringLiteral("en"));
    QTRY_VERIFY_WITH_TIMEOUT(texts_of(host.window()).contains(QStringLiteral("&File")), kPatienceMs);
    QTRY_VERIFY_WITH_TIMEOUT(host.window().jobs().idle(), kPatienceMs);
    QCOMPARE(kept(host.window()), before);
    QVERIFY(titles_of(host.window().jobList().model()).contains(QStringLiteral("Opening fake.rec")));
  }

  // What is open is handed over: neither files that cannot be opened any more nor a reader who cancels all
  // jobs can lose what was open, or the steps of undo.
  void nothingIsOpenedAnew() {
    QTemporaryDir folder;
    const QString recording = mog::test::save_recording(folder.filePath(QStringLiteral("fake.rec")));
    const QString model = mog::test::model_folder(folder.path());
    const auto gone = std::make_shared<std::atomic<bool>>(false);
    Openers openers = mog::test::fake_openers();
    const auto refuse = [gone] {
      if (*gone) {
        throw mog::StorageError("the disk is gone");
      }
    };
    openers.model = [refuse, open = openers.model](const std::filesystem::path& path) {
      refuse();
      return open(path);
    };
    openers.recording = [refuse, open = openers.recording](const std::filesystem::path& path) {
      refuse();
      return open(path);
    };
    WindowHost host([&] {
      return std::make_unique<MainWindow>(
          std::make_unique<QSettings>(folder.filePath(QStringLiteral("s.ini")), QSettings::IniFormat),
          openers, QString());
    });
    host.window().show();
    host.window().open({recording, model});
    QTRY_VERIFY_WITH_TIMEOUT(
        host.window().jobs().idle() && host.window().workspace().currentModel() != nullptr, kPatienceMs);
    host.window().workspace().runSentence(QStringLiteral("a typed sentence"));
    QTRY_VERIFY_WITH_TIMEOUT(host.window().jobs().idle() && host.window().workspace().items().size() == 2,
                             kPatienceMs);
    MainWindow& english = host.window();
    const int read = english.workspace().items().front().id;
    english.workspace().select({read, 2});
    english.selection().setToken(3);
    english.state().set(setting::kGraphsShow, QStringLiteral("arcs"));
    english.sentences().typing().setText(QStringLiteral("not run yet"));
    QTRY_VERIFY_WITH_TIMEOUT(english.jobs().idle(), kPatienceMs);
    const QStringList found = english.modelPage().paths();
    const QString page = english.showGuide(QStringLiteral("gates")).shown();
    const int steps = english.state().history().count();
    QVERIFY(steps >= 2 && !found.isEmpty());

    *gone = true;
    connect(&host, &WindowHost::renewed, &host, [&host] { host.window().jobs().cancelAll(); });
    const QPointer<MainWindow> first = &english;
    english.chooseLanguage(QStringLiteral("de"));
    QTRY_VERIFY_WITH_TIMEOUT(first.isNull(), kPatienceMs);
    QTRY_VERIFY_WITH_TIMEOUT(host.window().jobs().idle(), kPatienceMs);
    MainWindow& german = host.window();
    QCOMPARE(german.messages().shown(), QString());
    QCOMPARE(german.workspace().items().size(), std::size_t{2});
    QCOMPARE(german.workspace().items().back().name, QStringLiteral("Getippte Sätze"));
    QVERIFY(german.workspace().currentModel() != nullptr);
    QCOMPARE(german.sentences().typing().text(), QStringLiteral("not run yet"));
    QCOMPARE(german.modelPage().paths(), found);
    QVERIFY(german.guide() != nullptr);
    QCOMPARE(german.guide()->shown(), page);
    QVERIFY(german.selection().sentence() == (SentenceRef{read, 2}));
    QCOMPARE(german.selection().token().value_or(-1), std::int64_t{3});
    QUndoStack& history = german.state().history();
    QCOMPARE(history.count(), steps);
    history.undo();
    QCOMPARE(german.state().choice(setting::kGraphsShow), QStringLiteral("tree"));
    history.undo();
    QVERIFY(!german.selection().token());
    // Numbers of items go on: no step meets an item that came later.
    const auto later = mog::test::make_recording();
    german.workspace().addRecording(QStringLiteral("later"), {}, later, later->token_counts());
    QVERIFY(german.workspace().items().back().id > german.workspace().items()[1].id);
  }

  // Keys are the same in every language.
  void shortcutsStay() {
    const auto keys = [](const MainWindow& window) {
      QSet<QKeySequence> found;
      for (const QAction* action : window.findChildren<QAction*>()) {
        for (const QKeySequence& key : action->shortcuts()) {
          found.insert(key);
        }
      }
      return found;
    };
    WindowFixture english;
    install_language(*qApp, QStringLiteral("de"));
    WindowFixture german;
    QCOMPARE(keys(*german.window), keys(*english.window));
  }

  // No two entries of one German menu have the same letter.
  void lettersOfMenusDiffer() {
    install_language(*qApp, QStringLiteral("de"));
    WindowFixture fixture;
    QList<const QWidget*> menus = {fixture.window->menuBar()};
    for (const QMenu* menu : fixture.window->menuBar()->findChildren<QMenu*>()) {
      menus.push_back(menu);
    }
    for (const QWidget* menu : menus) {
      QStringList letters;
      for (const QAction* action : menu->actions()) {
        const QString text = action->text();
        const qsizetype mark = text.indexOf(QLatin1Char('&'));
        if (mark >= 0 && mark + 1 < text.size()) {
          const QString letter = text.mid(mark + 1, 1).toLower();
          QVERIFY2(!letters.contains(letter), qPrintable(text));
          letters.push_back(letter);
        }
      }
    }
  }
};

QTEST_MAIN(LanguageTest)
#include "gui_language_test.moc"
