// Both texts become words, and then sorted lists of single words or of pairs; what two lists share, repeats
// counted as often as in the list where they are rarer, is one merge. The longest common subsequence is the
// usual table, of which two rows are kept.
//
// A line is one sentence here, so the summary-level variant rougeLsum, which joins the subsequences of
// several lines, would be rougeL.
#include "analysis/metrics/rouge.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "analysis/metrics/porter_stemmer.h"
#include "analysis/metrics/unicode_text.h"
#include "io/recording/errors.h"

namespace mog::analysis {
namespace {

using Words = std::vector<std::string>;

constexpr std::size_t kShortest = 4;  // characters of a word that is stemmed
constexpr char kGap = ' ';
// Of all characters beyond ASCII the lower cases of these two have a letter of ASCII: k, and i with a dot
// that is a character of its own.
constexpr char32_t kKelvin = U'\u212A';
constexpr char32_t kDottedI = U'\u0130';

// The letter or digit that a character is when lower-cased, or a gap.
char letter_of(char32_t character) {
  if (character >= U'A' && character <= U'Z') {
    return static_cast<char>(character - U'A' + U'a');
  }
  if ((character >= U'a' && character <= U'z') || (character >= U'0' && character <= U'9')) {
    return static_cast<char>(character);
  }
  return character == kKelvin ? 'k' : character == kDottedI ? 'i' : kGap;
}

RougeScore score_of(std::size_t shared, std::size_t summary, std::size_t reference) {
  RougeScore score;
  score.precision = static_cast<double>(shared) / static_cast<double>(std::max<std::size_t>(summary, 1));
  score.recall = static_cast<double>(shared) / static_cast<double>(std::max<std::size_t>(reference, 1));
  if (shared > 0) {
    score.f1 = 2 * score.precision * score.recall / (score.precision + score.recall);
  }
  return score;
}

// Ascending, with repeats. Words have no gap in them, so that pairs joined by one are told apart.
Words ngrams(const Words& words, std::size_t order) {
  Words result;
  for (std::size_t begin = 0; begin + order <= words.size(); ++begin) {
    std::string ngram = words[begin];
    for (std::size_t at = 1; at < order; ++at) {
      (ngram += kGap) += words[begin + at];
    }
    result.push_back(std::move(ngram));
  }
  std::sort(result.begin(), result.end());
  return result;
}

RougeScore ngram_score(const Words& summary, const Words& reference, std::size_t order) {
  const Words left = ngrams(summary, order);
  const Words right = ngrams(reference, order);
  Words shared;
  std::set_intersection(left.begin(), left.end(), right.begin(), right.end(), std::back_inserter(shared));
  return score_of(shared.size(), left.size(), right.size());
}

std::size_t longest_common_subsequence(const Words& left, const Words& right) {
  std::vector<std::size_t> above(right.size() + 1);  // [words of `right` read]
  std::vector<std::size_t> row(right.size() + 1);
  for (const std::string& word : left) {
    for (std::size_t at = 0; at < right.size(); ++at) {
      row[at + 1] = word == right[at] ? above[at] + 1 : std::max(above[at + 1], row[at]);
    }
    std::swap(above, row);
  }
  return above.back();
}

RougeScore score(const Words& summary, const Words& reference, RougeMeasure measure) {
  switch (measure) {
    case RougeMeasure::rouge_1:
      return ngram_score(summary, reference, 1);
    case RougeMeasure::rouge_2:
      return ngram_score(summary, reference, 2);
    case RougeMeasure::rouge_l:
      break;
  }
  return score_of(longest_common_subsequence(summary, reference), summary.size(), reference.size());
}

std::string_view type(RougeMeasure measure) noexcept {
  switch (measure) {
    case RougeMeasure::rouge_1:
      return "rouge1";
    case RougeMeasure::rouge_2:
      return "rouge2";
    case RougeMeasure::rouge_l:
      break;
  }
  return "rougeL";
}

}  // namespace

std::vector<std::string> rouge_words(std::string_view utf8, bool stem) {
  Words words(1);
  for (const char32_t character : code_points(utf8)) {
    const char letter = letter_of(character);
    if (letter != kGap) {
      words.back() += letter;
    }
    if (!words.back().empty() && (letter == kGap || character == kDottedI)) {
      words.emplace_back();
    }
  }
  if (words.back().empty()) {
    words.pop_back();
  }
  if (stem) {
    for (std::string& word : words) {
      word = word.size() < kShortest ? word : porter_stem(word);
    }
  }
  return words;
}

RougeScore rouge_of(std::string_view summary, std::span<const std::string> references,
                    const RougeOptions& options) {
  if (references.empty()) {
    throw UsageError("scoring a summary: no reference was given");
  }
  const Words own = rouge_words(summary, options.stem);
  RougeScore best;
  for (std::size_t at = 0; at < references.size(); ++at) {
    const RougeScore found = score(own, rouge_words(references[at], options.stem), options.measure);
    if (at == 0 || found.f1 > best.f1) {
      best = found;
    }
  }
  return best;
}

std::string_view name(RougeMeasure measure) noexcept {
  switch (measure) {
    case RougeMeasure::rouge_1:
      return "ROUGE-1";
    case RougeMeasure::rouge_2:
      return "ROUGE-2";
    case RougeMeasure::rouge_l:
      break;
  }
  return "ROUGE-L";
}

std::string signature(const RougeOptions& options) {
  return fmt::format("type:{}|case:lc|tok:rouge-score|stem:{}|score:f1", type(options.measure),
                     options.stem ? "porter" : "no");
}

}  // namespace mog::analysis
