// The views of the window, by their classes.
#include "app/gui/views/attention/attention_view.h"
#include "app/gui/views/attention/decomposition_view.h"
#include "app/gui/views/attention/gate_view.h"
#include "app/gui/views/compare/compare_view.h"
#include "app/gui/views/compare/interventions_view.h"
#include "app/gui/views/corpus/further_figures_view.h"
#include "app/gui/views/corpus/sentence_view.h"
#include "app/gui/views/corpus/weight_view.h"
#include "app/gui/views/graphs/flow_view.h"
#include "app/gui/views/graphs/tree_view.h"
#include "app/gui/views/inspector/inspector_view.h"
#include "app/gui/views/jobs/jobs_view.h"
#include "app/gui/views/jobs/model_view.h"
#include "app/gui/views/start/start_view.h"
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
