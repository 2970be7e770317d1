// Find or run: one line, and below it everything of the window whose name has what is typed.
#pragma once

#include <QDialog>
#include <QStringList>
#include <functional>
#include <vector>

#include "app/gui/window/palette_match.h"

class QLabel;
class QLineEdit;
class QListView;

namespace mog::gui {

class PaletteModel;

class CommandPalette : public QDialog {
  Q_OBJECT
 public:
  static constexpr int kWidth = 640;
  static constexpr int kRows = 12;  // in sight

  explicit CommandPalette(QWidget* parent = nullptr);
  // Asked every time the palette opens, in this order.
  using Provider = std::function<std::vector<PaletteEntry>()>;
  void addProvider(Provider provider);
  // More, while it is open: what a job has read.
  void append(std::vector<PaletteRow> rows);
  // PaletteEntry::name of what was used, the last first.
  void setRecent(const QStringList& names);
  const QStringList& recent() const { return recent_; }
  // Under the top bar of a window: below `top`, in the middle.
  void openOver(const QWidget& window, int top);

  QLineEdit& line() { return *line_; }
  QListView& list() { return *list_; }
  PaletteModel& rows() { return *model_; }

 Q_SIGNALS:
  void opened();  // ask jobs for more
  void recentChanged(const QStringList& names);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;

 private:
  void match();
  void fitHeight();
  void choose(int row);
  void run(int row);
  std::vector<Provider> providers_;
  std::vector<PaletteRow> all_;
  QStringList recent_;
  QLineEdit* line_;
  QListView* list_;
  QLabel* nothing_;
  PaletteModel* model_;
};

}  // namespace mog::gui
