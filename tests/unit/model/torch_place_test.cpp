#include "model/torch_place.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/support/temporary_folder.h"

namespace mog::model {
namespace {

class TorchPlaces : public testing::Test {
 protected:
  void SetUp() override { ::unsetenv("MOG_TORCH"); }
  void TearDown() override { ::unsetenv("MOG_TORCH"); }
  void write(const std::filesystem::path& relative, const std::string& text = "") {
    std::filesystem::create_directories((folder_.path() / relative).parent_path());
    folder_.write(relative.string(), text);
  }
  std::filesystem::path at(const std::filesystem::path& relative) { return folder_.path() / relative; }
  test::TemporaryFolder folder_;
};

TEST_F(TorchPlaces, AnyFolderAboveTheLibraryNamesIt) {
  write("site/torch/lib/libtorch_cpu.so");
  write("site/torch/version.py",
        "from typing import Optional\n\n__version__ = '2.11.0+cu130'\ndebug = False\n");
  for (const char* given : {"site/torch/lib", "site/torch/lib/", "site/torch", "site"}) {
    EXPECT_EQ(torch_in(at(given)).folder, at("site/torch/lib")) << given;
    EXPECT_EQ(torch_in(at(given)).version, "2.11.0+cu130") << given;
  }
  EXPECT_TRUE(torch_in(at("nowhere")).folder.empty());
}

TEST_F(TorchPlaces, VersionsOfArchivesAndHeaders) {
  write("a/lib/libtorch_cpu.so");
  write("a/build-version", "2.11.0+cpu\n");
  write("b/lib/libtorch_cpu.so");
  write("b/include/torch/headeronly/version.h",
        "#define TORCH_VERSION_MAJOR 2\n#define TORCH_VERSION_MINOR 9\n");
  write("c/lib/libtorch_cpu.so");
  EXPECT_EQ(torch_in(at("a")).version, "2.11.0+cpu");
  EXPECT_EQ(torch_in(at("b")).version, "2.9");
  EXPECT_EQ(torch_in(at("c")).version, "");
}

TEST_F(TorchPlaces, TheEnvironmentComesFirst) {
  write("lib/mog-workbench/libtorch/libtorch_cpu.so");
  write("other/libtorch_cpu.so");
  const auto engine = at("lib/mog-workbench/libmog_engine.so");
  EXPECT_EQ(find_torch(engine).folder, at("lib/mog-workbench/libtorch"));
  ::setenv("MOG_TORCH", at("other").c_str(), 1);
  EXPECT_EQ(find_torch(engine).folder, at("other"));
  ::setenv("MOG_TORCH", at("nowhere").c_str(), 1);
  EXPECT_TRUE(find_torch(engine).folder.empty());
}

TEST_F(TorchPlaces, OnlyAPackageLooksBesideItself) {
  write("site/mog_workbench/lib/mog-workbench/libmog_engine.so");
  write("site/torch/lib/libtorch_cpu.so");
  const auto engine = at("site/mog_workbench/lib/mog-workbench/libmog_engine.so");
  EXPECT_TRUE(find_torch(engine).folder.empty());
  EXPECT_EQ(torch_hint(engine).find("pip install 'mog-workbench[models]'"), std::string::npos);
  write("site/mog_workbench/__init__.py");
  EXPECT_EQ(find_torch(engine).folder, at("site/torch/lib"));
  EXPECT_NE(torch_hint(engine).find("pip install 'mog-workbench[models]'"), std::string::npos);
}

TEST_F(TorchPlaces, OldHeadersAndNotesThatAreNone) {
  write("a/lib/libtorch_cpu.so");
  write("a/version.py", "__version__ = 'unknown'\n");
  write("a/include/torch/csrc/api/include/torch/version.h", "#define TORCH_VERSION \"2.8.0\"\n");
  EXPECT_EQ(torch_in(at("a")).version, "2.8.0");
  write("b/lib/libtorch_cpu.so");
  write("b/include/torch/headeronly/version.h", "#define TORCH_VERSION_MAJOR 2\n");
  EXPECT_EQ(torch_in(at("b")).version, "");
}

TEST_F(TorchPlaces, TheHintIsForWhatIsInstalled) {
  EXPECT_NE(
      torch_hint(at("lib/mog-workbench/libmog_engine.so")).find(at("lib/mog-workbench/libtorch").string()),
      std::string::npos);
  EXPECT_EQ(torch_hint(at("build/lib/libmog_engine.so")).find("`./bootstrap build`"), 0U);
}

// The program is started anew with the folder in front; then the folder is taken away again.
TEST_F(TorchPlaces, AreSearchedFirstByAProgramThatIsStartedAnew) {
  const char* const found = std::getenv("LD_LIBRARY_PATH");
  const std::string before = found == nullptr ? "" : found;
  const auto paths = [] {
    const char* const now = std::getenv("LD_LIBRARY_PATH");
    return std::string(now == nullptr ? "none" : now);
  };
  std::string program = "test_model";
  std::string list = "--gtest_list_tests";
  char* arguments[] = {program.data(), list.data(), nullptr};
  write("torch/libtorch_cpu.so");
  write("old/libtorch_cpu.so");
  write("old/build-version", "1.2.0\n");
  const std::string torch = at("torch").string();

  ::setenv("LD_LIBRARY_PATH", "/a:/b", 1);
  search_torch_first(arguments);
  for (const std::string& useless : {std::string(), at("nowhere").string(), at("old").string()}) {
    ::setenv("MOG_TORCH", useless.c_str(), 1);
    search_torch_first(arguments);
  }
  EXPECT_EQ(paths(), "/a:/b");
  ::setenv("MOG_TORCH", torch.c_str(), 1);
  ::setenv("LD_LIBRARY_PATH", (torch + ":/a").c_str(), 1);
  search_torch_first(arguments);
  EXPECT_EQ(paths(), "/a");
  ::setenv("LD_LIBRARY_PATH", torch.c_str(), 1);
  search_torch_first(arguments);
  EXPECT_EQ(paths(), "none");
  // What a program writes that was started with its libraries elsewhere is its own list of tests.
  if (before.empty()) {
    EXPECT_EXIT(search_torch_first(arguments), testing::ExitedWithCode(0), "");
  }
  before.empty() ? ::unsetenv("LD_LIBRARY_PATH") : ::setenv("LD_LIBRARY_PATH", before.c_str(), 1);
}

TEST(TorchVersions, AnyBuildOfTheVersionFits) {
  for (const char* version : {"2.11", "2.11.0", "2.11.3+cpu", "2.11.0+cu130", "2.11+git"}) {
    EXPECT_TRUE(torch_fits(version)) << version;
  }
  for (const char* version : {"2.1", "2.1.1", "2.10.0", "2.110.0", "2.12.0", "3.2.11", ""}) {
    EXPECT_FALSE(torch_fits(version)) << version;
  }
}

}  // namespace
}  // namespace mog::model
