#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "app/workflow/effects/faithfulness_job.h"
#include "io/recording/errors.h"
#include "io/recording/nearest_name.h"

namespace mog::app {
namespace {

template <class Value, std::size_t count>
using Names = std::array<std::pair<Value, std::string_view>, count>;

constexpr Names<Erasure, 6> kErasures = {{{Erasure::mask, "mask"},
                                          {Erasure::remove, "remove"},
                                          {Erasure::zero, "zero"},
                                          {Erasure::pad, "pad"},
                                          {Erasure::unknown, "unk"},
                                          {Erasure::mask_token, "mask-token"}}};
constexpr Names<SpecialTokens, 2> kSpecials = {
    {{SpecialTokens::keep, "keep"}, {SpecialTokens::erase, "erase"}}};
constexpr Names<ErasedUnit, 2> kUnits = {{{ErasedUnit::token, "token"}, {ErasedUnit::word, "word"}}};
constexpr Names<Attribution, 16> kAttributions = {
    {{Attribution::random, "random"},
     {Attribution::attention, "attention"},
     {Attribution::rollout, "rollout"},
     {Attribution::flow, "flow"},
     {Attribution::norm, "norm"},
     {Attribution::globenc, "globenc"},
     {Attribution::alti, "alti"},
     {Attribution::propagation_norm, "propagation-norm"},
     {Attribution::propagation_share, "propagation-share"},
     {Attribution::propagation_removal, "propagation-removal"},
     {Attribution::gradient_norm, "gradient-norm"},
     {Attribution::gradient_input, "gradient-input"},
     {Attribution::integrated_gradients, "integrated-gradients"},
     {Attribution::integrated_presence, "integrated-presence"},
     {Attribution::removal, "removal"},
     {Attribution::leave_one_out, "leave-one-out"}}};

template <class Value, std::size_t count>
std::string_view name_of(const Names<Value, count>& names, Value value) noexcept {
  for (const auto& [own, text] : names) {
    if (own == value) {
      return text;
    }
  }
  return "";
}

template <class Value, std::size_t count>
Value parse(const Names<Value, count>& names, std::string_view text, const char* option) {
  std::vector<std::string> allowed;
  for (const auto& [value, own] : names) {
    if (own == text) {
      return value;
    }
    allowed.emplace_back(own);
  }
  throw unknown_choice(option, text, allowed);
}

std::vector<std::string_view> split(std::string_view text, char at) {
  std::vector<std::string_view> pieces;
  while (true) {
    const auto end = text.find(at);
    pieces.push_back(text.substr(0, end));
    if (end == std::string_view::npos) {
      return pieces;
    }
    text.remove_prefix(end + 1);
  }
}

}  // namespace

Erasure parse_erasure(std::string_view text) {
  return parse(kErasures, text, "--erase");
}
std::string_view name(Erasure erasure) noexcept {
  return name_of(kErasures, erasure);
}
SpecialTokens parse_special_tokens(std::string_view text) {
  return parse(kSpecials, text, "--special-tokens");
}
std::string_view name(SpecialTokens choice) noexcept {
  return name_of(kSpecials, choice);
}
ErasedUnit parse_unit(std::string_view text) {
  return parse(kUnits, text, "--unit");
}
std::string_view name(ErasedUnit unit) noexcept {
  return name_of(kUnits, unit);
}
std::string_view name(Attribution attribution) noexcept {
  return name_of(kAttributions, attribution);
}

std::string text(const AttributionChoice& choice) {
  std::string result;
  for (const Attribution factor : choice) {
    result += (result.empty() ? "" : "*") + std::string(name(factor));
  }
  return result;
}

std::vector<AttributionChoice> parse_attributions(std::string_view text) {
  std::vector<AttributionChoice> choices;
  for (const std::string_view piece : split(text, ',')) {
    AttributionChoice choice;
    for (const std::string_view factor : split(piece, '*')) {
      choice.push_back(parse(kAttributions, factor, "--attributions"));
    }
    if (std::find(choices.begin(), choices.end(), choice) == choices.end()) {
      choices.push_back(std::move(choice));
    }
  }
  return choices;
}

std::string FaithTarget::text() const {
  switch (kind) {
    case Kind::pooled:
      return "pooled";
    case Kind::word:
      return fmt::format("word:{}", word);
    case Kind::tag:
      return fmt::format("tag:{}:{}", task, word);
    case Kind::head:
      return fmt::format("head:{}", word);
  }
  return "";
}

FaithTarget parse_target(std::string_view text) {
  const std::vector<std::string_view> pieces = split(text, ':');
  FaithTarget target;
  if (pieces.size() == 1 && pieces[0] == "pooled") {
    return target;
  }
  const bool word = pieces.size() == 2 && pieces[0] == "word";
  const bool head = pieces.size() == 2 && pieces[0] == "head";
  const bool tag = pieces.size() == 3 && pieces[0] == "tag" && !pieces[1].empty();
  const std::string_view number = pieces.back();
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), target.word);
  if ((!word && !head && !tag) || error != std::errc() || end != number.data() + number.size() ||
      target.word == 0) {
    throw UsageError(fmt::format(
        "--target: \"{}\" is not known; allowed are pooled, word:N, tag:TASK:N and head:N, N a word of "
        "the sentence from 1 or, from its end, from -1; of a translator translate, or a file of "
        "translations that is there{}",
        text, did_you_mean(text, {"pooled", "translate"})));
  }
  target.kind = word ? FaithTarget::Kind::word : head ? FaithTarget::Kind::head : FaithTarget::Kind::tag;
  if (tag) {
    target.task = pieces[1];
  }
  return target;
}

}  // namespace mog::app
