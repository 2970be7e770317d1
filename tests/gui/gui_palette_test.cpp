// Find or run: what fits, in which order, and that it runs.
#include <QAccessible>
#include <QAction>
#include <QLineEdit>
#include <QListView>
#include <QMenu>
#include <QMenuBar>
#include <QSignalSpy>
#include <QTest>

#include "app/gui/session/job_runner.h"
#include "app/gui/session/workspace.h"
#include "app/gui/views/common/view_kind.h"
#include "app/gui/window/palette.h"
#include "app/gui/window/palette_entries.h"
#include "app/gui/window/palette_model.h"
#include "tests/gui/gui_fixture.h"

using namespace mog::gui;

namespace {

PaletteEntry entry(const char* group, const char* title, const char* detail = "") {
  return {.group = QString::fromUtf8(group),
          .title = QString::fromUtf8(title),
          .key = {},
          .detail = QString::fromUtf8(detail),
          .run = [] {}};
}

PaletteRow row(const char* group, const char* title, const char* detail = "") {
  return palette_row(entry(group, title, detail));
}

QStringList titles(const std::vector<PaletteRow>& rows, const char* typed, const QStringList& recent = {}) {
  QStringList all;
  for (const std::size_t at : find_rows(rows, QString::fromUtf8(typed), recent)) {
    all.push_back(rows[at].entry.title);
  }
  return all;
}

QStringList shown(CommandPalette& palette) {
  QStringList all;
  for (int at = 0; at < palette.rows().rowCount(); ++at) {
    if (palette.rows().entry(at) != nullptr) {
      all.push_back(palette.rows().entry(at)->title);
    }
  }
  return all;
}

}  // namespace

class PaletteTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void all_words_must_occur();
  void better_fits_come_first();
  void groups_stay_together();
  void keys_choose_and_run();
  void disabled_says_why();
  void used_lately_comes_first();
  void actions_of_menus();
  void what_the_window_has();
  void sentences_are_read_in_a_job();
};

void PaletteTest::all_words_must_occur() {
  QCOMPARE(fit_of(row("Actions", "Export the figure…"), QStringLiteral("fig exp")), PaletteFit::word_begins);
  QCOMPARE(fit_of(row("Actions", "Export the figure…"), QStringLiteral("fig open")), PaletteFit::none);
  QCOMPARE(fit_of(row("Actions", "Undo", "Edit"), QStringLiteral("edit undo")), PaletteFit::beside);
  QCOMPARE(fit_of(row("Actions", "Undo", "Edit"), QString()), PaletteFit::begins);
  // Case and accents are the same letters, in either direction.
  QCOMPARE(fit_of(row("Sentences", "Élan vital"), QStringLiteral("elan")), PaletteFit::begins);
  QCOMPARE(fit_of(row("Sentences", "elan vital"), QStringLiteral("ÉLAN")), PaletteFit::begins);
  QCOMPARE(fit_of(row("Sentences", "Größe"), QStringLiteral("groesse")), PaletteFit::none);
  QCOMPARE(fit_of(row("Sentences", "Größe"), QStringLiteral("grosse")), PaletteFit::begins);
}

void PaletteTest::better_fits_come_first() {
  const std::vector<PaletteRow> rows = {row("A", "nitrate gates"), row("A", "delegate"), row("A", "The gate"),
                                        row("A", "other", "gate"), row("A", "Gate by layer")};
  QCOMPARE(titles(rows, "gate"),
           QStringList({QStringLiteral("Gate by layer"), QStringLiteral("nitrate gates"),
                        QStringLiteral("The gate"), QStringLiteral("delegate"), QStringLiteral("other")}));
  QCOMPARE(titles(rows, "gate b"), QStringList{QStringLiteral("Gate by layer")});
  // The same fit: what was used lately.
  QCOMPARE(titles(rows, "gate", {QStringLiteral("A\tThe gate")}).mid(1, 2),
           QStringList({QStringLiteral("The gate"), QStringLiteral("nitrate gates")}));
}

void PaletteTest::groups_stay_together() {
  const std::vector<PaletteRow> rows = {row("Actions", "delegate"), row("Views", "Gates"),
                                        row("Actions", "a gate"), row("Views", "investigate")};
  QCOMPARE(titles(rows, "gate"), QStringList({QStringLiteral("Gates"), QStringLiteral("investigate"),
                                              QStringLiteral("a gate"), QStringLiteral("delegate")}));
  QCOMPARE(titles(rows, ""), QStringList({QStringLiteral("delegate"), QStringLiteral("a gate"),
                                          QStringLiteral("Gates"), QStringLiteral("investigate")}));
}

void PaletteTest::keys_choose_and_run() {
  QWidget window;
  window.resize(1280, 800);
  window.show();
  CommandPalette palette(&window);
  QString ran;
  palette.addProvider([&ran] {
    std::vector<PaletteEntry> entries;
    for (int at = 0; at < 40; ++at) {
      const QString title = QStringLiteral("entry %1").arg(at);
      entries.push_back({.group = at < 20 ? QStringLiteral("One") : QStringLiteral("Two"),
                         .title = title,
                         .key = {},
                         .detail = {},
                         .run = [&ran, title] { ran = title; }});
    }
    return entries;
  });
  palette.openOver(window, 48);
  QCOMPARE(palette.width(), CommandPalette::kWidth);
  QVERIFY(palette.height() < 500);
  QCOMPARE(palette.geometry().center().x(), window.geometry().center().x());
  QVERIFY(palette.line().hasFocus());
  QCOMPARE(palette.list().currentIndex().row(), 1);  // below the name of its group
  for (int at = 0; at < 20; ++at) {
    QTest::keyClick(&palette.line(), Qt::Key_Down);
  }
  QCOMPARE(palette.rows().entry(palette.list().currentIndex().row())->title, QStringLiteral("entry 20"));
  QTest::keyClick(&palette.line(), Qt::Key_Up);
  QTest::keyClick(&palette.line(), Qt::Key_Return);
  QCOMPARE(ran, QStringLiteral("entry 19"));
  QVERIFY(!palette.isVisible());
  palette.openOver(window, 48);
  QTest::keyClicks(&palette.line(), QStringLiteral("33"));
  QCOMPARE(shown(palette), QStringList{QStringLiteral("entry 33")});
  QTest::mouseClick(palette.list().viewport(), Qt::LeftButton, {},
                    palette.list().visualRect(palette.rows().index(1, 0)).center());
  QCOMPARE(ran, QStringLiteral("entry 33"));
  palette.openOver(window, 48);
  QTest::keyClicks(&palette.line(),
                   QStringLiteral("ent"));  // of each group the first, and how many there are
  QCOMPARE(shown(palette).size(), 2 * PaletteModel::kOfGroup);
  QCOMPARE(palette.rows().index(0, 0).data().toString(), QStringLiteral("One: 6 of 20"));
  palette.hide();
  palette.openOver(window, 48);
  QVERIFY(palette.line().text().isEmpty());
  QTest::keyClicks(&palette.line(), QStringLiteral("nothing of the kind"));
  QVERIFY(shown(palette).isEmpty());
  QTest::keyClick(&palette.line(), Qt::Key_Return);
  QVERIFY(palette.isVisible());
  QTest::keyClick(&palette, Qt::Key_Escape);
  QVERIFY(!palette.isVisible());
}

void PaletteTest::disabled_says_why() {
  QWidget window;
  window.resize(1000, 700);
  CommandPalette palette(&window);
  bool ran = false;
  palette.addProvider([&ran]() -> std::vector<PaletteEntry> {
    PaletteEntry undo = entry("Actions", "Undo");
    undo.run = [&ran] { ran = true; };
    undo.enabled = false;
    undo.why = QStringLiteral("Nothing was changed");
    return {undo};
  });
  palette.openOver(window, 48);
  QTest::keyClick(&palette.line(), Qt::Key_Return);
  QVERIFY(!ran);
  const QModelIndex index = palette.rows().index(1, 0);
  QCOMPARE(index.data(Qt::ToolTipRole).toString(), QStringLiteral("Nothing was changed"));
  QVERIFY(index.data(Qt::AccessibleTextRole).toString().startsWith(QStringLiteral("Undo")));
  QVERIFY(index.data(Qt::AccessibleTextRole).toString() != QStringLiteral("Undo"));
  QVERIFY(!(palette.rows().flags(palette.rows().index(0, 0)) & Qt::ItemIsSelectable));
}

void PaletteTest::used_lately_comes_first() {
  QWidget window;
  window.resize(1000, 700);
  CommandPalette palette(&window);
  QSignalSpy changed(&palette, &CommandPalette::recentChanged);
  palette.addProvider([] {
    return std::vector<PaletteEntry>{entry("Actions", "Open"), entry("Actions", "Save"),
                                     entry("Views", "Gates")};
  });
  palette.openOver(window, 48);
  QTest::keyClicks(&palette.line(), QStringLiteral("gates"));
  QTest::keyClick(&palette.line(), Qt::Key_Return);
  QCOMPARE(changed.size(), 1);
  QCOMPARE(palette.recent(), QStringList{QStringLiteral("Views\tGates")});
  palette.openOver(window, 48);
  QCOMPARE(shown(palette),
           QStringList({QStringLiteral("Gates"), QStringLiteral("Open"), QStringLiteral("Save")}));
  palette.hide();
  palette.setRecent({QStringLiteral("Actions\tSave"), QStringLiteral("Views\tGates")});
  palette.openOver(window, 48);
  QCOMPARE(shown(palette),
           QStringList({QStringLiteral("Save"), QStringLiteral("Gates"), QStringLiteral("Open")}));
}

void PaletteTest::actions_of_menus() {
  QMenuBar menus;
  QMenu* file = menus.addMenu(QStringLiteral("&File"));
  QAction* open = file->addAction(QStringLiteral("&Open…"));
  open->setShortcut(QKeySequence(Qt::CTRL | Qt::Key_O));
  file->addSeparator();
  QMenu* more = file->addMenu(QStringLiteral("&More"));
  QAction* export_all = more->addAction(QStringLiteral("Export && print"));
  export_all->setEnabled(false);
  export_all->setToolTip(QStringLiteral("Nothing is open"));
  QSignalSpy triggered(open, &QAction::triggered);
  const std::vector<PaletteEntry> entries = action_entries(menus);
  QCOMPARE(entries.size(), 2U);
  QCOMPARE(entries[0].title, QStringLiteral("Open…"));
  QCOMPARE(entries[0].key, QStringLiteral("Ctrl+O"));
  QCOMPARE(entries[0].detail, QStringLiteral("File"));
  QVERIFY(entries[0].why.isEmpty());
  entries[0].run();
  QCOMPARE(triggered.size(), 1);
  QCOMPARE(entries[1].title, QStringLiteral("Export & print"));
  QCOMPARE(entries[1].detail, QStringLiteral("File › More"));
  QVERIFY(!entries[1].enabled);
  QCOMPARE(entries[1].why, QStringLiteral("Nothing is open"));
}

void PaletteTest::what_the_window_has() {
  QString asked;
  const auto ask = [&asked](const QString& name) { asked = name; };
  const auto views = view_entries(view_kinds(), ask);
  QCOMPARE(views.size(), view_kinds().size());
  views.front().run();
  QCOMPARE(asked, QString::fromLatin1(view_kinds().front()->name));
  std::vector<PaletteRow> rows;
  for (PaletteEntry& quantity : quantity_entries(ask)) {
    rows.push_back(palette_row(std::move(quantity)));
  }
  const auto found = find_rows(rows, QStringLiteral("encoder.L.gate.mean"), {});
  QVERIFY(!found.empty());
  rows[found.front()].entry.run();
  QCOMPARE(asked, QStringLiteral("encoder.L.gate.mean"));
  QVERIFY(!figure_entries(ask).empty());
  QCOMPARE(figure_entries(ask).front().group, QStringLiteral("Figures"));
}

void PaletteTest::sentences_are_read_in_a_job() {
  JobRunner jobs;
  SelectionModel selection;
  Workspace workspace{jobs, selection, mog::test::fake_openers()};
  auto recording = mog::test::make_recording();
  auto tokens = recording->token_counts();
  workspace.addRecording(QStringLiteral("fake.rec"), {}, recording, std::move(tokens));
  workspace.select({workspace.items().front().id, 0});
  QCOMPARE(item_entries(workspace).size(), 1U);
  QWidget window;
  window.resize(1000, 700);
  CommandPalette palette(&window);
  const SentenceEntries sentences(workspace, jobs, palette);
  palette.openOver(window, 48);
  QTest::keyClicks(&palette.line(), QStringLiteral("w3x2"));  // before they are read
  QTRY_COMPARE(shown(palette).size(), 1);
  QTest::keyClick(&palette.line(), Qt::Key_Return);
  QCOMPARE(selection.sentence().index, 3);
}

QTEST_MAIN(PaletteTest)
#include "gui_palette_test.moc"
