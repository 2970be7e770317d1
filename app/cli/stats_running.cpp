#include "app/cli/stats_running.h"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstring>
#include <utility>

#include "app/cli/idle_options.h"
#include "app/workflow/common/resources.h"
#include "app/workflow/common/text_format.h"
#include "app/workflow/merge/merge_job.h"
#include "app/workflow/record/record_report.h"
#include "io/recording/counted.h"
#include "io/recording/errors.h"

namespace mog::cli {
namespace {

const char* const kGroup = "While a model runs, without a recording";

constexpr std::string_view kOwn[] = {"--shard",        "--index",        "--long",
                                     "--invalid-utf8", "--resume",       "--overwrite",
                                     "--batch-tokens", "--commit-every", "--max-length"};
constexpr std::string_view kOfRecordings[] = {"--permutations", "--pair-by", "--allow-partial"};

void require_free(const std::filesystem::path& output, const RunningTexts& texts) {
  std::error_code error;
  if (std::filesystem::exists(output, error) && !texts.resume && !texts.overwrite) {
    throw UsageError(fmt::format(
        "--output {}: it is there already; go on with it by --resume, or count anew by --overwrite",
        output.string()));
  }
}

// Before hours of counting: what it will be written to.
void require_place(const std::filesystem::path& output, bool keeps) {
  const std::string extension = output.extension().string();
  if (output != "-" && !keeps && extension != ".csv" && extension != ".jsonl") {
    throw UsageError(fmt::format("--output {}: the extensions are .csv, .jsonl and {}", output.string(),
                                 io::kPartialExtension));
  }
  const std::filesystem::path folder = output.has_parent_path() ? output.parent_path() : ".";
  if (output != "-" && ::access(folder.c_str(), W_OK) != 0) {
    throw StorageError(fmt::format("--output {}: its folder is not there or cannot be written ({})",
                                   output.string(), std::strerror(errno)));
  }
}

}  // namespace

void add_running_options(CLI::App& command, RunningTexts& texts) {
  command
      .add_option("--model,-m", texts.model,
                  "Run this model (as in mog record) over --input and count meanwhile: nothing is recorded")
      ->group(kGroup);
  command.add_option("--input,-i", texts.input, "Corpus, one sentence a line, or .conllu")->group(kGroup);
  add_shard_option(command, texts.shard);
  command
      .add_option("--long", texts.long_sentences,
                  "Sentences that the model cannot read: error, skip or truncate")
      ->capture_default_str()
      ->group(kGroup);
  command
      .add_option("--max-length", texts.record.max_length,
                  "Tokens of the longest sentence, </s> counted; by default what the model can read")
      ->group(kGroup);
  command
      .add_option("--invalid-utf8", texts.invalid_utf8, "Lines that are not UTF-8: error, replace or skip")
      ->capture_default_str()
      ->group(kGroup);
  command.add_flag("--resume", texts.resume, "Go on with a .sums file")->group(kGroup);
  command.add_flag("--overwrite", texts.overwrite, "Replace a .sums file")->group(kGroup);
  command.add_option("--batch-tokens", texts.record.batch_tokens, "Tokens of one packed batch")
      ->capture_default_str()
      ->group(kGroup);
  command
      .add_option("--commit-every", texts.commit_every,
                  "Sentences after which a .sums file is written: a killed run loses no more")
      ->capture_default_str()
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1'000'000'000}))
      ->group(kGroup);
}

void check_running_options(const CLI::App& command, const RunningTexts& texts) {
  for (const std::string_view option : kOwn) {
    const OptionUse uses[] = {{option, texts.wanted(), "--model"}};
    refuse_idle_options(command, "stats", uses);
  }
  if (texts.wanted() && given(command, "--against")) {
    throw UsageError(
        "--against: sentences are paired by their texts, wherever the two corpora have them, and p is "
        "adjusted "
        "by draws over all pairs; neither is known while a model runs over one of the corpora. Record both "
        "(mog record --capture summary, of a large corpus --sample N), then mog stats NEW --against OLD");
  }
  if (texts.wanted() && given(command, "--treebank")) {
    throw UsageError(
        "--treebank: while a model runs, the treebank is the corpus; name it with --input FILE.conllu");
  }
  for (const std::string_view option : kOfRecordings) {
    const OptionUse uses[] = {{option, !texts.wanted(), "statistics of recordings"}};
    refuse_idle_options(command, "stats", uses);
  }
  if (texts.model.empty() != texts.input.empty()) {
    throw UsageError("--model and --input go together: the model runs over the corpus");
  }
  if (texts.resume && texts.overwrite) {
    throw UsageError("--resume goes on with what was counted, --overwrite begins anew; use one of the two");
  }
}

void run_running(Context& context, const RunningTexts& texts, const app::RunningRequest& request,
                 const std::filesystem::path& named) {
  const bool keeps = named.extension() == io::kPartialExtension;
  app::RunningOptions options{
      .request = request, .record = texts.record, .resume = texts.resume, .commit_every = texts.commit_every};
  app::RecordOptions& record = options.record;
  record.input = texts.input;
  record.shard = texts.shard.shard(context);
  const std::filesystem::path output = texts.shard.path(named, record.shard);
  if (!keeps && (!record.shard.whole() || texts.resume || texts.overwrite)) {
    throw UsageError(
        fmt::format("--output {}: parts, --resume and --overwrite are of sums: name a file that ends in {}",
                    output.string(), io::kPartialExtension));
  }
  require_place(output, keeps);
  options.request.long_sentences = texts.long_sentences;
  options.request.invalid_utf8 = texts.invalid_utf8;
  options.request.max_length = texts.record.max_length;
  options.request.batch_tokens = texts.record.batch_tokens;
  record.streams = context.threads;
  record.command_line = context.command_line;
  record.precision = context.parsed_precision();
  record.seed = context.seed;
  if (keeps) {
    require_free(output, texts);
    options.sums = output;
  }
  const std::stop_token stop = context.stop();
  const std::filesystem::path model = app::model_path(texts.model);
  const app::LoadedModel loaded =
      app::load_for_running(model, context.device_options(), model::WordCut::automatic, false);
  record.exact = app::exact_model(model, context.device_options());
  app::RunningStatisticsJob job(loaded, std::move(options));
  const app::RunningSummary summary = job.run(stop, context.console.callback());
  context.console.end_progress();
  if (summary.run.rounding) {
    context.console.note(app::rounding_line(*summary.run.rounding));
  }
  for (const std::string& note : summary.notes) {
    context.console.note(note);
  }
  if (keeps) {
    context.console.note(fmt::format("wrote {}: {} {} counted", output.string(),
                                     app::grouped(summary.statistics.counted),
                                     plural(summary.statistics.counted, "sentence")));
    return;
  }
  const std::string extension = output.extension().string();
  const bool lines = context.json || extension == ".jsonl";
  const analysis::Table table = app::table_of(summary.statistics, "what was counted");
  context.write(output, lines ? analysis::to_json_lines(table) : analysis::to_csv(table));
  if (output != "-") {
    context.console.note(fmt::format("wrote {}, {} rows", output.string(), table.rows.size()));
  }
}

}  // namespace mog::cli
