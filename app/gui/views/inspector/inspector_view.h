// What is selected, in words and numbers: a join, a cell of a map, a word, or the sentence; and what would be
// if it were changed. Where two runs of one text stand beside each other, what differs most comes first.
#pragma once

#include <memory>
#include <optional>

#include "app/gui/views/common/view.h"
#include "app/gui/views/inspector/inspector_facts.h"

class QScrollArea;

namespace mog::gui {

struct InspectorHead;
struct ViewKind;

class InspectorPage;
class TryIt;

class InspectorView : public View {
  Q_OBJECT
 public:
  static const ViewKind& kind();
  explicit InspectorView(const ViewContext& context, QWidget* parent = nullptr);
  std::vector<ExportItem> exports() const override { return {}; }
  Subject subject() const { return question_.subject; }
  InspectorPage& page() { return *page_; }
  TryIt& tryIt();
  QSize sizeHint() const override { return {360, 720}; }

 Q_SIGNALS:
  // Another view is wanted, by its name: "compare".
  void asked(const QString& view);

 protected:
  void refresh() override;

 private:
  void follow();
  void connectPage();
  Subject wanted() const;
  InspectorQuestion ask(std::shared_ptr<const RecordingSource> recording) const;
  std::optional<ComparedRuns> compared() const;
  void showFacts(const InspectorQuestion& question, InspectorFacts facts);
  void askGraph();
  InspectorHead headOf(const InspectorQuestion& question, const InspectorFacts& facts) const;
  InspectorHead headOfJoin(const InspectorQuestion& question, const InspectorFacts& facts) const;
  InspectorHead headOfCell(const InspectorQuestion& question, const InspectorFacts& facts) const;
  InspectorHead headOfWord(const InspectorQuestion& question, const InspectorFacts& facts) const;
  InspectorHead headOfSentence(const InspectorQuestion& question, const InspectorFacts& facts) const;
  void setTarget(const InspectorQuestion& question, const InspectorFacts& facts);
  void fold(int section, bool folded);
  void showFolds();
  void goToJoin(int number);

  QScrollArea* scroll_;
  InspectorPage* page_;
  InspectorQuestion question_;
  InspectorFacts facts_;
  BestGraph graph_;
  // What the graph is of.
  struct GraphPlace {
    const RecordingSource* source = nullptr;  // kept by graphs_of_
    std::int64_t index = -1;
    std::int64_t token = -1;
    std::int64_t layer = 0;
    friend bool operator==(const GraphPlace&, const GraphPlace&) = default;
  };
  static GraphPlace placeOf(const InspectorQuestion& question);
  GraphPlace graph_of_;
  // The graphs of the sentence that was asked last.
  std::shared_ptr<SentenceGraphs> graphs_;
  std::shared_ptr<const RecordingSource> graphs_of_;
  std::int64_t graphs_index_ = -1;
  // What a run gave for terms last: head, word and key may change.
  struct Computed {
    std::weak_ptr<const RecordingSource> of;
    std::int64_t index = -1;
    QString quantity;
    std::shared_ptr<const RecordingSource> values;
  };
  Computed computed_;
  bool cell_after_join_ = false;  // the cell was chosen later
};

}  // namespace mog::gui
