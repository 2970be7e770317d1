// Names are looked up from the most special to the most general: "encoder.3.high.attention" is
// "encoder.L.high.attention", its row entropy "encoder.L.PART.attention.row_entropy", the reset gate of a
// direction that of any recurrent layer.
#include "app/workflow/describe/guide.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <deque>
#include <nlohmann/json.hpp>

#include "app/workflow/describe/guide_parts.h"
#include "app/workflow/figures/figure.h"
#include "io/recording/errors.h"
#include "io/recording/quantity_name.h"
#include "io/recording/utf8.h"

namespace mog::app {
namespace {

using Json = nlohmann::ordered_json;

const GuideEntry* find(std::span<const GuideEntry> rows, std::string_view name) {
  const auto found =
      std::find_if(rows.begin(), rows.end(), [name](const GuideEntry& row) { return row.name == name; });
  return found == rows.end() ? nullptr : &*found;
}

const GuideEntry* explain(std::span<const GuideEntry> rows, const QuantityName& quantity) {
  // What the table says of the encoder holds for a stack of its own that is built of the same parts.
  const std::string own = fmt::format("{}.", name(quantity.stack()));
  const bool known = std::any_of(rows.begin(), rows.end(),
                                 [&own](const GuideEntry& row) { return row.name.starts_with(own); });
  const std::string_view stack = known ? name(quantity.stack()) : std::string_view("encoder");
  for (const std::string& part : part_spellings(quantity)) {
    if (const GuideEntry* entry = find(rows, name_pattern(stack, quantity, part))) {
      return entry;
    }
  }
  // Orders of a layer map, of rollout and of ALTI alike.
  if (quantity.quantity() == Quantity::rollout || quantity.quantity() == Quantity::alti) {
    return find(rows, fmt::format("encoder.L.M.{}", name(quantity.reduction())));
  }
  return nullptr;
}

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  return result;
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  for (const char letter : lower(text) + " ") {
    if (letter != ' ') {
      word += letter;
    } else if (!word.empty()) {
      words.push_back(std::move(word));
      word.clear();
    }
  }
  return words;
}

bool holds(const GuideEntry& entry, const std::vector<std::string>& words) {
  const std::string all = lower(
      fmt::format("{} {} {} {} {}", entry.name, entry.title, entry.symbols, entry.formula, entry.meaning));
  return std::all_of(words.begin(), words.end(),
                     [&all](const std::string& word) { return all.find(word) != std::string::npos; });
}

// Lines of at most `width` columns; a letter of UTF-8 is taken as one.
std::string wrapped(std::string_view text, std::string_view indent, std::size_t width = 96) {
  const auto columns = [](std::string_view piece) {
    return static_cast<std::size_t>(count_characters(piece));
  };
  std::string result;
  std::size_t column = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (column > 0 && column + 1 + columns(word) > width) {
      result += fmt::format("\n{}", indent);
      column = 0;
    }
    result += column > 0 ? " " : "";
    result += word;
    column += columns(word) + (column > 0 ? 1 : 0);
  }
  return result;
}

}  // namespace

std::string_view text(ClaimLevel level) noexcept {
  switch (level) {
    case ClaimLevel::algebra:
      return MOG_TEXT("Guide", "level 0: algebra, true for any input");
    case ClaimLevel::frozen:
      return MOG_TEXT(
          "Guide", "level 1: exact for this input with attention, norm scales and activation slopes frozen");
    case ClaimLevel::summary:
      return MOG_TEXT("Guide", "level 2: a summary that is a choice");
    case ClaimLevel::causal:
      return MOG_TEXT("Guide", "level 3: causal, something was changed and the model run again");
    case ClaimLevel::none:
      break;
  }
  return "";
}

bool is_of_program(const GuideEntry& entry) noexcept {
  return entry.name.starts_with("view.") || entry.name.starts_with("figure.");
}

namespace {

// A kind of figure says itself how it is read.
std::vector<GuideEntry> guide_of_figures() {
  static std::deque<std::string> names;  // of the one table
  std::vector<GuideEntry> rows;
  for (const FigureKind* const kind : figure_kinds()) {
    if (!kind->title.empty()) {
      rows.push_back({.name = names.emplace_back("figure." + std::string(kind->name)),
                      .title = kind->title,
                      .formula = "",
                      .range = "",
                      .level = ClaimLevel::summary,
                      .meaning = kind->reading});
    }
  }
  return rows;
}

// All rows, with the units of the quantities.
const std::vector<GuideEntry>& table() {
  static const std::vector<GuideEntry> rows = [] {
    std::vector<GuideEntry> all;
    const auto add = [&all](std::span<const GuideEntry> some) {
      all.insert(all.end(), some.begin(), some.end());
    };
    for (const auto some :
         {guide_of_encoders(), guide_of_directions(), guide_of_graph_input(), guide_of_global(),
          guide_of_next_token(), guide_of_decoders(), guide_of_decompositions(), guide_of_context(),
          guide_of_derived(), guide_of_measures(), guide_of_views()}) {
      add(some);
    }
    add(guide_of_figures());
    for (const KnownQuantity& known : known_quantities()) {
      if (const GuideEntry* const entry = explain(all, known.schema.name)) {
        all[static_cast<std::size_t>(entry - all.data())].unit = known.schema.units;
      }
    }
    return all;
  }();
  return rows;
}

}  // namespace

std::vector<const GuideEntry*> guide() {
  std::vector<const GuideEntry*> all;
  for (const GuideEntry& row : table()) {
    all.push_back(&row);
  }
  return all;
}

const GuideEntry* explain(std::string_view name) {
  if (const GuideEntry* entry = find(table(), name)) {
    return entry;
  }
  std::string one(name);  // "encoder.*.gate" is that of any layer
  if (const std::size_t star = one.find(".*."); star != std::string::npos) {
    one.replace(star, 3, ".1.");
  }
  try {
    return explain(table(), QuantityName::parse(one));
  } catch (const UsageError&) {
    return nullptr;
  }
}

std::vector<const GuideEntry*> search_guide(std::string_view words) {
  if (const GuideEntry* entry = explain(words)) {
    return {entry};
  }
  const std::vector<std::string> wanted = words_of(words);
  std::vector<const GuideEntry*> found;
  for (const GuideEntry* entry : guide()) {
    if (holds(*entry, wanted)) {
      found.push_back(entry);
    }
  }
  if (found.empty()) {
    throw UsageError(fmt::format(
        "--quantity {}: no quantity has this name, and none of the texts these words; an example is "
        "encoder.3.gate.mean, or entropy; `--quantity list` names all",
        words));
  }
  return found;
}

std::string print_guide(std::span<const GuideEntry* const> entries) {
  std::string result;
  if (entries.size() > 3) {
    for (const GuideEntry* entry : entries) {
      result += fmt::format("{:<46} {}\n", entry->name, entry->title);
    }
    return result;
  }
  for (const GuideEntry* entry : entries) {
    result += result.empty() ? "" : "\n";
    result += fmt::format("{}\n  {}\n", entry->name, entry->title);
    const auto line = [&result](std::string_view label, std::string_view value) {
      if (!value.empty()) {
        result += fmt::format("  {:<8} {}\n", label, wrapped(value, "           ", 85));
      }
    };
    line("symbol", entry->symbols);
    line("formula", entry->formula);
    line("unit", entry->unit);
    line("range", entry->range);
    line("claim", text(entry->level));
    result += fmt::format("  {}\n", wrapped(entry->meaning, "  "));
  }
  return result;
}

std::string guide_json(std::span<const GuideEntry* const> entries) {
  Json json = Json::array();
  for (const GuideEntry* entry : entries) {
    json.push_back(
        {{"name", entry->name},
         {"title", entry->title},
         {"symbols", entry->symbols},
         {"formula", entry->formula},
         {"units", entry->unit},
         {"range", entry->range},
         {"level", entry->level == ClaimLevel::none ? Json() : Json(static_cast<int>(entry->level))},
         {"claim", text(entry->level)},
         {"meaning", entry->meaning}});
  }
  return json.dump(2);
}

}  // namespace mog::app
