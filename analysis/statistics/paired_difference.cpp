// Test and intervals work on one matrix of differences [sentence, cell], row after row: a draw picks
// sentences or the signs of sentences, so every cell sees the same draw. That is what the max-T test asks
// for, and it reads memory in its order. Time O((resamples + permutations) · sentences · cells); memory for
// the differences and, because a percentile needs all of them, cells · resamples means. The test keeps
// nothing but counts: each draw is reduced to its greatest |T|.
//
// Cells of neighbouring layers and heads rise and fall together. A correction that knows only their number
// (Bonferroni, Holm) treats them as unrelated and finds less; the maximum over the same flips does not.
//
// A sign is one bit of a number that depends on (seed, draw, sentence / 64) alone, drawn from another stream
// than the sentences of the bootstrap. The order of the work cannot change a p value (decision 25).
//
// Traps: sums of the same numbers in another order differ by rounding, so a |T| within 1e-12 of the observed
// one is as great as it. A cell with NaN has no p and leaves the maximum of the others alone, since a
// comparison with NaN is false. Of a text that one corpus has more often than the other only the first
// occurrences have a pair.
#include "analysis/statistics/paired_difference.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

#include "io/recording/counted.h"
#include "io/recording/errors.h"
#include "io/recording/nearest_name.h"

namespace mog::analysis {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
// Draws of signs and of sentences must not be the same numbers.
constexpr std::uint64_t kSentences = 0;
constexpr std::uint64_t kSigns = 1;
constexpr std::int64_t kReportEvery = 32;
// Sums of the same numbers in another order differ by rounding; they are ties all the same.
constexpr double kTie = 1e-12;

constexpr std::array<std::string_view, 2> kPairByNames = {"text", "number"};

// Rows of the two that belong together, and the columns that both have.
struct Shared {
  std::vector<std::size_t> first_rows;
  std::vector<std::size_t> second_rows;
  std::vector<MeasuredSeries> series;
  std::vector<std::size_t> first_columns;
  std::vector<std::size_t> second_columns;
};

const std::vector<BinnedSentence>& sentences_of(const LengthStatistics& statistics) {
  if (statistics.bin_sentences.size() != 1 || statistics.bin_means.size() != 1) {
    throw UsageError("a paired difference: it needs the means of all sentences in one bin");
  }
  return statistics.bin_sentences.front();
}

// "layers 3 and 4"
std::string layers_text(const std::vector<MeasuredSeries>& series) {
  std::vector<std::int64_t> layers;
  for (const MeasuredSeries& one : series) {
    if (layers.empty() || layers.back() != one.layer) {
      layers.push_back(one.layer);
    }
  }
  std::string text;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    text += fmt::format("{}{}", i == 0 ? "" : (i + 1 == layers.size() ? " and " : ", "), layers[i]);
  }
  return (layers.size() == 1 ? "layer " : "layers ") + text;
}

using RowPair = std::pair<std::size_t, std::size_t>;  // of the first, of the second

// In the order of the first's rows. O(n log n).
std::vector<RowPair> pairs_by_text(const std::vector<BinnedSentence>& first,
                                   const std::vector<BinnedSentence>& second) {
  const auto by_text = [](const std::vector<BinnedSentence>& sentences) {
    std::vector<std::pair<std::uint64_t, std::size_t>> rows;
    for (std::size_t row = 0; row < sentences.size(); ++row) {
      if (sentences[row].text != 0) {
        rows.emplace_back(sentences[row].text, row);
      }
    }
    std::sort(rows.begin(), rows.end());
    return rows;
  };
  const auto a = by_text(first);
  const auto b = by_text(second);
  std::vector<RowPair> pairs;
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    if (a[i].first == b[j].first) {
      pairs.emplace_back(a[i++].second, b[j++].second);
    } else {
      a[i].first < b[j].first ? ++i : ++j;
    }
  }
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

// Rows are in the order of sentence numbers.
std::vector<RowPair> pairs_by_number(const std::vector<BinnedSentence>& first,
                                     const std::vector<BinnedSentence>& second) {
  std::vector<RowPair> pairs;
  for (std::size_t i = 0, j = 0; i < first.size() && j < second.size();) {
    if (first[i].number == second[j].number) {
      pairs.emplace_back(i++, j++);
    } else {
      first[i].number < second[j].number ? ++i : ++j;
    }
  }
  return pairs;
}

// What to do about too few pairs.
std::string remedy(const PairedDifference& result, std::size_t same_numbers) {
  std::string text = "record the same text with both";
  if (result.paired_by == PairBy::text && same_numbers >= static_cast<std::size_t>(kFewestResampled)) {
    text += fmt::format(
        "; where one is a translation of the other or was changed on purpose, --pair-by number pairs the {} "
        "of "
        "the same number",
        grouped(static_cast<std::int64_t>(same_numbers)));
  }
  if (result.sentences >= kFewestResampled) {
    text += fmt::format("; --allow-partial compares the {}", grouped(result.sentences));
  }
  return text;
}

const std::string& name_of(const LengthStatistics& statistics) {
  return statistics.recording.text.empty() ? statistics.model.name : statistics.recording.text;
}

void share_sentences(const LengthStatistics& first, const LengthStatistics& second,
                     const PairedOptions& options, Shared& shared, PairedDifference& result) {
  const auto& a = sentences_of(first);
  const auto& b = sentences_of(second);
  const std::vector<RowPair> pairs =
      options.pair_by == PairBy::text ? pairs_by_text(a, b) : pairs_by_number(a, b);
  for (const auto& [i, j] : pairs) {
    shared.first_rows.push_back(i);
    shared.second_rows.push_back(j);
    result.other_text += a[i].text == 0 || a[i].text != b[j].text ? 1 : 0;
  }
  result.paired_by = options.pair_by;
  result.sentences = static_cast<std::int64_t>(pairs.size());
  result.first_sentences = static_cast<std::int64_t>(a.size());
  result.second_sentences = static_cast<std::int64_t>(b.size());
  const auto smaller = static_cast<double>(std::min(a.size(), b.size()));
  const bool enough = static_cast<double>(result.sentences) >= kLeastPaired * smaller;
  if (enough && result.sentences < kFewestResampled) {
    throw UsageError(fmt::format(
        "the difference of {} and {} over a corpus: {} in both; intervals need at least {}", name_of(first),
        name_of(second), counted(result.sentences, "sentence"), kFewestResampled));
  }
  if (result.sentences < kFewestResampled || (!enough && !options.allow_partial)) {
    throw UsageError(fmt::format(
        "the difference of {} and {} over a corpus: {} of {} and {} sentences have {} ({:.1f}\u00a0% of the "
        "smaller corpus; at least {:.0f}\u00a0% are needed); {}",
        name_of(first), name_of(second), grouped(result.sentences), grouped(result.first_sentences),
        grouped(result.second_sentences),
        options.pair_by == PairBy::text ? "the same text in both" : "the same number in both",
        smaller > 0 ? 100 * static_cast<double>(result.sentences) / smaller : 0.0, 100 * kLeastPaired,
        remedy(result, pairs_by_number(a, b).size())));
  }
}

void share_series(const LengthStatistics& first, const LengthStatistics& second, const PairedOptions& options,
                  Shared& shared, PairedDifference& result) {
  std::vector<MeasuredSeries> alone;
  const auto find = [](const LengthStatistics& in, const MeasuredSeries& series) {
    return static_cast<std::size_t>(std::find(in.series.begin(), in.series.end(), series) -
                                    in.series.begin());
  };
  for (std::size_t i = 0; i < first.series.size(); ++i) {
    const std::size_t j = find(second, first.series[i]);
    if (j == second.series.size()) {
      alone.push_back(first.series[i]);
      continue;
    }
    shared.series.push_back(first.series[i]);
    shared.first_columns.push_back(i);
    shared.second_columns.push_back(j);
  }
  const auto note = [&result](const std::vector<MeasuredSeries>& left_out, const std::string& which) {
    if (!left_out.empty()) {
      result.notes.push_back(fmt::format("left out: {} that only {} has ({})",
                                         counted(static_cast<std::int64_t>(left_out.size()), "row"), which,
                                         layers_text(left_out)));
    }
  };
  note(alone, options.first_name);
  std::vector<MeasuredSeries> other;
  std::copy_if(second.series.begin(), second.series.end(), std::back_inserter(other),
               [&](const MeasuredSeries& series) { return find(first, series) == first.series.size(); });
  note(other, options.second_name);
  if (shared.series.empty()) {
    throw UsageError(fmt::format(
        "the difference of {} and {} in \"{}\": they share no layer and part; the first has {}, the "
        "second {}",
        name_of(first), name_of(second), name(first.measure), layers_text(first.series),
        layers_text(second.series)));
  }
}

void note_sentences(const PairedOptions& options, PairedDifference& result) {
  const auto note = [&result](std::int64_t count, const std::string& which) {
    if (count > 0) {
      result.notes.push_back(fmt::format("left out: {} of {}, which {} no pair", counted(count, "sentence"),
                                         which, count == 1 ? "has" : "have"));
    }
  };
  note(result.first_sentences - result.sentences, options.first_name);
  note(result.second_sentences - result.sentences, options.second_name);
  if (result.paired_by == PairBy::number && result.other_text > 0) {
    result.notes.push_back(
        fmt::format("{} of {} pairs have two different texts: they were paired by their "
                    "numbers alone (--pair-by number)",
                    result.other_text, result.sentences));
  }
  // All signs flipped give the same |T|: of n sentences 2 of 2^n draws are as great as what is there.
  const double smallest = std::pow(2.0, 1.0 - static_cast<double>(result.sentences));
  if (smallest >= kSignificant) {
    result.notes.push_back(fmt::format("p cannot be below {} with {}", shortest(smallest),
                                       counted(result.sentences, "sentence")));
  }
}

void check_options(const PairedOptions& options) {
  const BootstrapOptions& bootstrap = options.bootstrap;
  if (options.permutations < 1 || bootstrap.resamples < 0 ||
      !(bootstrap.confidence > 0 && bootstrap.confidence < 1)) {
    throw UsageError(
        fmt::format("a paired difference with {} permutations, {} resamples and confidence {}: expected "
                    "permutations from 1, resamples from 0 and a confidence between 0 and 1",
                    options.permutations, bootstrap.resamples, bootstrap.confidence));
  }
}

// Intervals of the means of all cells, the same sentences drawn for all of them.
std::vector<Interval> intervals(std::span<const double> differences, std::size_t cells,
                                const PairedOptions& options) {
  const auto items = static_cast<std::int64_t>(differences.size() / cells);
  const auto resamples = static_cast<std::size_t>(options.bootstrap.resamples);
  std::vector<std::vector<double>> means(cells, std::vector<double>(resamples));
  std::vector<double> sums(cells);
  for (std::size_t resample = 0; resample < resamples; ++resample) {
    check_stop(options.bootstrap);
    if (options.progress && resample % kReportEvery == 0) {
      options.progress(options.permutations + static_cast<std::int64_t>(resample),
                       options.permutations + options.bootstrap.resamples);
    }
    std::fill(sums.begin(), sums.end(), 0.0);
    for (std::int64_t draw = 0; draw < items; ++draw) {
      const std::int64_t drawn = resampled_index(items, options.bootstrap.seed, kSentences, resample,
                                                 static_cast<std::uint64_t>(draw));
      const double* const row = differences.data() + static_cast<std::size_t>(drawn) * cells;
      for (std::size_t c = 0; c < cells; ++c) {
        sums[c] += row[c];
      }
    }
    for (std::size_t c = 0; c < cells; ++c) {
      means[c][resample] = sums[c] / static_cast<double>(items);
    }
  }
  std::vector<Interval> result;
  for (std::vector<double>& of_cell : means) {
    check_stop(options.bootstrap);
    result.push_back(percentile_interval(std::move(of_cell), options.bootstrap.confidence));
  }
  return result;
}

// Σ d over the sentences, by cell, with the signs of one draw.
void add_with_signs(std::span<const double> differences, std::size_t cells, std::uint64_t seed,
                    std::uint64_t draw, std::vector<double>& sums) {
  std::fill(sums.begin(), sums.end(), 0.0);
  const std::size_t sentences = differences.size() / cells;
  std::uint64_t bits = 0;
  for (std::size_t s = 0; s < sentences; ++s) {
    if (s % 64 == 0) {  // a sign is one bit
      bits = keyed_random(seed, kSigns, draw, s / 64);
    }
    const double sign = ((bits >> (s % 64)) & 1U) == 0 ? 1.0 : -1.0;
    const double* const row = differences.data() + s * cells;
    for (std::size_t c = 0; c < cells; ++c) {
      sums[c] += sign * row[c];
    }
  }
}

}  // namespace

std::string_view name(PairBy by) noexcept {
  return kPairByNames[static_cast<std::size_t>(by)];
}

PairBy parse_pair_by(std::string_view text) {
  const auto* const at = std::find(kPairByNames.begin(), kPairByNames.end(), text);
  if (at == kPairByNames.end()) {
    throw unknown_choice("--pair-by", text, {"text", "number"});
  }
  return static_cast<PairBy>(at - kPairByNames.begin());
}

std::vector<double> max_t_p_values(std::span<const double> differences, std::size_t cells,
                                   const PairedOptions& options) {
  check_options(options);
  std::vector<double> sums(cells, 0.0);
  std::vector<double> norms(cells, 0.0);
  for (std::size_t i = 0; i < differences.size(); ++i) {
    sums[i % cells] += differences[i];
    norms[i % cells] += differences[i] * differences[i];
  }
  std::vector<double> observed(cells);
  for (std::size_t c = 0; c < cells; ++c) {
    norms[c] = std::sqrt(norms[c]);
    observed[c] = std::abs(sums[c]) / norms[c];  // NaN where all are 0
  }
  std::vector<std::int64_t> as_great(cells, 0);
  for (std::int64_t draw = 0; draw < options.permutations; ++draw) {
    check_stop(options.bootstrap);
    if (options.progress && draw % kReportEvery == 0) {
      options.progress(draw, options.permutations + options.bootstrap.resamples);
    }
    add_with_signs(differences, cells, options.bootstrap.seed, static_cast<std::uint64_t>(draw), sums);
    double greatest = 0;
    for (std::size_t c = 0; c < cells; ++c) {
      const double t = std::abs(sums[c]) / norms[c];
      greatest = t > greatest ? t : greatest;  // false for NaN
    }
    for (std::size_t c = 0; c < cells; ++c) {
      as_great[c] += greatest >= observed[c] * (1 - kTie) ? 1 : 0;
    }
  }
  std::vector<double> result(cells);
  for (std::size_t c = 0; c < cells; ++c) {
    const double p = static_cast<double>(1 + as_great[c]) / static_cast<double>(1 + options.permutations);
    result[c] = !std::isfinite(norms[c]) ? kNone : (norms[c] > 0 ? p : 1.0);
  }
  return result;
}

PairedDifference paired_difference(const LengthStatistics& first, const LengthStatistics& second,
                                   const PairedOptions& options) {
  check_options(options);
  if (first.measure != second.measure) {
    throw UsageError(fmt::format("a paired difference of \"{}\" and \"{}\": it is of one measure",
                                 name(first.measure), name(second.measure)));
  }
  PairedDifference result;
  result.measure = first.measure;
  result.words = first.words;
  result.bootstrap = options.bootstrap;
  result.permutations = options.permutations;
  result.first = first.model;
  result.second = second.model;
  result.gate = second.gate;
  result.first_recording = name_of(first);
  result.second_recording = name_of(second);
  result.first_corpus = first.corpus_name;
  result.second_corpus = second.corpus_name;
  Shared shared;
  share_series(first, second, options, shared, result);
  share_sentences(first, second, options, shared, result);
  note_sentences(options, result);

  const std::size_t cells = shared.series.size();
  const std::size_t rows = shared.first_rows.size();
  const auto& a = first.bin_means.front();
  const auto& b = second.bin_means.front();
  std::vector<double> differences(rows * cells);
  std::vector<double> first_sums(cells, 0.0);
  std::vector<double> second_sums(cells, 0.0);
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t c = 0; c < cells; ++c) {
      const double one = a[shared.first_rows[row] * first.series.size() + shared.first_columns[c]];
      const double two = b[shared.second_rows[row] * second.series.size() + shared.second_columns[c]];
      first_sums[c] += one;
      second_sums[c] += two;
      differences[row * cells + c] = two - one;
    }
  }
  const std::vector<double> p = max_t_p_values(differences, cells, options);
  const std::vector<Interval> around = intervals(differences, cells, options);
  for (std::size_t c = 0; c < cells; ++c) {
    double sum = 0;
    for (std::size_t row = 0; row < rows; ++row) {
      sum += differences[row * cells + c];
    }
    const auto n = static_cast<double>(rows);
    PairedCell cell{shared.series[c], first_sums[c] / n, second_sums[c] / n, sum / n, kNone, kNone, p[c]};
    const Interval interval = holding(around[c], cell.difference);
    cell.low = interval.low;
    cell.high = interval.high;
    result.cells.push_back(cell);
  }
  return result;
}

std::string PairedDifference::pairs_text() const {
  std::string text = grouped(sentences) + " " + plural(sentences, "sentence");
  text += paired_by == PairBy::text ? " of both" : " paired by number";
  if (sentences < std::max(first_sentences, second_sentences)) {
    text += fmt::format(" (of {} and {})", grouped(first_sentences), grouped(second_sentences));
  }
  if (other_text > 0) {
    text += fmt::format(", {} with another text", grouped(other_text));
  }
  return text;
}

Table PairedDifference::table() const {
  Table table;
  table.columns = {"recording",
                   "model",
                   "corpus",
                   "measure",
                   "units",
                   "layer",
                   "part",
                   "head",
                   "sentences",
                   "mean",
                   "against",
                   "against_mean",
                   "difference",
                   "difference_low",
                   "difference_high",
                   "p",
                   "permutations",
                   "confidence",
                   "resamples",
                   "seed",
                   "words",
                   "paired_by",
                   "sentences_second",
                   "sentences_first",
                   "other_text"};
  for (const PairedCell& cell : cells) {
    const MeasuredSeries& series = cell.series;
    table.add({second_recording,
               second.name,
               second_corpus,
               std::string(name(measure)),
               std::string(units(measure)),
               series.layer,
               series.part == Part::none ? Cell() : Cell(std::string(mog::name(series.part))),
               series.head > 0 ? Cell(series.head) : Cell(),
               sentences,
               cell.second_mean,
               first_recording,
               cell.first_mean,
               cell.difference,
               cell.low,
               cell.high,
               cell.p,
               permutations,
               bootstrap.confidence,
               bootstrap.resamples,
               static_cast<std::int64_t>(bootstrap.seed),
               words.all() ? Cell() : Cell(words.label()),
               std::string(analysis::name(paired_by)),
               second_sentences,
               first_sentences,
               other_text});
  }
  return table;
}

}  // namespace mog::analysis
