// Where tests find what they read: the source tree's folders, the larger shared data, programs built beside
// them. One file alone (places.cpp) is compiled with the name of this clone's folder, so that the compiler's
// cache knows all others in every clone.
#pragma once

#include <filesystem>

namespace mog::test {

std::filesystem::path data_dir();  // tests/data; $MOG_TEST_DATA_DIR for programs that another machine built
std::filesystem::path resources_dir();  // resources
std::filesystem::path docs_dir();       // docs

// A program that the build has put beside this one.
std::filesystem::path built_program(const char* name);

// $MOG_SHARED_DIR, by default ../shared beside the source tree. Empty when there is no shared data: tests
// that need it skip with their reason.
std::filesystem::path shared_dir();

}  // namespace mog::test

// Returns from the test with a reason when `relative` is not in the shared data.
#define MOG_REQUIRE_SHARED(variable, relative)                                                           \
  const std::filesystem::path variable = ::mog::test::shared_dir() / (relative);                         \
  if (::mog::test::shared_dir().empty() || !std::filesystem::exists(variable)) {                         \
    GTEST_SKIP() << "shared data is absent: set MOG_SHARED_DIR to the folder that holds " << (relative); \
  }                                                                                                      \
  static_assert(true)
