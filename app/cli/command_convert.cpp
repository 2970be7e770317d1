#include <CLI/CLI.hpp>
#include <memory>

#include "app/cli/context.h"
#include "app/workflow/convert_job.h"
#include "io/recording/host_tensor.h"

namespace mog::cli {

void add_convert(CLI::App& app, Context& context) {
  struct Options {
    app::ConvertOptions job;
    std::string store = "float32";
  };
  const auto options = std::make_shared<Options>();
  CLI::App* const command = app.add_subcommand(
      "convert", "Write a pretrained BERT-type encoder, or a smaller copy of a model, as a model directory");
  command
      ->add_option(
          "SOURCE", options->job.source,
          "A Hugging Face folder (config.json, model.safetensors, tokenizer.json or vocab.txt) of BERT "
          "type, or a model directory")
      ->required();
  command->add_option("--output,-o", options->job.output, "The new model directory")->required();
  command->add_option(
      "--keep-vocabulary", options->job.keep_vocabulary,
      "Texts, .conllu and .iob2 files: tokens that do not occur in them are dropped, but special "
      "tokens and single characters stay");
  command->add_option("--vocabulary-size", options->job.vocabulary_size,
                      "At most so many tokens stay, the most frequent ones");
  command->add_option("--store", options->store, "Type of the weights: float32, float16, bfloat16")
      ->capture_default_str();
  command->add_flag("--overwrite", options->job.overwrite, "Replace the model that --output holds");
  context.add_common_options(*command);
  command->footer(
      examples({"mog convert all-MiniLM-L6-v2 --output minilm",
                "mog convert all-MiniLM-L6-v2 --output small --store float16 --vocabulary-size 9000 "
                "--keep-vocabulary train.conllu paragraphs.en",
                "mog convert minilm --output minilm16 --store float16"}));
  command->callback([&context, options] {
    context.action = [&context, options] {
      options->job.store = parse_dtype(options->store);
      const app::ConvertSummary summary =
          app::ConvertJob(options->job).run(context.stop(), context.console.callback());
      context.console.end_progress();
      context.print(context.json ? summary.json() + "\n" : summary.text());
    };
  });
}

}  // namespace mog::cli
