#include "app/cli/manual/welcome.h"

#include <fmt/format.h>

namespace mog::cli {

std::string welcome() {
  return fmt::format(
      R"(mog {}: runs Transformers on text, records what they do, and rebuilds the graphs of the sentences.

Something to look at, in one step:
  mog figure tree --text 'The plan would never work .' -o tree.svg   a sentence of your own as a picture
  mog trees --text 'The plan would never work .'                     its best graphs as text
  mog demo                                                           a whole corpus: graphs, tables, figures
  mog-workbench                                                      the window

From there:
  mog examples          questions that people ask, and the commands that answer them
  mog --help            all commands; mog COMMAND --help: one of them
  mog describe PATH     what a model, a recording or a text is
)",
      MOG_VERSION);
}

}  // namespace mog::cli
