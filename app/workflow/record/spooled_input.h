// A corpus that can be read twice: a file as it is, standard input as a temporary copy.
#pragma once

#include <filesystem>

namespace mog::app {

class SpooledInput {
 public:
  // "-": copies standard input to its end. Throws StorageError.
  explicit SpooledInput(const std::filesystem::path& input);
  SpooledInput(const SpooledInput&) = delete;
  SpooledInput& operator=(const SpooledInput&) = delete;
  ~SpooledInput();
  const std::filesystem::path& path() const noexcept { return path_; }

 private:
  std::filesystem::path path_;
  bool temporary_ = false;
};

}  // namespace mog::app
