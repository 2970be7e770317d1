#include "app/gui/window/tour_steps.h"

#include "app/gui/session/workspace.h"
#include "app/gui/views/attention/attention_view.h"
#include "app/gui/views/attention/gate_view.h"
#include "app/gui/views/compare/interventions_view.h"
#include "app/gui/views/corpus/weight_view.h"
#include "app/gui/views/graphs/tree_view.h"
#include "app/gui/views/strip/typing_field.h"
#include "app/gui/widgets/figure_canvas.h"
#include "app/gui/widgets/layer_head_grid.h"
#include "app/gui/window/view_set.h"

namespace mog::gui {
namespace {

// The view of a class, when the step begins.
template <class V>
std::function<QWidget*()> view_in_front(const ViewSet& views) {
  return [&views]() -> QWidget* {
    views.show(V::kind());
    return &views.get<V>();
  };
}

}  // namespace

std::vector<TourStep> tour_steps(const ViewSet& views, TypingField& field, const WorkspaceModel* model) {
  auto& attention = views.get<AttentionView>();
  const auto in_attention = [&views](QWidget& part) -> std::function<QWidget*()> {
    return [&views, &part] {
      views.show(AttentionView::kind());
      return &part;
    };
  };
  return {
      {[&field]() -> QWidget* { return &field; }, Tour::tr("A sentence"),
       model != nullptr
           ? Tour::tr("Type a sentence here and press Enter: the model %1 runs, and every view shows it. "
                      "Ctrl+L leads to the line, Esc back to the pictures. Ctrl+O opens a model or a "
                      "recording of your own.")
                 .arg(model->name)
           : Tour::tr("Ctrl+O opens a recording or a model; with a model open, this line runs the sentences "
                      "that you type.")},
      {view_in_front<TreeView>(views), Tour::tr("Multi-order graphs"),
       Tour::tr("The best graphs that the pinned word owns, one for each number of leaves: every disc is a "
                "join, over the word that owns it, at its layer. Left and Right walk from word to word.")},
      {in_attention(attention.grid()), Tour::tr("Every layer and head"),
       Tour::tr("One thumbnail for each layer (row) and head (column); the first column is the mean. Click "
                "one, or use Up, Down and [ ]. The keys 1 to 4 choose the part.")},
      {in_attention(attention.matrix()), Tour::tr("The open map"),
       Tour::tr("Rows are queries, columns keys. Point at a cell: its value stands at the lower left, and "
                "the token lights in all views. A click pins it.")},
      {view_in_front<GateView>(views), Tour::tr("Gates"),
       Tour::tr("How much the model itself weighs high and middle order against low order, at every token "
                "and layer.")},
      {view_in_front<InterventionsView>(views), Tour::tr("Interventions"),
       Tour::tr("Mask a word, cut a head, set the gate: the model runs again, and Compare shows before, "
                "after and the difference.")},
      {view_in_front<WeightView>(views), Tour::tr("Whole recordings"),
       Tour::tr("Ctrl+B records a corpus. Weight by length then counts over all its sentences. Ctrl+1 to "
                "Ctrl+7 are the workspaces. Shift+F1 says what a view shows, F1 lists all keys.")}};
}

}  // namespace mog::gui
