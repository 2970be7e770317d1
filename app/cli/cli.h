// The command line program `mog`.
#pragma once

namespace mog::cli {

// Parses, runs one subcommand, prints errors; returns the exit code. Never throws.
int run(int argc, char** argv);

}  // namespace mog::cli
