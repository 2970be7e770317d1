// The old recording keeps its name until the new one is whole. Two folders cannot be renamed over each other
// unless the target is empty, so the names are exchanged in one step (renameat2 with RENAME_EXCHANGE), and
// the old folder is then removed under the new one's name. A file system that cannot exchange gets two
// renames; if the second fails the first is taken back.
//
// Removing begins with the manifest: a folder that was half removed is no recording and cannot be read as
// one. Nothing but regular files of a recording's own names is removed, and the folder only where that
// leaves it empty.
//
// Traps: "rec/" with its slash would be followed through a link, so slashes are cut off first. Of the two
// renames a kill in between leaves neither name, but both folders beside it (.NAME.overwriting and
// .NAME.overwriting-old).
#include "io/hdf5/recording/replaced_recording.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdio.h>

#include <cerrno>
#include <string>
#include <system_error>

#include "io/hdf5/file/durable_file.h"
#include "io/hdf5/recording/manifest.h"
#include "io/hdf5/recording/recording_layout.h"
#include "io/recording/errors.h"

namespace mog::io {
namespace {

namespace fs = std::filesystem;

bool is_own_name(const std::string& name) {
  return name == layout::kManifest || name == layout::kJournal || name == layout::kVirtualFile ||
         layout::is_shard_file_name(name) || layout::is_unfinished_file_name(name);
}

// The first entry that is no file of a recording; empty: there is none.
std::string foreign_entry(const fs::path& directory) {
  for (const auto& entry : fs::directory_iterator(directory)) {
    std::string name = entry.path().filename().string();
    if (!is_own_name(name) || !entry.is_regular_file() || entry.is_symlink()) {
      return name;
    }
  }
  return "";
}

// The files of a recording, the manifest first: what a kill leaves is none. The folder too, where it is
// empty.
void remove_recording(const fs::path& directory) noexcept {
  std::error_code ignored;
  fs::remove(directory / layout::kManifest, ignored);
  for (fs::directory_iterator entry(directory, ignored), end; !ignored && entry != end;
       entry.increment(ignored)) {
    std::error_code of_file;
    const fs::file_status status = entry->symlink_status(of_file);
    if (is_own_name(entry->path().filename().string()) && fs::is_regular_file(status)) {
      fs::remove(entry->path(), of_file);
    }
  }
  fs::remove(directory, ignored);
}

[[noreturn]] void refuse(const fs::path& directory, const std::string& reason) {
  throw UsageError(fmt::format("overwriting {}: {}; give another --output", directory.string(), reason));
}

void require_recording(const fs::path& directory) {
  if (!fs::is_directory(look_at(directory))) {
    refuse(directory, "it is no folder of its own (a file, a link)");
  }
  if (!fs::is_regular_file(look_at(directory / layout::kManifest))) {
    refuse(directory, fmt::format("it is no recording: it holds no {}", layout::kManifest));
  }
  if (const std::string name = foreign_entry(directory); !name.empty()) {
    refuse(directory, fmt::format("it holds \"{}\", which is no part of a recording", name));
  }
  try {
    read_manifest(directory / layout::kManifest);
  } catch (const FormatError& error) {
    refuse(directory, fmt::format("it is no recording that can be read: {}", error.what()));
  }
}

// What a killed run left there.
void require_free(const fs::path& fresh, const fs::path& directory) {
  if (!fs::exists(look_at(fresh))) {
    return;
  }
  if (!fs::is_directory(look_at(fresh)) || !foreign_entry(fresh).empty()) {
    refuse(directory, fmt::format("{} is in the way, and is no recording", fresh.string()));
  }
  if (fs::exists(look_behind(fresh / layout::kJournal))) {
    const JournalWriter lock(fresh / layout::kJournal);  // refuses where another program writes there
  }
  remove_recording(fresh);
}

fs::path beside(const fs::path& directory) {
  const fs::path whole = fs::absolute(directory).lexically_normal();
  const fs::path named = whole.has_filename() ? whole : whole.parent_path();
  return named.parent_path() / ("." + named.filename().string() + ".overwriting");
}

}  // namespace

ReplacedRecording::ReplacedRecording(const fs::path& directory)
    : directory_(directory), fresh_(beside(directory)) {
  const std::string text = directory_.string();
  directory_ = text.substr(0, text.find_last_not_of('/') + 1);  // "rec/" would follow a link
  require_recording(directory_);
  if (fs::exists(look_behind(directory_ / layout::kJournal))) {
    old_ = JournalWriter(directory_ / layout::kJournal);
  }
  require_free(fresh_, directory_);
}

ReplacedRecording::~ReplacedRecording() {
  if (!replaced_) {
    remove_recording(fresh_);
  }
}

void ReplacedRecording::replace() {
  if (::renameat2(AT_FDCWD, fresh_.c_str(), AT_FDCWD, directory_.c_str(), RENAME_EXCHANGE) == 0) {
    replaced_ = true;
    sync_directory(fresh_.parent_path());
    remove_recording(fresh_);  // the old one
    return;
  }
  if (errno != EINVAL && errno != ENOSYS) {
    throw_storage_error("putting the new recording in the place of", directory_, errno);
  }
  const fs::path old = fresh_.string() + "-old";
  if (::rename(directory_.c_str(), old.c_str()) != 0) {
    throw_storage_error("putting the new recording in the place of", directory_, errno);
  }
  replaced_ = true;
  if (::rename(fresh_.c_str(), directory_.c_str()) != 0) {
    const int error = errno;
    replaced_ = ::rename(old.c_str(), directory_.c_str()) != 0;  // else all is as it was
    throw_storage_error("putting the new recording in the place of", directory_, error);
  }
  sync_directory(fresh_.parent_path());
  remove_recording(old);
}

}  // namespace mog::io
