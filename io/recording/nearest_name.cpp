#include "io/recording/nearest_name.h"

#include <algorithm>
#include <tuple>

namespace mog {
namespace {

std::size_t distance(std::string_view a, std::string_view b) {
  const std::size_t width = b.size() + 1;
  std::vector<std::size_t> cells((a.size() + 1) * width);
  const auto at = [&](std::size_t i, std::size_t j) -> std::size_t& { return cells[i * width + j]; };
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        at(i, j) = i + j;
        continue;
      }
      at(i, j) =
          std::min({at(i - 1, j) + 1, at(i, j - 1) + 1, at(i - 1, j - 1) + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        at(i, j) = std::min(at(i, j), at(i - 2, j - 2) + 1);
      }
    }
  }
  return cells.back();
}

}  // namespace

std::vector<std::string> nearest_names(std::string_view text, std::span<const std::string> names) {
  constexpr std::size_t kLongest = 100;  // what is longer is no name
  constexpr std::size_t kMost = 3;
  const std::size_t letters = text.size() - std::min(text.size(), text.find_first_not_of('-'));
  if (letters == 0 || letters > kLongest) {
    return {};
  }
  const std::size_t most = std::max<std::size_t>(1, letters / 3);
  std::vector<std::tuple<std::size_t, std::string>> near;
  for (const std::string& name : names) {
    const std::size_t far = distance(text, name);
    if (far <= most) {
      near.emplace_back(far, name);
    } else if (letters >= 3 && name.starts_with(text)) {
      near.emplace_back(most + 1, name);
    }
  }
  std::sort(near.begin(), near.end());
  std::vector<std::string> result;
  for (const auto& [far, name] : near) {
    // What is much nearer than the rest was meant.
    if (result.size() < kMost && far <= std::get<0>(near.front()) + 1 &&
        std::find(result.begin(), result.end(), name) == result.end()) {
      result.push_back(name);
    }
  }
  return result;
}

std::string did_you_mean(std::string_view text, std::span<const std::string> names) {
  const std::vector<std::string> near = nearest_names(text, names);
  std::string said;
  for (std::size_t i = 0; i < near.size(); ++i) {
    said += (i == 0 ? "; did you mean " : i + 1 == near.size() ? " or " : ", ") + near[i];
  }
  return said.empty() ? said : said + "?";
}

std::string did_you_mean(std::string_view text, std::initializer_list<std::string_view> names) {
  return did_you_mean(text, std::vector<std::string>(names.begin(), names.end()));
}

UsageError unknown_choice(std::string_view option, std::string_view text,
                          std::span<const std::string> names) {
  std::string allowed;
  for (std::size_t i = 0; i < names.size(); ++i) {
    allowed += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + names[i];
  }
  return UsageError(std::string(option) + " " + std::string(text) + ": allowed are " + allowed +
                    did_you_mean(text, names));
}

UsageError unknown_choice(std::string_view option, std::string_view text,
                          std::initializer_list<std::string_view> names) {
  return unknown_choice(option, text, std::vector<std::string>(names.begin(), names.end()));
}

}  // namespace mog
