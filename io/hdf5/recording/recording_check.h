// HDF5 believes metadata whose checksums hold. A file made to do harm can therefore crash it (HDF5 1.10.8
// does so on about 4 % of shards with one byte changed and the checksum put right), and a recording may come
// from a stranger as much as a file for an import. So every file of a recording is first opened by
// mog-loader, under its limits and filters; this process opens it only when that one came back. What this
// cannot do: a file that takes the loader over, without harming anything from there, and lets it answer
// "sound" gets to this process (docs/hostile-files.md).
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>

namespace mog::io {

// What is asked of mog-loader.
enum class CheckedFiles : std::uint8_t {
  shards,    // each is one
  recording  // one file: a shard by itself or a recording's table of contents
};

// Has mog-loader open `files` and read a little of everything; `about` is what errors of the process name,
// and `program` stands for the mog-loader beside this program (empty: that). Throws UsageError, FormatError
// or StorageError with its words, FormatError when a file breaks it down or takes more than three seconds of
// processor time or 512 MB, StorageError when a disk does not answer. Costs some milliseconds.
void check_apart(const std::filesystem::path& about, CheckedFiles kind,
                 std::span<const std::filesystem::path> files, const std::filesystem::path& program = {});

// What mog-loader does then. `opened` is called when no further file is opened, before the first table of
// HDF5 is read. Throws UsageError, FormatError, StorageError.
void check_here(CheckedFiles kind, std::span<const std::filesystem::path> files,
                const std::function<void()>& opened);

// The words that mog-loader is given before the files.
constexpr const char* kCheckShards = "shards";
constexpr const char* kCheckRecording = "recording";

}  // namespace mog::io
