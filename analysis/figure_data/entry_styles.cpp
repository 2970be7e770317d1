// Colours and dashes of the entries of a decomposition, and what their axis says.
#include <algorithm>
#include <array>
#include <cctype>
#include <set>
#include <string>
#include <utility>

#include "analysis/figure_data/quantity_figures.h"

namespace mog::analysis {
namespace {

constexpr std::int64_t kColours = 10;
constexpr std::int64_t kDashes = 3;

// Indices of the palette of app/figures (design: pp, carried and low green; pi and mid blue; ip sky blue; ii
// and high vermilion; feed-forward pink; bias and base grey).
constexpr std::array kPreferred = {
    std::pair{std::string_view("pp"), 0},     std::pair{std::string_view("carried"), 0},
    std::pair{std::string_view("low"), 0},    std::pair{std::string_view("pi"), 1},
    std::pair{std::string_view("mid"), 1},    std::pair{std::string_view("ip"), 2},
    std::pair{std::string_view("ii"), 3},     std::pair{std::string_view("high"), 3},
    std::pair{std::string_view("pos"), 4},    std::pair{std::string_view("feed_forward"), 5},
    std::pair{std::string_view("base"), 6},   std::pair{std::string_view("bp"), 6},
    std::pair{std::string_view("u"), 9},      std::pair{std::string_view("attention"), 7},
    std::pair{std::string_view("output"), 9}, std::pair{std::string_view("bias"), 8},
    std::pair{std::string_view("bi"), 8},     std::pair{std::string_view("bb"), 7},
    std::pair{std::string_view("pb"), 4},     std::pair{std::string_view("ib"), 5}};
constexpr std::array<std::int64_t, kColours> kOthers = {1, 3, 0, 4, 5, 2, 7, 9, 6, 8};

// -1: none.
std::int64_t preferred(std::string_view name) {
  for (const auto& [known, colour] : kPreferred) {
    if (known == name) {
      return colour;
    }
  }
  return -1;
}

// Entries that share a colour: "u" of "u.p" and "u.i"; others stand alone.
struct Family {
  std::string name;
  std::vector<std::size_t> members;  // indices of entries
};

std::vector<Family> families(const std::vector<std::string>& entries) {
  std::vector<Family> result;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const std::size_t dot = entries[i].rfind('.');
    const bool part = dot != std::string::npos && dot > 0 && dot + 1 < entries[i].size() &&
                      std::isalpha(static_cast<unsigned char>(entries[i][dot + 1])) != 0;
    const std::string name = part ? entries[i].substr(0, dot) : entries[i];
    const auto found = std::find_if(result.begin(), result.end(),
                                    [&](const Family& family) { return part && family.name == name; });
    if (found == result.end()) {
      result.push_back({name, {i}});
    } else {
      found->members.push_back(i);
    }
  }
  // Parts of the whole keep their colours before the causes of one of them.
  std::stable_sort(result.begin(), result.end(), [](const Family& left, const Family& right) {
    return left.members.size() < right.members.size();
  });
  return result;
}

// Colours in the order in which a family asks for them: its own, those that no other one has as its own, all.
std::vector<std::int64_t> wishes(const Family& family, const std::vector<Family>& all) {
  std::vector<std::int64_t> result;
  const std::int64_t own = preferred(family.name);
  if (own >= 0) {
    result.push_back(own);
  }
  for (const bool free : {true, false}) {
    for (const std::int64_t colour : kOthers) {
      const bool taken = std::any_of(all.begin(), all.end(),
                                     [&](const Family& other) { return preferred(other.name) == colour; });
      if (taken != free) {
        result.push_back(colour);
      }
    }
  }
  return result;
}

}  // namespace

std::vector<EntryStyle> entry_styles(const std::vector<std::string>& entries) {
  std::vector<EntryStyle> result(entries.size());
  std::set<std::pair<std::int64_t, std::int64_t>> used;  // colour, dash
  const std::vector<Family> all = families(entries);
  for (const Family& family : all) {
    const std::vector<std::int64_t> colours = wishes(family, all);
    const auto dash_of = [](std::int64_t first, std::size_t member) {
      return (first + static_cast<std::int64_t>(member)) % kDashes;
    };
    const auto free = [&](std::int64_t colour, std::int64_t first) {
      for (std::size_t member = 0; member < family.members.size(); ++member) {
        if (used.contains({colour, dash_of(first, member)})) {
          return false;
        }
      }
      return true;
    };
    std::pair<std::int64_t, std::int64_t> chosen = {colours.front(), 0};
    for (std::int64_t place = 0; place < kDashes * static_cast<std::int64_t>(colours.size()); ++place) {
      const std::int64_t first = place / static_cast<std::int64_t>(colours.size());
      const std::int64_t colour = colours[static_cast<std::size_t>(place) % colours.size()];
      if (free(colour, first)) {
        chosen = {colour, first};
        break;
      }
    }
    for (std::size_t member = 0; member < family.members.size(); ++member) {
      const std::int64_t dash = dash_of(chosen.second, member);
      used.insert({chosen.first, dash});
      result[family.members[member]] = {ColourKey::of_entry(chosen.first), static_cast<Dash>(dash)};
    }
  }
  return result;
}

AxisText axis_text(const QuantitySchema& schema) {
  const bool full = schema.name.reduction() == Reduction::full;
  if (full && (schema.name.quantity() == Quantity::logit_terms ||
               schema.name.quantity() == Quantity::separate_terms)) {
    return {"attention score", "logits", ""};
  }
  if (full && schema.name.quantity() == Quantity::aumann_shapley) {
    return {"effect on the attention weight", "probability", ""};
  }
  AxisText text{std::string(name(schema.name.quantity())), schema.units, ""};
  if (!full) {
    text.quantity += " " + std::string(name(schema.name.reduction()));
  }
  std::replace(text.quantity.begin(), text.quantity.end(), '_', ' ');
  return text;
}

}  // namespace mog::analysis
