// The engine is linked against libtorch_cpu.so by its name alone and must be opened before it (its answer to
// MKL's question is found only then, model/engine/runtime/mkl_kernels.h), so LibTorch cannot be opened by its
// path first. Places that are known when the engine is installed are in its run path; another one is given to
// the dynamic linker by $LD_LIBRARY_PATH and a second start of the program (docs/decisions/0054).
#include "model/torch_place.h"

#include <fmt/format.h>
#include <sys/auxv.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <string_view>
#include <system_error>

namespace mog::model {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kLibrary = "libtorch_cpu.so";
constexpr std::string_view kBuiltFor = MOG_TORCH_VERSION;  // "2.11"

bool there(const fs::path& path) {
  std::error_code error;
  return fs::exists(path, error);
}

// In a small file what stands behind `before` at the start of a line, up to one of `ends`; empty: no such
// line.
std::string found_in(const fs::path& file, std::string_view before, std::string_view ends) {
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);) {
    if (line.starts_with(before)) {
      const std::string rest = line.substr(before.size());
      return rest.substr(0, rest.find_first_of(ends));
    }
  }
  return {};
}

struct VersionFile {
  fs::path file;
  std::string_view before;
  std::string_view ends;
};

// A wheel has version.py, an archive of LibTorch build-version, both may have headers.
std::string version_of(const fs::path& lib) {
  constexpr std::string_view kBlank = " \t\r";
  const auto root = lib.parent_path();
  const VersionFile places[] = {
      {root / "version.py", "__version__ = '", "'"},
      {root / "build-version", "", kBlank},
      {lib / "build-version", "", kBlank},
      {root / "include/torch/csrc/api/include/torch/version.h", "#define TORCH_VERSION \"", "\""}};
  for (const VersionFile& place : places) {
    if (std::string version = found_in(place.file, place.before, place.ends);
        !version.empty() && version.front() >= '0' && version.front() <= '9') {
      return version;
    }
  }
  // Since 2.9 the number stands in parts.
  const fs::path header = root / "include/torch/headeronly/version.h";
  const std::string major = found_in(header, "#define TORCH_VERSION_MAJOR ", kBlank);
  const std::string minor = found_in(header, "#define TORCH_VERSION_MINOR ", kBlank);
  return major.empty() || minor.empty() ? "" : fmt::format("{}.{}", major, minor);
}

bool in_python_package(const fs::path& engine) {
  return there(engine.parent_path() / "../../__init__.py");
}

}  // namespace

TorchPlace torch_in(const fs::path& given) {
  std::error_code error;
  const auto absolute = fs::absolute(given, error).lexically_normal();
  for (const auto& folder : {absolute, absolute / "lib", absolute / "torch/lib"}) {
    if (there(folder / kLibrary)) {
      const auto named = folder.has_filename() ? folder : folder.parent_path();
      return {named, version_of(named)};
    }
  }
  return {};
}

TorchPlace find_torch(const fs::path& engine) {
  if (const char* const set = std::getenv("MOG_TORCH"); set != nullptr && *set != '\0') {
    return torch_in(set);
  }
  const auto beside = engine.parent_path();
  if (TorchPlace place = torch_in(beside / "libtorch"); !place.folder.empty()) {
    return place;
  }
  return in_python_package(engine) ? torch_in(beside / "../../../torch/lib") : TorchPlace{};
}

bool torch_fits(const std::string& version) {
  return version == kBuiltFor || (version.starts_with(kBuiltFor) &&
                                  (version[kBuiltFor.size()] == '.' || version[kBuiltFor.size()] == '+'));
}

std::string torch_hint(const fs::path& engine) {
  if (in_python_package(engine)) {
    return "`pip install 'mog-workbench[models]'` brings it; MOG_TORCH names another folder";
  }
  if (engine.parent_path().filename() == "mog-workbench") {
    return fmt::format(
        "`pip install torch=={}.0` or an unpacked LibTorch, and its folder in MOG_TORCH or as {}", kBuiltFor,
        (engine.parent_path() / "libtorch").string());
  }
  return "`./bootstrap build` brings it; MOG_TORCH names another folder";
}

void search_torch_first(char** arguments) {
  const char* const set = std::getenv("MOG_TORCH");
  if (set == nullptr || *set == '\0' || ::getauxval(AT_SECURE) != 0) {
    return;
  }
  const TorchPlace place = torch_in(set);
  if (place.folder.empty() || (!place.version.empty() && !torch_fits(place.version))) {
    return;  // the engine says so when it is asked for
  }
  const std::string wanted = place.folder.string();
  const char* const before = std::getenv("LD_LIBRARY_PATH");
  const std::string_view paths = before == nullptr ? "" : before;
  if (paths.starts_with(wanted) && (paths.size() == wanted.size() || paths[wanted.size()] == ':')) {
    if (paths.size() <= wanted.size() + 1) {
      ::unsetenv("LD_LIBRARY_PATH");
    } else {
      ::setenv("LD_LIBRARY_PATH", std::string(paths.substr(wanted.size() + 1)).c_str(), 1);
    }
    return;
  }
  std::error_code error;
  const auto program = fs::read_symlink("/proc/self/exe", error);
  if (error) {
    return;
  }
  ::setenv("LD_LIBRARY_PATH", paths.empty() ? wanted.c_str() : fmt::format("{}:{}", wanted, paths).c_str(),
           1);
  ::execv(program.c_str(), arguments);
  if (before == nullptr) {  // it was not started anew: the engine's own search path decides
    ::unsetenv("LD_LIBRARY_PATH");
  } else {
    ::setenv("LD_LIBRARY_PATH", std::string(paths).c_str(), 1);
  }
}

}  // namespace mog::model
