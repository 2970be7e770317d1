// A word is a row of consonants c and vowels v; its measure m is the number of places where a consonant
// follows a vowel ([C](VC)^m[V]), which is about its number of syllables. Eight steps, one after the other,
// look for the first suffix of their list that the word ends with and replace it if what stands before it is
// long enough: m > 0 to turn one suffix into another (relational → relate), m > 1 to take one away (activate
// → activ). A suffix whose condition fails ends the step: no further suffix of it is tried. A y is a
// consonant at the beginning and behind a vowel. Digits are consonants.
//
// Every step looks at each letter a bounded number of times: O(length) and no table of words but twelve.
//
// Where NLTK departs from the paper it is followed, since the scores that are compared with others' rest on
// it: step 2 takes -alli before all other suffixes and then goes over the word again, -logi counts its l with
// the stem, and a stem of one vowel and one consonant ends as "cvc" does.
#include "analysis/metrics/porter_stemmer.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace mog::analysis {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 16> kIrregular = {{
    {"sky", "sky"},
    {"skies", "sky"},
    {"dying", "die"},
    {"lying", "lie"},
    {"tying", "tie"},
    {"news", "news"},
    {"innings", "inning"},
    {"inning", "inning"},
    {"outings", "outing"},
    {"outing", "outing"},
    {"cannings", "canning"},
    {"canning", "canning"},
    {"howe", "howe"},
    {"proceed", "proceed"},
    {"exceed", "exceed"},
    {"succeed", "succeed"},
}};

// [letter] whether it is a consonant.
std::vector<bool> consonants(std::string_view word) {
  std::vector<bool> result;
  result.reserve(word.size());
  for (const char letter : word) {
    const bool vowel = std::string_view("aeiou").find(letter) != std::string_view::npos ||
                       (letter == 'y' && !result.empty() && result.back());
    result.push_back(!vowel);
  }
  return result;
}

int measure(std::string_view stem) {
  const std::vector<bool> consonant = consonants(stem);
  int count = 0;
  for (std::size_t at = 1; at < consonant.size(); ++at) {
    count += !consonant[at - 1] && consonant[at] ? 1 : 0;
  }
  return count;
}

bool has_vowel(std::string_view stem) {
  const std::vector<bool> consonant = consonants(stem);
  return std::find(consonant.begin(), consonant.end(), false) != consonant.end();
}

bool ends_with_double_consonant(std::string_view stem) {
  return stem.size() >= 2 && stem[stem.size() - 1] == stem[stem.size() - 2] && consonants(stem).back();
}

// Consonant, vowel, consonant, the last none of w, x and y; or a vowel and a consonant alone.
bool ends_with_cvc(std::string_view stem) {
  const std::vector<bool> consonant = consonants(stem);
  const std::size_t size = stem.size();
  if (size == 2) {
    return !consonant[0] && consonant[1];
  }
  return size >= 3 && consonant[size - 3] && !consonant[size - 2] && consonant[size - 1] &&
         std::string_view("wxy").find(stem.back()) == std::string_view::npos;
}

struct Rule {
  std::string_view suffix;
  std::string_view replacement;
};

// The first suffix that the word ends with is replaced if `allowed` of what stands before it.
template <typename Condition>
std::string replaced(std::string_view word, std::span<const Rule> rules, const Condition& allowed) {
  for (const Rule& rule : rules) {
    if (word.ends_with(rule.suffix)) {
      const std::string_view stem = word.substr(0, word.size() - rule.suffix.size());
      return allowed(stem, rule) ? std::string(stem) += rule.replacement : std::string(word);
    }
  }
  return std::string(word);
}

std::string step_1a(std::string_view word) {  // plurals
  if (word.ends_with("ies") && word.size() == 4) {
    return std::string(word.substr(0, 3));
  }
  constexpr std::array<Rule, 4> kRules = {{{"sses", "ss"}, {"ies", "i"}, {"ss", "ss"}, {"s", ""}}};
  return replaced(word, kRules, [](std::string_view, const Rule&) { return true; });
}

// What -ed and -ing leave behind: conflat(ed) → conflate, hopp(ing) → hop, fil(ing) → file.
std::string repaired(std::string_view stem) {
  if (stem.ends_with("at") || stem.ends_with("bl") || stem.ends_with("iz")) {
    return std::string(stem) + "e";
  }
  if (ends_with_double_consonant(stem)) {
    const bool stays = std::string_view("lsz").find(stem.back()) != std::string_view::npos;
    return std::string(stays ? stem : stem.substr(0, stem.size() - 1));
  }
  return std::string(stem) + (measure(stem) == 1 && ends_with_cvc(stem) ? "e" : "");
}

std::string step_1b(std::string_view word) {  // past tense and participles
  if (word.ends_with("ied")) {
    return std::string(word.substr(0, word.size() - (word.size() == 4 ? 1 : 2)));
  }
  if (word.ends_with("eed")) {
    return std::string(word.substr(0, word.size() - (measure(word.substr(0, word.size() - 3)) > 0 ? 1 : 0)));
  }
  for (const std::string_view suffix : {"ed", "ing"}) {
    if (word.ends_with(suffix) && has_vowel(word.substr(0, word.size() - suffix.size()))) {
      return repaired(word.substr(0, word.size() - suffix.size()));
    }
  }
  return std::string(word);
}

std::string step_1c(std::string_view word) {  // happy → happi, enjoy stays
  if (word.size() > 2 && word.back() == 'y' && consonants(word)[word.size() - 2]) {
    return std::string(word.substr(0, word.size() - 1)) + "i";
  }
  return std::string(word);
}

bool is_long(std::string_view stem, const Rule&) {
  return measure(stem) > 0;
}

std::string step_2(std::string_view word) {  // two suffixes become one
  if (word.ends_with("alli") && measure(word.substr(0, word.size() - 4)) > 0) {
    return step_2(word.substr(0, word.size() - 2));
  }
  constexpr std::array<Rule, 21> kRules = {{
      {"ational", "ate"}, {"tional", "tion"}, {"enci", "ence"}, {"anci", "ance"},   {"izer", "ize"},
      {"bli", "ble"},     {"entli", "ent"},   {"eli", "e"},     {"ousli", "ous"},   {"ization", "ize"},
      {"ation", "ate"},   {"ator", "ate"},    {"alism", "al"},  {"iveness", "ive"}, {"fulness", "ful"},
      {"ousness", "ous"}, {"aliti", "al"},    {"iviti", "ive"}, {"biliti", "ble"},  {"fulli", "ful"},
      {"logi", "log"},
  }};
  return replaced(word, kRules, [&](std::string_view stem, const Rule& rule) {
    return measure(rule.suffix == "logi" ? word.substr(0, stem.size() + 1) : stem) > 0;
  });
}

std::string step_3(std::string_view word) {
  constexpr std::array<Rule, 7> kRules = {{{"icate", "ic"},
                                           {"ative", ""},
                                           {"alize", "al"},
                                           {"iciti", "ic"},
                                           {"ical", "ic"},
                                           {"ful", ""},
                                           {"ness", ""}}};
  return replaced(word, kRules, is_long);
}

std::string step_4(std::string_view word) {  // the last suffix goes
  constexpr std::array<Rule, 19> kRules = {{
      {"al", ""},  {"ance", ""},  {"ence", ""}, {"er", ""},  {"ic", ""},  {"able", ""}, {"ible", ""},
      {"ant", ""}, {"ement", ""}, {"ment", ""}, {"ent", ""}, {"ion", ""}, {"ou", ""},   {"ism", ""},
      {"ate", ""}, {"iti", ""},   {"ous", ""},  {"ive", ""}, {"ize", ""},
  }};
  return replaced(word, kRules, [](std::string_view stem, const Rule& rule) {
    return measure(stem) > 1 && (rule.suffix != "ion" || stem.back() == 's' || stem.back() == 't');
  });
}

std::string step_5(std::string word) {  // an e at the end, and one of two l
  if (word.ends_with('e')) {
    const std::string_view stem = std::string_view(word).substr(0, word.size() - 1);
    const int count = measure(stem);
    if (count > 1 || (count == 1 && !ends_with_cvc(stem))) {
      word.pop_back();
    }
  }
  if (word.ends_with("ll") && measure(std::string_view(word).substr(0, word.size() - 1)) > 1) {
    word.pop_back();
  }
  return word;
}

}  // namespace

std::string porter_stem(std::string_view word) {
  const auto irregular = std::find_if(kIrregular.begin(), kIrregular.end(),
                                      [&](const auto& entry) { return entry.first == word; });
  if (irregular != kIrregular.end()) {
    return std::string(irregular->second);
  }
  if (word.size() <= 2) {
    return std::string(word);
  }
  return step_5(step_4(step_3(step_2(step_1c(step_1b(step_1a(word)))))));
}

}  // namespace mog::analysis
