// One pass over some hundred sentences, in blocks that are spread evenly over the recording: the median of
// ten thousand words is known to some thousandths, and a recording of gigabytes is not read for a colour.
// Where gates were recorded in every dimension only, fewer are read.
//
// A window asks for every sentence that it shows, so the answers for the last recordings are kept. A
// recording is known by its place in memory and by its corpus, model, time and size: another one in the same
// place differs in these.
#include "analysis/figure_data/gate_median.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <mutex>
#include <tuple>
#include <vector>

#include "analysis/figure_data/builders.h"
#include "analysis/random/bootstrap.h"
#include "io/recording/errors.h"

namespace mog::analysis {
namespace {

// Blocks of sentences that are read at once.
struct Blocks {
  std::int64_t size;
  std::int64_t most;
};
constexpr Blocks kOfMeans = {16, 32};
constexpr Blocks kOfDimensions = {4, 16};
constexpr std::size_t kRemembered = 8;

using Key = std::tuple<const RecordingSource*, std::string, std::string, std::string, std::int64_t>;

Key key_of(const RecordingSource& source) {
  const RecordingHeader& header = source.header();
  return {&source, header.provenance.corpus_sha256, header.model.name, header.provenance.started,
          source.size()};
}

// Of each layer its gate: the mean over dimensions where it was recorded.
std::map<std::int64_t, QuantityName> gates_of(const RecordingHeader& header) {
  std::map<std::int64_t, QuantityName> gates;
  for (const QuantitySchema& schema : header.quantities) {
    const QuantityName& name = schema.name;
    if (name.stack() == header.stack().stack && name.part() == Part::none &&
        name.quantity() == Quantity::gate && name.layer() > 0 &&
        (name.reduction() == Reduction::mean || name.reduction() == Reduction::full)) {
      const auto [at, is_new] = gates.try_emplace(name.layer(), name);
      if (!is_new && name.reduction() == Reduction::mean) {
        at->second = name;
      }
    }
  }
  return gates;
}

class Reading {
 public:
  Reading(const RecordingSource& source, const std::map<std::int64_t, QuantityName>& gates)
      : source_(source), gates_(gates) {}

  // Sentences [first, first + count).
  void add(std::int64_t first, std::int64_t count) {
    std::vector<std::vector<std::int64_t>> words;
    std::int64_t tokens = 0;
    for (std::int64_t index = first; index < first + count; ++index) {
      const Sentence sentence = source_.sentence(index);
      for (std::vector<std::int64_t>& word :
           shown_tokens(sentence, {.special_tokens = false, .by_word = true})) {
        for (std::int64_t& token : word) {
          token += tokens;
        }
        words.push_back(std::move(word));
      }
      tokens += static_cast<std::int64_t>(sentence.tokens.size());
    }
    const std::size_t begin = of_words_.size();
    of_words_.resize(begin + words.size());
    for (const auto& [layer, name] : gates_) {
      add_layer(source_.read_packed(first, count, name).to_floats(), tokens, words, begin);
    }
    sentences_ += count;
  }

  // None of no word.
  std::optional<GateMiddle> middle() {
    if (of_layers_.empty()) {
      return std::nullopt;
    }
    GateMiddle middle;
    middle.sentences = sentences_;
    middle.of = source_.size();
    middle.median = quantile(of_layers_, 0.5);
    for (double& word : of_words_) {
      word = std::abs(word - middle.median);
    }
    middle.reach = quantile(of_words_, 0.9);
    return middle;
  }

 private:
  void add_layer(const std::vector<float>& values, std::int64_t tokens,
                 const std::vector<std::vector<std::int64_t>>& words, std::size_t begin) {
    const std::size_t width = tokens == 0 ? 0 : values.size() / static_cast<std::size_t>(tokens);
    for (std::size_t word = 0; word < words.size() && width > 0; ++word) {
      double sum = 0;
      for (const std::int64_t token : words[word]) {
        for (std::size_t i = 0; i < width; ++i) {
          sum += static_cast<double>(values[static_cast<std::size_t>(token) * width + i]);
        }
      }
      const double gate = sum / static_cast<double>(words[word].size() * width);
      of_layers_.push_back(gate);
      of_words_[begin + word] += gate / static_cast<double>(gates_.size());
    }
  }

  const RecordingSource& source_;
  const std::map<std::int64_t, QuantityName>& gates_;
  std::vector<double> of_layers_;  // of each word and layer
  std::vector<double> of_words_;   // averaged over layers
  std::int64_t sentences_ = 0;
};

std::optional<GateMiddle> middle_of(const RecordingSource& source,
                                    const std::map<std::int64_t, QuantityName>& gates,
                                    const std::stop_token& stop) {
  const bool means = std::all_of(gates.begin(), gates.end(),
                                 [](const auto& gate) { return gate.second.reduction() == Reduction::mean; });
  const Blocks blocks = means ? kOfMeans : kOfDimensions;
  Reading reading(source, gates);
  const std::int64_t size = source.size();
  const std::int64_t count = std::min((size + blocks.size - 1) / blocks.size, blocks.most);
  for (std::int64_t block = 0; block < count; ++block) {
    if (stop.stop_requested()) {
      throw Interrupted("reading gates");
    }
    // Side by side where they cover everything.
    const std::int64_t first = size <= count * blocks.size ? block * blocks.size : block * size / count;
    reading.add(first, std::min(blocks.size, size - first));
  }
  return reading.middle();
}

}  // namespace

std::string GateMiddle::read() const {
  return of == 0           ? "this sentence"
         : sentences >= of ? "the recording"
                           : fmt::format("{} of {} sentences", sentences, of);
}

bool parts_at_own_median(const RecordingSource& source) {
  return source.size() == 1 || source.header().provenance.corpus_sha256.empty();
}

std::optional<GateMiddle> gate_middle(const RecordingSource& source, std::int64_t index,
                                      const std::stop_token& stop) {
  const auto gates = gates_of(source.header());
  if (gates.empty()) {
    return std::nullopt;
  }
  if (parts_at_own_median(source)) {
    Reading reading(source, gates);
    reading.add(index, 1);
    std::optional<GateMiddle> middle = reading.middle();
    if (middle) {
      middle->of = 0;
    }
    return middle;
  }
  static std::mutex mutex;
  static std::deque<std::pair<Key, std::optional<GateMiddle>>> remembered;
  const Key key = key_of(source);
  {
    const std::lock_guard lock(mutex);
    const auto at =
        std::find_if(remembered.begin(), remembered.end(), [&](const auto& one) { return one.first == key; });
    if (at != remembered.end()) {
      return at->second;
    }
  }
  const std::optional<GateMiddle> middle = middle_of(source, gates, stop);
  const std::lock_guard lock(mutex);
  remembered.emplace_front(key, middle);
  remembered.resize(std::min(remembered.size(), kRemembered));
  return middle;
}

}  // namespace mog::analysis
