// Figures as SVG, PDF and PNG.
//
// Equal bytes for equal figures, in `mog` and in the window: Qt orders some tables of a PDF by hash, so the
// seed is fixed before anything is drawn; PDF files carry the time of writing, which is replaced by a
// constant; PNG gets the title and the caption as its text chunks, nothing of the time.
#include "app/figures/export/export.h"

#include <QBuffer>
#include <QFile>
#include <QFontDatabase>
#include <QGuiApplication>
#include <QHashFunctions>
#include <QImage>
#include <QPageSize>
#include <QPdfWriter>
#include <QRandomGenerator>
#include <QSvgGenerator>
#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <system_error>
#include <utility>
#include <vector>

#include "app/figures/export/pdf_texts.h"
#include "app/figures/export/svg_texts.h"
#include "app/figures/export/svg_tidy.h"
#include "app/figures/frame.h"
#include "app/figures/slide.h"
#include "io/recording/errors.h"
#include "io/recording/nearest_name.h"

namespace mog::figures {
namespace {

QRectF whole(QSizeF size) {
  return {QPointF(0, 0), size};
}

Style style_of(const ExportOptions& options) {
  Style style = options.style;
  style.font_family = options.font_family;
  return style;
}

QSizeF size_of(const analysis::FigureData& figure, const ExportOptions& options) {
  const Style style = style_of(options);
  return options.size    ? *options.size
         : options.width ? preferred_size(figure, style, *options.width)
                         : preferred_size(figure, style);
}

// The figure and its type as they are drawn.
OnSlide shown_of(const analysis::FigureData& figure, const ExportOptions& options, QSizeF size) {
  const Style style = style_of(options);
  return style.paper == Paper::slide ? fit_to_slide(figure, style, size) : OnSlide{figure, style};
}

QByteArray render_svg(const analysis::FigureData& figure, const ExportOptions& options, QSizeF size) {
  QBuffer buffer;
  QSvgGenerator generator;
  generator.setOutputDevice(&buffer);
  generator.setResolution(72);
  generator.setSize(size.toSize());
  generator.setViewBox(whole(size));
  QPainter painter(&generator);
  SvgTexts texts;
  paint_figure(painter, figure, options.style, size, options.highlight, {options.text_as_paths, &texts});
  painter.end();
  QByteArray bytes = texts.restored(buffer.data());
  // Programs that do not have the bundled font take one with the same widths.
  const QByteArray family = bundled_font_family().toUtf8();
  bytes.replace("font-family=\"" + family + "\"", "font-family=\"'" + family + "', Verdana, sans-serif\"");
  return tidy_svg(bytes, QString::fromStdString(figure.title), QString::fromStdString(figure.caption));
}

// Adds `delta` to the offsets beyond `from` in the cross-reference table and its own place. Entries are ten
// digits, a space, five digits, a space and n or f.
void shift_offsets(QByteArray& bytes, qsizetype from, qsizetype delta) {
  const qsizetype trailer = bytes.lastIndexOf("startxref\n");
  const qsizetype table = bytes.lastIndexOf("\nxref\n", trailer) + 1;
  for (qsizetype at = bytes.indexOf(" n", table); at >= 0 && at < trailer; at = bytes.indexOf(" n", at + 1)) {
    const qsizetype first = at - 16;
    bool number = false;
    const qlonglong offset = first > table ? bytes.mid(first, 10).toLongLong(&number) : 0;
    if (number && offset > from) {
      bytes.replace(first, 10, QByteArray::number(offset + delta).rightJustified(10, '0'));
    }
  }
  const qsizetype place = trailer + 10;
  const qsizetype end = bytes.indexOf('\n', place);
  bytes.replace(place, end - place, QByteArray::number(table));
}

// The caption as the document's subject, UTF-16 in hexadecimal digits.
void add_subject(QByteArray& bytes, const QString& subject) {
  const qsizetype at = bytes.indexOf("/CreationDate (");
  if (at < 0 || subject.isEmpty()) {
    return;
  }
  QByteArray entry("/Subject <FEFF");
  for (const QChar letter : subject) {
    entry += QByteArray::number(letter.unicode(), 16).rightJustified(4, '0').toUpper();
  }
  entry += ">\n";
  bytes.insert(at, entry);
  shift_offsets(bytes, at, entry.size());
}

// The time of writing, in the local time zone, becomes a constant.
void replace_dates(QByteArray& bytes) {
  const QByteArray date("D:20210101000000Z");
  for (const char* const key : {"/CreationDate (", "/ModDate ("}) {
    const qsizetype at = bytes.indexOf(key);
    if (at < 0) {
      continue;
    }
    const qsizetype first = at + static_cast<qsizetype>(std::strlen(key));
    const qsizetype length = bytes.indexOf(')', first) - first;
    bytes.replace(first, length, date);
    shift_offsets(bytes, first, date.size() - length);
  }
}

QByteArray render_pdf(const analysis::FigureData& figure, const ExportOptions& options, QSizeF size) {
  constexpr int kResolution = 1200;
  constexpr double kPoint = 72.0 / kResolution;
  PdfTexts texts(QTransform(kPoint, 0, 0, -kPoint, 0, size.height()));
  QBuffer buffer;
  buffer.open(QIODevice::WriteOnly);
  {
    QPdfWriter writer(&buffer);
    writer.setResolution(kResolution);
    writer.setPageSize(QPageSize(size, QPageSize::Point, QString(), QPageSize::ExactMatch));
    writer.setPageMargins(QMarginsF(0, 0, 0, 0));
    writer.setTitle(QString::fromStdString(figure.title));
    writer.setCreator(QStringLiteral("MoG Workbench"));
    QPainter painter(&writer);
    painter.scale(1 / kPoint, 1 / kPoint);
    paint_figure(
        painter, figure, options.style, size, options.highlight,
        {.text_as_paths = options.text_as_paths, .pdf_texts = options.text_as_paths ? nullptr : &texts});
  }
  QByteArray bytes = buffer.data();
  replace_dates(bytes);
  add_subject(bytes, QString::fromStdString(figure.caption));
  return texts.added(bytes);
}

QByteArray render_png(const analysis::FigureData& figure, const ExportOptions& options, QSizeF size) {
  const double scale = options.png_scale;
  const double most = 32'000;
  if (!(scale > 0) || size.width() * scale > most || size.height() * scale > most) {
    throw UsageError(
        "saving a figure as PNG: " + std::to_string(std::lround(size.width() * scale)) + " × " +
        std::to_string(std::lround(size.height() * scale)) +
        " pixels are asked for, at most 32000 are possible; choose a smaller scale, or SVG or PDF");
  }
  QImage image(static_cast<int>(std::ceil(size.width() * scale)),
               static_cast<int>(std::ceil(size.height() * scale)), QImage::Format_RGB32);
  if (image.isNull()) {
    throw UsageError(
        "saving a figure as PNG: there is not enough memory for so many pixels; choose a smaller scale");
  }
  image.fill(background(options.style.theme));
  const double dots_per_metre = scale * 72 / 0.0254;
  image.setDotsPerMeterX(static_cast<int>(std::lround(dots_per_metre)));
  image.setDotsPerMeterY(static_cast<int>(std::lround(dots_per_metre)));
  QPainter painter(&image);
  painter.scale(scale, scale);
  paint_figure(painter, figure, options.style, size, options.highlight, {options.text_as_paths});
  painter.end();
  for (const auto& [key, text] :
       {std::pair("Title", &figure.title), std::pair("Description", &figure.caption)}) {
    if (!text->empty()) {
      image.setText(QString::fromLatin1(key), QString::fromStdString(*text));
    }
  }
  QBuffer buffer;
  buffer.open(QIODevice::WriteOnly);
  image.save(&buffer, "PNG");
  return buffer.data();
}

[[noreturn]] void refuse_write(const std::filesystem::path& path, int error) {
  const bool full = error == ENOSPC || error == EDQUOT;
  throw StorageError(
      "saving the figure " + path.string() + ": " + std::generic_category().message(error) +
          (full ? "; free some space or choose another folder" : "; choose a folder that can be written"),
      full ? StorageError::Cause::no_space : StorageError::Cause::other);
}

// The unfinished file has a name of its own and is always a new one: a link that somebody put there would
// lead the figure elsewhere.
void write_beside_and_rename(const std::filesystem::path& path, const QByteArray& bytes) {
  std::filesystem::path part = path;
  part +=
      ".part-" + std::to_string(::getpid()) + "-" + std::to_string(QRandomGenerator::system()->generate());
  QFile file(QString::fromStdString(part.string()));
  errno = 0;
  const bool made = file.open(QIODevice::WriteOnly | QIODevice::NewOnly | QIODevice::Unbuffered);
  if (!made || file.write(bytes) != bytes.size()) {
    const int error = errno == 0 ? EIO : errno;
    if (made) {
      file.remove();
    }
    refuse_write(path, error);
  }
  file.close();
  std::error_code error;
  std::filesystem::rename(part, path, error);
  if (error) {
    std::error_code ignored;
    std::filesystem::remove(part, ignored);
    refuse_write(path, error.value());
  }
}

}  // namespace

FileFormat format_of(const std::filesystem::path& path) {
  std::string extension = path.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  if (extension == ".svg") {
    return FileFormat::svg;
  }
  if (extension == ".pdf") {
    return FileFormat::pdf;
  }
  if (extension == ".png") {
    return FileFormat::png;
  }
  throw UsageError("saving the figure " + path.string() +
                   ": the name must end in .svg, .pdf or .png, found \"" + extension + "\"");
}

QByteArray render_figure(const analysis::FigureData& figure, FileFormat format,
                         const ExportOptions& options) {
  QHashSeed::setDeterministicGlobalSeed();  // of the tables that this makes
  ExportOptions exact = options;
  exact.style = style_of(options);
  const QSizeF size = size_of(figure, options);
  constexpr double kMost = 200 * 72;
  if (!(size.width() >= 1 && size.height() >= 1 && size.width() <= kMost && size.height() <= kMost)) {
    throw UsageError("saving a figure: its size is " + std::to_string(size.width()) + " × " +
                     std::to_string(size.height()) + " points, expected 1 to 14400");
  }
  // Whole points: SVG states its size in them.
  const QSizeF rounded(std::ceil(size.width() - 1e-6), std::ceil(size.height() - 1e-6));
  OnSlide shown = shown_of(figure, exact, rounded);
  exact.style = shown.style;
  switch (format) {
    case FileFormat::svg:
      return render_svg(shown.figure, exact, rounded);
    case FileFormat::pdf:
      return render_pdf(shown.figure, exact, rounded);
    case FileFormat::png:
      return render_png(shown.figure, exact, rounded);
  }
  return {};
}

QStringList save_figure(const analysis::FigureData& figure, const std::filesystem::path& path,
                        const ExportOptions& options) {
  write_beside_and_rename(path, render_figure(figure, format_of(path), options));
  const QSizeF size = size_of(figure, options);
  const OnSlide shown = shown_of(figure, options, size);
  return notes(shown.figure, shown.style, size);
}

namespace {

// Those that begin as `family` does come first, the longest such beginning before shorter ones.
void sort_by_beginning(const QString& family, std::vector<std::string>& names) {
  const QString asked = family.toCaseFolded();
  const auto common = [&asked](const std::string& name) {
    const QString other = QString::fromStdString(name).toCaseFolded();
    return std::mismatch(asked.begin(), asked.end(), other.begin(), other.end()).first - asked.begin();
  };
  std::stable_sort(names.begin(), names.end(), [&](const std::string& left, const std::string& right) {
    return common(left) > common(right);
  });
}

}  // namespace

void check_font_family(const QString& family) {
  const QStringList families = QFontDatabase::families();
  if (families.contains(family, Qt::CaseInsensitive)) {
    return;
  }
  std::vector<std::string> names;
  names.reserve(static_cast<std::size_t>(families.size()));
  for (const QString& name : families) {  // "Nimbus Sans [urw]": the foundry is not asked for
    names.push_back(name.section(QStringLiteral(" ["), 0, 0).toStdString());
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  const std::string asked = family.toStdString();
  std::string message = "--font " + asked + ": this machine has no such family" +
                        (names.empty() ? "; it has none" : "; it has ");
  constexpr std::size_t kMost = 10;
  sort_by_beginning(family, names);
  for (std::size_t i = 0; i < std::min(kMost, names.size()); ++i) {
    message += (i == 0 ? "" : ", ") + names[i];
  }
  if (names.size() > kMost) {
    message += " and " + std::to_string(names.size() - kMost) + " more (fc-list : family)";
  }
  throw UsageError(message + did_you_mean(asked, names));
}

HeadlessApplication::HeadlessApplication() {
  QHashSeed::setDeterministicGlobalSeed();
  if (QGuiApplication::instance() != nullptr) {
    return;
  }
  if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM")) {
    qputenv("QT_QPA_PLATFORM", "offscreen");
  }
  static int count = 1;
  static char name[] = "mog";
  static char* arguments[] = {name, nullptr};
  application_ = std::make_unique<QGuiApplication>(count, arguments);
}

HeadlessApplication::~HeadlessApplication() = default;

}  // namespace mog::figures
