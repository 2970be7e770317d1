// The thumbnails of all layers and heads of the selected sentence: read in a job when what they show changes;
// a click chooses a map, or the heads of the means.
#pragma once

#include <QObject>
#include <optional>

#include "app/gui/views/common/figure_data_tasks.h"
#include "app/gui/views/common/view.h"

namespace mog::gui {

class AttentionChoices;
class LayerHeadGrid;

class AttentionThumbnails : public QObject {
  Q_OBJECT
 public:
  // `grid` shows them. Everything given outlives it.
  AttentionThumbnails(const ViewContext& context, AttentionChoices& choices, LayerHeadGrid& grid,
                      QObject* parent = nullptr);

  // Of the selected sentence, which `recording` has; does nothing where they are there or on their way.
  void load(std::shared_ptr<const RecordingSource> recording);
  void clear();
  // The figure of them all; nullopt: they are not there yet.
  std::optional<MadeFigure> figure() const;

 Q_SIGNALS:
  // The map under the pointer, in words; empty: none.
  void readout(const QString& text);
  // Other numbers of layers or heads than before, which want another width.
  void reshaped();

 private:
  void connectGrid();

  ViewContext context_;
  AttentionChoices& choices_;
  LayerHeadGrid& grid_;
  std::optional<GridQuestion> asked_;         // last, so that it is read again only when it changes
  std::optional<GridQuestion> shown_;         // what the grid shows
  std::optional<std::int64_t> just_toggled_;  // a double click begins with a click
};

}  // namespace mog::gui
