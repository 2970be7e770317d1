// Maps where there is little room, and several of them in one figure.
#include <gtest/gtest.h>

#include <QRectF>
#include <QXmlStreamReader>
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

}  // namespace
}  // namespace mog::figures
