// Ctrl+E: every picture of every view, through the dialog, in every format.
#include <hdf5.h>

#include <QAction>
#include <QCheckBox>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QFile>
#include <QImage>
#include <QLineEdit>
#include <QSpinBox>
#include <QTest>
#include <QXmlStreamReader>
#include <algorithm>
#include <cmath>

#include "analysis/statistics/csv_table.h"
#include "app/gui/views/compare/compare_view.h"
#include "app/gui/window/export_dialog.h"
#include "app/gui/window/exporter.h"
#include "tests/gui/gui_fixture.h"

using mog::test::WindowFixture;
using namespace mog::gui;

namespace {

QByteArray contents(const QString& path) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

struct Wish {
  QString suffix;
  QString file;
  int dots = 300;
  bool data = false;
};

// Opens the dialog by its key, fills it in and accepts it. Returns what it asked for.
ExportRequest write(MainWindow& window, int view, const Wish& wish) {
  for (QAction* action : window.findChildren<QAction*>()) {
    if (action->shortcut() == QKeySequence(QStringLiteral("Ctrl+E"))) {
      action->trigger();
      break;
    }
  }
  auto* dialog = window.findChild<ExportDialog*>();
  if (dialog == nullptr) {
    return {};
  }
  dialog->findChild<QComboBox*>(QStringLiteral("view"))->setCurrentIndex(view);
  auto* format = dialog->findChild<QComboBox*>(QStringLiteral("format"));
  format->setCurrentIndex(format->findData(wish.suffix));
  dialog->findChild<QLineEdit*>(QStringLiteral("file"))->setText(wish.file);
  auto* dots = dialog->findChild<QSpinBox*>(QStringLiteral("dots"));
  const bool pixels = wish.suffix == QLatin1String(".png");
  if (dots->isVisible() != pixels) {
    return {};
  }
  dots->setValue(wish.dots);
  dialog->findChild<QCheckBox*>(QStringLiteral("data"))->setChecked(wish.data);
  const ExportRequest request = dialog->request();
  dialog->accept();
  delete dialog;
  return request;
}

// The text of an SVG file, its letters in order, without spaces.
QString text_of(const QByteArray& svg) {
  QXmlStreamReader reader(svg);
  QString result;
  bool inside = false;
  while (!reader.atEnd()) {
    reader.readNext();
    if (reader.isStartElement() && reader.name() == QLatin1String("text")) {
      inside = true;
    } else if (reader.isEndElement() && reader.name() == QLatin1String("text")) {
      inside = false;
    } else if (reader.isCharacters() && inside) {
      result += reader.text();
    }
  }
  return reader.hasError() ? QString() : result;
}

// A dataset of numbers, whatever its shape; empty: there is none.
std::vector<double> numbers(const QString& path, const char* name) {
  const hid_t file = H5Fopen(path.toUtf8().constData(), H5F_ACC_RDONLY, H5P_DEFAULT);
  if (file < 0) {
    return {};
  }
  std::vector<double> result;
  const hid_t set = H5Dopen2(file, name, H5P_DEFAULT);
  if (set >= 0) {
    const hid_t space = H5Dget_space(set);
    result.resize(static_cast<std::size_t>(std::max<hssize_t>(0, H5Sget_simple_extent_npoints(space))));
    if (H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, result.data()) < 0) {
      result.clear();
    }
    H5Sclose(space);
    H5Dclose(set);
  }
  H5Fclose(file);
  return result;
}

bool same(double a, double b) {
  return std::isnan(a) ? std::isnan(b) : a == b;
}

// The numbers of a map, or of the table that every figure has.
void check_numbers(const mog::analysis::FigureData& figure, const QString& path) {
  if (const auto* map = std::get_if<mog::analysis::HeatMap>(&figure.body)) {
    const std::vector<double> values = numbers(path, "values");
    QCOMPARE(values.size(), map->values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      QVERIFY2(same(values[i], map->values[i]), qPrintable(path));
    }
  }
  const std::string csv = figure.to_csv();
  const auto rows = std::count(csv.begin(), csv.end(), '\n') - 1;
  const QByteArray column = "table/" + QByteArray::fromStdString(csv.substr(0, csv.find_first_of(",\n")));
  const hid_t file = H5Fopen(path.toUtf8().constData(), H5F_ACC_RDONLY, H5P_DEFAULT);
  QVERIFY2(file >= 0, qPrintable(path));
  const hid_t set = H5Dopen2(file, column.constData(), H5P_DEFAULT);
  QVERIFY2(set >= 0, column.constData());
  const hid_t space = H5Dget_space(set);
  QCOMPARE(H5Sget_simple_extent_npoints(space), static_cast<hssize_t>(rows));
  H5Sclose(space);
  H5Dclose(set);
  H5Fclose(file);
}

// The figure's table, and behind it, in the first row, its caption and what it was made by.
void check_table(const ExportItem& item, const std::string& csv) {
  mog::analysis::Table table = mog::analysis::parse_csv(csv, "the exported table");
  QVERIFY(table.columns.size() > 2);
  QCOMPARE(table.columns[table.columns.size() - 2], "caption");
  QCOMPARE(table.columns.back(), "made_by");
  QVERIFY(!table.rows.empty());
  QCOMPARE(std::get<std::string>(table.rows.front()[table.columns.size() - 2]), item.figure->caption);
  QVERIFY(std::get<std::string>(table.rows.front().back()).starts_with("mog "));
  table.columns.resize(table.columns.size() - 2);
  for (auto& row : table.rows) {
    row.resize(table.columns.size());
  }
  QCOMPARE(mog::analysis::to_csv(table),
           mog::analysis::to_csv(mog::analysis::parse_csv(item.figure->to_csv(), "the figure's table")));
}

// Letters that a file must hold: the words of the title of an axis, a label, a word of the sentence.
QStringList words_of(const mog::analysis::FigureData& figure) {
  if (const auto* map = std::get_if<mog::analysis::HeatMap>(&figure.body)) {
    return map->rows.empty() ? QStringList() : QStringList{QString::fromStdString(map->rows.front().text)};
  }
  if (const auto* arcs = std::get_if<mog::analysis::ArcFigure>(&figure.body)) {
    return {QString::fromStdString(arcs->words.front().text)};
  }
  return {};
}

void check_every_format(WindowFixture& fixture) {
  MainWindow& window = *fixture.window;
  const std::vector<ExportItem> items = window.exporter().items();
  for (int i = 0; i < static_cast<int>(items.size()); ++i) {
    const ExportItem& item = items[static_cast<std::size_t>(i)];
    const QString name = fixture.folder.filePath(QStringLiteral("picture"));
    const QString svg = name + QStringLiteral(".svg");
    QVERIFY2(write(window, i, {.suffix = QStringLiteral(".svg"), .file = svg, .data = true}).path == svg,
             qPrintable(item.name));
    const QByteArray drawn = contents(svg);
    const QString text = text_of(drawn);
    QVERIFY2(!text.isEmpty(), qPrintable(item.name));
    for (const QString& word : words_of(*item.figure)) {
      QVERIFY2(text.contains(word), qPrintable(item.name + QStringLiteral(": ") + word));
    }
    check_table(item, contents(name + QStringLiteral(".csv")).toStdString());
    check_numbers(*item.figure, name + QStringLiteral(".h5"));
    if (QTest::currentTestFailed()) {
      qWarning("%s", qPrintable(item.name));
      return;
    }
    const QString pdf = name + QStringLiteral(".pdf");
    QVERIFY(write(window, i, {.suffix = QStringLiteral(".pdf"), .file = pdf}).path == pdf);
    const QByteArray page = contents(pdf);
    QVERIFY2(page.startsWith("%PDF-") && page.contains("/FontFile"), qPrintable(item.name));
    const QString png = name + QStringLiteral(".png");
    QSize once;
    for (const int scale : {1, 3}) {
      QVERIFY(write(window, i, {.suffix = QStringLiteral(".png"), .file = png, .dots = 72 * scale}).path ==
              png);
      const QImage image(png);
      QVERIFY2(!image.isNull(), qPrintable(item.name));
      if (scale == 1) {
        once = image.size();
        // A page is 17.5 cm: 496 points.
        QVERIFY2(once.width() == 497 || once.width() == 496, qPrintable(QString::number(once.width())));
      } else {
        QCOMPARE(image.size(), once * scale);
      }
    }
  }
}

}  // namespace

class ExportTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void everyPictureOfEveryViewInEveryFormat() {
    WindowFixture fixture;
    fixture.window->open({fixture.saveFake()});
    QVERIFY(fixture.settle());
    MainWindow& window = *fixture.window;
    window.workspace().select({1, 1});
    QVERIFY(fixture.settle());
    window.compare().hold();
    window.workspace().select({1, 0});
    window.selection().setToken(1);
    fixture.seeAll();
    QVERIFY2(window.exporter().items().size() >= 9,
             qPrintable(QString::number(window.exporter().items().size())));
    check_every_format(fixture);
  }

  // What the reader looks at is offered first, what was seen before stays offered.
  void theFirstIsOfAViewInSight() {
    WindowFixture fixture;
    fixture.openFake();
    fixture.seeAll();
    const auto first = [&] { return fixture.window->exporter().items().front().file_name; };
    const std::size_t count = fixture.window->exporter().items().size();
    for (const auto& [view, start] : {std::pair("trees", "tree-"), std::pair("attention", "attention-"),
                                      std::pair("flow", "flow-"), std::pair("trees", "tree-")}) {
      fixture.see(view);
      QVERIFY2(first().startsWith(QLatin1String(start)), qPrintable(first()));
      QCOMPARE(fixture.window->exporter().items().size(), count);
    }
  }

  void theCommandHasWhatWasChosen() {
    WindowFixture fixture;
    fixture.window->open({fixture.saveFake()});
    QVERIFY(fixture.settle());
    ExportDialog dialog(fixture.window->exporter().items(), fixture.folder.path());
    dialog.show();
    auto* command = dialog.findChild<QLineEdit*>(QStringLiteral("command"));
    auto* dots = dialog.findChild<QSpinBox*>(QStringLiteral("dots"));
    QVERIFY(!dots->isVisible() && !command->text().contains(QStringLiteral("--dpi")));
    auto* format = dialog.findChild<QComboBox*>(QStringLiteral("format"));
    format->setCurrentIndex(format->findData(QStringLiteral(".png")));
    QVERIFY(dots->isVisible() && !command->text().contains(QStringLiteral("--dpi")));
    dots->setValue(144);
    QVERIFY2(command->text().contains(QStringLiteral(" --dpi 144")), qPrintable(command->text()));
    QCOMPARE(dialog.request().dots_per_inch, 144);
    // Another suffix typed by hand is another format.
    dialog.findChild<QLineEdit*>(QStringLiteral("file"))->setText(QStringLiteral("/x/y.pdf"));
    QVERIFY(!dots->isVisible() && !command->text().contains(QStringLiteral("--dpi")));
  }

  // Width of a venue or in cm, title and caption are in the file.
  void widthTitleAndCaptionAreChosen() {
    WindowFixture fixture;
    fixture.window->open({fixture.saveFake()});
    QVERIFY(fixture.settle());
    ExportDialog dialog(fixture.window->exporter().items(), fixture.folder.path());
    auto* command = dialog.findChild<QLineEdit*>(QStringLiteral("command"));
    auto* paper = dialog.findChild<QComboBox*>(QStringLiteral("width"));
    auto* width = dialog.findChild<QDoubleSpinBox*>(QStringLiteral("centimetres"));
    auto* caption = dialog.findChild<QComboBox*>(QStringLiteral("caption"));
    auto* title = dialog.findChild<QLineEdit*>(QStringLiteral("title"));
    for (const char* option : {"--preset", "--width", "--caption", "--title"}) {
      QVERIFY2(!command->text().contains(QString::fromLatin1(option)), qPrintable(command->text()));
    }
    paper->setCurrentIndex(paper->findData(static_cast<int>(mog::figures::Paper::acl)));
    QCOMPARE(width->value(), 7.7);
    QVERIFY(command->text().contains(QStringLiteral(" --preset acl ")));
    QVERIFY(!command->text().contains(QStringLiteral("--width")));
    width->setValue(12.7);
    QVERIFY(command->text().contains(QStringLiteral(" --preset acl --width 12.7 ")));
    title->clear();
    caption->setCurrentIndex(caption->findData(static_cast<int>(mog::figures::Caption::none)));
    QVERIFY(command->text().contains(QStringLiteral(" --caption none --title '' ")));
    dialog.findChild<QLineEdit*>(QStringLiteral("file"))
        ->setText(fixture.folder.filePath(QStringLiteral("a.svg")));
    ExportRequest request = dialog.request();
    write_export(request);
    const QByteArray bare = contents(request.path);
    QVERIFY2(bare.contains("width=\"127mm\"") || bare.contains("width=\"360"), bare.left(400).constData());
    const QString own = QString::fromStdString(request.item.figure->title).remove(QLatin1Char(' '));
    const QString model =
        QString::fromStdString(request.item.figure->caption).section(QLatin1Char(' '), 0, 0);
    QVERIFY(!own.isEmpty() && !text_of(bare).remove(QLatin1Char(' ')).contains(own));
    QVERIFY(!model.isEmpty() && !text_of(bare).contains(model));
    title->setText(QStringLiteral("Mine"));
    caption->setCurrentIndex(caption->findData(static_cast<int>(mog::figures::Caption::full)));
    write_export(dialog.request());
    const QString full = text_of(contents(request.path));
    QVERIFY(full.contains(QStringLiteral("Mine")) && full.contains(model));
  }
};

QTEST_MAIN(ExportTest)
#include "gui_export_test.moc"
