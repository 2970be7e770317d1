#include "app/workflow/evaluate/score_coreference.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "analysis/random/bootstrap.h"
#include "app/workflow/evaluate/coreference_files.h"
#include "app/workflow/evaluate/metric_list.h"
#include "io/recording/errors.h"

namespace mog::app {
namespace {

// A document and where it is from.
struct Source {
  const std::filesystem::path* file = nullptr;
  const io::CorefDocument* document = nullptr;
  std::string place(std::int64_t line) const { return fmt::format("{}: line {}", file->string(), line); }
  std::string name() const {
    return fmt::format("part {} of the document \"{}\"", document->part, document->name);
  }
};

// [name and part] of all documents.
std::map<std::pair<std::string, std::int64_t>, Source> by_name(const std::vector<CoreferenceFile>& files) {
  std::map<std::pair<std::string, std::int64_t>, Source> documents;
  for (const CoreferenceFile& file : files) {
    for (const io::CorefDocument& document : file.documents) {
      documents[{document.name, document.part}] = {&file.path, &document};
    }
  }
  return documents;
}

void require_same_words(const Source& gold, const Source& found) {
  const auto& expected = gold.document->tokens;
  const auto& tokens = found.document->tokens;
  for (std::size_t at = 0; at < std::min(expected.size(), tokens.size()); ++at) {
    if (tokens[at].form != expected[at].form) {
      throw FormatError(fmt::format("{}: expected the word \"{}\" as in {}, found \"{}\"",
                                    found.place(tokens[at].line), expected[at].form,
                                    gold.place(expected[at].line), tokens[at].form));
    }
  }
  if (tokens.size() != expected.size()) {
    throw FormatError(fmt::format("{}: {} has {} words, in {} {}", found.place(found.document->line),
                                  found.name(), tokens.size(), gold.file->string(), expected.size()));
  }
}

class Scorer {
 public:
  explicit Scorer(const std::filesystem::path& reference)
      : reference_(reference), files_(read_coreference_files(reference)), gold_(by_name(files_)) {
    for (const auto& [name, source] : gold_) {
      keys_.push_back(chains_of(*source.document));
      sentences_ += std::ssize(source.document->sentences);
    }
  }
  std::int64_t documents() const { return std::ssize(gold_); }
  std::int64_t sentences() const { return sentences_; }

  // [document] chains of a system, in the order of the gold ones.
  std::vector<std::vector<analysis::Chain>> read(const std::filesystem::path& path) const;
  analysis::SegmentStatistics statistics(analysis::CoreferenceMetric metric,
                                         const std::vector<std::vector<analysis::Chain>>& found) const;

 private:
  std::filesystem::path reference_;
  std::vector<CoreferenceFile> files_;
  std::map<std::pair<std::string, std::int64_t>, Source> gold_;
  std::vector<std::vector<analysis::Chain>> keys_;  // [document]
  std::int64_t sentences_ = 0;
};

std::vector<std::vector<analysis::Chain>> Scorer::read(const std::filesystem::path& path) const {
  const std::vector<CoreferenceFile> files = read_coreference_files(path);
  const auto found = by_name(files);
  for (const auto& [name, source] : found) {
    if (!gold_.contains(name)) {
      throw FormatError(fmt::format("{}: {} is not in {}", source.place(source.document->line), source.name(),
                                    reference_.string()));
    }
  }
  std::vector<std::vector<analysis::Chain>> chains;
  for (const auto& [name, source] : gold_) {
    const auto other = found.find(name);
    if (other == found.end()) {
      throw FormatError(fmt::format("{}: {} is missing, which is in {}", path.string(), source.name(),
                                    source.place(source.document->line)));
    }
    require_same_words(source, other->second);
    chains.push_back(chains_of(*other->second.document));
  }
  return chains;
}

analysis::SegmentStatistics Scorer::statistics(analysis::CoreferenceMetric metric,
                                               const std::vector<std::vector<analysis::Chain>>& found) const {
  analysis::SegmentStatistics result;
  for (std::size_t at = 0; at < found.size(); ++at) {
    result.add(analysis::coreference_sums(metric, keys_[at], found[at]));
  }
  return result;
}

}  // namespace

std::vector<analysis::CoreferenceMetric> parse_coreference_metrics(std::string_view text) {
  std::vector<analysis::CoreferenceMetric> metrics;
  for (const std::string_view piece : listed(text)) {
    metrics.push_back(analysis::parse_coreference_metric(piece));
  }
  return metrics;
}

bool names_coreference(std::string_view metrics) {
  const std::vector<std::string> names = analysis::coreference_metric_names();
  return std::ranges::any_of(listed(metrics), [&](std::string_view piece) {
    return std::ranges::find(names, piece) != names.end();
  });
}

ScoreResult score_coreference(const ScoreOptions& options,
                              std::span<const analysis::CoreferenceMetric> metrics) {
  if (options.hypotheses.empty() || options.references.size() != 1) {
    throw UsageError("scoring coreference: give --hypothesis FILE and one --reference FILE (or folders)");
  }
  const Scorer scorer(options.references.front());
  std::vector<std::string> names;
  std::vector<std::vector<std::vector<analysis::Chain>>> systems;
  for (const std::filesystem::path& path : options.hypotheses) {
    names.push_back(path.string());
    systems.push_back(scorer.read(path));
  }
  ScoreResult result;
  result.documents = scorer.documents();
  result.sentences = scorer.sentences();
  result.references = 1;
  ScoreResampling resampling = options.resampling;
  const bool resampled = result.documents >= analysis::kFewestResampled;
  if (!resampled) {
    resampling.resamples = 0;
    result.notes.emplace_back("documents are what is resampled, and there is one: no intervals, no tests");
  }
  for (const analysis::CoreferenceMetric metric : metrics) {
    std::vector<analysis::SegmentStatistics> statistics;
    for (const auto& found : systems) {
      statistics.push_back(scorer.statistics(metric, found));
    }
    for (SystemScore& score :
         system_scores(*analysis::make_metric(metric), names, statistics, result.references, resampling)) {
      if (!resampled) {
        score.test.reset();
      }
      result.scores.push_back(std::move(score));
    }
  }
  return result;
}

}  // namespace mog::app
