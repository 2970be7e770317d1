#include "app/gui/window/application.h"
#include "model/torch_place.h"

int main(int argc, char** argv) {
  mog::model::search_torch_first(argv);
  return mog::gui::run_workbench(argc, argv);
}
