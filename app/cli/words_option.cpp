#include "app/cli/words_option.h"

#include <CLI/CLI.hpp>

namespace mog::cli {

void add_words_option(CLI::App& command, WordsOption& options) {
  command
      .add_option(
          "--words", options.text,
          "Words of plain text: auto (what the model was trained on), spaces (text that is cut already), "
          "ud-en (English as Universal Dependencies has it: do n't), characters")
      ->capture_default_str();
}

}  // namespace mog::cli
