// The window in German: nothing of the window stays English, and it fits.
#include <QAbstractButton>
#include <QAction>
#include <QComboBox>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMenuBar>
#include <QRegularExpression>
#include <QSet>
#include <QTest>
#include <memory>

#include "app/gui/session/intervention_text.h"
#include "app/gui/session/language.h"
#include "app/gui/views/inspector/inspector_text.h"
#include "app/gui/widgets/film_strip.h"
#include "app/gui/widgets/guide_page.h"
#include "app/gui/widgets/layer_head_grid.h"
#include "app/gui/widgets/number_box.h"
#include "app/gui/window/shortcuts.h"
#include "app/gui/window/view_menu.h"
#include "app/workflow/describe/guide.h"
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
      fixture.seeAll();
      english = texts_of(*fixture.window);
    }
    install_language(*qApp, QStringLiteral("de"));
    WindowFixture fixture;
    fixture.openFakeModel();
    fixture.openFake();
    fixture.seeAll();
    const QStringList german = texts_of(*fixture.window);
    QVERIFY(german.contains(QStringLiteral("&Datei")));
    QVERIFY(german.contains(QStringLiteral("Eingriffe")));
    // Words that are of no German text.
    static const QRegularExpression words(QStringLiteral(
        "\\b(the|and|with|sentence|sentences|layer|heads|word|open|choose|of|is|are|view)\\b"));
    static const QRegularExpression lines(QStringLiteral("\n|<br>"));
    for (const QString& text : german) {
      if (text.contains(QStringLiteral("fake"))) {
        continue;  // names of what is open
      }
      // Further lines are notes of the analysis, English as in files.
      QVERIFY2(!words.match(text.section(lines, 0, 0)).hasMatch(), qPrintable(text));
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
    QCOMPARE(intervention_text(mog::model::MaskToken{.token = 0}, sentence),
             QStringLiteral("“one” maskiert"));
    QCOMPARE(intervention_text(mog::model::ScaleLayer{.layer = 2, .factor = 0}, sentence),
             QStringLiteral("Aufmerksamkeit von Schicht 2 entfernt"));
    const TypedSentence parent{"one two", {}, -1};
    QCOMPARE(change_text({"one three", {}, 0}, &parent, sentence),
             QStringLiteral("andere Wörter: one three"));
  }

  // Figures, tables and commands have decimal points: what stands beside them and is typed has them too.
  void numbersHaveTheFormOfTheLanguage() {
    for (const QString& language : {QStringLiteral("de"), QStringLiteral("en")}) {
      install_language(*qApp, language);
      const auto here = [&](QString text) {
        return language == QLatin1String("de") ? text.replace(u'.', u',') : text;
      };
      QCOMPARE(QLocale().toString(0.392, 'f', 3), here(QStringLiteral("0.392")));
      QCOMPARE(short_weight(0.25), here(QStringLiteral("0.25")));
      QCOMPARE(number_text(1.5e-6), here(QStringLiteral("1.5e-6")));
      for (const char* typed : {"0,75", "0.75"}) {  // whatever the keyboard has
        NumberBox box;
        box.setValue(0.25);
        QCOMPARE(box.text(), here(QStringLiteral("0.25")));
        box.clear();
        QTest::keyClicks(&box, QString::fromLatin1(typed));
        QCOMPARE(box.value(), 0.75);
        QCOMPARE(box.text(), here(QStringLiteral("0.75")));
      }
    }
    install_language(*qApp, QStringLiteral("de"));
    QCOMPARE(QLocale().toString(12345),
             QStringLiteral("12345"));  // no point that could be taken for a decimal
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

  // A language is that of the next start: the window that is open stays as it is.
  // Also where it is the chosen row's, in bold.
  void theNameOfTheMeanIsNotCut() {
    install_language(*qApp, QStringLiteral("de"));
    const auto overview = std::make_shared<mog::analysis::AttentionOverview>();
    overview->layers = 6;
    overview->heads = 8;
    overview->maps.resize(7);
    LayerHeadGrid grid;
    grid.setGrid(overview);
    grid.setCurrent(7, 0);
    grid.resize(grid.sizeHint());
    const QString name = LayerHeadGrid::tr("mean");
    QCOMPARE(name, QStringLiteral("Mittel"));
    QFont chosen = grid.font();
    chosen.setBold(true);
    const double room = grid.cell(1, 0).left() - 6;  // of the name, and the gap behind it
    QVERIFY2(QFontMetricsF(chosen).horizontalAdvance(name) <= room, qPrintable(QString::number(room)));
  }

  void theLanguageIsThatOfTheNextStart() {
    QTemporaryDir folder;
    const QString recording = mog::test::save_recording(folder.filePath(QStringLiteral("fake.rec")));
    const auto make = [&] {
      return std::make_unique<MainWindow>(
          std::make_unique<QSettings>(folder.filePath(QStringLiteral("s.ini")), QSettings::IniFormat),
          mog::test::fake_openers(), folder.filePath(QStringLiteral("sessions")));
    };
    {
      const auto window = make();
      window->showMaximized();
      window->open({recording});
      QTRY_VERIFY_WITH_TIMEOUT(window->jobs().idle() && !window->workspace().items().empty(), kPatienceMs);
      window->session().autosaveNow();
      QVERIFY(QFile::exists(window->session().autosavePath()));
      const QStringList before = texts_of(*window);
      window->viewMenu().chooseLanguage(QStringLiteral("de"));
      QCoreApplication::processEvents();
      QVERIFY2(window->readout().contains(QStringLiteral("started again")), qPrintable(window->readout()));
      QVERIFY(texts_of(*window).contains(QStringLiteral("&File")));
      QCOMPARE(language_in_use(), QStringLiteral("en"));
      QCOMPARE(window->workspace().items().size(), std::size_t{1});
      QVERIFY(window->isVisible() && QFile::exists(window->session().autosavePath()));
      window->viewMenu().chooseLanguage(QStringLiteral("en"));
      QVERIFY2(window->readout().contains(QStringLiteral("stays")), qPrintable(window->readout()));
      window->viewMenu().chooseLanguage(QStringLiteral("de"));
    }
    const QSettings settings(folder.filePath(QStringLiteral("s.ini")), QSettings::IniFormat);
    install_language(*qApp, settings.value(QStringLiteral("language")).toString());
    QVERIFY(texts_of(*make()).contains(QStringLiteral("&Datei")));
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
