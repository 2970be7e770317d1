// mog-loader FILE FIRST: takes a file for `mog import` apart and writes frames
// (io/hdf5/import/import_frame.h) to standard output. mog-loader weights FORMAT|any values|list FILE: reads
// weights from standard input (FILE is its name for messages) and writes them as plain arrays to descriptor
// 3, memory that `mog` shares with it. mog-loader check shards|recording FILE...: opens files of a recording
// and reads a little of everything. mog-loader sandbox: says why its system calls cannot be restricted here;
// nothing where they can. `mog` starts it; it is of no use by hand. The second and the third write dots to
// standard output as signs of life, and where they refuse a file F (it is wrong), M (its parts do not fit
// each other), S (memory or disk) or U (it is not there) and the message.
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <exception>
#include <filesystem>
#include <functional>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/loader/sandbox.h"
#include "app/loader/watch.h"
#include "io/checkpoint/plain_memory.h"
#include "io/hdf5/import/import_reader.h"
#include "io/hdf5/recording/recording_check.h"
#include "io/loader/loader_process.h"
#include "io/recording/errors.h"
#include "io/text/input_file.h"

namespace {

constexpr std::chrono::seconds kLongestBlock{20};

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

// Why not, where it cannot be and nobody demands it.
std::string restrict_or_end() {
  std::string reason = mog::loader::restrict_system_calls();
  if (!reason.empty() && mog::io::sandbox_is_demanded()) {
    ::_exit(mog::io::kUnrestricted);
  }
  return reason;
}

int load(const std::filesystem::path& file, std::int64_t first) {
  mog::io::ImportWriter out(write_all);
  std::string refusal;
  try {
    std::error_code error;
    const std::uintmax_t size = std::filesystem::file_size(file, error);
    mog::loader::limit_resources(error ? 0 : size, 0);
    const std::string unrestricted = restrict_or_end();
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

// Does `work` and says what it throws, with the file's `name` where that is not in it. Returns the exit code.
int report(const std::string& name, const std::function<void()>& work) {
  std::string refusal;
  try {
    work();
    return 0;
  } catch (const NobodyReads&) {
    return 1;
  } catch (const std::bad_alloc&) {
    refusal = "F" + name + ": reading it needs more memory than a file of its size may";
  } catch (const mog::UsageError& error) {
    refusal = std::string("U") + error.what();
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

void open_no_more(const std::string& name) {
  if (!mog::loader::forbid_opening()) {
    throw mog::StorageError(name + ": the loader cannot be restricted");
  }
}

void load_weights(std::string_view format_name, bool values, const std::filesystem::path& path) {
  const mog::io::InputFile file = mog::io::InputFile::of_descriptor(STDIN_FILENO, path);
  mog::loader::limit_resources(file.size_bytes(), mog::io::plain_memory_limit(file.size_bytes()));
  restrict_or_end();
  open_no_more(path.string());
  std::optional<mog::io::WeightsFormat> format;
  for (const auto known : {mog::io::WeightsFormat::safetensors, mog::io::WeightsFormat::torch,
                           mog::io::WeightsFormat::ctranslate2, mog::io::WeightsFormat::sentencepiece,
                           mog::io::WeightsFormat::gguf}) {
    if (mog::io::name(known) == format_name) {
      format = known;
    }
  }
  mog::io::MemorySink sink(mog::io::kLoaderMemory, values, [] { write_text("."); });
  mog::io::translate_weights(file, format, sink);
}

void check(mog::io::CheckedFiles kind, std::span<const std::filesystem::path> files) {
  mog::loader::limit_resources(0, 0);
  mog::loader::watch(kLongestBlock, mog::io::kBlocked);
  restrict_or_end();
  mog::io::check_here(kind, files, [&] { open_no_more(files.front().string()); });
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 5 && std::string_view(argv[1]) == "weights" && ::isatty(STDOUT_FILENO) == 0) {
    mog::loader::cut_off(mog::io::kLoaderMemory);
    ::_exit(report(argv[4], [&] { load_weights(argv[2], std::string_view(argv[3]) == "values", argv[4]); }));
  }
  if (argc >= 4 && std::string_view(argv[1]) == "check" && ::isatty(STDOUT_FILENO) == 0) {
    mog::loader::cut_off(STDERR_FILENO);
    const std::vector<std::filesystem::path> files(argv + 3, argv + argc);
    const auto kind = std::string_view(argv[2]) == mog::io::kCheckShards ? mog::io::CheckedFiles::shards
                                                                         : mog::io::CheckedFiles::recording;
    ::_exit(report(files.size() > 1 ? "" : argv[3], [&] { check(kind, files); }));
  }
  if (argc == 2 && std::string_view(argv[1]) == mog::io::kSandboxQuestion) {
    mog::loader::cut_off(STDERR_FILENO);
    const std::string reason = mog::loader::restrict_system_calls();
    ::_exit(::write(STDOUT_FILENO, reason.data(), reason.size()) < 0 ? 1 : 0);
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
