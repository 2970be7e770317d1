#include "io/recording/axes.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "io/recording/errors.h"

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
                              std::pair{Axis::order, std::string_view("order")}};

}  // namespace

std::string_view name(Axis axis) noexcept {
  for (const auto& [value, text] : kAxes) {
    if (value == axis) {
      return text;
    }
  }
  return "";
}

Axis parse_axis(std::string_view text) {
  for (const auto& [value, entry] : kAxes) {
    if (entry == text) {
      return value;
    }
  }
  throw UsageError(fmt::format("\"{}\" is no axis", text));
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
