#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "app/cli/begins_option.h"
#include "app/cli/context.h"
#include "app/cli/idle_options.h"
#include "app/cli/part_output.h"
#include "app/cli/shard_option.h"
#include "app/workflow/common/parallel.h"
#include "app/workflow/common/resources.h"
#include "app/workflow/effects/effects_partial.h"
#include "app/workflow/effects/faithfulness_job.h"
#include "app/workflow/effects/faithfulness_translation.h"
#include "io/recording/counted.h"
#include "io/recording/errors.h"

namespace mog::cli {
namespace {

struct Options {
  std::filesystem::path model;
  app::FaithfulnessOptions job;
  app::TranslationTarget translation;
  std::string target = "pooled";
  std::string side = "source";
  std::string erase = "mask";
  std::string special = "keep";
  std::string unit = "token";
  std::string attributions;
  std::string against;
  std::filesystem::path output = "-";
  std::filesystem::path sentences_output;
  ShardOption shard;
};

// ".csv", or lines of JSON.
bool writes_lines(const Context& context, const std::filesystem::path& path, const char* option) {
  const std::string extension = path.extension().string();
  const bool lines = extension == ".jsonl" || extension == ".json" || (path == "-" && context.json);
  if (path != "-" && !lines && extension != ".csv") {
    throw UsageError(fmt::format("{} {}: the extensions are .csv and .jsonl", option, path.string()));
  }
  return lines;
}

constexpr const char* kTranslate = "translate";

// Whether the target is a translation: the model's own, or those of a file.
bool of_translation(const Options& options) {
  if (options.target == kTranslate) {
    return true;
  }
  if (options.target == "pooled" || options.target.starts_with("word:") ||
      options.target.starts_with("tag:")) {
    return false;
  }
  std::error_code error;
  return std::filesystem::exists(options.target, error) || options.target.find('/') != std::string::npos ||
         std::filesystem::path(options.target).has_extension();
}

// Attributions of an encoder, or of the decoder's steps.
void take_attributions(const CLI::App& command, Options& options) {
  app::FaithfulnessOptions& job = options.job;
  const bool translation = of_translation(options);
  if (translation) {
    if (options.target != kTranslate) {
      options.translation.reference = options.target;
    }
    options.translation.side = app::parse_erased_side(options.side);
    if (!options.attributions.empty()) {
      options.translation.attributions = app::parse_decoder_attributions(options.attributions);
    }
  } else {
    job.target = app::parse_target(options.target);
    if (!options.attributions.empty()) {
      job.attributions = app::parse_attributions(options.attributions);
    }
  }
  const auto integrates = [](const app::AttributionChoice& choice) {
    return std::any_of(choice.begin(), choice.end(), [](app::Attribution one) {
      return one == app::Attribution::integrated_gradients || one == app::Attribution::integrated_presence;
    });
  };
  const bool steps =
      !translation &&
      (job.attributions.empty() || std::any_of(job.attributions.begin(), job.attributions.end(), integrates));
  const OptionUse uses[] = {{"--steps", steps, "--attributions integrated-gradients and integrated-presence"},
                            {"--side", translation, "--target translate or FILE"},
                            {"--begins", translation, "--target translate or FILE"},
                            {"--beam", options.target == kTranslate, "--target translate"}};
  refuse_idle_options(command, "faithfulness", uses);
  if (options.against.empty()) {
    return;
  }
  std::vector<std::string> against;
  if (translation) {
    for (const app::DecoderAttribution& one : app::parse_decoder_attributions(options.against)) {
      against.push_back(app::text(one));
    }
  } else {
    for (const app::AttributionChoice& one : app::parse_attributions(options.against)) {
      against.push_back(app::text(one));
    }
  }
  if (against.size() != 1) {
    throw UsageError(fmt::format("--against {}: one attribution is expected", options.against));
  }
  job.against = against.front();
}

void faithfulness(Context& context, const CLI::App& command, Options& options) {
  app::FaithfulnessOptions& job = options.job;
  job.erasure = app::parse_erasure(options.erase);
  job.special = app::parse_special_tokens(options.special);
  job.unit = app::parse_unit(options.unit);
  take_attributions(command, options);
  job.shard = options.shard.shard(context);
  job.precision = context.parsed_precision();
  options.output = options.shard.path(options.output, job.shard);
  const bool part = keeps_part(options.output, job.shard);
  if (!job.shard.whole() && !options.sentences_output.empty() &&
      options.sentences_output.string().find("{part}") == std::string::npos) {
    throw UsageError(
        fmt::format("--sentence-values {}: every part would write there; put {{part}} into the name",
                    options.sentences_output.string()));
  }
  options.sentences_output = options.shard.path(options.sentences_output, job.shard);
  const bool lines = !part && writes_lines(context, options.output, "--output");
  const bool sentence_lines = !options.sentences_output.empty() &&
                              writes_lines(context, options.sentences_output, "--sentence-values");
  job.seed = static_cast<std::uint64_t>(context.seed);
  job.bootstrap.seed = job.seed;
  job.streams = app::thread_count(context.threads);
  const app::LoadedModel loaded =
      app::load_for_running(app::model_path(options.model), context.device_options());
  const app::FaithfulnessResult result =
      of_translation(options)
          ? app::run_translation_faithfulness(loaded, job, options.translation, context.stop(),
                                              context.console.callback())
          : app::run_faithfulness(loaded, job, context.stop(), context.console.callback());
  context.console.end_progress();
  if (!options.sentences_output.empty()) {
    const analysis::Table each = result.sentence_table();
    context.write(options.sentences_output,
                  sentence_lines ? analysis::to_json_lines(each) : analysis::to_csv(each));
  }
  if (part) {
    write_part(context, app::to_partial(result, call_of(command)), options.output);
    return;
  }
  const analysis::Table table = result.table();
  context.write(options.output, lines ? analysis::to_json_lines(table) : analysis::to_csv(table));
  if (options.output != "-") {
    context.console.note(
        fmt::format("wrote {}, {} of {}{}", options.output.string(),
                    counted(static_cast<std::int64_t>(table.rows.size()), "row"),
                    counted(static_cast<std::int64_t>(result.rows.size()), "sentence"),
                    result.left_out > 0 ? fmt::format(", {} left out", result.left_out) : ""));
  }
}

}  // namespace

void add_faithfulness(CLI::App& app, Context& context) {
  const auto options = std::make_shared<Options>();
  app::FaithfulnessOptions& job = options->job;
  CLI::App* const command = app.add_subcommand(
      "faithfulness", "Erase or keep the tokens that an attribution puts first, and measure what changes");
  command->add_option("MODEL,--model,-m", options->model, "Model directory, or another program's encoder")
      ->required();
  command->add_option("--input,-i", job.input, "Text, one sentence a line; - is standard input")->required();
  command->add_option(
      "--attributions", options->attributions,
      "Commas between; A*B is the geometric mean of two. random, attention, rollout, flow, norm, "
      "globenc, alti, propagation-norm, propagation-share, propagation-removal, gradient-norm, "
      "gradient-input, integrated-gradients, integrated-presence, removal, leave-one-out; by "
      "default all that the model has, but flow (slow). alti: max(0, |y_i|_1 - |y_i - F_ij|_1), rows "
      "divided by their sums, y_i the attention block's normed sum and F_ij what key j gives to it "
      "(docs/quantity-names.md), multiplied through the layers. Of a translation: random, cross-attention "
      "(cross-attention:L of a layer), contribution-norm, contribution-projection, contribution-logit, alti "
      "(ALTI+), leave-one-out");
  command->add_option("--against", options->against,
                      "One of the attributions: the others as differences to it, paired by sentence");
  command
      ->add_option(
          "--target", options->target,
          "pooled (mean of the output), word:N (its state), tag:TASK:N (probability of its tag) or, of a "
          "parser, head:N (probability of its head); N from 1, from the end -1. Of a translator the "
          "log-probability of each word of a translation: "
          "translate (its own), or a file with one a line")
      ->capture_default_str();
  command
      ->add_option("--side", options->side,
                   "Of a translation, what is erased: source, prefix (words of the translation before the "
                   "one that is read; with --erase unk or pad) or both")
      ->capture_default_str();
  command
      ->add_option("--beam", options->translation.beam, "With --target translate: hypotheses of the search")
      ->capture_default_str()
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1000}));
  add_begins_option(*command, options->translation.begins);
  command
      ->add_option("--erase", options->erase,
                   "mask (nobody attends to the token), remove, zero (its embedding), pad, unk, mask-token")
      ->capture_default_str();
  command
      ->add_option("--special-tokens", options->special,
                   "keep (they stay and are not ranked) or erase (as others)")
      ->capture_default_str();
  command->add_option("--unit", options->unit, "What is erased at a time: token or word")
      ->capture_default_str();
  command->add_option("--fractions", job.fractions, "Of the units, erased or kept: 0.1,0.2,0.3,0.5")
      ->delimiter(',')
      ->capture_default_str();
  command->add_option("--steps", job.steps, "Places along the path of integrated gradients")
      ->capture_default_str()
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{100'000}));
  command->add_option("--sentences", job.sentences, "Only the first so many; 0: all")
      ->capture_default_str()
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{1'000'000'000}));
  command->add_option("--longest", job.longest, "Leave out sentences of more tokens; 0: none")
      ->capture_default_str()
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{1'000'000'000}));
  command
      ->add_option("--bootstrap", job.bootstrap.resamples,
                   "Resamples of the intervals over sentences; 0: none")
      ->capture_default_str()
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{1'000'000}));
  command->add_option("--batch-tokens", job.batch_tokens, "Tokens of one packed batch")
      ->capture_default_str()
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1'000'000'000}));
  add_shard_option(*command, options->shard);
  command
      ->add_option("--output,-o", options->output,
                   ".csv or .jsonl; .sums: for mog merge; - is standard output")
      ->capture_default_str();
  command->add_option("--sentence-values", options->sentences_output,
                      "The values of every sentence too, .csv or .jsonl");
  context.add_common_options(*command);
  command->footer(examples(
      {"mog faithfulness M --input corpus.txt --output faithfulness.csv",
       "mog faithfulness M --input corpus.txt --attributions removal,alti,removal*alti --against alti",
       "mog faithfulness M --input corpus.txt --target tag:upos:1 --erase unk -o tags.csv",
       "mog faithfulness translator --input text.de --target translate --erase unk --side both -o steps.csv",
       "mog figure faithfulness faithfulness.csv --output faithfulness.svg"}));
  command->callback([&context, command, options] {
    context.action = [&context, command, options] { faithfulness(context, *command, *options); };
  });
}

}  // namespace mog::cli
