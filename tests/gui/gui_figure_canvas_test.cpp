#include <QImage>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>
#include <QWheelEvent>
#include <algorithm>
#include <chrono>

#include "app/gui/widgets/figure_canvas.h"
#include "app/gui/widgets/theme.h"

using mog::analysis::FigureData;
using mog::analysis::HeatMap;
using mog::gui::FigureCanvas;

namespace {

FigureCanvas::Figure make_map(std::int64_t side) {
  HeatMap map;
  map.row_title = "query";
  map.column_title = "key";
  for (std::int64_t i = 0; i < side; ++i) {
    map.rows.push_back({"w" + std::to_string(i), false, i});
  }
  map.columns = map.rows;
  for (std::int64_t cell = 0; cell < side * side; ++cell) {
    map.values.push_back(static_cast<double>(cell % 97) / 97);
  }
  map.scale.quantity = {"attention", "probability", {}};
  return std::make_shared<const FigureData>(FigureData{"map", "", map});
}

void wheel(FigureCanvas& view, QPointF at, int turn) {
  QWheelEvent event(at, view.mapToGlobal(at), {}, {0, turn}, Qt::NoButton, Qt::ControlModifier,
                    Qt::NoScrollPhase, false);
  QApplication::sendEvent(&view, &event);
}

}  // namespace

class FigureCanvasTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void aHoverDoesNotDrawThePictureAgain() {
    FigureCanvas view;
    view.resize(600, 500);
    view.show();
    QVERIFY(QTest::qWaitForWindowExposed(&view));
    view.setFigure(make_map(20));
    view.grab();
    const int drawn = view.renderings();
    QSignalSpy hovered(&view, &FigureCanvas::hovered);
    for (int x = 0; x < 600; x += 25) {
      QTest::mouseMove(&view, {x, 250});
      mog::figures::Highlight highlight;
      if (const auto hit = view.hitAt(QPointF(x, 250))) {
        highlight = hit->highlight();
      }
      view.setHighlight(highlight);
      view.grab();
    }
    QVERIFY(hovered.count() > 10);
    QCOMPARE(view.renderings(), drawn);
  }

  void cellsAreFoundUnderThePointerAlsoWhenZoomed() {
    FigureCanvas view;
    view.resize(600, 500);
    view.show();
    view.setFigure(make_map(40));
    view.grab();
    std::optional<mog::figures::Hit> before;
    QPointF place;
    for (int x = 200; x < 400 && !before; x += 7) {
      place = QPointF(x, 250);
      before = view.hitAt(place);
    }
    QVERIFY(before && before->kind == mog::figures::Hit::Kind::cell);
    QVERIFY(!before->readout.isEmpty());
    wheel(view, place, 240);
    QVERIFY(view.zoom() > 1.3);
    const auto after = view.hitAt(place);
    QVERIFY(after.has_value());
    // Zooming is around the pointer; labels do not grow, so that a cell or two of drift is right.
    QVERIFY(std::abs(after->row - before->row) <= 3);
    QVERIFY(std::abs(after->column - before->column) <= 3);
    view.fit();
    QCOMPARE(view.zoom(), 1.0);
    QCOMPARE(view.hitAt(place)->row, before->row);
  }

  // A map of many words scrolls in cells that can be read; its labels stay, the key * fits the whole.
  void aLargeMapIsAWindow() {
    FigureCanvas view;
    view.resize(600, 500);
    view.show();
    QVERIFY(QTest::qWaitForWindowExposed(&view));
    view.setLeastCell(12);
    view.setFigure(make_map(20));
    QVERIFY(!view.isWindow());
    view.setFigure(make_map(120));
    QVERIFY(view.isWindow());
    view.grab();
    const auto cell = view.hitAt({300, 250});
    QVERIFY(cell && cell->kind == mog::figures::Hit::Kind::cell);
    QVERIFY(cell->area.width() >= 12 && cell->area.width() < 13);
    // A word that a key chose comes into sight, with its name at the edge.
    const int drawn = view.renderings();
    view.see(100, 90);
    view.grab();
    QVERIFY(view.renderings() > drawn);
    bool found = false;
    std::optional<mog::figures::Hit> name;
    for (int y = 0; y < view.height(); y += 4) {
      for (int x = 0; x < view.width(); x += 4) {
        const auto hit = view.hitAt(QPointF(x, y));
        found = found || (hit && hit->row == 100 && hit->column == 90);
        if (hit && hit->kind == mog::figures::Hit::Kind::row_label && hit->row == 100) {
          name = hit;
          QVERIFY(x < 100);
        }
      }
    }
    QVERIFY(found);
    QVERIFY(name.has_value());
    view.see(100, 90);
    QCOMPARE(view.renderings(), drawn + 1);  // it is there
    QTest::keyClick(&view, Qt::Key_Asterisk);
    QVERIFY(!view.isWindow());
    QVERIFY(view.hitAt({300, 250})->area.width() < 6);
    auto* button = view.findChild<QToolButton*>();
    QVERIFY(button->isVisible());
    button->click();
    QVERIFY(view.isWindow());
    view.grab();
    // A click into the small picture of the whole goes there.
    view.see(0, 0);
    view.grab();
    const auto before = view.hitAt({300, 250});
    QTest::mouseClick(&view, Qt::LeftButton, {}, {view.width() - 20, view.height() - 40});
    view.grab();
    const auto after = view.hitAt({300, 250});
    QVERIFY(before && after && after->row > before->row + 40 && after->column > before->column + 40);
  }

  void anEmptyViewOffersWhatCanBeDone() {
    FigureCanvas view;
    view.resize(400, 300);
    view.show();
    QVERIFY(QTest::qWaitForWindowExposed(&view));
    auto* button = view.findChild<QPushButton*>();
    view.setEmpty(QStringLiteral("Nothing yet"), QStringLiteral("Open a recording."));
    QVERIFY(!button->isVisible());
    int done = 0;
    view.setEmpty(QStringLiteral("Nothing yet"), QStringLiteral("Open a recording."),
                  {QStringLiteral("Open"), [&done] { ++done; }});
    QVERIFY(button->isVisible());
    QVERIFY(view.rect().contains(button->geometry()));
    QVERIFY(button->focusPolicy() & Qt::TabFocus);
    button->click();
    QCOMPARE(done, 1);
    view.setFigure(make_map(3));
    QVERIFY(!button->isVisible());
  }

  void darkAndLightDiffer() {
    FigureCanvas view;
    view.resize(300, 200);
    view.setEmpty(QStringLiteral("Nothing yet"), QStringLiteral("Open a recording."));
    view.setPalette(mog::gui::light_palette());
    const QImage light = view.grab().toImage();
    view.setPalette(mog::gui::dark_palette());
    const QImage dark = view.grab().toImage();
    QVERIFY(light.pixelColor(5, 5).lightness() > 200);
    QVERIFY(dark.pixelColor(5, 5).lightness() < 80);
    // The words are there, in both.
    const auto inked = [](const QImage& image) {
      int count = 0;
      for (int y = 0; y < image.height(); ++y) {
        for (int x = 0; x < image.width(); ++x) {
          count += std::abs(image.pixelColor(x, y).lightness() - image.pixelColor(2, 2).lightness()) > 60;
        }
      }
      return count;
    };
    QVERIFY(inked(light) > 100);
    QVERIFY(inked(dark) > 100);
  }

  void anEmptyOrTinyViewDrawsWithoutHarm() {
    FigureCanvas view;
    for (const QSize size : {QSize(1, 1), QSize(5, 300), QSize(40, 20)}) {
      view.resize(size);
      view.setFigure(make_map(3));
      view.grab();
      view.setEmpty({}, {});
      view.grab();
    }
    QVERIFY(!view.hitAt({1, 1}));
  }
};

QTEST_MAIN(FigureCanvasTest)
#include "gui_figure_canvas_test.moc"
