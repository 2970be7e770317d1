// Choosing and opening devices; what crosses from c10 to mog::Error.
#pragma once

#include <ATen/ATen.h>

#include <functional>
#include <string>
#include <vector>

#include "model/engine/cuda/attention_kernels.h"
#include "model/engine/cuda/map_kernels.h"
#include "model/graphics_card.h"
#include "model/model.h"

namespace mog::engine {

struct OpenDevice {
  at::Device device = at::kCPU;
  at::ScalarType dtype = at::kFloat;
  bool eight_bits = false;  // products take factors of 8 bits
  std::string text;         // "cpu", "cuda:0 NVIDIA H200"
  int threads = 1;
};

// Opens libtorch_cuda.so and libmog_cuda.so when a CUDA device is asked for ("auto": when one is usable).
// Throws UsageError for text that is no device, DeviceError when it is missing, with the reason.
OpenDevice open_device(const model::DeviceOptions& options);

struct CudaReport {
  std::vector<std::string> devices;  // "cuda:0 NVIDIA H200, 139 GiB"
  std::string architectures;         // of the kernels, "80, 90"
  std::string reason;                // why there are no devices
};
// Opens CUDA when there is a driver; never throws.
CudaReport cuda_report();

// Opens LibTorch for CUDA and the kernels, whatever the driver says; never throws.
model::CudaLibraries open_cuda_libraries();

// Kernels for memory of the device, which must be open.
const MapKernels& map_kernels(at::Device device);
const AttentionKernels& attention_kernels(at::Device device);
// Whether they are better than products, softmax and statistics one after another. longest: keys of a
// sentence.
bool attends_by_rows(at::Device device, std::int64_t longest, bool statistics);

// Threads of ATen and of its BLAS for work started by the calling thread.
void use_threads(int threads);

// Runs `work`; c10 errors come out as DeviceError (memory, device) or ModelError, with `what` in front
// ("running the model on 12 sentences").
void translate_errors(const std::string& what, const std::function<void()>& work);

}  // namespace mog::engine
