// Logit lens of the selected sentence: what the model would say next if a layer were its last one, layer ×
// token. Of a recording that does not hold it, and of a typed sentence, it is computed when it is looked at.
#pragma once

#include <optional>

#include "app/gui/views/common/decomposition_run.h"
#include "app/gui/views/common/figure_data_tasks.h"
#include "app/gui/views/common/view.h"

namespace mog::gui {

struct ViewKind;

class FigureCanvas;

class LensView : public View {
  Q_OBJECT
 public:
  static const ViewKind& kind();
  explicit LensView(const ViewContext& context, QWidget* parent = nullptr);
  std::vector<ExportItem> exports() const override;
  enum class Colour : std::uint8_t { probability, entropy, surprisal };
  void setColour(Colour colour);
  Colour colour() const;
  FigureCanvas& picture() { return *picture_; }
  QString said() const { return what_->text(); }

 protected:
  void refresh() override;

 private:
  void follow();
  void showEmpty(const Empty& empty);
  // What the picture is made of, and how it is asked for; nullopt: nothing can be shown, and it says why.
  struct Question {
    std::shared_ptr<const RecordingSource> recording;
    std::int64_t index = 0;
    std::optional<DecompositionRun> run;  // where the recording does not hold it
    app::FigureRequest request;           // of `mog figure`, inputs included where it runs a text
  };
  std::optional<Question> question(const std::shared_ptr<const RecordingSource>& recording);
  void ask(const Question& question);
  void updateHighlight();
  std::optional<std::int64_t> tokenOf(const figures::Hit& hit) const;

  // The last run: colours change more often than sentences.
  struct Computed {
    std::weak_ptr<const RecordingSource> of;
    std::int64_t index = -1;
    std::shared_ptr<const RecordingSource> values;
  };

  Choice* colour_choice_;
  LineLabel* what_;
  FigureCanvas* picture_;
  MadeFigure made_;
  bool changed_inside_ = false;  // the sentence was run with something changed inside the model
  Computed computed_;
  TokenGroups tokens_;                // of each column
  std::vector<std::int64_t> layers_;  // of each row
  std::optional<figures::Hit> hit_;
};

}  // namespace mog::gui
