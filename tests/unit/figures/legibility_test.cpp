// What a reader must be able to see: whole labels, numbers, absent values, patterns, emoji.
#include <gtest/gtest.h>

#include <QImage>
#include <QRegularExpression>
#include <QXmlStreamReader>
#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <set>

#include "app/figures/export/colour_glyphs.h"
#include "app/figures/export/export.h"
#include "app/figures/export/svg_texts.h"
#include "app/figures/frame.h"
#include "app/figures/painter.h"
#include "app/figures/pen.h"
#include "app/figures/trees/stem_layout.h"
#include "tests/unit/figures/examples.h"

namespace mog::figures {
namespace {

struct SvgText {
  QString text;
  double x = 0;
  double size = 0;
  bool turned = false;
};

std::vector<SvgText> texts_of(const QByteArray& svg) {
  std::vector<SvgText> result;
  QXmlStreamReader reader(svg);
  while (!reader.atEnd()) {
    if (reader.readNext() == QXmlStreamReader::StartElement && reader.name() == QStringLiteral("text")) {
      SvgText text;
      const QXmlStreamAttributes attributes = reader.attributes();
      text.x = attributes.value(QStringLiteral("x")).toDouble();
      text.size = attributes.value(QStringLiteral("font-size")).toDouble();
      text.turned = attributes.hasAttribute(QStringLiteral("transform"));
      text.text = reader.readElementText();
      result.push_back(text);
    }
  }
  EXPECT_FALSE(reader.hasError()) << reader.errorString().toStdString();
  return result;
}

int count_of(const std::vector<SvgText>& texts, const QString& pattern) {
  const QRegularExpression expression(QRegularExpression::anchoredPattern(pattern));
  int count = 0;
  for (const SvgText& text : texts) {
    count += expression.match(text.text).hasMatch() ? 1 : 0;
  }
  return count;
}

analysis::FigureData figure_of(decltype(analysis::FigureData::body) body) {
  analysis::FigureData figure;
  figure.body = std::move(body);
  return figure;
}

QImage painted(const analysis::FigureData& figure, const Style& style, QSizeF size, double scale,
               const Highlight& highlight = {}) {
  QImage image((size * scale).toSize(), QImage::Format_RGB32);
  image.fill(Qt::red);
  QPainter painter(&image);
  painter.scale(scale, scale);
  paint(painter, figure, style, size, highlight);
  return image;
}

// Share of the pixels of `area` that are not `colour`.
double share_unlike(const QImage& image, const QRectF& area, double scale, const QColor& colour) {
  const QRect pixels =
      QRectF(area.topLeft() * scale, area.size() * scale).toAlignedRect().intersected(image.rect());
  int unlike = 0;
  for (int y = pixels.top(); y <= pixels.bottom(); ++y) {
    for (int x = pixels.left(); x <= pixels.right(); ++x) {
      unlike += image.pixelColor(x, y) == colour ? 0 : 1;
    }
  }
  return static_cast<double>(unlike) / std::max(1, pixels.width() * pixels.height());
}

analysis::HeatMap signed_map(std::int64_t side) {
  analysis::HeatMap map;
  map.scale = {analysis::ColourScale::Kind::diverging, -0.3, 0.3, {"difference of attention weight", "", ""}};
  for (std::int64_t row = 0; row < side; ++row) {
    map.rows.push_back({"w" + std::to_string(row), false, row});
    for (std::int64_t column = 0; column < side; ++column) {
      map.values.push_back((row + column) % 2 == 0 ? 0.25 : -0.25);
    }
  }
  map.columns = map.rows;
  return map;
}

TEST(Legibility, AMapShowsAllItsNumbersOrNone) {
  const auto figure = figure_of(signed_map(4));
  std::set<int> forms;  // 0: none, 1: without the leading 0, 2: whole
  for (double width = 90; width < 340; width += 1) {
    const auto texts = texts_of(render_figure(figure, FileFormat::svg, {.size = QSizeF(width, width)}));
    const int whole = count_of(texts, QStringLiteral("0[.]25"));
    const int brief = count_of(texts, QStringLiteral("[.]25"));
    EXPECT_EQ(whole, count_of(texts, QStringLiteral("−0[.]25"))) << width;
    EXPECT_EQ(brief, count_of(texts, QStringLiteral("−[.]25"))) << width;
    EXPECT_TRUE(whole == 0 || brief == 0) << width;
    EXPECT_TRUE(whole + brief == 0 || whole + brief == 8) << width;
    forms.insert(whole > 0 ? 2 : brief > 0 ? 1 : 0);
  }
  EXPECT_EQ(forms, (std::set<int>{0, 1, 2}));
}

TEST(Legibility, NumbersBelowZeroThatRoundToItHaveNoSign) {
  analysis::HeatMap map = signed_map(2);
  map.values = {-0.001, 0.2, 0.2, 0.2};
  const auto texts = texts_of(render_figure(figure_of(map), FileFormat::svg));
  EXPECT_EQ(count_of(texts, QStringLiteral("0[.]00")), 1);
  EXPECT_EQ(count_of(texts, QStringLiteral("−0[.]00")), 0);
}

TEST(Legibility, AbsentCellsThatAreSmallerThanTheHatchAreHatched) {
  analysis::HeatMap map = signed_map(150);
  for (std::size_t i = 0; i < map.values.size(); ++i) {
    if (i / 150 > i % 150) {  // each row has another run
      map.values[i] = analysis::kAbsent;
    } else {
      map.values[i] = 0;
    }
  }
  const auto figure = figure_of(map);
  const Style style = Style::of(Paper::column);
  const QSizeF size = preferred_size(figure, style);
  const LaidOut laid_out(std::make_shared<const analysis::FigureData>(figure), style, size);
  QRectF cells;
  for (double y = 0; y < size.height(); ++y) {
    for (double x = 0; x < size.width(); ++x) {
      const auto hit = laid_out.hit_test({x, y});
      if (hit && hit->kind == Hit::Kind::cell) {
        cells = cells.isNull() ? hit->area : cells.united(hit->area);
      }
    }
  }
  ASSERT_GT(cells.width(), 60);
  ASSERT_LT(cells.height() / 150, 1.5);
  const QImage image = painted(figure, style, size, 4);
  const QSizeF block(8, 8);
  const QRectF absent(QPointF(cells.left() + 4, cells.bottom() - 12), block);
  const QRectF zero(QPointF(cells.right() - 12, cells.top() + 4), block);
  EXPECT_GT(share_unlike(image, absent, 4, background(style.theme)), 0.1);
  EXPECT_LT(share_unlike(image, absent, 4, background(style.theme)), 0.9);
  EXPECT_DOUBLE_EQ(share_unlike(image, zero, 4, difference_colour(0, Theme::light)), 0);
}

// Where a thousand arcs would lie on each other the strongest are drawn, and the figure says how many.
TEST(Legibility, ArcsOfManyWordsAreTheStrongestAndSaySo) {
  analysis::FigureData figure;
  analysis::HeatMap map = signed_map(300);
  map.arcs = 2;
  figure.body = map;
  const Style style;
  const QString few = notes(figure, style, QSizeF(500, 600)).join(u' ');
  const auto drawn = QRegularExpression(QStringLiteral("the strongest (\\d+) of (\\d+) arcs")).match(few);
  ASSERT_TRUE(drawn.hasMatch()) << few.toStdString();
  EXPECT_LT(drawn.captured(1).toInt(), 250);
  EXPECT_LE(drawn.captured(2).toInt(), 600);
  EXPECT_GT(drawn.captured(2).toInt(), 500);
  EXPECT_FALSE(notes(figure, style, QSizeF(4000, 4000)).join(u' ').contains(QStringLiteral("arcs")));
}

// Two matrices beside each other in a column: the scale has less width than its title.
TEST(Legibility, ScalesStayOnThePageWithTheirWholeTitles) {
  analysis::PanelFigure panels;
  panels.columns = 2;
  panels.share_legend = false;
  for (int i = 0; i < 3; ++i) {
    panels.panels.push_back(figure_of(signed_map(12)));
    std::get<analysis::HeatMap>(panels.panels.back().body).values[3] = analysis::kAbsent;
  }
  const Style style = Style::of(Paper::column);
  const auto figure = figure_of(panels);
  const auto texts = texts_of(render_figure(figure, FileFormat::svg, {.style = style}));
  const double width = preferred_size(figure, style).width();
  QString all;
  for (const SvgText& text : texts) {
    if (!text.turned) {
      EXPECT_GE(text.x, 0) << text.text.toStdString();
      EXPECT_LE(text.x + TypeFace(style, text.size).width(text.text), width + 1) << text.text.toStdString();
      all += text.text + QLatin1Char(' ');
    }
  }
  EXPECT_EQ(all.count(QStringLiteral("…")), 0) << all.toStdString();
  EXPECT_EQ(all.count(QRegularExpression(QStringLiteral("difference of( \\S+)* attention( \\S+)* weight"))),
            3)
      << all.toStdString();
  EXPECT_GE(count_of(texts, QStringLiteral("−0[.]3")), 3);
}

TEST(Legibility, BarsOfOneColourDifferInTheirStripes) {
  analysis::LinePlot plot;
  plot.stacked = true;
  plot.x_categories = {"a"};
  for (const auto dash : {analysis::Dash::solid, analysis::Dash::dashed, analysis::Dash::dotted}) {
    plot.series.push_back({.label = "part " + std::to_string(static_cast<int>(dash)),
                           .colour = analysis::ColourKey::of_entry(0),
                           .dash = dash,
                           .points = {{.x = 0, .y = 1}}});
  }
  const auto figure = figure_of(plot);
  const Style style;
  const QSizeF size = preferred_size(figure, style);
  const QImage image = painted(figure, style, size, 2);
  const LaidOut laid_out(std::make_shared<const analysis::FigureData>(figure), style, size);
  std::map<std::int64_t, QRectF> areas;
  for (double y = 0; y < size.height(); y += 2) {
    const auto hit = laid_out.hit_test({size.width() / 2, y});
    if (hit && hit->kind == Hit::Kind::point) {
      areas[hit->series] = hit->area;
    }
  }
  ASSERT_EQ(areas.size(), 3U);
  const QColor colour = colour_of(plot.series[0].colour, style.theme);
  const auto inner = [&](std::int64_t series) { return areas[series].adjusted(2, 2, -2, -2); };
  EXPECT_DOUBLE_EQ(share_unlike(image, inner(0), 2, colour), 0);
  const double dashed = share_unlike(image, inner(1), 2, colour);
  EXPECT_GT(dashed, 0.2);
  EXPECT_LT(dashed, 0.8);
  EXPECT_GT(share_unlike(image, inner(2), 2, colour), 0.2);
  // Level stripes: one row of pixels is of one colour.
  const auto row = static_cast<int>(areas[2].center().y() * 2);
  const auto from = static_cast<int>(inner(2).left() * 2);
  for (int x = from; x < from + 40; ++x) {
    EXPECT_EQ(image.pixelColor(x, row), image.pixelColor(from, row));
  }
}

// A bar for each term is named below it: no legend says it again.
TEST(Legibility, BarsThatAreNamedBelowThemHaveNoLegend) {
  analysis::LinePlot plot;
  plot.stacked = true;
  for (const char* const name : {"pp", "pi"}) {
    const auto place = static_cast<double>(plot.series.size());
    plot.series.push_back({.label = name,
                           .colour = analysis::ColourKey::of_entry(static_cast<std::int64_t>(place)),
                           .points = {{.x = place, .y = 1}}});
    plot.x_categories.emplace_back(name);
  }
  EXPECT_EQ(count_of(texts_of(render_figure(figure_of(plot), FileFormat::svg)), QStringLiteral("pp")), 1);
  plot.x_categories = {"first", "second"};
  EXPECT_EQ(count_of(texts_of(render_figure(figure_of(plot), FileFormat::svg)), QStringLiteral("pp")), 1);
}

// Many words of which joins reach the last three.
analysis::TreeFigure crowded_tree(const std::string& last) {
  analysis::TreeFigure tree;
  tree.layers = 2;
  for (int i = 0; i < 44; ++i) {
    tree.words.push_back({i == 43 ? last : "w" + std::to_string(i), false, i});
    tree.nodes.push_back({.x = static_cast<double>(i), .word = i, .tuple = {}});
  }
  tree.nodes.push_back({.x = 41.5,
                        .layer = 1,
                        .word = 41,
                        .part = Part::high,
                        .order = 2,
                        .tuple = {},
                        .left = 41,
                        .right = 42});
  tree.nodes.push_back({.x = 42,
                        .layer = 2,
                        .word = 41,
                        .part = Part::high,
                        .order = 3,
                        .tuple = {},
                        .left = 44,
                        .right = 43});
  tree.roots = {45};
  return tree;
}

// The other words stand in a gap, which counts them.
TEST(Legibility, WordsOfTheGraphAreLabelledAndOthersCounted) {
  const Style style = Style::of(Paper::column);
  const auto texts =
      texts_of(render_figure(figure_of(crowded_tree("w43")), FileFormat::svg, {.style = style}));
  EXPECT_EQ(count_of(texts, QStringLiteral("\\d+ of \\d+ are .*")), 0);
  for (const char* const word : {"w41", "w42", "w43"}) {
    EXPECT_GE(count_of(texts, QString::fromLatin1(word)), 1) << word;
  }
  EXPECT_EQ(count_of(texts, QStringLiteral("w40")), 0);
  EXPECT_EQ(count_of(texts, QStringLiteral("⋯ 41")), 1);
}

// A long word in a gap takes no room; looking at it lights the gap.
TEST(Legibility, OnlyLabelsTakeHeight) {
  const Style style = Style::of(Paper::column);
  const std::string longest(60, 'm');
  analysis::TreeFigure tree = crowded_tree("w43");
  const double plain = preferred_size(figure_of(tree), style).height();
  tree.words[7].text = longest;
  const QSizeF size = preferred_size(figure_of(tree), style);
  EXPECT_DOUBLE_EQ(size.height(), plain);
  // In the graph it has a label, cut to what there is room for.
  const auto shown =
      texts_of(render_figure(figure_of(crowded_tree(longest)), FileFormat::svg, {.style = style}));
  EXPECT_EQ(count_of(shown, QStringLiteral("m+…")), 1);
  Highlight highlight;
  highlight.word = 7;
  EXPECT_NE(painted(figure_of(tree), style, size, 2), painted(figure_of(tree), style, size, 2, highlight));
  const LaidOut laid_out(std::make_shared<const analysis::FigureData>(figure_of(tree)), style, size);
  bool listed = false;
  for (double x = 0; x < size.width(); x += 2) {
    for (double y = 0; y < size.height(); y += 3) {
      const auto hit = laid_out.hit_test({x, y});
      listed = listed || (hit && hit->readout.contains(QString::fromStdString(longest)));
    }
  }
  EXPECT_TRUE(listed);
}

// A lit word that has no label gets one, in the place of those beside it.
TEST(Legibility, ALitWordHasItsLabel) {
  analysis::TreeFigure tree;
  for (int i = 0; i < 90; ++i) {
    tree.words.push_back({"HH" + std::to_string(i), false, i});
    tree.nodes.push_back({.x = static_cast<double>(i), .word = i, .tuple = {}});
    tree.roots.push_back(i);
  }
  const auto figure = figure_of(tree);
  const Style style = Style::of(Paper::column);
  const auto plain = texts_of(render_figure(figure, FileFormat::svg, {.style = style}));
  EXPECT_EQ(count_of(plain, QStringLiteral("\\d+ of 90 are .*")), 1);
  std::int64_t hidden = -1;
  for (int i = 30; i < 90 && hidden < 0; ++i) {
    hidden = count_of(plain, QStringLiteral("HH%1").arg(i)) == 0 ? i : -1;
  }
  ASSERT_GE(hidden, 0);
  Highlight highlight;
  highlight.word = hidden;
  const auto lit = texts_of(render_figure(figure, FileFormat::svg, {.style = style, .highlight = highlight}));
  EXPECT_EQ(count_of(lit, QStringLiteral("HH%1").arg(hidden)), 1);
}

// What stood there goes whole: half a word reads as another one.
TEST(Legibility, ALitLabelLeavesNoHalfOnes) {
  analysis::TreeFigure tree;
  for (int i = 0; i < 90; ++i) {
    tree.words.push_back({"HHHHHH", false, i});
    tree.nodes.push_back({.x = static_cast<double>(i), .word = i, .tuple = {}});
    tree.roots.push_back(i);
  }
  const auto figure = figure_of(tree);
  const Style style = Style::of(Paper::column);
  const QSizeF size = preferred_size(figure, style);
  const StemLayout layout(tree, style, QRectF(kMargin, 0, size.width() - 2 * kMargin, 120));
  const auto label_of = [&](std::size_t stem) {
    return std::find_if(layout.labels.begin(), layout.labels.end(),
                        [&](const StemLabel& label) { return label.of == stem; });
  };
  std::size_t hidden = 40;
  while (label_of(hidden) != layout.labels.end()) {
    ++hidden;
  }
  const LaidOut laid_out(std::make_shared<const analysis::FigureData>(figure), style, size);
  double words_top = 0;
  for (double y = 0; y < size.height() && words_top == 0; ++y) {
    const auto hit = laid_out.hit_test({layout.lane_x[hidden], y});
    words_top = hit && hit->kind == Hit::Kind::word ? hit->area.top() : 0;
  }
  const QPointF down(0, words_top - layout.words_top);
  Highlight highlight;
  highlight.word = static_cast<std::int64_t>(hidden);
  constexpr double kScale = 8;
  const QImage before = painted(figure, style, size, kScale);
  const QImage after = painted(figure, style, size, kScale, highlight);
  // Of a label beside it, the long side that is farther from it: letters before, none now.
  int left_out = 0;
  for (const std::size_t beside : {hidden - 1, hidden + 1}) {
    const auto label = label_of(beside);
    if (label == layout.labels.end()) {
      continue;
    }
    ++left_out;
    const bool upper = beside < hidden;  // text reads upwards: what stands before it lies above it
    const QPolygonF& outline = label->outline;
    const QPointF inwards = (outline[1] - outline[0]) * (upper ? -0.15 : 0.15);
    const QPointF from = outline[upper ? 2 : 3] + inwards + down;
    const QPointF along = outline[upper ? 1 : 0] + inwards + down - from;
    const auto inked = [&](const QImage& image) {
      int count = 0;
      for (double t = 0.1; t < 0.7; t += 0.01) {
        count += image.pixelColor(((from + along * t) * kScale).toPoint()) == background(style.theme) ? 0 : 1;
      }
      return count;
    };
    EXPECT_GT(inked(before), 5) << beside;
    EXPECT_EQ(inked(after), 0) << beside;
  }
  EXPECT_GT(left_out, 0);
}

TEST(Legibility, PlotsKeepTheirHeightAboveTheirLegends) {
  analysis::PanelFigure panels;
  panels.columns = 3;
  panels.share_legend = false;
  for (int i = 0; i < 6; ++i) {
    analysis::LinePlot plot;
    plot.x_categories = {"1", "2", "3"};
    plot.y = {"order (log2)", "", ""};
    for (int line = 0; line < 5; ++line) {
      plot.series.push_back({.label = "a line with a long name " + std::to_string(line),
                             .colour = analysis::ColourKey::of_category(i, 6),
                             .points = {{.x = 0, .y = 1}, {.x = 1, .y = 2}, {.x = 2, .y = 2}}});
    }
    panels.panels.push_back(figure_of(plot));
  }
  const auto figure = figure_of(panels);
  const Style style = Style::of(Paper::column);
  const QSizeF size = preferred_size(figure, style);
  const LaidOut laid_out(std::make_shared<const analysis::FigureData>(figure), style, size);
  std::map<std::int64_t, double> heights;
  for (double y = 0; y < size.height(); y += 3) {
    for (double x = 0; x < size.width(); x += 3) {
      const auto hit = laid_out.hit_test({x, y});
      if (hit && hit->kind == Hit::Kind::bin) {
        heights[hit->panel] = hit->area.height();
      }
    }
  }
  ASSERT_EQ(heights.size(), 6U);
  for (const auto& [panel, height] : heights) {
    EXPECT_GT(height, 55) << panel;
  }
}

TEST(SvgTexts, TextsComeBackWholeAndEscaped) {
  SvgTexts texts;
  EXPECT_EQ(texts.stand_in(QStringLiteral("plain")).toStdString(), "plain");
  const QString one = texts.stand_in(QStringLiteral("🏳️‍🌈 <b>"));
  const QString two = texts.stand_in(QStringLiteral("mog-text-0;"));  // a word that looks like a stand-in
  const QByteArray svg = "<text>" + one.toUtf8() + "</text><text>" + two.toUtf8() + "</text>";
  EXPECT_EQ(texts.restored(svg).toStdString(),
            "<text>🏳️‍🌈 &lt;b&gt;</text><text>mog-text-0;</text>");
}

TEST(Emoji, AreOneTextInSvgAndAPictureInPdf) {
  analysis::HeatMap map = signed_map(2);
  const auto without = render_figure(figure_of(map), FileFormat::pdf);
  map.rows[0].text = map.columns[0].text = "🏳️‍🌈x🎉";
  const auto figure = figure_of(map);
  EXPECT_GE(count_of(texts_of(render_figure(figure, FileFormat::svg)), QStringLiteral("🏳️‍🌈x🎉")),
            2);
  const Style style;
  const auto pieces = pieces_with_colour(QStringLiteral("a🎉b"), TypeFace(style, style.tick_pt).font());
  if (pieces.empty()) {
    GTEST_SKIP() << "no font with coloured letters is installed";
  }
  ASSERT_EQ(pieces.size(), 3U);
  EXPECT_TRUE(!pieces[0].coloured && pieces[1].coloured && !pieces[2].coloured);
  EXPECT_GT(pieces[2].x, pieces[1].x);
  EXPECT_EQ(without.count("/Subtype /Image"), 0);
  const auto pdf = render_figure(figure, FileFormat::pdf);
  EXPECT_GE(pdf.count("/Subtype /Image"), 2);
  EXPECT_EQ(pdf, render_figure(figure, FileFormat::pdf));
  EXPECT_FALSE(picture_of(pieces[1], TypeFace(style, style.tick_pt).font()).image.isNull());
  const auto outlines = render_figure(figure, FileFormat::svg, {.text_as_paths = true});
  EXPECT_GE(outlines.count("<image"), 2);
}

}  // namespace
}  // namespace mog::figures
