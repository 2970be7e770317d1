#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "app/workflow/effects/faithfulness_translation.h"
#include "io/recording/errors.h"
#include "io/recording/named_values.h"
#include "io/recording/nearest_name.h"

namespace mog::app {
namespace {

using Kind = DecoderAttribution::Kind;

constexpr std::array kSides = {std::pair{ErasedSide::source, std::string_view("source")},
                               std::pair{ErasedSide::prefix, std::string_view("prefix")},
                               std::pair{ErasedSide::both, std::string_view("both")}};
constexpr std::array kKinds = {std::pair{Kind::random, std::string_view("random")},
                               std::pair{Kind::cross_attention, std::string_view("cross-attention")},
                               std::pair{Kind::norm, std::string_view("contribution-norm")},
                               std::pair{Kind::projection, std::string_view("contribution-projection")},
                               std::pair{Kind::logit, std::string_view("contribution-logit")},
                               std::pair{Kind::alti, std::string_view("alti")},
                               std::pair{Kind::leave_one_out, std::string_view("leave-one-out")}};

DecoderAttribution parse_one(std::string_view piece) {
  const std::size_t colon = piece.find(':');
  const std::string_view name = piece.substr(0, colon);
  const auto kind = find_in(kKinds, name);
  if (!kind) {
    throw unknown_choice("--attributions", name, names_in(kKinds));
  }
  DecoderAttribution attribution{.kind = *kind};
  if (colon != std::string_view::npos) {
    const std::string_view digits = piece.substr(colon + 1);
    const char* const last = digits.data() + digits.size();
    const auto [end, error] = std::from_chars(digits.data(), last, attribution.layer);
    if (*kind != Kind::cross_attention || error != std::errc() || end != last || attribution.layer < 1) {
      throw UsageError(
          fmt::format("--attributions: \"{}\"; only cross-attention has layers, from 1: "
                      "cross-attention:2",
                      piece));
    }
  }
  return attribution;
}

}  // namespace

ErasedSide parse_erased_side(std::string_view text) {
  if (const auto side = find_in(kSides, text)) {
    return *side;
  }
  throw unknown_choice("--side", text, names_in(kSides));
}

std::string_view name(ErasedSide side) noexcept {
  return name_in(kSides, side);
}

std::string text(const DecoderAttribution& attribution) {
  const std::string name(name_in(kKinds, attribution.kind));
  return attribution.layer > 0 ? fmt::format("{}:{}", name, attribution.layer) : name;
}

std::vector<DecoderAttribution> parse_decoder_attributions(std::string_view text) {
  std::vector<DecoderAttribution> all;
  while (true) {
    const std::size_t comma = text.find(',');
    const DecoderAttribution one = parse_one(text.substr(0, comma));
    if (std::find(all.begin(), all.end(), one) == all.end()) {
      all.push_back(one);
    }
    if (comma == std::string_view::npos) {
      return all;
    }
    text.remove_prefix(comma + 1);
  }
}

}  // namespace mog::app
