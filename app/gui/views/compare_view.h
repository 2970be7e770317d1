// Two sentences beside each other with their difference: a changed sentence and what it was before, one
// sentence of two models or recordings, two sentences. The second is the selected one; the first is the one
// that was held (key D), else the parent of a changed sentence. Where they lie in two recordings of the same
// sentences, the recordings as a whole can be compared, too.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/figure_data/difference_figures.h"
#include "app/gui/views/figure_data_tasks.h"
#include "app/gui/views/view.h"
#include "io/recording/recording_label.h"

namespace mog::gui {

struct ViewKind;

class FigureCanvas;

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
  struct Side {
    SentenceRef place;
    std::shared_ptr<const RecordingSource> source;
    QString name;
  };
  // Two recordings as a whole: what was asked last, and its answer.
  struct Corpora {
    SentenceRef first;  // any of the recording
    SentenceRef second;
    std::weak_ptr<const RecordingSource> first_source;
    std::weak_ptr<const RecordingSource> second_source;
    analysis::Measure measure{};
    QString pairs = {};  // setting::kComparePairs
    FigurePointer figure = {};
    QStringList notes = {};
    QString why_not = {};  // with neither it is being counted
    QString hint = {};
  };
  std::optional<Side> side(SentenceRef sentence) const;
  std::optional<Side> first() const;
  // What figures call the two recordings, as on the command line; nothing where one is no recording.
  std::vector<RecordingLabel> labelsOf(const Side& first, const Side& second) const;
  void build();
  void connectPicture();
  std::optional<std::int64_t> tokenOf(const figures::Hit& hit) const;
  void showEmpty();
  static QString unchangedText(std::int64_t layer, const app::FigureRequest& shown);
  QString nameOfShown() const;
  void updateHighlight();
  bool showsCorpora() const;
  void refreshCorpora(const Side& first, const Side& second);
  // None: they have none in common.
  std::optional<analysis::Measure> chooseMeasure(const RecordingHeader& first, const RecordingHeader& second);
  void countCorpora(const Side& first, const Side& second, analysis::Measure measure);
  void showCorpora();
  void noCorpora(const QString& title, const QString& hint);
  void chooseLayer(const figures::Hit& hit);
  std::vector<ExportItem> corporaExports() const;
  Choice* what_choice_;
  Combo* measure_;
  Combo* pairs_;
  LineLabel* what_;
  FigureCanvas* picture_;
  app::FigureRequest made_by_;
  SentenceRef made_of_;  // the first sentence of the figure
  bool named_ = false;   // before and after a change
  TokenGroups rows_;     // of the second panel
  std::optional<figures::Hit> hit_;
  std::vector<analysis::Measure> measures_;
  Corpora corpora_;
  int corpora_job_ = 0;
};

}  // namespace mog::gui
