// One program for machines with and without a GPU: LibTorch for CUDA, some gigabytes, is opened only when a
// driver says that there is a device, and only the driver is asked first. The answer is found once a process
// and kept, with the reason where there is none; asking for the CPU never opens anything.
//
// Traps: ATen remembers whether CUDA is there the first time that it is asked, so nothing may ask it before
// libtorch_cuda.so is loaded. TF32 is switched off, since maps are measurements. LibTorch says what failed
// in words only; out of memory, a broken device and a bug are told apart by these words (translate_errors),
// which may change with its version.
#include "model/engine/runtime/device.h"

#include <ATen/Parallel.h>
#include <ATen/detail/CUDAHooksInterface.h>
#include <dlfcn.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <mutex>
#include <new>
#include <string_view>
#include <utility>

#include "io/recording/errors.h"
#include "io/recording/nearest_name.h"
#include "model/engine/common/processor.h"
#include "model/engine/common/text.h"
#include "model/engine/cuda/map_kernels.h"

namespace mog::engine {
namespace {

constexpr std::string_view kTryCpu = "; use --device cpu, or see mog doctor";

// Devices that the NVIDIA driver has, without loading anything of CUDA but the driver itself. ATen must not
// be asked before libtorch_cuda.so is there: it remembers the first answer.
int driver_devices(std::string& reason) {
  void* const driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (driver == nullptr) {
    reason = "no NVIDIA driver (libcuda.so.1 cannot be opened)";
    return 0;
  }
  const auto initialise = reinterpret_cast<int (*)(unsigned)>(dlsym(driver, "cuInit"));
  const auto count = reinterpret_cast<int (*)(int*)>(dlsym(driver, "cuDeviceGetCount"));
  int devices = 0;
  if (initialise == nullptr || count == nullptr) {
    reason = "libcuda.so.1 is no CUDA driver";
    return 0;
  }
  const int error = initialise(0);
  if (error != 0 || count(&devices) != 0 || devices == 0) {
    reason = concat("the NVIDIA driver reports no usable device (cuInit: ", error, ")");
    return 0;
  }
  return devices;
}

// Opens LibTorch for CUDA, once; empty: it is open, else what is missing and how it comes.
std::string open_torch_cuda() {
  static const std::string defect = []() -> std::string {
    if (dlopen("libtorch_cuda.so", RTLD_NOW | RTLD_GLOBAL) != nullptr) {
      return "";
    }
    const std::string said = dlerror();
    if (said.find("libtorch_cuda.so: cannot open") != std::string::npos) {
      return "this LibTorch is a build for processors, without libtorch_cuda.so; `pip install torch==2.11.0` "
             "has one "
             "for CUDA 13, in a build from source `./bootstrap --gpu`";
    }
    return concat(
        "LibTorch for CUDA cannot be opened: ", said,
        "; `./bootstrap --gpu` brings its libraries, in a Python environment `pip install torch==2.11.0`");
  }();
  return defect;
}

struct Cuda {
  int devices = 0;
  const CudaLibrary* library = nullptr;
  std::string reason;  // why devices is 0
};

Cuda open_cuda_once() {
  Cuda cuda;
  const int devices = driver_devices(cuda.reason);
  if (devices == 0) {
    return cuda;
  }
  const std::string defect = open_torch_cuda();
  if (!defect.empty()) {
    cuda.reason = defect;
    return cuda;
  }
  cuda.library = open_cuda_library(cuda.reason);
  if (cuda.library == nullptr) {
    return cuda;
  }
  if (!at::detail::getCUDAHooks().hasCUDA()) {
    cuda.reason = "LibTorch finds no usable CUDA device";
    return cuda;
  }
  cuda.devices = std::min(devices, at::detail::getCUDAHooks().getNumGPUs());
  // Full float32 products: maps are measurements.
  at::globalContext().setAllowTF32CuBLAS(false);
  at::globalContext().setAllowTF32CuDNN(false);
  return cuda;
}

const Cuda& cuda() {
  static const Cuda opened = open_cuda_once();
  return opened;
}

// The index behind "cuda:", -1 when the text is no device.
int cuda_index(std::string_view text) {
  if (text == "cuda") {
    return 0;
  }
  constexpr std::string_view kPrefix = "cuda:";
  if (!text.starts_with(kPrefix)) {
    return -1;
  }
  text.remove_prefix(kPrefix.size());
  int index = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
  return error == std::errc() && end == text.data() + text.size() ? index : -1;
}

std::string device_name(int index) {
  MogCudaDevice device{};
  const int error = cuda().library->device(index, &device);
  if (error != 0) {
    throw DeviceError(concat("opening cuda:", index, ": ", cuda().library->error_text(error), kTryCpu));
  }
  return concat("cuda:", index, " ", device.name);
}

at::ScalarType scalar_type(model::Precision precision) {
  switch (precision) {
    case model::Precision::float32:
    case model::Precision::int8:  // of the weights as they are opened
      return at::kFloat;
    case model::Precision::bfloat16:
      return at::kBFloat16;
    case model::Precision::float64:
      return at::kDouble;
  }
  return at::kFloat;
}

}  // namespace

OpenDevice open_device(const model::DeviceOptions& options) {
  const int index = cuda_index(options.device);
  if (options.device != "auto" && options.device != "cpu" && index < 0) {
    throw UsageError(concat("device \"", options.device,
                            "\" is unknown; use auto, cpu, cuda or cuda:N with N from 0",
                            did_you_mean(options.device, {"auto", "cpu", "cuda"})));
  }
  if (options.threads < 1) {
    throw UsageError(concat(options.threads, " threads: use at least 1"));
  }
  const bool eight_bits = options.precision == model::Precision::int8;
  if (eight_bits && index >= 0) {
    throw UsageError("--precision int8 is for processors; use --device cpu, or float32 or bfloat16");
  }
  if (eight_bits && !has_eight_bit_products()) {
    throw DeviceError(
        "--precision int8: this processor multiplies no 8-bit numbers (VNNI); use float32 or bfloat16");
  }
  OpenDevice opened;
  opened.eight_bits = eight_bits;
  opened.threads = options.threads;
  opened.dtype = scalar_type(options.precision);
  opened.text = "cpu";
  if (options.device == "cpu" || (options.device == "auto" && (eight_bits || cuda().devices == 0))) {
    return opened;
  }
  const int wanted = index < 0 ? 0 : index;
  if (cuda().devices == 0) {
    throw DeviceError(concat("opening ", options.device, ": ", cuda().reason, kTryCpu));
  }
  if (wanted >= cuda().devices) {
    throw DeviceError(concat("opening ", options.device, ": there are ", cuda().devices,
                             " CUDA devices, cuda:0 to cuda:", cuda().devices - 1));
  }
  opened.device = at::Device(at::kCUDA, static_cast<at::DeviceIndex>(wanted));
  opened.text = device_name(wanted);
  return opened;
}

CudaReport cuda_report() {
  CudaReport report;
  report.reason = cuda().reason;
  for (int index = 0; index < cuda().devices; ++index) {
    MogCudaDevice device{};
    if (cuda().library->device(index, &device) == 0) {
      report.devices.push_back(
          concat("cuda:", index, " ", device.name, ", ", device.memory_bytes >> 30, " GiB"));
    }
  }
  if (cuda().devices > 0) {
    report.architectures = cuda().library->architectures();
  }
  return report;
}

model::CudaLibraries open_cuda_libraries() {
  model::CudaLibraries libraries;
  libraries.error = open_torch_cuda();
  if (!libraries.error.empty()) {
    libraries.kernels_error = "not asked, since the libraries are missing";
    return libraries;
  }
  const auto runtime = reinterpret_cast<int (*)(int*)>(dlsym(RTLD_DEFAULT, "cudaRuntimeGetVersion"));
  if (runtime != nullptr && runtime(&libraries.runtime) == 0) {
    libraries.versions = concat("CUDA ", libraries.runtime / 1000, ".", libraries.runtime % 1000 / 10, ", ");
  }
  const auto cudnn = reinterpret_cast<std::size_t (*)()>(dlsym(RTLD_DEFAULT, "cudnnGetVersion"));
  const std::size_t number = cudnn == nullptr ? 0 : cudnn();
  libraries.versions += number == 0
                            ? "no cuDNN"
                            : concat("cuDNN ", number / 10000, ".", number % 10000 / 100, ".", number % 100);
  Dl_info info{};
  if (void* const known = dlsym(RTLD_DEFAULT, "_ZN3c104cuda12device_countEv");
      known != nullptr && dladdr(known, &info) != 0 && info.dli_fname != nullptr) {
    libraries.folder = std::filesystem::path(info.dli_fname).parent_path().lexically_normal().string();
  }
  const CudaLibrary* const library = open_cuda_library(libraries.kernels_error);
  if (library != nullptr) {
    libraries.architectures = library->architectures();
  }
  return libraries;
}

const MapKernels& map_kernels(at::Device device) {
  if (device.is_cpu()) {
    return cpu_map_kernels();
  }
  static const std::unique_ptr<MapKernels> kernels = make_cuda_map_kernels(*cuda().library);
  return *kernels;
}

const AttentionKernels& attention_kernels(at::Device device) {
  if (device.is_cpu()) {
    return cpu_attention_kernels();
  }
  static std::mutex mutex;
  static std::map<int, std::unique_ptr<AttentionKernels>> kernels;
  const std::scoped_lock lock(mutex);
  std::unique_ptr<AttentionKernels>& own = kernels[device.index()];
  if (own == nullptr) {
    own = make_cuda_attention_kernels(*cuda().library, std::max<int>(device.index(), 0));
  }
  return *own;
}

bool attends_by_rows(at::Device device, std::int64_t longest, bool statistics) {
  // For comparison, and for tests of both ways.
  const char* const wanted = std::getenv("MOG_ATTENTION_ROWS");
  const std::string_view choice = wanted == nullptr ? "" : wanted;
  if (!choice.empty()) {
    return choice != "0";
  }
  // From here on a head's map and its copies are tens of megabytes, and memory decides.
  constexpr std::int64_t kLong = 1024;
  return !device.is_cpu() || longest >= kLong || (statistics && cpu_attends_fast());
}

void use_threads(int threads) {
  // OpenMP keeps the number per calling thread; asking again each time would cost a call into MKL.
  thread_local int current = 0;
  if (current != threads) {
    at::set_num_threads(threads);
    current = threads;
  }
}

void translate_errors(const std::string& what, const std::function<void()>& work) {
  constexpr std::string_view kMemory =
      ": out of memory; make the batches smaller, record fewer quantities at once, or use another device";
  try {
    work();
  } catch (const Error&) {
    throw;
  } catch (const c10::OutOfMemoryError&) {
    throw DeviceError(concat(what, kMemory));
  } catch (const std::bad_alloc&) {
    throw DeviceError(concat(what, kMemory));
  } catch (const c10::Error& error) {
    const std::string_view message = error.what_without_backtrace();
    if (message.find("not enough memory") != std::string_view::npos ||
        message.find("can't allocate memory") != std::string_view::npos) {
      throw DeviceError(concat(what, kMemory));
    }
    if (message.find("CUDA") != std::string_view::npos || message.find("cuda") != std::string_view::npos) {
      throw DeviceError(concat(what, ": the device failed (", message.substr(0, message.find('\n')),
                               "); try again, or use --device cpu"));
    }
    throw ModelError(concat(what, ": LibTorch refused (", message.substr(0, message.find('\n')), ")"));
  }
}

}  // namespace mog::engine
