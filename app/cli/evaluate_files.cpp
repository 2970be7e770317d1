#include "app/cli/evaluate_files.h"

#include <CLI/CLI.hpp>

#include "app/cli/idle_options.h"
#include "app/workflow/evaluate/parse_score_job.h"
#include "app/workflow/evaluate/score_coreference.h"
#include "io/recording/errors.h"
#include "io/text/conll2012.h"
#include "io/text/conllu.h"

namespace mog::cli {
namespace {

bool are_parses(const CLI::App& command, std::string_view metrics,
                std::span<const std::filesystem::path> references) {
  return given(command, "--by") || given(command, "--no-punct") ||
         (!references.empty() && io::is_treebank(references.front())) || app::names_parse_measure(metrics);
}

bool are_chains(const CLI::App& command, std::string_view metrics,
                std::span<const std::filesystem::path> references) {
  return given(command, "--metric") ? app::names_coreference(metrics)
                                    : references.size() == 1 && (io::is_conll2012(references.front()) ||
                                                                 is_directory(references.front()));
}

void refuse_translation_options(const CLI::App& command) {
  constexpr std::string_view kTranslations = "scores of translations";
  constexpr std::string_view kModel = "a MODEL that translates";
  const OptionUse uses[] = {{"--source", false, kTranslations},   {"--tokenize", false, kTranslations},
                            {"--smooth", false, kTranslations},   {"--smooth-value", false, kTranslations},
                            {"--stem", false, "--metric rouge1"}, {"--lowercase", false, kTranslations},
                            {"--translations", false, kModel},    {"--beam", false, kModel},
                            {"--length-penalty", false, kModel},  {"--max-tokens", false, kModel}};
  refuse_idle_options(command, "evaluate", uses);
}

}  // namespace

std::string_view name(FilesOf files) noexcept {
  switch (files) {
    case FilesOf::parses:
      return "parses";
    case FilesOf::coreference:
      return "coreference";
    case FilesOf::translations:
      break;
  }
  return "translations";
}

FilesOf files_of(const CLI::App& command, std::string_view metrics,
                 std::span<const std::filesystem::path> references) {
  if (are_chains(command, metrics, references)) {
    return FilesOf::coreference;
  }
  return are_parses(command, metrics, references) ? FilesOf::parses : FilesOf::translations;
}

void add_parse_options(CLI::App& command, std::string& by, bool& no_punct) {
  const std::string group = "Parses (--hypothesis and --reference in CoNLL-U)";
  command
      .add_option(
          "--by", by,
          "Scores by groups of words too: sentence-length, dependency-length, root-distance, relation "
          "(commas "
          "between). --metric: uas, las (both without it), clas, mlas, blex, upos, xpos, ufeats, alltags, "
          "lemmas, words, sentences, tokens")
      ->group(group);
  command.add_flag("--no-punct", no_punct, "Words that the reference tags PUNCT do not count")->group(group);
}

void evaluate_parses(Context& context, const CLI::App& command, const app::ScoreOptions& score,
                     const ScoreTexts& texts) {
  refuse_translation_options(command);
  if (score.references.size() > 1) {
    throw UsageError("evaluate: parses have one --reference");
  }
  app::ParseScoreOptions options;
  options.hypotheses = score.hypotheses;
  if (!score.references.empty()) {
    options.reference = score.references.front();
  }
  options.punctuation = !texts.no_punct;
  options.resampling = score.resampling;
  options.resampling.ties = analysis::Ties::extreme;
  if (given(command, "--metric")) {
    options.measures = app::parse_parse_measures(texts.metrics);
  }
  if (!texts.by.empty()) {
    options.by = app::parse_parse_groupings(texts.by);
  }
  if (!texts.bins.empty()) {
    options.bins = analysis::LengthBins::parse(texts.bins);
    if (options.by.empty()) {
      options.by = {analysis::ParseGrouping::sentence_length};
    }
  }
  const app::ParseScoreResult result = app::score_parses(options);
  context.console.notes(result.notes);
  context.write(texts.output, shown(context, texts.format, result));
}

void evaluate_coreference(Context& context, const CLI::App& command, const app::ScoreOptions& score,
                          const ScoreTexts& texts) {
  refuse_translation_options(command);
  const OptionUse uses[] = {{"--bins", false, "scores of translations, parses and tags"},
                            {"--by", false, kOfParses},
                            {"--no-punct", false, kOfParses}};
  refuse_idle_options(command, "evaluate", uses);
  const auto metrics = app::parse_coreference_metrics(
      given(command, "--metric") ? std::string_view(texts.metrics) : app::kCoreferenceMetrics);
  const app::ScoreResult result = app::score_coreference(score, metrics);
  context.console.notes(result.notes);
  context.write(texts.output, shown(context, texts.format, result));
}

}  // namespace mog::cli
