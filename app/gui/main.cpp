#include "app/gui/application.h"

int main(int argc, char** argv) {
  return mog::gui::run_workbench(argc, argv);
}
