#include "model/graphics_card.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/support/temporary_folder.h"

namespace mog::model {
namespace {

const CudaLibraries kLibraries = {.error = "",
                                  .versions = "CUDA 13.0, cuDNN 9.19.0",
                                  .runtime = 13000,
                                  .folder = "/somewhere/torch/lib",
                                  .kernels_error = "",
                                  .architectures = "75, 80"};

class Card : public testing::Test {
 protected:
  void write(const std::string& relative, const std::string& text) {
    std::filesystem::create_directories((folder_.path() / relative).parent_path());
    folder_.write(relative, text);
  }
  void device(const std::string& at, const std::string& vendor, const std::string& kind,
              const std::string& number) {
    const std::string folder = "sys/bus/pci/devices/" + at + "/";
    write(folder + "vendor", vendor + "\n");
    write(folder + "class", kind + "\n");
    write(folder + "device", number + "\n");
  }
  // "name: text" of the parts that are missing.
  std::vector<std::string> missing(const Driver& driver, const CudaLibraries& libraries = kLibraries) {
    const GraphicsCard card = graphics_card(folder_.path().string(), driver, libraries);
    std::vector<std::string> lines;
    for (const CardPart& part : card.parts) {
      if (!part.there) {
        lines.push_back(part.name + ": " + part.text);
      }
    }
    EXPECT_EQ(card.usable, lines.empty());
    EXPECT_EQ(card.parts.size(), 4U);
    return lines;
  }
  test::TemporaryFolder folder_;
};

TEST_F(Card, WithoutADriverTheDriverAloneIsMissing) {
  device("0000:00:02.0", "0x8086", "0x030000", "0x1234");  // another maker
  device("0000:01:00.0", "0x10de", "0x030000", "0x2684");
  device("0000:01:00.1", "0x10de", "0x040300", "0x22ba");  // its sound
  const auto lines = missing({});
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(lines[0].find("driver: not there; install NVIDIA's driver 580 or newer"), 0U) << lines[0];
  EXPECT_EQ(graphics_card(folder_.path().string(), {}, kLibraries).parts[0].text,
            "NVIDIA, PCI 0000:01:00.0 (10de:2684)");
}

TEST_F(Card, AllIsThere) {
  device("0000:01:00.0", "0x10de", "0x030200", "0x2330");
  write("proc/driver/nvidia/version",
        "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.65.06  Sun Jul 27 07:10:09 UTC 2025\n");
  EXPECT_TRUE(missing({.cuda = 13000, .devices = 1, .error = ""}).empty());
  EXPECT_EQ(graphics_card(folder_.path().string(), {.cuda = 13000, .devices = 1, .error = ""}, kLibraries)
                .parts[1]
                .text,
            "580.65.06, CUDA 13.0");
}

TEST_F(Card, AnOldDriverIsNamed) {
  device("0000:01:00.0", "0x10de", "0x030000", "0x2684");
  const auto lines = missing({.cuda = 12020, .devices = 1, .error = ""});
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(lines[0].find("driver: too old: it has CUDA 12.2, the libraries need 13.0"), 0U) << lines[0];
}

TEST_F(Card, ADriverWithoutItsCard) {
  const auto lines = missing({.cuda = 13000, .devices = 0, .error = "cuInit gave 100"});
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0], "card: no NVIDIA card in this machine");
  EXPECT_EQ(lines[1], "driver: it reports no usable card: cuInit gave 100");
}

TEST_F(Card, CardsThatOnlyTheDriverSees) {  // in virtual machines
  EXPECT_TRUE(missing({.cuda = 13000, .devices = 1, .error = ""}).empty());
}

TEST_F(Card, MissingLibrariesAndKernels) {
  device("0000:01:00.0", "0x10de", "0x030000", "0x2684");
  CudaLibraries libraries;
  libraries.error = "a build for processors";
  libraries.kernels_error = "no kernels";
  const auto lines = missing({.cuda = 13000, .devices = 1, .error = ""}, libraries);
  EXPECT_EQ(lines, (std::vector<std::string>{"libraries: a build for processors", "kernels: no kernels"}));
}

TEST_F(Card, OfAVirtualMachineIsSeenThroughItsDriver) {
  write("dev/dxg", "");
  EXPECT_EQ(graphics_card(folder_.path().string(), {}, kLibraries).parts[0].text, "seen by its driver alone");
}

TEST_F(Card, ADriverThatIsBrokenIsToBeInstalledAgain) {
  device("0000:01:00.0", "0x10de", "0x030000", "2684");
  write("proc/driver/nvidia/version", "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.65.06  Sun\n");
  const auto lines = missing({.cuda = 0, .devices = 0, .error = "libcuda.so.1 does not say its version"});
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(lines[0],
            "driver: 580.65.06, libcuda.so.1 does not say its version; restart, or reinstall the driver");
  write("proc/driver/nvidia/version", "nothing of use\n");
  const auto unnamed = missing({.cuda = 0, .devices = 0, .error = "libcuda.so.1 is no CUDA driver"});
  ASSERT_EQ(unnamed.size(), 1U);
  EXPECT_EQ(unnamed[0].find("driver: libcuda.so.1 is no CUDA driver; install"), 0U) << unnamed[0];
}

// Where the engine cannot be opened the libraries are not asked.
TEST(GraphicsCard, SaysWhatItCouldNotAsk) {
  ::setenv("MOG_ENGINE", "/nowhere/libmog_engine.so", 1);
  const GraphicsCard card = graphics_card();
  ::unsetenv("MOG_ENGINE");
  ASSERT_EQ(card.parts.size(), 4U);
  EXPECT_FALSE(card.usable);
  EXPECT_EQ(card.parts[2].text, "not asked, since the engine cannot be opened");
  EXPECT_EQ(card.parts[3].text, card.parts[2].text);
}

}  // namespace
}  // namespace mog::model
