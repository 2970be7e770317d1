// What every number of the program is: formula, unit, range, and the level of what may be claimed of it. One
// text for `mog describe --quantity`, for the desktop program's help and for the page docs/quantities.md.
// Units and axes of quantities are those of the lists of the models.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mog::app {

// What may be claimed of a number. `none`: of a view that shows no number.
enum class ClaimLevel : std::uint8_t { algebra, frozen, summary, causal, none };
// "level 0: algebra, true for any input"; "" for none.
std::string_view text(ClaimLevel level) noexcept;

struct GuideEntry {
  // Of a quantity, L a layer, PART and D parts, TASK a task, M a map: "encoder.L.gate.mean";
  // of `mog stats`: "leaves-mass"; of the desktop program: "view.gates"; of further figures: "figure.forest".
  std::string_view name;
  std::string_view title;
  std::string_view formula;  // may be empty: of views
  std::string_view range;
  ClaimLevel level = ClaimLevel::none;
  std::string_view meaning;
  std::string_view unit{};
  std::string_view symbols{};  // in papers and formulas: "w, z"
};

// Of a view or a figure of the program, not of a number: no formula, unit and range.
bool is_of_program(const GuideEntry& entry) noexcept;

// All of them: models, decompositions, derived quantities, measures, views, figures.
std::vector<const GuideEntry*> guide();
// Of a quantity's name with any layer ("encoder.3.m1.attention"), of an entry's name, or of what `mog stats`
// counts; nullptr: none.
const GuideEntry* explain(std::string_view name);
// Those in whose name, title, formula or meaning every word stands, in any case; `name` first when it is the
// name of one. Throws UsageError naming near ones when there is none.
std::vector<const GuideEntry*> search_guide(std::string_view words);

// Some lines for a terminal; a list of names and titles for many.
std::string print_guide(std::span<const GuideEntry* const> entries);
std::string guide_json(std::span<const GuideEntry* const> entries);
// The page docs/quantities.md: every quantity with its axes, in the words of its entry.
std::string quantities_page();

}  // namespace mog::app
