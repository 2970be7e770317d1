#include "app/gui/application.h"

#include <QApplication>
#include <QCommandLineParser>
#include <QIcon>
#include <QLineEdit>
#include <QSettings>
#include <QStandardPaths>
#include <QTimer>
#include <cstdio>
#include <filesystem>
#include <memory>

#include "app/gui/attention_view.h"
#include "app/gui/gate_view.h"
#include "app/gui/item_models/sentence_table_model.h"
#include "app/gui/main_window.h"
#include "app/gui/sentence_view.h"
#include "app/gui/theme.h"
#include "app/gui/tree_view.h"
#include "app/workflow/resources.h"

namespace mog::gui {
namespace {

struct Arguments {
  QStringList paths;
  QString theme;
  QString screenshot;
  QSize size;
  QString type;            // a sentence to run
  qlonglong sentence = 0;  // from 1
  qlonglong layer = 0;
  qlonglong head = 0;
  qlonglong token = 0;  // from 1
  QString part;
  QString dock;
  QStringList graphs;
};

QCommandLineOption option(const char* name, const QString& text, const char* value) {
  return {QString::fromLatin1(name), text, QString::fromLatin1(value)};
}

Arguments parse(const QApplication& application) {
  const auto tr = [](const char* text) { return QCoreApplication::translate("Arguments", text); };
  QCommandLineParser parser;
  parser.setApplicationDescription(
      tr("MoG Workbench: look at what a Graph-Transformer does with a sentence.\n\n"
         "Without arguments the bundled model is opened.\n\nExamples:\n"
         "  mog-workbench\n  mog-workbench my-model corpus.rec\n"
         "  mog-workbench corpus.rec --sentence 12 --layer 3 --screenshot window.png"));
  parser.addHelpOption();
  parser.addVersionOption();
  parser.addPositionalArgument(QStringLiteral("PATH"),
                               tr("Model directories, recordings and sessions to open."),
                               QStringLiteral("[PATH…]"));
  parser.addOptions(
      {option("theme", tr("light or dark; otherwise as the desktop."), "NAME"),
       option("size", tr("Size of the window, e.g. 1280x800."), "WxH"),
       option("type", tr("Run the model on this sentence."), "TEXT"),
       option("sentence", tr("Choose a sentence (from 1)."), "N"),
       option("layer", tr("Choose a layer (from 1)."), "N"),
       option("head", tr("Choose a head (from 1; 0: mean)."), "N"),
       option("part", tr("Choose a part: high, middle1, middle2, low."), "NAME"),
       option("token", tr("Choose a token (from 1)."), "N"),
       option("dock",
              tr("Bring a view to the front: gates, weights, trees, compare, figures, changes, jobs."),
              "NAME"),
       option("graphs", tr("Show graphs as arcs, list them by-order (commas between)."), "NAMES"),
       option("screenshot", tr("Save a picture of the window, then quit."), "FILE")});
  parser.process(application);
  Arguments arguments;
  arguments.paths = parser.positionalArguments();
  const auto value = [&](const char* name) { return parser.value(QString::fromLatin1(name)); };
  arguments.theme = value("theme");
  arguments.screenshot = value("screenshot");
  arguments.type = value("type");
  arguments.sentence = value("sentence").toLongLong();
  arguments.layer = value("layer").toLongLong();
  arguments.head = value("head").toLongLong();
  arguments.token = value("token").toLongLong();
  arguments.part = value("part");
  arguments.dock = value("dock");
  arguments.graphs = value("graphs").split(QLatin1Char(','));
  const QStringList sides = value("size").split(QLatin1Char('x'));
  if (sides.size() == 2) {
    arguments.size = QSize(sides[0].toInt(), sides[1].toInt());
  }
  return arguments;
}

// Does its next step whenever all jobs are done: open → choose or type → select → picture → quit.
class Script : public QObject {
 public:
  Script(MainWindow& window, Arguments arguments) : window_(window), arguments_(std::move(arguments)) {
    timer_.setSingleShot(true);
    timer_.setInterval(120);
    connect(&timer_, &QTimer::timeout, this, [this] { step(); });
    connect(&window.jobs(), &JobRunner::becameIdle, this, [this] { timer_.start(); });
    timer_.start();
  }

 private:
  void step() {
    if (!window_.jobs().idle()) {
      return;  // becameIdle comes again
    }
    switch (stage_++) {
      case 0:
        if (!arguments_.type.isEmpty()) {
          window_.sentences().typing().setText(arguments_.type);
          window_.sentences().run();
        } else if (arguments_.sentence > 0) {
          window_.workspace().select({window_.selection().sentence().item, arguments_.sentence - 1});
        }
        break;
      case 1:
        select();
        break;
      case 2:
        if (!arguments_.screenshot.isEmpty()) {
          const bool written = window_.grab().save(arguments_.screenshot);
          if (!written) {
            std::fprintf(stderr, "Writing %s failed: is the folder there, and does it end in .png?\n",
                         qPrintable(arguments_.screenshot));
          }
          QCoreApplication::exit(written ? 0 : 1);
        }
        return;
      default:
        return;
    }
    timer_.start();
  }

  void select() {
    SelectionModel& selection = window_.selection();
    if (!arguments_.part.isEmpty()) {
      selection.setPart(parse_part(arguments_.part.toStdString()));
    }
    if (arguments_.layer > 0) {
      selection.setLayer(arguments_.layer);
    }
    selection.setHead(arguments_.head);
    if (arguments_.token > 0) {
      selection.setToken(arguments_.token - 1);
    }
    if (!arguments_.dock.isEmpty()) {
      window_.showDock(arguments_.dock);
    }
    if (arguments_.graphs.contains(QLatin1String("arcs"))) {
      window_.trees().setShow(TreeView::Show::arcs);
    }
    if (arguments_.graphs.contains(QLatin1String("by-order"))) {
      window_.trees().setListed(TreeView::Listed::by_order);
    }
  }

  MainWindow& window_;
  Arguments arguments_;
  QTimer timer_;
  int stage_ = 0;
};

QStringList bundled_model() {
  try {
    return {QString::fromStdString(app::model_path().string())};
  } catch (const std::exception&) {
    return {};  // not installed: the window says what to open
  }
}

}  // namespace

int run_workbench(int argc, char** argv) {
  QApplication application(argc, argv);
  QApplication::setApplicationName(QStringLiteral("mog-workbench"));
  QApplication::setApplicationDisplayName(QStringLiteral("MoG Workbench"));
  QApplication::setOrganizationName(QStringLiteral("mog-workbench"));
  QApplication::setApplicationVersion(QStringLiteral("0.1.0"));
  QApplication::setDesktopFileName(QStringLiteral("mog-workbench"));
  try {
    Arguments arguments = parse(application);
    if (!arguments.part.isEmpty()) {
      parse_part(arguments.part.toStdString());
    }
    apply_theme(application, arguments.theme);
    try {
      QApplication::setWindowIcon(
          QIcon(QString::fromStdString(app::resource("icons/mog-workbench.svg").string())));
    } catch (const std::exception&) {
      QApplication::setWindowIcon(QIcon::fromTheme(QStringLiteral("mog-workbench")));
    }
    // A picture must not depend on what this reader arranged.
    auto settings = arguments.screenshot.isEmpty()
                        ? std::make_unique<QSettings>()
                        : std::make_unique<QSettings>(QString(), QSettings::IniFormat);
    const QString sessions = arguments.screenshot.isEmpty()
                                 ? QStandardPaths::writableLocation(QStandardPaths::AppLocalDataLocation) +
                                       QStringLiteral("/sessions")
                                 : QString();
    MainWindow window(std::move(settings), Openers::standard(), sessions);
    if (arguments.size.isValid()) {
      window.resize(arguments.size);
    }
    window.show();
    const bool recovered = window.session().recover();
    window.open(arguments.paths.isEmpty() && !recovered ? bundled_model() : arguments.paths);
    Script script(window, arguments);
    return QApplication::exec();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "mog-workbench: %s\n", error.what());
    return 2;
  }
}

}  // namespace mog::gui
