// One pass over the gates of a recording, in blocks of sentences. A window asks for every sentence that it
// shows, so the answers for the last recordings are kept. A recording is known by its place in memory and by
// its corpus, model, time and size: another one in the same place differs in these.
#include "analysis/figure_data/gate_median.h"

#include <algorithm>
#include <deque>
#include <mutex>
#include <tuple>
#include <vector>

#include "io/recording/errors.h"

namespace mog::analysis {
namespace {

constexpr std::int64_t kSentences = 256;  // a block
constexpr std::size_t kRemembered = 8;

using Key = std::tuple<const RecordingSource*, std::string, std::string, std::string, std::int64_t>;

Key key_of(const RecordingSource& source) {
  const RecordingHeader& header = source.header();
  return {&source, header.provenance.corpus_sha256, header.model.name, header.provenance.started,
          source.size()};
}

// The means over dimensions of the gates of words, sentences [first, first + count).
void add_gates(const RecordingSource& source, std::int64_t layer, std::int64_t first, std::int64_t count,
               const std::vector<bool>& special, std::vector<double>& gates) {
  const QuantityName full(source.header().stack().stack, layer, Part::none, Quantity::gate);
  const QuantityName mean = full.with(Reduction::mean);
  const bool has_mean = source.header().find(mean) != nullptr;
  if (special.empty() || (!has_mean && source.header().find(full) == nullptr)) {
    return;
  }
  const std::vector<float> values = source.read_packed(first, count, has_mean ? mean : full).to_floats();
  const std::size_t width = values.size() / special.size();
  for (std::size_t token = 0; token < special.size() && width > 0; ++token) {
    if (!special[token]) {
      double sum = 0;
      for (std::size_t i = 0; i < width; ++i) {
        sum += static_cast<double>(values[token * width + i]);
      }
      gates.push_back(sum / static_cast<double>(width));
    }
  }
}

double median_of(std::vector<double> values) {
  if (values.empty()) {
    return 0.5;
  }
  const std::size_t half = values.size() / 2;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(half);
  std::nth_element(values.begin(), middle, values.end());
  const double upper = *middle;
  return values.size() % 2 == 1 ? upper : (upper + *std::max_element(values.begin(), middle)) / 2;
}

double median_of_sentences(const RecordingSource& source, std::int64_t begin, std::int64_t end,
                           const std::set<std::int64_t>& layers, const std::stop_token& stop) {
  std::vector<double> gates;
  for (std::int64_t first = begin; first < end; first += kSentences) {
    if (stop.stop_requested()) {
      throw Interrupted("cancelled");
    }
    const std::int64_t count = std::min(kSentences, end - first);
    std::vector<bool> special;
    for (std::int64_t index = first; index < first + count; ++index) {
      for (const Token& token : source.sentence(index).tokens) {
        special.push_back(token.word < 0);
      }
    }
    for (const std::int64_t layer : layers) {
      add_gates(source, layer, first, count, special, gates);
    }
  }
  return median_of(std::move(gates));
}

}  // namespace

GateMiddle gate_middle(const RecordingSource& source, std::int64_t index,
                       const std::set<std::int64_t>& layers, const std::stop_token& stop) {
  if (source.size() == 1 || source.header().provenance.corpus_sha256.empty()) {
    return {median_of_sentences(source, index, index + 1, layers, stop), "this sentence"};
  }
  static std::mutex mutex;
  static std::deque<std::pair<Key, double>> remembered;
  const Key key = key_of(source);
  {
    const std::lock_guard lock(mutex);
    const auto at =
        std::find_if(remembered.begin(), remembered.end(), [&](const auto& one) { return one.first == key; });
    if (at != remembered.end()) {
      return {at->second, "the recording"};
    }
  }
  const double median = median_of_sentences(source, 0, source.size(), layers, stop);
  const std::lock_guard lock(mutex);
  remembered.emplace_front(key, median);
  remembered.resize(std::min(remembered.size(), kRemembered));
  return {median, "the recording"};
}

}  // namespace mog::analysis
