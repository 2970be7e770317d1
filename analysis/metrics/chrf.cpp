// N-grams of characters (and for chrF++ of words) as sorted lists with their repeats; what two texts share
// is one merge of the lists, O(n log n) comparisons for each order. A segment leaves three counts an order,
// so resamples add rows as for BLEU.
//
// Where the reference decides: with several references a segment counts against the one of highest score,
// whose counts go into the corpus; an order that the reference has no n-gram of takes the hypothesis's
// n-grams out of the count, too; of a word with marks at both ends only the last one is cut off.
#include "analysis/metrics/chrf.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "analysis/metrics/unicode_text.h"
#include "io/recording/errors.h"

namespace mog::analysis {
namespace {

using Ngrams = std::vector<std::u32string>;  // ascending, with repeats

bool is_ascii_punctuation(char32_t character) {
  return (character >= U'!' && character <= U'/') || (character >= U':' && character <= U'@') ||
         (character >= U'[' && character <= U'`') || (character >= U'{' && character <= U'~');
}

Ngrams char_ngrams(const std::u32string& text, std::size_t order) {
  Ngrams ngrams;
  for (std::size_t begin = 0; begin + order <= text.size(); ++begin) {
    ngrams.push_back(text.substr(begin, order));
  }
  std::sort(ngrams.begin(), ngrams.end());
  return ngrams;
}

// Words with the punctuation mark at their end, or else at their beginning, cut off: of "(hi)" only the last.
std::vector<std::u32string> cut_words(std::string_view text) {
  std::vector<std::u32string> words;
  for (const std::string_view word : split_words(text)) {
    std::u32string letters = code_points(word);
    if (letters.size() > 1 && is_ascii_punctuation(letters.back())) {
      words.push_back(letters.substr(0, letters.size() - 1));
      words.push_back(letters.substr(letters.size() - 1));
    } else if (letters.size() > 1 && is_ascii_punctuation(letters.front())) {
      words.push_back(letters.substr(0, 1));
      words.push_back(letters.substr(1));
    } else {
      words.push_back(std::move(letters));
    }
  }
  return words;
}

Ngrams word_ngrams(const std::vector<std::u32string>& words, std::size_t order) {
  Ngrams ngrams;
  for (std::size_t begin = 0; begin + order <= words.size(); ++begin) {
    std::u32string ngram = words[begin];
    for (std::size_t i = 1; i < order; ++i) {
      ngram += U' ';
      ngram += words[begin + i];
    }
    ngrams.push_back(std::move(ngram));
  }
  std::sort(ngrams.begin(), ngrams.end());
  return ngrams;
}

// [order] of one text.
std::vector<Ngrams> all_ngrams(std::string_view text, const ChrfOptions& options) {
  std::u32string characters = code_points(text);
  if (!options.whitespace) {
    std::erase_if(characters, is_space);
  }
  std::vector<Ngrams> result;
  for (int order = 1; order <= options.char_order; ++order) {
    result.push_back(char_ngrams(characters, static_cast<std::size_t>(order)));
  }
  const std::vector<std::u32string> words =
      options.word_order > 0 ? cut_words(text) : std::vector<std::u32string>();
  for (int order = 1; order <= options.word_order; ++order) {
    result.push_back(word_ngrams(words, static_cast<std::size_t>(order)));
  }
  return result;
}

// Elements in both, each as often as in the list where it is rarer.
std::int64_t common(const Ngrams& left, const Ngrams& right) {
  std::int64_t count = 0;
  for (auto a = left.begin(), b = right.begin(); a != left.end() && b != right.end();) {
    const int order = a->compare(*b);
    count += order == 0 ? 1 : 0;
    a += order <= 0 ? 1 : 0;
    b += order >= 0 ? 1 : 0;
  }
  return count;
}

std::vector<ChrfCounts> compare(const std::vector<Ngrams>& hypothesis, const std::vector<Ngrams>& reference) {
  std::vector<ChrfCounts> counts;
  for (std::size_t order = 0; order < hypothesis.size(); ++order) {
    const Ngrams& wanted = reference[order];
    counts.push_back({wanted.empty() ? 0 : static_cast<std::int64_t>(hypothesis[order].size()),
                      static_cast<std::int64_t>(wanted.size()), common(hypothesis[order], wanted)});
  }
  return counts;
}

}  // namespace

std::vector<ChrfCounts> count_chrf(std::string_view hypothesis, std::span<const std::string> references,
                                   const ChrfOptions& options) {
  if (references.empty()) {
    throw UsageError("scoring a translation: no reference was given");
  }
  const std::vector<Ngrams> translated = all_ngrams(hypothesis, options);
  std::vector<ChrfCounts> best;
  double best_score = -1;
  for (const std::string& reference : references) {
    std::vector<ChrfCounts> counts = compare(translated, all_ngrams(reference, options));
    const double score = chrf_of(counts, options);
    if (score > best_score) {
      best_score = score;
      best = std::move(counts);
    }
  }
  return best;
}

double chrf_of(std::span<const ChrfCounts> counts, const ChrfOptions& options) {
  constexpr double kEpsilon = 1e-16;
  const double factor = static_cast<double>(options.beta) * static_cast<double>(options.beta);
  double f_scores = 0;
  double precisions = 0;
  double recalls = 0;
  std::int64_t orders = 0;
  for (const ChrfCounts& count : counts) {
    const auto ratio = [&](std::int64_t of) {
      return of > 0 ? static_cast<double>(count.match) / static_cast<double>(of) : kEpsilon;
    };
    const double precision = ratio(count.hypothesis);
    const double recall = ratio(count.reference);
    const double denominator = factor * precision + recall;
    f_scores += denominator > 0 ? (1 + factor) * precision * recall / denominator : kEpsilon;
    if (count.hypothesis > 0 && count.reference > 0) {
      precisions += precision;
      recalls += recall;
      ++orders;
    }
  }
  if (options.eps_smoothing) {
    return counts.empty() ? 0.0 : 100 * f_scores / static_cast<double>(counts.size());
  }
  if (orders == 0 || precisions + recalls == 0) {
    return 0;
  }
  precisions /= static_cast<double>(orders);
  recalls /= static_cast<double>(orders);
  return 100 * (1 + factor) * precisions * recalls / (factor * precisions + recalls);
}

double corpus_chrf(std::span<const std::string> hypotheses,
                   std::span<const std::vector<std::string>> references, const ChrfOptions& options) {
  std::vector<ChrfCounts> sums(static_cast<std::size_t>(options.char_order + options.word_order));
  std::vector<std::string> of_segment;
  for (const std::vector<std::string>& reference : references) {
    if (reference.size() != hypotheses.size()) {
      throw UsageError(fmt::format("scoring translations: {} hypotheses but {} lines in a reference",
                                   hypotheses.size(), reference.size()));
    }
  }
  for (std::size_t i = 0; i < hypotheses.size(); ++i) {
    of_segment.clear();
    for (const std::vector<std::string>& reference : references) {
      of_segment.push_back(reference[i]);
    }
    const std::vector<ChrfCounts> counts = count_chrf(hypotheses[i], of_segment, options);
    for (std::size_t order = 0; order < sums.size(); ++order) {
      sums[order].hypothesis += counts[order].hypothesis;
      sums[order].reference += counts[order].reference;
      sums[order].match += counts[order].match;
    }
  }
  return chrf_of(sums, options);
}

std::string name(const ChrfOptions& options) {
  return fmt::format("chrF{}{}", options.beta,
                     std::string(static_cast<std::size_t>(std::max(options.word_order, 0)), '+'));
}

std::string signature(const ChrfOptions& options, bool lowercase) {
  return fmt::format("case:{}|eff:{}|nc:{}|nw:{}|space:{}", lowercase ? "lc" : "mixed",
                     options.eps_smoothing ? "no" : "yes", options.char_order, options.word_order,
                     options.whitespace ? "yes" : "no");
}

}  // namespace mog::analysis
