// The view of training runs: files of `mog train --watch` opened, chosen from, laid over one another, read
// again when they grow, kept in a session, refused when they are damaged.
#include <QCheckBox>
#include <QComboBox>
#include <QDir>
#include <QDropEvent>
#include <QFile>
#include <QMenu>
#include <QMimeData>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>
#include <QUrl>

#include "analysis/figure_data/figure_data.h"
#include "app/gui/session/session_keeper.h"
#include "app/gui/session/training_runs.h"
#include "app/gui/views/corpus/trajectory_view.h"
#include "app/gui/widgets/figure_canvas.h"
#include "app/gui/window/files.h"
#include "tests/gui/gui_fixture.h"

using mog::test::WindowFixture;
using namespace mog::gui;

namespace {

void write(const QString& path, const QString& text) {
  QDir().mkpath(QFileInfo(path).absolutePath());
  QFile file(path);
  if (!file.open(QIODevice::WriteOnly) || file.write(text.toUtf8()) != text.toUtf8().size()) {
    qFatal("a file cannot be written");
  }
}

// Gates of two layers, by length too, and the shares of two parts, at so many validations.
QString table(int validations, const QString& first_mean = QStringLiteral("0.5")) {
  QString text = QStringLiteral(
      "update,epoch,model,corpus,measure,units,layer,part,head,bin,length_low,length_high,sentences,tokens,"
      "mean,"
      "low,high\n");
  for (int at = 0; at < validations; ++at) {
    const QString of = QStringLiteral("%1,1,tagger,dev.txt,").arg(100 * at);
    for (int layer = 1; layer <= 2; ++layer) {
      const QString mean = at == 0 && layer == 1 ? first_mean : QStringLiteral("0.%1").arg(3 + layer);
      text += of + QStringLiteral("gate,1,%1,,,all,0,,5,40,%2,0.1,0.9\n").arg(layer).arg(mean);
      text += of + QStringLiteral("gate,1,%1,,,0-10,0,10,3,20,0.25,,\n").arg(layer);
      for (const char* const part : {"high", "low"}) {
        text += of + QStringLiteral("share,1,%1,%2,,all,0,,5,40,0.5,,\n").arg(layer).arg(QLatin1String(part));
      }
    }
  }
  return text;
}

QString run_in(WindowFixture& fixture, const char* name, int validations = 3) {
  const QString file =
      fixture.folder.filePath(QStringLiteral("%1.training/trajectory.csv").arg(QLatin1String(name)));
  write(file, table(validations));
  return file;
}

TrajectoryView& view_of(WindowFixture& fixture) {
  return *fixture.window->findChild<TrajectoryView*>();
}

const mog::analysis::LinePlot& plot_of(const TrajectoryView& view, std::size_t panel = 0) {
  const auto figure = const_cast<TrajectoryView&>(view).picture().figure();
  const auto* const panels = std::get_if<mog::analysis::PanelFigure>(&figure->body);
  return std::get<mog::analysis::LinePlot>(panels == nullptr ? figure->body : panels->panels[panel].body);
}

void choose(WindowFixture& fixture, QComboBox& box, const QString& value) {
  const int place = box.findData(value);
  if (place < 0) {
    qFatal("there is no such choice");
  }
  box.setCurrentIndex(place);
  Q_EMIT box.activated(place);
  if (!fixture.settle()) {
    qFatal("the window does not come to rest");
  }
}

QString line_of(const TrajectoryView& view) {
  return view.exports().front().command.line(QStringLiteral("a.svg"));
}

}  // namespace

class TrajectoryTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void withoutARunItSaysWhatToDo() {
    WindowFixture fixture;
    fixture.see("trajectory");
    QVERIFY(view_of(fixture).exports().empty());
    QVERIFY(view_of(fixture).picture().figure() == nullptr);
    QVERIFY(!view_of(fixture).measure().isVisible());
  }

  void aFileOrItsFolderComesToTheFront() {
    WindowFixture fixture;
    const QString file = run_in(fixture, "tagger");
    fixture.window->open({QFileInfo(file).absolutePath()});
    QVERIFY(fixture.settle());
    TrajectoryView& view = view_of(fixture);
    QVERIFY(view.isVisible());
    QCOMPARE(fixture.window->workspace().trainingRuns().paths(), QStringList{file});
    QVERIFY(fixture.window->files().recent().contains(file));
    QVERIFY(view.runs().text().startsWith(QStringLiteral("tagger")));
    const auto& plot = plot_of(view);
    QCOMPARE(plot.series.size(), std::size_t{2});
    QCOMPARE(plot.series[1].points.size(), std::size_t{3});
    QCOMPARE(plot.series[1].points[2].y, 0.5);
    // Once more is the same run; dropped as other files are.
    QMimeData data;
    data.setUrls({QUrl::fromLocalFile(file)});
    QDropEvent drop(QPointF(10, 10), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(fixture.window.get(), &drop);
    QVERIFY(fixture.settle());
    QCOMPARE(fixture.window->workspace().trainingRuns().runs().size(), std::size_t{1});
  }

  void itsChoicesAreThoseOfTheCommand() {
    WindowFixture fixture;
    const QString file = run_in(fixture, "tagger");
    fixture.window->open({file});
    QVERIFY(fixture.settle());
    TrajectoryView& view = view_of(fixture);
    QCOMPARE(view.measure().count(), 2);
    QVERIFY(view.head().isHidden());
    QVERIFY(view.together().isHidden());
    choose(fixture, view.length(), QStringLiteral("0-10"));
    QCOMPARE(plot_of(view).series[0].points[0].y, 0.25);
    choose(fixture, view.layer(), QStringLiteral("2"));
    QCOMPARE(plot_of(view).series.size(), std::size_t{1});
    view.changePoints().setChecked(false);
    QVERIFY(fixture.settle());
    const QString line = line_of(view);
    for (const QString& part :
         {QStringLiteral("mog figure trajectory"), file, QStringLiteral("--measure gate"),
          QStringLiteral("--length 0-10"), QStringLiteral("--layer 2"), QStringLiteral("--no-change-points"),
          QStringLiteral("--output a.svg")}) {
      QVERIFY2(line.contains(part), qPrintable(line));
    }
    // A measure without these lengths: all of them; a panel a part.
    choose(fixture, view.layer(), QString());
    choose(fixture, view.measure(), QStringLiteral("share"));
    QVERIFY(view.length().isHidden());
    const auto figure = view.picture().figure();
    QCOMPARE(std::get<mog::analysis::PanelFigure>(figure->body).panels.size(), std::size_t{2});
    QVERIFY(!line_of(view).contains(QStringLiteral("--length")));
  }

  void severalRunsStandBesideOrOverOneAnother() {
    WindowFixture fixture;
    const QString first = run_in(fixture, "first");
    const QString second = run_in(fixture, "second");
    fixture.window->open({first, second});
    QVERIFY(fixture.settle());
    TrajectoryView& view = view_of(fixture);
    QVERIFY(view.together().isVisible());
    QCOMPARE(fixture.window->workspace().trainingRuns().paths(), (QStringList{first, second}));
    QCOMPARE(fixture.window->workspace().trainingRuns().runs().front().table->name, std::string("first"));
    QCOMPARE(std::get<mog::analysis::PanelFigure>(view.picture().figure()->body).panels.size(),
             std::size_t{2});
    view.together().setChecked(true);
    QVERIFY(fixture.settle());
    QCOMPARE(plot_of(view).series.size(), std::size_t{4});
    QVERIFY(line_of(view).contains(QStringLiteral("--together")));
    // One is closed by its entry.
    view.runs().menu()->actions().front()->trigger();
    QVERIFY(fixture.settle());
    QCOMPARE(fixture.window->workspace().trainingRuns().paths(), QStringList{second});
    QCOMPARE(plot_of(view).series.size(), std::size_t{2});
  }

  void aRunThatGoesOnIsReadAgain() {
    WindowFixture fixture;
    const QString file = run_in(fixture, "tagger");
    fixture.window->open({file});
    QVERIFY(fixture.settle());
    TrajectoryView& view = view_of(fixture);
    choose(fixture, view.length(), QStringLiteral("0-10"));
    write(file, table(5));
    fixture.window->workspace().trainingRuns().look();
    QVERIFY(fixture.settle());
    QCOMPARE(plot_of(view).series[0].points.size(), std::size_t{5});
    QCOMPARE(view.length().currentData().toString(), QStringLiteral("0-10"));
    // What cannot be read is said once, and what was there stays.
    write(file, table(6, QStringLiteral("much")));
    const auto messages = fixture.window->workspace().messages().size();
    fixture.window->workspace().trainingRuns().look();
    QVERIFY(fixture.settle());
    fixture.window->workspace().trainingRuns().look();
    QVERIFY(fixture.settle());
    QCOMPARE(fixture.window->workspace().messages().size(), messages + 1);
    QCOMPARE(plot_of(view).series[0].points.size(), std::size_t{5});
  }

  // Lists that are open under the pointer stay as they are while a run goes on.
  void listsAreFilledAnewOnlyWithOtherEntries() {
    WindowFixture fixture;
    const QString file = run_in(fixture, "tagger");
    fixture.window->open({file});
    QVERIFY(fixture.settle());
    TrajectoryView& view = view_of(fixture);
    QSignalSpy emptied(view.layer().model(), &QAbstractItemModel::rowsRemoved);
    QSignalSpy reset(view.layer().model(), &QAbstractItemModel::modelReset);
    QAction* const close = view.runs().menu()->actions().front();
    write(file, table(5));
    fixture.window->workspace().trainingRuns().look();
    QVERIFY(fixture.settle());
    QCOMPARE(plot_of(view).series[0].points.size(), std::size_t{5});
    QCOMPARE(emptied.size() + reset.size(), 0);
    QCOMPARE(view.runs().menu()->actions().front(), close);
    // Another layer is another list, and what was chosen stays.
    choose(fixture, view.layer(), QStringLiteral("2"));
    write(file, table(5) + QStringLiteral("0,1,tagger,dev.txt,gate,1,3,,,all,0,,5,40,0.5,,\n"));
    fixture.window->workspace().trainingRuns().look();
    QVERIFY(fixture.settle());
    QCOMPARE(view.layer().count(), 4);
    QCOMPARE(view.layer().currentData().toString(), QStringLiteral("2"));
    QVERIFY(emptied.size() + reset.size() > 0);
  }

  // Nothing of a table is looked through in the window's thread.
  void aTableIsLookedThroughByAJob() {
    WindowFixture fixture;
    const QString file = run_in(fixture, "tagger");
    fixture.window->open({file});
    QVERIFY(fixture.settle());
    TrajectoryView& view = view_of(fixture);
    fixture.window->state().set(QStringLiteral("trajectory.measure"), QStringLiteral("share"));
    QCOMPARE(view.measure().currentData().toString(), QStringLiteral("gate"));  // the job has not run
    QVERIFY(fixture.settle());
    QCOMPARE(view.measure().currentData().toString(), QStringLiteral("share"));
  }

  void aBadRowIsNamed() {
    WindowFixture fixture;
    const QString file = fixture.folder.filePath(QStringLiteral("bad.csv"));
    write(file, table(2, QStringLiteral("much")));
    fixture.window->open({file});
    QVERIFY(fixture.settle());
    const QString message = fixture.window->workspace().messages().back();
    for (const char* const part : {"bad.csv", "line 2", "mean", "much"}) {
      QVERIFY2(message.contains(QLatin1String(part)), qPrintable(message));
    }
    QVERIFY(fixture.window->workspace().trainingRuns().paths().isEmpty());
    write(file, QStringLiteral("layer,mean\n1,2\n"));
    fixture.window->open({file});
    QVERIFY(fixture.settle());
    QVERIFY(fixture.window->workspace().messages().back().contains(QStringLiteral("no column update")));
  }

  void aSessionKeepsThem() {
    WindowFixture fixture;
    const QString first = run_in(fixture, "first");
    const QString second = run_in(fixture, "second");
    fixture.window->open({first, second});
    QVERIFY(fixture.settle());
    choose(fixture, view_of(fixture).layer(), QStringLiteral("2"));
    const QString session = fixture.folder.filePath(QStringLiteral("kept.mog-session"));
    fixture.window->session().save(session);
    QFile::remove(first);
    WindowFixture other;
    other.window->open({session});
    QVERIFY(other.settle());
    other.see("trajectory");
    QCOMPARE(other.window->workspace().trainingRuns().paths(), (QStringList{first, second}));
    QCOMPARE(other.window->workspace().trainingRuns().tables().size(), std::size_t{1});
    QVERIFY(!other.window->workspace().messages().isEmpty());
    QCOMPARE(plot_of(view_of(other)).series.front().label, std::string("2"));
    // It is named, with what is wrong.
    QMenu& menu = *view_of(other).runs().menu();
    QVERIFY(menu.actions().front()->text().contains(first));
    QVERIFY(menu.actions().front()->toolTip().contains(QStringLiteral("trajectory.csv")));
    // What is not there is in the session still.
    other.window->session().save(session);
    QFile file(session);
    QVERIFY(file.open(QIODevice::ReadOnly));
    QVERIFY(file.readAll().contains("first.training"));
    // It comes back when the file does.
    write(first, table(2));
    other.window->workspace().trainingRuns().look();
    QVERIFY(other.settle());
    QCOMPARE(other.window->workspace().trainingRuns().tables().size(), std::size_t{2});
    QVERIFY(other.window->workspace().trainingRuns().runs().front().error.isEmpty());
    QVERIFY(!menu.actions().front()->text().contains(first));
  }

  void aSessionOfFilesThatCannotBeRead() {
    WindowFixture fixture;
    const QString file = run_in(fixture, "tagger");
    fixture.window->open({file});
    QVERIFY(fixture.settle());
    const QString session = fixture.folder.filePath(QStringLiteral("kept.mog-session"));
    fixture.window->session().save(session);
    write(file, table(2, QStringLiteral("much")));
    WindowFixture other;
    other.window->open({session});
    QVERIFY(other.settle());
    other.see("trajectory");
    TrajectoryView& view = view_of(other);
    QVERIFY(view.isVisible());
    QVERIFY(view.runs().isVisible());
    QVERIFY(view.measure().isHidden());
    QVERIFY(view.picture().accessibleDescription().contains(QStringLiteral("much")));
    // Another file that is no better is said once more, not at every look.
    const auto messages = other.window->workspace().messages().size();
    for (int look = 0; look < 3; ++look) {
      other.window->workspace().trainingRuns().look();
      QVERIFY(other.settle());
    }
    QCOMPARE(other.window->workspace().messages().size(), messages);
    view.runs().menu()->actions().front()->trigger();
    QVERIFY(other.settle());
    QVERIFY(other.window->workspace().trainingRuns().paths().isEmpty());
    QVERIFY(!view.runs().isVisible());
  }
};

QTEST_MAIN(TrajectoryTest)
#include "gui_trajectory_test.moc"
