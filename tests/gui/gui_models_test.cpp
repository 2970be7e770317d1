// Several models and recordings at once: which one runs what is typed, and how they are told apart.
#include <QAbstractButton>
#include <QComboBox>
#include <QFile>
#include <QLineEdit>
#include <QMessageBox>
#include <QTest>

#include "app/gui/views/corpus/sentence_view.h"
#include "app/gui/views/item_models/sentence_table_model.h"
#include "app/gui/views/jobs/model_view.h"
#include "app/gui/views/strip/typing_field.h"
#include "app/gui/window/rail.h"
#include "tests/gui/gui_fixture.h"

using mog::test::WindowFixture;
using namespace mog::gui;

namespace {

OpenedModel fake_model(std::uint64_t seed) {
  mog::test::FakeModelOptions options;
  options.seed = seed;
  return mog::test::fake_openers(options).model({});
}

QString seed_of(const WorkspaceItem& item) {
  return QString::fromStdString(item.source->header().model.weights_sha256).right(1);
}

struct Models : WindowFixture {
  Models() {
    for (const int seed : {1, 2}) {
      workspace().addModel(folder.filePath(QStringLiteral("run%1/fake").arg(seed)),
                           fake_model(static_cast<std::uint64_t>(seed)));
    }
  }
  Workspace& workspace() const { return window->workspace(); }
  SentenceView& sentences() const { return window->sentences(); }
  TypingField& field() const { return window->rail().field(); }
  QComboBox& lists() const { return sentences().lists(); }
  void type(const QString& text) {
    field().typing().setText(text);
    QTest::keyClick(&field().typing(), Qt::Key_Return);
    settle();
  }
  void choose(const QString& list) {
    const int row = lists().findText(list);
    QVERIFY2(row >= 0, qPrintable(list));
    lists().setCurrentIndex(row);
    Q_EMIT lists().activated(row);
    settle();
  }
  void addRecording(const QString& path, std::uint64_t seed, const std::string& name = {}) {
    mog::test::CorpusOptions options;
    options.model.seed = seed;
    options.name = name;
    auto recording = mog::test::make_recording(options);
    auto tokens = recording->token_counts();
    workspace().addRecording(QStringLiteral("news.rec"), path, std::move(recording), std::move(tokens));
    settle();
  }
};

}  // namespace

class ModelsTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void typingGoesToTheModelWhoseListIsChosen() {
    Models fixture;
    fixture.type(QStringLiteral("one two three"));
    QCOMPARE(seed_of(*fixture.workspace().selectedItem()), QStringLiteral("2"));  // opened last
    fixture.choose(QStringLiteral("fake (run1): nothing typed yet"));
    QVERIFY(fixture.field().typing().toolTip().contains(QStringLiteral("run1")));
    QCOMPARE(fixture.sentences().table().rowCount(), 0);
    fixture.type(QStringLiteral("four five"));
    QCOMPARE(seed_of(*fixture.workspace().selectedItem()), QStringLiteral("1"));
    fixture.choose(QStringLiteral("fake (run2): typed sentences"));
    QVERIFY(fixture.field().typing().toolTip().contains(QStringLiteral("run2")));
    fixture.type(QStringLiteral("six seven"));
    QCOMPARE(seed_of(*fixture.workspace().selectedItem()), QStringLiteral("2"));
    QCOMPARE(fixture.workspace().selectedItem()->typed.size(), std::size_t{2});
    fixture.choose(QStringLiteral("fake (run1): typed sentences"));
    QCOMPARE(fixture.workspace().currentModel()->id, 1);
  }

  // Whoever opens a model means to type for it; the lists say so.
  void aModelJustOpenedIsChosen() {
    Models fixture;
    fixture.type(QStringLiteral("one two three"));
    fixture.workspace().addModel(fixture.folder.filePath(QStringLiteral("run3/fake")), fake_model(3));
    QCOMPARE(fixture.lists().currentText(), QStringLiteral("fake (run3): nothing typed yet"));
    QVERIFY(fixture.field().typing().toolTip().contains(QStringLiteral("run3")));
    QCOMPARE(fixture.window->windowTitle(), QStringLiteral("fake (run2): typed sentences – MoG Workbench"));
    fixture.choose(QStringLiteral("fake (run2): typed sentences"));  // the sentence that is selected already
    QCOMPARE(fixture.workspace().currentModel()->id, 2);
    QCOMPARE(fixture.sentences().table().rowCount(), 1);
  }

  void ofARecordingItsModelRunsWhatIsTyped() {
    Models fixture;
    fixture.addRecording(QStringLiteral("/data/a/news.rec"), 1);
    QCOMPARE(fixture.workspace().currentModel()->id, 1);
    QVERIFY(fixture.field().typing().toolTip().contains(QStringLiteral("run1")));
    fixture.addRecording(QStringLiteral("/data/b/news.rec"), 7);  // of a model that is not open
    QCOMPARE(fixture.workspace().currentModel()->id, 2);
  }

  void theTitleNamesTheModelOfWhatIsShown() {
    Models fixture;
    fixture.addRecording(QStringLiteral("/data/news.rec"), 1);
    QCOMPARE(fixture.window->windowTitle(), QStringLiteral("news.rec – fake – MoG Workbench"));
    fixture.type(QStringLiteral("one two three"));
    QCOMPARE(fixture.window->windowTitle(), QStringLiteral("fake (run1): typed sentences – MoG Workbench"));
  }

  // A session opens what it names in one go: the page of what was found has it all.
  void whatASessionOpensWasFound() {
    Models fixture;
    const QString recording = fixture.saveFake();
    mog::app::Session session;
    session.models = {mog::test::model_folder(fixture.folder.path()).toStdString()};
    mog::app::SessionItem typed;
    typed.model = 0;
    typed.sentences = {{"one two", {}, -1}};
    mog::app::SessionItem recorded;
    recorded.recording = recording.toStdString();
    session.items = {recorded, typed};
    bool done = false;
    fixture.workspace().restore(session, QStringLiteral("s"), [&done](const auto&) { done = true; });
    QVERIFY(fixture.settle());
    QVERIFY(done);
    fixture.window->showView(QStringLiteral("model"));
    QVERIFY(fixture.settle());
    const QStringList paths = fixture.window->modelView().paths();
    QVERIFY(paths.contains(recording));
    QVERIFY(paths.contains(QString::fromStdString(session.models.front())));
    const QString text = fixture.window->modelView().text();
    QVERIFY2(!text.contains(QStringLiteral("Nothing was opened")), qPrintable(text));
  }

  // The words of plain text are chosen beside the line; a session brings choice and sentences back.
  void theWordsOfWhatIsTypedAreChosen() {
    Models fixture;
    const QString text = QStringLiteral("don't stop");
    const auto words = [&fixture] {
      const WorkspaceItem* item = fixture.workspace().selectedItem();
      return item->source->sentence(item->source->size() - 1).words.size();
    };
    fixture.type(text);
    QCOMPARE(words(), std::size_t{2});  // as the model cuts
    const auto choose = [&fixture](const char* cut) {
      fixture.field().words().setCurrentText(QString::fromLatin1(cut));
      Q_EMIT fixture.field().words().textActivated(QString::fromLatin1(cut));
    };
    choose("ud-en");
    fixture.type(text);
    QCOMPARE(words(), std::size_t{3});  // do n't stop
    choose("characters");
    fixture.type(text);
    QCOMPARE(words(), std::size_t{9});
    mog::app::Session session = mog::app::parse_session(mog::app::print_session([&fixture] {
                                                          mog::app::Session kept;
                                                          fixture.workspace().describe(kept);
                                                          return kept;
                                                        }()),
                                                        "s");
    QCOMPARE(session.items.front().sentences.at(1).words, mog::model::WordCut::ud_en);
    const QString command = fixture.workspace()
                                .recordCommand(fixture.workspace().items().front(), QStringLiteral("x"))
                                .value_or(QString());
    QVERIFY(command.isEmpty());  // one command cuts in one way
    fixture.window->state().set(setting::kTypedWords, QStringLiteral("spaces"));
    QCOMPARE(fixture.field().words().currentText(), QStringLiteral("spaces"));
  }

  void listsOfOneNameAreToldApart() {
    Models fixture;
    fixture.addRecording(QStringLiteral("/data/a/news.rec"), 1);
    QCOMPARE(fixture.lists().currentText(), QStringLiteral("news.rec"));
    fixture.addRecording(QStringLiteral("/data/b/news.rec"), 2);
    fixture.addRecording(QStringLiteral("/more/b/news.rec"), 2);
    QStringList names;
    for (const WorkspaceItem& item : fixture.workspace().items()) {
      names.push_back(item.name);
    }
    QCOMPARE(names, (QStringList{QStringLiteral("news.rec (data/a)"), QStringLiteral("news.rec (data/b)"),
                                 QStringLiteral("news.rec (more/b)")}));
    // Opened twice, and one without a place: nothing but a number tells them apart.
    fixture.addRecording(QStringLiteral("/more/b/news.rec"), 2);
    QCOMPARE(fixture.workspace().items().back().name, QStringLiteral("news.rec (4)"));
    fixture.workspace().closeItem(4);
    fixture.workspace().closeItem(3);
    fixture.workspace().closeItem(2);
    QCOMPARE(fixture.lists().itemText(0), QStringLiteral("news.rec"));
  }

  void aRecordingThatIsOpenIsSelected() {
    Models fixture;
    const QString path = fixture.saveFake();
    fixture.workspace().open(path);
    QVERIFY(fixture.settle());
    const std::size_t lists = fixture.workspace().items().size();
    const int id = fixture.workspace().items().back().id;
    fixture.type(QStringLiteral("one two three"));
    QVERIFY(fixture.workspace().selectedItem()->id != id);
    const QString link = fixture.folder.filePath(QStringLiteral("link.rec"));
    QVERIFY(QFile::link(path, link));
    fixture.workspace().open(link);
    QVERIFY(fixture.settle());
    QCOMPARE(fixture.workspace().items().size(), lists + 1);  // and the typed sentence
    QCOMPARE(fixture.workspace().selectedItem()->id, id);
    QVERIFY(fixture.workspace().messages().isEmpty());
  }

  // The name in a recording leads; a session finds it there again.
  void recordingsGoByTheirNames() {
    Models fixture;
    fixture.addRecording(QStringLiteral("/data/a/news.rec"), 1, "news, six layers");
    QCOMPARE(fixture.lists().currentText(), QStringLiteral("news, six layers"));
    QCOMPARE(fixture.window->windowTitle(), QStringLiteral("news, six layers – fake – MoG Workbench"));
    fixture.addRecording(QStringLiteral("/data/b/news.rec"), 2);
    fixture.addRecording(QStringLiteral("/data/c/news.rec"), 2, "news, six layers");
    QStringList names;
    for (const WorkspaceItem& item : fixture.workspace().items()) {
      names.push_back(item.name);
    }
    QCOMPARE(names, (QStringList{QStringLiteral("news, six layers (a/news.rec)"), QStringLiteral("news.rec"),
                                 QStringLiteral("news, six layers (c/news.rec)")}));
    mog::test::CorpusOptions options;
    options.name = "novels";
    const QString path = fixture.folder.filePath(QStringLiteral("kept.rec"));
    mog::test::save_recording(path, options);
    mog::app::Session session;
    session.items.emplace_back().recording = path.toStdString();
    fixture.workspace().restore(session, QStringLiteral("s"), [](const auto&) {});
    QVERIFY(fixture.settle());
    QCOMPARE(fixture.workspace().items().front().name, QStringLiteral("novels"));
  }

  void whatIsLookedAtIsClosed() {
    WindowFixture fixture;
    MainWindow& window = *fixture.window;
    window.activateWindow();
    const auto close = [&] {
      window.activateWindow();  // a question may have been before it
      if (!QTest::qWaitForWindowActive(&window)) {
        return false;
      }
      QTest::keyClick(&window, Qt::Key_W, Qt::ControlModifier);
      return fixture.settle();
    };
    QVERIFY(close());  // there is nothing
    window.open({fixture.saveFake(QStringLiteral("a.rec")), fixture.saveFake(QStringLiteral("b.rec"))});
    QVERIFY(fixture.settle());
    QCOMPARE(window.workspace().items().size(), 2U);
    const int first = window.workspace().items().front().id;
    window.workspace().select({first, 2});
    QVERIFY(fixture.settle());
    QVERIFY(close());
    QCOMPARE(window.workspace().items().size(), 1U);
    QVERIFY(window.workspace().item(first) == nullptr);
    QCOMPARE(window.selection().sentence().item, window.workspace().items().front().id);
    QVERIFY(close());
    QVERIFY(window.workspace().items().empty());
    QVERIFY(!window.selection().sentence().valid());
    QVERIFY(close());
    // A model with typed sentences is asked for.
    fixture.openFakeModel();
    window.workspace().runSentence(QStringLiteral("two words"));
    QVERIFY(fixture.settle());
    QVERIFY(close());
    auto* question = window.findChild<QMessageBox*>();
    QVERIFY(question != nullptr);
    question->reject();
    QVERIFY(fixture.settle());
    QCOMPARE(window.workspace().models().size(), 1U);
    QVERIFY(close());
    for (QMessageBox* asked : window.findChildren<QMessageBox*>()) {
      for (QAbstractButton* button : asked->buttons()) {
        if (asked->isVisible() && asked->buttonRole(button) == QMessageBox::AcceptRole) {
          button->click();
        }
      }
    }
    QVERIFY(fixture.settle());
    QVERIFY(window.workspace().models().empty());
    QVERIFY(window.workspace().items().empty());
    QVERIFY(window.workspace().messages().isEmpty());
  }
};

QTEST_MAIN(ModelsTest)
#include "gui_models_test.moc"
