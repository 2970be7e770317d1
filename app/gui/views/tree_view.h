// The multi-order graphs of a word: the k best expressions as a list, the chosen one as a binary tree or as
// arcs above the sentence. The word is the selected token's, the layer the selected layer; without a token
// the whole sentence (TOP).
#pragma once

#include <memory>
#include <optional>

#include "app/gui/views/figure_data_tasks.h"
#include "app/gui/views/view.h"

class QSplitter;
class QTableView;

namespace mog::gui {

struct ViewKind;

class ColumnNames;
class FigureCanvas;
class GoldLine;
class KBestModel;

class TreeView : public View {
  Q_OBJECT
 public:
  static const ViewKind& kind();
  explicit TreeView(const ViewContext& context, QWidget* parent = nullptr);
  std::vector<ExportItem> exports() const override;
  enum class Show : std::uint8_t { tree, arcs };
  void setShow(Show show);
  // The list: the k best, or the best for each number of leaves (products favour small graphs).
  enum class Listed : std::uint8_t { by_weight, by_leaves };
  void setListed(Listed listed);
  Show show() const;
  Listed listed() const;
  FigureCanvas& picture() { return *picture_; }
  GoldLine& goldLine() { return *gold_line_; }
  KBestModel& list() { return *model_; }
  QTableView& table() { return *table_; }

 protected:
  void refresh() override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void fitColumns();
  void build();
  void showState(const QString& setting);
  void take(std::shared_ptr<SentenceGraphs> from, SentenceGraphs::Answer answer);
  void draw();
  void showEmpty(const QString& title, const QString& hint);
  void updateHighlight();
  int currentRow() const;
  int rowToShow() const;

  Choice* list_choice_;
  Choice* show_choice_;
  LineLabel* owner_;
  QSplitter* splitter_;
  QTableView* table_;
  ColumnNames* names_;  // of the table
  FigureCanvas* picture_;
  GoldLine* gold_line_;
  KBestModel* model_;
  SentenceGraphs::Answer answer_;
  app::FigureRequest made_by_;
  std::shared_ptr<SentenceGraphs> search_;  // of the selected sentence
  std::shared_ptr<SentenceGraphs>
      found_by_;  // what answer_, list and picture are from; the sentence before for a while
  std::optional<std::pair<const RecordingSource*, std::int64_t>> search_of_;
  std::optional<figures::Hit> hit_;
};

}  // namespace mog::gui
