#include "model/tokenizer/words/english_lexicon.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace mog::model {
namespace {

// Every list is sorted, so that it can be searched by halves; a test asserts it.
template <std::size_t Size>
bool holds(const std::array<std::string_view, Size>& list, std::string_view word) {
  return std::binary_search(list.begin(), list.end(), word);
}

constexpr std::size_t kLongestForm = 12;

std::string lower(std::string_view word) {
  std::string text(word);
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return text;
}

bool is_upper(char c) {
  return c >= 'A' && c <= 'Z';
}

// Only with a capital: without one they are words or ambiguous.
constexpr auto kTitles = std::to_array<std::string_view>(
    {"adm",  "apr",  "aug",   "ave", "blvd", "brig", "bros", "capt", "cmdr", "co",  "col", "conf",
     "corp", "cpl",  "dec",   "det", "dr",   "drs",  "feb",  "fri",  "ft",   "gen", "gov", "hon",
     "inc",  "jan",  "jr",    "jul", "jun",  "la",   "lt",   "ltd",  "maj",  "mar", "mon", "mr",
     "mrs",  "ms",   "mt",    "nov", "oct",  "ph",   "pres", "prof", "pvt",  "que", "rep", "reps",
     "rev",  "sat",  "sec",   "sen", "sens", "sept", "sgt",  "sr",   "st",   "sts", "sun", "supt",
     "thu",  "thur", "thurs", "tue", "tues", "va",   "vol",  "wed"});
constexpr auto kAbbreviations = std::to_array<std::string_view>(
    {"al",   "approx", "arrv", "assoc", "attn", "ca",  "cf",  "dept", "dist", "dom", "e.g",
     "eg",   "esp",    "est",  "etc",   "ext",  "fig", "i.e", "lb",   "lbs",  "lv",  "messrs",
     "mins", "misc",   "mob",  "oz",    "pp",   "seq", "tel", "univ", "viz",  "vs",  "yrs"});
constexpr auto kPrefixes = std::to_array<std::string_view>(
    {"ante",  "anti",  "arch",  "bi",    "co",    "counter", "cross", "de",    "e",     "ex",     "extra",
     "hyper", "infra", "inter", "intra", "macro", "mega",    "meta",  "micro", "mid",   "mini",   "multi",
     "neo",   "non",   "over",  "pan",   "para",  "post",    "pre",   "pro",   "proto", "pseudo", "psycho",
     "quasi", "re",    "semi",  "socio", "sub",   "super",   "trans", "tri",   "ultra", "un",     "under"});
constexpr auto kUnits = std::to_array<std::string_view>(
    {"am",   "b",    "bn", "cc",  "cm",  "f",  "ft",  "gb", "ghz", "hr",  "hrs", "hz",   "in", "k",   "kb",
     "kbps", "kg",   "km", "kmh", "kph", "kw", "kwh", "lb", "lbs", "m",   "mb",  "mbps", "mg", "mhz", "mi",
     "min",  "mins", "ml", "mm",  "mph", "mw", "mwh", "oz", "pm",  "ppm", "sq",  "sqft", "tb", "yr",  "yrs"});
constexpr auto kAddressEnds = std::to_array<std::string_view>(
    {"au",  "avi",  "biz",  "bmp", "ca",   "com", "csv",  "doc", "docx", "edu",  "eu",  "exe", "gif",
     "gov", "htm",  "html", "ie",  "info", "io",  "jpeg", "jpg", "js",   "json", "mil", "mov", "mp3",
     "mp4", "net",  "nz",   "org", "pdf",  "php", "png",  "ppt", "pptx", "py",   "rtf", "svg", "tar",
     "tif", "tiff", "ttf",  "txt", "uk",   "url", "wav",  "xls", "xlsx", "xml",  "zip"});
constexpr auto kApostropheWords = std::to_array<std::string_view>(
    {"bout", "cause", "cos", "em", "n", "nother", "round", "til", "till", "twas", "twere"});
// What stands behind "its" where it is "it is"; collected from the train part of EWT.
constexpr auto kBehindItIs = std::to_array<std::string_view>(
    {"a",    "about",  "all",       "almost",     "also",   "always",   "an",         "as",        "at",
     "been", "better", "bit",       "called",     "clear",  "cool",     "definitely", "difficult", "easier",
     "easy", "free",   "funny",     "getting",    "going",  "gonna",    "gotten",     "great",     "hard",
     "he",   "her",    "important", "impossible", "in",     "just",     "kind",       "like",      "more",
     "much", "my",     "never",     "nice",       "no",     "not",      "now",        "ok",        "okay",
     "on",   "only",   "our",       "possible",   "pretty", "probably", "quite",      "really",    "safe",
     "so",   "still",  "such",      "super",      "that",   "the",      "their",      "time",      "to",
     "too",  "true",   "up",        "usually",    "very",   "what",     "where",      "worth",     "you",
     "your"});
constexpr auto kContractions = std::to_array<std::pair<std::string_view, std::string_view>>(
    {{"aint", "2"},   {"alot", "1"},    {"arent", "3"},    {"c'mon", "3"},   {"cannot", "3"},
     {"cant", "2"},   {"couldnt", "5"}, {"didnt", "3"},    {"doesnt", "4"},  {"dont", "2"},
     {"dunno", "23"}, {"gimme", "3"},   {"gonna", "3"},    {"gotta", "3"},   {"hadnt", "3"},
     {"hasnt", "3"},  {"havent", "4"},  {"heres", "4"},    {"hes", "2"},     {"im", "1"},
     {"isnt", "2"},   {"itll", "2"},    {"ive", "1"},      {"lemme", "3"},   {"lets", "3"},
     {"outta", "3"},  {"shes", "3"},    {"shouldnt", "6"}, {"thats", "4"},   {"theres", "5"},
     {"theyre", "4"}, {"theyve", "4"},  {"wanna", "3"},    {"wasnt", "3"},   {"werent", "4"},
     {"whats", "4"},  {"wheres", "5"},  {"wont", "2"},     {"wouldnt", "5"}, {"youll", "3"},
     {"youre", "3"},  {"youve", "3"}});

}  // namespace

bool keeps_period(std::string_view word, bool number_follows) {
  if (word.size() > kLongestForm) {
    return false;
  }
  const std::string form = lower(word);
  if (holds(kAbbreviations, form)) {
    return true;
  }
  if (word.empty() || !is_upper(word.front())) {
    return false;
  }
  return holds(kTitles, form) || (form == "no" && number_follows);
}

bool keeps_hyphen(std::string_view prefix) {
  return prefix.size() <= kLongestForm && holds(kPrefixes, lower(prefix));
}

bool is_unit(std::string_view letters) {
  return letters.size() <= kLongestForm && holds(kUnits, lower(letters));
}

bool ends_address(std::string_view last_part) {
  if (last_part.size() > kLongestForm || !holds(kAddressEnds, lower(last_part))) {
    return false;
  }
  const auto letter = [](char c) { return c < '0' || c > '9'; };
  const auto capitals = std::count_if(last_part.begin(), last_part.end(), is_upper);
  return capitals == 0 || capitals == std::count_if(last_part.begin(), last_part.end(), letter);
}

std::vector<std::size_t> contraction_cuts(std::string_view word, std::string_view next) {
  if (word.size() < 2 || word.size() > kLongestForm) {
    return {};
  }
  const std::string form = lower(word);
  if (form == "its") {
    const bool it_is = next.size() <= kLongestForm && holds(kBehindItIs, lower(next));
    return it_is ? std::vector<std::size_t>{2} : std::vector<std::size_t>{};
  }
  if (form.size() <= 3 && is_upper(word.back())) {
    return {};  // IM, IVE, HES: names
  }
  const auto found =
      std::lower_bound(kContractions.begin(), kContractions.end(), std::string_view(form),
                       [](const auto& entry, std::string_view wanted) { return entry.first < wanted; });
  std::vector<std::size_t> cuts;
  if (found != kContractions.end() && found->first == form) {
    for (const char digit : found->second) {
      cuts.push_back(static_cast<std::size_t>(digit - '0'));
    }
  }
  return cuts;
}

bool keeps_apostrophe(std::string_view word) {
  return word.size() <= kLongestForm && holds(kApostropheWords, lower(word));
}

}  // namespace mog::model
