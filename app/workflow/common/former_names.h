// Names that choices had in earlier versions. They are taken with their meaning of then; what runs says so.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mog::app {

// What the name belongs to.
enum class NameOf : std::uint8_t { quantity, mode, source, figure, workspace };

// The name of today; `name` itself where it never had another.
std::string_view name_of_today(NameOf choice, std::string_view name);
// The same of names with commas between; a note for each that was a former one.
std::string names_of_today(NameOf choice, std::string_view names, std::vector<std::string>& notes);

}  // namespace mog::app
