// Writing a picture of a view into a file: which one, as what, how wide, with which title and caption, with
// its numbers or without; the choices of `mog figure`.
#pragma once

#include <QDialog>
#include <QString>
#include <optional>
#include <vector>

#include "app/gui/views/common/view.h"

class QCheckBox;
class QComboBox;
class QDoubleSpinBox;
class QLineEdit;
class QSpinBox;

namespace mog::gui {

struct ExportRequest {
  ExportItem item;
  QString path;  // .svg, .pdf or .png
  figures::Paper paper = figures::Paper::page;
  std::optional<double> width_cm;  // in the place of the paper's; the height follows
  figures::Caption caption = figures::Caption::brief;
  std::optional<QString> title;  // in the place of the figure's own; empty: none
  int dots_per_inch = 300;       // of a PNG; 72 is one pixel a point
  bool csv = true;               // the numbers, beside the picture: same name, .csv
  bool data = false;             // the numbers as HDF5: same name, .h5
  bool dark = false;
};

// Writes the files and returns their names. Throws UsageError, StorageError.
QStringList write_export(const ExportRequest& request);

class ExportDialog : public QDialog {
  Q_OBJECT
 public:
  // `items` is not empty; the first one is offered. `folder` is where files go by default.
  ExportDialog(std::vector<ExportItem> items, const QString& folder, QWidget* parent = nullptr);
  ExportRequest request() const;

 private:
  void fillChoices();
  void takePaper();
  void takeItem();
  void suggest();
  void showCommand();
  const ExportItem& item() const;
  bool asPixels() const;
  void browse();
  std::vector<ExportItem> items_;
  QString folder_;
  QComboBox* what_;
  QComboBox* format_;
  QComboBox* paper_;
  QDoubleSpinBox* width_;
  QComboBox* caption_;
  QLineEdit* title_;
  QSpinBox* dots_;
  QLineEdit* path_;
  QLineEdit* command_;
  QCheckBox* csv_;
  QCheckBox* data_;
};

}  // namespace mog::gui
