#include "io/recording/recording_label.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>

namespace mog {
namespace {

bool all_tell(const std::vector<std::string>& words) {
  return std::find(words.begin(), words.end(), std::string()) == words.end() &&
         std::set<std::string>(words.begin(), words.end()).size() == words.size();
}

// The last `depth` parts of a path, without what the name says already.
std::string end_of_path(const Named& one, std::size_t depth) {
  std::vector<std::string> parts;
  for (const std::filesystem::path& part : one.path.lexically_normal().relative_path()) {
    if (!part.empty()) {
      parts.push_back(part.string());
    }
  }
  for (const std::string& known : {std::string("recording.h5"), one.name}) {
    if (!parts.empty() && parts.back() == known) {
      parts.pop_back();
    }
  }
  std::string text;
  for (std::size_t i = parts.size() - std::min(parts.size(), depth); i < parts.size(); ++i) {
    text += (text.empty() ? "" : "/") + parts[i];
  }
  return text;
}

// What stands in brackets behind names that are the same.
std::vector<std::string> apart(const std::vector<Named>& same) {
  std::vector<std::string> words;
  words.reserve(same.size());
  for (const Named& one : same) {
    words.push_back(one.other);
  }
  constexpr std::size_t kDeepest = 64;
  for (std::size_t depth = 1; depth <= kDeepest && !all_tell(words); ++depth) {
    words.clear();
    for (const Named& one : same) {
      words.push_back(end_of_path(one, depth));
    }
  }
  if (!all_tell(words)) {
    words.clear();
    for (std::size_t i = 0; i < same.size(); ++i) {
      words.push_back(std::to_string(i + 1));
    }
  }
  return words;
}

}  // namespace

std::vector<std::string> told_apart(std::span<const Named> all) {
  std::map<std::string, std::vector<std::size_t>> places;
  for (std::size_t i = 0; i < all.size(); ++i) {
    places[all[i].name].push_back(i);
  }
  std::vector<std::string> names(all.size());
  for (const auto& [name, at] : places) {
    if (at.size() == 1) {
      names[at.front()] = name;
      continue;
    }
    std::vector<Named> same;
    for (const std::size_t i : at) {
      same.push_back(all[i]);
    }
    const std::vector<std::string> words = apart(same);
    for (std::size_t i = 0; i < at.size(); ++i) {
      names[at[i]] = fmt::format("{} ({})", name, words[i]);
    }
  }
  return names;
}

}  // namespace mog
