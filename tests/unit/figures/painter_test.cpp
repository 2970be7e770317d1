#include "app/figures/painter.h"

#include <gtest/gtest.h>

#include <QImage>
#include <cmath>
#include <map>
#include <memory>
#include <set>

#include "analysis/figure_data/builders.h"
#include "app/figures/export/export.h"
#include "app/figures/pen.h"
#include "app/figures/text.h"
#include "tests/unit/figures/examples.h"

namespace mog::figures {
namespace {

std::shared_ptr<const analysis::FigureData> shared(const analysis::FigureData& figure) {
  return std::make_shared<const analysis::FigureData>(figure);
}

// What would turn a text around or break its line is shown as what it is; words that are isolated stay so.
TEST(Texts, ControlsAreShownAndIsolatedWordsKept) {
  EXPECT_EQ(drawable("a\tb\u202Ec"), QStringLiteral("a\uFFFDb\uFFFDc"));
  EXPECT_EQ(drawable("“\u2068אב\u2069” → “\u2068גד\u2069”"),
            QStringLiteral("“\u2068אב\u2069” → “\u2068גד\u2069”"));
  EXPECT_EQ(drawable("a\u2069b\u2068"), QStringLiteral("a\uFFFDb\uFFFD"));
  EXPECT_EQ(drawable("a\u2068b"), QStringLiteral("a\uFFFDb"));
}

// Every hit on a grid of points over the figure.
std::vector<Hit> scan(const analysis::FigureData& figure, const Style& style, QSizeF size) {
  std::vector<Hit> result;
  const LaidOut laid_out(shared(figure), style, size);
  constexpr double kStep = 3.5;  // finer than any reach
  for (double y = 0; y < size.height(); y += kStep) {
    for (double x = 0; x < size.width(); x += kStep) {
      if (const auto hit = laid_out.hit_test({x, y})) {
        EXPECT_TRUE(hit->area.adjusted(-8, -8, 8, 8).contains(QPointF(x, y)));
        result.push_back(*hit);
      }
    }
  }
  return result;
}

template <class Member>
std::set<std::int64_t> found(const std::vector<Hit>& hits, Hit::Kind kind, Member member) {
  std::set<std::int64_t> result;
  for (const Hit& hit : hits) {
    if (hit.kind == kind) {
      result.insert(hit.*member);
    }
  }
  return result;
}

QImage painted(const analysis::FigureData& figure, const Style& style, QSizeF size,
               const Highlight& highlight = {}, bool on_top = false) {
  QImage image(size.toSize(), QImage::Format_RGB32);
  image.fill(Qt::red);
  QPainter painter(&image);
  paint(painter, figure, style, size, on_top ? Highlight() : highlight);
  if (on_top) {
    paint_highlight(painter, figure, style, size, highlight);
  }
  return image;
}

TEST(HitTest, EveryCellOfAMatrixIsFoundWithItsValue) {
  const auto figure = test::example_attention(5);
  const auto& map = std::get<analysis::HeatMap>(figure.body);
  const Style style;
  const QSizeF size = preferred_size(figure, style);
  const auto hits = scan(figure, style, size);
  std::set<std::pair<std::int64_t, std::int64_t>> cells;
  for (const Hit& hit : hits) {
    if (hit.kind == Hit::Kind::cell) {
      cells.insert({hit.row, hit.column});
    }
  }
  EXPECT_EQ(cells.size(), map.rows.size() * map.columns.size());
  EXPECT_EQ(found(hits, Hit::Kind::row_label, &Hit::row).size(), map.rows.size());
  EXPECT_EQ(found(hits, Hit::Kind::column_label, &Hit::column).size(), map.columns.size());
  // The colour under the middle of a cell is its value's colour.
  for (const Hit& hit : hits) {
    if (hit.kind == Hit::Kind::cell && hit.row == 1 && hit.column == 3) {
      Style bare = style;
      const QImage image = painted(figure, bare, size);
      const QPointF corner = hit.area.topLeft() + QPointF(2, 2);
      EXPECT_EQ(image.pixelColor(corner.toPoint()), scale_colour(map.scale, map.value(1, 3), style.theme));
      EXPECT_NE(hit.readout.indexOf(QStringLiteral("committee")), -1) << hit.readout.toStdString();
      EXPECT_EQ(hit.highlight().row, 1);
      EXPECT_EQ(hit.highlight().column, 3);
      break;
    }
  }
}

TEST(HitTest, BinsPointsAndLabelsOfAPlot) {
  const auto statistics = test::example_statistics(6);
  const auto figure = analysis::weight_figure(statistics, {.view = analysis::WeightPlot::by_length});
  const Style style;
  const QSizeF size = preferred_size(figure, style);
  const auto hits = scan(figure, style, size);
  EXPECT_EQ(found(hits, Hit::Kind::bin, &Hit::column), (std::set<std::int64_t>{0, 1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(found(hits, Hit::Kind::column_label, &Hit::column).size(), 7U);
  EXPECT_EQ(found(hits, Hit::Kind::point, &Hit::series).size(), 6U);
  for (const Hit& hit : hits) {
    if (hit.kind == Hit::Kind::bin && hit.column == 1) {
      EXPECT_EQ(hit.readout.toStdString(), "sentence length (words): 10–19; 967 sentences");
      break;
    }
  }
}

TEST(HitTest, StackedBarsGoUpAndDownFromZero) {
  const auto figure = test::example_bars(12);
  const auto& plot = std::get<analysis::LinePlot>(figure.body);
  const Style style;
  const QSizeF size = preferred_size(figure, style);
  const QImage image = painted(figure, style, size);
  const auto hits = scan(figure, style, size);
  EXPECT_EQ(found(hits, Hit::Kind::point, &Hit::series), (std::set<std::int64_t>{0, 1, 2, 3}));
  EXPECT_EQ(found(hits, Hit::Kind::point, &Hit::column).size(), 12U);
  // Areas of the pieces of each bar: as high as their values, on their side of 0, none over another.
  std::map<std::pair<std::int64_t, std::int64_t>, QRectF> pieces;
  for (const Hit& hit : hits) {
    if (hit.kind == Hit::Kind::point) {
      pieces[{hit.column, hit.series}] = hit.area;
    }
  }
  ASSERT_EQ(pieces.size(), 48U);
  const QRectF first = pieces.at({1, 0});  // 0.5 upwards from 0
  const double unit = first.height() / 0.5;
  const double zero = first.bottom();
  for (const auto& [place, area] : pieces) {
    const double value =
        plot.series[static_cast<std::size_t>(place.second)].points[static_cast<std::size_t>(place.first)].y;
    EXPECT_NEAR(area.height(), std::abs(value) * unit, 0.01);
    EXPECT_TRUE(value < 0 ? area.top() > zero - 0.01 : area.bottom() < zero + 0.01);
    for (const auto& [other, covered] : pieces) {
      if (other != place) {
        EXPECT_FALSE(area.adjusted(0.1, 0.1, -0.1, -0.1).intersects(covered));
      }
    }
    const QPointF inside = area.topLeft() + QPointF(2, 2);
    if (std::abs(value) > 1) {
      EXPECT_EQ(image.pixelColor(inside.toPoint()),
                colour_of(plot.series[static_cast<std::size_t>(place.second)].colour, style.theme));
    }
  }
}

TEST(Paint, MarksThatAreNotSignificantAreHollow) {
  const auto figure = test::example_corpus_difference(4);
  const auto& plot = std::get<analysis::LinePlot>(figure.body);
  const Style style;
  const QSizeF size = preferred_size(figure, style);
  const QImage image = painted(figure, style, size);
  std::set<std::pair<std::int64_t, std::int64_t>> seen;
  for (const Hit& hit : scan(figure, style, size)) {
    if (hit.kind != Hit::Kind::point || !seen.emplace(hit.series, hit.column).second) {
      continue;
    }
    const auto& series = plot.series[static_cast<std::size_t>(hit.series)];
    const analysis::LinePoint& point = series.points[static_cast<std::size_t>(hit.column)];
    const QColor expected = point.p < 0.05 ? colour_of(series.colour, style.theme) : background(style.theme);
    EXPECT_EQ(image.pixelColor(hit.area.center().toPoint()), expected) << hit.readout.toStdString();
    EXPECT_TRUE(
        hit.readout.contains(point.p < 0.05 ? QStringLiteral("p = 0.0005") : QStringLiteral("p = 0.05")));
  }
  EXPECT_EQ(seen.size(), 12U);
  const std::string svg = render_figure(figure, FileFormat::svg, {}).toStdString();
  for (const char* const words : {">p &lt; 0.05<", ">p ≥ 0.05<"}) {
    EXPECT_NE(svg.find(words), std::string::npos) << words;
  }
}

TEST(Paint, LayersHaveWholeTicksAndAxesOfValuesFromZeroUpBeginThere) {
  analysis::FigureData figure;
  analysis::LinePlot plot;
  plot.x.quantity = "layer";
  plot.series = {{.label = "",
                  .colour = {},
                  .dash = analysis::Dash::solid,
                  .points = {{.x = 1, .y = 0}, {.x = 2, .y = 0}}}};
  figure.body = plot;
  ExportOptions options;
  const std::string svg = render_figure(figure, FileFormat::svg, options).toStdString();
  EXPECT_NE(svg.find(">2<"), std::string::npos);
  EXPECT_EQ(svg.find(">1.5<"), std::string::npos);
  EXPECT_EQ(svg.find(">−"), std::string::npos);  // the axis would go to −0.5
}

TEST(HitTest, WordsNodesAndArcs) {
  const Style style;
  const auto tree = test::example_tree(14, 6);
  const auto& nodes = std::get<analysis::TreeFigure>(tree.body).nodes;
  std::set<std::int64_t> joins;
  std::set<std::int64_t> words;  // that the graph uses: those of its other words stand in gaps
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i].left >= 0) {
      joins.insert(static_cast<std::int64_t>(i));
      for (const std::int64_t operand : {nodes[i].left, nodes[i].right}) {
        words.insert(nodes[static_cast<std::size_t>(operand)].word);
      }
    }
  }
  const auto tree_hits = scan(tree, style, preferred_size(tree, style));
  EXPECT_EQ(found(tree_hits, Hit::Kind::node, &Hit::node), joins);
  std::set<std::int64_t> hit = found(tree_hits, Hit::Kind::word, &Hit::word);
  hit.erase(-1);  // a gap
  EXPECT_EQ(hit, words);
  const auto arcs = test::example_arcs(14);
  const auto& figure = std::get<analysis::ArcFigure>(arcs.body);
  const auto arc_hits = scan(arcs, style, preferred_size(arcs, style));
  EXPECT_EQ(found(arc_hits, Hit::Kind::arc, &Hit::arc).size(), figure.arcs.size());
  EXPECT_EQ(found(arc_hits, Hit::Kind::word, &Hit::word).size(), figure.words.size());
}

TEST(HitTest, PanelsSayWhichOneTheyAre) {
  const auto figure = test::example_grid(2, 3, 5);
  const Style style;
  const auto hits = scan(figure, style, preferred_size(figure, style));
  EXPECT_EQ(found(hits, Hit::Kind::cell, &Hit::panel), (std::set<std::int64_t>{0, 1, 2, 3, 4, 5}));
}

TEST(Paint, AHighlightOnTopEqualsOneFromTheStart) {
  for (const auto& [name, figure] : test::example_figures()) {
    const Style style;
    const QSizeF size = preferred_size(figure, style);
    Highlight highlight;
    highlight.row = highlight.column = highlight.word = 1;
    highlight.series = highlight.arc = 0;
    highlight.node = 20;
    const QImage both = painted(figure, style, size, highlight);
    EXPECT_EQ(both, painted(figure, style, size, highlight, true)) << name;
    EXPECT_NE(both, painted(figure, style, size)) << name;
    Highlight nowhere;
    nowhere.row = nowhere.column = nowhere.word = nowhere.series = nowhere.arc = nowhere.node = 100000;
    EXPECT_EQ(painted(figure, style, size, nowhere), painted(figure, style, size)) << name;
  }
}

TEST(Paint, AnySizeIsSurvivedAndNothingIsPaintedOutside) {
  for (const auto& [name, figure] : test::example_figures()) {
    for (const QSizeF size :
         {QSizeF(1, 1), QSizeF(20, 300), QSizeF(300, 20), QSizeF(120, 90), QSizeF(400, 300)}) {
      QImage image(600, 500, QImage::Format_RGB32);
      image.fill(Qt::red);
      QPainter painter(&image);
      const Style style;
      paint(painter, figure, style, size);
      hit_test(figure, style, size, {size.width() / 2, size.height() / 2});
      painter.end();
      EXPECT_EQ(image.pixelColor(599, 499), QColor(Qt::red)) << name;
      EXPECT_EQ(image.pixelColor(static_cast<int>(size.width()) + 2, 0), QColor(Qt::red)) << name;
      EXPECT_EQ(image.pixelColor(0, static_cast<int>(size.height()) + 2), QColor(Qt::red)) << name;
    }
  }
}

TEST(Paint, AbsentAndZeroLookDifferent) {
  analysis::FigureData figure;
  analysis::HeatMap map;
  map.rows = {{"a", false, 0}, {"b", false, 1}};
  map.columns = map.rows;
  map.values = {0, analysis::kAbsent, 0, 1};
  figure.body = map;
  const Style style;
  const QSizeF size = preferred_size(figure, style);
  const QImage image = painted(figure, style, size);
  const auto hits = scan(figure, style, size);
  for (const Hit& hit : hits) {
    if (hit.kind == Hit::Kind::cell && hit.row == 0) {
      int hatched = 0;
      for (int x = 3; x < hit.area.width() - 3; ++x) {
        hatched +=
            image.pixelColor((hit.area.topLeft() + QPointF(x, 3)).toPoint()) != weight_colour(0, Theme::light)
                ? 1
                : 0;
      }
      EXPECT_EQ(hatched > 3, hit.column == 1) << hatched;
      EXPECT_EQ(hit.column == 1, hit.readout.contains(QStringLiteral("absent")));
    }
  }
}

TEST(Paint, PlotsWithoutValuesAndSentencesWithoutWordsAreDrawn) {
  analysis::FigureData figure;
  const Style style;
  for (const decltype(figure.body)& body :
       {decltype(figure.body)(analysis::LinePlot()), decltype(figure.body)(analysis::HeatMap()),
        decltype(figure.body)(analysis::TreeFigure()), decltype(figure.body)(analysis::ArcFigure()),
        decltype(figure.body)(analysis::PanelFigure()), decltype(figure.body)(analysis::GraphFigure()),
        decltype(figure.body)(analysis::BarPlot()), decltype(figure.body)(analysis::FlowFigure())}) {
    figure.body = body;
    const QSizeF size = preferred_size(figure, style);
    EXPECT_GT(size.height(), 0);
    painted(figure, style, QSizeF(300, 200));
    hit_test(figure, style, QSizeF(300, 200), {100, 100});
  }
  analysis::ArcFigure outside;
  outside.words = {{"a", false, 0}};
  outside.arcs = {{0, 5, 1, Part::high, 1, "", ""}, {-1, 0, 1, Part::high, 1, "", ""}};
  figure.body = outside;
  painted(figure, style, QSizeF(300, 200));
}

// What a flow says under the points of a grid.
TEST(Flow, StatesAndParallelEdgesAreFound) {
  analysis::FigureData figure;
  analysis::FlowFigure flow;
  flow.words = {{"a", false, -1}, {"b", false, -1}, {"c", false, -1}};
  flow.rows = {{"input", 0, Part::none}, {"layer 1", 1, Part::none}};
  flow.edges = {{0, 0, 1, 0, Part::low, true, 0.4},        {0, 0, 1, 0, Part::high, false, 0.3},
                {0, 0, 1, 0, Part::middle1, false, 0.2},   {0, 2, 1, 1, Part::high, false, 0.5},
                {1, 0, 1, 1, Part::recurrent, false, 0.4}, {0, 7, 1, 0, Part::high, false, 0.5}};
  flow.weight = {"weight of a step", "", "by hand"};
  figure.body = flow;
  const Style style = Style::of(Paper::screen);
  const QSizeF size(420, 320);
  painted(figure, style, size);
  const LaidOut laid_out(shared(figure), style, size);
  std::vector<bool> edges(6, false);
  std::vector<bool> nodes(6, false);
  std::vector<bool> words(3, false);
  for (double y = 0; y < size.height(); y += 1) {
    for (double x = 0; x < size.width(); x += 1) {
      const auto hit = laid_out.hit_test({x, y});
      if (!hit) {
        continue;
      }
      EXPECT_FALSE(hit->readout.isEmpty());
      if (hit->kind == Hit::Kind::arc) {
        edges[static_cast<std::size_t>(hit->arc)] = true;
      } else if (hit->kind == Hit::Kind::node) {
        nodes[static_cast<std::size_t>(hit->node)] = true;
        EXPECT_EQ(hit->node, hit->row * 3 + hit->word);
      } else if (hit->kind == Hit::Kind::word) {
        words[static_cast<std::size_t>(hit->word)] = true;
      }
    }
  }
  EXPECT_EQ(edges, (std::vector<bool>{true, true, true, true, true, false}));  // the last leads nowhere
  EXPECT_EQ(nodes, std::vector<bool>(6, true));
  EXPECT_EQ(words, std::vector<bool>(3, true));
  Highlight highlight;
  highlight.node = 99;
  highlight.arc = 5;
  highlight.row = 7;
  highlight.word = 9;
  QImage image(420, 320, QImage::Format_ARGB32);
  QPainter painter(&image);
  paint_highlight(painter, figure, style, size, highlight);  // of nothing
}

TEST(Arcs, GoldArcsLieBelowTheWordsAndAfterTheOthers) {
  analysis::FigureData figure = test::example_arcs(8);
  auto& arcs = std::get<analysis::ArcFigure>(figure.body);
  const auto above = static_cast<std::int64_t>(arcs.arcs.size());
  const Style style = Style::of(Paper::screen);
  const double plain = preferred_size(figure, style, 600).height();
  arcs.gold = {{-1, 2, "root"}, {2, 0, "nsubj"}, {0, 1, "det"}, {2, 6, "obl"}, {9999, 1, "x"}};
  arcs.gold_text = "UAS 41 %";
  const QSizeF size = preferred_size(figure, style, 600);
  EXPECT_GT(size.height(), plain + 20);
  painted(figure, style, size);
  double words = 0;
  std::set<std::int64_t> found;
  for (const Hit& hit : scan(figure, style, size)) {
    if (hit.kind == Hit::Kind::word) {
      words = hit.area.top();
    }
    if (hit.kind == Hit::Kind::arc && hit.arc >= above) {
      found.insert(hit.arc - above);
      EXPECT_GT(hit.area.top(), words);
      EXPECT_TRUE(hit.readout.startsWith(QStringLiteral("gold:"))) << hit.readout.toStdString();
    }
  }
  EXPECT_EQ(found, (std::set<std::int64_t>{0, 1, 2, 3}));
}

analysis::FigureData example_graph() {
  analysis::GraphFigure graph;
  graph.nodes = {{"a", -1, 0}, {"b", 1, 0}};
  graph.edges = {{0, 1, "1", false, Part::full, 2, "first"},
                 {0, 1, "2", false, Part::full, 3, "second"},
                 {1, 0, "3", true, Part::full, 4, "third"},
                 {1, 1, "4", false, Part::full, 2, "loop"},
                 {0, 7, "", false, Part::full, 2, "to nowhere"}};
  graph.outlines = {{"left", {0, 9}, analysis::Dash::dashed}, {"none", {}, analysis::Dash::dotted}};
  analysis::FigureData figure;
  figure.body = std::move(graph);
  return figure;
}

TEST(Graph, ParallelEdgesAndLoopsAreApart) {
  const analysis::FigureData figure = example_graph();
  const Style style;
  const QSizeF size = preferred_size(figure, style);
  painted(figure, style, size);
  const LaidOut laid_out(shared(figure), style, size);
  // Straight across the middle from below to above: the three parallel edges, each by itself.
  std::vector<std::int64_t> met;
  for (double y = 0; y < size.height(); y += 0.25) {
    const auto hit = laid_out.hit_test({size.width() / 2, y});
    if (hit && hit->kind == Hit::Kind::arc && (met.empty() || met.back() != hit->arc)) {
      met.push_back(hit->arc);
    }
  }
  ASSERT_EQ(met.size(), 3U);
  EXPECT_EQ(met[1], 1);  // the second of three is the straight one
  EXPECT_NE(met[0], met[2]);
  // The loop is there, the edge to nowhere is not.
  std::vector<bool> found(5, false);
  bool node = false;
  for (double y = 0; y < size.height(); y += 1) {
    for (double x = 0; x < size.width(); x += 1) {
      const auto hit = laid_out.hit_test({x, y});
      if (hit && hit->kind == Hit::Kind::arc) {
        found[static_cast<std::size_t>(hit->arc)] = true;
      } else if (hit && hit->kind == Hit::Kind::node) {
        node = true;
      }
    }
  }
  EXPECT_TRUE(node);
  EXPECT_EQ(found, (std::vector<bool>{true, true, true, true, false}));
}

// On a column there is no room for a hundred words: the figure says how many have no label.
TEST(Notes, WordsWithoutALabelAreCounted) {
  analysis::TreeFigure tree;
  for (int i = 0; i < 100; ++i) {
    tree.words.push_back({"word" + std::to_string(i), false, i});
    tree.nodes.push_back({.x = static_cast<double>(i), .word = i, .tuple = {}});
    tree.roots.push_back(i);
  }
  analysis::FigureData figure;
  figure.body = tree;
  const Style column = Style::of(Paper::column, Theme::light);
  const QStringList said = notes(figure, column, preferred_size(figure, column));
  ASSERT_EQ(said.size(), 1);
  const QByteArray svg = render_figure(figure, FileFormat::svg, {.style = column});
  EXPECT_TRUE(svg.contains(said.front().left(12).toUtf8())) << said.front().toStdString();
  int shown = 0;
  for (const auto& word : tree.words) {
    shown += svg.contains(">" + QByteArray::fromStdString(word.text) + "<") ? 1 : 0;
  }
  EXPECT_TRUE(said.front().startsWith(QString::number(100 - shown) + QStringLiteral(" of 100 are")))
      << said.front().toStdString() << shown;
  // Few words all have one, and nothing is said.
  tree.words.resize(8);
  tree.nodes.resize(8);
  tree.roots.resize(8);
  figure.body = tree;
  EXPECT_TRUE(notes(figure, column, preferred_size(figure, column)).isEmpty());
}

TEST(Notes, TitlesOfPanelsAreWrapped) {
  analysis::PanelFigure panels;
  panels.columns = 3;
  for (int i = 0; i < 3; ++i) {
    analysis::LinePlot plot;
    plot.x_categories = {"1", "2"};
    plot.series.push_back({"line", {}, analysis::Dash::solid, {{0, 1}, {1, 2}}});
    analysis::FigureData panel;
    panel.title = "a title that is much longer than a third of a column of a page";
    panel.body = plot;
    panels.panels.push_back(panel);
  }
  analysis::FigureData figure;
  figure.body = panels;
  const QByteArray svg =
      render_figure(figure, FileFormat::svg, {.style = Style::of(Paper::column, Theme::light)});
  for (const char* word : {"longer", "third", "column", "page"}) {
    EXPECT_TRUE(svg.contains(word)) << word;
  }
  EXPECT_FALSE(svg.contains("\u2026"));
}

}  // namespace
}  // namespace mog::figures
