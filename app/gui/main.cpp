#include "app/gui/window/application.h"

int main(int argc, char** argv) {
  return mog::gui::run_workbench(argc, argv);
}
