#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <optional>

#include "app/cli/context.h"
#include "app/workflow/describe_job.h"
#include "app/workflow/resources.h"
#include "app/workflow/text_format.h"

namespace mog::cli {

void add_describe(CLI::App& app, Context& context) {
  struct Options {
    std::filesystem::path path;
    std::string kind;
  };
  const auto options = std::make_shared<Options>();
  CLI::App* const command = app.add_subcommand(
      "describe",
      "Say what a model, recording, weights file, corpus, treebank or vocabulary is, and check it");
  command->add_option("PATH", options->path, "What to look at; - is text on standard input")->required();
  command->add_option(
      "--kind", options->kind,
      "Open it as: model_dir, recording (hdf5), safetensors, bpe_codes, vocab_lines, "
      "vocab_counts, text, conllu, iob2, tokenizer_json; found out by itself where not given");
  context.add_common_options(*command);
  command->footer(examples({"mog describe resources/models/tagger-en-graph", "mog describe corpus.rec --json",
                            "mog describe --kind vocab_lines vocab.txt"}));
  command->callback([&context, options] {
    context.action = [&context, options] {
      std::optional<app::PathKind> kind;
      if (!options->kind.empty()) {
        kind = app::parse_path_kind(options->kind);
      }
      const app::Description description =
          app::describe(app::model_path(options->path), kind, context.stop());
      context.print(context.json ? description.json + "\n" : app::terminal_text(description.text()));
    };
  });
}

}  // namespace mog::cli
