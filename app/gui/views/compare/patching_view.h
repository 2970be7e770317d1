// Activation patching of two sentences: activations of one put into the run of the other, and what the model
// says then. The second text is the selected sentence, the first one that was held (key D), else the parent
// of a changed sentence. The numbers are those of `mog patch`.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/gui/views/common/figure_data_tasks.h"
#include "app/gui/views/common/view.h"
#include "app/workflow/effects/patch_job.h"

class QLineEdit;

namespace mog::gui {

struct ViewKind;

class FigureCanvas;

class PatchingView : public View {
  Q_OBJECT
 public:
  static const ViewKind& kind();
  explicit PatchingView(const ViewContext& context, QWidget* parent = nullptr);
  std::vector<ExportItem> exports() const override;
  FigureCanvas& picture() { return *picture_; }
  QString said() const { return what_->text(); }
  // Tokens whose logits are read; empty: what the model finds most probable behind either text.
  QLineEdit& answer() { return *answer_; }
  QLineEdit& against() { return *against_; }

 protected:
  void refresh() override;

 private:
  // What is run; two of the same texts, choices and model have the same answer.
  struct Question {
    OpenedModel loaded;
    int model = 0;
    QString folder;
    model::WordCut words = model::WordCut::automatic;
    app::PatchOptions options;
    std::vector<std::int64_t> tokens;  // ids of the second text, as they are shown
    bool same(const Question& other) const;
  };
  struct Answer {
    std::shared_ptr<const app::PatchResult> result;
    FigurePointer figure;
  };
  void build();
  void showNothing(const Empty& empty);
  std::optional<Question> question();
  void ask(const Question& question);
  void take(const Question& question, Answer answer);
  void updateHighlight();
  FigureCommand command() const;

  Choice* places_;
  Choice* direction_;
  QWidget* fields_;
  QLineEdit* answer_;
  QLineEdit* against_;
  LineLabel* what_;
  FigureCanvas* picture_;
  std::optional<Question> asked_;
  Answer shown_;
  // What the rows and columns of a panel are; one panel, but of heads in several parts.
  struct Panel {
    std::vector<std::int64_t> layers;
    std::vector<std::int64_t> heads;  // empty: columns are tokens
    Part part = Part::none;           // of the heads
  };
  const Panel* panelOf(const figures::Hit& hit) const;
  std::vector<Panel> panels_;
  std::optional<figures::Hit> hit_;
};

}  // namespace mog::gui
