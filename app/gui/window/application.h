// The desktop program as a function: arguments, window, event loop.
#pragma once

namespace mog::gui {

// Returns the exit code: 0, or 2 for arguments that are wrong, 1 when a picture could not be written.
int run_workbench(int argc, char** argv);

}  // namespace mog::gui
