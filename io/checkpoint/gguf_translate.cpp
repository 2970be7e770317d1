// Tensors stay where they are in the file; here their values are looked at, those of blocks as the float32
// that they stand for. Lists of the header (tokens, merges, scores) leave as tensors, since a vocabulary is
// as large as a small model; texts as their bytes and where each ends. Numbers and texts alone are the
// metadata.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>
#include <variant>

#include "io/checkpoint/gguf.h"
#include "io/checkpoint/plain_weights.h"
#include "io/checkpoint/printable.h"
#include "io/checkpoint/value_check.h"
#include "io/recording/errors.h"

namespace mog::io {
namespace {

constexpr std::uint64_t kBlock = std::uint64_t{1} << 20U;
constexpr std::size_t kMostShown = 65'536;  // longer texts (templates of chats) are not handed over

class Translator {
 public:
  Translator(const InputFile& file, WeightsSink& sink)
      : file_(file), name_(file.path().string()), sink_(sink), model_(read_gguf_header(file)) {}

  void run() {
    PlainWeights weights;
    weights.format = WeightsFormat::gguf;
    nlohmann::json values = nlohmann::json::object();
    for (const auto& [key, value] : model_.values) {
      if (const auto* const list = std::get_if<GgufList>(&value)) {
        add(weights, key, *list);
      } else {
        std::visit([&, &key = key](const auto& one) { put(values, key, one); }, value);
      }
    }
    const std::size_t lists = weights.tensors.size();
    nlohmann::json quantised = nlohmann::json::object();
    for (const GgufTensor& tensor : model_.tensors) {
      const std::string dtype(tensor.type->dtype);
      const std::uint64_t elements = tensor.size_bytes / tensor.type->bytes * tensor.type->elements;
      const std::uint64_t bytes = whole(tensor) ? tensor.size_bytes : elements * sizeof(float);
      weights.tensors.push_back({tensor.name, dtype, tensor.shape, bytes});
      weights.tensors.back().place = tensor.begin;
      if (!whole(tensor)) {
        weights.tensors.back().blocks = tensor.type->name;
        quantised[tensor.name] = tensor.type->name;
      }
    }
    check_total(file_, weights);
    weights.metadata = nlohmann::json{
        {"format", "gguf"},
        {"version", model_.version},
        {"values", values},
        {"quantized",
         quantised}}.dump();
    sink_.begin(weights);
    for (std::size_t i = 0; i < lists; ++i) {
      sink_.write(i, 0, lists_[i]);
    }
    for (std::size_t i = 0; i < model_.tensors.size(); ++i) {
      whole(model_.tensors[i]) ? copy(lists + i, model_.tensors[i])
                               : dequantise(lists + i, model_.tensors[i]);
    }
  }

 private:
  static bool whole(const GgufTensor& tensor) { return tensor.type->name == tensor.type->dtype; }

  template <class T>
  static void put(nlohmann::json& values, const std::string& key, const T& value) {
    values[key] = value;
  }
  static void put(nlohmann::json& values, const std::string& key, const std::string& value) {
    if (value.size() <= kMostShown) {
      values[key] = value;
    }
  }
  static void put(nlohmann::json&, const std::string&, const GgufList&) {}

  void add(PlainWeights& weights, const std::string& key, const GgufList& list) {
    const auto bytes = std::as_bytes(std::span(list.bytes));
    refuse_bad_values(name_, "key " + printable(key), list.dtype, bytes);
    const auto count = static_cast<std::int64_t>(list.texts ? list.bytes.size() : list.count);
    weights.tensors.push_back({std::string(kGgufList) + key, list.dtype, {count}, bytes.size(), true});
    lists_.push_back(bytes);
    if (list.texts) {
      const auto ends = std::as_bytes(std::span(list.ends));
      weights.tensors.push_back(
          {std::string(kGgufEnds) + key, "I64", {static_cast<std::int64_t>(list.count)}, ends.size(), true});
      lists_.push_back(ends);
    }
  }

  void copy(std::size_t place, const GgufTensor& tensor) {
    std::vector<std::byte> block;
    for (std::uint64_t at = 0; at < tensor.size_bytes; at += block.size()) {
      block.resize(static_cast<std::size_t>(std::min(kBlock, tensor.size_bytes - at)));
      file_.read_at(tensor.begin + at, block);
      refuse_bad_values(name_, printable(tensor.name), tensor.type->dtype, block, at);
      sink_.write(place, at, block);
    }
  }

  void dequantise(std::size_t place, const GgufTensor& tensor) {
    const GgufType& type = *tensor.type;
    const std::uint64_t most = kBlock / type.bytes / 8 * type.bytes;
    std::vector<std::byte> block;
    std::vector<float> values;
    for (std::uint64_t at = 0; at < tensor.size_bytes; at += block.size()) {
      block.resize(static_cast<std::size_t>(std::min(most, tensor.size_bytes - at)));
      file_.read_at(tensor.begin + at, block);
      values.resize(static_cast<std::size_t>(block.size() / type.bytes * type.elements));
      dequantise_gguf(type, block, values);
      const std::uint64_t before = at / type.bytes * type.elements * sizeof(float);
      const auto bytes = std::as_bytes(std::span(values));
      refuse_bad_values(name_, printable(tensor.name), "F32", bytes, before);
      sink_.write(place, before, bytes);
    }
  }

  const InputFile& file_;
  std::string name_;
  WeightsSink& sink_;
  GgufFile model_;
  std::vector<std::span<const std::byte>> lists_;  // of model_, in the order of the tensors
};

}  // namespace

void translate_gguf(const InputFile& file, WeightsSink& sink) {
  Translator(file, sink).run();
}

}  // namespace mog::io
