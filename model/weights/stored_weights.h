// The values of a model's tensors while they are where they are stored: taken one by one, straight into the
// memory in which they are used, so that nothing is held twice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "io/recording/host_tensor.h"

namespace mog::model {

struct StoredTensor {
  std::vector<std::int64_t> shape;
  // Writes all values, row by row, as `type` (float32, float64, float16, bfloat16) to `to`, which holds just
  // them. Every other type goes by way of float32, but for float64 that is asked for as float64.
  std::function<void(DType type, std::span<std::byte> to)> write;
  DType type = DType::float32;  // in which nothing is lost: float32, or float64 of what was computed so
};

// Safe from several threads.
class StoredWeights {
 public:
  StoredWeights() = default;
  StoredWeights(const StoredWeights&) = delete;
  StoredWeights& operator=(const StoredWeights&) = delete;
  virtual ~StoredWeights() = default;
  // Under the names of docs/model-directory.md; nothing where there is no such tensor. What it gives must not
  // outlive this. It, and write() of what it gives, throw FormatError naming file and tensor where the file
  // was cut short or changed since it was opened, or where a value is NaN or infinite, and ModelError where
  // one is beyond float32.
  virtual std::optional<StoredTensor> find(const std::string& name) const = 0;
  virtual std::vector<std::string> names() const = 0;
  // Whether values are read from a file when they are asked for, so that this takes no memory for them.
  virtual bool on_disk() const = 0;
};

// All of them, each in its own type.
std::map<std::string, HostTensor> read_all(const StoredWeights& weights);

// Of values in memory, which are borrowed.
class WeightsInMemory final : public StoredWeights {
 public:
  explicit WeightsInMemory(const std::map<std::string, HostTensor>& tensors) : tensors_(tensors) {}
  std::optional<StoredTensor> find(const std::string& name) const override;
  std::vector<std::string> names() const override;
  bool on_disk() const override { return false; }

 private:
  const std::map<std::string, HostTensor>& tensors_;
};

// Of a safetensors file of ours. Throws as io::list_tensors.
std::shared_ptr<const StoredWeights> weights_of_file(const std::filesystem::path& path);

// Of one tensor, which is kept.
StoredTensor stored_tensor(HostTensor tensor);

}  // namespace mog::model
