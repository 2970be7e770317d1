// Choosing and opening devices; what crosses from c10 to mog::Error.
#pragma once

#include <ATen/ATen.h>

#include <functional>
#include <string>

#include "model/model.h"

namespace mog::engine {

struct OpenDevice {
  at::Device device = at::kCPU;
  at::ScalarType dtype = at::kFloat;
  std::string text;  // "cpu", "cuda:0 NVIDIA H200"
  int threads = 1;
};

// Opens libtorch_cuda.so and libmog_cuda.so when a CUDA device is asked for ("auto": when one is usable).
// Throws UsageError for text that is no device, DeviceError when it is missing, with the reason.
OpenDevice open_device(const model::DeviceOptions& options);

// Threads of ATen and of its BLAS for work started by the calling thread.
void use_threads(int threads);

// Runs `work`; c10 errors come out as DeviceError (memory, device) or ModelError, with `what` in front
// ("running the model on 12 sentences").
void translate_errors(const std::string& what, const std::function<void()>& work);

}  // namespace mog::engine
