// What a computation on an NVIDIA card needs, part by part: card, driver, LibTorch's libraries, our kernels.
#pragma once

#include <string>
#include <vector>

namespace mog::model {

// What the engine finds when it opens everything but the driver. An error is empty where it opened.
struct CudaLibraries {
  std::string error;          // why libtorch_cuda.so, or a library behind it, cannot be opened
  std::string versions;       // "CUDA 13.0, cuDNN 9.19.0"
  int runtime = 0;            // of the CUDA runtime: 13000; 0: not known
  std::string folder;         // of libtorch_cuda.so
  std::string kernels_error;  // why libmog_cuda.so cannot be opened
  std::string architectures;  // that it is compiled for: "75, 80"
};

struct CardPart {
  std::string name;  // "card", "driver", "libraries", "kernels"
  bool there = false;
  std::string text;  // its version; or what is wrong, and the line that brings it
};
struct GraphicsCard {
  std::vector<CardPart> parts;  // in that order
  bool usable = false;          // all parts are there
};

// Opens the driver and, by the engine, gigabytes of libraries; never throws. Seconds.
GraphicsCard graphics_card();

// The same of what was found, for tests. `root`: of the file system ("/"), whose sys/bus/pci and proc are
// read. driver_cuda: that the driver speaks, 13000; 0: it cannot be opened, or answers with `driver_error`.
struct Driver {
  int cuda = 0;
  int devices = 0;
  std::string error;
};
GraphicsCard graphics_card(const std::string& root, const Driver& driver, const CudaLibraries& libraries);

}  // namespace mog::model
