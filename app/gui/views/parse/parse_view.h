// The tree that a parser builds of a sentence, as arcs over its words, and beside it every arc that it might
// have: heads by dependents. A click on a cell sets its arc, or takes out one that is there, and the sentence
// is parsed again. Rounds of refinement are walked through, and of a transition parser its states.
#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "app/gui/views/common/view.h"
#include "app/gui/views/parse/parse_run.h"
#include "app/gui/views/parse/set_arcs.h"

class QAction;
class QMenu;
class QSplitter;
class QToolButton;

namespace mog::gui {

struct ViewKind;

class ArcChips;
class FigureCanvas;
class StepBar;

class ParseView : public View {
  Q_OBJECT
 public:
  static const ViewKind& kind();
  explicit ParseView(const ViewContext& context, QWidget* parent = nullptr);
  std::vector<ExportItem> exports() const override;

  FigureCanvas& arcs() { return *arcs_; }
  FigureCanvas& matrix() { return *matrix_; }
  StepBar& steps() { return *steps_; }
  ArcChips& chips() { return *chips_; }
  QToolButton& projective() { return *projective_; }
  // What is shown; nullptr: nothing is.
  const std::shared_ptr<const ShownParse>& shown() const { return shown_; }
  // The stack and the buffer, in words; of a transition parser.
  QString stateText() const;
  // Of the sentence that is shown.
  app::TreeConstraints constraints() const;
  // Words count in the sentence that is shown: nothing happens while another one is parsed.
  void setArc(const app::TreeArc& arc, ArcSetting set);
  // The arc that a place of a picture is; nullopt: it is none that can be set.
  std::optional<app::TreeArc> arcAt(const FigureCanvas& picture, const figures::Hit& hit) const;

 protected:
  void refresh() override;

 private:
  void build();
  void connectParts();
  const WorkspaceModel* parser(const WorkspaceItem& item) const;
  Empty noParser();
  void parse(const WorkspaceModel& by, const WorkspaceItem& item);
  void take(std::shared_ptr<const ShownParse> shown);
  void answered(ParseAnswer answer);
  void refused(const QString& message);
  bool lastStepIsOfParses() const;
  void showStep();
  void sayStep();
  QString roundText(std::int64_t round) const;
  QString transitionText(std::int64_t state) const;
  void showEmpty(const Empty& empty);
  void setParts(bool shown);
  void toggle(const app::TreeArc& arc, Qt::KeyboardModifiers modifiers);
  bool inTree(const app::TreeArc& arc) const;
  void point(const FigureCanvas& picture, const std::optional<figures::Hit>& hit);
  void light();
  QString readoutOf(const app::TreeArc& arc) const;
  QString wordOf(std::int32_t vertex) const;
  std::optional<std::int64_t> pinnedWord() const;
  std::pair<QString, bool> settings() const;  // arcs, no crossing ones
  void choose(const FigureCanvas& picture, const figures::Hit& hit, Qt::KeyboardModifiers modifiers);
  FigureCommand command(app::ParsePicture picture) const;
  QString text() const;  // of the sentence that is asked for

  StepBar* steps_;
  QToolButton* projective_;
  LineLabel* by_;
  ArcChips* chips_;
  LineLabel* state_;
  QSplitter* splitter_;
  FigureCanvas* arcs_;
  FigureCanvas* matrix_;
  std::shared_ptr<const ShownParse> shown_;
  ParseQuestion asked_;
  QString model_path_;                  // of the parser that was asked
  std::int64_t wanted_step_ = 0;        // after the next run; 0: the last
  std::pair<QString, bool> good_ = {};  // the settings that last had a tree
  std::optional<app::TreeArc> pointed_;
};

}  // namespace mog::gui
