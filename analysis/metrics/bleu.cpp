// The words of a segment become numbers, and an n-gram an array of four of them: sorted, counted, and
// matched by a merge of two ascending lists. O(w log w) a segment of w words and order. Neither strings nor
// hash tables of n-grams are built, and the numbers are those of one segment, so that nothing grows with the
// corpus. The greatest count over several references is the same merge.
//
// Counting and scoring are apart: a segment leaves ten numbers, BLEU is a function of their sums, and a
// resample (resampling.cpp) adds rows instead of counting again.
//
// Where the reference decides: the exp smoothing halves at each order without a match, not at order n by
// 2^n; add-k leaves order 1 alone; without any match at all no smoothing helps; of two references that are
// equally near in length the shorter one counts; an order for which the text is too short ends the count,
// and with effective_order the mean too.
#include "analysis/metrics/bleu.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <unordered_map>

#include "analysis/metrics/unicode_text.h"
#include "io/recording/errors.h"
#include "io/recording/nearest_name.h"

namespace mog::analysis {
namespace {

// The numbers of up to four words; -1 fills up.
using Ngram = std::array<std::int32_t, kBleuOrder>;
using NgramCounts = std::vector<std::pair<Ngram, std::int64_t>>;  // ascending

// Words as numbers, the same for all texts of one segment.
class Words {
 public:
  std::vector<std::int32_t> numbers(std::string_view text) {
    std::vector<std::int32_t> result;
    for (const std::string_view word : split_words(text)) {
      result.push_back(numbers_.emplace(word, static_cast<std::int32_t>(numbers_.size())).first->second);
    }
    return result;
  }

 private:
  std::unordered_map<std::string, std::int32_t> numbers_;
};

NgramCounts count_ngrams(std::span<const std::int32_t> words, std::size_t order) {
  std::vector<Ngram> ngrams;
  for (std::size_t begin = 0; begin + order <= words.size(); ++begin) {
    Ngram ngram;
    ngram.fill(-1);
    std::copy_n(words.begin() + static_cast<std::ptrdiff_t>(begin), order, ngram.begin());
    ngrams.push_back(ngram);
  }
  std::sort(ngrams.begin(), ngrams.end());
  NgramCounts counts;
  for (const Ngram& ngram : ngrams) {
    if (counts.empty() || counts.back().first != ngram) {
      counts.emplace_back(ngram, 0);
    }
    ++counts.back().second;
  }
  return counts;
}

// Of each n-gram the greater count.
NgramCounts maximum(const NgramCounts& left, const NgramCounts& right) {
  NgramCounts result;
  std::merge(left.begin(), left.end(), right.begin(), right.end(), std::back_inserter(result));
  NgramCounts merged;
  for (const auto& entry : result) {
    if (!merged.empty() && merged.back().first == entry.first) {
      merged.back().second = std::max(merged.back().second, entry.second);
    } else {
      merged.push_back(entry);
    }
  }
  return merged;
}

std::int64_t common(const NgramCounts& left, const NgramCounts& right) {
  std::int64_t sum = 0;
  auto at = right.begin();
  for (const auto& [ngram, count] : left) {
    while (at != right.end() && at->first < ngram) {
      ++at;
    }
    if (at != right.end() && at->first == ngram) {
      sum += std::min(count, at->second);
    }
  }
  return sum;
}

std::int64_t closest(std::int64_t length, std::span<const std::int64_t> references) {
  std::int64_t best = references.front();
  for (const std::int64_t reference : references) {
    const std::int64_t distance = std::abs(reference - length);
    const std::int64_t best_distance = std::abs(best - length);
    if (distance < best_distance || (distance == best_distance && reference < best)) {
      best = reference;
    }
  }
  return best;
}

double brevity_penalty(const BleuCounts& counts) {
  if (counts.hypothesis_length >= counts.reference_length) {
    return 1.0;
  }
  return counts.hypothesis_length == 0 ? 0.0
                                       : std::exp(1 - static_cast<double>(counts.reference_length) /
                                                          static_cast<double>(counts.hypothesis_length));
}

double default_value(BleuSmoothing smoothing) {
  return smoothing == BleuSmoothing::floor ? 0.1 : 1.0;
}

// Precisions of all orders and the number of orders that count.
std::size_t fill_precisions(const BleuCounts& counts, const BleuOptions& options,
                            std::array<double, kBleuOrder>& precisions) {
  const double value = options.smoothing_value.value_or(default_value(options.smoothing));
  double halvings = 1;
  std::size_t orders = kBleuOrder;
  for (std::size_t n = 0; n < kBleuOrder; ++n) {
    const double added = options.smoothing == BleuSmoothing::add_k && n > 0 ? value : 0.0;
    const double correct = static_cast<double>(counts.correct[n]) + added;
    const double total = static_cast<double>(counts.total[n]) + added;
    if (total == 0) {
      break;
    }
    if (options.effective_order) {
      orders = n + 1;
    }
    if (correct != 0) {
      precisions[n] = 100 * correct / total;
    } else if (options.smoothing == BleuSmoothing::exp) {
      halvings *= 2;
      precisions[n] = 100 / (halvings * total);
    } else if (options.smoothing == BleuSmoothing::floor) {
      precisions[n] = 100 * value / total;
    }
  }
  return orders;
}

void require_alignment(std::size_t hypotheses, std::span<const std::vector<std::string>> references) {
  if (references.empty()) {
    throw UsageError("scoring translations: no reference was given");
  }
  for (std::size_t r = 0; r < references.size(); ++r) {
    if (references[r].size() != hypotheses) {
      throw UsageError(fmt::format("scoring translations: {} hypotheses but {} lines in reference {}",
                                   hypotheses, references[r].size(), r + 1));
    }
  }
}

}  // namespace

BleuSmoothing parse_bleu_smoothing(std::string_view text) {
  for (const auto smoothing :
       {BleuSmoothing::exp, BleuSmoothing::floor, BleuSmoothing::add_k, BleuSmoothing::none}) {
    if (text == name(smoothing)) {
      return smoothing;
    }
  }
  throw unknown_choice("BLEU smoothing", text, {"exp", "floor", "add-k", "none"});
}

std::string_view name(BleuSmoothing smoothing) noexcept {
  switch (smoothing) {
    case BleuSmoothing::exp:
      return "exp";
    case BleuSmoothing::floor:
      return "floor";
    case BleuSmoothing::add_k:
      return "add-k";
    case BleuSmoothing::none:
      return "none";
  }
  return "";
}

BleuCounts& BleuCounts::operator+=(const BleuCounts& other) noexcept {
  hypothesis_length += other.hypothesis_length;
  reference_length += other.reference_length;
  for (std::size_t n = 0; n < kBleuOrder; ++n) {
    correct[n] += other.correct[n];
    total[n] += other.total[n];
  }
  return *this;
}

std::string BleuScore::details() const {
  const double ratio = counts.reference_length == 0 ? 0.0
                                                    : static_cast<double>(counts.hypothesis_length) /
                                                          static_cast<double>(counts.reference_length);
  return fmt::format("{:.1f}/{:.1f}/{:.1f}/{:.1f} (BP = {:.3f} ratio = {:.3f} hyp_len = {} ref_len = {})",
                     precisions[0], precisions[1], precisions[2], precisions[3], brevity_penalty, ratio,
                     counts.hypothesis_length, counts.reference_length);
}

BleuCounts count_bleu(std::string_view hypothesis, std::span<const std::string> references,
                      BleuTokenizer tokenizer) {
  if (references.empty()) {
    throw UsageError("scoring a translation: no reference was given");
  }
  Words words;
  const std::vector<std::int32_t> translated = words.numbers(tokenize(tokenizer, hypothesis));
  std::array<NgramCounts, kBleuOrder> best;
  std::vector<std::int64_t> lengths;
  for (const std::string& reference : references) {
    const std::vector<std::int32_t> wanted = words.numbers(tokenize(tokenizer, reference));
    lengths.push_back(static_cast<std::int64_t>(wanted.size()));
    for (std::size_t n = 0; n < kBleuOrder; ++n) {
      best[n] = maximum(best[n], count_ngrams(wanted, n + 1));
    }
  }
  BleuCounts counts;
  counts.hypothesis_length = static_cast<std::int64_t>(translated.size());
  counts.reference_length = closest(counts.hypothesis_length, lengths);
  for (std::size_t n = 0; n < kBleuOrder; ++n) {
    counts.correct[n] = common(count_ngrams(translated, n + 1), best[n]);
    counts.total[n] = std::max<std::int64_t>(0, counts.hypothesis_length - static_cast<std::int64_t>(n));
  }
  return counts;
}

BleuScore bleu_of(const BleuCounts& counts, const BleuOptions& options) {
  BleuScore result;
  result.counts = counts;
  result.brevity_penalty = brevity_penalty(counts);
  if (std::all_of(counts.correct.begin(), counts.correct.end(), [](std::int64_t n) { return n == 0; })) {
    return result;  // no smoothing makes something of nothing
  }
  const std::size_t orders = fill_precisions(counts, options, result.precisions);
  double logs = 0;
  for (std::size_t n = 0; n < orders; ++n) {
    if (result.precisions[n] == 0) {
      return result;
    }
    logs += std::log(result.precisions[n]);
  }
  result.score = result.brevity_penalty * std::exp(logs / static_cast<double>(orders));
  return result;
}

BleuScore corpus_bleu(std::span<const std::string> hypotheses,
                      std::span<const std::vector<std::string>> references, const BleuOptions& options) {
  require_alignment(hypotheses.size(), references);
  BleuCounts counts;
  std::vector<std::string> of_segment;
  for (std::size_t i = 0; i < hypotheses.size(); ++i) {
    of_segment.clear();
    for (const std::vector<std::string>& reference : references) {
      of_segment.push_back(reference[i]);
    }
    counts += count_bleu(hypotheses[i], of_segment, options.tokenizer);
  }
  return bleu_of(counts, options);
}

BleuScore corpus_bleu(std::span<const std::string> hypotheses, std::span<const std::string> references,
                      const BleuOptions& options) {
  const std::vector<std::vector<std::string>> one = {{references.begin(), references.end()}};
  return corpus_bleu(hypotheses, one, options);
}

std::string signature(const BleuOptions& options, bool lowercase) {
  std::string smoothing(name(options.smoothing));
  if (options.smoothing == BleuSmoothing::floor || options.smoothing == BleuSmoothing::add_k) {
    smoothing += fmt::format("[{:.2f}]", options.smoothing_value.value_or(default_value(options.smoothing)));
  }
  return fmt::format("case:{}|eff:{}|tok:{}|smooth:{}", lowercase ? "lc" : "mixed",
                     options.effective_order ? "yes" : "no", name(options.tokenizer), smoothing);
}

}  // namespace mog::analysis
