#include "app/figures/export/svg_tidy.h"

#include <gtest/gtest.h>

#include <QBuffer>
#include <QImage>
#include <QMap>
#include <QPainter>
#include <QSvgGenerator>
#include <QSvgRenderer>
#include <QXmlStreamReader>

#include "app/figures/export/export.h"
#include "app/figures/frame.h"
#include "app/figures/painter.h"
#include "tests/unit/figures/examples.h"

namespace mog::figures {
namespace {

using namespace Qt::StringLiterals;

QByteArray generated(const analysis::FigureData& figure, Theme theme) {
  Style style;
  style.theme = theme;
  const QSizeF size = preferred_size(figure, style);
  QBuffer buffer;
  QSvgGenerator generator;
  generator.setOutputDevice(&buffer);
  generator.setResolution(72);
  generator.setSize(size.toSize());
  generator.setViewBox(QRectF(QPointF(0, 0), size));
  QPainter painter(&generator);
  paint_figure(painter, figure, style, size, {}, {});
  painter.end();
  return buffer.data();
}

QImage drawn(const QByteArray& svg) {
  QSvgRenderer renderer(svg);
  QImage image(renderer.defaultSize(), QImage::Format_ARGB32);
  image.fill(Qt::white);
  QPainter painter(&image);
  renderer.render(&painter);
  return image;
}

TEST(TidySvg, DrawsTheSameWithMuchLess) {
  Theme theme = Theme::dark;
  for (const auto& [name, figure] : test::example_figures()) {
    theme = theme == Theme::light ? Theme::dark : Theme::light;  // in turn
    const QByteArray before = generated(figure, theme);
    const QByteArray after = tidy_svg(before);
    EXPECT_LT(after.size() * 3, before.size() * 2) << name;
    const QImage image = drawn(after);
    ASSERT_FALSE(image.isNull());
    EXPECT_EQ(image, drawn(before)) << name;
  }
}

TEST(TidySvg, KeepsEveryTextAndMark) {
  const auto counted = [](const QByteArray& svg) {
    QMap<QString, int> marks;
    QXmlStreamReader reader(svg);
    while (!reader.atEnd()) {
      if (reader.readNext() == QXmlStreamReader::StartElement && reader.name() != "g"_L1 &&
          reader.name() != "title"_L1 && reader.name() != "desc"_L1) {
        const QString name = reader.name().toString();
        ++marks[name == "text"_L1 ? name + reader.readElementText() : name];
      }
    }
    EXPECT_FALSE(reader.hasError()) << reader.errorString().toStdString();
    return marks;
  };
  for (const auto& [name, figure] : test::example_figures()) {
    const QByteArray before = generated(figure, Theme::light);
    EXPECT_EQ(counted(tidy_svg(before)), counted(before)) << name;
  }
}

TEST(TidySvg, TitleAndDescriptionAreEscaped) {
  analysis::FigureData figure = test::example_attention(3);
  figure.title = "a < b & c";
  figure.caption = "\"<s>\" & </s>";
  QXmlStreamReader reader(render_figure(figure, FileFormat::svg));
  QStringList texts;
  while (!reader.atEnd()) {
    if (reader.readNext() == QXmlStreamReader::StartElement &&
        (reader.name() == "title"_L1 || reader.name() == "desc"_L1)) {
      texts << reader.readElementText();
    }
  }
  EXPECT_FALSE(reader.hasError()) << reader.errorString().toStdString();
  EXPECT_EQ(texts, (QStringList{u"a < b & c"_s, u"\"<s>\" & </s>"_s}));
}

TEST(TidySvg, KeepsClipsPicturesAndSpaces) {
  const QByteArray svg =
      "<?xml version=\"1.0\"?>\n<svg width=\"9mm\" height=\"9mm\" viewBox=\"0 0 9 9\">"
      "<defs><clipPath id=\"c\"><rect x=\"0\" y=\"0\" width=\"4\" height=\"4\"/></clipPath></defs>"
      "<g fill=\"none\" stroke=\"black\"><g clip-path=\"url(#c)\" fill=\"#ff0000\" stroke=\"none\">"
      "<rect x=\"1\" y=\"1\" width=\"7\" height=\"7\"/></g>"
      "<g fill=\"#00ff00\"><text x=\"1\" y=\"2\" xml:space=\"preserve\">a  b</text>"
      "<text x=\"1\" y=\"4\" xml:space=\"preserve\">c d</text></g></g></svg>";
  EXPECT_EQ(
      tidy_svg(svg),
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?><svg width=\"9mm\" height=\"9mm\" viewBox=\"0 0 9 9\">\n"
      "<defs><clipPath id=\"c\"><rect x=\"0\" y=\"0\" width=\"4\" height=\"4\"/></clipPath></defs>\n"
      "<g clip-path=\"url(#c)\">\n<rect x=\"1\" y=\"1\" width=\"7\" height=\"7\" fill=\"#ff0000\"/>\n</g>\n"
      "<text x=\"1\" y=\"2\" fill=\"#00ff00\" stroke=\"black\" xml:space=\"preserve\">a  b</text>\n"
      "<text x=\"1\" y=\"4\" fill=\"#00ff00\" stroke=\"black\">c d</text>\n</svg>\n");
}

}  // namespace
}  // namespace mog::figures
