// Figures of several panels where there is little room: on slides, whose height is given, and in narrow
// columns.
#include <gtest/gtest.h>

#include <QXmlStreamReader>

#include "app/figures/export/export.h"
#include "app/figures/frame.h"
#include "app/figures/painter.h"
#include "app/figures/side_title.h"
#include "app/figures/slide.h"
#include "io/recording/errors.h"
#include "tests/unit/figures/examples.h"

namespace mog::figures {
namespace {

using analysis::FigureData;
using analysis::PanelFigure;

QStringList texts(const FigureData& figure, const ExportOptions& options) {
  QStringList found;
  QXmlStreamReader reader(render_figure(figure, FileFormat::svg, options));
  while (!reader.atEnd()) {
    if (reader.readNext() == QXmlStreamReader::StartElement && reader.name() == QLatin1String("text")) {
      found += reader.readElementText();
    }
  }
  return found;
}

FigureData stacked(const FigureData& panel, std::size_t count) {
  FigureData figure;
  figure.title = "Several";
  figure.body = PanelFigure{.columns = 1, .panels = std::vector<FigureData>(count, panel)};
  return figure;
}

// Maps over each other had no room on a slide and were left out; trees were drawn over each other.
TEST(Slides, PanelsStandBesideEachOtherWhereTheyHaveRoom) {
  const Style style = Style::of(Paper::slide);
  for (const FigureData& panel : {test::example_attention(6), test::example_tree(6, 4)}) {
    for (const std::size_t count : {std::size_t{3}, std::size_t{4}}) {
      const FigureData figure = stacked(panel, count);
      const QSizeF size = preferred_size(figure, style);
      const OnSlide shown = fit_to_slide(figure, style, size);
      EXPECT_GT(std::get<PanelFigure>(shown.figure.body).columns, 1);
      EXPECT_GE(shown.style.body_pt, style.body_pt / 2);
      const double width = size.width() - 2 * kMargin;
      const double wanted = wanted_height(figure, style, width);
      const double found = wanted_height(shown.figure, shown.style, width);
      EXPECT_LT(found, wanted);
      EXPECT_GE(size.height() - frame_height(shown.figure, shown.style, size.width()), 0.6 * found);
    }
  }
  const QStringList drawn = texts(stacked(test::example_attention(3), 3), {.style = style});
  EXPECT_EQ(drawn.count(QStringLiteral("query")), 3);
}

TEST(Slides, WhatHasRoomStaysAsItIs) {
  const Style style = Style::of(Paper::slide);
  const FigureData one = test::example_attention(6);
  const FigureData two = stacked(test::example_bars(4), 1);
  for (const FigureData& figure : {one, two}) {
    const OnSlide shown = fit_to_slide(figure, style, preferred_size(figure, style));
    EXPECT_EQ(shown.style, style);
    EXPECT_EQ(shown.figure.to_csv(), figure.to_csv());
  }
}

// Of three panels of bars beside each other the first alone has labels; in two columns the third had none.
TEST(Panels, BarsBelowHaveLabelsOfTheirOwn) {
  analysis::BarPlot bars;
  bars.x = {"effect", "", ""};
  bars.rows = {analysis::BarRow(), analysis::BarRow()};
  bars.rows[0].label = "rollout";
  bars.rows[0].value = 0.4;
  bars.rows[1].label = "random";
  bars.rows[1].value = 0.1;
  FigureData figure;
  PanelFigure panels;
  panels.columns = 3;
  for (int i = 0; i < 3; ++i) {
    bars.labels = i == 0;
    FigureData panel;
    panel.title = "agreement";
    panel.body = bars;
    panels.panels.push_back(panel);
  }
  figure.body = panels;
  EXPECT_EQ(texts(figure, {.style = Style::of(Paper::page)}).count(QStringLiteral("rollout")), 1);
  EXPECT_EQ(texts(figure, {.style = Style::of(Paper::acl)}).count(QStringLiteral("rollout")), 2);
}

TEST(Panels, NamesBreakBehindHyphens) {
  const TypeFace face(Style::of(Paper::page), 8);
  const QString name = QStringLiteral("tagger-en-graph");
  const double room = face.width(QStringLiteral("tagger-en-grap")) + 0.5;
  EXPECT_EQ(face.wrapped(name, room), (QStringList{QStringLiteral("tagger-en-"), QStringLiteral("graph")}));
  EXPECT_EQ(
      face.wrapped(QStringLiteral("abcdefgh"), face.width(QStringLiteral("abcd")) + 0.5).join(QString()),
      QStringLiteral("abcdefgh"));
}

TEST(Panels, TitlesOfAxesShrinkBeforeTheyEnd) {
  const Style style = Style::of(Paper::page);
  const QString title = QStringLiteral("weight × share of norm");
  const double room = TypeFace(style, style.body_pt).width(title) * 0.8;
  const TypeFace face = fitting_face(title, style, room);
  EXPECT_LE(face.width(title), room);
  EXPECT_GE(face.size(), smallest_type(style));
  EXPECT_EQ(fitting_face(title, style, 1000).size(), style.body_pt);
}

// Effects of single heads are below a hundredth: every cell said 0.00.
TEST(Maps, NumbersInCellsShowSmallValues) {
  FigureData figure = test::example_attention(3);
  auto& map = std::get<analysis::HeatMap>(figure.body);
  const double greatest[] = {0.0021, 0.25};
  const char* const numbers[] = {"0.0021", "0.25"};
  for (int i = 0; i < 2; ++i) {
    std::fill(map.values.begin(), map.values.end(), greatest[i] / 7);
    map.values.front() = greatest[i];
    map.scale.high = greatest[i];
    const QStringList drawn = texts(figure, {.style = Style::of(Paper::page)});
    EXPECT_TRUE(drawn.contains(QLatin1String(numbers[i])) || drawn.contains(QLatin1String(numbers[i] + 1)))
        << drawn.join(u' ').toStdString();
  }
}

TEST(Fonts, ARefusalNamesTheNearest) {
  render_figure(test::example_attention(3), FileFormat::svg);  // registers the bundled one
  EXPECT_NO_THROW(check_font_family(QStringLiteral("dejavu sans")));
  try {
    check_font_family(QStringLiteral("DejaVu Sanz"));
    FAIL();
  } catch (const UsageError& error) {
    const QString message = QString::fromUtf8(error.what());
    EXPECT_TRUE(message.contains(QStringLiteral("did you mean DejaVu Sans"))) << error.what();
    EXPECT_LE(message.section(QStringLiteral("it has "), 1).count(QLatin1Char(',')), 9) << error.what();
  }
}

}  // namespace
}  // namespace mog::figures
