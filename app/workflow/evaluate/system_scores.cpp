#include "app/workflow/evaluate/system_scores.h"

#include <fmt/format.h>

#include <utility>

namespace mog::app {
namespace {

std::int64_t trials_of(const ScoreResampling& resampling) {
  return resampling.trials == 0 ? analysis::default_trials(resampling.test) : resampling.trials;
}

// sacreBLEU's order: references, resamples, trials, seed, options, version.
std::string full_signature(const analysis::SummedMetric& metric, std::int64_t references,
                           const ScoreResampling& resampling, bool paired) {
  std::string text = fmt::format("nrefs:{}", references);
  const bool bootstrap = paired && resampling.test == analysis::PairedTest::bootstrap;
  if (resampling.resamples > 0 || bootstrap) {
    text += fmt::format("|bs:{}", bootstrap ? trials_of(resampling) : resampling.resamples);
  }
  if (paired && !bootstrap) {
    text += fmt::format("|ar:{}", trials_of(resampling));
  }
  if (resampling.resamples > 0 || paired) {
    text += fmt::format("|seed:{}", resampling.seed);
  }
  return text + "|" + metric.signature() + "|version:mog-" MOG_VERSION;
}

}  // namespace

std::vector<SystemScore> system_scores(const analysis::SummedMetric& metric,
                                       const std::vector<std::string>& systems,
                                       const std::vector<analysis::SegmentStatistics>& statistics,
                                       std::int64_t references, const ScoreResampling& resampling) {
  std::vector<SystemScore> scores;
  for (std::size_t at = 0; at < systems.size(); ++at) {
    SystemScore score;
    score.system = systems[at];
    score.metric = metric.name();
    score.score = analysis::bootstrap_score(metric, statistics[at], resampling.resamples, resampling.seed);
    score.details = metric.details(statistics[at].sums);
    score.signature = full_signature(metric, references, resampling, systems.size() > 1);
    if (at > 0) {
      score.test = analysis::paired_test(metric, statistics.front(), statistics[at], resampling.test,
                                         trials_of(resampling), resampling.seed, resampling.ties);
    }
    scores.push_back(std::move(score));
  }
  return scores;
}

analysis::SegmentStatistics chosen(const analysis::SegmentStatistics& all,
                                   const std::vector<std::size_t>& sentences) {
  analysis::SegmentStatistics part;
  part.sums.assign(all.sums.size(), 0.0);
  for (const std::size_t sentence : sentences) {
    part.add(all.segments[sentence]);
  }
  return part;
}

}  // namespace mog::app
