#include "app/workflow/evaluate/parse_score_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <utility>

#include "analysis/random/bootstrap.h"
#include "app/workflow/common/text_format.h"
#include "app/workflow/evaluate/metric_list.h"
#include "io/recording/counted.h"
#include "io/recording/errors.h"
#include "io/recording/nearest_name.h"
#include "io/text/conllu.h"
#include "model/tokenizer/text/lowercase.h"

namespace mog::app {
namespace {

using analysis::ParseComparison;
using analysis::ParsedText;
using analysis::ParseGrouping;
using analysis::ParseMeasure;
using analysis::SegmentStatistics;

// Words that a range row ("3-4<tab>don't<tab>…") stands for, and its form.
analysis::ParsedToken range_token(std::string_view row) {
  const std::size_t tab = row.find('\t');
  const std::string_view id = row.substr(0, tab);
  const std::size_t dash = id.find('-');
  std::int32_t first = 0;
  std::int32_t last = 0;
  std::from_chars(id.data(), id.data() + dash, first);
  std::from_chars(id.data() + dash + 1, id.data() + id.size(), last);
  const std::string_view rest = row.substr(tab + 1);
  return {std::string(rest.substr(0, rest.find('\t'))), last - first + 1, true};
}

analysis::ParsedSentence parsed_sentence(const io::TreebankSentence& sentence) {
  analysis::ParsedSentence result;
  auto aside = sentence.asides.begin();
  std::size_t covered = 0;  // words of the last range
  for (std::size_t at = 0; at < sentence.words.size(); ++at) {
    for (; aside != sentence.asides.end() && static_cast<std::size_t>(aside->after) <= at; ++aside) {
      if (aside->line.substr(0, aside->line.find('\t')).find('-') != std::string::npos) {
        result.tokens.push_back(range_token(aside->line));
        covered = at + static_cast<std::size_t>(result.tokens.back().words);
      }
    }
    const io::TreebankWord& word = sentence.words[at];
    result.words.push_back({model::lower_case(word.form).text, word.lemma, word.upos, word.xpos, word.feats,
                            static_cast<std::int32_t>(word.head), word.deprel});
    if (at >= covered) {
      result.tokens.push_back({word.form, 1, false});
    }
  }
  return result;
}

// What was read, and what all of it is scored by.
struct Parses {
  std::unique_ptr<ParsedText> reference;
  std::vector<std::unique_ptr<ParsedText>> hypotheses;
  std::vector<ParseComparison> comparisons;  // [hypothesis]
  std::vector<std::string> systems;
  std::vector<std::int64_t> ends;

  std::vector<const ParsedText*> views() const {
    std::vector<const ParsedText*> result;
    result.reserve(hypotheses.size());
    for (const auto& text : hypotheses) {
      result.push_back(text.get());
    }
    return result;
  }
};

Parses read(const ParseScoreOptions& options) {
  Parses parses;
  parses.reference = std::make_unique<ParsedText>(read_parsed_text(options.reference));
  std::vector<const ParsedText*> all = {parses.reference.get()};
  for (const std::filesystem::path& path : options.hypotheses) {
    parses.hypotheses.push_back(std::make_unique<ParsedText>(read_parsed_text(path)));
    parses.comparisons.emplace_back(*parses.reference, *parses.hypotheses.back(), options.punctuation);
    parses.systems.push_back(path.string());
    all.push_back(parses.hypotheses.back().get());
  }
  parses.ends = analysis::common_ends(all);
  return parses;
}

std::vector<std::string> notes_of(const Parses& parses) {
  std::vector<std::string> notes;
  std::vector<const ParsedText*> all = {parses.reference.get()};
  const auto views = parses.views();
  all.insert(all.end(), views.begin(), views.end());
  for (const ParsedText* const text : all) {
    if (text->several_roots() > 0) {
      notes.push_back(fmt::format("{} of {} {} several roots; the script of CoNLL 2018 refuses such a file",
                                  counted(text->several_roots(), "sentence"), text->name(),
                                  text->several_roots() == 1 ? "has" : "have"));
    }
  }
  if (parses.ends.size() != parses.reference->sentences().size()) {
    notes.push_back(fmt::format(
        "the files end sentences at different places; intervals and tests draw the {} between places "
        "where all of them end one",
        counted(std::ssize(parses.ends), "stretch", "stretches")));
  }
  return notes;
}

std::vector<ParseScore> with_counts(std::vector<SystemScore> scores,
                                    const std::vector<SegmentStatistics>& statistics) {
  std::vector<ParseScore> result;
  result.reserve(scores.size());
  for (std::size_t at = 0; at < scores.size(); ++at) {
    result.push_back({std::move(scores[at]), analysis::ParseCounts::of(statistics[at].sums)});
  }
  return result;
}

void append(std::vector<ParseScore>& scores, std::vector<ParseScore> more) {
  scores.insert(scores.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

// Sentences that hold words of a group in any of the files.
std::vector<std::size_t> sentences_with(const std::vector<SegmentStatistics>& statistics) {
  std::vector<std::size_t> result;
  for (std::size_t segment = 0; segment < statistics.front().size(); ++segment) {
    const bool some = std::ranges::any_of(statistics, [&](const SegmentStatistics& one) {
      const auto counts = analysis::ParseCounts::of(one.segments[segment]);
      return counts.reference > 0 || counts.hypothesis > 0 || counts.right > 0;
    });
    if (some) {
      result.push_back(segment);
    }
  }
  return result;
}

// One sentence does not say how sentences differ: no interval then.
ScoreResampling of_sentences(ScoreResampling resampling, std::size_t sentences) {
  resampling.resamples =
      static_cast<std::int64_t>(sentences) < analysis::kFewestResampled ? 0 : resampling.resamples;
  return resampling;
}

void score_groups(const Parses& parses, const ParseScoreOptions& options, ParseGrouping by,
                  ParseScoreResult& result) {
  const auto bins = options.bins ? options.bins : analysis::usual_bins(by);
  const analysis::ParseGroups groups =
      analysis::parse_groups(by, bins.value_or(analysis::LengthBins()), *parses.reference, parses.views());
  const std::size_t first = result.groups.size();
  for (const analysis::ParseGroup& group : groups.groups) {
    result.groups.push_back({by, group, 0, {}});
  }
  const auto value = by == ParseGrouping::relation ? analysis::ParseValue::recall : analysis::ParseValue::f1;
  for (const ParseMeasure measure : options.measures) {
    if (!analysis::is_of_words(measure)) {
      continue;
    }
    const analysis::ParseMetric metric(measure, options.punctuation, value);
    std::vector<std::vector<SegmentStatistics>> of_system;  // [system][group]
    of_system.reserve(parses.comparisons.size());
    for (std::size_t at = 0; at < parses.comparisons.size(); ++at) {
      of_system.push_back(parses.comparisons[at].statistics(measure, parses.ends, groups.reference,
                                                            groups.hypotheses[at],
                                                            static_cast<std::int32_t>(groups.groups.size())));
    }
    for (std::size_t group = 0; group < groups.groups.size(); ++group) {
      std::vector<SegmentStatistics> statistics;
      statistics.reserve(of_system.size());
      for (std::vector<SegmentStatistics>& system : of_system) {
        statistics.push_back(std::move(system[group]));
      }
      const std::vector<std::size_t> sentences = sentences_with(statistics);
      if (sentences.empty()) {
        continue;
      }
      for (SegmentStatistics& one : statistics) {
        one = chosen(one, sentences);
      }
      ParseScoreResult::Group& entry = result.groups[first + group];
      entry.sentences = std::max(entry.sentences, std::ssize(sentences));
      append(entry.scores, with_counts(system_scores(metric, parses.systems, statistics, 1,
                                                     of_sentences(options.resampling, sentences.size())),
                                       statistics));
    }
  }
}

void check(const ParseScoreOptions& options) {
  if (options.hypotheses.empty() || options.reference.empty()) {
    throw UsageError("scoring parses: give --hypothesis FILE and --reference FILE in CoNLL-U");
  }
  if (!options.by.empty() && std::ranges::none_of(options.measures, analysis::is_of_words)) {
    throw UsageError(
        "evaluate --by: groups are of words; --metric names no score of words, as uas or las are");
  }
  const auto with_bins = std::ranges::count_if(
      options.by, [](ParseGrouping by) { return analysis::usual_bins(by).has_value(); });
  if (options.bins && with_bins != 1) {
    throw UsageError(
        "evaluate --bins: of parses give one of --by sentence-length, dependency-length and root-distance, "
        "whose bins "
        "they are");
  }
}

}  // namespace

std::vector<ParseMeasure> parse_parse_measures(std::string_view text) {
  std::vector<ParseMeasure> result;
  for (const std::string_view piece : listed(text)) {
    const auto measure = analysis::find_parse_measure(piece);
    if (!measure) {
      const std::vector<std::string> allowed = analysis::parse_measure_names();
      throw UsageError(
          fmt::format("--metric {}: \"{}\" is no score of parses; allowed are {}, separated by commas{}",
                      text, piece, fmt::join(allowed, ", "), did_you_mean(piece, allowed)));
    }
    result.push_back(*measure);
  }
  return result;
}

bool names_parse_measure(std::string_view metrics) {
  return std::ranges::any_of(listed(metrics), [](std::string_view piece) {
    return analysis::find_parse_measure(piece).has_value();
  });
}

std::vector<ParseGrouping> parse_parse_groupings(std::string_view text) {
  std::vector<ParseGrouping> result;
  for (const std::string_view piece : listed(text)) {
    result.push_back(analysis::parse_parse_grouping(piece));
  }
  return result;
}

ParsedText read_parsed_text(const std::filesystem::path& path) {
  io::ConlluReader reader(path);
  ParsedText text(path.string());
  io::TreebankSentence sentence;
  while (reader.next(sentence)) {
    text.add(parsed_sentence(sentence));
  }
  if (text.sentences().empty()) {
    throw FormatError(fmt::format("{}: expected sentences in CoNLL-U, found none", path.string()));
  }
  return text;
}

ParseScoreResult score_parses(const ParseScoreOptions& options) {
  check(options);
  const Parses parses = read(options);
  ParseScoreResult result;
  result.reference = options.reference.string();
  result.sentences = std::ssize(parses.reference->sentences());
  result.words = std::ssize(parses.reference->words());
  result.notes = notes_of(parses);
  for (const ParseMeasure measure : options.measures) {
    std::vector<SegmentStatistics> statistics;
    statistics.reserve(parses.comparisons.size());
    for (const ParseComparison& comparison : parses.comparisons) {
      statistics.push_back(comparison.statistics(measure, parses.ends));
    }
    append(result.scores,
           with_counts(system_scores(analysis::ParseMetric(measure, options.punctuation), parses.systems,
                                     statistics, 1, of_sentences(options.resampling, parses.ends.size())),
                       statistics));
  }
  for (const ParseGrouping by : options.by) {
    score_groups(parses, options, by, result);
  }
  std::erase_if(result.groups, [](const ParseScoreResult::Group& group) { return group.scores.empty(); });
  return result;
}

}  // namespace mog::app
