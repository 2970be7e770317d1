// Two sentences beside each other with their difference: a changed sentence and what it was before, one
// sentence of two models or recordings, two sentences. The second is the selected one; the first is the one
// that was held (key D), else the parent of a changed sentence. Where they lie in two recordings of the same
// sentences, the recordings as a whole can be compared, too.
#pragma once

#include <optional>
#include <vector>

#include "analysis/figure_data/difference_figures.h"
#include "app/gui/views/common/figure_data_tasks.h"
#include "app/gui/views/common/view.h"

namespace mog::gui {

struct ViewKind;

class CorpusComparison;
class FigureCanvas;
struct ComparedSide;

class CompareView : public View {
  Q_OBJECT
 public:
  static const ViewKind& kind();
  explicit CompareView(const ViewContext& context, QWidget* parent = nullptr);
  std::vector<ExportItem> exports() const override;
  // What is said beside the choices.
  QString what() const { return what_->text(); }
  // Holds the selected sentence as the first one; once more: lets go of it.
  void hold();
  const std::optional<SentenceRef>& held() const { return selection().held(); }
  FigureCanvas& picture() { return *picture_; }

 protected:
  void refresh() override;

 private:
  std::optional<ComparedSide> side(SentenceRef sentence) const;
  std::optional<ComparedSide> first() const;
  void build();
  void connectPicture();
  std::optional<std::int64_t> tokenOf(const figures::Hit& hit) const;
  void showEmpty();
  static QString unchangedText(std::int64_t layer, const app::FigureRequest& shown);
  QString nameOfShown() const;
  void updateHighlight();
  bool showsCorpora() const;
  void refreshCorpora(const ComparedSide& first, const ComparedSide& second);
  bool canFollow(const ComparedSide& held) const;
  void showMissing(int item);
  Choice* what_choice_;
  QToolButton* together_;
  CorpusComparison* corpora_;
  LineLabel* what_;
  FigureCanvas* picture_;
  app::FigureRequest made_by_;
  SentenceRef made_of_;  // the first sentence of the figure
  bool named_ = false;   // before and after a change
  TokenGroups rows_;     // of the second panel
  std::optional<figures::Hit> hit_;
};

}  // namespace mog::gui
