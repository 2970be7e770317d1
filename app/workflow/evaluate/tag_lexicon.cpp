#include "app/workflow/evaluate/tag_lexicon.h"

#include <algorithm>

namespace mog::app {

namespace {

// The key with the greatest count; ties go to the key that comes first.
std::string most_frequent(const std::map<std::string, std::int64_t>& counts) {
  const auto best = std::max_element(counts.begin(), counts.end(), [](const auto& left, const auto& right) {
    return left.second < right.second;
  });
  return best == counts.end() ? std::string() : best->first;
}

bool starts_with_capital(const std::string& word) {
  return !word.empty() && word[0] >= 'A' && word[0] <= 'Z';
}

bool is_number(const std::string& word) {
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  return std::any_of(word.begin(), word.end(), digit) && std::all_of(word.begin(), word.end(), [&](char c) {
           return digit(c) || std::string_view(".,:/-+%$").find(c) != std::string_view::npos;
         });
}

}  // namespace

TagLexicon::TagLexicon(const std::vector<TaggedSentence>& sentences, const std::string& task) {
  std::unordered_map<std::string, std::map<std::string, std::int64_t>> counts;
  std::map<std::string, std::int64_t> all;
  for (const TaggedSentence& sentence : sentences) {
    const auto found = sentence.tags.find(task);
    if (found == sentence.tags.end()) {
      continue;
    }
    for (std::size_t word = 0; word < sentence.words.size(); ++word) {
      const std::string& tag = found->second[word];
      if (!tag.empty()) {
        ++counts[sentence.words[word]][tag];
        ++all[tag];
      }
    }
  }
  for (const auto& [word, tags] : counts) {
    best_[word] = most_frequent(tags);
  }
  const auto fallback = [&](const std::string& wanted, const std::string& otherwise) {
    return all.contains(wanted) ? wanted : otherwise;
  };
  const std::string outside = fallback("O", most_frequent(all));
  other_ = fallback("NOUN", outside);
  capital_ = fallback("PROPN", other_);
  number_ = fallback("NUM", other_);
}

const std::string& TagLexicon::tag(const std::string& word) const {
  const auto found = best_.find(word);
  if (found != best_.end()) {
    return found->second;
  }
  if (starts_with_capital(word)) {
    return capital_;
  }
  return is_number(word) ? number_ : other_;
}

std::vector<std::string> TagLexicon::tag(std::span<const std::string> words) const {
  std::vector<std::string> tags;
  tags.reserve(words.size());
  for (const std::string& word : words) {
    tags.push_back(tag(word));
  }
  return tags;
}

}  // namespace mog::app
