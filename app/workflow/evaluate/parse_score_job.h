// `mog evaluate` of parses: files in CoNLL-U against a reference by the rules of the CoNLL 2018 shared task,
// with bootstrap intervals, paired tests against the first file, and by groups of words.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/metrics/parse_groups.h"
#include "analysis/metrics/parse_scores.h"
#include "analysis/statistics/table.h"
#include "app/workflow/evaluate/system_scores.h"

namespace mog::app {

// "uas,las,clas", in any order and case; throws UsageError naming the piece and what is allowed.
std::vector<analysis::ParseMeasure> parse_parse_measures(std::string_view text);
// Whether a score of parses is among them.
bool names_parse_measure(std::string_view metrics);
// "relation,root-distance"; throws UsageError.
std::vector<analysis::ParseGrouping> parse_parse_groupings(std::string_view text);

struct ParseScoreOptions {
  std::vector<std::filesystem::path> hypotheses;  // the first is the baseline of the tests
  std::filesystem::path reference;
  std::vector<analysis::ParseMeasure> measures = {analysis::ParseMeasure::uas, analysis::ParseMeasure::las};
  bool punctuation = true;
  std::vector<analysis::ParseGrouping> by;
  std::optional<analysis::LengthBins> bins;  // in the place of the usual ones, where one of `by` has bins
  ScoreResampling resampling;
};

struct ParseScore {
  SystemScore score;  // of groups by relation the recall, else F1
  analysis::ParseCounts counts;
};

struct ParseScoreResult {
  std::string reference;  // name of its file
  std::int64_t sentences = 0;
  std::int64_t words = 0;          // of the reference
  std::vector<ParseScore> scores;  // measure by measure, the systems in their order
  // Words of one kind, where a file has some; scored on the sentences that hold such words in any of the
  // files.
  struct Group {
    analysis::ParseGrouping by = analysis::ParseGrouping::relation;
    analysis::ParseGroup group;
    std::int64_t sentences = 0;
    std::vector<ParseScore> scores;
  };
  std::vector<Group> groups;
  std::vector<std::string> notes;  // in words: several roots, other sentence boundaries
};

// A file's sentences. Throws FormatError as ConlluReader, StorageError.
analysis::ParsedText read_parsed_text(const std::filesystem::path& path);

// Throws UsageError without hypotheses, for `bins` that no grouping or several could take, and groupings
// without a measure of words; FormatError for files that are no CoNLL-U or not of one text.
ParseScoreResult score_parses(const ParseScoreOptions& options);

// Columns system, measure, by, group, length_low, length_high, value, mean, low, high, half_width, resamples,
// sentences, precision, recall, f1, aligned_accuracy, reference, found, hypothesis, right, aligned,
// difference, p, trials, signature; by is "all" for all words.
analysis::Table score_table(const ParseScoreResult& result);
std::string to_json(const ParseScoreResult& result);
// Lines for people.
std::string score_text(const ParseScoreResult& result);

}  // namespace mog::app
