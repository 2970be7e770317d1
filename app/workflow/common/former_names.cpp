#include "app/workflow/common/former_names.h"

#include <fmt/format.h>

#include <algorithm>

namespace mog::app {
namespace {

struct FormerName {
  NameOf what;
  std::string_view former;
  std::string_view today;
};

// "Order" was said of leaves, too; it is the number of distinct words
// (docs/decisions/0021-order-and-leaves.md).
constexpr FormerName kFormer[] = {
    {NameOf::quantity, "order", "leaves"},
    {NameOf::quantity, "order-mass", "leaves-mass"},
    {NameOf::quantity, "part-order", "part-leaves"},
    {NameOf::mode, "by-order", "by-leaves"},
    {NameOf::source, "by-order", "by-leaves"},
    {NameOf::figure, "order-by-layer", "leaves-by-layer"},
    {NameOf::figure, "order-distribution", "leaves-distribution"},
    // Layouts of docks became workspaces (docs/decisions/0035-workspaces.md).
    {NameOf::workspace, "look", "graphs"},
    {NameOf::workspace, "count", "corpus"},
    {NameOf::workspace, "syntax", "graphs"},
};

}  // namespace

std::string_view name_of_today(NameOf what, std::string_view name) {
  const auto* const found = std::find_if(std::begin(kFormer), std::end(kFormer), [&](const FormerName& one) {
    return one.what == what && one.former == name;
  });
  return found == std::end(kFormer) ? name : found->today;
}

std::string names_of_today(NameOf what, std::string_view names, std::vector<std::string>& notes) {
  std::string text;
  for (std::size_t begin = 0; begin <= names.size();) {
    const std::size_t end = std::min(names.find(',', begin), names.size());
    const std::string_view given = names.substr(begin, end - begin);
    const std::string_view today = name_of_today(what, given);
    if (today != given) {
      notes.push_back(fmt::format(
          "{} is called {} now: words with repeats are leaves, distinct words are the order", given, today));
    }
    text += today;
    text += end < names.size() ? "," : "";
    begin = end + 1;
  }
  return text;
}

}  // namespace mog::app
