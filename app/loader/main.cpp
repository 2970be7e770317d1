// mog-loader FILE FIRST: takes a file for `mog import` apart and writes frames (io/hdf5/import_frame.h) to
// standard output.
// mog-loader weights FORMAT|any values|list FILE: reads weights from standard input (FILE is its name for
// messages) and writes them as plain arrays to descriptor 3, memory that `mog` shares with it. Standard
// output gets dots as signs of life, and in case of a refusal F (the file is wrong), M (its parts do not fit
// each other) or S (memory is short) and the message. `mog` starts it; it is of no use by hand.
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <exception>
#include <filesystem>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "app/loader/sandbox.h"
#include "io/checkpoint/plain_memory.h"
#include "io/hdf5/import_reader.h"
#include "io/loader/loader_process.h"
#include "io/recording/errors.h"
#include "io/text/input_file.h"

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
    mog::loader::limit_resources(error ? 0 : size, 0);
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

void write_text(std::string_view text) {
  write_all(std::as_bytes(std::span(text)));
}

int load_weights(std::string_view format_name, bool values, const std::filesystem::path& path) {
  std::string refusal;
  const std::string name = path.string();
  try {
    const mog::io::InputFile file = mog::io::InputFile::of_descriptor(STDIN_FILENO, path);
    mog::loader::limit_resources(file.size_bytes(), mog::io::plain_memory_limit(file.size_bytes()));
    mog::loader::restrict_system_calls();
    if (!mog::loader::forbid_opening()) {
      throw mog::StorageError(name + ": the loader cannot be restricted");
    }
    std::optional<mog::io::WeightsFormat> format;
    for (const auto known : {mog::io::WeightsFormat::safetensors, mog::io::WeightsFormat::torch,
                             mog::io::WeightsFormat::ctranslate2, mog::io::WeightsFormat::sentencepiece}) {
      if (mog::io::name(known) == format_name) {
        format = known;
      }
    }
    mog::io::MemorySink sink(mog::io::kLoaderMemory, values, [] { write_text("."); });
    mog::io::translate_weights(file, format, sink);
    return 0;
  } catch (const NobodyReads&) {
    return 1;
  } catch (const std::bad_alloc&) {
    refusal = "F" + name + ": reading it needs more memory than a file of its size may";
  } catch (const mog::ModelError& error) {
    refusal = std::string("M") + error.what();
  } catch (const mog::StorageError& error) {
    refusal = std::string("S") + error.what();
  } catch (const std::exception& error) {
    refusal = std::string("F") + error.what();
  }
  if (refusal.find(name) == std::string::npos) {
    refusal.insert(1, name + ": ");
  }
  try {
    write_text(refusal);
  } catch (const NobodyReads&) {
    return 1;
  }
  return 3;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 5 && std::string_view(argv[1]) == "weights" && ::isatty(STDOUT_FILENO) == 0) {
    mog::loader::cut_off(mog::io::kLoaderMemory);
    ::_exit(load_weights(argv[2], std::string_view(argv[3]) == "values", argv[4]));
  }
  std::int64_t first = 0;
  if (argc == 3) {
    const std::string_view text = argv[2];
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), first);
    if (error == std::errc() && end == text.data() + text.size() && first >= 0 &&
        ::isatty(STDOUT_FILENO) == 0) {
      mog::loader::cut_off(STDERR_FILENO);
      // No destructors of the libraries: they are not what the file was opened for.
      ::_exit(load(argv[1], first));
    }
  }
  std::fputs(
      "mog-loader parses files of other programs for `mog`, which starts it; by hand it is of no use.\n",
      stderr);
  return 2;
}
