#include "model/config/describe_stack.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <set>
#include <string_view>
#include <vector>

namespace mog::model {
namespace {

std::string plural(std::int64_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::string number_word(std::size_t number) {
  constexpr std::array<std::string_view, 13> kWords = {"no",   "one",    "two",   "three", "four",
                                                       "five", "six",    "seven", "eight", "nine",
                                                       "ten",  "eleven", "twelve"};
  return number < kWords.size() ? std::string(kWords[number]) : std::to_string(number);
}

// Which layers of a stack: "every layer", "two layers of three" where they come again in that order, else
// "14 of 22 layers".
std::string share_of_layers(const std::vector<bool>& those) {
  const auto all = static_cast<std::size_t>(std::count(those.begin(), those.end(), true));
  if (all == those.size()) {
    return "every layer";
  }
  for (std::size_t period = 2; 2 * period <= those.size(); ++period) {
    bool again = true;
    for (std::size_t layer = period; layer < those.size() && again; ++layer) {
      again = those[layer] == those[layer - period];
    }
    if (again) {
      const auto inside =
          std::count(those.begin(), those.begin() + static_cast<std::ptrdiff_t>(period), true);
      return inside == 1 && period == 2
                 ? std::string("every second layer")
                 : fmt::format("{} layer{} of {}", number_word(static_cast<std::size_t>(inside)),
                               inside == 1 ? "" : "s", number_word(period));
    }
  }
  return fmt::format("{} of {} layers", all, those.size());
}

std::string describe_positions(const EncoderConfig& config) {
  switch (config.position) {
    case Position::rotary: {
      std::string text = config.rotary->dims < config.head_width()
                             ? fmt::format("rotary positions in {} of {} dimensions", config.rotary->dims,
                                           config.head_width())
                             : std::string("rotary positions");
      if (!config.rotary->without.empty()) {
        std::vector<bool> without(static_cast<std::size_t>(config.layers));
        for (const std::int64_t layer : config.rotary->without) {
          without.at(static_cast<std::size_t>(layer - 1)) = true;
        }
        text += ", none in " + share_of_layers(without);
      }
      return text;
    }
    case Position::alibi:
      return config.rounded_alibi ? "scores that fall with the distance (ALiBi), rounded to bfloat16"
                                  : "scores that fall with the distance (ALiBi)";
    case Position::learned:
      return "learned positions";
    case Position::random:
      return "random positions";
    case Position::fixed:
      return "fixed positions";
    case Position::sinusoidal:
      return "sinusoidal positions";
    case Position::relative:
      return fmt::format("relative positions in {} buckets", config.relative_buckets);
    case Position::none:
      break;
  }
  return config.disentangled ? "" : "no positions";
}

std::string describe_norms(const EncoderConfig& config) {
  const std::string_view kind = config.norm_kind == NormKind::rms ? "RMS norms" : "layer norms";
  switch (config.norm) {
    case NormPlace::post:
      return fmt::format("{} after the blocks", kind);
    case NormPlace::pre:
      return fmt::format("{} before the blocks", kind);
    case NormPlace::sandwich:
      return fmt::format("{} before and after the blocks", kind);
    case NormPlace::output:
      return fmt::format("{} of what the blocks give", kind);
  }
  return "";
}

std::string_view describe_activation(Activation activation) {
  switch (activation) {
    case Activation::relu:
      return "ReLU";
    case Activation::gelu:
    case Activation::gelu_tanh:
      return "GELU";
    case Activation::silu:
      return "SiLU";
  }
  return "";
}

}  // namespace

std::string describe_heads(const EncoderConfig& encoder) {
  return encoder.kv_heads > 0
             ? fmt::format("{} query and {}", encoder.heads, plural(encoder.kv_heads, "key/value head"))
             : plural(encoder.heads, "head");
}

std::string describe_windows(const EncoderConfig& encoder) {
  if (encoder.windows.empty()) {
    return "";
  }
  std::set<std::int64_t> widths;
  std::vector<bool> local;
  for (const std::int64_t window : encoder.windows) {
    local.push_back(window > 0);
    if (window > 0) {
      widths.insert(encoder.causal() ? window + 1 : window);  // from left to right the token itself counts
    }
  }
  return fmt::format("{} of {} token{}{} in {}", widths.size() == 1 ? "window" : "windows",
                     fmt::join(widths, " and "), widths == std::set<std::int64_t>{1} ? "" : "s",
                     encoder.causal() ? "" : " to both sides", share_of_layers(local));
}

std::string describe_attention(const EncoderConfig& config) {
  if (config.kind != EncoderKind::transformer) {
    return "";
  }
  std::string text;
  const auto add = [&text](const std::string& more) { text += more.empty() ? "" : ", " + more; };
  add(describe_positions(config));
  if (config.disentangled) {
    add("disentangled attention");
  }
  add(describe_windows(config));
  add(describe_norms(config));
  if (config.query_key_norm != QueryKeyNorm::none) {
    add("norms of queries and keys");
  }
  if (config.score_cap > 0.0) {
    add(fmt::format("scores capped at {}", config.score_cap));
  }
  add(fmt::format("{} feed-forward blocks with {}", config.gated_ffn ? "gated" : "plain",
                  describe_activation(config.activation)));
  if (config.parallel) {
    add("attention and feed-forward block side by side");
  }
  return text;
}

}  // namespace mog::model
