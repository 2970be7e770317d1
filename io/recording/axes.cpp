#include "io/recording/axes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
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
                              std::pair{Axis::walk_length, std::string_view("walk_length")},
                              std::pair{Axis::rank, std::string_view("rank")},
                              std::pair{Axis::distance, std::string_view("distance")}};

}  // namespace

std::string_view name(Axis axis) noexcept {
  return name_in(kAxes, axis);
}

namespace {

// A term of attention scores as a cause, and its value parts.
struct Row {
  std::string_view term;
  std::array<std::string_view, 3> parts;
};
constexpr std::array<Row, 7> kContent = {{{"u", {"u.p", "u.i", "u.r"}},
                                          {"pp", {"pp.p", "pp.i", "pp.r"}},
                                          {"pi", {"pi.p", "pi.i", "pi.r"}},
                                          {"ip", {"ip.p", "ip.i", "ip.r"}},
                                          {"ii", {"ii.p", "ii.i", "ii.r"}},
                                          {"bp", {"bp.p", "bp.i", "bp.r"}},
                                          {"bi", {"bi.p", "bi.i", "bi.r"}}}};
constexpr Row kPositions = {"pos", {"pos.p", "pos.i", "pos.r"}};
constexpr std::array<Row, 6> kRelations = {{{"pr", {"pr.p", "pr.i", "pr.r"}},
                                            {"ir", {"ir.p", "ir.i", "ir.r"}},
                                            {"br", {"br.p", "br.i", "br.r"}},
                                            {"rp", {"rp.p", "rp.i", "rp.r"}},
                                            {"ri", {"ri.p", "ri.i", "ri.r"}},
                                            {"rb", {"rb.p", "rb.i", "rb.r"}}}};

// Terms behind those of content: positions are one, relations of a graph three with keys, six with queries
// too. None where `count` is no such number.
std::vector<const Row*> further_terms(std::int64_t count) {
  std::vector<const Row*> rows;
  if (count % 3 == 1) {
    rows.push_back(&kPositions);
  }
  const std::int64_t relations = count - static_cast<std::int64_t>(rows.size());
  if (relations == 0 || relations == 3 || relations == 6) {
    for (const Row& row : std::span(kRelations).first(static_cast<std::size_t>(relations))) {
      rows.push_back(&row);
    }
    return rows;
  }
  return {};
}

// Carried, the value parts of all causes, feed-forward and bias; three value parts beside relations.
std::vector<std::string_view> gate_parts(std::int64_t extent) {
  constexpr std::int64_t kOthers = 3;
  constexpr auto kCauses = static_cast<std::int64_t>(kContent.size());
  // With three value parts there are relations, 3 or 6 terms; with two at most vectors of distances.
  const std::int64_t further = (extent - kOthers) / 3 - kCauses;
  const bool graph =
      (extent - kOthers) % 3 == 0 && (further == 3 || further == 4 || further == 6 || further == 7);
  const std::int64_t parts = graph ? 3 : 2;
  std::vector<std::string_view> names = {"carried"};
  const auto add = [&](const Row& row) {
    names.insert(names.end(), row.parts.begin(), row.parts.begin() + parts);
  };
  std::for_each(kContent.begin(), kContent.end(), add);
  for (const Row* const row : further_terms((extent - kOthers) / parts - kCauses)) {
    add(*row);
  }
  names.insert(names.end(), {"feed_forward", "bias"});
  return names;
}

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
      return gate_parts(17);
    case Axis::context_side:
      return {"source", "prefix", "bias"};
    case Axis::graph_term:
      return {"content", "relation_key", "relation_query"};
    case Axis::distance:
      return {"0",      "1",       "2",       "3-4",      "5-8",       "9-16",      "17-32",     "33-64",
              "65-128", "129-256", "257-512", "513-1024", "1025-2048", "2049-4096", "4097-8192", "8193+"};
    default:
      return {};
  }
}

}  // namespace

std::vector<std::string_view> entry_names(Axis axis, std::int64_t extent) {
  std::vector<std::string_view> names = plain_entries(axis);
  const auto more = extent - static_cast<std::int64_t>(names.size());
  switch (axis) {
    case Axis::logit_term:
    case Axis::separate_term:
    case Axis::cause:
      for (const Row* const row : further_terms(more)) {
        names.push_back(row->term);
      }
      break;
    case Axis::covariance_sum:
      for (const Row* const row : further_terms(more)) {
        names.insert(names.end() - 1, row->term);
      }
      break;
    case Axis::value_part:
      if (more == 1) {
        names.emplace_back("r");
      }
      break;
    case Axis::order_group:
      if (more == 1) {
        names.insert(names.end() - 2, "graph");
      }
      break;
    case Axis::gate_part:
      if (more > 0) {
        names = gate_parts(extent);
      }
      break;
    case Axis::context_side:
    case Axis::graph_term:
      if (more == -1 && extent > 0) {
        names.pop_back();
      }
      break;
    default:
      break;
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
