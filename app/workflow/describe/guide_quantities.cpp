// The quantities that there are, by name without layer, direction and task.
#include <fmt/format.h>

#include <map>
#include <set>
#include <utility>

#include "analysis/attribution/quantities.h"
#include "app/workflow/describe/guide_parts.h"
#include "app/workflow/record/order_computer.h"
#include "app/workflow/record/top_keys.h"
#include "model/known_systems.h"
#include "model/model.h"

namespace mog::app {

std::string name_pattern(std::string_view stack, const QuantityName& quantity, std::string_view part) {
  std::string result(stack);
  result += quantity.of_task() ? ".TASK" : quantity.layer() > 0 ? ".L" : "";
  const auto add = [&result](std::string_view piece) {
    result += piece.empty() ? "" : fmt::format(".{}", piece);
  };
  add(part);
  add(name(quantity.quantity()));
  add(name(quantity.reduction()));
  return result;
}

std::vector<std::string> part_spellings(const QuantityName& quantity) {
  const PartDescription& part = quantity.part().description();
  if (part.role == PartRole::whole) {
    return {""};
  }
  if (part.role == PartRole::direction) {
    return {"D", ""};
  }
  if (!part.direction.empty()) {
    return {part.role == PartRole::input ? "D_below" : "D_recurrent"};
  }
  std::vector<std::string> names = {part.name};
  for (std::string& other : Part::names()) {
    const PartDescription& about = Part::parse(other).description();
    if (other != part.name && about.role == part.role && about.query == part.query && about.key == part.key &&
        about.direction.empty()) {
      names.push_back(std::move(other));
    }
  }
  names.emplace_back("PART");
  return names;
}

const std::vector<KnownQuantity>& known_quantities() {
  static const std::vector<KnownQuantity> all = [] {
    std::map<QuantityName, QuantitySchema> offered;  // in the order of names
    const auto add = [&offered](const std::vector<QuantitySchema>& schemas) {
      for (const QuantitySchema& schema : schemas) {
        offered.try_emplace(schema.name, schema);
      }
    };
    for (const model::ModelConfig& system : model::known_systems()) {
      const StackDescription stack = model::system_of(system).main();
      add(model::quantities(system));
      add(order_quantities(stack.stack, 1));
      for (const QuantitySchema& schema : model::quantities(system)) {
        if (is_top_key_map(schema)) {
          add(top_key_quantities(schema, 0, schema.dtype));
        }
      }
      add(model::decoder_decompositions(system));
      if (const auto exact = model::decomposition_quantities(system); !exact.empty()) {
        add(exact);
        add(analysis::attribution_quantities(stack));
      }
    }
    std::vector<KnownQuantity> list;
    std::set<std::pair<std::string, std::vector<Axis>>> names;  // both directions are one
    for (auto& [quantity, schema] : offered) {
      std::string known = name_pattern(name(quantity.stack()), quantity, part_spellings(quantity).front());
      if (names.emplace(known, schema.axes).second) {
        list.push_back({std::move(known), std::move(schema)});
      }
    }
    return list;
  }();
  return all;
}

}  // namespace mog::app
