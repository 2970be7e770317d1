// Maps where there is little room, and several of them in one figure.
#include <gtest/gtest.h>

#include <QImage>
#include <QPainter>
#include <QRectF>
#include <QXmlStreamReader>
#include <algorithm>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "app/figures/export/export.h"
#include "app/figures/frame.h"
#include "app/figures/painter.h"
#include "app/figures/text.h"
#include "tests/unit/figures/examples.h"

namespace mog::figures {
namespace {

using analysis::ColourScale;
using analysis::FigureData;
using analysis::HeatMap;
using analysis::PanelFigure;

struct Written {
  QString text;
  QRectF area;
};

// The level texts of a figure and what they cover.
std::vector<Written> written(const FigureData& figure, const Style& style, QSizeF size) {
  std::vector<Written> result;
  QXmlStreamReader reader(render_figure(figure, FileFormat::svg, {.style = style, .size = size}));
  while (!reader.atEnd()) {
    if (reader.readNext() != QXmlStreamReader::StartElement || reader.name() != QLatin1String("text")) {
      continue;
    }
    const QXmlStreamAttributes attributes = reader.attributes();
    const bool turned = attributes.hasAttribute(QStringLiteral("transform"));
    const double x = attributes.value(QStringLiteral("x")).toDouble();
    const double y = attributes.value(QStringLiteral("y")).toDouble();
    const TypeFace face(style, attributes.value(QStringLiteral("font-size")).toDouble());
    const QString text = reader.readElementText();
    if (!turned) {
      result.push_back({text, QRectF(x, y - face.cap_height(), face.width(text), face.cap_height())});
    }
  }
  return result;
}

FigureData panels_of(std::vector<FigureData> panels, std::int64_t columns) {
  FigureData figure;
  PanelFigure body;
  body.columns = columns;
  body.share_legend = false;
  body.panels = std::move(panels);
  figure.body = std::move(body);
  return figure;
}

// "−0.08 and less" stood on "0.08 and more".
TEST(Maps, LabelsOfAFlatScaleNeverMeet) {
  FigureData panel = test::example_difference(8);
  auto& map = std::get<HeatMap>(panel.body);
  map.values[3] = analysis::kAbsent;
  std::size_t brief = 0;
  std::size_t whole = 0;
  for (const bool more : {true, false}) {
    for (const double end : {0.08, 0.0025}) {
      map.scale = {ColourScale::Kind::diverging, -end, end, {"difference of attention weight", "", ""}};
      map.scale.more = more;
      const FigureData figure = panels_of({panel, panel, panel}, 3);
      for (const Paper paper : {Paper::screen, Paper::page}) {
        const Style style = Style::of(paper);
        for (double width = 3 * 110; width < 3 * 420; width += 53) {
          const std::vector<Written> texts = written(figure, style, QSizeF(width, width / 2));
          for (std::size_t i = 0; i < texts.size(); ++i) {
            brief += texts[i].text.startsWith(u'≤') ? 1U : 0U;
            whole += texts[i].text.endsWith(QLatin1String("and less")) ? 1U : 0U;
            for (std::size_t j = 0; j < i; ++j) {
              EXPECT_FALSE(texts[i].area.intersects(texts[j].area))
                  << texts[i].text.toStdString() << " on " << texts[j].text.toStdString() << " at " << width;
            }
          }
        }
      }
    }
  }
  EXPECT_GT(brief, 0U);
  EXPECT_GT(whole, 0U);
}

// The first cell of each panel, and how many rows and columns are found.
struct FoundMap {
  QRectF first;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
};
std::map<std::int64_t, FoundMap> found_maps(const FigureData& figure, const Style& style, QSizeF size) {
  std::map<std::int64_t, FoundMap> result;
  const LaidOut laid_out(std::make_shared<const FigureData>(figure), style, size);
  for (double y = 0; y < size.height(); y += 2) {
    for (double x = 0; x < size.width(); x += 2) {
      const auto hit = laid_out.hit_test({x, y});
      if (hit && hit->kind == Hit::Kind::cell) {
        FoundMap& map = result[hit->panel];
        map.rows = std::max(map.rows, hit->row + 1);
        map.columns = std::max(map.columns, hit->column + 1);
        map.first = hit->row == 0 && hit->column == 0 ? hit->area : map.first;
      }
    }
  }
  return result;
}

FigureData difference_of_gates(std::int64_t words, std::int64_t layers) {
  FigureData difference = test::example_gates(words, layers);
  std::get<HeatMap>(difference.body).scale = {
      ColourScale::Kind::diverging, -0.2, 0.2, {"difference of gate weight", "", "mean over dimensions"}};
  FigureData figure = test::example_gates(words, layers);
  figure.title = "a model, sentence 1";
  difference.title = "difference";
  return panels_of({figure, figure, difference}, 1);
}

// Three maps of gates in a low view: the labels of their words left no room for cells.
TEST(Maps, GatesBelowEachOtherHaveRowsToRead) {
  const Style style = Style::of(Paper::screen);
  const std::vector<std::pair<std::int64_t, std::int64_t>> sizes = {{13, 6}, {38, 6}, {60, 12}};
  for (const auto& [words, layers] : sizes) {
    const FigureData figure = difference_of_gates(words, layers);
    const auto& gates = std::get<HeatMap>(std::get<PanelFigure>(figure.body).panels.front().body);
    const auto columns = static_cast<std::int64_t>(gates.columns.size());
    for (const double width : {500.0, 690.0, 1300.0}) {
      const QSizeF size(width, least_height(figure, style, width));
      const auto maps = found_maps(figure, style, size);
      ASSERT_EQ(maps.size(), 3U) << words << " in " << width;
      for (const auto& [panel, map] : maps) {
        EXPECT_EQ(map.rows, layers) << panel;
        EXPECT_EQ(map.columns, columns) << panel;
        EXPECT_GE(map.first.height(), 9) << panel << " of " << words << " in " << width;
        EXPECT_NEAR(map.first.height(), maps.at(0).first.height(), 0.5);
        EXPECT_NEAR(map.first.left(), maps.at(0).first.left(), 0.01);
        EXPECT_NEAR(map.first.width(), maps.at(0).first.width(), 0.01);
      }
      // The first two have one scale.
      int scales = 0;
      for (const Written& text : written(figure, style, size)) {
        scales += text.text.startsWith(QLatin1String("gate weight")) ? 1 : 0;
      }
      EXPECT_EQ(scales, 1) << words << " in " << width;
    }
  }
}

// Low rows take the room of the title of their columns: it was drawn all the same, on their labels.
TEST(Maps, ATitleWithoutRoomIsNotDrawn) {
  Style style = Style::of(Paper::screen);
  style.tick_pt = style.body_pt = 11;
  const FigureData figure = test::example_gates(5, 6);
  const auto titles = [&](double height) {
    int found = 0;
    for (const Written& text : written(figure, style, QSizeF(900, height))) {
      found += text.text == QLatin1String("word") ? 1 : 0;
    }
    return found;
  };
  EXPECT_EQ(titles(400), 1);
  EXPECT_EQ(titles(110), 0);
}

// A and B had cells of one size, their difference larger ones; a map beside them had no scale beside it.
TEST(Maps, MapsBesideEachOtherLineUp) {
  for (const Paper paper : {Paper::screen, Paper::page}) {
    const Style style = Style::of(paper);
    for (const std::int64_t words : {6, 15, 37}) {
      const FigureData panel = test::example_attention(words);
      FigureData difference = test::example_difference(words);
      std::get<HeatMap>(difference.body).values[5] = analysis::kAbsent;
      FigureData longer = test::example_attention(words + 1);
      const FigureData figure = panels_of({panel, longer, difference}, 3);
      for (const QSizeF size : {QSizeF(690, 330), QSizeF(1320, 520), QSizeF(1320, 300)}) {
        const auto maps = found_maps(figure, style, size);
        ASSERT_EQ(maps.size(), 3U) << words;
        for (const auto& [panel_number, map] : maps) {
          EXPECT_NEAR(map.first.width(), maps.at(0).first.width(), 0.01) << panel_number << " of " << words;
          EXPECT_NEAR(map.first.top(), maps.at(0).first.top(), 0.01) << panel_number << " of " << words;
        }
      }
    }
  }
}

// The keys of a word under the pointer were all in full colour at one width: a mass with sixty words.
TEST(Maps, KeysThatAreLitHaveTheInkOfTheirWeight) {
  const Style style = Style::of(Paper::screen);
  const QSizeF size(700, 800);
  FigureData figure = test::example_attention(40);
  auto& map = std::get<HeatMap>(figure.body);
  map.arcs = 2;
  const std::size_t columns = map.columns.size();
  const std::size_t row = 3;
  Highlight highlight;
  highlight.row = static_cast<std::int64_t>(row);
  highlight.all_keys = true;
  // One strong key and many weak ones, above or below what counts.
  const auto ink_of = [&](double weak) {
    std::fill_n(map.values.begin() + static_cast<std::ptrdiff_t>(row * columns), columns, weak);
    map.values[row * columns + 4] = 0.5;
    map.scale.high = 0.5;
    QImage image(size.toSize(), QImage::Format_RGB32);
    image.fill(Qt::white);
    QPainter painter(&image);
    painter.setRenderHint(QPainter::Antialiasing);
    paint_highlight(painter, figure, style, size, highlight);
    const LaidOut laid_out(std::make_shared<const FigureData>(figure), style, size);
    const auto frame = laid_out.map_frame();
    const int top = static_cast<int>(frame->cells.bottom() + frame->below) + 2;
    double ink = 0;
    for (int y = top; y < image.height(); ++y) {
      for (int x = static_cast<int>(frame->cells.left()); x < image.width(); ++x) {
        ink += 255 - qRed(image.pixel(x, y));
      }
    }
    return ink;
  };
  const double strong = ink_of(0.0);
  const double weak = ink_of(0.03) - strong;
  const double equal = ink_of(0.5) - strong;
  EXPECT_GT(strong, 0);
  EXPECT_GT(weak, 0);
  EXPECT_LT(weak, 0.25 * equal);
}

TEST(Maps, TheNoteSaysWhichKeysAreLit) {
  FigureData figure = test::example_attention(20);
  auto& map = std::get<HeatMap>(figure.body);
  map.arcs = 2;
  ExportOptions options{.style = Style::of(Paper::screen), .size = QSizeF(900, 800)};
  const auto says = [&](bool all) {
    options.highlight.row = 3;
    options.highlight.all_keys = all;
    return QString::fromUtf8(render_figure(figure, FileFormat::svg, options))
        .contains(QLatin1String("lit: the words that"));
  };
  EXPECT_TRUE(says(true));
  EXPECT_FALSE(says(false));
}

// Pixels of a map in which two pictures of it differ, by cell (row, column) and number; cells {-1, -1}:
// beside.
std::map<std::pair<int, int>, int> changed_cells(const FigureData& before, const FigureData& after) {
  const Style style = Style::of(Paper::screen);
  const QSize size(600, 600);
  const auto picture = [&](const FigureData& figure) {
    QImage image(size, QImage::Format_RGB32);
    image.fill(Qt::white);
    QPainter painter(&image);
    painter.setRenderHint(QPainter::Antialiasing);
    paint(painter, figure, style, size);
    return image;
  };
  const QImage first = picture(before);
  const QImage second = picture(after);
  const LaidOut laid_out(std::make_shared<const FigureData>(before), style, size);
  const QRectF cells = laid_out.map_frame()->cells;
  const auto& map = std::get<HeatMap>(before.body);
  std::map<std::pair<int, int>, int> changed;
  for (int y = 0; y < size.height(); ++y) {
    for (int x = 0; x < size.width(); ++x) {
      if (first.pixel(x, y) == second.pixel(x, y)) {
        continue;
      }
      const double row = (y + 0.5 - cells.top()) / cells.height() * static_cast<double>(map.rows.size());
      const double column =
          (x + 0.5 - cells.left()) / cells.width() * static_cast<double>(map.columns.size());
      const bool inside = cells.contains(QPointF(x + 0.5, y + 0.5));
      ++changed[inside ? std::pair(static_cast<int>(row), static_cast<int>(column)) : std::pair(-1, -1)];
    }
  }
  return changed;
}

TEST(Maps, MarksStayInTheirCells) {
  using Kind = analysis::CellMark::Kind;
  const FigureData plain = test::example_attention(6);
  std::map<Kind, int> pixels;
  for (const Kind kind : {Kind::sure, Kind::possible, Kind::found}) {
    FigureData marked = plain;
    std::get<HeatMap>(marked.body).marks = {{2, 4, kind}};
    const auto changed = changed_cells(plain, marked);
    ASSERT_EQ(changed.size(), 1U);
    EXPECT_EQ(changed.begin()->first, std::pair(2, 4));
    pixels[kind] = changed.begin()->second;
  }
  // Frames go round the cell, a disc is in its corner.
  EXPECT_LT(pixels[Kind::found], pixels[Kind::sure]);
  FigureData sure = plain;
  FigureData possible = plain;
  std::get<HeatMap>(sure.body).marks = {{2, 4, Kind::sure}};
  std::get<HeatMap>(possible.body).marks = {{2, 4, Kind::possible}};
  EXPECT_FALSE(changed_cells(sure, possible).empty());
}

TEST(Maps, ALineStandsBeforeAFurtherBlock) {
  const FigureData plain = test::example_attention(6);
  FigureData blocks = plain;
  std::get<HeatMap>(blocks.body).blocks = {3};
  const auto changed = changed_cells(plain, blocks);
  EXPECT_TRUE(changed.contains({-1, -1}));  // from the labels on
  for (const auto& [cell, pixels] : changed) {
    EXPECT_TRUE(cell.first < 0 || cell.second == 2 || cell.second == 3) << cell.second;
  }
  for (int row = 0; row < 6; ++row) {
    EXPECT_TRUE(changed.contains({row, 2}) || changed.contains({row, 3})) << row;
  }
}

// A map whose queries see themselves and what stands before them.
FigureData triangle() {
  FigureData figure = test::example_attention(6);
  auto& map = std::get<HeatMap>(figure.body);
  const std::size_t side = map.rows.size();
  map.special_in_scale = true;
  for (std::size_t row = 0; row < side; ++row) {
    for (std::size_t column = 0; column < side; ++column) {
      double& value = map.values[row * side + column];
      value = column > row ? analysis::kUnseen : map.scale.high;
    }
  }
  return figure;
}

TEST(Maps, WhatIsNotSeenIsNoCell) {
  const FigureData figure = triangle();
  const Style style = Style::of(Paper::screen);
  const QSizeF size(400, 300);
  const LaidOut laid_out(std::make_shared<const FigureData>(figure), style, size);
  QImage image(size.toSize(), QImage::Format_RGB32);
  image.fill(Qt::red);
  QPainter painter(&image);
  laid_out.paint(painter);
  painter.end();
  const QRectF cells = laid_out.map_frame()->cells;
  const auto count = static_cast<int>(std::get<HeatMap>(figure.body).rows.size());
  const double side = cells.width() / count;
  int seen = 0;
  for (int row = 0; row < count; ++row) {
    for (int column = 0; column < count; ++column) {
      const QPointF middle = cells.topLeft() + QPointF((column + 0.5) * side, (row + 0.5) * side);
      const auto hit = laid_out.hit_test(middle);
      ASSERT_TRUE(hit) << row << " " << column << ": " << middle.x() << " " << middle.y();
      EXPECT_TRUE(hit->row == row && hit->column == column) << hit->row << " " << hit->column;
      const bool blank =
          image.pixelColor((middle + QPointF(side / 4, side / 4)).toPoint()) == background(style.theme);
      EXPECT_EQ(blank, column > row) << row << " " << column;
      EXPECT_EQ(hit->readout.endsWith(QLatin1String("not seen")), column > row) << hit->readout.toStdString();
      seen += blank ? 0 : 1;
    }
  }
  EXPECT_EQ(seen, count * (count + 1) / 2);
}

TEST(Maps, WhatIsNotSeenIsNoAbsentValue) {
  const FigureData figure = triangle();
  const std::vector<Written> texts = written(figure, Style::of(Paper::page), QSizeF(480, 480));
  EXPECT_TRUE(std::none_of(texts.begin(), texts.end(),
                           [](const Written& one) { return one.text.contains(QLatin1String("absent")); }));
  // In files it is 0, as it was recorded.
  EXPECT_NE(figure.to_csv().find("1,2,"), std::string::npos);
  EXPECT_EQ(figure.to_csv().find("inf"), std::string::npos);
}

}  // namespace
}  // namespace mog::figures
