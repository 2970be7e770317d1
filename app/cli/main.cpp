#include "app/cli/cli.h"
#include "app/cli/signals.h"
#include "model/torch_place.h"

namespace {

// Before the constructors of the libraries: a signal that comes meanwhile gives 130 too. Sanitizers are not
// ready for a call as early as that.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
using Early = void (*)(int, char**, char**);
[[gnu::used, gnu::section(".preinit_array")]] const Early kEarly = [](int, char**, char**) {
  mog::cli::install_signal_defaults();
};
#endif

}  // namespace

int main(int argc, char** argv) {
  mog::model::search_torch_first(argv);
  return mog::cli::run(argc, argv);
}
