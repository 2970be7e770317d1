
#include <CLI/CLI.hpp>
#include <memory>

#include "app/cli/begins_option.h"
#include "app/cli/context.h"
#include "app/cli/idle_options.h"
#include "app/cli/shard_option.h"
#include "app/cli/words_option.h"
#include "app/workflow/common/resources.h"
#include "app/workflow/record/named_quantities.h"
#include "app/workflow/record/record_job.h"
#include "app/workflow/record/record_report.h"
#include "io/recording/nearest_name.h"

namespace mog::cli {
namespace {

struct Options {
  WordsOption words;
  std::filesystem::path model;
  app::RecordOptions job;
  std::string capture;
  std::string quantities;
  std::string store = "float16";
  std::string layers;
  ShardOption shard;
  std::string long_sentences = "error";
  std::string invalid_utf8 = "error";
  std::string target;
};

void record(Context& context, const CLI::App& command, Options& options) {
  const bool translates = options.target == "translate";
  const OptionUse uses[] = {
      {"--beam", translates, "--target translate"},
      {"--length-penalty", translates, "--target translate"},
      {"--max-tokens", translates, "--target translate"},
      {"--begins", !options.target.empty(), "--target"},
  };
  refuse_idle_options(command, "record", uses);
  app::RecordOptions& job = options.job;
  if (!options.quantities.empty()) {
    job.quantities = app::parse_patterns(options.quantities);
  }
  const bool named = options.capture.empty() && !job.quantities.empty();
  job.capture.names =
      app::parse_captures(options.capture.empty() ? (named ? "none" : "summary") : options.capture);
  if (options.store != "float16" && options.store != "float32" && options.store != "float64" &&
      options.store != "uint8") {
    throw unknown_choice("--store", options.store, {"float16", "float32", "float64", "uint8"});
  }
  job.capture.store = parse_dtype(options.store);
  if (!options.layers.empty()) {
    job.capture.layers = app::parse_layers(options.layers);
  }
  job.shard = options.shard.shard(context);
  job.output = options.shard.path(job.output, job.shard);
  job.long_sentences = app::parse_long_policy(options.long_sentences);
  job.invalid_utf8 = io::parse_invalid_utf8(options.invalid_utf8);
  job.translate = translates;
  if (!job.translate) {
    job.target = options.target;
  }
  job.streams = context.threads;
  job.command_line = context.command_line;
  job.precision = context.parsed_precision();
  job.seed = context.seed;
  const std::stop_token stop = context.stop();
  const std::filesystem::path model = app::model_path(options.model);
  const app::LoadedModel loaded =
      app::load_for_running(model, context.device_options(), options.words.cut(), false);
  job.exact = app::exact_model(model, context.device_options());
  app::RecordJob work(loaded, job);
  work.on_estimate([&](const app::RecordEstimate& estimate) {
    context.console.end_progress();
    for (const std::string& line : app::estimate_lines(estimate, job)) {
      context.console.note(line);
    }
  });
  const app::RecordSummary summary = work.run(stop, context.console.callback());
  if (context.json) {
    context.print(app::to_json(summary) + "\n");
    return;
  }
  // What was written is no result to print; the identities are.
  std::string text = context.quiet ? "" : app::summary_line(summary) + "\n";
  for (const std::string& line : app::identity_lines(summary)) {
    text += line + "\n";
  }
  if (summary.rounding && !context.quiet) {
    text += app::rounding_line(*summary.rounding) + "\n";
  }
  if (!text.empty()) {
    context.print(text);
  }
}

}  // namespace

void add_record(CLI::App& app, Context& context) {
  const auto options = std::make_shared<Options>();
  CLI::App* const command =
      app.add_subcommand("record", "Run a corpus through a model and keep what it does");
  command->add_option(
      "--model,-m", options->model,
      "Model directory, a model of another program (a Hugging Face, sentence-transformers or CTranslate2 "
      "folder, a file of fairseq, torch.nn.TransformerEncoder or GGUF), or the name of a bundled model; by "
      "default tagger-en-distilled");
  command
      ->add_option("--input,-i", options->job.input,
                   "Corpus, one sentence a line, or .conllu (its words as they are); - is standard input")
      ->required();
  command->add_option("--output,-o", options->job.output, "Directory of the recording")->required();
  command->add_option("--name", options->job.name,
                      "What tables, figures and lists call the recording; by default its model, and where "
                      "models repeat its folder");
  command->add_option("--corpus-name", options->job.corpus_name,
                      "What captions call the corpus; by default the name of its file");
  command->add_option("--capture", options->capture,
                      "summary, attention, gates, shares, orders, hidden, all (commas between), or none; by "
                      "default summary, with --quantity none");
  command->add_option("--quantity", options->quantities,
                      "More by name, * for any piece: 'encoder.*.split.norm,encoder.*.alti' (exact "
                      "decompositions of a plain Transformer; docs/quantities.md)");
  command->add_flag("--check", options->job.check,
                    "Compute every identity of the exact decompositions on every sentence (slow)");
  command
      ->add_option("--store", options->store,
                   "Type of maps and vectors: float16, float32, float64, or uint8 (maps as roots in 255ths, "
                   "vectors in float16)")
      ->capture_default_str();
  command
      ->add_option(
          "--store-top-k", options->job.store_top_k,
          "Of each row of an attention map keep the K greatest weights, their keys, and the sum of the "
          "others: no map is there then, and what reads maps says so")
      ->check(CLI::Range(std::int64_t{1}, app::kMostTopKeys));
  command
      ->add_option("--deflate", options->job.deflate,
                   "Compress quantities: 1 is fast, 9 small, 0 not at all (docs/benchmarks.md has the cost)")
      ->capture_default_str()
      ->check(CLI::Range(0, 9));
  command->add_option("--layers", options->layers,
                      "Layers to keep, for example 1-6 or 1,3,5-6; all by default");
  command->add_flag("--resume", options->job.resume, "Go on with an interrupted recording");
  command->add_flag("--overwrite", options->job.overwrite,
                    "Replace a recording that is there; it stays until the new one is complete");
  add_shard_option(*command, options->shard);
  command
      ->add_option(
          "--sample", options->job.sample,
          "So many sentences of the corpus, drawn by their numbers and --seed; the same ones in any parts")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1'000'000'000}));
  command->add_option("--max-length", options->job.max_length,
                      "Tokens of the longest sentence, </s> counted; by default what the model can read");
  command->add_option("--long", options->long_sentences, "Longer sentences: error, skip or truncate")
      ->capture_default_str();
  command
      ->add_option("--invalid-utf8", options->invalid_utf8,
                   "Lines that are not UTF-8: error, replace or skip")
      ->capture_default_str();
  command->add_option(
      "--target", options->target,
      "Translations, line by line (the decoder reads them), or `translate` (it reads its own)");
  add_begins_option(*command, options->job.begins);
  const std::string translating = "With --target translate";
  command->add_option("--beam", options->job.beam.beam, "Hypotheses that stay in the search; 1 is greedy")
      ->capture_default_str()
      ->group(translating);
  command
      ->add_option("--length-penalty", options->job.beam.length_penalty,
                   "X of score = sum of log p / length^X; </s> counts as length")
      ->capture_default_str()
      ->group(translating);
  command
      ->add_option("--max-tokens", options->job.beam.max_tokens,
                   "Longest translation in tokens, </s> counted")
      ->capture_default_str()
      ->group(translating);
  const std::string controls = "Controls: the text is changed before it is run";
  command
      ->add_option("--first-words", options->job.first_words,
                   "Only the first so many words of each line; 0: all")
      ->capture_default_str()
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{1'000'000}))
      ->group(controls);
  command
      ->add_option("--concatenate", options->job.concatenate,
                   "So many neighbouring lines become one sentence")
      ->capture_default_str()
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1'000}))
      ->group(controls);
  command
      ->add_option("--shuffle-words", options->job.shuffle_words,
                   "The words of each sentence in random order; the seed")
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{1'000'000'000'000}))
      ->group(controls);
  command
      ->add_option(
          "--round", options->job.round,
          "Of a parser that reads its own trees: as it is in that round, 0 without a graph, 1 with the "
          "one that round 0 gave …; by default its last")
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{1'000}));
  command->add_option("--batch-tokens", options->job.batch_tokens, "Tokens of one packed batch")
      ->capture_default_str();
  command
      ->add_option("--commit-every", options->job.commit_every,
                   "Sentences of one commit: a killed run loses no more than two of them")
      ->capture_default_str();
  command
      ->add_option("--shard-mib", options->job.shard_mib,
                   "MiB of a file that commits are joined to once they are many; 0: each stays a file")
      ->capture_default_str()
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{65'536}));
  add_words_option(*command, options->words);
  context.add_common_options(*command);
  command->footer(examples(
      {"mog record --model M --input corpus.txt --output corpus.rec",
       "mog record -m M -i corpus.txt -o corpus.rec --capture summary,attention,gates --layers 1-6",
       "mog record -m M -i corpus.txt -o parts.rec --quantity 'encoder.*.split.norm,encoder.*.alti.product'",
       "mog record -m M -i corpus.txt -o checked.rec --capture none --check --precision float64",
       "mog record -m M -i corpus.txt -o corpus.rec --name '6 layers, news'",
       "mog record -m M -i corpus.txt -o corpus.rec --resume",
       "mog record -m M -i corpus.txt -o part2.rec --shard 2/4",
       "srun -n 4 mog record -m M -i corpus.txt -o part-{part}.rec --shard auto",
       "mog record -m M -i corpus.txt -o sample.rec --sample 10000 --capture attention",
       "mog record -m M -i corpus.txt -o top.rec --capture attention --store-top-k 4",
       "mog record -m M -i treebank.conllu -o treebank.rec --capture attention,gates",
       "mog record -m M -i corpus.txt -o shuffled.rec --shuffle-words 1",
       "mog record -m M -i text.de -o text.rec --capture attention --target text.en",
       "mog record -m M -i text.de -o text.rec --capture attention --target translate --beam 6",
       "mog record -m nllb -i text.en -o text.rec --target translate --begins deu_Latn",
       "zcat corpus.txt.gz | mog record -m M -i - -o corpus.rec --long skip --invalid-utf8 replace"}));
  command->callback([&context, command, options] {
    context.action = [&context, command, options] { record(context, *command, *options); };
  });
}

}  // namespace mog::cli
