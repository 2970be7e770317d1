#include "app/cli/begins_option.h"

#include <CLI/CLI.hpp>

namespace mog::cli {

CLI::Option* add_begins_option(CLI::App& command, std::string& begins, const std::string& result) {
  return command.add_option("--begins", begins,
                            "Words that every " + result +
                                " begins with; their log p counts like that of the rest. First a language "
                                "(deu_Latn, __de__, de_DE) where the model knows several");
}

}  // namespace mog::cli
