// `mog evaluate` of translations and summaries: BLEU, chrF and ROUGE of files against references, with
// bootstrap intervals, and paired tests of several systems against the first.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/metrics/translation_metric.h"
#include "analysis/statistics/length_bins.h"
#include "analysis/statistics/table.h"
#include "app/workflow/common/progress.h"
#include "app/workflow/evaluate/system_scores.h"
#include "app/workflow/evaluate/translate_job.h"

namespace mog::app {

enum class TranslationMetricName : std::uint8_t { bleu, chrf, chrf_plus_plus, rouge_1, rouge_2, rouge_l };
// "bleu,chrf,chrf++,rouge1,rouge2,rougeL", in any order; throws UsageError naming the piece and what is
// allowed.
std::vector<TranslationMetricName> parse_translation_metrics(std::string_view text);
bool is_rouge(TranslationMetricName metric) noexcept;

struct ScoreOptions {
  std::vector<std::filesystem::path> hypotheses;  // the first is the baseline of the tests
  std::vector<std::filesystem::path> references;  // line by line the same sentences
  std::vector<TranslationMetricName> metrics = {TranslationMetricName::bleu, TranslationMetricName::chrf};
  analysis::BleuOptions bleu;
  bool stem = false;  // of ROUGE
  bool lowercase = false;
  ScoreResampling resampling;
  // Of sentence length in words (what white space separates): scores of the sentences in each of them too.
  std::optional<analysis::LengthBins> bins;
  std::filesystem::path source;  // whose words count; empty: the first reference
};

struct ScoreResult {
  std::int64_t documents = 0;  // of coreference, which is scored by documents; else 0
  std::int64_t sentences = 0;
  std::int64_t references = 0;
  std::vector<SystemScore> scores;  // metric by metric, the systems in their order
  // In each bin of sentence length that has sentences; the paired tests are of those sentences alone.
  struct Bin {
    std::string label;
    std::int64_t low = 0;
    std::int64_t high = -1;  // first length beyond; -1: open
    std::int64_t sentences = 0;
    std::vector<SystemScore> scores;
  };
  std::vector<Bin> by_length;
  std::string lengths_of;  // name of the file whose words were counted, with bins
  // In words: systems whose signs are set apart from words where the reference's are not, or the other way
  // round.
  std::vector<std::string> notes;
};

// Throws FormatError for a file that is not UTF-8, has no line, or has another number of lines than the first
// reference (both numbers are named), the source included; UsageError without references.
ScoreResult score_files(const ScoreOptions& options);

// Translates `translate.input` first and scores that as the first system; `options.hypotheses` are others to
// compare it with. The translations are kept in translate.output when that is set.
ScoreResult score_model(const LoadedModel& loaded, const TranslateOptions& translate,
                        const ScoreOptions& options, std::stop_token stop = {},
                        const ProgressCallback& progress = {});

// Columns system, measure, bin, length_low, length_high, value, mean, low, high, half_width, resamples,
// sentences, difference, p, trials, details, signature; bin is "all" for all sentences.
analysis::Table score_table(const ScoreResult& result);
std::string to_json(const ScoreResult& result);
// Lines for people.
std::string score_text(const ScoreResult& result);

}  // namespace mog::app
