// The join that is selected in a picture of a graph: by a click, by the keys, from elsewhere.
//
// Up goes to the join that takes it in, Down to its query operand, Left and Right to its key on that side;
// Tab goes through joins in the order of joining and leaves the picture behind the last. Keys are taken from
// the window while the picture has the focus and there is something to choose.
#pragma once

#include <QObject>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "analysis/figure_data/figure_data.h"
#include "app/gui/session/selection_model.h"

class QKeyEvent;

namespace mog::gui {

class FigureCanvas;

class JoinChoice : public QObject {
  Q_OBJECT
 public:
  using Facts = std::function<std::shared_ptr<const app::JoinFacts>(std::int64_t node)>;
  // Both outlive it.
  JoinChoice(SelectionModel& selection, FigureCanvas& picture, QObject* parent);
  // A tree is shown, whose joins have these facts; nullptr: no tree. A join that it does not have is let go.
  void setTree(std::shared_ptr<const analysis::FigureData> figure, Facts facts);
  void choose(std::int64_t node);
  void clear() { selection_.setJoin(nullptr); }
  // The selected one, in the tree that is shown.
  std::optional<std::int64_t> node() const;

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  const analysis::TreeFigure& tree() const;
  bool isJoin(std::int64_t node) const;
  std::optional<std::int64_t> consumer(std::int64_t node) const;
  // Where a key leads; nullopt: it is not for the graph. The same node: there is nothing in that direction.
  std::optional<std::int64_t> target(const QKeyEvent& key) const;
  std::optional<std::int64_t> next(bool back) const;

  SelectionModel& selection_;
  FigureCanvas& picture_;
  std::shared_ptr<const analysis::FigureData> figure_;
  Facts facts_;
};

}  // namespace mog::gui
