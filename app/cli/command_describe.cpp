#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <optional>

#include "app/cli/context.h"
#include "app/workflow/common/resources.h"
#include "app/workflow/common/text_format.h"
#include "app/workflow/describe/describe_job.h"
#include "app/workflow/describe/guide.h"
#include "io/recording/errors.h"

namespace mog::cli {

namespace {

void describe_quantity(Context& context, const std::string& wanted) {
  const auto entries = wanted == "list" ? app::guide() : app::search_guide(wanted);
  context.print(context.json ? app::guide_json(entries) + "\n" : app::print_guide(entries));
}

}  // namespace

void add_describe(CLI::App& app, Context& context) {
  struct Options {
    std::filesystem::path path;
    std::string kind;
    std::string quantity;
    bool markdown = false;
  };
  const auto options = std::make_shared<Options>();
  CLI::App* const command = app.add_subcommand(
      "describe",
      "Say what a model, recording, weights file, corpus, treebank or vocabulary is, and check it; or what "
      "a quantity is");
  command->add_option("PATH", options->path, "What to look at; - is text on standard input");
  command->add_option("--quantity", options->quantity,
                      "Instead: formula, unit, range and level of the claim of a quantity by its name, of "
                      "those in whose texts some words stand, or `list`");
  command->add_flag("--markdown", options->markdown, "--quantity list: the page docs/quantities.md")
      ->group("");
  command->add_option("--kind", options->kind,
                      "Open it as: model_dir, recording (hdf5), safetensors, bpe_codes, vocab_lines, "
                      "vocab_counts, text, conllu, iob2, tokenizer_json, gguf (its tensors and keys); found "
                      "out by itself where not given");
  context.add_common_options(*command);
  command->footer(
      examples({"mog describe resources/models/tagger-en-graph", "mog describe corpus.rec --json",
                "mog describe --kind vocab_lines vocab.txt", "mog describe --quantity encoder.3.gate.mean",
                "mog describe --quantity 'attention entropy'"}));
  command->callback([&context, options] {
    context.action = [&context, options] {
      if (options->path.empty() == options->quantity.empty()) {
        throw UsageError("give PATH or --quantity\n     `mog describe --help` lists the options");
      }
      if (options->markdown) {
        if (options->quantity != "list") {
          throw UsageError("--markdown prints the list of quantities: it belongs to --quantity list");
        }
        context.print(app::quantities_page());
        return;
      }
      if (!options->quantity.empty()) {
        if (!options->kind.empty()) {
          throw UsageError("--kind says how PATH is opened; --quantity opens nothing");
        }
        describe_quantity(context, options->quantity);
        return;
      }
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
