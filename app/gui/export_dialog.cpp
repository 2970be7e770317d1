#include "app/gui/export_dialog.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSaveFile>
#include <QSpinBox>
#include <utility>

#include "app/figures/export.h"
#include "io/recording/errors.h"

namespace mog::gui {

QStringList write_export(const ExportRequest& request) {
  figures::ExportOptions options;
  options.style =
      figures::Style::of(request.paper, request.dark ? figures::Theme::dark : figures::Theme::light);
  options.highlight = request.item.highlight;
  options.png_scale = request.dots_per_inch / 72.0;
  figures::save_figure(*request.item.figure, request.path.toStdString(), options);
  QStringList written{request.path};
  if (request.csv) {
    const QFileInfo picture(request.path);
    const QString path = picture.dir().filePath(picture.completeBaseName() + QStringLiteral(".csv"));
    const std::string text = request.item.figure->to_csv();
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
    const auto& facts = request.item.command.facts;
    app::save_figure_data(*request.item.figure, facts ? facts() : app::FigureFacts(), path.toStdString());
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
      dots_(new QSpinBox(this)),
      path_(new QLineEdit(this)),
      command_(new QLineEdit(this)),
      csv_(new QCheckBox(tr("and the numbers behind it as CSV"), this)),
      data_(new QCheckBox(tr("and as HDF5, with words, axes and where they come from"), this)) {
  setWindowTitle(tr("Export a view"));
  auto* form = new QFormLayout(this);
  for (const ExportItem& item : items_) {
    what_->addItem(item.name);
  }
  format_->addItem(tr("SVG: text stays text"), QStringLiteral(".svg"));
  format_->addItem(tr("PDF: font embedded"), QStringLiteral(".pdf"));
  format_->addItem(tr("PNG: pixels"), QStringLiteral(".png"));
  paper_->addItem(tr("page, 17.5 cm"), static_cast<int>(figures::Paper::page));
  paper_->addItem(tr("column, 8.5 cm"), static_cast<int>(figures::Paper::column));
  paper_->addItem(tr("slide, 16:9"), static_cast<int>(figures::Paper::slide));
  dots_->setRange(18, 2400);
  dots_->setSingleStep(72);
  dots_->setValue(300);
  dots_->setSuffix(tr(" dots per inch"));
  dots_->setToolTip(tr("72: one pixel a point, the size of the window; 300 and more for print"));
  csv_->setChecked(true);
  auto* file = new QHBoxLayout;
  auto* choose = new QPushButton(tr("Choose…"), this);
  file->addWidget(path_, 1);
  file->addWidget(choose);
  path_->setMinimumWidth(420);
  form->addRow(tr("&View"), what_);
  form->addRow(tr("&Format"), format_);
  form->addRow(tr("&Width"), paper_);
  form->addRow(tr("&Resolution"), dots_);
  auto* file_label = new QLabel(tr("F&ile"), this);
  file_label->setBuddy(path_);
  form->addRow(file_label, file);
  form->addRow(QString(), csv_);
  form->addRow(QString(), data_);
  command_->setReadOnly(true);
  command_->setToolTip(tr("Makes the same file, byte by byte, without this window"));
  form->addRow(tr("&Command"), command_);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Save | QDialogButtonBox::Cancel, this);
  form->addRow(buttons);
  connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  connect(choose, &QPushButton::clicked, this, &ExportDialog::browse);
  connect(what_, &QComboBox::currentIndexChanged, this, &ExportDialog::suggest);
  connect(format_, &QComboBox::currentIndexChanged, this, &ExportDialog::suggest);
  connect(path_, &QLineEdit::textChanged, this, &ExportDialog::showCommand);
  connect(paper_, &QComboBox::currentIndexChanged, this, &ExportDialog::showCommand);
  connect(dots_, &QSpinBox::valueChanged, this, &ExportDialog::showCommand);
  connect(data_, &QCheckBox::toggled, this, &ExportDialog::showCommand);
  const std::pair<QWidget*, const char*> names[] = {{what_, "view"}, {format_, "format"},  {paper_, "width"},
                                                    {dots_, "dots"}, {path_, "file"},      {csv_, "csv"},
                                                    {data_, "data"}, {command_, "command"}};
  for (const auto& [widget, name] : names) {
    widget->setObjectName(QString::fromLatin1(name));
  }
  suggest();
}

bool ExportDialog::asPixels() const {
  return path_->text().endsWith(QLatin1String(".png"), Qt::CaseInsensitive);
}

void ExportDialog::showCommand() {
  static_cast<QFormLayout*>(layout())->setRowVisible(dots_, asPixels());
  FigureCommand command = items_[static_cast<std::size_t>(std::max(0, what_->currentIndex()))].command;
  if (!command.possible()) {
    command_->setText(command.why_not);
    return;
  }
  const auto paper = static_cast<figures::Paper>(paper_->currentData().toInt());
  if (paper != figures::Paper::page) {
    command.arguments.insert(command.arguments.end(),
                             {"--preset", paper == figures::Paper::column ? "column" : "slide"});
  }
  if (asPixels() && dots_->value() != 300) {
    command.arguments.insert(command.arguments.end(), {"--dpi", std::to_string(dots_->value())});
  }
  if (data_->isChecked()) {
    const QFileInfo picture(path_->text());
    command.arguments.insert(
        command.arguments.end(),
        {"--data", picture.dir().filePath(picture.completeBaseName() + QStringLiteral(".h5")).toStdString()});
  }
  command_->setText(command.line(path_->text()));
  command_->setCursorPosition(0);
}

void ExportDialog::suggest() {
  const ExportItem& item = items_[static_cast<std::size_t>(std::max(0, what_->currentIndex()))];
  path_->setText(QDir(folder_).filePath(item.file_name + format_->currentData().toString()));
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
  request.item = items_[static_cast<std::size_t>(std::max(0, what_->currentIndex()))];
  request.path = path_->text();
  request.paper = static_cast<figures::Paper>(paper_->currentData().toInt());
  request.dots_per_inch = dots_->value();
  request.csv = csv_->isChecked();
  request.data = data_->isChecked();
  return request;
}

}  // namespace mog::gui
