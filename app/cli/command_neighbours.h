// The subcommand `neighbours`.
#pragma once

namespace CLI {
class App;
}

namespace mog::cli {

class Context;
void add_neighbours(CLI::App& app, Context& context);

}  // namespace mog::cli
