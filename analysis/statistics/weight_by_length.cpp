// One pass over the recording. Blocks of packed sentences are read quantity by quantity and reduced at once
// to a mean and a sum of squared deviations for each sentence and series; the tokens are forgotten. Memory
// is 16 bytes a sentence and series, whatever the lengths (decision 7: a million sentences of 12 layers take
// 200 MB).
//
// finish() sorts by sentence number and only then adds up, merging moments pairwise. Sums in the order of
// arrival would differ in their last bits between shards, threads and a resumed run. Weights drawn from a
// Poisson distribution would need no list of sentences, but a thousand random numbers for each, and would
// give other intervals in bins of a few.
//
// The bootstrap costs O(resamples · sentences · series) over all bins. The resampled means of all bins stay
// until the end, bins · series · resamples doubles: a difference to the first bin is taken draw by draw.
//
// Traps: each bin has a stream of its own (its number), so the draws of two bins are independent. That a
// sentence came twice is seen in finish() alone: before, merged accumulators may hold shards in any order.
// With bins of position one sentence has several rows, which only the bin tells apart.
#include "analysis/statistics/weight_by_length.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <string_view>
#include <tuple>
#include <utility>

#include "analysis/statistics/length_cells.h"
#include "analysis/statistics/length_reader.h"
#include "analysis/statistics/running_moments.h"
#include "analysis/statistics/sentence_key.h"
#include "io/recording/errors.h"
#include "io/recording/nearest_name.h"

namespace mog::analysis {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

struct MeasureText {
  Measure measure;
  std::string_view name;
  std::string_view units;
};
constexpr std::array kMeasures = {
    MeasureText{Measure::gate, "gate", "1"},          MeasureText{Measure::share, "share", "1"},
    MeasureText{Measure::entropy, "entropy", "nats"}, MeasureText{Measure::maximum, "max", "1"},
    MeasureText{Measure::leaves, "leaves", "leaves"}, MeasureText{Measure::sink, "sink", "1"}};

const MeasureText& text_of(Measure measure) {
  return kMeasures[static_cast<std::size_t>(measure)];
}

}  // namespace

std::string_view name(Measure measure) noexcept {
  return text_of(measure).name;
}
std::string_view units(Measure measure) noexcept {
  return text_of(measure).units;
}

std::vector<std::string> measure_names() {
  std::vector<std::string> names;
  names.reserve(std::size(kMeasures));
  for (const MeasureText& entry : kMeasures) {
    names.emplace_back(entry.name);
  }
  return names;
}

Measure parse_measure(std::string_view text) {
  for (const MeasureText& entry : kMeasures) {
    if (entry.name == text) {
      return entry.measure;
    }
  }
  const std::vector<std::string> known = measure_names();
  throw UsageError(fmt::format("\"{}\" is no measure of a statistic; expected one of {}{}", text,
                               fmt::join(known, ", "), did_you_mean(text, known)));
}

std::string_view name(BinnedBy by) noexcept {
  return by == BinnedBy::length ? "length" : "position";
}

const LengthCell& LengthStatistics::cell(std::int64_t series_index, std::int64_t bin) const {
  return cells.at(static_cast<std::size_t>(series_index * bins.size() + bin));
}

LengthAccumulator::LengthAccumulator(LengthOptions options) : options_(std::move(options)) {
  const BootstrapOptions& bootstrap = options_.bootstrap;
  if (bootstrap.resamples < 0 || !(bootstrap.confidence > 0 && bootstrap.confidence < 1) ||
      options_.block_sentences < 1) {
    throw UsageError(
        fmt::format("statistics with {} resamples, confidence {} and blocks of {} sentences: expected "
                    "resamples from 0, a "
                    "confidence between 0 and 1, blocks from 1",
                    bootstrap.resamples, bootstrap.confidence, options_.block_sentences));
  }
}

void LengthAccumulator::begin(const RecordingHeader& header) {
  series_ =
      measured_series(measured_quantities(header, options_.measure, options_.by_head, options_.keeps_layer),
                      options_.by_head);
  model_ = header.model;
  gate_ = header.stack().gate;
  corpus_name_ = header.provenance.corpus_name;
  sketches_ = {options_.quantiles ? options_.bins.size() : 0, static_cast<std::int64_t>(series_.size())};
}

void LengthAccumulator::add(const RecordingSource& source) {
  const auto quantities =
      measured_quantities(source.header(), options_.measure, options_.by_head, options_.keeps_layer);
  const auto series = measured_series(quantities, options_.by_head);
  if (series_.empty()) {
    begin(source.header());
  } else if (series != series_) {
    throw UsageError(
        fmt::format("statistics over several recordings: {} has other layers, parts or heads than {} ({} "
                    "series, expected {}); "
                    "count models with different depths one by one",
                    source.header().model.name, model_.name, series.size(), series_.size()));
  }
  const std::vector<std::int64_t> tokens = source.token_counts();
  const std::vector<std::int64_t> words = source.word_counts();
  const std::int64_t total = source.size();
  for (std::int64_t first = 0; first < total; first += options_.block_sentences) {
    if (options_.stop.stop_requested()) {
      throw Interrupted("statistics were stopped before all sentences were read");
    }
    const std::int64_t count = std::min(options_.block_sentences, total - first);
    add_block(source, quantities, {first, count}, tokens, words);
    if (options_.progress) {
      options_.progress(first + count, total);
    }
  }
  ++sources_;
}

// A row and the tokens that it averages.
struct LengthAccumulator::RowTokens {
  std::size_t row = 0;
  std::vector<std::size_t> tokens;
};

// The rows of one sentence, none if no word of it counts.
std::vector<LengthAccumulator::RowTokens> LengthAccumulator::add_rows(const Sentence& sentence,
                                                                      std::int64_t index,
                                                                      std::int64_t words) {
  std::map<std::int64_t, std::vector<std::size_t>> by_bin;
  for (std::size_t token = 0; token < sentence.tokens.size(); ++token) {
    const std::int64_t place = sentence.tokens[token].word + 1;  // 0: a special token
    if (place < 1 || !options_.words.holds(place) || !has_value(options_.measure, sentence, token)) {
      continue;
    }
    const std::int64_t bin = options_.bins.bin(options_.by == BinnedBy::length ? words : place);
    if (bin >= 0) {
      by_bin[bin].push_back(token);
    }
  }
  const std::uint64_t text = sentence_key(sentence);
  std::vector<RowTokens> result;
  for (auto& [bin, tokens] : by_bin) {
    const std::size_t row = rows_.size();
    rows_.push_back({{sentence.number, index, sources_, words, text},
                     bin,
                     static_cast<std::int64_t>(tokens.size()),
                     row * series_.size()});
    result.push_back({row, std::move(tokens)});
  }
  return result;
}

void LengthAccumulator::reduce(const RowTokens& row, std::span<const double> values, std::size_t series) {
  RunningMoments moments;
  for (const std::size_t token : row.tokens) {
    moments.add(values[token]);
  }
  const std::size_t at = row.row * series_.size() + series;
  means_[at] = moments.mean();
  m2s_[at] = moments.m2();
  if (!options_.quantiles) {
    return;
  }
  QuantileSketch& sketch = sketches_.at(rows_[row.row].bin, static_cast<std::int64_t>(series));
  if (options_.averaging == Averaging::macro) {
    sketch.add(moments.mean());
    return;
  }
  std::vector<double> own;
  own.reserve(row.tokens.size());
  for (const std::size_t token : row.tokens) {
    own.push_back(values[token]);
  }
  sketch.add(own);
}

void LengthAccumulator::add_block(const RecordingSource& source, std::span<const MeasuredQuantity> quantities,
                                  Block block, std::span<const std::int64_t> tokens,
                                  std::span<const std::int64_t> words) {
  const std::size_t width = series_.size();
  const std::size_t first_row = rows_.size();
  std::vector<std::vector<RowTokens>> rows;  // of each sentence
  for (std::int64_t i = 0; i < block.count; ++i) {
    const std::int64_t index = block.first + i;
    rows.push_back(add_rows(source.sentence(index), index, words[static_cast<std::size_t>(index)]));
  }
  means_.resize(rows_.size() * width);
  m2s_.resize(rows_.size() * width);
  if (rows_.size() == first_row) {
    return;
  }
  for (const MeasuredQuantity& quantity : quantities) {
    const std::vector<float> values =
        source.read_packed(block.first, block.count, quantity.schema.name).to_floats();
    std::size_t offset = 0;
    for (std::int64_t i = 0; i < block.count; ++i) {
      const std::int64_t length = tokens[static_cast<std::size_t>(block.first + i)];
      const auto elements = static_cast<std::size_t>(quantity.schema.elements(length));
      if (offset + elements > values.size()) {
        throw FormatError(fmt::format("{} of sentences {} to {} has {} values, fewer than its tokens ask for",
                                      quantity.schema.name.text(), block.first + 1, block.first + block.count,
                                      values.size()));
      }
      const std::vector<RowTokens>& of_sentence = rows[static_cast<std::size_t>(i)];
      if (!of_sentence.empty()) {
        const auto numbers =
            token_values(quantity, std::span<const float>(values).subspan(offset, elements), length);
        for (const RowTokens& row : of_sentence) {
          for (std::int64_t s = 0; s < quantity.series; ++s) {
            reduce(row, std::span(numbers).subspan(static_cast<std::size_t>(s * length)),
                   quantity.first_series + static_cast<std::size_t>(s));
          }
        }
      }
      offset += elements;
    }
  }
}

void LengthAccumulator::merge(const LengthAccumulator& other) {
  if (other.sources_ == 0) {
    return;
  }
  if (sources_ == 0) {
    series_ = other.series_;
    model_ = other.model_;
    gate_ = other.gate_;
    corpus_name_ = other.corpus_name_;
    sketches_ = other.sketches_;
  } else if (series_ != other.series_) {
    throw UsageError("merging statistics: the two have other layers, parts or heads; count them one by one");
  } else {
    sketches_.merge(other.sketches_);
  }
  for (SentenceRow row : other.rows_) {
    row.sentence.source += sources_;
    row.first_moment += means_.size();
    rows_.push_back(row);
  }
  means_.insert(means_.end(), other.means_.begin(), other.means_.end());
  m2s_.insert(m2s_.end(), other.m2s_.begin(), other.m2s_.end());
  sources_ += other.sources_;
}

namespace {

// The resampled means of one bin, [series, resample].
std::vector<double> resample_bin(std::span<const double* const> means, std::span<const std::int64_t> tokens,
                                 std::size_t width, const LengthOptions& options, std::int64_t bin) {
  const auto items = static_cast<std::int64_t>(means.size());
  const auto resamples = static_cast<std::size_t>(options.bootstrap.resamples);
  const bool micro = options.averaging == Averaging::micro;
  std::vector<double> result(width * resamples);
  std::vector<double> sums(width);
  for (std::size_t resample = 0; resample < resamples; ++resample) {
    check_stop(options.bootstrap);
    std::fill(sums.begin(), sums.end(), 0.0);
    double weight = 0;
    for (std::int64_t draw = 0; draw < items; ++draw) {
      const auto drawn = static_cast<std::size_t>(resampled_index(items, options.bootstrap.seed,
                                                                  static_cast<std::uint64_t>(bin), resample,
                                                                  static_cast<std::uint64_t>(draw)));
      const double share = micro ? static_cast<double>(tokens[drawn]) : 1.0;
      weight += share;
      for (std::size_t s = 0; s < width; ++s) {
        sums[s] += share * means[drawn][s];
      }
    }
    for (std::size_t s = 0; s < width; ++s) {
      result[s * resamples + resample] = sums[s] / weight;
    }
  }
  return result;
}

}  // namespace

LengthStatistics LengthAccumulator::facts() const {
  LengthStatistics result;
  result.measure = options_.measure;
  result.averaging = options_.averaging;
  result.bins = options_.bins;
  result.by = options_.by;
  result.words = options_.words;
  result.bootstrap = options_.bootstrap;
  result.quantiles = options_.quantiles;
  result.model = model_;
  result.gate = gate_;
  result.corpus_name = corpus_name_;
  result.series = series_;
  return result;
}

void LengthAccumulator::take(const std::function<void(const Row&)>& use) {
  const auto width = static_cast<std::ptrdiff_t>(series_.size());
  for (const SentenceRow& row : rows_) {
    const auto first = static_cast<std::ptrdiff_t>(row.first_moment);
    use({row.sentence.number,
         row.sentence.words,
         row.bin,
         row.tokens,
         {means_.begin() + first, means_.begin() + first + width},
         {m2s_.begin() + first, m2s_.begin() + first + width}});
  }
  rows_.clear();
  means_.clear();
  m2s_.clear();
}

LengthStatistics LengthAccumulator::finish() const {
  LengthStatistics result = facts();
  result.bin_sentences.resize(static_cast<std::size_t>(result.bins.size()));

  // In the order of sentence numbers, whatever order they were read in.
  std::vector<const SentenceRow*> sorted;
  for (const SentenceRow& row : rows_) {
    sorted.push_back(&row);
  }
  std::sort(sorted.begin(), sorted.end(), [](const SentenceRow* a, const SentenceRow* b) {
    return std::tie(a->sentence, a->bin) < std::tie(b->sentence, b->bin);
  });
  std::vector<std::vector<const SentenceRow*>> by_bin(result.bin_sentences.size());
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    const BinnedSentence& sentence = sorted[i]->sentence;
    const bool another = i == 0 || sorted[i - 1]->sentence != sentence;
    if (i > 0 && another && sorted[i - 1]->sentence.number == sentence.number) {
      throw UsageError(
          fmt::format("statistics over several recordings: sentence {} comes twice; shards of one corpus "
                      "count each sentence "
                      "once, other recordings are counted one by one",
                      sentence.number));
    }
    result.sentences += another ? 1 : 0;
    const auto bin = static_cast<std::size_t>(sorted[i]->bin);
    by_bin[bin].push_back(sorted[i]);
    result.bin_sentences[bin].push_back(sentence);
  }
  if (options_.keep_means) {
    for (const auto& rows : by_bin) {
      auto& means = result.bin_means.emplace_back();
      for (const SentenceRow* row : rows) {
        const auto begin = means_.begin() + static_cast<std::ptrdiff_t>(row->first_moment);
        means.insert(means.end(), begin, begin + static_cast<std::ptrdiff_t>(series_.size()));
      }
    }
  }

  const std::size_t width = series_.size();
  const auto bins = by_bin.size();
  result.cells.resize(width * bins);
  std::vector<std::vector<double>> resampled(bins);
  for (std::size_t bin = 0; bin < bins; ++bin) {
    if (!by_bin[bin].empty() && result.first_bin < 0) {
      result.first_bin = static_cast<std::int64_t>(bin);
    }
    fill_bin(result, by_bin[bin], bin, resampled);
  }
  fill_differences(result, resampled);
  return result;
}

void LengthAccumulator::fill_bin(LengthStatistics& result, std::span<const SentenceRow* const> rows,
                                 std::size_t bin, std::vector<std::vector<double>>& resampled) const {
  const std::size_t width = series_.size();
  const std::size_t bins = resampled.size();
  const bool micro = options_.averaging == Averaging::micro;
  std::vector<const double*> means;
  std::vector<std::int64_t> tokens;
  for (const SentenceRow* row : rows) {
    means.push_back(means_.data() + row->first_moment);
    tokens.push_back(row->tokens);
  }
  resampled[bin] = rows.empty()
                       ? std::vector<double>()
                       : resample_bin(means, tokens, width, options_, static_cast<std::int64_t>(bin));
  const auto resamples = static_cast<std::size_t>(options_.bootstrap.resamples);
  for (std::size_t s = 0; s < width; ++s) {
    check_stop(options_.bootstrap);
    RunningMoments moments;
    for (const SentenceRow* row : rows) {
      const double mean = means_[row->first_moment + s];
      if (micro) {
        moments.merge({row->tokens, mean, m2s_[row->first_moment + s]});
      } else {
        moments.add(mean);
      }
    }
    LengthCell& cell = result.cells[s * bins + bin];
    cell.series = series_[s];
    cell.bin = static_cast<std::int64_t>(bin);
    cell.sentences = static_cast<std::int64_t>(rows.size());
    cell.tokens = std::accumulate(tokens.begin(), tokens.end(), std::int64_t{0});
    cell.mean = rows.empty() ? kNone : moments.mean();
    cell.variance = rows.empty() ? kNone : moments.variance();
    if (options_.quantiles) {
      cell.quartiles = quartiles(sketches_.at(cell.bin, static_cast<std::int64_t>(s)), options_.bootstrap);
    }
    fill_interval(cell,
                  std::span<const double>(resampled[bin])
                      .subspan(rows.empty() ? 0 : s * resamples, rows.empty() ? 0 : resamples),
                  options_.bootstrap);
  }
}

}  // namespace mog::analysis
