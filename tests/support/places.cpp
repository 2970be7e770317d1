#include "tests/support/places.h"

#include <cstdlib>

namespace mog::test {
namespace {

namespace fs = std::filesystem;

fs::path set_or(const char* variable, const fs::path& otherwise) {
  const char* const set = std::getenv(variable);
  return set != nullptr ? set : otherwise;
}

}  // namespace

fs::path data_dir() {
  return set_or("MOG_TEST_DATA_DIR", fs::path(MOG_SOURCE_DIR) / "tests" / "data");
}

fs::path resources_dir() {
  return fs::path(MOG_SOURCE_DIR) / "resources";
}

fs::path docs_dir() {
  return fs::path(MOG_SOURCE_DIR) / "docs";
}

fs::path built_program(const char* name) {
  return fs::read_symlink("/proc/self/exe").parent_path() / name;
}

fs::path shared_dir() {
  const fs::path path = set_or("MOG_SHARED_DIR", fs::path(MOG_SOURCE_DIR).parent_path() / "shared");
  return fs::is_directory(path / "golden") ? path : fs::path();
}

}  // namespace mog::test
