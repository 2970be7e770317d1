// Opens libmog_engine.so on first use, so that commands without a model start without LibTorch.
#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <system_error>
#include <vector>

#include "io/recording/errors.h"
#include "model/engine_api.h"
#include "model/stored_model.h"
#include "model/torch_place.h"

namespace mog::model {
namespace {

constexpr const char* kEngineFile = "libmog_engine.so";

std::vector<std::filesystem::path> engine_places() {
  if (const char* const set = std::getenv("MOG_ENGINE"); set != nullptr && *set != '\0') {
    return {set};
  }
  std::error_code error;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) {
    return {};
  }
  const auto folder = program.parent_path();
  const auto lib = folder.parent_path() / "lib";
  return {folder / kEngineFile, lib / kEngineFile, lib / "mog-workbench" / kEngineFile};
}

[[noreturn]] void refuse(const std::vector<std::string>& tried) {
  throw DeviceError(fmt::format(
      "opening the engine that runs models: {}; build it with `./bootstrap build`, or set "
      "MOG_ENGINE to the path of {}",
      tried.empty() ? "no place to look" : fmt::format("{}", fmt::join(tried, "; ")), kEngineFile));
}

// Before the engine is opened, since a LibTorch of another version may crash instead of being refused.
void check_torch(const std::filesystem::path& file) {
  const TorchPlace place = find_torch(file);
  const char* const set = std::getenv("MOG_TORCH");
  if (place.folder.empty() && set != nullptr && *set != '\0') {
    throw DeviceError(fmt::format("opening LibTorch: MOG_TORCH is {}, where libtorch_cpu.so is not; {}", set,
                                  torch_hint(file)));
  }
  if (!place.version.empty() && !torch_fits(place.version)) {
    throw DeviceError(fmt::format("opening LibTorch: {} has version {}, the engine needs {}; {}",
                                  place.folder.string(), place.version, MOG_TORCH_VERSION, torch_hint(file)));
  }
}

// The engine is there and cannot be opened.
std::string why_not(const std::filesystem::path& file, const std::string& said) {
  if (said.find("libtorch_cpu.so: cannot open") != std::string::npos ||
      said.find("libc10.so: cannot open") != std::string::npos) {
    throw DeviceError(fmt::format("opening the engine that runs models: LibTorch {} is not there; {}",
                                  MOG_TORCH_VERSION, torch_hint(file)));
  }
  return fmt::format("{} cannot be loaded: {}", file.string(), said);
}

template <class Function>
Function* symbol(void* library, const char* name) {
  return reinterpret_cast<Function*>(::dlsym(library, name));
}

std::unique_ptr<Engine> open_engine() {
  std::vector<std::string> tried;
  for (const auto& place : engine_places()) {
    std::error_code error;
    if (!std::filesystem::exists(place, error)) {
      tried.push_back(fmt::format("{} is not there", place.string()));
      continue;
    }
    check_torch(place);
    // Tensors of megabytes in huge pages, where the system gives them on request: each page less is an
    // entry of the address tables less. Read by LibTorch when it allocates for the first time.
    ::setenv("THP_MEM_ALLOC_ENABLE", "1", 0);
    // Opened before LibTorch and without RTLD_DEEPBIND, so that MKL's question in it finds the engine's
    // answer (engine/runtime/mkl_kernels.h). Never closed again: its threads and types live as long as the
    // process.
    void* const library = ::dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
      tried.push_back(why_not(place, ::dlerror()));
      continue;
    }
    auto* const version = symbol<EngineVersionFunction>(library, kEngineVersionSymbol);
    auto* const create = symbol<EngineFactoryFunction>(library, kEngineFactorySymbol);
    if (version == nullptr || create == nullptr) {
      tried.push_back(fmt::format("{} is no engine of this program", place.string()));
      continue;
    }
    if (version() != kEngineInterfaceVersion) {
      tried.push_back(fmt::format("{} has interface {}, this program needs {}", place.string(), version(),
                                  kEngineInterfaceVersion));
      continue;
    }
    std::unique_ptr<Engine> engine(create());
    if (engine != nullptr) {
      return engine;
    }
    tried.push_back(fmt::format("{} gave no engine", place.string()));
  }
  refuse(tried);
}

}  // namespace

Engine& engine() {
  static std::mutex mutex;
  // Leaked on purpose: destroying it at exit would race with the library's own clean-up.
  static Engine* opened = nullptr;
  const std::lock_guard lock(mutex);
  if (opened == nullptr) {
    opened = open_engine().release();
  }
  return *opened;
}

std::shared_ptr<const Model> load_model(const std::filesystem::path& directory,
                                        const DeviceOptions& options) {
  return load_model(open_stored_model(directory), options);
}

std::shared_ptr<const Model> load_model(const ModelDirectory& directory, const DeviceOptions& options) {
  require_all_layers("a model whose weights are in memory");
  return engine().load(directory, WeightsInMemory(directory.weights), options);
}

std::unique_ptr<Trainer> create_trainer(const ModelConfig& config, const TrainerOptions& options,
                                        const DeviceOptions& device,
                                        const std::map<std::string, HostTensor>* initial) {
  require_all_layers("training");
  return engine().create_trainer(config, options, device, initial);
}

std::map<std::string, HostTensor> warm_start(const ModelConfig& config, const TrainerOptions& options,
                                             const ModelConfig& source,
                                             const std::map<std::string, HostTensor>& source_weights,
                                             const WarmStartOptions& start) {
  return engine().warm_start(config, options, source, source_weights, start);
}

ProductSpeed product_speed(const ModelConfig& config, const DeviceOptions& device) {
  return engine().product_speed(config, device);
}

std::shared_ptr<Processes> join_processes(const ProcessOptions& options) {
  return engine().join_processes(options);
}

EngineReport engine_report() {
  try {
    return engine().report();
  } catch (const std::exception& error) {
    EngineReport report;
    report.error = error.what();
    return report;
  }
}

}  // namespace mog::model
