#include <CLI/CLI.hpp>
#include <memory>

#include "app/cli/context.h"
#include "app/cli/idle_options.h"
#include "app/workflow/common/resources.h"
#include "app/workflow/evaluate/align_job.h"
#include "io/recording/errors.h"
#include "io/recording/nearest_name.h"

namespace mog::cli {
namespace {

struct Options {
  std::filesystem::path model;
  app::AlignOptions job;
  std::string from;
  std::string step = "predicted";
  std::string gold_format = "auto";
  std::string format = "pharaoh";
  std::string invalid_utf8 = "error";
  std::filesystem::path output;
};

void align(Context& context, const CLI::App& command, Options& options) {
  app::AlignOptions& job = options.job;
  const bool scored = !job.gold.empty();
  const OptionUse uses[] = {
      {"--gold-format", scored, "--gold"},
      {"--bootstrap", scored, "--gold"},
      {"--format", !context.json && (!scored || !options.output.empty()),
       "the links, printed or in --output"},
  };
  refuse_idle_options(command, "align", uses);
  job.step = analysis::parse_alignment_step(options.step);
  if (!options.from.empty()) {
    job.from = app::parse_align_source(options.from);
  }
  const OptionUse choices[] = {
      {"--layer", job.from != app::AlignSource::contribution, "--from cross-attention and alti"},
      {"--head", !job.from || job.from == app::AlignSource::cross_attention, "--from cross-attention"},
  };
  refuse_idle_options(command, "align", choices);
  job.gold_format = io::parse_alignment_format(options.gold_format);
  if (options.format != "pharaoh" && options.format != "talp") {
    throw unknown_choice("--format", options.format, {"pharaoh", "talp"});
  }
  job.invalid_utf8 = io::parse_invalid_utf8(options.invalid_utf8);
  if (job.invalid_utf8 == io::InvalidUtf8::skip) {
    throw UsageError("aligning: lines cannot be left out, line n of one file translates line n of the other");
  }
  job.streams = context.threads;
  job.bootstrap.seed = static_cast<std::uint64_t>(context.seed);
  const std::stop_token stop = context.stop();
  const app::AlignResult result =
      app::run_align_job(app::load_for_running(app::model_path(options.model), context.device_options()), job,
                         stop, context.console.callback());
  context.console.end_progress();
  if (context.json) {
    context.write(options.output.empty() ? "-" : options.output, app::to_json(result) + "\n");
    return;
  }
  if (!options.output.empty() || !scored) {
    context.write(options.output.empty() ? "-" : options.output,
                  app::alignment_text(result, io::parse_alignment_format(options.format)));
  }
  if (scored) {
    context.print(app::align_score_text(result));
  }
}

}  // namespace

void add_align(CLI::App& app, Context& context) {
  const auto options = std::make_shared<Options>();
  app::AlignOptions& job = options->job;
  CLI::App* const command = app.add_subcommand(
      "align", "Word alignments of given translations from a translator, and their error rate against gold");
  command
      ->add_option("MODEL,--model,-m", options->model,
                   "Model directory with a decoder, or a translation model of another program (a Hugging "
                   "Face or CTranslate2 folder, a fairseq checkpoint)")
      ->required();
  command->add_option("--source,-s", job.source, "Text, one sentence a line, its words separated by spaces")
      ->required();
  command->add_option("--target,-t", job.target, "Line by line its translations")->required();
  command->add_option("--gold", job.gold,
                      "Gold alignments, line by line the same pairs: AER, precision, recall, F1");
  command
      ->add_option("--gold-format", options->gold_format,
                   "pharaoh (0-1 2p3), talp (the same from 1), naacl (a line a link), or auto: by the file's "
                   "name and first line")
      ->capture_default_str();
  command->add_option(
      "--from", options->from,
      "What a target word's source word is found by: contribution (to the logit of the word; by default), "
      "cross-attention (by default with --layer, --head, --step read and where a model has no "
      "contributions), "
      "alti (ALTI+)");
  command
      ->add_option("--layer", job.layer,
                   "Of the decoder, from 1; 0: with cross-attention the mean over all, with alti the last")
      ->capture_default_str();
  command->add_option("--head", job.head, "Of cross-attention, from 1; 0: the mean over all")
      ->capture_default_str();
  command
      ->add_option(
          "--step", options->step,
          "The decoder's step whose row is a target token's: the one that predicts it (predicted), or "
          "the one that has read it (read), which suits the cross-attention of a lower layer")
      ->capture_default_str();
  command->add_option("--output,-o", options->output,
                      "File of the links; by default standard output, with --gold nowhere");
  command->add_option("--format", options->format, "Of the links: pharaoh (words from 0) or talp (from 1)")
      ->capture_default_str();
  command->add_option("--invalid-utf8", options->invalid_utf8, "Lines that are not UTF-8: error or replace")
      ->capture_default_str();
  command->add_option("--batch-tokens", job.batch_tokens, "Source tokens of one packed batch")
      ->capture_default_str();
  command->add_option("--bootstrap", job.bootstrap.resamples, "Resamples of the intervals; 0: none")
      ->capture_default_str()
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{1'000'000}));
  context.add_common_options(*command);
  command->footer(
      examples({"mog align M --source text.de --target text.en > text.align",
                "mog align M -s test.de -t test.en --gold test.talp",
                "mog align M -s test.de -t test.en --gold test.talp --from alti",
                "mog align M -s test.de -t test.en --gold test.talp --layer 1 --step read -o test.align"}));
  command->callback([&context, command, options] {
    context.action = [&context, command, options] { align(context, *command, *options); };
  });
}

}  // namespace mog::cli
