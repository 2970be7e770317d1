// The other figures of `mog figure`, of what is selected: orders of the attention grammar over a recording
// (expected order, bands, joins, distributions), recorded quantities by layer and as maps, decompositions,
// forests and expected joins of a sentence. What a kind needs of a recording decides whether it is offered.
#pragma once

#include <map>
#include <memory>
#include <optional>

#include "app/gui/views/common/figure_data_tasks.h"
#include "app/gui/views/common/view.h"

class QComboBox;

namespace mog::gui {

struct ViewKind;

class FigureCanvas;
class ThresholdBox;

class FurtherFiguresView : public View {
  Q_OBJECT
 public:
  static const ViewKind& kind();
  explicit FurtherFiguresView(const ViewContext& context, QWidget* parent = nullptr);
  std::vector<ExportItem> exports() const override;
  void setKind(const QString& kind);
  void setQuantity(const QString& quantity);
  // The threshold of arcs, where the figure has one; false: it has none.
  bool focusThreshold();
  QStringList kinds() const;
  QStringList quantities() const;
  FigureCanvas& picture() { return *picture_; }

 protected:
  void refresh() override;

 private:
  void fillKinds(const RecordingHeader& header, bool on_disk);
  void fillQuantities(const RecordingHeader& header, const QString& kind);
  app::FigureRequest request() const;
  void readOfSentence(std::shared_ptr<const RecordingSource> recording, app::FigureRequest wanted);
  void count(const WorkspaceItem& item, app::FigureRequest wanted);
  struct GaveUp {
    QString key;
    QString title;
    QString hint;
  };
  void giveUp(const GaveUp& why);
  void countAgain();
  void forget();
  void updateHighlight();
  QComboBox* kind_;
  QComboBox* quantity_;
  ThresholdBox* threshold_;
  LineLabel* what_;
  FigureCanvas* picture_;
  MadeFigure made_;
  TokenGroups words_;  // of rows, or of words, of a figure of a sentence
  bool of_words_ = false;
  std::optional<figures::Hit> hit_;
  // Figures of the whole recording by their keys; counting them may take long.
  std::weak_ptr<const RecordingSource> counted_;
  std::map<QString, MadeFigure> known_;
  QString shown_key_;  // of the one that is shown; empty: it is of a sentence
  int job_ = 0;        // that counts
  QString counting_;   // what it counts
  std::optional<GaveUp> gave_up_;
};

}  // namespace mog::gui
