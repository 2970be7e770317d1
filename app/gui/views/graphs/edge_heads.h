// The heads behind an edge of the information flow: a picture of bars, one a head. A click on a head opens
// its map in the attention view.
#pragma once

#include <QObject>
#include <optional>

#include "app/gui/views/common/figure_data_tasks.h"
#include "app/gui/views/common/view.h"

class QSplitter;

namespace mog::gui {

class FigureCanvas;

// What the heads have of the width, per mille: a setting of the view.
inline const QString kHeadsShare = QStringLiteral("flow.heads");
inline constexpr double kHeadsAtFirst = 320;

class EdgeHeads : public QObject {
  Q_OBJECT
 public:
  // The picture stands in `splitter`, hidden while no edge is open. Everything given outlives it.
  EdgeHeads(const ViewContext& context, QSplitter& splitter);
  FigureCanvas& picture() { return *picture_; }

  // What a token takes from another in one part of a layer of the selected sentence.
  struct Edge {
    std::int64_t layer = 0;
    Part part = Part::none;
    std::optional<std::int64_t> query;
    std::optional<std::int64_t> key;
    bool carried = false;  // the state itself goes on: no head
  };
  // Chooses layer, part, query and key of the edge, and reads its heads.
  void open(const Edge& edge, std::shared_ptr<const RecordingSource> recording);
  void close();
  // nullopt: none is shown.
  std::optional<MadeFigure> figure() const;

 Q_SIGNALS:
  // The value under the pointer, in words; empty: none.
  void readout(const QString& text);

 private:
  void load(std::shared_ptr<const RecordingSource> recording);
  void divide();

  ViewContext context_;
  QSplitter& splitter_;
  FigureCanvas* picture_;
  std::optional<Edge> edge_;
  MadeFigure made_;
};

}  // namespace mog::gui
