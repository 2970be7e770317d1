// Where LibTorch lies that the engine runs on, and whether it is the one that the engine was built for.
#pragma once

#include <filesystem>
#include <string>

namespace mog::model {

struct TorchPlace {
  std::filesystem::path folder;  // of libtorch_cpu.so; empty: none was found here
  std::string version;           // "2.11.0+cu130"; empty: nothing beside it says
};

// A folder as $MOG_TORCH names it: the one with libtorch_cpu.so, or one above it (`torch` of a Python
// installation, an unpacked LibTorch). Its folder is empty where neither holds the library.
TorchPlace torch_in(const std::filesystem::path& given);

// $MOG_TORCH; else beside the engine (`libtorch`); else, where the engine is part of a Python package, the
// torch beside that package. None: the engine's own search path decides, that of the build.
TorchPlace find_torch(const std::filesystem::path& engine);

// Whether the engine runs on this version: of its major and minor number, any build of it.
bool torch_fits(const std::string& version);

// What brings LibTorch to this installation, as a clause: "`pip install …` brings it".
std::string torch_hint(const std::filesystem::path& engine);

// Called first by a program: where $MOG_TORCH names a folder, starts the program anew with that folder first
// in the search path of libraries, which is read once, at the start. Then, and without $MOG_TORCH, returns;
// what the program starts itself does not inherit the path.
void search_torch_first(char** arguments);

}  // namespace mog::model
