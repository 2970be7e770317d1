// The views of the window, by their classes.
#include "app/gui/views/attention_view.h"
#include "app/gui/views/compare_view.h"
#include "app/gui/views/decomposition_view.h"
#include "app/gui/views/flow_view.h"
#include "app/gui/views/further_figures_view.h"
#include "app/gui/views/gate_view.h"
#include "app/gui/views/inspector_view.h"
#include "app/gui/views/interventions_view.h"
#include "app/gui/views/jobs_view.h"
#include "app/gui/views/model_view.h"
#include "app/gui/views/sentence_view.h"
#include "app/gui/views/start_view.h"
#include "app/gui/views/tree_view.h"
#include "app/gui/views/weight_view.h"
#include "app/gui/window/main_window.h"
#include "app/gui/window/view_set.h"

namespace mog::gui {

AttentionView& MainWindow::attention() {
  return views_->get<AttentionView>();
}
FlowView& MainWindow::flow() {
  return views_->get<FlowView>();
}
DecompositionView& MainWindow::decomposition() {
  return views_->get<DecompositionView>();
}
GateView& MainWindow::gates() {
  return views_->get<GateView>();
}
TreeView& MainWindow::trees() {
  return views_->get<TreeView>();
}
WeightView& MainWindow::weights() {
  return views_->get<WeightView>();
}
SentenceView& MainWindow::sentences() {
  return views_->get<SentenceView>();
}
InterventionsView& MainWindow::interventions() {
  return views_->get<InterventionsView>();
}
CompareView& MainWindow::compare() {
  return views_->get<CompareView>();
}
FurtherFiguresView& MainWindow::furtherFigures() {
  return views_->get<FurtherFiguresView>();
}
JobsView& MainWindow::jobList() {
  return views_->get<JobsView>();
}
ModelView& MainWindow::modelView() {
  return views_->get<ModelView>();
}

InspectorView& MainWindow::inspector() {
  return views_->get<InspectorView>();
}
StartView& MainWindow::start() {
  return views_->get<StartView>();
}

}  // namespace mog::gui
