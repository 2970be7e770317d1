// Frequencies in float32 and in the order of transformers' modeling_rope_utils, which the models were trained
// with: linear (positions divided), dynamic (from a length on), llama3 and yarn (some divided, some not, some
// between), longrope (a factor for each). What depends on the length of the text is kept for the shorter
// ones, and longer texts are refused.
#include "model/foreign/rotary_positions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <numbers>
#include <optional>

#include "io/recording/errors.h"

namespace mog::model {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kMost = 1e12;

// One object of parameters; `file` and `key` are named in messages.
class Parameters {
 public:
  Parameters(const HfConfig& config, const char* key, const Json& values)
      : config_(config), key_(key), values_(values) {
    if (!values.is_object()) {
      config.refuse(key, "an object is");
    }
  }
  std::optional<double> number(const char* name) const {
    const auto found = values_.find(name);
    if (found == values_.end() || found->is_null()) {
      return std::nullopt;
    }
    if (!found->is_number() || !(std::abs(found->get<double>()) <= kMost)) {
      config_.refuse(key_, fmt::format("{} is no number", name));
    }
    return found->get<double>();
  }
  double positive(const char* name, std::optional<double> otherwise = {}) const {
    const std::optional<double> found = number(name);
    const double value = found.value_or(otherwise.value_or(0.0));
    if (!(value > 0.0)) {
      config_.refuse(key_, fmt::format("{} is a number above 0", name));
    }
    return value;
  }
  std::vector<double> numbers(const char* name, std::size_t count) const {
    const auto found = values_.find(name);
    std::vector<double> list;
    if (found != values_.end() && found->is_array()) {
      for (const Json& one : *found) {
        list.push_back(one.is_number() ? one.get<double>() : 0.0);
      }
    }
    if (list.size() != count ||
        std::any_of(list.begin(), list.end(), [](double x) { return !(x > 0.0 && x <= kMost); })) {
      config_.refuse(key_, fmt::format("{} is a list of {} numbers above 0", name, count));
    }
    return list;
  }
  bool flag(const char* name, bool otherwise) const {
    const auto found = values_.find(name);
    return found != values_.end() && found->is_boolean() ? found->get<bool>() : otherwise;
  }
  std::string type() const {
    for (const char* const name : {"rope_type", "type"}) {
      const auto found = values_.find(name);
      if (found != values_.end() && found->is_string()) {
        return found->get<std::string>();
      }
    }
    return "default";
  }
  [[noreturn]] void refuse(const std::string& why) const { config_.refuse(key_, why); }

 private:
  const HfConfig& config_;
  const char* key_;
  const Json& values_;
};

std::vector<float> powers(double base, std::int64_t dims) {
  std::vector<float> values;
  for (std::int64_t i = 0; i < dims; i += 2) {
    const float exponent = static_cast<float>(i) / static_cast<float>(dims);
    values.push_back(static_cast<float>(
        std::pow(static_cast<double>(static_cast<float>(base)), static_cast<double>(exponent))));
  }
  return values;
}

std::vector<float> inverse(const std::vector<float>& values) {
  std::vector<float> result;
  result.reserve(values.size());
  for (const float value : values) {
    result.push_back(1.0F / value);
  }
  return result;
}

void llama3(const Parameters& parameters, std::int64_t positions, std::vector<float>& values) {
  const auto factor = static_cast<float>(parameters.positive("factor"));
  const auto low = static_cast<float>(parameters.positive("low_freq_factor"));
  const auto high = static_cast<float>(parameters.positive("high_freq_factor"));
  const auto old = static_cast<float>(
      parameters.positive("original_max_position_embeddings", static_cast<double>(positions)));
  for (float& value : values) {
    const float wave = 2.0F * std::numbers::pi_v<float> / value;
    if (wave < old / high) {
      continue;
    }
    const float divided = value / factor;
    const float smooth = (old / wave - low) / (high - low);
    value = wave > old / low ? divided : (1.0F - smooth) * divided + smooth * value;
  }
}

double yarn_scale(double scale, double factor) {
  return scale <= 1.0 ? 1.0 : 0.1 * factor * std::log(scale) + 1.0;
}

void yarn(const Parameters& parameters, double base, std::int64_t dims, std::int64_t positions,
          RotaryFrequencies& result) {
  const double old = parameters.positive("original_max_position_embeddings", static_cast<double>(positions));
  const double factor = parameters.positive("factor", static_cast<double>(positions) / old);
  const std::optional<double> scale = parameters.number("mscale");
  const std::optional<double> all = parameters.number("mscale_all_dim");
  result.factor = yarn_scale(factor, 1.0);
  if (const auto given = parameters.number("attention_factor")) {
    result.factor = *given;
  } else if (scale.value_or(0.0) != 0.0 && all.value_or(0.0) != 0.0) {
    result.factor = yarn_scale(factor, *scale) / yarn_scale(factor, *all);
  }
  const auto width = static_cast<double>(dims);
  const auto place = [&](double turns) {
    return width * std::log(old / (turns * 2.0 * std::numbers::pi)) / (2.0 * std::log(base));
  };
  double first = place(parameters.positive("beta_fast", 32.0));
  double last = place(parameters.positive("beta_slow", 1.0));
  if (parameters.flag("truncate", true)) {
    first = std::floor(first);
    last = std::ceil(last);
  }
  first = std::max(first, 0.0);
  last = std::min(last, width - 1.0);
  if (first == last) {
    last += 0.001;
  }
  const std::vector<float> by = powers(base, dims);
  for (std::size_t i = 0; i < by.size(); ++i) {
    const float ramp = std::clamp(
        (static_cast<float>(i) - static_cast<float>(first)) / static_cast<float>(last - first), 0.0F, 1.0F);
    const float kept = 1.0F - ramp;
    const float divided = 1.0F / (static_cast<float>(factor) * by[i]);
    result.values[i] = divided * (1.0F - kept) + (1.0F / by[i]) * kept;
  }
}

void longrope(const Parameters& parameters, double base, std::int64_t dims, std::int64_t positions,
              std::int64_t original, RotaryFrequencies& result) {
  const double old = parameters.positive("original_max_position_embeddings", static_cast<double>(original));
  const std::vector<double> near = parameters.numbers("short_factor", static_cast<std::size_t>(dims / 2));
  parameters.numbers("long_factor", static_cast<std::size_t>(dims / 2));
  const double factor = parameters.positive("factor", static_cast<double>(positions) / old);
  const double usual = factor <= 1.0 ? 1.0 : std::sqrt(1.0 + std::log(factor) / std::log(old));
  result.factor = parameters.number("attention_factor").value_or(usual);
  const std::vector<float> by = powers(base, dims);
  for (std::size_t i = 0; i < by.size(); ++i) {
    result.values[i] = 1.0F / (static_cast<float>(near[i]) * by[i]);
  }
  result.most_tokens = static_cast<std::int64_t>(old);
}

struct Sizes {
  std::int64_t dims = 0;
  std::int64_t positions = 0;  // max_position_embeddings
  std::int64_t original = 0;   // original_max_position_embeddings beside it, else positions
};

RotaryFrequencies frequencies_of(const Parameters& parameters, double base, const Sizes& sizes) {
  RotaryFrequencies result;
  result.values = inverse(powers(base, sizes.dims));
  const std::string type = parameters.type();
  if (type == "default") {
    return result;
  }
  if (type == "linear") {
    const auto factor = static_cast<float>(parameters.positive("factor"));
    for (float& value : result.values) {
      value /= factor;
    }
  } else if (type == "ntk") {  // of the newer GTE, as its authors publish it
    const double factor = parameters.positive("factor");
    if (parameters.number("mixed_b")) {
      parameters.refuse("one factor for all dimensions is, without mixed_b");
    }
    if (factor > 1.0) {
      const double dims = static_cast<double>(sizes.dims);
      result.values = inverse(powers(base * factor, sizes.dims));
      for (float& value : result.values) {
        value /= static_cast<float>(std::pow(factor, 2.0 / dims));
      }
    }
  } else if (type == "factors") {  // of GGUF: frequencies are divided
    const std::vector<double> by = parameters.numbers("factors", static_cast<std::size_t>(sizes.dims / 2));
    for (std::size_t i = 0; i < by.size(); ++i) {
      result.values[i] /= static_cast<float>(by[i]);
    }
  } else if (type == "dynamic") {
    parameters.positive("factor");
    result.most_tokens = sizes.positions;
  } else if (type == "llama3") {
    llama3(parameters, sizes.positions, result.values);
  } else if (type == "yarn") {
    yarn(parameters, base, sizes.dims, sizes.positions, result);
  } else if (type == "longrope" || type == "su") {
    longrope(parameters, base, sizes.dims, sizes.positions, sizes.original, result);
  } else {
    parameters.refuse(
        fmt::format("the scaling of rotary positions \"{}\" is not known; known: default, "
                    "linear, dynamic, llama3, yarn, longrope, ntk",
                    type.substr(0, 80)));
  }
  return result;
}

// What any of these keys says; they must agree.
double number_of(HfConfig& config, std::initializer_list<const char*> keys, double otherwise) {
  const char* first = nullptr;
  for (const char* const key : keys) {
    if (!config.given(key)) {
      continue;
    }
    const double value = config.number(key);
    if (first != nullptr && value != otherwise) {
      config.refuse(key, fmt::format("{} = {} says the same", first, otherwise));
    }
    first = first == nullptr ? key : first;
    otherwise = value;
  }
  return otherwise;
}

double base_of(HfConfig& config, const Parameters& parameters, double otherwise) {
  otherwise = number_of(config, {"rope_theta", "rotary_emb_base", "global_rope_theta"}, otherwise);
  return parameters.positive("rope_theta", otherwise);
}

double part_of(HfConfig& config, const Parameters& parameters, double otherwise) {
  otherwise = number_of(config, {"partial_rotary_factor", "rotary_pct", "rope_pct", "rotary_emb_fraction"},
                        otherwise);
  return parameters.positive("partial_rotary_factor", otherwise);
}

bool usable(const std::vector<float>& values) {
  return std::all_of(values.begin(), values.end(), [](float x) { return std::isfinite(x) && x >= 0.0F; });
}

}  // namespace

std::vector<RotaryFrequencies> read_rotary_positions(HfConfig& config, EncoderConfig& encoder,
                                                     const RotaryDefaults& defaults, RotaryPairs pairs) {
  static const Json kNothing = Json::object();
  const char* const key = config.given("rope_parameters") ? "rope_parameters" : "rope_scaling";
  config.harmless({"rope_parameters", "rope_scaling"});
  const Json& all = config.given(key) ? *config.value(key) : kNothing;
  const Parameters whole(config, key, all);
  const auto of_kind = [&](const char* kind) -> const Json* {
    const auto found = all.find(kind);
    return found == all.end() || found->is_null() ? nullptr : &*found;
  };
  const Json* const full = of_kind("full_attention");
  const Json* const sliding = of_kind("sliding_attention");
  const Parameters global(config, key, full != nullptr ? *full : sliding != nullptr ? *sliding : all);
  const double base = base_of(config, global, defaults.base);
  const double part = part_of(config, global, defaults.part);
  if (part != 1.0 && defaults.part == 1.0 && !defaults.any_part) {
    throw ModelError(fmt::format(
        "{}: partial_rotary_factor (or rotary_pct): expected 1, found {}: this type turns whole heads, and "
        "transformers passes over the key",
        config.file(), part));
  }
  Sizes sizes;
  sizes.dims = static_cast<std::int64_t>(static_cast<double>(encoder.head_width()) * part);
  sizes.positions = config.length("max_position_embeddings", 2048);
  sizes.original = config.length("original_max_position_embeddings", sizes.positions);
  if (sizes.dims < 2 || sizes.dims % 2 != 0 || sizes.dims > encoder.head_width()) {
    throw ModelError(fmt::format(
        "{}: rotary positions turn {} of {} dimensions of a head, which is no even number up to that",
        config.file(), sizes.dims, encoder.head_width()));
  }
  encoder.position = Position::rotary;
  encoder.rotary.emplace();
  encoder.rotary->dims = sizes.dims;
  encoder.rotary->pairs = pairs;
  std::vector<RotaryFrequencies> result = {frequencies_of(global, base, sizes)};
  // Layers with a window: an entry of their own, or a base of their own.
  double local_base = defaults.local_base;
  for (const char* const name : {"rope_local_base_freq", "local_rope_theta"}) {
    if (config.given(name)) {
      local_base = config.number(name);
    }
  }
  if (!encoder.windows.empty()) {
    if (full != nullptr && sliding != nullptr) {
      const Parameters local(config, key, *sliding);
      result.push_back(
          frequencies_of(local, local.positive("rope_theta", local_base > 0 ? local_base : base), sizes));
    } else if (defaults.scaling_is_global && key == std::string_view("rope_scaling")) {
      if (base != defaults.base) {
        config.refuse("rope_theta", fmt::format("{} is, where layers have windows", defaults.base));
      }
      result.push_back(frequencies_of(Parameters(config, key, kNothing), base, sizes));
    } else if (local_base > 0.0) {
      result.push_back(frequencies_of(Parameters(config, key, kNothing), local_base, sizes));
    }
  }
  if (result.size() == 2 && result[1].values == result[0].values && result[1].factor == result[0].factor) {
    result.pop_back();
  }
  constexpr double kMostFactor = 1e6;
  for (const RotaryFrequencies& one : result) {
    if (!(one.factor > 0.0 && one.factor <= kMostFactor)) {
      whole.refuse(fmt::format("their sines and cosines would be multiplied by {}", one.factor));
    }
  }
  if (result.size() == 2 && result[1].factor != result[0].factor) {
    // Turning is linear, and these norms add nothing: the factor may come before it.
    if (encoder.query_key_norm == QueryKeyNorm::none || encoder.query_key_norm_kind != NormKind::rms) {
      whole.refuse(
          fmt::format("layers without a window have sines and cosines times {:.6g}, those with one times "
                      "{:.6g}; one factor for all layers is, or norms of queries and keys",
                      result[0].factor, result[1].factor));
    }
    result[0].norm_factor = result[0].factor / result[1].factor;
    result[0].factor = result[1].factor;
  }
  encoder.rotary->local = result.size() == 2;
  encoder.rotary->factor = result[0].factor;
  for (const RotaryFrequencies& one : result) {
    if (!usable(one.values)) {
      whole.refuse("their frequencies are no finite numbers");
    }
    if (one.most_tokens > 0) {
      encoder.max_positions =
          std::min(encoder.max_positions > 0 ? encoder.max_positions : kMostTokens, one.most_tokens);
    }
  }
  return result;
}

void plan_rotary(TensorPlan& plan, const std::vector<RotaryFrequencies>& frequencies) {
  constexpr const char* kNames[] = {"encoder.rotary.frequencies", "encoder.rotary.local_frequencies"};
  for (std::size_t i = 0; i < frequencies.size(); ++i) {
    plan.made(kNames[i], [values = frequencies[i].values] {
      HostTensor tensor(DType::float32, {static_cast<std::int64_t>(values.size())});
      std::copy(values.begin(), values.end(), tensor.mutable_values<float>().begin());
      return tensor;
    });
  }
}

}  // namespace mog::model
