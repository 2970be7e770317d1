// Damaged and foreign files: a message in the words of the command line, and the window goes on.
#include <QDropEvent>
#include <QFile>
#include <QMimeData>
#include <QTest>
#include <QUrl>
#include <fstream>

#include "app/gui/attention_view.h"
#include "app/gui/figure_view.h"
#include "app/gui/message_bar.h"
#include "app/gui/model_page.h"
#include "app/gui/open_path.h"
#include "io/recording/errors.h"
#include "tests/gui/gui_fixture.h"
#include "tests/support/shared_data.h"

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
      QVERIFY(fixture.window->modelPage().text().contains(QStringLiteral("corpus")));
    } catch (const mog::Error& error) {
      QCOMPARE(message, QString::fromUtf8(error.what()));
    }
    // The program goes on: a sound recording opens.
    fixture.openFake();
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

  void everyHostileFileIsMetByAMessage() {
    const auto folder = mog::test::shared_dir() / "hostile";
    if (!std::filesystem::exists(folder)) {
      QSKIP("the shared test data (MOG_SHARED_DIR) is not here");
    }
    WindowFixture fixture(mog::gui::Openers::standard());
    int opened = 0;
    for (const char* kind : {"hdf5", "model", "safetensors"}) {
      for (const auto& entry : std::filesystem::directory_iterator(folder / kind)) {
        fixture.window->open({QString::fromStdString(entry.path().string())});
        ++opened;
      }
    }
    QVERIFY(fixture.settle());
    QVERIFY(opened > 20);
    const int models = fixture.window->workspace().currentModel() != nullptr ? 1 : 0;
    QVERIFY(fixture.window->workspace().messages().size() + models > 0);
    fixture.openFake();
    QVERIFY(fixture.window->attention().matrix().figure() != nullptr);
  }
};

QTEST_MAIN(DamagedFilesTest)
#include "gui_damaged_files_test.moc"
