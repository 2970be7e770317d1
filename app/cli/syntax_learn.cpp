#include "app/cli/syntax_learn.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "app/cli/idle_options.h"
#include "app/workflow/recordings/open_recording.h"
#include "app/workflow/syntax/ensemble_file.h"
#include "app/workflow/syntax/learn_job.h"
#include "io/recording/counted.h"
#include "io/recording/errors.h"
#include "io/text/output_file.h"

namespace mog::cli {
namespace {

const char* const kGroup = "Labelled trees from few annotated sentences";

app::LearntEnsembles learn(Context& context, const LearnTexts& texts, const app::SyntaxOptions& options,
                           const RecordingSource& source) {
  app::LearnOptions learning{.syntax = options,
                             .sentences = texts.sentences,
                             .tags = app::parse_tag_choice(texts.tags),
                             .weights = app::parse_weight_choice(texts.weights)};
  if (!texts.treebank.empty()) {
    learning.syntax.treebank = texts.treebank;
  }
  app::LearntEnsembles learnt =
      app::learn_ensembles(source, learning, context.stop(), context.console.callback());
  context.console.end_progress();
  return learnt;
}

std::string result_text(const Context& context, const std::filesystem::path& output,
                        const app::LearnResult& result, const app::LearntEnsembles& learnt) {
  const std::string extension = output == "-" ? "" : output.extension().string();
  const auto table = [&] {
    return result.options.relations ? app::learnt_relation_table(result) : app::learnt_table(result);
  };
  if (extension == ".csv") {
    return analysis::to_csv(table());
  }
  if (extension == ".jsonl") {
    return analysis::to_json_lines(table());
  }
  return context.json || extension == ".json" ? app::to_json(result, learnt) : app::to_text(result, learnt);
}

}  // namespace

void add_learn_options(CLI::App& command, LearnTexts& texts) {
  command
      .add_option(
          "--learn", texts.sentences,
          "Choose ensembles of maps on this many annotated sentences, drawn with --seed; labelled trees of "
          "them on the others (UAS, LAS)")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1'000'000}))
      ->group(kGroup);
  command
      .add_option(
          "--learn-from", texts.from,
          "Recording to draw from, of the same model; without it the scored one, whose drawn sentences "
          "are then not scored")
      ->group(kGroup);
  command.add_option("--learn-treebank", texts.treebank, "Gold trees of --learn-from, CoNLL-U")
      ->group(kGroup);
  command
      .add_option(
          "--tags", texts.tags,
          "gold: which relation hangs which UPOS on which is learnt too, and read of the treebank; none")
      ->capture_default_str()
      ->group(kGroup);
  command
      .add_option(
          "--weights", texts.weights,
          "Of an ensemble in a relation's score: fitted to the drawn sentences, or published (fifth power of "
          "its accuracy)")
      ->capture_default_str()
      ->group(kGroup);
  command.add_option("--save-ensemble", texts.save, "Write what was learnt to this file (.json)")
      ->group(kGroup);
  command.add_option("--ensemble", texts.ensemble, "Read it from such a file in place of --learn")
      ->group(kGroup);
}

void check_learn_options(const CLI::App& command, const LearnTexts& texts) {
  const bool learning = texts.sentences > 0;
  if (learning && !texts.ensemble.empty()) {
    throw UsageError("syntax: --learn and --ensemble: what was learnt is in the file; name one of them");
  }
  if (given(command, "--learn-from") != given(command, "--learn-treebank")) {
    throw UsageError(
        "syntax: --learn-from and --learn-treebank belong together: a recording and its gold trees");
  }
  const bool wanted = texts.wanted();
  const std::string_view trees = "trees of single maps, without --learn and --ensemble";
  const OptionUse uses[] = {
      {"--learn-from", learning, "--learn"},
      {"--learn-treebank", learning, "--learn"},
      {"--tags", learning, "--learn"},
      {"--weights", learning, "--learn"},
      {"--save-ensemble", learning, "--learn"},
      {"--sources", texts.ensemble.empty(), "--learn; an ensemble says what it was made of"},
      {"--direction", !wanted, trees},
      {"--tree-of", !wanted, trees},
      {"--random-trees", !wanted, trees},
      {"--svg", !wanted, trees},
      {"--theme", !wanted, trees},
  };
  refuse_idle_options(command, "syntax", uses);
}

void run_learn(Context& context, const LearnTexts& texts, const app::SyntaxOptions& options,
               std::span<const std::filesystem::path> recordings, const std::filesystem::path& output,
               const std::filesystem::path& trees) {
  const auto source = app::open_recording({recordings.begin(), recordings.end()});
  const bool own = texts.from.empty();
  const std::shared_ptr<const RecordingSource> from = own ? source : app::open_recording(texts.from);
  const app::LearntEnsembles learnt =
      texts.ensemble.empty() ? learn(context, texts, options, *from) : app::read_ensembles(texts.ensemble);
  const app::ScoreChoice choice{.leave_out_drawn = own && texts.ensemble.empty(),
                                .keep_trees = !trees.empty()};
  const app::LearnResult result =
      app::score_learnt(*source, learnt, options, choice, context.stop(), context.console.callback());
  context.console.end_progress();
  for (const std::string& note : result.notes) {
    context.console.note("note: " + note);
  }
  if (!result.skipped.empty()) {
    const app::SkippedSentence& first = result.skipped.front();
    context.console.note(fmt::format("left out: {}, the first is sentence {} (line {}): {}",
                                     counted(std::ssize(result.skipped), "sentence"), first.number,
                                     first.line, first.reason));
  }
  context.write(output, result_text(context, output, result, learnt));
  if (output != "-") {
    context.console.note("wrote " + output.string());
  }
  if (!texts.save.empty()) {
    io::write_file(texts.save, app::ensembles_text(learnt), io::Links::follow);
    context.console.note("wrote " + texts.save.string());
  }
  if (!trees.empty()) {
    const std::int64_t written = app::write_learnt_trees(result, learnt, trees, context.stop());
    context.console.note(fmt::format("wrote {}: {}", trees.string(), counted(written, "labelled tree")));
  }
}

}  // namespace mog::cli
