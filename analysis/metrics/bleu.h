// BLEU (Papineni et al. 2002) as sacreBLEU computes it: same tokenizers, smoothing, lengths and rounding of
// nothing, so that scores agree to the last digits. The tokenised multi-bleu.perl score is tokenizer none
// with smoothing none.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mog::analysis {

inline constexpr std::size_t kBleuOrder = 4;  // longest n-gram

enum class BleuTokenizer : std::uint8_t {
  mteval_13a,  // "13a": mteval-v13a, for Western languages
  none,        // "none": what white space separates
  intl,        // "intl": mteval-v14 with Unicode punctuation and symbols
};
enum class BleuSmoothing : std::uint8_t {
  exp,    // halves the precision of every order without a match once more (NIST)
  floor,  // such an order counts smoothing_value matches (default 0.1)
  add_k,  // adds smoothing_value to matches and totals of orders above 1 (default 1)
  none,
};
// "13a", "none", "intl"; "exp", "floor", "add-k", "none". Throw UsageError.
BleuTokenizer parse_bleu_tokenizer(std::string_view text);
BleuSmoothing parse_bleu_smoothing(std::string_view text);
std::string_view name(BleuTokenizer tokenizer) noexcept;
std::string_view name(BleuSmoothing smoothing) noexcept;

struct BleuOptions {
  BleuTokenizer tokenizer = BleuTokenizer::mteval_13a;
  BleuSmoothing smoothing = BleuSmoothing::exp;
  std::optional<double> smoothing_value;  // of floor and add_k
  bool effective_order = false;  // leaves orders out that the hypothesis is too short for (sentences)
};

// Sums over segments that make a score; adding them gives the corpus score.
struct BleuCounts {
  std::int64_t hypothesis_length = 0;
  std::int64_t reference_length = 0;  // of the closest reference of each segment, of two the shorter
  std::array<std::int64_t, kBleuOrder> correct{};  // n-grams, clipped by the best reference
  std::array<std::int64_t, kBleuOrder> total{};
  BleuCounts& operator+=(const BleuCounts& other) noexcept;
  friend bool operator==(const BleuCounts&, const BleuCounts&) = default;
};

struct BleuScore {
  double score = 0;                             // 0 … 100
  std::array<double, kBleuOrder> precisions{};  // 0 … 100, smoothed
  double brevity_penalty = 1;
  BleuCounts counts;
  // "60.1/33.0/20.5/13.2 (BP = 1.000 ratio = 1.006 hyp_len = 61287 ref_len = 60908)"
  std::string details() const;
};

// The tokens of a line, separated by single spaces. White space at its end is dropped first.
std::string tokenize(BleuTokenizer tokenizer, std::string_view line);

// UTF-8 lines; `references` are those of this segment, at least one.
BleuCounts count_bleu(std::string_view hypothesis, std::span<const std::string> references,
                      BleuTokenizer tokenizer);
BleuScore bleu_of(const BleuCounts& counts, const BleuOptions& options = {});

// references[r][i] translates what hypotheses[i] translates. Throws UsageError when the numbers of lines
// differ or there is no reference.
BleuScore corpus_bleu(std::span<const std::string> hypotheses,
                      std::span<const std::vector<std::string>> references, const BleuOptions& options = {});
// One reference a segment.
BleuScore corpus_bleu(std::span<const std::string> hypotheses, std::span<const std::string> references,
                      const BleuOptions& options = {});

// "case:mixed|eff:no|tok:13a|smooth:exp", the part of sacreBLEU's signature that names these options.
std::string signature(const BleuOptions& options, bool lowercase = false);

}  // namespace mog::analysis
