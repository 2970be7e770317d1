#include <dlfcn.h>

#include <filesystem>
#include <mutex>
#include <string>
#include <system_error>
#include <utility>

#include "io/recording/errors.h"
#include "model/engine/common/text.h"
#include "model/engine/cuda/attention_kernels.h"
#include "model/engine/cuda/map_kernels.h"

namespace mog::engine {
namespace {

template <class Function>
bool look_up(void* library, const char* symbol, Function*& function) {
  function = reinterpret_cast<Function*>(dlsym(library, symbol));
  return function != nullptr;
}

// libmog_cuda.so beside the file that this code was loaded from, or in ../lib of it.
std::filesystem::path library_file() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<void*>(&open_cuda_library), &info) == 0 || info.dli_fname == nullptr) {
    return "libmog_cuda.so";
  }
  const std::filesystem::path folder = std::filesystem::path(info.dli_fname).parent_path();
  const std::filesystem::path beside = folder / "libmog_cuda.so";
  std::error_code error;
  return std::filesystem::exists(beside, error) ? beside : folder / "../lib/libmog_cuda.so";
}

struct Opened {
  bool usable = false;
  CudaLibrary functions;
  std::string reason;
};

Opened open_once() {
  Opened opened;
  const std::filesystem::path file = library_file();
  std::error_code error;
  if (!std::filesystem::exists(file, error)) {
    opened.reason =
        "this build has no CUDA kernels (libmog_cuda.so): `./bootstrap --gpu` builds them; wheels and "
        "archives have them";
    return opened;
  }
  void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const std::string said = dlerror();
    opened.reason = concat("the CUDA kernels cannot be opened: ", said);
    if (said.find("libcudart.so") != std::string::npos) {
      opened.reason +=
          "; this LibTorch is for another CUDA: `pip install torch==2.11.0` brings the one for CUDA 13";
    }
    return opened;
  }
  CudaLibrary& f = opened.functions;
  opened.usable = look_up(library, "mog_cuda_compact_float16", f.compact_float16) &&
                  look_up(library, "mog_cuda_compact_float32", f.compact_float32) &&
                  look_up(library, "mog_cuda_row_entropy", f.row_entropy) &&
                  look_up(library, "mog_cuda_row_max", f.row_max) &&
                  look_up(library, "mog_cuda_attend_rows", f.attend_rows) &&
                  look_up(library, "mog_cuda_device", f.device) &&
                  look_up(library, "mog_cuda_error_text", f.error_text) &&
                  look_up(library, "mog_cuda_architectures", f.architectures);
  if (!opened.usable) {
    opened.reason = concat(file.string(), " is of another version: a function is missing");
  }
  return opened;
}

void check(const CudaLibrary& library, int error, const char* what) {
  if (error != 0) {
    throw DeviceError(concat(what, " on the CUDA device failed: ", library.error_text(error),
                             ". The kernels are built for ", library.architectures(), "; try --device cpu"));
  }
}

class CudaMapKernels final : public MapKernels {
 public:
  explicit CudaMapKernels(const CudaLibrary& library) : library_(library) {}
  void compact(const MapBlock& block, Float16* packed) const override {
    check(library_, library_.compact_float16(&block, packed), "compacting attention maps to float16");
  }
  void compact(const MapBlock& block, float* packed) const override {
    check(library_, library_.compact_float32(&block, packed), "compacting attention maps");
  }
  void row_entropy(const MapBlock& block, float* packed) const override {
    check(library_, library_.row_entropy(&block, packed), "entropy of attention rows");
  }
  void row_max(const MapBlock& block, float* packed) const override {
    check(library_, library_.row_max(&block, packed), "greatest weight of attention rows");
  }

 private:
  const CudaLibrary& library_;
};

class CudaAttentionKernels final : public AttentionKernels {
 public:
  CudaAttentionKernels(const CudaLibrary& library, int index) : library_(library) {
    constexpr int kLeast = 8;  // compute capability
    MogCudaDevice device{};
    matrix_units_ = library.device(index, &device) == 0 && device.major >= kLeast;
  }
  void attend(const AttentionBlock& block, const AttentionRows& rows) const override {
    check_attention(*this, block, rows);
    check(library_, library_.attend_rows(&block, &rows), "attention by rows");
  }
  std::int64_t most_width(AttentionNumbers numbers, bool detail) const override {
    return matrix_units_ && !detail && numbers == AttentionNumbers::bfloat16 ? kMostWidth : kMostCardWidth;
  }
  bool give_maps() const override { return matrix_units_; }

 private:
  const CudaLibrary& library_;
  bool matrix_units_ = false;
};

}  // namespace

const CudaLibrary* open_cuda_library(std::string& reason) {
  static const Opened opened = open_once();
  reason = opened.reason;
  return opened.usable ? &opened.functions : nullptr;
}

std::unique_ptr<MapKernels> make_cuda_map_kernels(const CudaLibrary& library) {
  return std::make_unique<CudaMapKernels>(library);
}

std::unique_ptr<AttentionKernels> make_cuda_attention_kernels(const CudaLibrary& library, int index) {
  return std::make_unique<CudaAttentionKernels>(library, index);
}

}  // namespace mog::engine
