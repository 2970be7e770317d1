// Where the larger test data of the project lies: $MOG_SHARED_DIR, by default ../shared beside the
// source tree. Tests that need it skip with their reason where it is absent.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

namespace mog::test {

// Empty when there is no shared data.
inline std::filesystem::path shared_dir() {
  const char* const set = std::getenv("MOG_SHARED_DIR");
  const std::filesystem::path path = set != nullptr ? set : MOG_SHARED_DEFAULT_DIR;
  return std::filesystem::is_directory(path / "golden") ? path : std::filesystem::path();
}

}  // namespace mog::test

// Returns from the test with a reason when `relative` is not in the shared data.
#define MOG_REQUIRE_SHARED(variable, relative)                                                           \
  const std::filesystem::path variable = ::mog::test::shared_dir() / (relative);                         \
  if (::mog::test::shared_dir().empty() || !std::filesystem::exists(variable)) {                         \
    GTEST_SKIP() << "shared data is absent: set MOG_SHARED_DIR to the folder that holds " << (relative); \
  }                                                                                                      \
  static_assert(true)
