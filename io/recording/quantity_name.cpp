#include "io/recording/quantity_name.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <charconv>
#include <optional>
#include <utility>
#include <vector>

#include "io/recording/errors.h"
#include "io/recording/named_values.h"

namespace mog {
namespace {

constexpr std::array kQuantities = {
    std::pair{Quantity::embedding, std::string_view("embedding")},
    std::pair{Quantity::input, std::string_view("input")},
    std::pair{Quantity::previous, std::string_view("previous")},
    std::pair{Quantity::incremental, std::string_view("incremental")},
    std::pair{Quantity::attention, std::string_view("attention")},
    std::pair{Quantity::context, std::string_view("context")},
    std::pair{Quantity::output, std::string_view("output")},
    std::pair{Quantity::gate, std::string_view("gate")},
    std::pair{Quantity::self_gate, std::string_view("self_gate")},
    std::pair{Quantity::reset, std::string_view("reset")},
    std::pair{Quantity::input_gate, std::string_view("input_gate")},
    std::pair{Quantity::forget_gate, std::string_view("forget_gate")},
    std::pair{Quantity::output_gate, std::string_view("output_gate")},
    std::pair{Quantity::candidate, std::string_view("candidate")},
    std::pair{Quantity::cell, std::string_view("cell")},
    std::pair{Quantity::carry, std::string_view("carry")},
    std::pair{Quantity::fused, std::string_view("fused")},
    std::pair{Quantity::attended, std::string_view("attended")},
    std::pair{Quantity::routing, std::string_view("routing")},
    std::pair{Quantity::capsules, std::string_view("capsules")},
    std::pair{Quantity::pooling, std::string_view("pooling")},
    std::pair{Quantity::global_gate, std::string_view("global_gate")},
    std::pair{Quantity::feed_forward, std::string_view("feed_forward")},
    std::pair{Quantity::norm_scale, std::string_view("norm_scale")},
    std::pair{Quantity::split, std::string_view("split")},
    std::pair{Quantity::carried, std::string_view("carried")},
    std::pair{Quantity::logit_terms, std::string_view("logit_terms")},
    std::pair{Quantity::separate_terms, std::string_view("separate_terms")},
    std::pair{Quantity::aumann_shapley, std::string_view("aumann_shapley")},
    std::pair{Quantity::value_parts, std::string_view("value_parts")},
    std::pair{Quantity::pseudo_gate, std::string_view("pseudo_gate")},
    std::pair{Quantity::propagation, std::string_view("propagation")},
    std::pair{Quantity::kobayashi, std::string_view("kobayashi")},
    std::pair{Quantity::mixing_ratio, std::string_view("mixing_ratio")},
    std::pair{Quantity::globenc, std::string_view("globenc")},
    std::pair{Quantity::alti, std::string_view("alti")},
    std::pair{Quantity::rollout, std::string_view("rollout")},
    std::pair{Quantity::flow, std::string_view("flow")},
    std::pair{Quantity::contribution, std::string_view("contribution")},
    std::pair{Quantity::memory_contribution, std::string_view("memory_contribution")},
    std::pair{Quantity::memory_alti, std::string_view("memory_alti")},
    std::pair{Quantity::logits, std::string_view("logits")},
    std::pair{Quantity::pair_scores, std::string_view("pair_scores")},
    std::pair{Quantity::next_token, std::string_view("next_token")},
    std::pair{Quantity::graph, std::string_view("graph")},
    std::pair{Quantity::graph_terms, std::string_view("graph_terms")},
    std::pair{Quantity::order, std::string_view("order")}};

constexpr std::array kReductions = {
    std::pair{Reduction::row_entropy, std::string_view("row_entropy")},
    std::pair{Reduction::row_max, std::string_view("row_max")},
    std::pair{Reduction::sink, std::string_view("sink")},
    std::pair{Reduction::distance, std::string_view("distance")},
    std::pair{Reduction::mean_heads, std::string_view("mean_heads")},
    std::pair{Reduction::mean, std::string_view("mean")},
    std::pair{Reduction::norm, std::string_view("norm")},
    std::pair{Reduction::share, std::string_view("share")},
    std::pair{Reduction::cosine, std::string_view("cosine")},
    std::pair{Reduction::gain, std::string_view("gain")},
    std::pair{Reduction::covariance, std::string_view("covariance")},
    std::pair{Reduction::covariance_heads, std::string_view("covariance_heads")},
    std::pair{Reduction::covariance_sums, std::string_view("covariance_sums")},
    std::pair{Reduction::leave_out, std::string_view("leave_out")},
    std::pair{Reduction::absolute_share, std::string_view("absolute_share")},
    std::pair{Reduction::nodes, std::string_view("nodes")},
    std::pair{Reduction::residual, std::string_view("residual")},
    std::pair{Reduction::projection, std::string_view("projection")},
    std::pair{Reduction::proximity, std::string_view("proximity")},
    std::pair{Reduction::fine, std::string_view("fine")},
    std::pair{Reduction::product, std::string_view("product")},
    std::pair{Reduction::raw_product, std::string_view("raw_product")},
    std::pair{Reduction::raw, std::string_view("raw")},
    std::pair{Reduction::tree_order, std::string_view("tree_order")},
    std::pair{Reduction::tree_order_mean, std::string_view("tree_order_mean")},
    std::pair{Reduction::tree_order_bins, std::string_view("tree_order_bins")},
    std::pair{Reduction::walk_order, std::string_view("walk_order")},
    std::pair{Reduction::logit, std::string_view("logit")},
    std::pair{Reduction::surprisal, std::string_view("surprisal")},
    std::pair{Reduction::rank, std::string_view("rank")},
    std::pair{Reduction::entropy, std::string_view("entropy")},
    std::pair{Reduction::best, std::string_view("best")},
    std::pair{Reduction::best_probability, std::string_view("best_probability")},
    std::pair{Reduction::top, std::string_view("top")},
    std::pair{Reduction::top_key, std::string_view("top_key")},
    std::pair{Reduction::rest, std::string_view("rest")}};

[[noreturn]] void refuse(std::string_view text, std::string_view piece, const std::string& allowed) {
  throw UsageError(
      fmt::format("\"{}\" is no quantity name: found \"{}\", expected {}; "
                  "an example is encoder.3.middle1.attention (docs/quantity-names.md)",
                  text, piece, allowed));
}

std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> pieces;
  while (true) {
    const auto dot = text.find('.');
    pieces.push_back(text.substr(0, dot));
    if (dot == std::string_view::npos) {
      return pieces;
    }
    text.remove_prefix(dot + 1);
  }
}

}  // namespace

QuantityName::QuantityName(Stack stack, std::int64_t layer, Part part, Quantity quantity, Reduction reduction,
                           std::string task)
    : stack_(stack),
      layer_(layer),
      part_(part),
      quantity_(quantity),
      reduction_(reduction),
      task_(std::move(task)) {}

QuantityName QuantityName::parse(std::string_view text) {
  const auto pieces = split(text);
  std::size_t at = 0;
  const auto piece = [&] { return at < pieces.size() ? pieces[at] : std::string_view(); };
  QuantityName result;
  const auto stack = Stack::find(piece());
  if (!stack) {
    refuse(text, piece(), fmt::format("{}", fmt::join(Stack::names(), ", ")));
  }
  result.stack_ = *stack;
  ++at;
  if (result.stack_ == Stack::heads) {
    if (piece().empty()) {
      refuse(text, piece(), "the name of a task");
    }
    result.task_ = std::string(piece());
    ++at;
  } else if (!piece().empty() && piece().front() >= '0' && piece().front() <= '9') {
    const auto digits = piece();
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), result.layer_);
    if (error != std::errc() || end != digits.data() + digits.size() || result.layer_ < 1 ||
        digits[0] == '0') {
      refuse(text, digits, "a layer number from 1");
    }
    ++at;
  }
  // A part is followed by its quantity, so "encoder.3.full.output" has one and "encoder.3.output" has none.
  if (at + 1 < pieces.size()) {
    if (const auto part = Part::find(piece())) {
      result.part_ = *part;
      ++at;
    }
  }
  const auto quantity = find_in(kQuantities, piece());
  if (!quantity) {
    refuse(text, piece(),
           (result.part_ == Part::none ? fmt::format("{}, ", fmt::join(Part::names(), ", ")) : "") +
               fmt::format("{}", fmt::join(names_in(kQuantities), ", ")));
  }
  result.quantity_ = *quantity;
  ++at;
  if (at < pieces.size()) {
    const auto reduction = find_in(kReductions, piece());
    if (!reduction) {
      refuse(text, piece(), fmt::format("{}", fmt::join(names_in(kReductions), ", ")));
    }
    result.reduction_ = *reduction;
    ++at;
  }
  if (at < pieces.size()) {
    refuse(text, piece(), "the end of the name");
  }
  return result;
}

QuantityName QuantityName::tag_scores(std::string task) {
  return {Stack::heads, 0, Part::none, Quantity::logits, Reduction::full, std::move(task)};
}

QuantityName QuantityName::pair_scores(std::string head) {
  return {Stack::heads, 0, Part::none, Quantity::pair_scores, Reduction::full, std::move(head)};
}

std::string QuantityName::text() const {
  std::string result(name(stack_));
  if (!task_.empty()) {
    result += "." + task_;
  }
  if (layer_ > 0) {
    result += fmt::format(".{}", layer_);
  }
  if (part_ != Part::none) {
    result += fmt::format(".{}", name(part_));
  }
  result += fmt::format(".{}", name(quantity_));
  if (reduction_ != Reduction::full) {
    result += fmt::format(".{}", name(reduction_));
  }
  return result;
}

QuantityName QuantityName::with(Reduction reduction) const {
  QuantityName result = *this;
  result.reduction_ = reduction;
  return result;
}

QuantityName QuantityName::with(Part part) const {
  QuantityName result = *this;
  result.part_ = part;
  return result;
}

std::string_view name(Quantity quantity) noexcept {
  return name_in(kQuantities, quantity);
}
std::string_view name(Reduction reduction) noexcept {
  return name_in(kReductions, reduction);
}

bool is_quantity_word(std::string_view text) noexcept {
  return find_in(kQuantities, text) || find_in(kReductions, text);
}

}  // namespace mog
