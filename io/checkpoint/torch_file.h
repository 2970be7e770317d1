// The two containers of torch.save: a zip archive (since PyTorch 1.6), or pickles with the storages behind
// them (before).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "io/checkpoint/pickle.h"
#include "io/checkpoint/torch_tensors.h"
#include "io/checkpoint/zip_reader.h"
#include "io/text/input_file.h"

namespace mog::io {

class TorchFile {
 public:
  // Reads and checks everything but the storages.
  static std::unique_ptr<TorchFile> open(const InputFile& file);
  TorchFile() = default;
  TorchFile(const TorchFile&) = delete;
  TorchFile& operator=(const TorchFile&) = delete;
  virtual ~TorchFile() = default;

  virtual const char* form() const noexcept = 0;  // "zip", "legacy"
  virtual const Pickle& pickle() const noexcept = 0;
  // Before the first storage is asked for: finds them, now that their sizes are known.
  virtual void locate(const TorchContents& contents) = 0;
  // Bytes of a storage; nothing where it is not there.
  virtual std::optional<std::uint64_t> storage_bytes(const std::string& key) const = 0;
  // Where the bytes of a storage begin in the file; nothing where they do not lie there as they are.
  virtual std::optional<std::uint64_t> storage_place(const std::string& key) const = 0;
  // In blocks of whole elements, checked.
  virtual void read(const std::string& key, const ZipReader::Block& block) const = 0;
  virtual std::vector<std::byte> read(const std::string& key, std::uint64_t begin,
                                      std::uint64_t size) const = 0;
  // What no tensor needs is read and checked too.
  virtual void check_rest(const TorchContents& contents, const ZipReader::Block& block) const = 0;
};

std::unique_ptr<TorchFile> open_torch_zip(const InputFile& file);
std::unique_ptr<TorchFile> open_torch_legacy(const InputFile& file);

}  // namespace mog::io
