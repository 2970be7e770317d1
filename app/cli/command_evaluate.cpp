#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include "app/cli/context.h"
#include "app/cli/evaluate_files.h"
#include "app/cli/idle_options.h"
#include "app/cli/number_check.h"
#include "app/cli/words_option.h"
#include "app/workflow/common/resources.h"
#include "app/workflow/evaluate/evaluate_job.h"
#include "app/workflow/evaluate/perplexity_job.h"
#include "app/workflow/evaluate/score_job.h"
#include "app/workflow/train/teacher_job.h"
#include "io/recording/counted.h"
#include "io/recording/errors.h"
#include "io/recording/nearest_name.h"

namespace mog::cli {
namespace {

struct Options {
  app::EvaluateJobOptions tags;
  bool raw_text = false;
  WordsOption words;
  app::ScoreOptions score;
  app::TranslateOptions translate;
  app::TeacherJobOptions teacher;
  bool teacher_pieces = false;
  std::filesystem::path source;
  std::filesystem::path foreseen;  // --perplexity
  std::vector<std::filesystem::path> others;
  std::string metrics = "bleu,chrf";
  std::string tokenize = "13a";
  std::string smooth = "exp";
  std::optional<double> smooth_value;
  std::string test = "bs";
  std::string format = "text";
  std::string bins;
  std::string by;
  bool no_punct = false;
  std::filesystem::path output = "-";
  bool seeded = false;
};

std::string score_text(const analysis::Score& score) {
  return fmt::format("{:.2f} [{:.2f}, {:.2f}]", 100 * score.value, 100 * score.interval.low,
                     100 * score.interval.high);
}

std::string score_line(const app::TaskScore& score) {
  const std::string_view metric = score.metric == analysis::TaggingMetric::accuracy ? "accuracy"
                                  : score.of_words                                  ? "word F1"
                                                                                    : "span F1";
  std::string text = fmt::format("{:<8} {:<9} {}", score.task, metric, score_text(score.score));
  if (score.lexicon) {
    text += fmt::format("   lexicon {}   unknown words {:.1f} %", score_text(*score.lexicon),
                        100 * score.unknown_words);
  }
  return text + "\n";
}

void require_format(const std::string& format) {
  if (format != "text" && format != "csv") {
    throw UsageError("--format " + format + ": allowed are text and csv; --json gives a document" +
                     did_you_mean(format, {"text", "csv"}));
  }
}

void evaluate_tags(Context& context, Options& options) {
  app::EvaluateJobOptions& job = options.tags;
  require_format(options.format);
  if (!options.bins.empty()) {
    job.bins = analysis::LengthBins::parse(options.bins);
  }
  if (options.raw_text) {
    job.raw_words = options.words.cut();
  } else if (options.words.cut() != model::WordCut::automatic) {
    throw UsageError("--words " + options.words.text + ": the words are the treebank's; add --raw-text");
  }
  job.device = context.device_options(context.threads == 0 ? 1 : context.threads);
  job.bootstrap.seed = static_cast<std::uint64_t>(context.seed);
  job.stop = context.stop();
  job.progress = context.console.callback();
  const app::EvaluateResult result = app::run_evaluate_job(job);
  context.console.end_progress();
  if (context.json || options.format == "csv") {
    context.write(options.output,
                  context.json ? app::to_json(result) + "\n" : analysis::to_csv(app::score_table(result)));
    return;
  }
  std::string text = fmt::format("{}, {}{}\n", counted(result.sentences, "sentence"),
                                 counted(result.words, "word"), result.raw_text ? ", from raw text" : "");
  if (result.left_out > 0) {
    text += fmt::format("{} left out: no text of the treebank has {} words\n",
                        counted(result.left_out, "sentence"), result.left_out == 1 ? "its" : "their");
  }
  for (const app::TaskScore& score : result.scores) {
    text += score_line(score);
  }
  for (const app::LengthScores& bin : result.by_length) {
    text += fmt::format("{} {}, {}\n", bin.label, bin.label == "1" ? "word" : "words",
                        counted(bin.scores.front().score.sentences, "sentence"));
    for (const app::TaskScore& score : bin.scores) {
      text += "  " + score_line(score);
    }
  }
  context.write(options.output, text);
}

app::ScoreResampling resampling_of(const Context& context, const Options& options) {
  app::ScoreResampling resampling = options.score.resampling;
  resampling.test = analysis::parse_paired_test(options.test);
  resampling.resamples = options.tags.bootstrap.resamples;
  if (options.seeded) {
    resampling.seed = static_cast<std::uint64_t>(context.seed);
  }
  return resampling;
}

app::ScoreResult translate_and_score(Context& context, const Options& options,
                                     const app::ScoreOptions& score) {
  if (options.source.empty()) {
    throw UsageError("evaluating translations of " + options.tags.model.string() + ": give --source FILE");
  }
  app::TranslateOptions translate = options.translate;
  translate.input = options.source;
  translate.streams = context.threads;
  const std::stop_token stop = context.stop();
  return app::score_model(app::load_for_running(options.tags.model, context.device_options()), translate,
                          score, stop, context.console.callback());
}

void evaluate_translations(Context& context, const Options& options, app::ScoreOptions score) {
  score.metrics = app::parse_translation_metrics(options.metrics);
  score.bleu.tokenizer = analysis::parse_bleu_tokenizer(options.tokenize);
  score.bleu.smoothing = analysis::parse_bleu_smoothing(options.smooth);
  score.bleu.smoothing_value = options.smooth_value;
  if (score.stem && std::none_of(score.metrics.begin(), score.metrics.end(), app::is_rouge)) {
    throw UsageError("evaluate: --stem has no effect here; it belongs to --metric rouge1, rouge2 and rougeL");
  }
  if (!options.bins.empty()) {
    score.bins = analysis::LengthBins::parse(options.bins);
    score.source = options.source;
    if (options.source == "-") {
      throw UsageError(
          "evaluate --bins: the words of --source count, which standard input gives once only; name a file");
    }
  } else if (options.tags.model.empty() && !options.source.empty()) {
    throw UsageError("evaluate --source " + options.source.string() +
                     ": give the MODEL that translates it, or --bins, which counts its words");
  }
  if (!options.tags.model.empty() && !options.score.hypotheses.empty()) {
    throw UsageError(
        "evaluate: a MODEL and --hypothesis exclude each other; name other systems with --other");
  }
  const app::ScoreResult result =
      options.tags.model.empty() ? app::score_files(score) : translate_and_score(context, options, score);
  context.console.end_progress();
  context.console.notes(result.notes);
  context.write(options.output, shown(context, options.format, result));
}

void evaluate_against_teacher(Context& context, Options& options) {
  app::TeacherJobOptions& job = options.teacher;
  if (options.tags.model.empty() || job.data.empty()) {
    throw UsageError("evaluate --teacher " + job.teacher.string() + ": give the MODEL and --text FILE");
  }
  job.model = options.tags.model;
  job.shared_pieces = !options.teacher_pieces;
  job.device = context.device_options(context.threads == 0 ? 1 : context.threads);
  job.bootstrap = options.tags.bootstrap;
  job.bootstrap.seed = static_cast<std::uint64_t>(context.seed);
  job.stop = context.stop();
  const app::TeacherResult result = app::run_teacher_job(job);
  if (context.json) {
    context.print(app::to_json(result) + "\n");
    return;
  }
  const std::string interval =
      std::isfinite(result.interval.low)
          ? fmt::format(" [{:.4f}, {:.4f}]", result.interval.low, result.interval.high)
          : std::string();
  std::string text = fmt::format(
      "{}, {} cut into the same pieces by both\nsentence embeddings: mean cosine {:.4f}{}\n",
      counted(result.sentences, "sentence"), result.aligned_sentences, result.sentence_cosine, interval);
  for (std::size_t at = 0; at < result.state_cosine.size(); ++at) {
    text += fmt::format("layer {:<2} states: cosine {:.4f}, mean squared difference {:.5f}\n", at + 1,
                        result.state_cosine[at], result.state_mse[at]);
  }
  context.print(text);
}

void evaluate_perplexity(Context& context, const Options& options) {
  require_format(options.format);
  if (options.tags.model.empty()) {
    throw UsageError("evaluate --perplexity " + options.foreseen.string() + ": give the MODEL that reads it");
  }
  app::PerplexityOptions job;
  job.model = options.tags.model;
  job.input = options.foreseen;
  job.device = context.device_options(context.threads == 0 ? 1 : context.threads);
  job.bootstrap = options.tags.bootstrap;
  job.bootstrap.seed = static_cast<std::uint64_t>(context.seed);
  job.lines = options.format == "csv";
  job.stop = context.stop();
  job.progress = context.console.callback();
  const app::PerplexityResult result = app::run_perplexity_job(job);
  context.console.end_progress();
  if (result.left_out > 0) {
    context.console.note(counted(result.left_out, "text") + " of fewer than two tokens left out");
  }
  if (context.json || options.format == "csv") {
    context.write(options.output,
                  context.json ? app::to_json(result) + "\n" : analysis::to_csv(app::line_table(result)));
    return;
  }
  const std::string interval =
      std::isfinite(result.interval.low)
          ? fmt::format(" [{:.2f}, {:.2f}]", result.interval.low, result.interval.high)
          : std::string();
  context.write(options.output,
                fmt::format("{}, {}\nperplexity     {:.2f}{}\nsurprisal      {:.4f} nats a token\n"
                            "               {:.4f} bits a byte of text\n",
                            counted(result.texts, "text"), counted(result.tokens, "token"), result.perplexity,
                            interval, result.surprisal, result.bits_per_byte));
}

void refuse_idle_scores(const CLI::App& command, const Options& options) {
  constexpr std::string_view kModel = "a MODEL that translates";
  const bool model = !options.tags.model.empty();
  const bool several = options.others.size() + options.score.hypotheses.size() > 1;
  const bool bleu = options.metrics.find("bleu") != std::string::npos;
  const OptionUse uses[] = {
      {"--translations", model, kModel},
      {"--beam", model, kModel},
      {"--length-penalty", model, kModel},
      {"--max-tokens", model, kModel},
      {"--test", several, "--other"},
      {"--trials", several, "--other"},
      {"--tokenize", bleu, "--metric bleu"},
      {"--smooth", bleu, "--metric bleu"},
      {"--smooth-value", options.smooth == "floor" || options.smooth == "add-k", "--smooth floor and add-k"}};
  refuse_idle_options(command, "evaluate", uses);
}

// Translations, summaries, parses or coreference.
void evaluate_files(Context& context, const CLI::App& command, const Options& options, FilesOf files) {
  const std::string what(name(files));
  if (!options.tags.gold.conllu.empty() || !options.tags.gold.iob2.empty()) {
    throw UsageError("evaluate: --reference (" + what + ") and --conllu or --iob2 (tags) exclude each other");
  }
  require_format(options.format);
  app::ScoreOptions score = options.score;
  score.hypotheses.insert(score.hypotheses.end(), options.others.begin(), options.others.end());
  score.resampling = resampling_of(context, options);
  if (files == FilesOf::translations) {
    refuse_idle_scores(command, options);
    evaluate_translations(context, options, std::move(score));
    return;
  }
  if (!options.tags.model.empty()) {
    throw UsageError("evaluate " + options.tags.model.string() + ": scores of " + what +
                     " are of files; give --hypothesis FILE in the place of the MODEL");
  }
  const ScoreTexts texts{options.metrics,  options.by,     options.bins,
                         options.no_punct, options.format, options.output};
  if (files == FilesOf::parses) {
    evaluate_parses(context, command, score, texts);
  } else {
    evaluate_coreference(context, command, score, texts);
  }
}

void evaluate(Context& context, const CLI::App& command, Options& options) {
  if (!options.tags.model.empty()) {
    options.tags.model = app::model_path(options.tags.model);
  }
  if (!options.teacher.teacher.empty()) {
    evaluate_against_teacher(context, options);
    return;
  }
  if (!options.foreseen.empty()) {
    evaluate_perplexity(context, options);
    return;
  }
  if (!options.teacher.data.empty()) {
    throw UsageError("evaluate --text " + options.teacher.data.string() + ": give --teacher DIR too");
  }
  const FilesOf files = files_of(command, options.metrics, options.score.references);
  if (!options.score.references.empty() || !options.score.hypotheses.empty() || !options.source.empty() ||
      files == FilesOf::coreference) {
    evaluate_files(context, command, options, files);
    return;
  }
  const OptionUse uses[] = {{"--by", false, kOfParses}, {"--no-punct", false, kOfParses}};
  refuse_idle_options(command, "evaluate", uses);
  if (options.tags.model.empty()) {
    throw UsageError(
        "evaluate: give --hypothesis and --reference, MODEL with --source and --reference, or MODEL "
        "with --conllu or --iob2");
  }
  evaluate_tags(context, options);
}

void add_translation_options(CLI::App& command, Options& options) {
  const std::string group = "Translations and summaries";
  command
      .add_option("--hypothesis", options.score.hypotheses,
                  "Translations or summaries, one a line; several: systems")
      ->group(group);
  command.add_option("--reference", options.score.references, "References, line by line the same sentences")
      ->group(group);
  command
      .add_option(
          "--source", options.source,
          "Text that the MODEL translates or summarizes and is scored on; with --bins its words count")
      ->group(group);
  command.add_option("--other", options.others, "Output of another system, tested against the first")
      ->group(group);
  command
      .add_option(
          "--metric", options.metrics,
          "bleu, chrf, chrf++, rouge1, rouge2, rougeL (commas between); of coreference muc, b3, ceafe, "
          "conll, mentions, ceafm, blanc, lea; of parses see below")
      ->capture_default_str()
      ->group(group);
  command
      .add_option("--tokenize", options.tokenize,
                  "BLEU's: 13a, intl, or none (with --smooth none the score of multi-bleu.perl)")
      ->capture_default_str()
      ->group(group);
  command.add_option("--smooth", options.smooth, "BLEU's: exp, floor, add-k or none")
      ->capture_default_str()
      ->group(group);
  command.add_option("--smooth-value", options.smooth_value, "Of floor (0.1) and add-k (1)")
      ->check(between(0, 1000))
      ->group(group);
  command.add_flag("--stem", options.score.stem, "ROUGE's: compare the stems of words (Porter)")
      ->group(group);
  command.add_flag("--lowercase", options.score.lowercase, "Compare lower-cased lines")->group(group);
  command
      .add_option("--test", options.test,
                  "With --other: bs (paired bootstrap resampling) or ar (approximate randomization)")
      ->capture_default_str()
      ->group(group);
  command
      .add_option("--trials", options.score.resampling.trials,
                  "Of that test; by default 1,000 (bs), 10,000 (ar)")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{10'000'000}))
      ->group(group);
  command.add_option("--translations", options.translate.output, "Keeps what the MODEL wrote")->group(group);
  command.add_option("--beam", options.translate.beam.beam, "Of the MODEL")
      ->capture_default_str()
      ->group(group);
  command.add_option("--length-penalty", options.translate.beam.length_penalty, "Of the MODEL")
      ->capture_default_str()
      ->group(group);
  command.add_option("--max-tokens", options.translate.beam.max_tokens, "Of the MODEL")
      ->capture_default_str()
      ->group(group);
}

}  // namespace

void add_evaluate(CLI::App& app, Context& context) {
  const auto options = std::make_shared<Options>();
  app::EvaluateJobOptions& job = options->tags;
  CLI::App* const command =
      app.add_subcommand("evaluate",
                         "Score translations, summaries, parses or coreference against references, a tagger "
                         "against gold tags, or how well a text is foreseen, with intervals");
  command->add_option("MODEL,--model,-m", job.model, "Model directory: a translator, or tagging heads");
  add_translation_options(*command, *options);
  add_parse_options(*command, options->by, options->no_punct);
  command
      ->add_option(
          "--perplexity", options->foreseen,
          "Texts, one a line, or .conllu (- is standard input): how well the MODEL, a reader from left "
          "to right, foresees them; --format csv has a row a text")
      ->group("Next token");
  const std::string teacher = "Teacher";
  command
      ->add_option("--teacher", options->teacher.teacher,
                   "Model directory of the encoder that the MODEL was distilled from")
      ->group(teacher);
  command
      ->add_option("--text", options->teacher.data,
                   "Sentences, one a line or .conllu, on which both are compared")
      ->group(teacher);
  command
      ->add_flag("--teacher-pieces", options->teacher_pieces,
                 "The teacher cuts the text by its own vocabulary, not the MODEL's")
      ->group(teacher);
  const std::string tags = "Tags";
  command->add_option("--conllu", job.gold.conllu, "Gold treebank: upos, xpos")->group(tags);
  command->add_option("--iob2", job.gold.iob2, "Gold entities (IOB2) of the same sentences")->group(tags);
  command
      ->add_flag(
          "--raw-text", options->raw_text,
          "Cut the words from the treebank's texts (\"# text = …\") and score them too: F1 of words with "
          "the right tag, as CoNLL 2018")
      ->group(tags);
  add_words_option(*command, options->words);
  command->get_option("--words")->group(tags);
  command->add_option("--train-conllu", job.train.conllu, "Training treebank of the lexicon to compare with")
      ->group(tags);
  command->add_option("--train-iob2", job.train.iob2, "Training entities of the lexicon")->group(tags);
  command->add_option("--data", job.data_root, "Folder that the names above are relative to")->group(tags);
  command->add_option(
      "--bins", options->bins,
      "Scores by sentence length too: width of the bins in words, or their lower ends; of translations "
      "the words of --source, else of the first reference");
  command->add_option("--format", options->format, "Of the scores: text or csv")->capture_default_str();
  command->add_option("--output,-o", options->output, "Of the scores; - is standard output")
      ->capture_default_str();
  command->add_option("--bootstrap", job.bootstrap.resamples, "Resamples of the intervals; 0: none")
      ->capture_default_str()
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{1'000'000}));
  context.add_common_options(*command);
  command->footer(examples(
      {"mog evaluate --hypothesis out.en --reference test.en",
       "mog evaluate --hypothesis a.en --other b.en --reference test.en --test ar",
       ("mog evaluate --hypothesis out.tok --reference test.tok --metric bleu --tokenize none "
        "--smooth none"),
       "mog evaluate M --source test.de --reference test.en --beam 6 --translations out.en",
       "mog evaluate --hypothesis a.en --other b.en --reference test.en --source test.de --bins 10",
       "mog evaluate --hypothesis out.txt --reference headlines.txt --metric rouge1,rouge2,rougeL --stem",
       "mog evaluate --hypothesis out.conll --reference gold.conll --metric muc,b3,ceafe,conll",
       "mog evaluate --hypothesis parsed.conllu --reference en_ewt-test.conllu --metric uas,las,clas",
       ("mog evaluate --hypothesis a.conllu --other b.conllu --reference gold.conllu --by "
        "dependency-length,relation "
        "--format csv"),
       "mog evaluate M --perplexity text.txt", "mog evaluate M --teacher T --text en_pud.conllu",
       "mog evaluate M --conllu en_ewt-test.conllu --iob2 en_ewt-test.iob2",
       "mog evaluate M --conllu en_ewt-test.conllu --iob2 en_ewt-test.iob2 --raw-text",
       "mog evaluate M --conllu test.conllu --bins 10 --format csv -o by-length.csv",
       "mog evaluate M --conllu test.conllu --train-conllu train.conllu --json"}));
  command->callback([&context, options, command] {
    options->seeded =
        command->get_option("--seed")->count() + command->get_parent()->get_option("--seed")->count() > 0;
    context.action = [&context, options, command] { evaluate(context, *command, *options); };
  });
}

}  // namespace mog::cli
