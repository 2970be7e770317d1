// mog-loader FILE FIRST: takes a file for `mog import` apart and writes frames (io/hdf5/import_frame.h) to
// standard output. `mog` starts it; it is of no use by hand.
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <exception>
#include <filesystem>
#include <new>
#include <string>
#include <string_view>

#include "app/loader/sandbox.h"
#include "io/hdf5/import_reader.h"
#include "io/recording/errors.h"

namespace {

// mog has gone: nobody reads any more.
struct NobodyReads {};

void write_all(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t done = ::write(STDOUT_FILENO, bytes.data(), bytes.size());
    if (done < 0 && errno == EINTR) {
      continue;
    }
    if (done <= 0) {
      throw NobodyReads();
    }
    bytes = bytes.subspan(static_cast<std::size_t>(done));
  }
}

int load(const std::filesystem::path& file, std::int64_t first) {
  mog::io::ImportWriter out(write_all);
  std::string refusal;
  try {
    std::error_code error;
    const std::uintmax_t size = std::filesystem::file_size(file, error);
    mog::loader::limit_resources(error ? 0 : size);
    const std::string unrestricted = mog::loader::restrict_system_calls();
    out.hello();
    out.note(unrestricted.empty() ? "the loader's system calls are restricted"
                                  : "the loader's system calls are not restricted here (" + unrestricted +
                                        "); its memory and processor time are limited");
    mog::io::send_import(file, first, out, [&] {
      if (!mog::loader::forbid_opening()) {
        throw mog::StorageError("importing " + file.string() + ": the loader cannot be restricted");
      }
    });
    return 0;
  } catch (const NobodyReads&) {
    return 1;
  } catch (const std::bad_alloc&) {
    refusal = "importing " + file.string() + ": it needs more memory than the loader may use";
  } catch (const std::exception& error) {
    refusal = error.what();
  }
  try {
    out.error(refusal);
  } catch (...) {
    return 1;
  }
  return 3;
}

}  // namespace

int main(int argc, char** argv) {
  std::int64_t first = 0;
  if (argc == 3) {
    const std::string_view text = argv[2];
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), first);
    if (error == std::errc() && end == text.data() + text.size() && first >= 0 &&
        ::isatty(STDOUT_FILENO) == 0) {
      mog::loader::cut_off();
      // No destructors of the libraries: they are not what the file was opened for.
      ::_exit(load(argv[1], first));
    }
  }
  std::fputs("mog-loader parses a file for `mog import`, which starts it; by hand it is of no use.\n",
             stderr);
  return 2;
}
