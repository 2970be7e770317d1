// Rotary positions of llama.cpp in Hugging Face's keys: base, turned part of a head, scaling. Scalings are
// keys (linear, YaRN), or tensors: divisors of the frequencies (Llama 3), or factors for short and long texts
// (longrope).
#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <tuple>
#include <utility>

#include "io/checkpoint/printable.h"
#include "io/recording/errors.h"
#include "model/foreign/gguf.h"

namespace mog::model {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::int64_t kMostTexts = std::numeric_limits<std::int32_t>::max();

class Rotary {
 public:
  Rotary(const GgufKeys& keys, const GgufArchitecture& architecture, const io::WeightsFile& file,
         std::int64_t head)
      : keys_(keys), architecture_(architecture), file_(file), head_(head) {}

  Json run() const {
    Json config;
    const double base = keys_.above_zero("rope.freq_base").value_or(10000.0);
    config["rope_theta"] = base;
    const std::int64_t turned = keys_.count("rope.dimension_count", head_).value_or(head_);
    if (turned != head_ && !architecture_.part) {
      keys_.refuse("rope.dimension_count",
                   fmt::format("expected the width of a head, {}, found {}", head_, turned));
    }
    if (turned < 2 || turned % 2 != 0) {
      keys_.refuse("rope.dimension_count", fmt::format("expected an even number from 2, found {}", turned));
    }
    if (architecture_.part) {
      config["partial_rotary_factor"] = part_of(turned);
    }
    Json scaling = scaling_of(turned);
    if (!scaling.empty()) {
      config["rope_scaling"] = std::move(scaling);
    }
    return config;
  }

 private:
  // The part of which Hugging Face's product with the width of a head, cut to a whole number, is `turned`.
  double part_of(std::int64_t turned) const {
    const auto width = static_cast<double>(head_);
    const double part = static_cast<double>(turned) / width;
    return static_cast<std::int64_t>(width * part) == turned ? part : std::nextafter(part, 2.0);
  }
  bool tensor(std::string_view name) const { return file_.find(std::string(name)) != nullptr; }

  std::vector<float> factors(std::string_view name, std::int64_t turned) const {
    const io::TensorInfo* const info = file_.find(std::string(name));
    if (info->shape != std::vector<std::int64_t>{turned / 2} || info->dtype != "F32") {
      throw ModelError(fmt::format("{}: GGUF: tensor \"{}\": expected F32 [{}], found {} {}", keys_.file(),
                                   name, turned / 2, info->dtype, shape_text(info->shape)));
    }
    if (!file_.has_values()) {
      return std::vector<float>(static_cast<std::size_t>(turned / 2), 1.0F);
    }
    const HostTensor values = file_.read(std::string(name));
    std::vector<float> list(values.values<float>().begin(), values.values<float>().end());
    for (const float value : list) {
      if (!(value > 0.0F)) {
        throw ModelError(fmt::format("{}: GGUF: tensor \"{}\": expected numbers above 0, found {}",
                                     keys_.file(), name, value));
      }
    }
    return list;
  }

  // Lists of factors that would not be read.
  void refuse_odd_factors() const {
    for (const auto& [one, other, wanted] :
         {std::tuple{kGgufShort, kGgufLong, true}, std::tuple{kGgufLong, kGgufShort, true},
          std::tuple{kGgufFrequencies, kGgufLong, false}}) {
      if (tensor(one) && tensor(other) != wanted) {
        throw ModelError(fmt::format("{}: GGUF: tensor \"{}\": expected {} \"{}\" beside it", keys_.file(),
                                     one, wanted ? "also" : "no", other));
      }
    }
  }

  Json scaling_of(std::int64_t turned) const {
    refuse_odd_factors();
    const std::optional<std::int64_t> original =
        keys_.count("rope.scaling.original_context_length", kMostTexts);
    if (tensor(kGgufShort)) {
      Json scaling = {{"rope_type", "longrope"},
                      {"short_factor", factors(kGgufShort, turned)},
                      {"long_factor", factors(kGgufLong, turned)}};
      if (original.value_or(0) > 0) {
        scaling["original_max_position_embeddings"] = *original;
      }
      if (const auto factor = keys_.above_zero("rope.scaling.attn_factor")) {
        scaling["attention_factor"] = *factor;
      }
      return scaling;
    }
    const std::string type = keys_.text("rope.scaling.type");
    if (!type.empty() && type != "none" && type != "linear" && type != "yarn") {
      keys_.refuse(
          "rope.scaling.type",
          fmt::format("\"{}\" is not supported; supported: none, linear, yarn, and longrope with its "
                      "tensors",
                      io::printable(type)));
    }
    const double factor =
        keys_.number("rope.scaling.factor").value_or(keys_.number("rope.scale_linear").value_or(0.0));
    const bool none =
        type == "none" || (factor == 0.0 && type != "yarn") || (factor == 1.0 && type != "yarn");
    if (tensor(kGgufFrequencies)) {
      if (!none) {
        keys_.refuse("rope.scaling.factor", fmt::format("expected none beside the tensor \"{}\", found {}",
                                                        kGgufFrequencies, factor));
      }
      return {{"rope_type", "factors"}, {"factors", factors(kGgufFrequencies, turned)}};
    }
    if (none) {
      return Json::object();
    }
    if (!(factor > 0.0)) {
      keys_.refuse("rope.scaling.factor", fmt::format("expected a number above 0, found {}", factor));
    }
    if (type.empty() || type == "linear") {
      return {{"rope_type", "linear"}, {"factor", factor}};
    }
    Json scaling = {{"rope_type", "yarn"}, {"factor", factor}};
    if (original.value_or(0) > 0) {
      scaling["original_max_position_embeddings"] = *original;
    }
    for (const auto& [ours, theirs] : {std::pair{"beta_fast", "rope.scaling.yarn_beta_fast"},
                                       std::pair{"beta_slow", "rope.scaling.yarn_beta_slow"}}) {
      if (const auto number = keys_.above_zero(theirs)) {
        scaling[ours] = *number;
      }
    }
    if (const auto attention = keys_.above_zero("rope.scaling.attn_factor")) {
      // llama.cpp multiplies what YaRN has on its own.
      scaling["attention_factor"] = *attention * (factor > 1.0 ? 0.1 * std::log(factor) + 1.0 : 1.0);
    }
    return scaling;
  }

  const GgufKeys& keys_;
  const GgufArchitecture& architecture_;
  const io::WeightsFile& file_;
  std::int64_t head_;
};

}  // namespace

bool gguf_is_rotary(const GgufArchitecture& architecture) noexcept {
  const std::string_view type = architecture.type;
  return type != "gpt2" && type != "gpt_bigcode" && type != "bloom" && type != "bert";
}

nlohmann::ordered_json gguf_rotary(const GgufKeys& keys, const GgufArchitecture& architecture,
                                   const io::WeightsFile& file, std::int64_t head) {
  return Rotary(keys, architecture, file, head).run();
}

}  // namespace mog::model
