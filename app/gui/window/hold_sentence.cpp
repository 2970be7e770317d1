#include "app/gui/window/hold_sentence.h"

#include "app/gui/views/compare/compare_view.h"
#include "app/gui/views/compare/patching_view.h"
#include "app/gui/window/view_set.h"

namespace mog::gui {

void hold_sentence(const ViewSet& views) {
  views.get<CompareView>().hold();
  if (!views.get<PatchingView>().isVisible()) {
    views.show(CompareView::kind());
  }
}

}  // namespace mog::gui
