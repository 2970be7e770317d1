// What a paper asks of a figure: its caption, its width, its axes, and what it says of labels left out.
#include <gtest/gtest.h>

#include <QImage>
#include <QXmlStreamReader>
#include <algorithm>

#include "analysis/figure_data/axis_limits.h"
#include "analysis/figure_data/captions.h"
#include "app/figures/export/export.h"
#include "app/figures/frame.h"
#include "app/figures/painter.h"
#include "io/recording/errors.h"
#include "tests/unit/figures/examples.h"

namespace mog::figures {
namespace {

// The texts of an SVG that are drawn, and those of its metadata.
struct SvgTextsFound {
  QStringList drawn;
  QString description;
};

SvgTextsFound texts_of(const QByteArray& svg) {
  SvgTextsFound found;
  QXmlStreamReader reader(svg);
  while (!reader.atEnd()) {
    if (reader.readNext() != QXmlStreamReader::StartElement) {
      continue;
    }
    if (reader.name() == QStringLiteral("text")) {
      found.drawn += reader.readElementText();
    } else if (reader.name() == QStringLiteral("desc")) {
      found.description = reader.readElementText();
    }
  }
  return found;
}

analysis::FigureData captioned() {
  analysis::FigureData figure = test::example_attention(5);
  figure.title = "A map";
  figure.caption =
      "model m; corpus c; sentence 3; level of the claim: summary: of many choices; by this and that";
  analysis::add_to_caption(figure, "the strongest 3 of 9");
  return figure;
}

TEST(Captions, ShortOnesSayWhatIsDrawn) {
  const analysis::FigureData figure = captioned();
  EXPECT_EQ(analysis::short_caption(figure.caption), "model m; corpus c; sentence 3; the strongest 3 of 9");
  EXPECT_EQ(analysis::short_caption("level of the claim: summary"), "");
  EXPECT_EQ(analysis::short_caption("drawn"), "drawn");
  ExportOptions options{.style = Style::of(Paper::column)};
  const QSizeF brief = preferred_size(figure, options.style);
  const auto shown = texts_of(render_figure(figure, FileFormat::svg, options));
  EXPECT_FALSE(shown.drawn.join(QLatin1Char(' ')).contains(QStringLiteral("level of the claim")));
  EXPECT_TRUE(
      shown.drawn.join(QLatin1Char(' ')).contains(QStringLiteral("sentence 3; the strongest 3 of 9")));
  EXPECT_EQ(shown.description.toStdString(), figure.caption);
  options.style.caption = Caption::full;
  EXPECT_GT(preferred_size(figure, options.style).height(), brief.height());
  EXPECT_TRUE(
      texts_of(render_figure(figure, FileFormat::svg, options))
          .drawn.join(QLatin1Char(' '))
          .contains(QStringLiteral("level of the claim: summary: of many choices; by this and that")));
  options.style.caption = Caption::none;
  EXPECT_LT(preferred_size(figure, options.style).height(), brief.height());
  const auto bare = texts_of(render_figure(figure, FileFormat::svg, options));
  EXPECT_FALSE(bare.drawn.join(QLatin1Char(' ')).contains(QStringLiteral("sentence 3")));
  EXPECT_EQ(bare.description.toStdString(), figure.caption);
}

TEST(Captions, ShortOnesHaveTwoLinesAtMost) {
  analysis::FigureData figure = test::example_attention(5);
  figure.caption = "model one";
  for (int i = 0; i < 40; ++i) {
    figure.caption += "; one more clause";
  }
  const Style style = Style::of(Paper::column);
  EXPECT_EQ(frame_of(figure, style, preferred_size(figure, style)).caption.size(), 2);
  figure.caption = "a model whose name alone is " + std::string(400, 'x');
  EXPECT_EQ(frame_of(figure, style, preferred_size(figure, style)).caption.size(), 2);
}

TEST(Captions, StandInTheMetadataOfEveryFormat) {
  const analysis::FigureData figure = captioned();
  ExportOptions options;
  options.style.caption = Caption::none;
  const QImage image = QImage::fromData(render_figure(figure, FileFormat::png, options), "PNG");
  EXPECT_EQ(image.text(QStringLiteral("Description")).toStdString(), figure.caption);
  EXPECT_EQ(image.text(QStringLiteral("Title")).toStdString(), figure.title);
  const QByteArray pdf = render_figure(figure, FileFormat::pdf, options);
  EXPECT_TRUE(pdf.contains("/Subject <FEFF006D006F00640065006C0020006D003B"));  // "model m;"
  // The table of objects still says where it is and where they are.
  const qsizetype start = pdf.lastIndexOf("startxref\n") + 10;
  EXPECT_EQ(pdf.mid(pdf.mid(start, pdf.indexOf('\n', start) - start).toLongLong(), 4), "xref");
}

TEST(Paper, HasTheWidthsOfVenues) {
  const analysis::FigureData figure = test::example_attention(5);
  const auto width_cm = [&](Paper paper) {
    return preferred_size(figure, Style::of(paper)).width() * 2.54 / 72;
  };
  EXPECT_NEAR(width_cm(Paper::acl), 7.7, 1e-9);
  EXPECT_NEAR(width_cm(Paper::acl_wide), 16, 1e-9);
  EXPECT_NEAR(width_cm(Paper::neurips), 13.97, 1e-9);
  EXPECT_NEAR(width_cm(Paper::lncs), 12.2, 1e-9);
  const QSizeF slide = preferred_size(figure, Style::of(Paper::slide));
  EXPECT_NEAR(slide.width() / slide.height(), 16.0 / 9, 1e-9);
  for (const PaperPreset& preset : paper_presets()) {
    EXPECT_NEAR(width_pt(preset.paper), preset.width_cm * 72 / 2.54, 1e-9) << preset.name;
  }
}

TEST(Paper, TakesAWidthOfItsOwn) {
  const QImage image = QImage::fromData(
      render_figure(test::example_attention(9), FileFormat::png, {.width = 288, .png_scale = 1}), "PNG");
  EXPECT_EQ(image.width(), 288);
}

TEST(Paper, RefusesAFontThatTheMachineLacks) {
  EXPECT_THROW(check_font_family(QStringLiteral("No Such Family 27")), UsageError);
  EXPECT_NO_THROW(check_font_family(bundled_font_family()));
}

analysis::FigureData line_figure() {
  analysis::LinePlot plot;
  plot.series.emplace_back();
  for (int i = 0; i <= 10; ++i) {
    plot.series[0].points.push_back({.x = 0.1 * i, .y = 0.21 + 0.008 * i});
  }
  analysis::FigureData figure;
  figure.body = plot;
  return figure;
}

// Numbers of the y axis of an SVG.
std::vector<double> numbers_of(const analysis::FigureData& figure) {
  std::vector<double> numbers;
  for (const QString& text : texts_of(render_figure(figure, FileFormat::svg)).drawn) {
    bool number = false;
    const double value = text.toDouble(&number);
    if (number) {
      numbers.push_back(value);
    }
  }
  return numbers;
}

TEST(Paper, AxesFitTheDataOrTheLimits) {
  analysis::FigureData figure = line_figure();
  auto& plot = std::get<analysis::LinePlot>(figure.body);
  plot.x_categories = {"a"};  // the numbers are those of the y axis
  for (analysis::LinePoint& point : plot.series[0].points) {
    point.x = 0;
  }
  const auto fitted = numbers_of(figure);
  ASSERT_GE(fitted.size(), 2U);
  EXPECT_GE(*std::min_element(fitted.begin(), fitted.end()), 0.2);
  EXPECT_LE(*std::max_element(fitted.begin(), fitted.end()), 0.3);
  EXPECT_FALSE(analysis::set_x_limits(figure, {0, 1}));  // names, no numbers
  ASSERT_TRUE(analysis::set_y_limits(figure, {-2, 5}));
  const auto limited = numbers_of(figure);
  EXPECT_EQ(*std::max_element(limited.begin(), limited.end()), 5);
}

TEST(Paper, ClaimsNoIntervalsWhereBarsStand) {
  analysis::FigureData figure = line_figure();
  auto& plot = std::get<analysis::LinePlot>(figure.body);
  plot.series[0].points[0].low = plot.series[0].points[0].y - 0.01;
  plot.series[0].points[0].high = plot.series[0].points[0].y + 0.01;
  EXPECT_TRUE(analysis::shows_intervals(figure));
  plot.stacked = true;
  EXPECT_FALSE(analysis::shows_intervals(figure));
}

TEST(Paper, TakesLimitsOfAxesWithNumbersOnly) {
  analysis::FigureData figure = line_figure();
  EXPECT_TRUE(analysis::set_x_limits(figure, {0.2, 0.5}));
  const auto numbers = numbers_of(figure);
  EXPECT_EQ(std::count(numbers.begin(), numbers.end(), 1.0), 0);
  EXPECT_EQ(std::count(numbers.begin(), numbers.end(), 0.5), 1);
  analysis::FigureData map = test::example_attention(4);
  EXPECT_FALSE(analysis::set_x_limits(map, {0, 1}));
  EXPECT_FALSE(analysis::set_y_limits(map, {0, 1}));
  analysis::FigureData bars;
  analysis::BarPlot lengths;
  analysis::BarRow& row = lengths.rows.emplace_back();
  row.label = "a";
  row.value = 0.34;
  bars.body = lengths;
  EXPECT_TRUE(analysis::set_x_limits(bars, {0, 0.37}));
  EXPECT_EQ(numbers_of(bars).size(), 4U);  // 0, 0.1, 0.2, 0.3: the axis ends at 0.37
  EXPECT_THROW(analysis::set_x_limits(bars, {0, 0.3}), UsageError);
  EXPECT_THROW(analysis::set_x_limits(bars, {0.1, 0.5}), UsageError);
  const analysis::AxisLimits read = analysis::parse_axis_limits("--y-limits", "-1:2.5");
  EXPECT_EQ(read.low, -1);
  EXPECT_EQ(read.high, 2.5);
  for (const char* const wrong : {"", "1", "2:1", "1:1", "a:b", "1:2:3", "nan:1"}) {
    EXPECT_THROW(analysis::parse_axis_limits("--y-limits", wrong), UsageError) << wrong;
  }
}

// A matrix of more words than its sides have room for says how many have no label, as arcs do.
TEST(Maps, SayHowManyLabelsAreLeftOut) {
  const ExportOptions options{.style = Style::of(Paper::acl)};
  const auto figure = test::example_attention(90);  // and a special token
  const QStringList left_out = notes(figure, options.style, preferred_size(figure, options.style));
  ASSERT_EQ(left_out.size(), 1);
  const QString drawn =
      texts_of(render_figure(figure, FileFormat::svg, options)).drawn.join(QLatin1Char(' '));
  EXPECT_TRUE(drawn.contains(QStringLiteral(" of 91 rows and "))) << drawn.toStdString();
  EXPECT_TRUE(drawn.contains(QStringLiteral("there is no room at this size"))) << drawn.toStdString();
  const auto all = test::example_attention(9);
  EXPECT_TRUE(notes(all, options.style, preferred_size(all, options.style)).isEmpty());
}

}  // namespace
}  // namespace mog::figures
