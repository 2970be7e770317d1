#include "app/workflow/common/resources.h"

#include <fmt/format.h>

#include <cstdlib>
#include <vector>

#include "io/recording/errors.h"

namespace mog::app {

std::filesystem::path resources_dir() {
  std::error_code error;
  if (const char* const set = std::getenv("MOG_RESOURCES"); set != nullptr && *set != '\0') {
    if (!std::filesystem::is_directory(set, error)) {
      throw StorageError(fmt::format(
          "looking for the bundled models and corpora: MOG_RESOURCES is {}, which is no folder; unset it, "
          "or set it to the folder `resources` of the source tree",
          set));
    }
    if (!std::filesystem::is_directory(std::filesystem::path(set) / "models", error)) {
      throw StorageError(fmt::format(
          "looking for the bundled models and corpora: MOG_RESOURCES is {}, which has no folder `models`; "
          "unset it, or set it to the folder `resources` of the source tree",
          set));
    }
    return set;
  }
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  const std::filesystem::path folder = program.parent_path();
  const std::vector<std::filesystem::path> places = {folder.parent_path().parent_path() / "resources",
                                                     folder.parent_path() / "share" / "mog-workbench"};
  for (const std::filesystem::path& place : places) {
    if (std::filesystem::is_directory(place / "corpora", error)) {
      return place;
    }
  }
  throw StorageError(fmt::format(
      "looking for the bundled models and corpora: neither {} nor {} holds them; set MOG_RESOURCES to the "
      "folder `resources` of the source tree",
      places[0].string(), places[1].string()));
}

std::filesystem::path resource(const std::filesystem::path& relative) {
  std::filesystem::path found = resources_dir() / relative;
  std::error_code error;
  if (!std::filesystem::exists(found, error)) {
    throw StorageError(
        fmt::format("opening the bundled {}: {} does not exist; set MOG_RESOURCES to the folder `resources` "
                    "of the source "
                    "tree",
                    relative.string(), found.string()));
  }
  return found;
}

std::filesystem::path model_path(const std::filesystem::path& given) {
  if (given.empty()) {
    return resource("models/tagger-en-distilled");
  }
  std::error_code error;
  const std::filesystem::path name = given.has_filename() ? given : given.parent_path();
  if (std::filesystem::exists(given, error) || name.has_parent_path()) {
    return given;
  }
  try {
    std::filesystem::path bundled = resources_dir() / "models" / name;
    return std::filesystem::exists(bundled / "config.json", error) ? bundled : given;
  } catch (const StorageError&) {
    return given;
  }
}

}  // namespace mog::app
