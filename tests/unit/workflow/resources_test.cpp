#include "app/workflow/common/resources.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "io/recording/errors.h"
#include "tests/support/temporary_folder.h"

namespace mog::app {
namespace {

class Resources : public testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directories(folder_.path() / "models" / "small");
    folder_.write("models/small/config.json", "{}");
    ::setenv("MOG_RESOURCES", folder_.path().c_str(), 1);
  }
  void TearDown() override { ::unsetenv("MOG_RESOURCES"); }
  test::TemporaryFolder folder_;
};

TEST_F(Resources, ABundledModelIsFoundByItsName) {
  EXPECT_EQ(model_path("small"), folder_.path() / "models" / "small");
  EXPECT_EQ(model_path("small/"), folder_.path() / "models" / "small");
  EXPECT_EQ(model_path("absent"), "absent");
  EXPECT_EQ(model_path("./small"), "./small");  // a path, not a name
}

TEST_F(Resources, APathThatIsThereComesFirst) {
  EXPECT_EQ(model_path(folder_.path() / "models"), folder_.path() / "models");
}

TEST_F(Resources, NoNameIsTheDefault) {
  EXPECT_THROW(model_path(), StorageError);
  std::filesystem::create_directories(folder_.path() / "models" / "tagger-en-distilled");
  EXPECT_EQ(model_path(), folder_.path() / "models" / "tagger-en-distilled");
}

TEST_F(Resources, AWrongFolderIsNamed) {
  for (const std::filesystem::path& wrong :
       {folder_.path() / "none", folder_.path() / "models" / "small" / "config.json",
        folder_.path() / "models"}) {
    ::setenv("MOG_RESOURCES", wrong.c_str(), 1);
    try {
      resources_dir();
      ADD_FAILURE() << wrong;
    } catch (const StorageError& error) {
      EXPECT_NE(std::string(error.what()).find("MOG_RESOURCES is " + wrong.string()), std::string::npos);
    }
  }
}

}  // namespace
}  // namespace mog::app
