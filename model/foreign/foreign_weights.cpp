#include "model/foreign/foreign_weights.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>
#include <system_error>

#include "io/checkpoint/float_values.h"
#include "io/recording/errors.h"
#include "io/text/input_file.h"
#include "io/text/json_check.h"
#include "io/text/sha256.h"

namespace mog::model {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::uint64_t kMostIndexBytes = std::uint64_t{64} << 20U;
constexpr std::size_t kMostFiles = 1024;

bool present(const fs::path& file) {
  std::error_code error;
  return fs::exists(file, error);
}

// A name that stays inside the folder of the index.
bool plain_name(const std::string& name) {
  return !name.empty() && name.size() <= 255 && name != "." && name != ".." &&
         name.find_first_of(std::string_view("/\\\0", 3)) == std::string::npos;
}

}  // namespace

void ForeignWeights::add(const fs::path& file, bool values) {
  io::WeightsOptions options;
  options.values = values;
  files_.push_back(io::open_weights(file, options));
}

ForeignWeights ForeignWeights::of_file(const fs::path& file, bool values) {
  ForeignWeights weights;
  weights.add(file, values);
  for (const io::TensorInfo& info : weights.files_.front().tensors()) {
    weights.places_[info.name] = {0, &info, nullptr};
  }
  return weights;
}

// {"metadata": …, "weight_map": {"tensor": "file"}}: file by file, every tensor where the map says.
void ForeignWeights::add_index(const fs::path& index, bool values) {
  const std::string name = index.string();
  const std::string text = io::read_file(index, "the index of the weights", kMostIndexBytes);
  io::check_json(text, name);
  const Json document = Json::parse(text);
  const auto map = document.is_object() ? document.find("weight_map") : document.end();
  if (map == document.end() || !map->is_object() || map->empty()) {
    throw FormatError(fmt::format("{}: weight_map: expected an object of tensor and file names", name));
  }
  std::map<std::string, std::set<std::string>> tensors_of;
  for (const auto& [tensor, file] : map->items()) {
    if (!file.is_string() || !plain_name(file.get<std::string>())) {
      throw FormatError(
          fmt::format("{}: weight_map.{}: expected the name of a file in the same folder, found {}", name,
                      tensor, file.dump().substr(0, 80)));
    }
    tensors_of[file.get<std::string>()].insert(tensor);
  }
  if (tensors_of.size() > kMostFiles) {
    throw FormatError(fmt::format("{}: weight_map names {} files; at most {} are read", name,
                                  tensors_of.size(), kMostFiles));
  }
  files_.reserve(tensors_of.size());
  for (const auto& [file, tensors] : tensors_of) {
    const fs::path path = index.parent_path() / file;
    if (!present(path)) {
      throw FormatError(fmt::format("{}: the file {}, which it names, is missing", name, file));
    }
    add(path, values);
    for (const std::string& tensor : tensors) {
      const io::TensorInfo* const info = files_.back().find(tensor);
      if (info == nullptr) {
        throw FormatError(fmt::format("{}: the tensor {} is not in {}", name, tensor, file));
      }
      places_[tensor] = {files_.size() - 1, info, nullptr};
    }
  }
}

ForeignWeights ForeignWeights::of_folder(const fs::path& folder, bool values) {
  for (const char* const name : {"model.safetensors", "pytorch_model.bin"}) {
    if (present(folder / name)) {
      return of_file(folder / name, values);
    }
    const fs::path index = folder / (std::string(name) + ".index.json");
    if (present(index)) {
      ForeignWeights weights;
      weights.add_index(index, values);
      return weights;
    }
  }
  throw FormatError(
      fmt::format("opening the model {}: model.safetensors is missing, and so is pytorch_model.bin (or the "
                  "index of either)",
                  folder.string()));
}

const io::TensorInfo* ForeignWeights::find(const std::string& name) const {
  const auto found = places_.find(name);
  return found == places_.end() ? nullptr : found->second.info;
}

std::vector<const io::TensorInfo*> ForeignWeights::tensors() const {
  std::vector<const io::TensorInfo*> all;
  for (const auto& [name, place] : places_) {
    all.push_back(place.info);
  }
  return all;
}

HostTensor ForeignWeights::read(const std::string& name) const {
  const Place& place = places_.at(name);
  const io::WeightsFile& file = files_[place.file];
  if (place.renamed == nullptr) {
    return file.read(name);
  }
  const HostTensor stored = file.read(place.renamed->stored);
  return place.renamed->change ? place.renamed->change(stored) : stored;
}

void ForeignWeights::read_floats(const std::string& name, std::int64_t first, DType type,
                                 std::span<std::byte> to) const {
  const Place& place = places_.at(name);
  if (place.renamed == nullptr || !place.renamed->change) {
    const std::string& stored = place.renamed == nullptr ? name : place.renamed->stored;
    files_[place.file].read_floats(stored, static_cast<std::uint64_t>(first), type, to);
    return;
  }
  const HostTensor values = read(name);
  const std::int64_t count = static_cast<std::int64_t>(to.size()) / size_bytes(type);
  io::convert_floats(values.dtype(), values.slice_flat(first, {count}).bytes(), type, to);
}

bool ForeignWeights::in_place(const std::string& name) const {
  const Place& place = places_.at(name);
  return files_[place.file].read_in_place(place.renamed == nullptr ? name : place.renamed->stored);
}

ForeignWeights ForeignWeights::of_renamed(io::WeightsFile file, std::vector<Renamed> tensors,
                                          std::map<std::string, std::string> called) {
  ForeignWeights weights;
  weights.files_.push_back(std::move(file));
  weights.called_ = std::move(called);
  for (Renamed& tensor : tensors) {
    weights.renamed_.push_back(std::make_unique<const Renamed>(std::move(tensor)));
    const Renamed& kept = *weights.renamed_.back();
    weights.called_[kept.info.name] = kept.stored;
    if (!weights.places_.emplace(kept.info.name, Place{0, &kept.info, &kept}).second) {
      throw ModelError(fmt::format("{}: the tensor {} stands for {}, as another one does; expected one",
                                   weights.file(), kept.stored, kept.info.name));
    }
  }
  return weights;
}

std::string ForeignWeights::called(const std::string& name) const {
  const auto found = called_.find(name);
  return found == called_.end() ? name : found->second;
}

std::string ForeignWeights::file_of(const std::string& name) const {
  const auto found = places_.find(name);
  return files_[found == places_.end() ? 0 : found->second.file].path().string();
}

std::string ForeignWeights::sha256() const {
  if (files_.size() == 1) {
    return io::file_sha256(files_.front().path());
  }
  io::Sha256 hash;
  for (const io::WeightsFile& file : files_) {
    hash.update(io::file_sha256(file.path()));
  }
  return hash.hex();
}

}  // namespace mog::model
