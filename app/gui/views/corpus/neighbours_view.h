// The words of a recording whose states are nearest to that of the selected one, in their sentences; a click
// on one chooses its sentence, and the list stays.
#pragma once

#include <memory>
#include <optional>

#include "app/gui/views/common/figure_data_tasks.h"
#include "app/gui/views/common/view.h"
#include "app/workflow/neighbours/neighbours_job.h"

class QCheckBox;

namespace mog::gui {

struct ViewKind;

class FigureCanvas;

class NeighboursView : public View {
  Q_OBJECT
 public:
  static const ViewKind& kind();
  explicit NeighboursView(const ViewContext& context, QWidget* parent = nullptr);
  std::vector<ExportItem> exports() const override;

  FigureCanvas& picture() { return *picture_; }
  QCheckBox& center() { return *center_; }
  QCheckBox& otherWords() { return *other_words_; }
  const app::Neighbours* shown() const { return shown_.get(); }

 protected:
  void refresh() override;

 private:
  struct Question {
    std::int64_t sentence = 0;  // its number
    std::int64_t word = 0;      // from 1
    std::int64_t layer = 0;
    bool center = false;
    bool other_words = false;
    friend bool operator==(const Question&, const Question&) = default;
  };
  struct Answer {
    std::shared_ptr<const app::Neighbours> neighbours;
    MadeFigure made;
  };
  static Answer find(const RecordingSource& source, const app::NeighboursOptions& options);  // by the job
  void build();
  void take(Answer answer, const Question& question);
  void showNothing(const Empty& empty);
  void go(std::int64_t row);

  QCheckBox* center_;
  QCheckBox* other_words_;
  LineLabel* what_;
  FigureCanvas* picture_;
  std::shared_ptr<const app::Neighbours> shown_;
  MadeFigure made_;
  // What is shown answers it, of that recording.
  Question answered_;
  std::weak_ptr<const RecordingSource> of_;
  // Where a click led: the list is not that of the word that it chose.
  std::optional<std::pair<std::int64_t, std::int64_t>> went_;  // index of the sentence, token
};

}  // namespace mog::gui
