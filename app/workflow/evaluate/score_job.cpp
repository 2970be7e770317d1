#include "app/workflow/evaluate/score_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <utility>

#include "analysis/metrics/coreference.h"
#include "analysis/metrics/parse_scores.h"
#include "analysis/metrics/unicode_text.h"
#include "app/workflow/evaluate/metric_list.h"
#include "io/recording/counted.h"
#include "io/recording/errors.h"
#include "io/recording/nearest_name.h"
#include "io/text/corpus.h"
#include "model/tokenizer/text/lowercase.h"

namespace mog::app {
namespace {

using Lines = std::vector<std::string>;

struct System {
  std::string name;
  Lines lines;
};

constexpr std::array<std::pair<std::string_view, TranslationMetricName>, 6> kMetrics = {{
    {"bleu", TranslationMetricName::bleu},
    {"chrf", TranslationMetricName::chrf},
    {"chrf++", TranslationMetricName::chrf_plus_plus},
    {"rouge1", TranslationMetricName::rouge_1},
    {"rouge2", TranslationMetricName::rouge_2},
    {"rougeL", TranslationMetricName::rouge_l},
}};

Lines read_lines(const std::filesystem::path& path) {
  Lines lines = io::read_corpus(path);
  if (lines.empty()) {
    throw FormatError(fmt::format("scoring {}: there is no line in it", path.string()));
  }
  return lines;
}

void lower(Lines& lines) {
  for (std::string& line : lines) {
    line = model::lower_case(line).text;
  }
}

void require_alignment(const std::string& name, std::size_t lines, const std::filesystem::path& reference,
                       std::size_t expected) {
  if (lines != expected) {
    throw FormatError(fmt::format(
        "scoring: {} has {} lines, the reference {} has {}; line n of one must belong to the same "
        "sentence as line n of the other",
        name, lines, reference.string(), expected));
  }
}

std::unique_ptr<analysis::TranslationMetric> make(TranslationMetricName name, const ScoreOptions& options) {
  const auto rouge = [&](analysis::RougeMeasure measure) {
    return analysis::make_metric(analysis::RougeOptions{.measure = measure, .stem = options.stem});
  };
  switch (name) {
    case TranslationMetricName::bleu:
      return analysis::make_metric(options.bleu, options.lowercase);
    case TranslationMetricName::chrf:
      return analysis::make_metric(analysis::ChrfOptions{}, options.lowercase);
    case TranslationMetricName::chrf_plus_plus:
      return analysis::make_metric(analysis::ChrfOptions{.word_order = 2}, options.lowercase);
    case TranslationMetricName::rouge_1:
      return rouge(analysis::RougeMeasure::rouge_1);
    case TranslationMetricName::rouge_2:
      return rouge(analysis::RougeMeasure::rouge_2);
    case TranslationMetricName::rouge_l:
      return rouge(analysis::RougeMeasure::rouge_l);
  }
  throw UsageError("a metric that does not exist");
}

std::int64_t words(std::string_view line) {
  return std::ssize(analysis::split_words(line));
}

// Lines that end with a sign, and those of them that have white space before it.
struct LastSigns {
  std::int64_t lines = 0;
  std::int64_t apart = 0;
  double share() const { return static_cast<double>(apart) / static_cast<double>(lines); }
};

LastSigns last_signs(const Lines& lines) {
  LastSigns signs;
  for (const std::string_view line : lines) {
    const std::string_view text = analysis::trimmed_end(line);
    if (text.size() > 1 && std::string_view(".?!").find(text.back()) != std::string_view::npos) {
      ++signs.lines;
      signs.apart += text[text.size() - 2] == ' ' ? 1 : 0;
    }
  }
  return signs;
}

// Of a text whose words are cut otherwise than the reference's; empty: none.
std::string tokenization_note(const System& system, const std::filesystem::path& reference,
                              const LastSigns& expected) {
  constexpr std::int64_t kEnough = 10;
  constexpr double kOther = 0.5;
  const LastSigns found = last_signs(system.lines);
  if (found.lines < kEnough || expected.lines < kEnough ||
      std::abs(found.share() - expected.share()) < kOther) {
    return {};
  }
  return fmt::format(
      "{} sets the sign at the end of {:.0f} % of its lines apart from the word, the reference {} {:.0f} %: "
      "their words "
      "are cut differently, and BLEU (but for what --tokenize 13a sets apart itself) counts that as errors",
      system.name, 100 * found.share(), reference.string(), 100 * expected.share());
}

std::vector<std::string> tokenization_notes(const std::vector<System>& systems,
                                            const std::filesystem::path& reference, const Lines& lines) {
  const LastSigns expected = last_signs(lines);
  std::vector<std::string> notes;
  for (const System& system : systems) {
    if (std::string note = tokenization_note(system, reference, expected); !note.empty()) {
      notes.push_back(std::move(note));
    }
  }
  return notes;
}

// The sentences of every bin. Lines without a word and those below the first bin are in none.
std::vector<std::vector<std::size_t>> by_length(const Lines& lines, const analysis::LengthBins& bins) {
  std::vector<std::vector<std::size_t>> sentences(static_cast<std::size_t>(bins.size()));
  for (std::size_t at = 0; at < lines.size(); ++at) {
    const std::int64_t length = words(lines[at]);
    if (const std::int64_t bin = bins.bin(length); length > 0 && bin >= 0) {
      sentences[static_cast<std::size_t>(bin)].push_back(at);
    }
  }
  return sentences;
}

// Empty where every sentence has a bin.
std::string binless_note(const std::vector<std::vector<std::size_t>>& bins, std::int64_t sentences,
                         const std::string& lengths_of) {
  for (const std::vector<std::size_t>& bin : bins) {
    sentences -= std::ssize(bin);
  }
  return sentences == 0
             ? std::string()
             : fmt::format("{} of {} {} in no bin: no word, or fewer than the first bin begins with",
                           counted(sentences, "line"), lengths_of, sentences == 1 ? "is" : "are");
}

void append(std::vector<SystemScore>& scores, std::vector<SystemScore> more) {
  scores.insert(scores.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

ScoreResult score_systems(std::vector<System> systems, const ScoreOptions& options) {
  if (options.references.empty()) {
    throw UsageError("scoring: give --reference FILE");
  }
  std::vector<Lines> references;
  for (const std::filesystem::path& path : options.references) {
    references.push_back(read_lines(path));
    require_alignment(path.string(), references.back().size(), options.references.front(),
                      references.front().size());
  }
  for (System& system : systems) {
    require_alignment(system.name, system.lines.size(), options.references.front(),
                      references.front().size());
  }
  std::vector<std::vector<std::size_t>> bins;
  if (options.bins) {
    const bool of_source = !options.source.empty();
    const Lines source = of_source ? read_lines(options.source) : Lines();
    if (of_source) {
      require_alignment(options.source.string(), source.size(), options.references.front(),
                        references.front().size());
    }
    bins = by_length(of_source ? source : references.front(), *options.bins);
  }
  if (options.lowercase) {
    std::for_each(references.begin(), references.end(), lower);
    for (System& system : systems) {
      lower(system.lines);
    }
  }
  ScoreResult result;
  result.sentences = static_cast<std::int64_t>(references.front().size());
  result.references = static_cast<std::int64_t>(references.size());
  for (std::size_t bin = 0; bin < bins.size(); ++bin) {
    const auto number = static_cast<std::int64_t>(bin);
    result.by_length.push_back({options.bins->label(number),
                                options.bins->low(number),
                                options.bins->high(number),
                                std::ssize(bins[bin]),
                                {}});
  }
  if (options.bins) {
    result.lengths_of = (options.source.empty() ? options.references.front() : options.source).string();
    if (std::string note = binless_note(bins, result.sentences, result.lengths_of); !note.empty()) {
      result.notes.push_back(std::move(note));
    }
  }
  if (std::ranges::find(options.metrics, TranslationMetricName::bleu) != options.metrics.end()) {
    for (std::string& note : tokenization_notes(systems, options.references.front(), references.front())) {
      result.notes.push_back(std::move(note));
    }
  }
  std::vector<std::string> names;
  names.reserve(systems.size());
  for (const System& system : systems) {
    names.push_back(system.name);
  }
  for (const TranslationMetricName name : options.metrics) {
    const auto metric = make(name, options);
    std::vector<analysis::SegmentStatistics> statistics;
    statistics.reserve(systems.size());
    for (const System& system : systems) {
      statistics.push_back(analysis::segment_statistics(*metric, system.lines, references));
    }
    append(result.scores, system_scores(*metric, names, statistics, result.references, options.resampling));
    for (std::size_t bin = 0; bin < bins.size(); ++bin) {
      if (bins[bin].empty()) {
        continue;
      }
      std::vector<analysis::SegmentStatistics> parts;
      parts.reserve(statistics.size());
      for (const analysis::SegmentStatistics& all : statistics) {
        parts.push_back(chosen(all, bins[bin]));
      }
      append(result.by_length[bin].scores,
             system_scores(*metric, names, parts, result.references, options.resampling));
    }
  }
  std::erase_if(result.by_length, [](const ScoreResult::Bin& bin) { return bin.sentences == 0; });
  return result;
}

std::vector<System> read_systems(const std::vector<std::filesystem::path>& paths) {
  std::vector<System> systems;
  systems.reserve(paths.size());
  for (const std::filesystem::path& path : paths) {
    systems.push_back({path.string(), read_lines(path)});
  }
  return systems;
}

}  // namespace

std::vector<TranslationMetricName> parse_translation_metrics(std::string_view text) {
  std::vector<TranslationMetricName> result;
  for (const std::string_view piece : listed(text)) {
    const auto found = std::find_if(kMetrics.begin(), kMetrics.end(),
                                    [&](const auto& metric) { return metric.first == piece; });
    if (found == kMetrics.end()) {
      const std::vector<std::string> coreference = analysis::coreference_metric_names();
      const std::vector<std::string> parses = analysis::parse_measure_names();
      std::vector<std::string> allowed = {"bleu", "chrf", "chrf++", "rouge1", "rouge2", "rougeL"};
      allowed.insert(allowed.end(), coreference.begin(), coreference.end());
      allowed.insert(allowed.end(), parses.begin(), parses.end());
      throw UsageError(fmt::format(
          "--metric {}: \"{}\" is no metric of translations or summaries; allowed are bleu, chrf, "
          "chrf++, rouge1, rouge2 and rougeL, separated by commas, of coreference {}, of parses {}{}",
          text, piece, fmt::join(coreference, ", "), fmt::join(parses, ", "), did_you_mean(piece, allowed)));
    }
    result.push_back(found->second);
  }
  return result;
}

bool is_rouge(TranslationMetricName metric) noexcept {
  return metric == TranslationMetricName::rouge_1 || metric == TranslationMetricName::rouge_2 ||
         metric == TranslationMetricName::rouge_l;
}

ScoreResult score_files(const ScoreOptions& options) {
  if (options.hypotheses.empty()) {
    throw UsageError("scoring: give --hypothesis FILE, or a model and --source FILE");
  }
  return score_systems(read_systems(options.hypotheses), options);
}

ScoreResult score_model(const LoadedModel& loaded, const TranslateOptions& translate,
                        const ScoreOptions& options, std::stop_token stop, const ProgressCallback& progress) {
  // What can be wrong with the other files is said before the model runs.
  std::vector<System> others = read_systems(options.hypotheses);
  const std::size_t expected = options.references.empty() ? 0 : read_lines(options.references.front()).size();
  if (expected > 0 && translate.input != "-") {
    require_alignment(translate.input.string(), read_lines(translate.input).size(),
                      options.references.front(), expected);
  }
  System system{loaded.model->card().name, {}};
  TranslateOptions work = translate;
  work.format = TranslateFormat::text;
  work.n_best = 1;
  work.on_line = [&](std::string_view line) { system.lines.emplace_back(line); };
  TranslateJob(loaded, work).run(std::move(stop), progress);
  std::vector<System> systems = {std::move(system)};
  systems.insert(systems.end(), std::make_move_iterator(others.begin()),
                 std::make_move_iterator(others.end()));
  return score_systems(std::move(systems), options);
}

}  // namespace mog::app
