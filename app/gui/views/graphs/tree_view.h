// The multi-order graphs of a word: a strip of the best ones, the chosen one as a tree, words by layers, or
// as arcs above the sentence. The word is the selected token's, the layer the selected layer; without a token
// the whole sentence (TOP).
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "app/gui/views/common/figure_data_tasks.h"
#include "app/gui/views/common/view.h"
#include "app/gui/views/graphs/word_leaders.h"

class QSlider;

namespace mog::gui {

struct ViewKind;

class FigureCanvas;
class FilmStrip;
class GoldLine;
class GraphStrip;
class JoinChoice;
class KBestModel;

class TreeView : public View {
  Q_OBJECT
 public:
  static const ViewKind& kind();
  explicit TreeView(const ViewContext& context, QWidget* parent = nullptr);
  std::vector<ExportItem> exports() const override;
  enum class Show : std::uint8_t { tree, arcs };
  void setShow(Show show);
  // The columns of a tree: words of the graph, or all of the sentence.
  enum class Words : std::uint8_t { its, all };
  void setWords(Words words);
  // The list: the k best, or the best for each number of leaves (products favour small graphs).
  enum class Listed : std::uint8_t { by_weight, by_leaves };
  void setListed(Listed listed);
  Show show() const;
  Listed listed() const;
  Words words() const;
  FigureCanvas& picture() { return *picture_; }
  GoldLine& goldLine() { return *gold_line_; }
  KBestModel& list() { return *model_; }
  FilmStrip& filmstrip();
  JoinChoice& joins() { return *joins_; }
  // That of the graph in front, into the clipboard.
  void copyExpression();
  // Where the words of the sentence stand above the view.
  void setFeet(WordFeet feet);
  void feetMoved();

 Q_SIGNALS:
  // The words of the graph in front, a token each.
  void graphShown(const std::vector<std::int64_t>& tokens);

 protected:
  void refresh() override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void build();
  void fitTools();
  void follow();
  void showState(const QString& setting);
  void take(std::shared_ptr<SentenceGraphs> from, SentenceGraphs::Answer answer);
  void draw();
  void showEmpty(const Empty& empty);
  void updateHighlight();
  int currentRow() const;
  SentenceGraphs::Look look() const;
  void tellWords();
  std::int64_t tokenOf(const figures::Hit& hit) const;
  std::vector<figures::Leader> leaders() const;
  void onClicked(const figures::Hit& hit);

  Choice* show_choice_;
  Choice* words_choice_;
  QWidget* flow_;  // the slider and its name
  QSlider* flow_slider_;
  GraphStrip* strip_;
  FigureCanvas* picture_;
  JoinChoice* joins_;
  GoldLine* gold_line_;
  KBestModel* model_;
  SentenceGraphs::Answer answer_;
  app::FigureRequest made_by_;
  std::shared_ptr<SentenceGraphs> search_;  // of the selected sentence
  std::shared_ptr<SentenceGraphs>
      found_by_;  // what answer_, list and picture are from; the sentence before for a while
  std::optional<std::pair<const RecordingSource*, std::int64_t>> search_of_;
  std::optional<figures::Hit> hit_;
  WordFeet feet_;
};

}  // namespace mog::gui
