#include "app/workflow/statistics/paired_job.h"

#include <fmt/format.h>

#include <utility>

#include "analysis/figure_data/corpus_difference.h"
#include "app/workflow/recordings/recording_groups.h"
#include "app/workflow/statistics/statistics_checks.h"
#include "app/workflow/trees/grammar_options.h"
#include "io/recording/errors.h"

namespace mog::app {
namespace {

CountedRecording of_group(const RecordingGroup& group) {
  return {sources_of(group), group.label};
}

// Of every sentence its means.
analysis::LengthStatistics sentence_means(const CountedRecording& recording, const StatisticsOptions& options,
                                          const std::stop_token& stop, const ProgressCallback& progress) {
  StatisticsOptions of_sentences = options;
  of_sentences.by_length = false;
  of_sentences.by_position = false;
  of_sentences.report = StatisticsReport::trends;  // which keeps the means
  of_sentences.averaging = analysis::Averaging::macro;
  of_sentences.bootstrap.resamples = 0;
  return count_measure(recording, options.measures.front(), of_sentences, stop, [&](const Progress& done) {
    if (progress) {
      Progress with_model = done;
      with_model.message += " of " + recording.parts.front()->header().model.name;
      progress(with_model);
    }
  });
}

}  // namespace

void check_paired_request(const StatisticsOptions& options) {
  if (!options.names.empty() || !options.word_measures.empty() || options.measures.empty()) {
    throw UsageError(
        "--against: what is compared is gate, share, entropy, max or recorded leaves (--quantity); recorded "
        "quantities by name and other quantities of the attention grammar are not");
  }
  if (options.by_length || options.by_position || options.by_upos) {
    throw UsageError(
        "--against: all sentences are counted together; leave --by as layer, or layer,head for heads");
  }
  if (options.report != StatisticsReport::means || options.relative) {
    throw UsageError(
        "--against: it gives differences of its own; leave out --trend, --dimensions and --relative");
  }
  if (!options.treebank.empty() || !is_default(options.grammar)) {
    throw UsageError(
        "--against: what was recorded is compared; neither treebank nor grammar have a part in it");
  }
}

analysis::PairedDifference compare_recordings(const CountedRecording& first, const CountedRecording& second,
                                              const StatisticsOptions& options, std::stop_token stop,
                                              const ProgressCallback& progress) {
  analysis::PairedOptions paired;
  paired.pair_by = options.pair_by;
  paired.allow_partial = options.allow_partial;
  paired.bootstrap = options.bootstrap;
  paired.bootstrap.stop = stop;
  paired.permutations = options.permutations;
  if (!options.against.empty()) {
    paired.first_name = "the recording of --against";
    paired.second_name = "this recording";
  }
  paired.progress = [&progress](std::int64_t done, std::int64_t total) {
    if (progress) {
      progress({done, total, "draws", "testing the differences"});
    }
  };
  const analysis::LengthStatistics one = sentence_means(first, options, stop, progress);
  const analysis::LengthStatistics other = sentence_means(second, options, stop, progress);
  return analysis::paired_difference(one, other, paired);
}

analysis::Table paired_table(const StatisticsOptions& options, std::stop_token stop,
                             const ProgressCallback& progress, std::vector<std::string>* notes) {
  check_paired_request(options);
  std::vector<RecordingGroup> bases = open_recording_groups(options.against, notes);
  if (bases.size() != 1) {
    throw UsageError(
        fmt::format("--against: it names one recording (or the parts of one), {} were given", bases.size()));
  }
  std::vector<RecordingGroup> groups = open_recording_groups(options.recordings, notes);
  std::vector<RecordingGroup*> together = {&bases.front()};
  for (RecordingGroup& group : groups) {
    together.push_back(&group);
  }
  tell_apart(together);
  const CountedRecording base = of_group(bases.front());
  analysis::Table all;
  for (const analysis::Measure measure : options.measures) {
    StatisticsOptions of_one = options;
    of_one.measures = {measure};
    for (const RecordingGroup& group : groups) {
      const analysis::PairedDifference difference =
          compare_recordings(base, of_group(group), of_one, stop, progress);
      analysis::Table table = difference.table();
      all.columns = std::move(table.columns);
      all.rows.insert(all.rows.end(), table.rows.begin(), table.rows.end());
      for (const std::string& note : difference.notes) {
        if (notes != nullptr) {
          notes->push_back(
              fmt::format("{} of {}: {}", analysis::name(measure), difference.second_recording, note));
        }
      }
    }
  }
  return all;
}

analysis::FigureData corpus_difference(const CountedRecording& first, const CountedRecording& second,
                                       const StatisticsOptions& options, std::stop_token stop,
                                       const ProgressCallback& progress, std::vector<std::string>* notes) {
  if (options.measures.size() != 1) {
    throw UsageError(
        "figure corpus-difference: it shows one of gate, share, entropy, max or recorded leaves "
        "(--quantity)");
  }
  analysis::PairedDifference difference =
      compare_recordings(first, second, options, std::move(stop), progress);
  if (notes != nullptr) {
    *notes = difference.notes;
  }
  return analysis::corpus_difference_figure(difference);
}

analysis::FigureData corpus_difference(const StatisticsOptions& options, std::stop_token stop,
                                       const ProgressCallback& progress) {
  const std::vector<RecordingGroup> groups = open_recording_groups(options.recordings);
  if (groups.size() != 2) {
    throw UsageError(
        fmt::format("figure corpus-difference: it shows two recordings of the same sentences, {} {} "
                    "named",
                    groups.size(), groups.size() == 1 ? "was" : "were"));
  }
  return corpus_difference(of_group(groups[0]), of_group(groups[1]), options, std::move(stop), progress);
}

void declare_pairing(Choices& choices, StatisticsOptions& options) {
  choices.value(
      "pair-by", options.pair_by, "text",
      "Sentences that belong together: text (the same characters), or number (the same place in two "
      "corpora, such as a translation)",
      [](const std::string& text) { return analysis::parse_pair_by(text); });
  choices.flag("allow-partial", options.allow_partial,
               "Also where less than 90 % of the smaller corpus is in pairs");
  choices.number("permutations", options.permutations, "Sign flips of sentences behind p", 1, 1'000'000);
}

}  // namespace mog::app
