// The tensors of a model of another program: one file, or several that an index joins.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/checkpoint/weights_file.h"
#include "io/recording/host_tensor.h"

namespace mog::model {

class ForeignWeights {
 public:
  // `values` false: names, types and shapes only. Throws as io::open_weights.
  static ForeignWeights of_file(const std::filesystem::path& file, bool values);
  // What a Hugging Face folder has: model.safetensors, model.safetensors.index.json with its files,
  // pytorch_model.bin, pytorch_model.bin.index.json, in this order. Throws FormatError when there is none, or
  // when an index and its files disagree.
  static ForeignWeights of_folder(const std::filesystem::path& folder, bool values);

  // Of a file whose tensors have other names and another order of rows.
  using Change = std::function<HostTensor(const HostTensor&)>;
  struct Renamed {
    io::TensorInfo info;  // as it is found and given
    std::string stored;   // its name in the file
    Change change;        // from the stored values; empty: none
  };
  // `called`: what a tensor that is not there would be called in the file, for messages.
  static ForeignWeights of_renamed(io::WeightsFile file, std::vector<Renamed> tensors,
                                   std::map<std::string, std::string> called);

  const io::TensorInfo* find(const std::string& name) const;
  std::vector<const io::TensorInfo*> tensors() const;  // sorted by name
  HostTensor read(const std::string& name) const;      // as stored
  // Elements as `type`, from `first` on, as many as `to` holds; straight into `to` where in_place().
  void read_floats(const std::string& name, std::int64_t first, DType type, std::span<std::byte> to) const;
  // Whether values are read from the file when they are asked for, and only those.
  bool in_place(const std::string& name) const;
  // For messages: the name in the file.
  std::string called(const std::string& name) const;
  // For messages: the file that holds the tensor; for one that is missing the first file.
  std::string file_of(const std::string& name) const;
  std::string file() const { return files_.front().path().string(); }
  const io::WeightsFile& front() const { return files_.front(); }
  std::string sha256() const;  // of the file, or of the hashes of all in order

 private:
  struct Place {
    std::size_t file = 0;
    const io::TensorInfo* info = nullptr;
    const Renamed* renamed = nullptr;
  };
  void add(const std::filesystem::path& file, bool values);
  void add_index(const std::filesystem::path& index, bool values);
  std::vector<io::WeightsFile> files_;
  std::map<std::string, Place> places_;
  std::vector<std::unique_ptr<const Renamed>> renamed_;
  std::map<std::string, std::string> called_;
};

}  // namespace mog::model
