#include <QApplication>
#include <QImage>
#include <QMouseEvent>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>
#include <QWheelEvent>
#include <algorithm>
#include <chrono>
#include <set>

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

using mog::analysis::TreeFigure;
using mog::analysis::TreeNode;
using Kind = mog::figures::Hit::Kind;

// Word 0 takes in the next words one after the other, one in each layer.
FigureCanvas::Figure make_chain(std::int64_t layers, std::int64_t beyond = 3) {
  TreeFigure tree;
  tree.layers = layers + beyond;
  tree.carried_weight = 0.2;
  for (std::int64_t i = 0; i <= layers; ++i) {
    tree.words.push_back({"word" + std::to_string(i), false, i});
    tree.nodes.push_back({.x = static_cast<double>(i), .word = i, .tuple = {}});
  }
  std::int64_t had = 0;
  for (std::int64_t layer = 1; layer <= layers; ++layer) {
    tree.nodes.push_back({.layer = layer,
                          .word = 0,
                          .part = mog::Part::high,
                          .weight = 0.25,
                          .kind = 1,
                          .order = layer + 1,
                          .tuple = {},
                          .left = had,
                          .right = layer});
    had = std::ssize(tree.nodes) - 1;
  }
  tree.roots = {had};
  return std::make_shared<const FigureData>(FigureData{"", "", tree});
}

std::optional<mog::figures::Hit> find(const FigureCanvas& view, const QRect& where, Kind kind,
                                      std::int64_t of) {
  for (int y = where.top(); y <= where.bottom(); y += 3) {
    for (int x = where.left(); x <= where.right(); x += 3) {
      const auto hit = view.hitAt(QPointF(x, y));
      if (hit && hit->kind == kind && (kind == Kind::node ? hit->node : hit->word) == of) {
        return hit;
      }
    }
  }
  return std::nullopt;
}

void scroll(FigureCanvas& view, int turn) {
  const QPointF at = view.rect().center();
  QWheelEvent event(at, view.mapToGlobal(at), {}, {0, turn}, Qt::NoButton, Qt::NoModifier, Qt::NoScrollPhase,
                    false);
  QApplication::sendEvent(&view, &event);
}

void wheel(FigureCanvas& view, QPointF at, int turn) {
  QWheelEvent event(at, view.mapToGlobal(at), {}, {0, turn}, Qt::NoButton, Qt::ControlModifier,
                    Qt::NoScrollPhase, false);
  QApplication::sendEvent(&view, &event);
}

}  // namespace

class FigureCanvasTest : public QObject {
  Q_OBJECT
 private:
  // In a view of 600 x 500 pixels, cells of 12.
  static bool showWithCells(FigureCanvas& view) {
    view.resize(600, 500);
    view.show();
    view.setLeastCell(12);
    return QTest::qWaitForWindowExposed(&view);
  }

  static bool cellInSight(const FigureCanvas& view, std::int64_t row, std::int64_t column) {
    for (int y = 0; y < view.height(); y += 4) {
      for (int x = 0; x < view.width(); x += 4) {
        const auto hit = view.hitAt(QPointF(x, y));
        if (hit && hit->row == row && hit->column == column) {
          return true;
        }
      }
    }
    return false;
  }

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
    QVERIFY(showWithCells(view));
    view.setFigure(make_map(20));
    QVERIFY(!view.showsPart());
    view.setFigure(make_map(120));
    QVERIFY(view.showsPart());
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
    QVERIFY(!view.showsPart());
    QVERIFY(view.hitAt({300, 250})->area.width() < 6);
    auto* button = view.findChild<QToolButton*>();
    QVERIFY(button->isVisible());
    button->click();
    QVERIFY(view.showsPart());
    view.grab();
    // A click into the small picture of the whole goes there.
    view.see(0, 0);
    view.grab();
    const auto before = view.hitAt({300, 250});
    QTest::mouseClick(&view, Qt::LeftButton, {}, {view.width() - 90, view.height() - 40});
    view.grab();
    const auto after = view.hitAt({300, 250});
    QVERIFY(before && after && after->row > before->row + 40 && after->column > before->column + 40);
    // In the last corner too, whatever was drawn before; a picture that was just set has none to scroll by.
    view.see(119, 119);
    QVERIFY(cellInSight(view, 119, 119));
    view.setFigure(make_map(121));
    view.see(120, 120);
    QVERIFY(cellInSight(view, 120, 120));
  }

  // Where cells would be just a little too small the whole is better seen than scrolled.
  void aMapThatNearlyFitsIsWhole() {
    FigureCanvas view;
    view.show();
    QVERIFY(QTest::qWaitForWindowExposed(&view));
    view.setLeastCell(12);
    view.setFigure(make_map(37));
    const auto sized = [&](double cell) {
      return mog::figures::size_with_cells(*view.figure(), view.style(), cell).toSize() + QSize(1, 1);
    };
    view.resize(sized(9));
    QVERIFY(!view.showsPart());
    const auto cell = view.hitAt({view.width() / 2.0, view.height() / 2.0});
    QVERIFY(cell && cell->area.width() >= 9 && cell->area.width() < 12);
    QVERIFY(!view.findChild<QToolButton*>()->isVisible());
    view.resize(sized(7));
    QVERIFY(view.showsPart());
  }

  // The scale stays where a map is scrolled: at the right edge, all of it.
  void theScaleStays() {
    FigureCanvas view;
    QVERIFY(showWithCells(view));
    view.setFigure(make_map(120));
    for (const std::int64_t place : {0, 60, 119}) {
      view.see(place, place);
      const QImage picture = view.grab().toImage();
      int most = 0;
      for (int x = picture.width() - 90; x < picture.width(); ++x) {
        std::set<QRgb> colours;
        for (int y = 0; y < picture.height() / 2; ++y) {
          colours.insert(picture.pixel(x, y));
        }
        most = std::max(most, static_cast<int>(colours.size()));
      }
      QVERIFY2(most > 60, qPrintable(QString::number(most)));  // a bar from end to end of the scale
      QVERIFY(!view.hitAt({view.width() - 8.0, 200.0}));
      QVERIFY(cellInSight(view, place, place));
    }
    // The button for the whole map covers no name of a row, wherever the labels stand.
    for (const std::int64_t arcs : {0, 2}) {
      auto hung = std::make_shared<mog::analysis::FigureData>(*make_map(120));
      std::get<mog::analysis::HeatMap>(hung->body).arcs = arcs;
      view.setFigure(hung);
      for (const std::int64_t place : {0, 60, 119}) {
        view.see(place, place);
        view.grab();
        const QRect button = view.findChild<QToolButton*>()->geometry();
        QVERIFY(view.rect().contains(button));
        for (const QPoint corner :
             {button.topLeft(), button.topRight(), button.bottomLeft(), button.center()}) {
          const auto hit = view.hitAt(corner);
          QVERIFY2(!hit || hit->kind != mog::figures::Hit::Kind::row_label,
                   qPrintable(QStringLiteral("%1 %2").arg(arcs).arg(place)));
        }
      }
    }
    view.setFigure(make_map(120));
    // Dragging in the small picture goes on to its edges.
    view.see(0, 0);
    view.grab();
    const QPoint start(view.width() - 120, view.height() - 60);
    QTest::mousePress(&view, Qt::LeftButton, {}, start);
    QMouseEvent far(QEvent::MouseMove, QPointF(view.width() + 400, view.height() + 400),
                    view.mapToGlobal(QPointF(view.width() + 400, view.height() + 400)), Qt::NoButton,
                    Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(&view, &far);
    QMouseEvent back(QEvent::MouseMove, QPointF(start), view.mapToGlobal(QPointF(start)), Qt::NoButton,
                     Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(&view, &back);
    const QPointF there = view.offset();
    QApplication::sendEvent(&view, &far);
    QVERIFY(view.offset().x() >= there.x() && view.offset().y() >= there.y());
    QTest::mouseRelease(&view, Qt::LeftButton, {}, start);
    QVERIFY(cellInSight(view, 119, 119));
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

  // A view that is a little low shows all, one that is far too low the owner's join; words are always seen.
  void aTreeOpensWhereAReaderBegins() {
    FigureCanvas view;
    view.resize(1000, 320);
    view.show();
    view.setFigure(make_chain(3));
    QVERIFY(view.figureSize().height() <= 320);
    QVERIFY(find(view, view.rect(), Kind::node, 6));
    QVERIFY(find(view, view.rect(), Kind::word, 3));
    const auto tall = make_chain(12);
    const std::int64_t root = std::get<TreeFigure>(tall->body).roots.front();
    for (const int height : {170, 220, 400}) {
      view.resize(1000, height);
      view.setFigure(make_chain(3));
      view.setFigure(tall);
      QVERIFY(view.figureSize().height() > height);
      const auto owner = find(view, view.rect(), Kind::node, root);
      QVERIFY2(owner && view.rect().contains(owner->area.translated(-view.offset()).toRect()),
               qPrintable(QString::number(height)));
      const QRect foot(0, height - 60, 1000, 60);
      const auto word = find(view, foot, Kind::word, 5);
      QVERIFY(word && view.rect().contains(word->area.translated(-view.offset()).toRect()));
      QVERIFY(!find(view, QRect(0, 0, 1000, height / 2), Kind::word, 5));
      // As painted there: something else than the paper.
      const QImage picture = view.grab().toImage();
      const QRect of_word = word->area.translated(-view.offset()).toRect();
      int inked = 0;
      for (int x = of_word.left(); x < of_word.right(); ++x) {
        inked += picture.pixel(x, of_word.top() + 16) != picture.pixel(2, 2) ? 1 : 0;
      }
      QVERIFY(inked > 4);
      scroll(view, -240);
      QVERIFY(view.offset().y() > 0);
      QVERIFY(find(view, foot, Kind::word, 5));
    }
    // What was moved stays where it is, what was not is opened anew.
    const double moved = view.offset().y();
    view.resize(1000, 390);
    QCOMPARE(view.offset().y(), moved);
    view.fit();
    QVERIFY(view.offset().y() < moved);
  }

  // Lines from words above to columns: only to those in sight, and over no text.
  void leadersFollowThePicture() {
    FigureCanvas view;
    view.resize(900, 500);
    view.show();
    view.setFigure(make_chain(4));
    const QImage without = view.grab().toImage();
    double from = 700;
    std::int64_t word = 2;
    view.setLeaders([&] { return std::vector<mog::figures::Leader>{{word, from + view.offset().x()}}; });
    const auto differs = [&](const QRect& where) {
      const QImage with = view.grab().toImage();
      int count = 0;
      for (int y = where.top(); y <= where.bottom(); ++y) {
        for (int x = where.left(); x <= where.right(); ++x) {
          count += with.pixel(x, y) != without.pixel(x, y) ? 1 : 0;
        }
      }
      return count;
    };
    const QRectF column = find(view, view.rect(), Kind::word, word)->area;
    const auto middle = static_cast<int>(column.center().x());
    QVERIFY(differs({690, 0, 20, 4}) > 0);            // where the word stands
    QVERIFY(differs({middle - 3, 40, 7, 200}) > 0);   // its column
    QCOMPARE(differs(column.toRect()), 0);            // ends above it
    for (std::int64_t node = 5; node <= 8; ++node) {  // discs are not crossed
      QCOMPARE(differs(find(view, view.rect(), Kind::node, node)->area.toRect()), 0);
    }
    from = 300;
    view.leadersMoved();
    QCOMPARE(differs({690, 0, 20, 4}), 0);
    QVERIFY(differs({290, 0, 20, 4}) > 0);
    word = 77;  // none of the graph
    view.leadersMoved();
    QCOMPARE(differs(view.rect()), 0);
    word = 1;  // its column is out of sight to the left
    view.setZoom(4, QPointF(890, 480));
    view.grab();
    QVERIFY(!find(view, view.rect(), Kind::word, word));
    const QImage zoomed = view.grab().toImage();
    view.setLeaders({});
    QCOMPARE(view.grab().toImage(), zoomed);
  }

  // Numbers stand beside a word and a join, over neither.
  void numbersStandBesideWhatIsTold() {
    FigureCanvas view;
    view.resize(900, 500);
    view.show();
    view.setFigure(make_chain(3));
    const QImage without = view.grab().toImage();
    using Of = mog::figures::NoteMark::Of;
    const std::int64_t root = std::get<TreeFigure>(view.figure()->body).roots.front();
    for (const mog::figures::NoteMark& mark :
         {mog::figures::NoteMark{1, Of::word, 2}, mog::figures::NoteMark{2, Of::node, root},
          mog::figures::NoteMark{3, Of::carried, 0}}) {
      view.setMarks({mark});
      const QImage with = view.grab().toImage();
      QRect changed;
      for (int y = 0; y < with.height(); ++y) {
        for (int x = 0; x < with.width(); ++x) {
          changed = with.pixel(x, y) != without.pixel(x, y) ? changed.united(QRect(x, y, 1, 1)) : changed;
        }
      }
      QVERIFY(changed.width() >= 14 && changed.width() <= 30);
      if (mark.of != Of::carried) {
        const auto thing = find(view, view.rect(), mark.of == Of::word ? Kind::word : Kind::node, mark.index);
        QVERIFY(thing->area.toRect().adjusted(-60, -40, 60, 40).contains(changed));
      }
      if (mark.of == Of::node) {
        QVERIFY(!changed.contains(find(view, view.rect(), Kind::node, root)->area.center().toPoint()));
      }
    }
    view.setMarks({{1, Of::word, 77}, {2, Of::node, 0}});  // not there; no join
    QCOMPARE(view.grab().toImage(), without);
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
