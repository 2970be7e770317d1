#include "analysis/statistics/paired_difference.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

#include "io/recording/errors.h"

namespace mog::analysis {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
// Draws of signs and of sentences must not be the same numbers.
constexpr std::uint64_t kSentences = 0;
constexpr std::uint64_t kSigns = 1;
constexpr std::int64_t kReportEvery = 32;
// Sums of the same numbers in another order differ by rounding; they are ties all the same.
constexpr double kTie = 1e-12;

std::string plural(std::int64_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

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

// Two tokenizers may see other words in the same text; two recordings may spell the same words otherwise.
bool same_sentence(const BinnedSentence& first, const BinnedSentence& second) {
  return (first.text != 0 && first.text == second.text) || first.words == second.words;
}

// Rows are in the order of sentence numbers.
void share_sentences(const LengthStatistics& first, const LengthStatistics& second, Shared& shared,
                     PairedDifference& result) {
  const auto& a = sentences_of(first);
  const auto& b = sentences_of(second);
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.size() && j < b.size()) {
    if (a[i].number < b[j].number) {
      ++i;
      ++result.only_first;
    } else if (b[j].number < a[i].number) {
      ++j;
      ++result.only_second;
    } else if (!same_sentence(a[i], b[j])) {
      ++i;
      ++j;
      ++result.other_text;
    } else {
      shared.first_rows.push_back(i++);
      shared.second_rows.push_back(j++);
    }
  }
  result.only_first += static_cast<std::int64_t>(a.size() - i);
  result.only_second += static_cast<std::int64_t>(b.size() - j);
  result.sentences = static_cast<std::int64_t>(shared.first_rows.size());
  if (result.sentences < kFewestResampled) {
    throw UsageError(fmt::format(
        "the difference of {} and {} over a corpus: at least two sentences with the same number and the same "
        "text (or as many words) are needed in both, found {} (of {} and {}; {} of the same number with "
        "another text); record the same text with both",
        first.model.name, second.model.name, result.sentences, a.size(), b.size(), result.other_text));
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
                                         plural(static_cast<std::int64_t>(left_out.size()), "row"), which,
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
        first.model.name, second.model.name, name(first.measure), layers_text(first.series),
        layers_text(second.series)));
  }
}

void note_sentences(const PairedOptions& options, PairedDifference& result) {
  std::string left_out;
  const auto add = [&left_out](std::int64_t count, const std::string& why) {
    if (count > 0) {
      left_out += fmt::format("{}{} {}", left_out.empty() ? "" : "; ", plural(count, "sentence"), why);
    }
  };
  add(result.other_text, "with another text");
  add(result.only_first, "that only " + options.first_name + " has");
  add(result.only_second, "that only " + options.second_name + " has");
  if (!left_out.empty()) {
    result.notes.push_back("left out: " + left_out);
  }
  // All signs flipped give the same |T|: of n sentences 2 of 2^n draws are as great as what is there.
  const double smallest = std::pow(2.0, 1.0 - static_cast<double>(result.sentences));
  if (smallest >= kSignificant) {
    result.notes.push_back(fmt::format("p cannot be below {} with {}", shortest(smallest),
                                       plural(result.sentences, "sentence")));
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
  result.first_corpus = first.corpus_name;
  result.second_corpus = second.corpus_name;
  Shared shared;
  share_series(first, second, options, shared, result);
  share_sentences(first, second, shared, result);
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

Table PairedDifference::table() const {
  Table table;
  table.columns = {"model",
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
                   "words"};
  for (const PairedCell& cell : cells) {
    const MeasuredSeries& series = cell.series;
    table.add({second.name,
               second_corpus,
               std::string(name(measure)),
               std::string(units(measure)),
               series.layer,
               series.part == Part::none ? Cell() : Cell(std::string(mog::name(series.part))),
               series.head > 0 ? Cell(series.head) : Cell(),
               sentences,
               cell.second_mean,
               first.name,
               cell.first_mean,
               cell.difference,
               cell.low,
               cell.high,
               cell.p,
               permutations,
               bootstrap.confidence,
               bootstrap.resamples,
               static_cast<std::int64_t>(bootstrap.seed),
               words.all() ? Cell() : Cell(words.label())});
  }
  return table;
}

}  // namespace mog::analysis
