// `--overwrite`: another recording in the place of one that is there.
#pragma once

#include <filesystem>

#include "io/hdf5/recording/journal.h"

namespace mog::io {

// The new one is written beside the old one, into .NAME.overwriting, and takes its place when it is complete;
// until then, and whatever happens meanwhile, the old one stays as it is. Nobody else can go on with the old
// one meanwhile. Of both folders nothing but files of recordings is ever removed.
class ReplacedRecording {
 public:
  // Throws UsageError when `directory` is no folder, holds anything but a recording, is itself a link, or is
  // being recorded to by another program; removes what a killed run left beside it.
  explicit ReplacedRecording(const std::filesystem::path& directory);
  ReplacedRecording(const ReplacedRecording&) = delete;
  ReplacedRecording& operator=(const ReplacedRecording&) = delete;
  // Without replace(): removes the new one.
  ~ReplacedRecording();

  const std::filesystem::path& fresh() const noexcept { return fresh_; }  // where to write
  // Puts the complete new recording in the place of the old one, which is removed. Throws StorageError; one
  // of the two has the name then, or, where the file system cannot exchange names, the old one stands beside
  // it.
  void replace();

 private:
  std::filesystem::path directory_;
  std::filesystem::path fresh_;
  JournalWriter old_;  // its lock
  bool replaced_ = false;
};

}  // namespace mog::io
