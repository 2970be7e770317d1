// Weight by layer and sentence length over a whole recording, with bands and counts; a click on a length
// bin chooses its sentences.
#pragma once

#include <map>
#include <memory>
#include <optional>

#include "analysis/figure_data/builders.h"
#include "analysis/statistics/weight_by_length.h"
#include "app/gui/views/common/figure_data_tasks.h"
#include "app/gui/views/common/view.h"

class QComboBox;

namespace mog::gui {

struct ViewKind;

class FigureCanvas;

class WeightView : public View {
  Q_OBJECT
 public:
  static const ViewKind& kind();
  explicit WeightView(const ViewContext& context, QWidget* parent = nullptr);
  std::vector<ExportItem> exports() const override;
  // What is said beside the choices.
  QString what() const { return what_->text(); }
  void setShow(analysis::WeightPlot show);
  analysis::WeightPlot show() const;
  FigureCanvas& picture() { return *picture_; }

 protected:
  void refresh() override;

 private:
  using Statistics = std::shared_ptr<const analysis::LengthStatistics>;
  void build();
  void showState(const QString& setting);
  analysis::Measure measure() const;
  QString missing(const RecordingHeader& header) const;
  void rebuildMeasures(const RecordingHeader& header);
  void count(std::shared_ptr<const RecordingSource> recording, analysis::Measure measure);
  void sayCounted();
  void draw(const Statistics& statistics);
  void showCounting();
  struct GaveUp {
    analysis::Measure measure{};
    QString title;
    QString hint;
  };
  void giveUp(const GaveUp& why);
  void forget();
  // The length bin that a hit of the picture belongs to.
  std::optional<std::int64_t> binOf(const figures::Hit& hit) const;

  QComboBox* measure_;
  Choice* show_choice_;
  LineLabel* what_;
  FigureCanvas* picture_;
  std::vector<analysis::Measure> measures_;
  std::weak_ptr<const RecordingSource> counted_;
  std::map<analysis::Measure, Statistics> known_;  // of counted_
  int job_ = 0;                                    // that counts
  analysis::Measure counting_{};                   // what it counts
  std::optional<GaveUp> gave_up_;
  Statistics shown_;
};

// How it is called in a choice.
QString measure_text(analysis::Measure measure);

}  // namespace mog::gui
