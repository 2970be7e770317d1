#include "app/gui/window/application.h"

#include <QApplication>
#include <QCommandLineParser>
#include <QCoreApplication>
#include <QIcon>
#include <QLineEdit>
#include <QMetaObject>
#include <QPointer>
#include <QSettings>
#include <QStandardPaths>
#include <QTimer>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string_view>

#include "app/gui/session/gold_syntax.h"
#include "app/gui/session/language.h"
#include "app/gui/views/attention/attention_view.h"
#include "app/gui/views/common/view_kind.h"
#include "app/gui/views/graphs/tree_view.h"
#include "app/gui/views/start/start_view.h"
#include "app/gui/views/strip/typing_field.h"
#include "app/gui/widgets/theme.h"
#include "app/gui/window/batches.h"
#include "app/gui/window/files.h"
#include "app/gui/window/help.h"
#include "app/gui/window/main_window.h"
#include "app/gui/window/pages.h"
#include "app/gui/window/rail.h"
#include "app/workflow/common/resources.h"
#include "io/loader/loader_process.h"

namespace mog::gui {
namespace {

QString names_of_views() {
  QStringList names;
  for (const ViewKind* const kind : view_kinds()) {
    names.push_back(QString::fromLatin1(kind->name));
  }
  return names.join(QStringLiteral(", "));
}

struct Arguments {
  QStringList paths;
  QString theme;
  QString workspace;
  QString page;
  QString screenshot;
  QSize size;
  QString type;            // a sentence to run
  qlonglong sentence = 0;  // from 1
  qlonglong layer = 0;
  qlonglong head = 0;
  qlonglong token = 0;  // from 1
  qlonglong key = 0;
  QString attention;  // both, matrix, arcs
  QString part;
  QString view;
  bool alone = false;
  QString gold;
  QStringList graphs;
};

// Of the command line.
struct Text {
  Q_DECLARE_TR_FUNCTIONS(Arguments)
};

QCommandLineOption option(const char* name, const QString& text, const char* value) {
  return {QString::fromLatin1(name), text, QString::fromLatin1(value)};
}

Arguments parse(const QCoreApplication& application) {
  QCommandLineParser parser;
  parser.setApplicationDescription(
      Text::tr("MoG Workbench: look at what a Graph-Transformer does with a sentence.\n\n"
               "Without arguments the bundled model is opened.\n\nExamples:\n"
               "  mog-workbench\n  mog-workbench my-model corpus.rec\n"
               "  mog-workbench corpus.rec --sentence 12 --layer 3 --screenshot window.png"));
  parser.addHelpOption();
  parser.addVersionOption();
  parser.addPositionalArgument(QStringLiteral("PATH"),
                               Text::tr("Model directories, recordings and sessions to open."),
                               QStringLiteral("[PATH…]"));
  parser.addOptions(
      {option("theme", Text::tr("light, dark or high-contrast; otherwise as chosen in the window."), "NAME"),
       option("language", Text::tr("en or de; otherwise as chosen in the window."), "NAME"),
       option("workspace", Text::tr("The workspace: %1.").arg(Pages::names().join(QStringLiteral(", "))),
              "NAME"),
       option("size", Text::tr("Size of the window, e.g. 1280x800."), "WxH"),
       option("type", Text::tr("Run the model on this sentence."), "TEXT"),
       option("sentence", Text::tr("Choose a sentence (from 1)."), "N"),
       option("layer", Text::tr("Choose a layer (from 1)."), "N"),
       option("head", Text::tr("Choose a head (from 1; 0: mean)."), "N"),
       option("part", Text::tr("Choose a part: high, middle1, middle2, low."), "NAME"),
       option("token", Text::tr("Choose a token (from 1)."), "N"),
       option("key", Text::tr("Choose the key of that token, a cell of the map (from 1)."), "N"),
       option("attention", Text::tr("Show the map as both, matrix or arcs."), "NAME"),
       option("view", Text::tr("Bring a view to the front: %1.").arg(names_of_views()), "NAME"),
       option("gold", Text::tr("Draw the gold syntax of this treebank (CoNLL-U) below the words."), "FILE"),
       option("show", Text::tr("Open a page: tour, guide, keys, batch."), "NAME"),
       option("graphs", Text::tr("Show graphs as arcs, list them by-leaves (commas between)."), "NAMES"),
       option("screenshot", Text::tr("Save a picture of the window, then quit."), "FILE"),
       QCommandLineOption(QStringLiteral("alone"), Text::tr("The picture is of the view of --view alone."))});
  parser.process(application);
  Arguments arguments;
  arguments.paths = parser.positionalArguments();
  const auto value = [&](const char* name) { return parser.value(QString::fromLatin1(name)); };
  arguments.theme = value("theme");
  arguments.workspace = value("workspace");
  arguments.page = value("show");
  arguments.screenshot = value("screenshot");
  arguments.type = value("type");
  arguments.sentence = value("sentence").toLongLong();
  arguments.layer = value("layer").toLongLong();
  arguments.head = parser.isSet(QStringLiteral("head")) ? value("head").toLongLong() : -1;
  arguments.token = value("token").toLongLong();
  arguments.key = value("key").toLongLong();
  arguments.attention = value("attention");
  arguments.part = value("part");
  arguments.view = value("view");
  arguments.alone = parser.isSet(QStringLiteral("alone"));
  arguments.gold = value("gold");
  arguments.graphs = value("graphs").split(QLatin1Char(','));
  const QStringList sides = value("size").split(QLatin1Char('x'));
  if (sides.size() == 2) {
    arguments.size = QSize(sides[0].toInt(), sides[1].toInt());
  }
  return arguments;
}

// As asked for, else as chosen in the window.
QString language_of(const QStringList& arguments) {
  const qsizetype at = arguments.indexOf(QLatin1String("--language"));
  if (at >= 0 && at + 1 < arguments.size()) {
    return arguments[at + 1];
  }
  for (const QString& argument : arguments) {
    if (argument.startsWith(QLatin1String("--language="))) {
      return argument.mid(11);
    }
  }
  // A picture must not depend on what this reader chose.
  return arguments.contains(QLatin1String("--screenshot"))
             ? QStringLiteral("en")
             : QSettings().value(QStringLiteral("language")).toString();
}

// Does its next step whenever all jobs are done: open → choose or type → select → picture → quit.
class Script : public QObject {
 public:
  Script(MainWindow& window, Arguments arguments) : window_(window), arguments_(std::move(arguments)) {
    timer_.setSingleShot(true);
    timer_.setInterval(120);
    connect(&timer_, &QTimer::timeout, this, [this] { step(); });
    connect(&window_.jobs(), &JobRunner::becameIdle, this, [this] { timer_.start(); });
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
          window_.rail().field().run(arguments_.type);
        } else if (arguments_.sentence > 0) {
          window_.workspace().select({window_.selection().sentence().item, arguments_.sentence - 1});
        }
        break;
      case 1:
        select();
        showPage();
        break;
      case 2:
        if (!arguments_.screenshot.isEmpty()) {
          if (QWidget* focused = window_.focusWidget()) {
            focused->clearFocus();  // whatever has it on this desktop
          }
          const bool written = pictured().grab().save(arguments_.screenshot);
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

  // A page that is open, the view that was asked for, or the window.
  QWidget& pictured() {
    for (QWidget* top : QApplication::topLevelWidgets()) {
      if (top->isVisible() && top->inherits("QDialog")) {
        return *top;
      }
    }
    QWidget* view = window_.view(arguments_.view);
    return arguments_.alone && view != nullptr ? *view : window_;
  }

  void showPage() {
    if (arguments_.page == QLatin1String("tour")) {
      window_.help().startTour();
    } else if (arguments_.page == QLatin1String("batch")) {
      window_.batches().ask({});
    } else if (arguments_.page == QLatin1String("guide")) {
      window_.help().showGuide(arguments_.view.isEmpty() ? QString::fromLatin1(AttentionView::kind().name)
                                                         : arguments_.view);
    } else if (arguments_.page == QLatin1String("keys")) {
      window_.help().showKeys();
    }
  }

  void select() {
    SelectionModel& selection = window_.selection();
    if (!arguments_.part.isEmpty()) {
      selection.setPart(Part::named(arguments_.part.toStdString()));
    }
    if (arguments_.layer > 0) {
      selection.setLayer(arguments_.layer);
    }
    if (arguments_.head >= 0) {
      selection.setHead(arguments_.head);
    }
    if (arguments_.token > 0) {
      selection.setToken(arguments_.token - 1);
    }
    if (arguments_.key > 0) {
      selection.setKey(arguments_.key - 1);
    }
    if (!arguments_.attention.isEmpty()) {
      window_.state().set(setting::kAttentionShow, arguments_.attention);
    }
    if (!arguments_.workspace.isEmpty()) {
      window_.pages().show(arguments_.workspace);
    }
    if (!arguments_.view.isEmpty()) {
      window_.showView(arguments_.view);
    }
    if (arguments_.graphs.contains(QLatin1String("arcs"))) {
      window_.trees().setShow(TreeView::Show::arcs);
    }
    if (arguments_.graphs.contains(QLatin1String("by-leaves")) ||
        arguments_.graphs.contains(QLatin1String("by-order"))) {  // the former name
      window_.trees().setListed(TreeView::Listed::by_leaves);
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

// --help and --version: answered where there is no display, too.
bool asks_for_text_alone(int argc, char** argv) {
  return std::any_of(argv + 1, argv + argc, [](std::string_view argument) {
    return argument == "-h" || argument == "--help" || argument == "--help-all" || argument == "-v" ||
           argument == "--version";
  });
}

// From whichever thread reads the first file of other people; shown as other messages are.
void warn_without_sandbox(MainWindow& window) {
  io::tell_of_sandbox_defect([shown = QPointer(&window)](const std::string& reason) {
    QMetaObject::invokeMethod(
        qApp,
        [shown, why = QString::fromStdString(reason)] {
          if (shown != nullptr) {
            shown->workspace().report(
                Text::tr(
                    "The kernel does not let mog-loader, which parses files of other people, restrict its "
                    "system calls (%1). With MOG_REQUIRE_SANDBOX=1 such files are refused.")
                    .arg(why));
          }
        },
        Qt::QueuedConnection);
  });
}

}  // namespace

int run_workbench(int argc, char** argv) {
  QCoreApplication::setApplicationName(QStringLiteral("mog-workbench"));
  QCoreApplication::setOrganizationName(QStringLiteral("mog-workbench"));
  QCoreApplication::setApplicationVersion(QStringLiteral(MOG_VERSION));
  if (asks_for_text_alone(argc, argv)) {
    QCoreApplication application(argc, argv);
    install_language(application, language_of(QCoreApplication::arguments()));
    parse(application);  // prints and ends, unless it is the value of an option
  }
  QApplication application(argc, argv);
  QApplication::setApplicationDisplayName(QStringLiteral("MoG Workbench"));
  QApplication::setDesktopFileName(QStringLiteral("mog-workbench"));
  try {
    install_language(application, language_of(QApplication::arguments()));
    Arguments arguments = parse(application);
    if (!arguments.part.isEmpty() && arguments.paths.isEmpty()) {
      Part::parse(arguments.part.toStdString());  // a recording may bring parts of its own
    }
    try {
      QApplication::setWindowIcon(
          QIcon(QString::fromStdString(app::resource("icons/mog-workbench.svg").string())));
    } catch (const std::exception&) {
      QApplication::setWindowIcon(QIcon::fromTheme(QStringLiteral("mog-workbench")));
    }
    // A picture must not depend on what this reader arranged.
    const bool for_picture = !arguments.screenshot.isEmpty();
    const auto make_settings = [for_picture] {
      return for_picture ? std::make_unique<QSettings>(QString(), QSettings::IniFormat)
                         : std::make_unique<QSettings>();
    };
    apply_theme(application, arguments.theme.isEmpty()
                                 ? make_settings()->value(QStringLiteral("theme")).toString()
                                 : arguments.theme);
    const QString sessions = arguments.screenshot.isEmpty()
                                 ? QStandardPaths::writableLocation(QStandardPaths::AppLocalDataLocation) +
                                       QStringLiteral("/sessions")
                                 : QString();
    MainWindow window(make_settings(), Openers::standard(), sessions);
    if (arguments.size.isValid()) {
      window.resize(arguments.size);
    } else if (for_picture) {
      window.resize(1280, 800);
    }
    warn_without_sandbox(window);
    window.show();
    const bool recovered = window.session().recover();
    window.open(arguments.paths.isEmpty() && !recovered ? bundled_model() : arguments.paths);
    if (!arguments.gold.isEmpty()) {
      window.files().openGold(arguments.gold);
    }
    Script script(window, arguments);
    if (arguments.paths.isEmpty() && !recovered && arguments.screenshot.isEmpty()) {
      window.showView(StartView::kind());
      window.start().showAtFirst();
    }
    return QApplication::exec();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "mog-workbench: %s\n", error.what());
    return 2;
  }
}

}  // namespace mog::gui
