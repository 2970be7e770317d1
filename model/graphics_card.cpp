#include "model/graphics_card.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "model/engine_api.h"

namespace mog::model {
namespace {

namespace fs = std::filesystem;

std::string first_line(const fs::path& file) {
  std::ifstream stream(file);
  std::string line;
  std::getline(stream, line);
  return line;
}

// "NVIDIA 0000:01:00.0 (10de:2684)" of every display controller of that maker on the bus.
std::vector<std::string> cards_on_the_bus(const fs::path& root) {
  std::vector<std::string> cards;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(root / "sys/bus/pci/devices", error)) {
    if (first_line(entry.path() / "vendor") == "0x10de" &&
        first_line(entry.path() / "class").starts_with("0x03")) {
      const std::string device = first_line(entry.path() / "device");
      cards.push_back(fmt::format("NVIDIA, PCI {} (10de:{})", entry.path().filename().string(),
                                  device.substr(std::min<std::size_t>(2, device.size()))));
    }
  }
  std::sort(cards.begin(), cards.end());
  return cards;
}

// "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.65.06  …" holds the version behind "Module".
std::string driver_version(const fs::path& root) {
  const std::string line = first_line(root / "proc/driver/nvidia/version");
  const auto module = line.find("Module");
  const auto begin = line.find_first_of("0123456789", module == std::string::npos ? line.size() : module);
  return begin == std::string::npos ? "" : line.substr(begin, line.find(' ', begin) - begin);
}

std::string cuda_number(int version) {
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

CardPart card_part(const fs::path& root, const Driver& driver) {
  const auto cards = cards_on_the_bus(root);
  if (!cards.empty()) {
    return {"card", true, fmt::format("{}", fmt::join(cards, "; "))};
  }
  std::error_code error;
  if (driver.devices > 0 || fs::exists(root / "dev/dxg", error)) {  // a virtual machine, Windows' Linux
    return {"card", true, "seen by its driver alone"};
  }
  return {"card", false, "no NVIDIA card in this machine"};
}

CardPart driver_part(const fs::path& root, const Driver& driver, const CudaLibraries& libraries) {
  const std::string number = driver_version(root);
  const std::string version = number.empty() ? "" : number + ", ";
  const std::string newer =
      "install NVIDIA's driver 580 or newer (package nvidia-driver of the distribution, or "
      "nvidia.com/drivers)";
  if (driver.cuda == 0) {
    return {"driver", false,
            fmt::format("{}; {}", driver.error.empty() ? "not there" : version + driver.error,
                        driver.error.empty() || number.empty() ? newer : "restart, or reinstall the driver")};
  }
  if (libraries.runtime / 1000 > driver.cuda / 1000) {
    return {"driver", false,
            fmt::format("{}too old: it has CUDA {}, the libraries need {}; {}", version,
                        cuda_number(driver.cuda), cuda_number(libraries.runtime), newer)};
  }
  if (driver.devices == 0) {
    return {"driver", false, fmt::format("{}it reports no usable card: {}", version, driver.error)};
  }
  return {"driver", true, fmt::format("{}CUDA {}", version, cuda_number(driver.cuda))};
}

Driver ask_driver() {
  Driver driver;
  void* const library = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    return driver;
  }
  const auto initialise = reinterpret_cast<int (*)(unsigned)>(::dlsym(library, "cuInit"));
  const auto version = reinterpret_cast<int (*)(int*)>(::dlsym(library, "cuDriverGetVersion"));
  const auto count = reinterpret_cast<int (*)(int*)>(::dlsym(library, "cuDeviceGetCount"));
  if (initialise == nullptr || version == nullptr || count == nullptr) {
    driver.error = "libcuda.so.1 is no CUDA driver";
    return driver;
  }
  if (version(&driver.cuda) != 0) {
    driver.cuda = 0;
    driver.error = "libcuda.so.1 does not say its version";
    return driver;
  }
  const int error = initialise(0);
  if (error != 0 || count(&driver.devices) != 0 || driver.devices == 0) {
    driver.error = fmt::format("cuInit gave {}", error);
    driver.devices = 0;
  }
  return driver;
}

}  // namespace

GraphicsCard graphics_card(const std::string& root, const Driver& driver, const CudaLibraries& libraries) {
  GraphicsCard card;
  card.parts.push_back(card_part(root, driver));
  card.parts.push_back(driver_part(root, driver, libraries));
  card.parts.push_back({"libraries", libraries.error.empty(),
                        libraries.error.empty()
                            ? fmt::format("{} in {}", libraries.versions, libraries.folder)
                            : libraries.error});
  card.parts.push_back({"kernels", libraries.kernels_error.empty(),
                        libraries.kernels_error.empty() ? "compiled for " + libraries.architectures
                                                        : libraries.kernels_error});
  card.usable =
      std::all_of(card.parts.begin(), card.parts.end(), [](const CardPart& part) { return part.there; });
  return card;
}

GraphicsCard graphics_card() {
  CudaLibraries libraries;
  try {
    libraries = engine().cuda_libraries();
  } catch (const std::exception&) {  // said where the engine is
    libraries.error = "not asked, since the engine cannot be opened";
    libraries.kernels_error = libraries.error;
  }
  return graphics_card("/", ask_driver(), libraries);
}

}  // namespace mog::model
