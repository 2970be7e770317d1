// Weights of eight or sixteen bits stand beside their scales (q = w * scale, one scale a row or one in all):
// they leave as float32, w = q / scale, so that nobody else has to know. The others stay where they are in
// the file.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "io/checkpoint/ctranslate2.h"
#include "io/checkpoint/plain_weights.h"
#include "io/checkpoint/value_check.h"
#include "io/recording/errors.h"

namespace mog::io {
namespace {

constexpr std::uint64_t kBlock = std::uint64_t{1} << 20U;

class Translator {
 public:
  Translator(const InputFile& file, WeightsSink& sink)
      : file_(file), name_(file.path().string()), sink_(sink), model_(read_ct2_model(file)) {}

  void run() {
    check_ct2_layers(file_, model_);
    for (const Ct2Variable& variable : model_.variables) {
      by_name_.emplace(variable.name, &variable);
    }
    PlainWeights weights;
    weights.format = WeightsFormat::ctranslate2;
    std::vector<const Ct2Variable*> listed;
    nlohmann::json quantized = nlohmann::json::object();
    for (const Ct2Variable& variable : model_.variables) {
      if (scaled_by(variable) != nullptr) {
        continue;
      }
      const bool scaled = scale_of(variable) != nullptr;
      if (scaled) {
        quantized[variable.name] = variable.dtype;
      }
      const std::uint64_t bytes =
          scaled ? variable.size_bytes * (variable.dtype == "I8" ? 4 : 2) : variable.size_bytes;
      weights.tensors.push_back({variable.name, scaled ? "F32" : variable.dtype, variable.shape, bytes});
      if (!scaled && host_type(variable.dtype)) {
        weights.tensors.back().place = variable.begin;
      }
      listed.push_back(&variable);
    }
    for (const auto& [alias, target] : model_.aliases) {
      if (scaled_by(*by_name_.at(target)) == nullptr) {
        weights.aliases.emplace(alias, target);
      }
    }
    check_total(file_, weights);
    weights.metadata = nlohmann::json{{"format", "ctranslate2"},
                                      {"binary_version", model_.version},
                                      {"specification", model_.specification},
                                      {"revision", model_.revision},
                                      {"aliases", model_.aliases},
                                      {"quantized", quantized}}
                           .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    sink_.begin(weights);
    for (std::size_t i = 0; i < listed.size(); ++i) {
      const Ct2Variable* const scale = scale_of(*listed[i]);
      scale == nullptr ? copy(i, *listed[i]) : dequantise(i, *listed[i], *scale);
    }
  }

 private:
  const Ct2Variable* find(const std::string& name) const {
    const auto alias = model_.aliases.find(name);
    const auto at = by_name_.find(alias == model_.aliases.end() ? name : alias->second);
    return at == by_name_.end() ? nullptr : at->second;
  }
  static bool is_quantised(const Ct2Variable& variable) {
    return (variable.dtype == "I8" || variable.dtype == "I16") && !variable.shape.empty();
  }
  const Ct2Variable* scale_of(const Ct2Variable& variable) const {
    const Ct2Variable* const scale = is_quantised(variable) ? find(variable.name + "_scale") : nullptr;
    return scale != nullptr && scale->dtype == "F32" ? scale : nullptr;
  }
  const Ct2Variable* scaled_by(const Ct2Variable& scale) const {
    constexpr std::string_view kEnding = "_scale";
    if (scale.dtype != "F32" || !scale.name.ends_with(kEnding)) {
      return nullptr;
    }
    const Ct2Variable* const of = find(scale.name.substr(0, scale.name.size() - kEnding.size()));
    return of != nullptr && is_quantised(*of) ? of : nullptr;
  }

  void copy(std::size_t place, const Ct2Variable& variable) {
    std::vector<std::byte> block(static_cast<std::size_t>(std::min(kBlock, variable.size_bytes)));
    for (std::uint64_t at = 0; at < variable.size_bytes; at += block.size()) {
      block.resize(static_cast<std::size_t>(std::min(kBlock, variable.size_bytes - at)));
      file_.read_at(variable.begin + at, block);
      refuse_bad_values(name_, variable.name, variable.dtype, block, at);
      sink_.write(place, at, block);
    }
  }

  void dequantise(std::size_t place, const Ct2Variable& variable, const Ct2Variable& scale) {
    const auto rows = static_cast<std::size_t>(variable.shape[0]);
    std::vector<float> scales(static_cast<std::size_t>(scale.size_bytes / sizeof(float)));
    if (scales.size() != 1 && scales.size() != rows) {
      throw FormatError(fmt::format("{}: variable \"{}\" has {} values, expected 1 or the {} rows of \"{}\"",
                                    name_, scale.name, scales.size(), rows, variable.name));
    }
    file_.read_at(scale.begin, std::as_writable_bytes(std::span(scales)));
    refuse_bad_values(name_, scale.name, "F32", std::as_bytes(std::span(scales)));
    const std::uint64_t width = variable.dtype == "I8" ? 1 : 2;
    const std::uint64_t row_elements = variable.size_bytes / width / rows;
    std::vector<std::byte> block;
    std::vector<float> values;
    for (std::uint64_t at = 0; at < variable.size_bytes; at += block.size()) {
      block.resize(static_cast<std::size_t>(std::min(kBlock, variable.size_bytes - at)));
      file_.read_at(variable.begin + at, block);
      values.resize(block.size() / width);
      const std::uint64_t first = at / width;
      for (std::size_t i = 0; i < values.size(); ++i) {
        const float by =
            scales.size() == 1 ? scales[0] : scales[static_cast<std::size_t>((first + i) / row_elements)];
        values[i] = whole(block.data() + i * width, width) / by;
      }
      refuse_bad_values(name_, variable.name, "F32", std::as_bytes(std::span(values)), first * sizeof(float));
      sink_.write(place, first * sizeof(float), std::as_bytes(std::span(values)));
    }
  }

  static float whole(const std::byte* at, std::uint64_t width) {
    if (width == 1) {
      return static_cast<float>(static_cast<std::int8_t>(*at));
    }
    std::int16_t value = 0;
    std::memcpy(&value, at, sizeof(value));
    return static_cast<float>(value);
  }

  const InputFile& file_;
  std::string name_;
  WeightsSink& sink_;
  Ct2Model model_;
  std::map<std::string, const Ct2Variable*> by_name_;
};

}  // namespace

void translate_ctranslate2(const InputFile& file, WeightsSink& sink) {
  Translator(file, sink).run();
}

}  // namespace mog::io
