#include "app/gui/window/export_dialog.h"
#include "app/gui/widgets/number_box.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QDir>
#include <QDoubleSpinBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSaveFile>
#include <QSpinBox>
#include <algorithm>
#include <cmath>
#include <utility>

#include "analysis/statistics/table.h"
#include "app/figures/export/export.h"
#include "io/recording/errors.h"

namespace mog::gui {

namespace {

app::FigureFacts facts_of(const ExportItem& item) {
  return item.command.facts ? item.command.facts() : app::FigureFacts();
}

// As `--preset` calls it.
const figures::PaperPreset& preset_of(figures::Paper paper) {
  const auto presets = figures::paper_presets();
  return *std::find_if(presets.begin(), presets.end(),
                       [paper](const figures::PaperPreset& one) { return one.paper == paper; });
}

// As `--caption` calls it.
const char* caption_name(figures::Caption caption) {
  return caption == figures::Caption::none ? "none" : caption == figures::Caption::full ? "full" : "short";
}

}  // namespace

QStringList write_export(const ExportRequest& request) {
  figures::ExportOptions options;
  options.style =
      figures::Style::of(request.paper, request.dark ? figures::Theme::dark : figures::Theme::light);
  options.style.caption = request.caption;
  if (request.width_cm) {
    options.width = *request.width_cm * 72 / 2.54;
  }
  options.highlight = request.item.highlight;
  options.png_scale = request.dots_per_inch / 72.0;
  analysis::FigureData figure = *request.item.figure;
  if (request.title) {
    figure.title = request.title->toStdString();
  }
  figures::save_figure(figure, request.path.toStdString(), options);
  QStringList written{request.path};
  if (request.csv) {
    const QFileInfo picture(request.path);
    const QString path = picture.dir().filePath(picture.completeBaseName() + QStringLiteral(".csv"));
    const std::string text = app::figure_csv(figure, facts_of(request.item));
    QSaveFile file(path);
    if (!file.open(QIODevice::WriteOnly) ||
        file.write(text.data(), static_cast<qint64>(text.size())) != static_cast<qint64>(text.size()) ||
        !file.commit()) {
      throw StorageError("Writing " + path.toStdString() + ": " + file.errorString().toStdString() + ".");
    }
    written.push_back(path);
  }
  if (request.data) {
    const QFileInfo picture(request.path);
    const QString path = picture.dir().filePath(picture.completeBaseName() + QStringLiteral(".h5"));
    app::save_figure_data(figure, facts_of(request.item), path.toStdString());
    written.push_back(path);
  }
  return written;
}

ExportDialog::ExportDialog(std::vector<ExportItem> items, const QString& folder, QWidget* parent)
    : QDialog(parent),
      items_(std::move(items)),
      folder_(folder),
      what_(new QComboBox(this)),
      format_(new QComboBox(this)),
      paper_(new QComboBox(this)),
      width_(new NumberBox(this)),
      caption_(new QComboBox(this)),
      title_(new QLineEdit(this)),
      dots_(new QSpinBox(this)),
      path_(new QLineEdit(this)),
      command_(new QLineEdit(this)),
      csv_(new QCheckBox(tr("and the numbers behind it as CSV"), this)),
      data_(new QCheckBox(tr("and as HDF5, with words, axes and where they come from"), this)) {
  setWindowTitle(tr("Export a view"));
  fillChoices();
  auto* form = new QFormLayout(this);
  auto* width = new QHBoxLayout;
  width->addWidget(paper_, 1);
  width->addWidget(width_);
  auto* file = new QHBoxLayout;
  auto* choose = new QPushButton(tr("Choose…"), this);
  file->addWidget(path_, 1);
  file->addWidget(choose);
  path_->setMinimumWidth(420);
  const auto add = [&](const QString& text, QWidget* buddy, QLayout* row) {
    auto* label = new QLabel(text, this);
    label->setBuddy(buddy);
    form->addRow(label, row);
  };
  form->addRow(tr("&View"), what_);
  form->addRow(tr("&Format"), format_);
  form->addRow(tr("&Title"), title_);
  form->addRow(tr("C&aption"), caption_);
  add(tr("&Width"), paper_, width);
  form->addRow(tr("&Resolution"), dots_);
  add(tr("F&ile"), path_, file);
  form->addRow(QString(), csv_);
  form->addRow(QString(), data_);
  form->addRow(tr("&Command"), command_);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Save | QDialogButtonBox::Cancel, this);
  form->addRow(buttons);
  connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  connect(choose, &QPushButton::clicked, this, &ExportDialog::browse);
  connect(what_, &QComboBox::currentIndexChanged, this, &ExportDialog::takeItem);
  connect(format_, &QComboBox::currentIndexChanged, this, &ExportDialog::suggest);
  connect(paper_, &QComboBox::currentIndexChanged, this, &ExportDialog::takePaper);
  connect(path_, &QLineEdit::textChanged, this, &ExportDialog::showCommand);
  connect(title_, &QLineEdit::textChanged, this, &ExportDialog::showCommand);
  connect(width_, &QDoubleSpinBox::valueChanged, this, &ExportDialog::showCommand);
  connect(caption_, &QComboBox::currentIndexChanged, this, &ExportDialog::showCommand);
  connect(dots_, &QSpinBox::valueChanged, this, &ExportDialog::showCommand);
  connect(csv_, &QCheckBox::toggled, this, &ExportDialog::showCommand);
  connect(data_, &QCheckBox::toggled, this, &ExportDialog::showCommand);
  const std::pair<QWidget*, const char*> names[] = {
      {what_, "view"},       {format_, "format"}, {paper_, "width"},    {width_, "centimetres"},
      {caption_, "caption"}, {title_, "title"},   {dots_, "dots"},      {path_, "file"},
      {csv_, "csv"},         {data_, "data"},     {command_, "command"}};
  for (const auto& [widget, name] : names) {
    widget->setObjectName(QString::fromLatin1(name));
  }
  takePaper();
  takeItem();
}

void ExportDialog::fillChoices() {
  for (const ExportItem& item : items_) {
    what_->addItem(item.name);
  }
  format_->addItem(tr("SVG: text stays text"), QStringLiteral(".svg"));
  format_->addItem(tr("PDF: font embedded"), QStringLiteral(".pdf"));
  format_->addItem(tr("PNG: pixels"), QStringLiteral(".png"));
  const std::pair<QString, figures::Paper> papers[] = {
      {tr("page"), figures::Paper::page},           {tr("column"), figures::Paper::column},
      {tr("ACL, one column"), figures::Paper::acl}, {tr("ACL, both columns"), figures::Paper::acl_wide},
      {tr("NeurIPS"), figures::Paper::neurips},     {tr("LNCS"), figures::Paper::lncs},
      {tr("slide, 16:9"), figures::Paper::slide}};
  for (const auto& [text, paper] : papers) {
    paper_->addItem(text, static_cast<int>(paper));
  }
  width_->setRange(3, 120);
  width_->setSingleStep(0.5);
  width_->setSuffix(tr(" cm"));
  width_->setAccessibleName(tr("Width in cm"));
  caption_->addItem(tr("none"), static_cast<int>(figures::Caption::none));
  caption_->addItem(tr("short: what is drawn"), static_cast<int>(figures::Caption::brief));
  caption_->addItem(tr("full: the choices behind it too"), static_cast<int>(figures::Caption::full));
  caption_->setCurrentIndex(1);
  caption_->setToolTip(tr("The file's metadata and the numbers always have it in full"));
  title_->setPlaceholderText(tr("without a title"));
  dots_->setRange(18, 2400);
  dots_->setSingleStep(72);
  dots_->setValue(300);
  dots_->setSuffix(tr(" dots per inch"));
  dots_->setToolTip(tr("72: one pixel a point, the size of the window; 300 and more for print"));
  csv_->setChecked(true);
  command_->setReadOnly(true);
  command_->setToolTip(tr("Makes the same file, byte by byte, without this window"));
}

const ExportItem& ExportDialog::item() const {
  return items_[static_cast<std::size_t>(std::max(0, what_->currentIndex()))];
}

void ExportDialog::takePaper() {
  width_->setValue(preset_of(static_cast<figures::Paper>(paper_->currentData().toInt())).width_cm);
  showCommand();
}

void ExportDialog::takeItem() {
  title_->setText(QString::fromStdString(item().figure->title));
  suggest();
}

bool ExportDialog::asPixels() const {
  return path_->text().endsWith(QLatin1String(".png"), Qt::CaseInsensitive);
}

void ExportDialog::showCommand() {
  static_cast<QFormLayout*>(layout())->setRowVisible(dots_, asPixels());
  FigureCommand command = item().command;
  if (!command.possible()) {
    command_->setText(command.why_not);
    return;
  }
  const ExportRequest wanted = request();
  const auto add = [&command](const char* option, std::string value) {
    command.arguments.emplace_back(option);
    command.arguments.push_back(std::move(value));
  };
  if (wanted.paper != figures::Paper::page) {
    add("--preset", std::string(preset_of(wanted.paper).name));
  }
  if (wanted.width_cm) {
    add("--width", analysis::shortest(*wanted.width_cm));
  }
  if (wanted.caption != figures::Caption::brief) {
    add("--caption", caption_name(wanted.caption));
  }
  if (wanted.title) {
    add("--title", wanted.title->toStdString());
  }
  if (asPixels() && dots_->value() != 300) {
    add("--dpi", std::to_string(dots_->value()));
  }
  const QFileInfo picture(path_->text());
  const auto beside = [&picture](const char* suffix) {
    return picture.dir().filePath(picture.completeBaseName() + QLatin1String(suffix)).toStdString();
  };
  if (wanted.csv) {
    add("--csv", beside(".csv"));
  }
  if (wanted.data) {
    add("--data", beside(".h5"));
  }
  command_->setText(command.line(path_->text()));
  command_->setCursorPosition(0);
}

void ExportDialog::suggest() {
  path_->setText(QDir(folder_).filePath(item().file_name + format_->currentData().toString()));
  showCommand();
}

void ExportDialog::browse() {
  const QString path = QFileDialog::getSaveFileName(this, tr("Export a view"), path_->text(),
                                                    tr("Pictures (*.svg *.pdf *.png)"));
  if (!path.isEmpty()) {
    path_->setText(path);
  }
}

ExportRequest ExportDialog::request() const {
  ExportRequest request;
  request.item = item();
  request.path = path_->text();
  request.paper = static_cast<figures::Paper>(paper_->currentData().toInt());
  if (std::abs(width_->value() - preset_of(request.paper).width_cm) > 0.005) {
    request.width_cm = width_->value();
  }
  request.caption = static_cast<figures::Caption>(caption_->currentData().toInt());
  if (title_->text() != QString::fromStdString(request.item.figure->title)) {
    request.title = title_->text();
  }
  request.dots_per_inch = dots_->value();
  request.csv = csv_->isChecked();
  request.data = data_->isChecked();
  return request;
}

}  // namespace mog::gui
