// Where the bundled models, corpora, fonts and icons lie.
#pragma once

#include <filesystem>

namespace mog::app {

// $MOG_RESOURCES, else ../../resources of the program (a build tree), else ../share/mog-workbench (an
// installation). Throws StorageError naming the folders that were tried; a
// $MOG_RESOURCES without `models` is refused, too.
std::filesystem::path resources_dir();

// resources_dir() / relative. Throws StorageError when it is not there.
std::filesystem::path resource(const std::filesystem::path& relative);

// The model that a user means: `given` where there is such a path, else the bundled model of that name, else
// `given` again. Empty: the bundled default. Throws StorageError where the default is not there.
std::filesystem::path model_path(const std::filesystem::path& given = {});

}  // namespace mog::app
