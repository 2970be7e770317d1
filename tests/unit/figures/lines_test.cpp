// Lines over bins of lengths that have few sentences.
#include <gtest/gtest.h>

#include <QImage>
#include <QPainter>
#include <memory>

#include "analysis/figure_data/captions.h"
#include "app/figures/export/export.h"
#include "app/figures/painter.h"

namespace mog::figures {
namespace {

using analysis::FigureData;
using analysis::LinePlot;

// Three bins; the last one has so many sentences.
FigureData lengths(std::int64_t last) {
  LinePlot plot;
  plot.x_categories = {"1-9", "10-19", "20-29"};
  plot.x_lengths = {{1, 10}, {10, 20}, {20, 30}};
  plot.counts = {40, 30, last};
  analysis::LineSeries series;
  series.label = "1";
  for (std::size_t i = 0; i < plot.counts.size(); ++i) {
    const double y = 0.4 + 0.05 * static_cast<double>(i);
    series.points.push_back({.x = static_cast<double>(i),
                             .y = y,
                             .low = y - 0.04,
                             .high = y + 0.04,
                             .sentences = plot.counts[i]});
  }
  plot.series.push_back(series);
  FigureData figure;
  figure.body = plot;
  return figure;
}

struct Drawn {
  QColor mark;    // in the middle of the last one
  QColor beside;  // left of it, where a band would be
  qsizetype dashes = 0;
};
Drawn drawn(const FigureData& figure) {
  const Style style = Style::of(Paper::page);
  const QSizeF size(500, 300);
  const double scale = 4;
  QImage image((size * scale).toSize(), QImage::Format_RGB32);
  QPainter painter(&image);
  painter.scale(scale, scale);
  paint(painter, figure, style, size);
  const LaidOut laid_out(std::make_shared<const FigureData>(figure), style, size);
  QPointF at;
  for (double y = 0; y < size.height() && at.isNull(); y += 1) {
    for (double x = size.width() - 1; x > 0 && at.isNull(); x -= 1) {
      const auto hit = laid_out.hit_test({x, y});
      if (hit && hit->kind == Hit::Kind::point && hit->column == 2) {
        at = hit->area.center();
      }
    }
  }
  const auto pixel = [&](QPointF point) { return image.pixelColor((point * scale).toPoint()); };
  return {pixel(at), pixel(at + QPointF(-20, 6)),
          render_figure(figure, FileFormat::svg, {.style = style}).count("stroke-dasharray=\"")};
}

TEST(Lines, BinsOfFewSentencesAreOpenDashedAndHaveNoBand) {
  const QColor paper = background(Theme::light);
  const Drawn few = drawn(lengths(analysis::kFewSentences - 1));
  EXPECT_EQ(few.mark, paper);
  EXPECT_EQ(few.beside, paper);

  const Drawn enough = drawn(lengths(analysis::kFewSentences));
  EXPECT_NE(enough.mark, paper);
  EXPECT_NE(enough.beside, paper);
  EXPECT_GT(few.dashes, enough.dashes);
}

// How often an SVG turns a text: the title of the y axis, and labels of categories.
qsizetype turned(const std::vector<std::string>& categories, double width) {
  LinePlot plot;
  plot.x = {"relation", "", ""};
  plot.y = {"recall", "%", ""};
  plot.x_categories = categories;
  analysis::LineSeries series;
  for (std::size_t i = 0; i < categories.size(); ++i) {
    series.points.push_back({.x = static_cast<double>(i), .y = 90.0 + static_cast<double>(i)});
  }
  plot.series.push_back(series);
  FigureData figure;
  figure.body = plot;
  return render_figure(figure, FileFormat::svg, {.style = Style::of(Paper::page), .width = width})
      .count("matrix(0,-1,1,0");
}

TEST(Lines, NamesThatDoNotFitAreTurnedAndAllThere) {
  const std::vector<std::string> names(12, "compound");
  EXPECT_EQ(turned(names, 200), turned({"a", "b"}, 200) + 12);
  EXPECT_EQ(turned(names, 1200), turned({"a", "b"}, 1200));
  // Of bins some may be left out: their neighbours say what they are.
  EXPECT_EQ(turned(std::vector<std::string>(12, "100–109"), 200), turned({"a", "b"}, 200));
}

TEST(Lines, TheCaptionSaysWhatOpenMarksAre) {
  const analysis::BootstrapOptions bootstrap{.resamples = 100};
  const QString said = QStringLiteral("open marks: fewer than 10 sentences");
  const auto clause = [&](std::int64_t last) {
    return QString::fromStdString(analysis::bands_clause(lengths(last), bootstrap));
  };
  EXPECT_TRUE(clause(3).contains(said));
  EXPECT_TRUE(clause(3).contains(QStringLiteral("bands: ")));
  EXPECT_FALSE(clause(30).contains(said));
}

}  // namespace
}  // namespace mog::figures
