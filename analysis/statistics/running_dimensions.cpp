// Columns of a layer: [dimension] means of sentences, [dimension] their squares. A sum is exact, so the
// variance by squares loses nothing: gates lie in [0, 1], and 2^-61 a value is far below what float32 gates
// have.
#include <cmath>

#include "analysis/statistics/gate_dimension_layers.h"
#include "analysis/statistics/running_sums.h"
#include "analysis/statistics/running_table.h"
#include "io/recording/errors.h"

namespace mog::analysis {
namespace {

RunningMoments moments(std::int64_t count, const ExactSum& sum, const ExactSum& squares) {
  if (count == 0) {
    return {};
  }
  const auto sentences = static_cast<long double>(count);
  const long double mean = sum.value() / sentences;
  const long double m2 = squares.value() - mean * sum.value();
  return {count, static_cast<double>(mean), static_cast<double>(std::max(m2, 0.0L))};
}

class RunningDimensions final : public RunningTable {
 public:
  RunningDimensions(const DimensionOptions& options, const RecordingHeader& header)
      : header_(header), options_(options), empty_(dimension_layers(header, options)) {
    for (const LayerMoments& layer : empty_) {
      sums_.emplace_back(options.bins.size(), 2 * static_cast<std::int64_t>(layer.all.size()), 0, 0);
    }
  }

  void add(const RecordingSource& block) override {
    for (std::int64_t index = 0; index < block.size(); ++index) {
      const Sentence sentence = block.sentence(index);
      const std::int64_t bin = options_.bins.bin(static_cast<std::int64_t>(sentence.words.size()));
      const std::vector<bool> tokens =
          bin < 0 ? std::vector<bool>() : counted_tokens(sentence, options_.words);
      if (tokens.empty()) {
        continue;
      }
      for (std::size_t layer = 0; layer < empty_.size(); ++layer) {
        const std::vector<float> values = block.read(index, empty_[layer].schema.name).to_floats();
        std::vector<double> columns = sentence_means(values, tokens, empty_[layer].all.size());
        const std::size_t width = columns.size();
        for (std::size_t d = 0; d < width; ++d) {
          columns.push_back(columns[d] * columns[d]);
        }
        sums_[layer].add(bin, columns, {});
      }
    }
  }

  Table table() const override {
    std::vector<LayerMoments> layers = empty_;
    std::vector<std::int64_t> sentences(static_cast<std::size_t>(options_.bins.size()));
    for (std::size_t at = 0; at < layers.size(); ++at) {
      fill(layers[at], sums_[at]);
    }
    for (std::size_t bin = 0; bin < sentences.size(); ++bin) {
      sentences[bin] = sums_.front().rows(static_cast<std::int64_t>(bin));
    }
    return dimension_statistics(header_, options_, layers, sentences).table();
  }

  std::vector<Additive*> sums() override {
    std::vector<Additive*> all;
    for (RunningSums& sums : sums_) {
      all.push_back(&sums);
    }
    return all;
  }

 private:
  static void fill(LayerMoments& layer, const RunningSums& sums) {
    const auto width = static_cast<std::int64_t>(layer.all.size());
    for (std::int64_t d = 0; d < width; ++d) {
      std::int64_t count = 0;
      ExactSum sum;
      ExactSum squares;
      for (std::int64_t bin = 0; bin < sums.bins(); ++bin) {
        const ExactSum& own = sums.sum(bin, d);
        const ExactSum& own_squares = sums.sum(bin, width + d);
        layer.bins[static_cast<std::size_t>(bin)][static_cast<std::size_t>(d)] =
            moments(sums.rows(bin), own, own_squares);
        count += sums.rows(bin);
        sum.add(own);
        squares.add(own_squares);
      }
      layer.all[static_cast<std::size_t>(d)] = moments(count, sum, squares);
    }
  }

  RecordingHeader header_;
  DimensionOptions options_;
  std::vector<LayerMoments> empty_;
  std::vector<RunningSums> sums_;  // [layer]
};

}  // namespace

std::unique_ptr<RunningTable> running_dimensions(const DimensionOptions& options,
                                                 const RecordingHeader& header) {
  return std::make_unique<RunningDimensions>(options, header);
}

}  // namespace mog::analysis
