#include "io/hdf5/recording/recording_check.h"

#include <exception>
#include <utility>
#include <vector>

#include "io/hdf5/recording/recording_files.h"
#include "io/hdf5/recording/recording_layout.h"
#include "io/hdf5/recording/shard_reader.h"
#include "io/loader/loader_process.h"
#include "io/recording/errors.h"

namespace mog::io {
namespace {

namespace fs = std::filesystem;

// Manifest and journal beside a table of contents; or why they cannot be read, in case that it is one.
struct Beside {
  RecordingFiles files;
  std::exception_ptr error;
};

Beside read_beside(const fs::path& file) {
  Beside beside;
  try {
    beside.files = files_beside(file);
  } catch (const Error&) {
    beside.error = std::current_exception();
  }
  return beside;
}

}  // namespace

void check_apart(const fs::path& about, CheckedFiles kind, std::span<const fs::path> files,
                 const fs::path& program) {
  std::vector<std::string> arguments{"check", kind == CheckedFiles::shards ? kCheckShards : kCheckRecording};
  for (const fs::path& file : files) {
    arguments.push_back(file.string());
  }
  LoaderProcess({.program = program.empty() ? loader_program() : program,
                 .file = about,
                 .arguments = std::move(arguments),
                 .doing = "reading",
                 .parser = "HDF5"},
                {})
      .finish();
}

void check_here(CheckedFiles kind, std::span<const fs::path> files, const std::function<void()>& opened) {
  std::vector<OpenedHdf5> open;
  for (const fs::path& file : files) {
    open.push_back(open_hdf5(file));
  }
  Beside beside;
  if (kind == CheckedFiles::recording) {
    beside = read_beside(files.front());
  }
  opened();
  for (std::size_t at = 0; at < open.size(); ++at) {
    if (kind == CheckedFiles::recording &&
        read_root(open[at].file, files[at]).kind == layout::kKindRecording) {
      if (beside.error) {
        std::rethrow_exception(beside.error);
      }
      check_virtual_file(open[at], files[at], beside.files);
    } else {
      ShardReader(files[at], std::move(open[at])).sample();
    }
  }
}

}  // namespace mog::io
