// What one attention score, one word's values and one word's state are made of: bars of the recorded exact
// decompositions (docs/quantities.md) for the selected word, its key, the layer and the head. Where a
// recording lacks the numbers, the view says which `mog record` line brings them.
#pragma once

#include "app/gui/views/common/decomposition_run.h"
#include "app/gui/views/common/figure_data_tasks.h"
#include "app/gui/views/common/view.h"

namespace mog::gui {

struct ViewKind;

class FigureCanvas;

class DecompositionView : public View {
  Q_OBJECT
 public:
  static const ViewKind& kind();
  explicit DecompositionView(const ViewContext& context, QWidget* parent = nullptr);
  std::vector<ExportItem> exports() const override;

  enum class Show : std::uint8_t { score, weight, values, state, sources };
  void setShow(Show show);
  Show show() const;
  FigureCanvas& picture() { return *picture_; }
  QString hint() const { return hint_; }

 protected:
  void refresh() override;

 private:
  void showEmpty(const Empty& empty);
  QString missing(const RecordingHeader& header, const QString& quantity) const;
  // Numbers that the recording lacks come from its model, where that is open and has them: `run`.
  void ask(std::shared_ptr<const RecordingSource> recording, const QString& quantity,
           const std::optional<DecompositionRun>& run);
  void chosen(const figures::Hit& hit);
  QString placeText(const app::FigureRequest& made_by) const;

  Choice* show_choice_;
  LineLabel* what_;
  FigureCanvas* picture_;
  MadeFigure made_;
  QString hint_;
  // What a run of the model gave last, and of what.
  struct Computed {
    std::weak_ptr<const RecordingSource> of;
    std::int64_t index = -1;
    QString quantity;
    std::shared_ptr<const RecordingSource> values;
  };
  Computed computed_;
  bool from_run_ = false;  // what is shown came from a run
};

}  // namespace mog::gui
