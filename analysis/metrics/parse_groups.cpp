#include "analysis/metrics/parse_groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <utility>

#include "io/recording/errors.h"
#include "io/recording/nearest_name.h"

namespace mog::analysis {
namespace {

constexpr std::array<std::string_view, kParseGroupings> kNames = {"sentence-length", "dependency-length",
                                                                  "root-distance", "relation"};

std::size_t at(std::int64_t index) {
  return static_cast<std::size_t>(index);
}

// Arcs from the root to every word. A head's number is known before those of its dependents: chains are
// followed up to the first word that has one.
std::vector<std::int64_t> root_distances(const ParsedText& text) {
  const std::vector<TextWord>& words = text.words();
  std::vector<std::int64_t> distance(words.size(), 0);
  std::vector<std::size_t> chain;
  for (std::size_t start = 0; start < words.size(); ++start) {
    std::int64_t word = static_cast<std::int64_t>(start);
    // A cycle ends where it comes back; files are read without them.
    for (; word >= 0 && distance[at(word)] == 0 && chain.size() <= words.size();
         word = words[at(word)].parent) {
      chain.push_back(at(word));
    }
    std::int64_t arcs = word < 0 ? 0 : distance[at(word)];
    for (; !chain.empty(); chain.pop_back()) {
      distance[chain.back()] = ++arcs;
    }
  }
  return distance;
}

// Words of the reference's sentence that a word's first character is in.
std::vector<std::int64_t> sentence_lengths(const ParsedText& text, const ParsedText& reference) {
  std::vector<std::int64_t> words(reference.sentences().size(), 0);
  for (const TextWord& word : reference.words()) {
    ++words[at(word.sentence)];
  }
  std::vector<std::int64_t> lengths;
  lengths.reserve(text.words().size());
  for (const TextWord& word : text.words()) {
    lengths.push_back(words[at(reference.sentence_at(word.span.begin))]);
  }
  return lengths;
}

// 0 for words that hang on the root.
std::vector<std::int64_t> dependency_lengths(const ParsedText& text) {
  std::vector<std::int64_t> lengths;
  lengths.reserve(text.words().size());
  for (std::int64_t word = 0; word < std::ssize(text.words()); ++word) {
    const std::int64_t head = text.words()[at(word)].parent;
    lengths.push_back(head < 0 ? 0 : std::abs(word - head));
  }
  return lengths;
}

ParseGroups groups_by_relation(const ParsedText& reference,
                               const std::vector<const ParsedText*>& hypotheses) {
  std::map<std::string, std::int64_t> often;
  for (const TextWord& word : reference.words()) {
    ++often[word.word.relation];
  }
  for (const ParsedText* const text : hypotheses) {
    for (const TextWord& word : text->words()) {
      often.try_emplace(word.word.relation, 0);
    }
  }
  std::vector<std::pair<std::string, std::int64_t>> order(often.begin(), often.end());
  std::ranges::stable_sort(order, std::ranges::greater(), [](const auto& one) { return one.second; });
  ParseGroups result;
  std::map<std::string_view, std::int32_t> index;
  for (const auto& [relation, count] : order) {
    index.emplace(relation, static_cast<std::int32_t>(result.groups.size()));
    result.groups.push_back({relation, -1, -1});
  }
  const auto of_words = [&](const ParsedText& text) {
    std::vector<std::int32_t> groups;
    groups.reserve(text.words().size());
    for (const TextWord& word : text.words()) {
      groups.push_back(index.at(word.word.relation));
    }
    return groups;
  };
  result.reference = of_words(reference);
  for (const ParsedText* const text : hypotheses) {
    result.hypotheses.push_back(of_words(*text));
  }
  return result;
}

}  // namespace

std::string_view name(ParseGrouping grouping) noexcept {
  return kNames[static_cast<std::size_t>(grouping)];
}

ParseGrouping parse_parse_grouping(std::string_view text) {
  const auto found = std::ranges::find(kNames, text);
  if (found == kNames.end()) {
    throw UsageError(
        fmt::format("--by {}: allowed are sentence-length, dependency-length, root-distance and relation "
                    "(commas between){}",
                    text, did_you_mean(text, std::vector<std::string>(kNames.begin(), kNames.end()))));
  }
  return static_cast<ParseGrouping>(found - kNames.begin());
}

std::optional<LengthBins> usual_bins(ParseGrouping grouping) {
  switch (grouping) {
    case ParseGrouping::sentence_length:
      return LengthBins();
    case ParseGrouping::dependency_length:
      return LengthBins({1, 2, 3, 4, 5, 7, 11, 16});
    case ParseGrouping::root_distance:
      return LengthBins({1, 2, 3, 4, 5, 6, 7, 8});
    case ParseGrouping::relation:
      break;
  }
  return std::nullopt;
}

ParseGroups parse_groups(ParseGrouping grouping, const LengthBins& bins, const ParsedText& reference,
                         const std::vector<const ParsedText*>& hypotheses) {
  if (grouping == ParseGrouping::relation) {
    return groups_by_relation(reference, hypotheses);
  }
  const bool with_root = grouping == ParseGrouping::dependency_length;
  ParseGroups result;
  if (with_root) {
    result.groups.push_back({"root", -1, -1});
  }
  const auto first = static_cast<std::int64_t>(result.groups.size());
  for (std::int64_t bin = 0; bin < bins.size(); ++bin) {
    result.groups.push_back({bins.label(bin), bins.low(bin), bins.high(bin)});
  }
  const auto of_words = [&](const ParsedText& text) {
    const std::vector<std::int64_t> numbers = grouping == ParseGrouping::sentence_length
                                                  ? sentence_lengths(text, reference)
                                              : with_root ? dependency_lengths(text)
                                                          : root_distances(text);
    std::vector<std::int32_t> groups;
    groups.reserve(numbers.size());
    for (const std::int64_t number : numbers) {
      const std::int64_t bin = bins.bin(number);
      groups.push_back(static_cast<std::int32_t>(with_root && number == 0 ? 0 : bin < 0 ? -1 : bin + first));
    }
    return groups;
  };
  result.reference = of_words(reference);
  for (const ParsedText* const text : hypotheses) {
    result.hypotheses.push_back(of_words(*text));
  }
  return result;
}

}  // namespace mog::analysis
