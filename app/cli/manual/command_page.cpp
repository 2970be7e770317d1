#include "app/cli/manual/command_page.h"

#include <algorithm>

namespace mog::cli {
namespace {

OptionPage page_of(const CLI::Option& option, bool positional) {
  OptionPage page;
  page.positional = positional;
  if (positional) {
    page.names = {option.get_name(true)};
  } else {
    for (const std::string& name : option.get_lnames()) {
      page.names.push_back("--" + name);
    }
    for (const std::string& name : option.get_snames()) {
      page.names.push_back("-" + name);
    }
  }
  page.required = option.get_required();
  page.several = option.get_items_expected_max() > 1;
  if (option.get_items_expected_max() > 0) {
    const std::string type = option.get_type_name();  // "INT:INT in [0 - 4096]"
    page.value = type.substr(0, type.find(':'));
  }
  page.usual = option.get_default_str();
  page.description = option.get_description();
  page.group = option.get_group();
  return page;
}

}  // namespace

CommandPage page_of(const CLI::App& app) {
  CommandPage page{.name = app.get_name(), .description = app.get_description(), .footer = app.get_footer()};
  for (const CLI::Option* const option : app.get_options()) {
    if (option->get_positional()) {
      page.options.push_back(page_of(*option, true));
    }
    if (option->nonpositional()) {  // the same may be both
      page.options.push_back(page_of(*option, false));
    }
  }
  for (const CLI::App* const command : app.get_subcommands([](const CLI::App*) { return true; })) {
    page.commands.push_back(page_of(*command));
  }
  return page;
}

}  // namespace mog::cli
