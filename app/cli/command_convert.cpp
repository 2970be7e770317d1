#include <CLI/CLI.hpp>
#include <memory>

#include "app/cli/context.h"
#include "app/workflow/common/resources.h"
#include "app/workflow/common/text_format.h"
#include "app/workflow/models/convert_job.h"

namespace mog::cli {

void add_convert(CLI::App& app, Context& context) {
  struct Options {
    app::ConvertOptions job;
    std::string store = "float32";
    std::int64_t heads = 0;
    std::string norm;
    std::string activation;
  };
  const auto options = std::make_shared<Options>();
  CLI::App* const command = app.add_subcommand(
      "convert", "Write a model of another program, or a smaller copy of a model, as a model directory");
  command
      ->add_option(
          "SOURCE", options->job.source,
          "A Hugging Face folder (BERT, RoBERTa, DistilBERT, ELECTRA, ALBERT, MPNet; BART, Marian, Pegasus, "
          "NLLB, T5), one of sentence-transformers, a checkpoint of fairseq, a state dict with "
          "torch.nn.TransformerEncoder, a CTranslate2 folder, a GGUF file, or a model directory")
      ->required();
  command->add_option("--output,-o", options->job.output, "The new model directory")->required();
  command->add_option(
      "--keep-vocabulary", options->job.keep_vocabulary,
      "Texts, .conllu and .iob2 files: tokens that do not occur in them are dropped, but special "
      "tokens and single characters stay");
  command->add_option("--vocabulary-size", options->job.vocabulary_size,
                      "At most so many tokens stay, the most frequent ones");
  command
      ->add_option("--store", options->store,
                   "Type of the weights: float32, float16, bfloat16, or int8 (eight bits and a scale a row)")
      ->capture_default_str();
  command->add_option("--heads", options->heads,
                      "Attention heads of a torch.nn.TransformerEncoder, whose weights do not say them");
  command->add_option("--norm", options->norm, "Where its layer norms stand: post, or pre (norm_first)");
  command->add_option("--activation", options->activation, "Its activation: relu, gelu, gelu_tanh, silu");
  command->add_flag("--overwrite", options->job.overwrite, "Replace the model that --output holds");
  context.add_common_options(*command);
  command->footer(
      examples({"mog convert all-MiniLM-L6-v2 --output minilm",
                ("mog convert all-MiniLM-L6-v2 --output small --store float16 --vocabulary-size 9000 "
                 "--keep-vocabulary train.conllu paragraphs.en"),
                "mog convert minilm --output minilm16 --store float16",
                "mog convert tagger-en-graph --output small --store int8",
                "mog convert checkpoint_best.pt --output translator",
                "mog convert encoder.pt --output encoder --heads 8 --norm pre --activation gelu"}));
  command->callback([&context, options] {
    context.action = [&context, options] {
      options->job.source = app::model_path(options->job.source);
      options->job.store = app::parse_weights_type(options->store);
      options->job.foreign = app::parse_foreign_options(options->heads, options->norm, options->activation);
      const app::ConvertSummary summary =
          app::ConvertJob(options->job).run(context.stop(), context.console.callback());
      context.console.end_progress();
      if (context.json || !context.quiet) {
        context.print(context.json ? summary.json() + "\n" : app::terminal_text(summary.text()));
      }
    };
  });
}

}  // namespace mog::cli
