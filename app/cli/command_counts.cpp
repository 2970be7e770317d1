#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/command_counts.h"
#include "app/cli/idle_options.h"
#include "app/cli/table_output.h"
#include "app/workflow/trees/counts_job.h"
#include "io/recording/errors.h"

namespace mog::cli {
namespace {

struct Options {
  app::CountsOptions job;
  std::filesystem::path output = "-";
};

void check_effects(const CLI::App& command, const app::CountsOptions& job) {
  const std::string_view kind = job.kind;
  const bool by_order = kind == "generation" || kind == "orders" || kind == "recurrent";
  const OptionUse uses[] = {
      {"--words", kind != "bands" && kind != "multiplicity",
       "generation, orders, overlaps, recurrent and derivations"},
      {"--layers", kind != "orders" && !(kind == "recurrent" && job.order > 0),
       "bands, generation, multiplicity, overlaps, recurrent (all orders) and derivations"},
      {"--order", by_order, "generation, orders and recurrent"},
      {"--expression", kind == "multiplicity", "multiplicity"},
  };
  refuse_idle_options(command, "counts " + job.kind, uses);
}

void counts(Context& context, const CLI::App& command, const Options& options) {
  if (options.job.kind == "list") {
    std::string text;
    for (const app::CountsKind& kind : app::counts_kinds()) {
      if (context.json) {
        text += nlohmann::ordered_json{{"kind", kind.name}, {"description", kind.description}}.dump() + "\n";
        continue;
      }
      text += std::string(kind.name) + std::string(14 - kind.name.size(), ' ') +
              std::string(kind.description) + "\n";
    }
    context.print(text);
    return;
  }
  const TableOutput output(context, options.output);
  app::check_counts_kind(options.job.kind);
  check_effects(command, options.job);
  const analysis::Table table = app::counts_table(options.job);
  output.write(context, table);
}

}  // namespace

void add_counts(CLI::App& app, Context& context) {
  const auto options = std::make_shared<Options>();
  CLI::App* const command = app.add_subcommand(
      "counts", "How many subgraphs plain, Graph-Transformer and recurrent encoders can make (exact)");
  command
      ->add_option("TABLE", options->job.kind,
                   "bands, generation, multiplicity, orders, overlaps, recurrent, derivations; list: "
                   "what they are")
      ->required();
  command->add_option("--words", options->job.words, "Words of the sentence (recurrent: steps)")
      ->capture_default_str();
  command->add_option("--layers", options->job.layers, "Layers of the encoder")->capture_default_str();
  command->add_option("--order", options->job.order, "Only this order; 0: all up to the words")
      ->capture_default_str();
  command->add_option("--expression", options->job.expression,
                      "multiplicity: an expression without overlaps whose joins link owners");
  command
      ->add_option("--output,-o", options->output,
                   ".csv or .jsonl; - is standard output (CSV, with --json lines)")
      ->capture_default_str();
  context.add_common_options(*command);
  command->footer(examples({"mog counts list", "mog counts bands --layers 12",
                            "mog counts generation --words 10 --order 5 --layers 12",
                            "mog counts multiplicity --expression '((a)->a U (b)->b)->a U (c)->c'",
                            "mog counts derivations --words 30 --layers 12 -o derivations.csv"}));
  command->callback([&context, command, options] {
    context.action = [&context, command, options] { counts(context, *command, *options); };
  });
}

}  // namespace mog::cli
