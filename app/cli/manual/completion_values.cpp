#include <algorithm>
#include <filesystem>
#include <memory>

#include "analysis/statistics/weight_by_length.h"
#include "app/cli/manual/completion.h"
#include "app/cli/manual/how_to.h"
#include "app/workflow/common/resources.h"
#include "app/workflow/describe/guide.h"
#include "app/workflow/figures/figure.h"
#include "app/workflow/record/capture.h"
#include "io/recording/errors.h"

namespace mog::cli {
namespace {

std::vector<std::string> bundled_models() {
  std::vector<std::string> names;
  std::error_code error;
  try {
    for (const auto& entry : std::filesystem::directory_iterator(app::resources_dir() / "models", error)) {
      if (std::filesystem::exists(entry.path() / "config.json", error)) {
        names.push_back(entry.path().filename().string());
      }
    }
  } catch (const StorageError&) {  // there are none
  }
  std::sort(names.begin(), names.end());
  return names;
}

// As a user types them: a layer is any.
std::vector<std::string> quantity_names() {
  std::vector<std::string> names;
  for (const app::GuideEntry* const entry : app::guide()) {
    std::string name(entry->name);
    if (app::is_of_program(*entry) || name.find('.') == std::string::npos) {
      continue;
    }
    for (const std::string_view letter : {".L.", ".PART.", ".D.", ".TASK.", ".M."}) {
      for (std::size_t at = name.find(letter); at != std::string::npos; at = name.find(letter)) {
        name.replace(at, letter.size(), ".*.");
      }
    }
    names.push_back(std::move(name));
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

std::vector<std::string> capture_names() {
  std::vector<std::string> names;
  for (const auto capture : {app::CaptureName::summary, app::CaptureName::attention, app::CaptureName::gates,
                             app::CaptureName::shares, app::CaptureName::orders, app::CaptureName::hidden,
                             app::CaptureName::all}) {
    names.emplace_back(app::name(capture));
  }
  names.emplace_back("none");
  return names;
}

}  // namespace

CompletionValues completion_values(const CommandPage& program) {
  CompletionValues values;
  values.names["--model"] = bundled_models();
  values.names["--quantity"] = quantity_names();
  values.names["stats --quantity"] = analysis::measure_names();
  values.names["--capture"] = capture_names();
  values.names["--device"] = {"auto", "cpu", "cuda"};
  values.names["--precision"] = {"float32", "bfloat16", "int8", "float64"};
  values.names["--store"] = {"float16", "float32", "float64", "uint8"};
  values.names["--long"] = {"error", "skip", "truncate"};
  values.names["--invalid-utf8"] = {"error", "replace", "skip"};
  values.names["--words"] = {"auto", "spaces", "ud-en", "characters"};
  values.lists = {"--quantity", "--capture"};
  values.files = {"--model"};
  values.names["completion SHELL"] = {"bash", "zsh", "fish"};
  std::vector<std::string>& kinds = values.names["figure KIND"];
  kinds.emplace_back("list");
  for (const app::FigureKind* const kind : app::figure_kinds()) {
    kinds.emplace_back(kind->name);
    app::Choices choices;
    kind->create()->declare(choices);
    for (const app::Choice& choice : choices.all()) {
      values.figure_options[std::string(kind->name)].push_back("--" + choice.name);
    }
  }
  for (const CommandPage& command : program.commands) {
    values.names["help"].push_back(command.name);
  }
  values.names["cite COMMAND"] = values.names["help"];
  for (const HowTo& page : all_how_tos()) {
    values.names["examples NAME"].push_back(page.name);
  }
  return values;
}

}  // namespace mog::cli
