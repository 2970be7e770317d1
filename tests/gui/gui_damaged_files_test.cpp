// Damaged and foreign files: a message in the words of the command line, and the window goes on.
#include <QDropEvent>
#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QMimeData>
#include <QTest>
#include <QUrl>
#include <fstream>

#include "app/gui/session/gold_syntax.h"
#include "app/gui/session/open_path.h"
#include "app/gui/views/attention/attention_view.h"
#include "app/gui/views/jobs/model_view.h"
#include "app/gui/widgets/figure_canvas.h"
#include "app/gui/widgets/message_bar.h"
#include "io/recording/errors.h"
#include "tests/gui/gui_fixture.h"
#include "tests/support/places.h"

using mog::test::WindowFixture;

class DamagedFilesTest : public QObject {
  Q_OBJECT

  static QString write(const QTemporaryDir& folder, const QString& name, const QByteArray& bytes) {
    const QString path = folder.filePath(name);
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly)) {
      return {};
    }
    file.write(bytes);
    return path;
  }

 private Q_SLOTS:
  void damagedFilesGiveTheirMessage_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<QByteArray>("bytes");
    QTest::newRow("no HDF5 behind .h5") << QStringLiteral("x.h5") << QByteArray("not an HDF5 file");
    QTest::newRow("only the signature") << QStringLiteral("y.h5") << QByteArray("\x89HDF\r\n\x1a\n", 8);
    QTest::newRow("empty") << QStringLiteral("empty.h5") << QByteArray();
    QTest::newRow("safetensors") << QStringLiteral("w.safetensors")
                                 << QByteArray("\xff\xff\xff\xff\xff\xff\xff\x7f{", 9);
    QTest::newRow("a corpus") << QStringLiteral("corpus.txt") << QByteArray("A sound line.\n");
    QTest::newRow("not UTF-8") << QStringLiteral("latin.txt") << QByteArray("caf\xe9\n");
  }

  void damagedFilesGiveTheirMessage() {
    QFETCH(QString, name);
    QFETCH(QByteArray, bytes);
    WindowFixture fixture(mog::gui::Openers::standard());
    QTemporaryDir folder;
    const QString path = write(folder, name, bytes);
    fixture.window->open({path});
    QVERIFY(fixture.settle());
    QCOMPARE(fixture.window->workspace().messages().size(), 1);
    const QString message = fixture.window->workspace().messages().front();
    QVERIFY2(message.contains(name), qPrintable(message));
    QVERIFY(fixture.window->messages().isVisible());
    // The words are those of the library that the command line prints, too.
    try {
      const auto opened = mog::gui::open_path(path.toStdString(), mog::gui::Openers::standard());
      const auto* other = std::get_if<mog::gui::OpenedOther>(&opened);
      QVERIFY2(other != nullptr, "neither a model nor a recording");
      QCOMPARE(message, QString::fromStdString(other->advice));
      QVERIFY(fixture.window->modelView().text().contains(QStringLiteral("corpus")));
    } catch (const mog::Error& error) {
      QCOMPARE(message, QString::fromUtf8(error.what()));
    }
    // The program goes on: a sound recording opens.
    fixture.openFake();
    fixture.see("attention");
    QVERIFY(fixture.window->attention().matrix().figure() != nullptr);
  }

  void nothingAtThePath() {
    WindowFixture fixture(mog::gui::Openers::standard());
    fixture.window->open({fixture.folder.filePath(QStringLiteral("not-there"))});
    QVERIFY(fixture.settle());
    QCOMPARE(fixture.window->workspace().messages().size(), 1);
  }

  void anEmptyFolderAndADamagedModel() {
    WindowFixture fixture(mog::gui::Openers::standard());
    QDir(fixture.folder.path()).mkdir(QStringLiteral("empty"));
    QDir(fixture.folder.path()).mkdir(QStringLiteral("model"));
    write(fixture.folder, QStringLiteral("model/config.json"), "{ \"architecture\": ");
    fixture.window->open(
        {fixture.folder.filePath(QStringLiteral("empty")), fixture.folder.filePath(QStringLiteral("model"))});
    QVERIFY(fixture.settle());
    QCOMPARE(fixture.window->workspace().messages().size(), 2);
    QVERIFY(fixture.window->workspace().currentModel() == nullptr);
  }

  void droppedFilesOpen() {
    WindowFixture fixture(mog::gui::Openers::standard());
    const QString path = write(fixture.folder, QStringLiteral("dropped.h5"), "nonsense");
    QMimeData data;
    data.setUrls({QUrl::fromLocalFile(path)});
    QDragEnterEvent enter({100, 100}, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(fixture.window.get(), &enter);
    QVERIFY(enter.isAccepted());
    QDropEvent drop(QPointF(100, 100), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(fixture.window.get(), &drop);
    QVERIFY(fixture.settle());
    QVERIFY(fixture.window->messages().shown().contains(QStringLiteral("dropped.h5")));
  }

  // Every case of the shared collection (its MANIFEST): what must be refused gives one message that names the
  // file, what must open is opened or has its message, and the window goes on.
  void everyHostileFileIsMetByAMessage_data() {
    QTest::addColumn<QString>("kind");
    for (const char* kind : {"hdf5", "model_dir", "safetensors", "torch", "ctranslate2", "text", "conllu",
                             "bpe_codes", "vocab_lines", "vocab_counts", "tokenizer_json"}) {
      QTest::newRow(kind) << QString::fromLatin1(kind);
    }
  }

  void everyHostileFileIsMetByAMessage() {
    QFETCH(QString, kind);
    const auto folder = mog::test::shared_dir() / "hostile";
    QFile manifest(QString::fromStdString((folder / "MANIFEST.json").string()));
    if (mog::test::shared_dir().empty() || !manifest.open(QIODevice::ReadOnly)) {
      QSKIP("the shared test data (MOG_SHARED_DIR) is not here");
    }
    const QJsonArray cases = QJsonDocument::fromJson(manifest.readAll())[QStringLiteral("files")].toArray();
    QVERIFY(!cases.isEmpty());
    WindowFixture fixture(mog::gui::Openers::standard());
    const mog::gui::Workspace& workspace = fixture.window->workspace();
    const QString canary = fixture.folder.filePath(QStringLiteral("canary"));
    qputenv("MOG_CANARY", canary.toLocal8Bit());
    int opened = 0;
    for (const QJsonValue one : cases) {
      if (one[QStringLiteral("kind")] != kind || one[QStringLiteral("on_demand")].toBool()) {
        continue;
      }
      const QString name = one[QStringLiteral("path")].toString();
      const QString path = QString::fromStdString(folder.string()) + QLatin1Char('/') + name;
      const auto messages = workspace.messages().size();
      const std::size_t things = workspace.items().size() + workspace.models().size();
      fixture.window->open({path});
      QTRY_VERIFY2_WITH_TIMEOUT(fixture.window->jobs().idle(), qPrintable(name), 60'000);
      const bool said = workspace.messages().size() == messages + 1;
      const bool gold = workspace.gold().isOpen();
      const bool shown = gold || workspace.items().size() + workspace.models().size() == things + 1;
      fixture.window->workspace().gold().open({});
      QVERIFY2(said != shown, qPrintable(name));
      QVERIFY2(said || one[QStringLiteral("expect")] == QLatin1String("ok"), qPrintable(name));
      if (said) {
        const QString message = workspace.messages().last();
        const bool no_engine = message.contains(QStringLiteral("libmog_engine.so is not there"));
        QVERIFY2(no_engine || message.contains(QFileInfo(name).fileName()),
                 qPrintable(name + QStringLiteral(": ") + message));
        QCOMPARE(fixture.window->messages().shown(), message);
      }
      ++opened;
    }
    QVERIFY(opened > 0);
    QVERIFY(!QFile::exists(canary));
    fixture.openFake();
    fixture.see("attention");
    QVERIFY(fixture.window->attention().matrix().figure() != nullptr);
  }
};

QTEST_MAIN(DamagedFilesTest)
#include "gui_damaged_files_test.moc"
