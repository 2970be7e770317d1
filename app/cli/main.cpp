#include "app/cli/cli.h"

int main(int argc, char** argv) {
  return mog::cli::run(argc, argv);
}
