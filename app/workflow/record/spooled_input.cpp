#include "app/workflow/record/spooled_input.h"

#include <fmt/format.h>
#include <stdlib.h>  // mkstemp
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <span>

#include "io/recording/errors.h"
#include "io/text/input_file.h"

namespace mog::app {
namespace {

void write_all(int descriptor, std::span<const std::byte> bytes, const std::filesystem::path& path) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) {
      continue;
    }
    if (written < 0) {
      const auto cause =
          errno == ENOSPC || errno == EDQUOT ? StorageError::Cause::no_space : StorageError::Cause::other;
      throw StorageError(fmt::format("copying standard input to {}: {}", path.string(), std::strerror(errno)),
                         cause);
    }
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

}  // namespace

SpooledInput::SpooledInput(const std::filesystem::path& input) : path_(input) {
  if (input != "-") {
    return;
  }
  io::InputFile stream = io::InputFile::open_or_stdin(input, "the corpus");
  std::string name = (std::filesystem::temp_directory_path() / "mog-input-XXXXXX").string();
  const int descriptor = ::mkstemp(name.data());
  if (descriptor < 0) {
    throw StorageError(fmt::format("copying standard input to {}: {}", name, std::strerror(errno)));
  }
  path_ = name;
  temporary_ = true;
  try {
    std::array<std::byte, 65536> block;
    while (const std::size_t got = stream.read(block)) {
      write_all(descriptor, std::span(block).first(got), path_);
    }
  } catch (...) {
    ::close(descriptor);
    ::unlink(path_.c_str());
    throw;
  }
  ::close(descriptor);
}

SpooledInput::~SpooledInput() {
  if (temporary_) {
    ::unlink(path_.c_str());
  }
}

}  // namespace mog::app
