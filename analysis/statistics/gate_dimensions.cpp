// A mean over d_model hides that some dimensions of a gate open with the length of a sentence while others
// close. Here each dimension has running moments of its own, overall and in each bin: layers · d_model ·
// (bins + 1) · 24 bytes, however long the corpus is. No sentence is kept, and the values are read once.
//
// Which two bins are compared is known only at the end (the outermost with enough sentences), so all bins
// are filled.
//
// The price of keeping no sentences is that there is no bootstrap. A dimension rises when its two means
// differ by more than 1.96 standard errors. That is a description and no test: of d_model dimensions without
// any trend one in forty rises and one in forty falls by chance, and the shares must be read against that.
#include "analysis/statistics/gate_dimensions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "analysis/random/bootstrap.h"
#include "analysis/statistics/gate_dimension_layers.h"
#include "analysis/statistics/running_moments.h"
#include "io/recording/errors.h"

namespace mog::analysis {

std::vector<LayerMoments> dimension_layers(const RecordingHeader& header, const DimensionOptions& options) {
  std::vector<LayerMoments> layers;
  for (const QuantitySchema& schema : header.quantities) {
    const QuantityName& name = schema.name;
    // Of a bidirectional layer the gate of both directions: the forward half, then the backward half.
    const bool gate = name.stack() == header.stack().stack && name.part() == Part::none &&
                      name.quantity() == Quantity::gate && name.reduction() == Reduction::full &&
                      schema.axes.size() == 2;
    if (gate && (!options.keeps_layer || options.keeps_layer(name.layer()))) {
      LayerMoments layer;
      layer.schema = schema;
      layer.all.resize(static_cast<std::size_t>(schema.extents[1]));
      layer.bins.assign(static_cast<std::size_t>(options.bins.size()), layer.all);
      layers.push_back(std::move(layer));
    }
  }
  if (layers.empty()) {
    throw UsageError(fmt::format(
        "statistics of gate dimensions: the recording of {} holds no gate of every dimension; record a "
        "Graph-Transformer with a weight gate, a GRU or an LSTM with --capture gates",
        header.model.name));
  }
  return layers;
}

std::vector<bool> counted_tokens(const Sentence& sentence, const WordRange& words) {
  std::vector<bool> result(sentence.tokens.size());
  bool any = false;
  for (std::size_t token = 0; token < result.size(); ++token) {
    const std::int64_t place = sentence.tokens[token].word + 1;
    result[token] = place >= 1 && words.holds(place);
    any = any || result[token];
  }
  return any ? result : std::vector<bool>();
}

std::vector<double> sentence_means(std::span<const float> values, const std::vector<bool>& tokens,
                                   std::size_t width) {
  std::vector<double> means(width);
  double count = 0;
  for (std::size_t token = 0; token < tokens.size(); ++token) {
    if (!tokens[token]) {
      continue;
    }
    count += 1;
    for (std::size_t d = 0; d < width; ++d) {
      means[d] += static_cast<double>(values[token * width + d]);
    }
  }
  for (double& mean : means) {
    mean /= count;
  }
  return means;
}

namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr double kTwoSided95 = 1.959963984540054;

void add_sentence(LayerMoments& layer, std::span<const float> values, const std::vector<bool>& tokens,
                  std::size_t bin) {
  const std::vector<double> means = sentence_means(values, tokens, layer.all.size());
  for (std::size_t d = 0; d < means.size(); ++d) {
    layer.all[d].add(means[d]);
    layer.bins[bin][d].add(means[d]);
  }
}

class Gathering {
 public:
  Gathering(const RecordingHeader& header, const DimensionOptions& options)
      : options_(options),
        layers_(dimension_layers(header, options)),
        bin_sentences_(layers_.front().bins.size()) {}

  void add(const RecordingSource& source) {
    const std::vector<std::int64_t> words = source.word_counts();
    for (std::int64_t first = 0; first < source.size(); first += options_.block_sentences) {
      if (options_.stop.stop_requested()) {
        throw Interrupted("statistics were stopped before all sentences were read");
      }
      const std::int64_t count = std::min(options_.block_sentences, source.size() - first);
      add_block(source, first, count, words);
      if (options_.progress) {
        options_.progress(first + count, source.size());
      }
    }
  }
  DimensionStatistics finish(const RecordingHeader& header) const {
    return dimension_statistics(header, options_, layers_, bin_sentences_);
  }

 private:
  void add_block(const RecordingSource& source, std::int64_t first, std::int64_t count,
                 const std::vector<std::int64_t>& words) {
    std::vector<std::vector<bool>> tokens;
    std::vector<std::size_t> lengths;
    for (std::int64_t i = 0; i < count; ++i) {
      const Sentence sentence = source.sentence(first + i);
      const std::int64_t bin = options_.bins.bin(words[static_cast<std::size_t>(first + i)]);
      lengths.push_back(sentence.tokens.size());
      tokens.push_back(bin < 0 ? std::vector<bool>() : counted_tokens(sentence, options_.words));
      if (!tokens.back().empty()) {
        ++bin_sentences_[static_cast<std::size_t>(bin)];
      }
    }
    for (LayerMoments& layer : layers_) {
      const std::vector<float> values = source.read_packed(first, count, layer.schema.name).to_floats();
      std::size_t offset = 0;
      for (std::int64_t i = 0; i < count; ++i) {
        const auto at = static_cast<std::size_t>(i);
        const std::size_t elements = lengths[at] * layer.all.size();
        if (offset + elements > values.size()) {
          throw FormatError(
              fmt::format("{} of sentences {} to {} has {} values, fewer than its tokens ask for",
                          layer.schema.name.text(), first + 1, first + count, values.size()));
        }
        if (!tokens[at].empty()) {
          add_sentence(
              layer, std::span<const float>(values).subspan(offset, elements), tokens[at],
              static_cast<std::size_t>(options_.bins.bin(words[static_cast<std::size_t>(first + i)])));
        }
        offset += elements;
      }
    }
  }

  const DimensionOptions& options_;
  std::vector<LayerMoments> layers_;
  std::vector<std::int64_t> bin_sentences_;
};

// Shares of dimensions that rise and fall from one bin to another.
void fill_rise(DimensionLayer& result, const std::vector<RunningMoments>& first,
               const std::vector<RunningMoments>& last) {
  double rising = 0;
  double falling = 0;
  for (std::size_t d = 0; d < first.size(); ++d) {
    const double difference = last[d].mean() - first[d].mean();
    const double error = std::hypot(first[d].standard_error(), last[d].standard_error());
    rising += difference > kTwoSided95 * error ? 1 : 0;
    falling += difference < -kTwoSided95 * error ? 1 : 0;
  }
  result.rising = rising / static_cast<double>(first.size());
  result.falling = falling / static_cast<double>(first.size());
}

}  // namespace

DimensionStatistics dimension_statistics(const RecordingHeader& header, const DimensionOptions& options,
                                         std::span<const LayerMoments> layers,
                                         std::span<const std::int64_t> bin_sentences) {
  DimensionStatistics result;
  result.model = header.model;
  result.corpus_name = header.provenance.corpus_name;
  result.words = options.words;
  result.sentences = std::accumulate(bin_sentences.begin(), bin_sentences.end(), std::int64_t{0});
  std::size_t first = bin_sentences.size();
  std::size_t last = 0;
  for (std::size_t bin = 0; bin < bin_sentences.size(); ++bin) {
    if (bin_sentences[bin] >= std::max<std::int64_t>(options.minimum_sentences, 2)) {
      first = std::min(first, bin);
      last = bin;
    }
  }
  if (first < last) {
    const LengthBins& bins = options.bins;
    const auto low_end = static_cast<std::int64_t>(first);
    const auto high_end = static_cast<std::int64_t>(last);
    result.first = bins.label(low_end);
    result.first_low = bins.low(low_end);
    result.first_high = bins.high(low_end);
    result.last = bins.label(high_end);
    result.last_low = bins.low(high_end);
    result.last_high = bins.high(high_end);
  }
  std::vector<double> before;
  for (const LayerMoments& layer : layers) {
    DimensionLayer of_layer;
    of_layer.layer = layer.schema.name.layer();
    of_layer.dimensions = static_cast<std::int64_t>(layer.all.size());
    RunningMoments over_dimensions;
    double variance = 0;
    std::vector<double> means;
    for (const RunningMoments& dimension : layer.all) {
      means.push_back(dimension.mean());
      over_dimensions.add(dimension.mean());
      variance += dimension.variance();
    }
    const auto count = static_cast<double>(means.size());
    of_layer.mean = over_dimensions.mean();
    of_layer.sd_dimensions = std::sqrt(over_dimensions.variance());
    of_layer.sd_sentences = std::sqrt(variance / count);
    std::vector<double> sorted = means;
    for (const double q : kDimensionQuantiles) {
      of_layer.quantiles.push_back(quantile(sorted, q));
    }
    of_layer.rising = of_layer.falling = of_layer.above_previous = kNone;
    if (first < last) {
      fill_rise(of_layer, layer.bins[first], layer.bins[last]);
    }
    if (before.size() == means.size()) {
      double above = 0;
      for (std::size_t d = 0; d < means.size(); ++d) {
        above += means[d] > before[d] ? 1 : 0;
      }
      of_layer.above_previous = above / count;
    }
    before = std::move(means);
    result.layers.push_back(std::move(of_layer));
  }
  return result;
}

Table DimensionStatistics::table() const {
  Table table;
  table.columns = {"model",   "corpus",        "words",          "layer",    "dimensions", "sentences",
                   "mean",    "sd_dimensions", "sd_sentences",   "q05",      "q25",        "q50",
                   "q75",     "q95",           "above_previous", "first",    "last",       "rising",
                   "falling", "first_low",     "first_high",     "last_low", "last_high"};
  const auto text = [](const std::string& value) { return value.empty() ? Cell() : Cell(value); };
  const auto bound = [](std::int64_t value) { return value < 0 ? Cell() : Cell(value); };
  for (const DimensionLayer& layer : layers) {
    std::vector<Cell> row = {model.name,  corpus_name,         text(words.label()),
                             layer.layer, layer.dimensions,    sentences,
                             layer.mean,  layer.sd_dimensions, layer.sd_sentences};
    row.insert(row.end(), layer.quantiles.begin(), layer.quantiles.end());
    for (Cell cell :
         {Cell(layer.above_previous), text(first), text(last), Cell(layer.rising), Cell(layer.falling),
          bound(first_low), bound(first_high), bound(last_low), bound(last_high)}) {
      row.push_back(std::move(cell));
    }
    table.add(std::move(row));
  }
  return table;
}

DimensionStatistics gate_dimensions(const std::vector<const RecordingSource*>& sources,
                                    const DimensionOptions& options) {
  if (sources.empty()) {
    throw UsageError("statistics of gate dimensions: no recording was named");
  }
  Gathering gathering(sources.front()->header(), options);
  for (const RecordingSource* const source : sources) {
    gathering.add(*source);
  }
  return gathering.finish(sources.front()->header());
}

}  // namespace mog::analysis
