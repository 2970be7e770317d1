#include "io/recording/axes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "io/recording/errors.h"
#include "io/recording/named_values.h"

namespace mog {
namespace {

constexpr std::array kAxes = {std::pair{Axis::token, std::string_view("token")},
                              std::pair{Axis::query, std::string_view("query")},
                              std::pair{Axis::key, std::string_view("key")},
                              std::pair{Axis::target_token, std::string_view("target_token")},
                              std::pair{Axis::target_query, std::string_view("target_query")},
                              std::pair{Axis::target_key, std::string_view("target_key")},
                              std::pair{Axis::head, std::string_view("head")},
                              std::pair{Axis::d_model, std::string_view("d_model")},
                              std::pair{Axis::attention_dim, std::string_view("attention_dim")},
                              std::pair{Axis::tag, std::string_view("tag")},
                              std::pair{Axis::vocabulary, std::string_view("vocabulary")},
                              std::pair{Axis::group_query, std::string_view("group_query")},
                              std::pair{Axis::group_key, std::string_view("group_key")},
                              std::pair{Axis::order, std::string_view("order")},
                              std::pair{Axis::capsule, std::string_view("capsule")},
                              std::pair{Axis::graph_term, std::string_view("graph_term")},
                              std::pair{Axis::split_part, std::string_view("split_part")},
                              std::pair{Axis::split_norm, std::string_view("split_norm")},
                              std::pair{Axis::norm_place, std::string_view("norm_place")},
                              std::pair{Axis::logit_term, std::string_view("logit_term")},
                              std::pair{Axis::separate_term, std::string_view("separate_term")},
                              std::pair{Axis::covariance_sum, std::string_view("covariance_sum")},
                              std::pair{Axis::cause, std::string_view("cause")},
                              std::pair{Axis::value_part, std::string_view("value_part")},
                              std::pair{Axis::order_group, std::string_view("order_group")},
                              std::pair{Axis::gate_part, std::string_view("gate_part")},
                              std::pair{Axis::source, std::string_view("source")},
                              std::pair{Axis::context, std::string_view("context")},
                              std::pair{Axis::context_bias, std::string_view("context_bias")},
                              std::pair{Axis::context_side, std::string_view("context_side")},
                              std::pair{Axis::leaves, std::string_view("leaves")},
                              std::pair{Axis::order_bin, std::string_view("order_bin")},
                              std::pair{Axis::walk_length, std::string_view("walk_length")}};

}  // namespace

std::string_view name(Axis axis) noexcept {
  return name_in(kAxes, axis);
}

namespace {

std::vector<std::string_view> plain_entries(Axis axis) {
  switch (axis) {
    case Axis::group_query:
    case Axis::group_key:
      return {"i_h", "i_m1", "i_m2", "i_l"};
    case Axis::split_part:
      return {"carried", "attention", "feed_forward", "bias"};
    case Axis::split_norm:
      return {"carried", "attention", "feed_forward", "bias", "output"};
    case Axis::norm_place:
      return {"attention", "feed_forward"};
    case Axis::logit_term:
      return {"pp", "pi", "ip", "ii", "bp", "bi"};
    case Axis::separate_term:
      return {"pp", "pi", "pb", "ip", "ii", "ib", "bp", "bi", "bb"};
    case Axis::covariance_sum:
      return {"pp", "pi", "ip", "ii", "bp", "bi", "variance"};
    case Axis::cause:
      return {"u", "pp", "pi", "ip", "ii", "bp", "bi"};
    case Axis::value_part:
      return {"p", "i"};
    case Axis::order_group:
      return {"low", "mid", "high", "base", "feed_forward", "bias"};
    case Axis::gate_part:
      return {"carried", "u.p",  "u.i",  "pp.p", "pp.i", "pi.p", "pi.i",         "ip.p", "ip.i",
              "ii.p",    "ii.i", "bp.p", "bp.i", "bi.p", "bi.i", "feed_forward", "bias"};
    case Axis::context_side:
      return {"source", "prefix", "bias"};
    case Axis::graph_term:
      return {"content", "relation_key", "relation_query"};
    default:
      return {};
  }
}

}  // namespace

std::vector<std::string_view> entry_names(Axis axis, std::int64_t extent) {
  std::vector<std::string_view> names = plain_entries(axis);
  const auto more = extent - static_cast<std::int64_t>(names.size());
  const bool terms = axis == Axis::logit_term || axis == Axis::separate_term || axis == Axis::cause;
  if (terms && more == 1) {
    names.emplace_back("pos");
  } else if (axis == Axis::covariance_sum && more == 1) {
    names.insert(names.end() - 1, "pos");
  } else if (axis == Axis::gate_part && more == 2) {
    names.insert(names.end() - 2, {"pos.p", "pos.i"});
  } else if ((axis == Axis::context_side || axis == Axis::graph_term) && more == -1 && extent > 0) {
    names.pop_back();
  }
  return names;
}

Axis parse_axis(std::string_view text) {
  if (const auto axis = find_in(kAxes, text)) {
    return *axis;
  }
  throw UsageError(fmt::format("\"{}\" is no axis", text));
}

bool QuantitySchema::of_target() const noexcept {
  return std::any_of(axes.begin(), axes.end(), [](Axis axis) {
    return axis == Axis::target_token || axis == Axis::target_query || axis == Axis::target_key ||
           axis == Axis::context || axis == Axis::context_bias;
  });
}

std::vector<std::int64_t> QuantitySchema::shape(std::int64_t tokens, std::int64_t target_tokens) const {
  std::vector<std::int64_t> result;
  result.reserve(axes.size());
  for (std::size_t i = 0; i < axes.size(); ++i) {
    switch (axes[i]) {
      case Axis::token:
      case Axis::query:
      case Axis::key:
        result.push_back(tokens);
        break;
      case Axis::target_token:
      case Axis::target_query:
      case Axis::target_key:
        result.push_back(target_tokens);
        break;
      case Axis::source:
        result.push_back(tokens + 1);
        break;
      case Axis::context:
        result.push_back(tokens + target_tokens);
        break;
      case Axis::context_bias:
        result.push_back(tokens + target_tokens + 1);
        break;
      default:
        result.push_back(extents.at(i));
    }
  }
  return result;
}

std::int64_t QuantitySchema::elements(std::int64_t tokens, std::int64_t target_tokens) const {
  std::int64_t product = 1;
  for (const std::int64_t extent : shape(tokens, target_tokens)) {
    product *= extent;
  }
  return product;
}

}  // namespace mog
