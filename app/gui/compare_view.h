// Two sentences beside each other with their difference: a changed sentence and what it was before, one
// sentence of two models or recordings, two sentences. The second is the selected one; the first is the one
// that was held (key D), else the parent of a changed sentence.
#pragma once

#include <optional>

#include "analysis/figure_data/difference_figures.h"
#include "app/gui/figure_data_tasks.h"
#include "app/gui/view.h"

namespace mog::gui {

class FigureView;

class CompareView : public View {
  Q_OBJECT
 public:
  explicit CompareView(const ViewContext& context, QWidget* parent = nullptr);
  std::vector<ExportItem> exports() const override;
  // Holds the selected sentence as the first one; once more: lets go of it.
  void hold();
  const std::optional<SentenceRef>& held() const { return held_; }
  FigureView& picture() { return *picture_; }

 protected:
  void refresh() override;

 private:
  struct Side {
    SentenceRef place;
    std::shared_ptr<const RecordingSource> source;
    QString name;
  };
  std::optional<Side> side(SentenceRef sentence) const;
  std::optional<Side> first() const;
  void showEmpty();
  void updateHighlight();
  Choice* what_choice_;
  LineLabel* what_;
  FigureView* picture_;
  std::optional<SentenceRef> held_;
  app::FigureOptions made_by_;
  SentenceRef made_of_;  // the first sentence of the figure
  bool named_ = false;   // before and after a change
  TokenGroups rows_;     // of the second panel
  std::optional<figures::Hit> hit_;
};

}  // namespace mog::gui
