#include "app/figures/export/export.h"

#include <gtest/gtest.h>

#include <QBuffer>
#include <QImage>
#include <QPageSize>
#include <QPainter>
#include <QPdfWriter>
#include <QProcess>
#include <QXmlStreamReader>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "app/figures/export/pdf_texts.h"
#include "io/recording/errors.h"
#include "tests/support/places.h"
#include "tests/unit/figures/examples.h"

namespace mog::figures {
namespace {

std::string read(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::filesystem::path scratch(const std::string& name) {
  const auto folder = std::filesystem::path(::testing::TempDir()) / ("mog_figures_" + name);
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  return folder;
}

// The output of a program, or nothing where it is not installed.
std::optional<std::string> run(const QString& program, const QStringList& arguments) {
  QProcess process;
  process.start(program, arguments);
  if (!process.waitForStarted()) {
    return std::nullopt;
  }
  process.waitForFinished();
  return process.readAllStandardOutput().toStdString();
}

TEST(Export, EveryKindIsWrittenTwiceWithTheSameBytes) {
  for (const auto& [name, figure] : test::example_figures()) {
    for (const FileFormat format : {FileFormat::svg, FileFormat::pdf, FileFormat::png}) {
      ExportOptions options;
      options.png_scale = 1;
      const QByteArray first = render_figure(figure, format, options);
      ASSERT_GT(first.size(), 500) << name;
      ASSERT_EQ(first, render_figure(figure, format, options)) << name;
    }
  }
}

TEST(Export, TwoProcessesWriteTheSameBytes) {
  const auto one = scratch("one");
  const auto two = scratch("two");
  for (const auto& folder : {one, two}) {
    ASSERT_TRUE(run(QString::fromStdString(mog::test::built_program("figure_gallery").string()),
                    {QString::fromStdString(folder.string()), QStringLiteral("difference_12"),
                     QStringLiteral("attention_20"), QStringLiteral("tree_14"), QStringLiteral("arcs_14")})
                    .has_value());
  }
  // A third one in another time zone, a display name that is not there and other hash seeds.
  const auto three = scratch("three");
  qputenv("TZ", "Asia/Kolkata");
  qputenv("QT_HASH_SEED", "77");
  run(QString::fromStdString(mog::test::built_program("figure_gallery").string()),
      {QString::fromStdString(three.string()), QStringLiteral("arcs_14")});
  qunsetenv("TZ");
  qunsetenv("QT_HASH_SEED");
  for (const char* const name : {"arcs_14.pdf", "arcs_14.svg", "arcs_14.png"}) {
    EXPECT_EQ(read(one / name), read(three / name)) << name;
  }
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(one)) {
    EXPECT_EQ(read(entry.path()), read(two / entry.path().filename())) << entry.path().filename();
    ++files;
  }
  EXPECT_EQ(files, 4 * 7);
}

TEST(Export, SvgIsXmlWithTextAsText) {
  const QByteArray svg = render_figure(test::example_attention(5), FileFormat::svg);
  QXmlStreamReader reader(svg);
  QStringList texts;
  while (!reader.atEnd()) {
    if (reader.readNext() == QXmlStreamReader::StartElement && reader.name() == QStringLiteral("text")) {
      EXPECT_NE(reader.attributes().value(QStringLiteral("font-family")).indexOf(bundled_font_family()), -1);
      EXPECT_GE(reader.attributes().value(QStringLiteral("font-size")).toDouble(), 6);
      texts.append(reader.readElementText());
    }
  }
  EXPECT_FALSE(reader.hasError()) << reader.errorString().toStdString();
  for (const char* const word : {"committee", "</s>", "query", "attention weight"}) {
    EXPECT_TRUE(texts.contains(QString::fromUtf8(word))) << word;
  }
  const QByteArray paths =
      render_figure(test::example_attention(5), FileFormat::svg, {.text_as_paths = true});
  EXPECT_FALSE(paths.contains("<text"));
  EXPECT_GT(paths.count("<path"), texts.size() / 2);
}

TEST(Export, PdfHasOnePageOfTheRightSizeWithEmbeddedFontsAndNoDate) {
  const auto path = scratch("pdf") / "figure.pdf";
  save_figure(test::example_attention(5), path, {.style = Style::of(Paper::column)});
  const std::string bytes = read(path);
  EXPECT_EQ(bytes.rfind("%PDF-", 0), 0U);
  EXPECT_NE(bytes.find("/CreationDate (D:20210101000000Z)"), std::string::npos);
  const auto fonts = run(QStringLiteral("pdffonts"), {QString::fromStdString(path.string())});
  const auto info = run(QStringLiteral("pdfinfo"), {QString::fromStdString(path.string())});
  const auto text =
      run(QStringLiteral("pdftotext"), {QString::fromStdString(path.string()), QStringLiteral("-")});
  if (!fonts || !info || !text) {
    GTEST_SKIP() << "pdffonts, pdfinfo and pdftotext (poppler-utils) are not installed";
  }
  EXPECT_NE(fonts->find("DejaVuSans"), std::string::npos) << *fonts;
  std::istringstream lines(*fonts);
  std::string line;
  std::getline(lines, line);
  std::getline(lines, line);
  while (std::getline(lines, line)) {  // name, type, encoding, emb …
    EXPECT_NE(line.find(" yes "), std::string::npos) << line;
  }
  EXPECT_NE(info->find("Pages:           1"), std::string::npos) << *info;
  EXPECT_NE(info->find("241 x"), std::string::npos) << *info;  // 8.5 cm
  EXPECT_NE(text->find("committee"), std::string::npos);
}

// Without any font of theirs: what was added is found where it was put, more letters than one font has codes
// for, and nothing of the page changes.
TEST(PdfTexts, AreFoundAndNotSeen) {
  const QSizeF size(300, 200);
  PdfTexts texts(QTransform(0.06, 0, 0, -0.06, 0, size.height()));
  QBuffer buffer;
  buffer.open(QIODevice::WriteOnly);
  {
    QPdfWriter writer(&buffer);
    writer.setResolution(1200);
    writer.setPageSize(QPageSize(size, QPageSize::Point, QString(), QPageSize::ExactMatch));
    writer.setPageMargins(QMarginsF(0, 0, 0, 0));
    QPainter painter(&writer);
    painter.fillRect(QRectF(0, 0, 100, 100), Qt::black);
  }
  const QByteArray plain = buffer.data();
  EXPECT_EQ(texts.added(plain), plain);
  QString many;
  for (char32_t letter = 0x4E00; letter < 0x4E00 + 300; ++letter) {
    many += QString::fromUcs4(&letter, 1);
  }
  texts.add(QStringLiteral("🎉🏳️‍🌈"), QTransform(16.7, 0, 0, 16.7, 500, 500), 40, 12);
  texts.add(many, QTransform(1, 0, 0, 1, 100, 2000), 4500, 12);
  const QByteArray pdf = texts.added(plain);
  EXPECT_TRUE(pdf.startsWith(plain));
  EXPECT_EQ(texts.added("no PDF"), "no PDF");
  const auto folder = scratch("pdf-texts");
  const auto write = [&folder](const char* name, const QByteArray& bytes) {
    std::ofstream(folder / name, std::ios::binary).write(bytes.data(), bytes.size());
    return QString::fromStdString((folder / name).string());
  };
  const QString path = write("texts.pdf", pdf);
  const QString before = write("plain.pdf", plain);
  const auto found = run(QStringLiteral("pdftotext"), {path, QStringLiteral("-")});
  const auto seen = run(QStringLiteral("pdftoppm"), {path});
  if (!found || !seen) {
    GTEST_SKIP() << "pdftotext and pdftoppm (poppler-utils) are not installed";
  }
  EXPECT_NE(found->find("🎉🏳️‍🌈"), std::string::npos) << *found;
  EXPECT_NE(found->find(many.toStdString()), std::string::npos) << *found;
  EXPECT_FALSE(seen->empty());
  EXPECT_EQ(seen, run(QStringLiteral("pdftoppm"), {before}));
}

// Words that a PDF holds as pictures can be found and copied like others, turned ones too.
TEST(Export, PdfHasTheTextOfEmoji) {
  analysis::FigureData figure = test::example_attention(5);
  auto& map = std::get<analysis::HeatMap>(figure.body);
  const std::vector<std::string> words = {"🎉", "🏳️‍🌈🎈", "ok🎃"};
  for (std::size_t i = 0; i < words.size(); ++i) {
    map.rows[i + 1].text = map.columns[i + 1].text = words[i];
  }
  const auto path = scratch("emoji") / "figure.pdf";
  save_figure(figure, path, {.style = Style::of(Paper::page)});
  const std::string bytes = read(path);
  if (bytes.find("/Subtype /Image") == std::string::npos) {
    GTEST_SKIP() << "no font with coloured letters is installed";
  }
  EXPECT_NE(bytes.find("<d83cdf89>"), std::string::npos);
  const auto text =
      run(QStringLiteral("pdftotext"), {QString::fromStdString(path.string()), QStringLiteral("-")});
  const auto info = run(QStringLiteral("pdfinfo"), {QString::fromStdString(path.string())});
  if (!text || !info) {
    GTEST_SKIP() << "pdfinfo and pdftotext (poppler-utils) are not installed";
  }
  EXPECT_NE(info->find("Pages:           1"), std::string::npos) << *info;
  for (const std::string& word : words) {
    const std::size_t first = text->find(word);
    ASSERT_NE(first, std::string::npos) << word << "\n" << *text;
    EXPECT_NE(text->find(word, first + 1), std::string::npos) << word << "\n" << *text;
  }
  const auto outlines = scratch("emoji-outlines") / "figure.pdf";
  save_figure(figure, outlines, {.style = Style::of(Paper::page), .text_as_paths = true});
  EXPECT_EQ(read(outlines).find("/MoGText"), std::string::npos);
}

TEST(Export, PngHasTheScaleAndTheTheme) {
  const auto figure = test::example_gates(10, 6);
  ExportOptions options{.style = Style::of(Paper::page, Theme::dark)};
  options.png_scale = 2;
  QImage image;
  ASSERT_TRUE(image.loadFromData(render_figure(figure, FileFormat::png, options), "PNG"));
  const QSizeF size = preferred_size(figure, options.style);
  EXPECT_EQ(image.width(), 2 * static_cast<int>(std::ceil(size.width())));
  EXPECT_EQ(image.height(), 2 * static_cast<int>(std::ceil(size.height())));
  EXPECT_EQ(image.pixelColor(1, 1), background(Theme::dark));
  EXPECT_NEAR(image.dotsPerMeterX(), 2 * 72 / 0.0254, 1);
}

TEST(Export, PathsAndSizesAreChecked) {
  EXPECT_EQ(format_of("a/b.SVG"), FileFormat::svg);
  EXPECT_THROW(format_of("figure"), UsageError);
  EXPECT_THROW(format_of("figure.eps"), UsageError);
  const auto figure = test::example_attention(5);
  EXPECT_THROW(render_figure(figure, FileFormat::svg, {.size = QSizeF(0, 10)}), UsageError);
  EXPECT_THROW(render_figure(figure, FileFormat::png, {.png_scale = 1000}), UsageError);
  const auto folder = scratch("paths");
  EXPECT_THROW(save_figure(figure, folder / "missing" / "a.svg"), StorageError);
  std::ofstream(folder / "old.svg") << "old";
  save_figure(figure, folder / "old.svg");
  EXPECT_EQ(read(folder / "old.svg").rfind("<?xml", 0), 0U);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), std::filesystem::directory_iterator()),
            1);
}

}  // namespace
}  // namespace mog::figures

int main(int argc, char** argv) {
  const mog::figures::HeadlessApplication application;
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
