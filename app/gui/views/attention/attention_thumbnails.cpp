#include "app/gui/views/attention/attention_thumbnails.h"

#include <QUndoStack>
#include <utility>

#include "app/gui/views/attention/attention_choices.h"
#include "app/gui/widgets/layer_head_grid.h"
#include "app/gui/widgets/number_box.h"

namespace mog::gui {
namespace {
const QString kSlot = QStringLiteral("attention-grid");
}  // namespace

AttentionThumbnails::AttentionThumbnails(const ViewContext& context, AttentionChoices& choices,
                                         LayerHeadGrid& grid, QObject* parent)
    : QObject(parent), context_(context), choices_(choices), grid_(grid) {
  connectGrid();
  connect(&context_.selection, &SelectionModel::mapChanged, this,
          [this] { grid_.setCurrent(context_.selection.layer(), context_.selection.head()); });
  connect(&context_.state, &ViewState::changed, this, [this] { just_toggled_.reset(); });
}

void AttentionThumbnails::connectGrid() {
  connect(&grid_, &LayerHeadGrid::chosen, this, [this](std::int64_t layer, std::int64_t head) {
    context_.selection.setMap(layer, context_.selection.part(), head);
  });
  connect(&grid_, &LayerHeadGrid::hoveredMap, this, [this](std::int64_t layer, std::int64_t head) {
    const QString where = layer > grid_.grid()->layers ? tr("mean over layers") : tr("layer %1").arg(layer);
    Q_EMIT readout(layer == 0  ? QString()
                   : head == 0 ? tr("%1, mean over heads").arg(where)
                               : tr("%1, head %2").arg(where).arg(head));
  });
  connect(&grid_, &LayerHeadGrid::headToggled, this, [this](std::int64_t head) {
    const std::vector<std::int64_t> before = choices_.headsOfMean();
    choices_.toggleHead(head);
    const bool refused = choices_.headsOfMean() == before;  // the last one stays
    just_toggled_ = refused ? std::nullopt : std::optional(head);
  });
  connect(&grid_, &LayerHeadGrid::headIsolated, this, [this](std::int64_t head, bool after_toggle) {
    if (after_toggle && just_toggled_ == head) {
      context_.state.history().undo();
    }
    just_toggled_.reset();
    choices_.isolateHead(head);
  });
}

void AttentionThumbnails::clear() {
  context_.jobs.cancelSlot(kSlot);
  asked_.reset();
  shown_.reset();
  grid_.clear();
}

void AttentionThumbnails::load(std::shared_ptr<const RecordingSource> recording) {
  const SelectionModel& selection = context_.selection;
  GridQuestion wanted{std::move(recording),
                      selection.sentence().index,
                      {.part = selection.part(),
                       .heads = choices_.headsOfMean(),
                       .special_in_scale = choices_.specialInScale(),
                       .queries = choices_.stretch(false),
                       .keys = choices_.stretch(true)},
                      choices_.colours()};
  grid_.setCurrent(selection.layer(), selection.head());
  grid_.setHeadsOfMean(wanted.options.heads);
  if (asked_ == wanted) {
    return;
  }
  asked_ = wanted;
  struct Loaded {
    std::shared_ptr<const analysis::AttentionOverview> maps;
    QImage picture;
  };
  context_.jobs.start(
      {.title = [] { return tr("Reading thumbnails"); }, .slot = kSlot, .quiet = true}, this,
      [wanted, page = grid_.page()](const JobContext& context) {
        Loaded loaded{load_grid(wanted, context.stop()), {}};
        loaded.picture = paint_thumbnails(*loaded.maps, page);
        return loaded;
      },
      [this, wanted, page = grid_.page()](Loaded loaded) {
        const bool other =
            loaded.maps->layers != grid_.grid()->layers || loaded.maps->heads != grid_.grid()->heads;
        shown_ = wanted;
        grid_.setGrid(std::move(loaded.maps), std::move(loaded.picture), page);
        if (other) {
          Q_EMIT reshaped();
        }
        grid_.setCurrent(context_.selection.layer(), context_.selection.head());
        const QString high = in_language(QString::number(grid_.grid()->high, 'g', 4));
        grid_.setToolTip(grid_.grid()->more ? tr("One scale for all maps: 0 to %1 and more").arg(high)
                                            : tr("One scale for all maps: 0 to %1").arg(high));
      },
      [this](const QString& message) {
        grid_.clear();
        shown_.reset();
        context_.workspace.report(message);
      });
}

std::optional<MadeFigure> AttentionThumbnails::figure() const {
  return shown_ && shown_ == asked_ ? std::optional(grid_figure(*shown_, *grid_.grid())) : std::nullopt;
}

}  // namespace mog::gui
