#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/begins_option.h"
#include "app/cli/context.h"
#include "app/cli/idle_options.h"
#include "app/cli/shard_option.h"
#include "app/cli/words_option.h"
#include "app/workflow/common/resources.h"
#include "app/workflow/common/text_format.h"
#include "app/workflow/evaluate/translate_job.h"
#include "io/recording/counted.h"
#include "io/recording/errors.h"
#include "io/recording/nearest_name.h"

namespace mog::cli {
namespace {

// What a command that runs a decoder says of itself.
struct Wording {
  std::string command;
  std::string about;
  std::string models;  // behind "Model directory with a decoder"
  app::OutputNames names;
  std::string examples;
};

struct Options {
  WordsOption words;
  ShardOption shard;
  std::filesystem::path model;
  app::TranslateOptions job;
  std::filesystem::path record;
  bool overwrite = false;
  std::string name;
  std::string capture = "summary,attention";
  std::string store = "float16";
  std::string long_sentences = "error";
  std::string invalid_utf8 = "error";
};

DType parse_store(const std::string& text) {
  if (text == "float16") {
    return DType::float16;
  }
  if (text == "float32") {
    return DType::float32;
  }
  throw unknown_choice("--store", text, {"float16", "float32"});
}

app::RecordOptions recording(const Context& context, const Options& options) {
  app::RecordOptions record;
  record.output = options.record;
  record.overwrite = options.overwrite;
  record.name = options.name;
  record.capture.names = app::parse_captures(options.capture);
  record.capture.store = parse_store(options.store);
  record.command_line = context.command_line;
  record.precision = context.parsed_precision();
  record.seed = context.seed;
  return record;
}

void translate(Context& context, const CLI::App& command, Options& options) {
  app::TranslateOptions job = options.job;
  job.shard = options.shard.shard(context);
  job.output = options.shard.path(job.output, job.shard);
  options.record = options.shard.path(options.record, job.shard);
  job.long_sentences = app::parse_long_policy(options.long_sentences);
  job.invalid_utf8 = io::parse_invalid_utf8(options.invalid_utf8);
  job.streams = context.threads;
  job.format = context.json     ? app::TranslateFormat::jsonl
               : job.n_best > 1 ? app::TranslateFormat::table
                                : app::TranslateFormat::text;
  job.print = [&](std::string_view text) { context.print(text); };
  if (!options.record.empty()) {
    job.record = recording(context, options);
  } else {
    const OptionUse uses[] = {{"--name", false, "a recording (--record)"},
                              {"--capture", false, "a recording (--record)"},
                              {"--store", false, "a recording (--record)"},
                              {"--overwrite", false, "a recording (--record)"}};
    refuse_idle_options(command, command.get_name(), uses);
  }
  const std::stop_token stop = context.stop();
  app::TranslateJob work(
      app::load_for_running(app::model_path(options.model), context.device_options(), options.words.cut()),
      job);
  work.on_estimate([&](const app::RecordEstimate& estimate) {
    context.console.note(fmt::format("recording to {}: about {}", options.record.string(),
                                     app::byte_text(estimate.size_bytes)));
  });
  const app::TranslateSummary summary = work.run(stop, context.console.callback());
  context.console.end_progress();
  context.console.note(fmt::format(
      "{} {}, {} {} to {} in {}{}", app::grouped(summary.sentences), plural(summary.sentences, "sentence"),
      app::grouped(summary.source_tokens), plural(summary.source_tokens, "token"),
      app::grouped(summary.target_tokens), app::duration_text(summary.elapsed_s),
      summary.truncated > 0 ? fmt::format("; {} too long, cut", app::grouped(summary.truncated)) : ""));
}

void add_decoding(CLI::App& app, Context& context, const Wording& wording) {
  const auto options = std::make_shared<Options>();
  app::TranslateOptions& job = options->job;
  job.names = wording.names;
  CLI::App* const command = app.add_subcommand(wording.command, wording.about);
  command->add_option("MODEL,--model,-m", options->model, "Model directory with a decoder" + wording.models)
      ->required();
  command->add_option("INPUT,--input,-i", job.input, "Text, one sentence a line; - is standard input")
      ->capture_default_str();
  command->add_option("--output,-o", job.output,
                      "File, written when everything is there; by default standard output, line by line");
  command->add_option("--beam", job.beam.beam, "Hypotheses that stay in the search; 1 is greedy")
      ->capture_default_str();
  command
      ->add_option("--length-penalty", job.beam.length_penalty,
                   "X of score = sum of log p / length^X; </s> counts as length")
      ->capture_default_str();
  add_begins_option(*command, job.begins, wording.names.result);
  command
      ->add_option("--n-best", job.n_best,
                   "Best hypotheses of each line with their scores: sentence, rank, score, log_prob, " +
                       wording.names.result)
      ->capture_default_str();
  command
      ->add_option("--max-tokens", job.beam.max_tokens,
                   "Longest " + wording.names.result + " in tokens, </s> counted")
      ->capture_default_str();
  command->add_option("--max-length", job.max_length,
                      "Tokens of the longest source line; by default what the model can read");
  command->add_option("--long", options->long_sentences, "Longer lines: error or truncate")
      ->capture_default_str();
  command->add_option("--invalid-utf8", options->invalid_utf8, "Lines that are not UTF-8: error or replace")
      ->capture_default_str();
  command->add_option("--batch-tokens", job.batch_tokens, "Source tokens of one packed batch")
      ->capture_default_str();
  const std::string recorded = "Recording";
  command
      ->add_option("--record", options->record,
                   "Directory of a recording: encoder and, for the best " + wording.names.result +
                       ", decoder and cross-attention")
      ->group(recorded);
  command
      ->add_flag("--overwrite", options->overwrite,
                 "Replace a recording that is there when the new one is complete")
      ->group(recorded);
  command->add_option("--name", options->name, "What tables, figures and lists call the recording")
      ->group(recorded);
  command->add_option("--capture", options->capture, "What is recorded, as for `mog record`")
      ->capture_default_str()
      ->group(recorded);
  command->add_option("--store", options->store, "Type of maps and vectors: float16 or float32")
      ->capture_default_str()
      ->group(recorded);
  add_shard_option(*command, options->shard);
  add_words_option(*command, options->words);
  context.add_common_options(*command);
  command->footer(wording.examples);
  command->callback([&context, command, options] {
    context.action = [&context, command, options] { translate(context, *command, *options); };
  });
}

}  // namespace

void add_translate(CLI::App& app, Context& context) {
  add_decoding(
      app, context,
      {.command = "translate",
       .about = "Translate text, line by line",
       .models = ", or a translation model of another program (a Hugging Face or "
                 "CTranslate2 folder, a fairseq checkpoint)",
       .names = {},
       .examples = examples({"mog translate M text.de > text.en", "echo 'ein Haus' | mog translate M",
                             "mog translate M text.de -o text.en --beam 6 --length-penalty 0.6",
                             "mog translate M text.de --n-best 4", "mog translate M text.de --json",
                             "mog translate M text.de -o text.2.en --shard 2/4",
                             "mog translate M text.de -o text.en --record text.rec"})});
}

void add_summarize(CLI::App& app, Context& context) {
  add_decoding(app, context,
               {.command = "summarize",
                .about = "Summarize texts, one a line",
                .models = " that was trained on texts and summaries",
                .names = {.doing = "summarizing", .result = "summary"},
                .examples = examples({"mog summarize M texts.txt > headlines.txt",
                                      "mog summarize M texts.txt -o headlines.txt --beam 6 --max-tokens 20",
                                      "mog summarize M texts.txt --long truncate --n-best 4",
                                      "mog summarize M texts.txt -o headlines.txt --record texts.rec"})});
}

}  // namespace mog::cli
