#include "app/gui/window/tour_steps.h"

#include "app/gui/session/workspace.h"
#include "app/gui/views/attention_view.h"
#include "app/gui/views/gate_view.h"
#include "app/gui/views/interventions_view.h"
#include "app/gui/views/sentence_view.h"
#include "app/gui/views/tree_view.h"
#include "app/gui/views/weight_view.h"
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

std::vector<TourStep> tour_steps(const ViewSet& views, const WorkspaceModel* model, QWidget& menu_bar) {
  auto& attention = views.get<AttentionView>();
  return {
      {view_in_front<SentenceView>(views), Tour::tr("A sentence"),
       model != nullptr
           ? Tour::tr("Type a sentence below and press Enter: the model %1 runs, and every view shows it. "
                      "Ctrl+L leads to the line, Esc back to the pictures. Ctrl+O opens a model or a "
                      "recording of your own.")
                 .arg(model->name)
           : Tour::tr("Choose a sentence: every view shows it. Ctrl+O opens another recording, or a model; "
                      "with a model open, a line below runs the sentences that you type.")},
      {[&attention]() -> QWidget* { return &attention.grid(); }, Tour::tr("Every layer and head"),
       Tour::tr("One thumbnail for each layer (row) and head (column); the first column is the mean. Click "
                "one, or use Up, Down and [ ]. The keys 1 to 4 choose the part.")},
      {[&attention]() -> QWidget* { return &attention.matrix(); }, Tour::tr("The open map"),
       Tour::tr("Rows are queries, columns keys. Point at a cell: its value stands at the lower left, and "
                "the token lights in all views. A click pins it.")},
      {view_in_front<TreeView>(views), Tour::tr("Multi-order graphs"),
       Tour::tr("The best graphs that the pinned word owns, one for each number of leaves. Left and Right "
                "walk from word to word.")},
      {view_in_front<GateView>(views), Tour::tr("Gates"),
       Tour::tr("How much the model itself weighs high and middle order against low order, at every token "
                "and layer.")},
      {view_in_front<InterventionsView>(views), Tour::tr("Interventions"),
       Tour::tr("Mask a word, cut a head, set the gate: the model runs again, and Compare shows before, "
                "after and the difference.")},
      {view_in_front<WeightView>(views), Tour::tr("Whole recordings"),
       Tour::tr("Ctrl+B records a corpus. Weight by length then counts over all its sentences. View > "
                "Layout arranges the window for what you do.")},
      {[&menu_bar] { return &menu_bar; }, Tour::tr("Help"),
       Tour::tr("Shift+F1 says what a view shows, with formula and level of the claim; F1 lists all keys. "
                "Help > Tour begins again.")}};
}

}  // namespace mog::gui
