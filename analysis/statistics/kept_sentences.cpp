#include "analysis/statistics/kept_sentences.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <numeric>

#include "io/recording/errors.h"

namespace mog::analysis {

void KeptSentences::expect(std::int64_t sentences, std::string_view what) const {
  constexpr double kMostBytes = 4e9;
  const double bytes = 8 * static_cast<double>(sentences) * static_cast<double>(2 + series_);
  if (bytes > kMostBytes) {
    throw UsageError(fmt::format(
        "--trend: rank correlations of {} sentences in {} series of {} take {:.0f} GB of their means; leave "
        "--trend out, and ask for that of a sample (mog record --sample)",
        sentences, series_, what, bytes / 1e9));
  }
}

void KeptSentences::add(std::int64_t number, std::int64_t words, std::span<const double> means) {
  numbers_.push_back(number);
  lengths_.push_back(words);
  means_.insert(means_.end(), means.begin(), means.end());
}

std::vector<std::size_t> KeptSentences::sorted() const {
  std::vector<std::size_t> order(numbers_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [this](std::size_t a, std::size_t b) { return numbers_[a] < numbers_[b]; });
  return order;
}

std::vector<std::int64_t> KeptSentences::words() const {
  std::vector<std::int64_t> result;
  result.reserve(numbers_.size() * (2 + series_));
  for (const std::size_t at : sorted()) {
    result.push_back(numbers_[at]);
    result.push_back(lengths_[at]);
    for (const double mean : means(at)) {
      result.push_back(std::bit_cast<std::int64_t>(mean));
    }
  }
  return result;
}

void KeptSentences::add_words(std::span<const std::int64_t> words) {
  const std::size_t width = 2 + series_;
  if (words.size() % width != 0) {
    throw FormatError(fmt::format("{} numbers are no sentences of {} each", words.size(), width));
  }
  std::vector<double> means(series_);
  for (std::int64_t before = 0; !words.empty(); words = words.subspan(width)) {
    if (words[0] <= before || words[1] < 1) {
      throw FormatError(
          fmt::format("sentence {} of {} words stands behind sentence {}", words[0], words[1], before));
    }
    before = words[0];
    std::transform(words.begin() + 2, words.begin() + static_cast<std::ptrdiff_t>(width), means.begin(),
                   [](std::int64_t bits) { return std::bit_cast<double>(bits); });
    add(words[0], words[1], means);
  }
}

}  // namespace mog::analysis
