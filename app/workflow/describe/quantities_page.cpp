// The page docs/quantities.md: a row for each entry of the guide, with the names, axes and units of the
// quantities that it explains.
#include <fmt/format.h>

#include "app/workflow/describe/guide_parts.h"

namespace mog::app {
namespace {

struct Section {
  std::string_view title;
  std::span<const GuideEntry> (*rows)();
};
constexpr Section kOfModels[] = {{"Encoders", guide_of_encoders},
                                 {"Two directions", guide_of_directions},
                                 {"Graph as input", guide_of_graph_input},
                                 {"Global representation", guide_of_global},
                                 {"Next token", guide_of_next_token},
                                 {"Decoders and tagging heads", guide_of_decoders},
                                 {"Exact decompositions", guide_of_decompositions},
                                 {"Source and target", guide_of_context},
                                 {"Computed from a recording", guide_of_derived}};
constexpr Section kMeasures = {"Counted and compared", guide_of_measures};

std::string cell(std::string_view text) {
  std::string result;
  for (const char letter : text) {
    result += letter == '|' ? "\\|" : std::string(1, letter);
  }
  return result;
}

std::string level_of(const GuideEntry& entry) {
  return std::to_string(static_cast<int>(entry.level));
}

std::string words_of(const GuideEntry& entry) {
  return fmt::format("**{}**<br>`{}`<br>{}", cell(entry.title), cell(entry.formula), cell(entry.meaning));
}

std::string axes_of(const QuantitySchema& schema) {
  std::string axes;
  for (const Axis axis : schema.axes) {
    axes += fmt::format("{}{}", axes.empty() ? "" : ", ", name(axis));
  }
  return axes;
}

// A row for all quantities of the entry that have the same axes.
std::string rows_of(const GuideEntry& entry) {
  struct Row {
    std::string names;
    std::string axes;
    std::string units;
  };
  std::vector<Row> rows;
  for (const KnownQuantity& known : known_quantities()) {
    if (explain(known.schema.name.text()) != &entry) {
      continue;
    }
    const std::string axes = axes_of(known.schema);
    if (rows.empty() || rows.back().axes != axes) {
      rows.push_back({.names = "", .axes = axes, .units = known.schema.units});
    }
    rows.back().names += fmt::format("{}`{}`", rows.back().names.empty() ? "" : "<br>", known.name);
  }
  std::string text;
  for (const Row& row : rows) {
    text += fmt::format("| {} | [{}] | {} | {} | {} | {} | {} |\n", row.names, row.axes, row.units,
                        cell(entry.range), level_of(entry), entry.symbols, words_of(entry));
  }
  return text;
}

}  // namespace

std::string quantities_page() {
  std::string page =
      "# Quantities\n\nThis page is the output of `mog describe --quantity list --markdown`; a test compares "
      "the "
      "two. `mog describe --quantity NAME` says the same of one quantity. How names are built, axes and "
      "their "
      "entries, and definitions that need more room are in [quantity-names.md](quantity-names.md).\n\n"
      "`L` stands for a layer from 1, `D` for `forward` or `backward`, `TASK` for a tagging task. A row with "
      "several names holds for each of them. The level says what may be claimed of a number:\n\n";
  for (const ClaimLevel level :
       {ClaimLevel::algebra, ClaimLevel::frozen, ClaimLevel::summary, ClaimLevel::causal}) {
    page += fmt::format("- {}\n", text(level));
  }
  for (const Section& section : kOfModels) {
    page += fmt::format(
        "\n## {}\n\n| name | axes | units | range | level | symbols | what it is "
        "|\n|---|---|---|---|---|---|---|\n",
        section.title);
    for (const GuideEntry& row : section.rows()) {
      page += rows_of(*explain(row.name));
    }
  }
  page += fmt::format("\n## {}\n\n| name | units | range | level | what it is |\n|---|---|---|---|---|\n",
                      kMeasures.title);
  for (const GuideEntry& entry : kMeasures.rows()) {
    page += fmt::format("| `{}` | {} | {} | {} | {} |\n", entry.name, cell(entry.unit), cell(entry.range),
                        level_of(entry), words_of(entry));
  }
  return page;
}

}  // namespace mog::app
