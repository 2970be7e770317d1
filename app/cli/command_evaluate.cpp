#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "app/cli/context.h"
#include "app/workflow/evaluate_job.h"

namespace mog::cli {
namespace {

std::string score_text(const analysis::Score& score) {
  return fmt::format("{:.2f} [{:.2f}, {:.2f}]", 100 * score.value, 100 * score.interval.low,
                     100 * score.interval.high);
}

void evaluate(Context& context, app::EvaluateJobOptions& job) {
  job.device = context.device_options(context.threads == 0 ? 1 : context.threads);
  job.bootstrap.seed = static_cast<std::uint64_t>(context.seed);
  job.stop = context.stop();
  job.progress = context.console.callback();
  const app::EvaluateResult result = app::run_evaluate_job(job);
  context.console.end_progress();
  if (context.json) {
    context.print(app::to_json(result) + "\n");
    return;
  }
  std::string text = fmt::format("{} sentences, {} words\n", result.sentences, result.words);
  for (const app::TaskScore& score : result.scores) {
    text += fmt::format("{:<8} {:<9} {}", score.task,
                        score.metric == analysis::TaggingMetric::accuracy ? "accuracy" : "span F1",
                        score_text(score.score));
    if (score.lexicon) {
      text += fmt::format("   lexicon {}   unknown words {:.1f} %", score_text(*score.lexicon),
                          100 * score.unknown_words);
    }
    text += "\n";
  }
  context.print(text);
}

}  // namespace

void add_evaluate(CLI::App& app, Context& context) {
  const auto job = std::make_shared<app::EvaluateJobOptions>();
  CLI::App* const command =
      app.add_subcommand("evaluate", "Score a tagger against gold tags, with bootstrap intervals");
  command->add_option("--model,-m", job->model, "Model directory with tagging heads")->required();
  command->add_option("--conllu", job->gold.conllu, "Gold treebank: upos, xpos");
  command->add_option("--iob2", job->gold.iob2, "Gold entities (IOB2) of the same sentences");
  command->add_option("--train-conllu", job->train.conllu,
                      "Training treebank of the lexicon to compare with");
  command->add_option("--train-iob2", job->train.iob2, "Training entities of the lexicon");
  command->add_option("--data", job->data_root, "Folder that the names above are relative to");
  command->add_option("--bootstrap", job->bootstrap.resamples, "Resamples of the intervals; 0: none")
      ->capture_default_str()
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{1'000'000}));
  context.add_common_options(*command);
  command->footer(examples({"mog evaluate -m M --conllu en_ewt-test.conllu --iob2 en_ewt-test.iob2",
                            "mog evaluate -m M --conllu test.conllu --train-conllu train.conllu --json"}));
  command->callback([&context, job] { context.action = [&context, job] { evaluate(context, *job); }; });
}

}  // namespace mog::cli
