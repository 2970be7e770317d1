#include "model/weights/stored_weights.h"

#include <fmt/format.h>

#include <utility>

#include "io/checkpoint/float_values.h"
#include "io/checkpoint/safetensors.h"
#include "io/recording/errors.h"
#include "io/text/input_file.h"

namespace mog::model {
namespace {

class FileWeights final : public StoredWeights {
 public:
  explicit FileWeights(const std::filesystem::path& path)
      : file_(io::InputFile::open(path, "the safetensors file")) {
    for (io::TensorInfo& info : io::list_tensors(path).tensors) {
      std::string name = info.name;
      tensors_.emplace(std::move(name), std::move(info));
    }
  }
  std::optional<StoredTensor> find(const std::string& name) const override {
    const auto found = tensors_.find(name);
    if (found == tensors_.end()) {
      return std::nullopt;
    }
    const io::TensorInfo& info = found->second;
    if (!info.host_dtype() && !info.scales_at) {
      throw ModelError(fmt::format("{}: tensor \"{}\" has elements of type {}, which cannot be read here",
                                   file_.path().string(), name, info.dtype));
    }
    return StoredTensor{info.shape, [this, &info](DType type, std::span<std::byte> to) {
                          file_.read_floats(info, 0, type, to);
                        }};
  }
  std::vector<std::string> names() const override {
    std::vector<std::string> names;
    for (const auto& [name, info] : tensors_) {
      names.push_back(name);
    }
    return names;
  }
  bool on_disk() const override { return true; }

 private:
  io::TensorFile file_;
  std::map<std::string, io::TensorInfo> tensors_;
};

}  // namespace

std::map<std::string, HostTensor> read_all(const StoredWeights& weights) {
  std::map<std::string, HostTensor> all;
  for (const std::string& name : weights.names()) {
    const std::optional<StoredTensor> stored = weights.find(name);
    HostTensor values(stored->type, stored->shape);
    stored->write(stored->type, values.mutable_bytes());
    all.emplace(name, std::move(values));
  }
  return all;
}

StoredTensor stored_tensor(HostTensor tensor) {
  std::vector<std::int64_t> shape = tensor.shape();
  const DType own = tensor.dtype() == DType::float64 ? DType::float64 : DType::float32;
  return {std::move(shape),
          [tensor = std::move(tensor)](DType type, std::span<std::byte> to) {
            io::convert_floats(tensor.dtype(), tensor.bytes(), type, to);
          },
          own};
}

std::optional<StoredTensor> WeightsInMemory::find(const std::string& name) const {
  const auto found = tensors_.find(name);
  return found == tensors_.end() ? std::nullopt : std::optional(stored_tensor(found->second));
}

std::vector<std::string> WeightsInMemory::names() const {
  std::vector<std::string> names;
  for (const auto& [name, tensor] : tensors_) {
    names.push_back(name);
  }
  return names;
}

std::shared_ptr<const StoredWeights> weights_of_file(const std::filesystem::path& path) {
  return std::make_shared<const FileWeights>(path);
}

}  // namespace mog::model
