// The list of a decoder's exact decompositions by source token and decoder input (docs/quantity-names.md,
// Source and target).
#include <algorithm>
#include <string>
#include <utility>

#include "model/model.h"

namespace mog::model {
namespace {

constexpr std::int64_t kSides = 3;      // source, prefix, bias
constexpr std::int64_t kNearSides = 2;  // source, prefix

class List {
 public:
  explicit List(std::int64_t d_model) : d_model_(d_model) {}

  // of: "source token" or "position of the encoder's output".
  void contributions(Quantity quantity, std::int64_t layers, const std::string& of) {
    const std::string what = " by " + of + ", decoder input and, last, the bias";
    for (std::int64_t layer = 0; layer <= layers; ++layer) {
      const std::string whose = layer == 0 ? "the decoder's last state" : "x' of the decoder layer";
      add(layer, quantity, Reduction::full, {Axis::target_token, Axis::context_bias, Axis::d_model},
          {0, 0, d_model_}, "1", std::string(whose).append(what).append("; they sum to it"));
      add(layer, quantity, Reduction::norm, {Axis::target_token, Axis::context_bias}, {0, 0}, "1",
          std::string("norms of ").append(whose).append(what));
    }
    add(0, quantity, Reduction::projection, {Axis::target_token, Axis::context_bias}, {0, 0}, "1",
        "projection shares of the decoder's last state" + what + "; each row sums to 1");
    add(0, quantity, Reduction::logit, {Axis::target_token, Axis::context_bias}, {0, 0}, "1",
        "logit of the token that follows" + what + "; each row sums to it");
    add(0, quantity, Reduction::share, {Axis::target_token, Axis::context_side}, {0, kSides}, "1",
        "projection shares of the source, of the decoder's inputs and of the bias; each row sums to 1");
  }
  void alti(Quantity quantity, std::int64_t layers, const std::string& of) {
    for (std::int64_t layer = 1; layer <= layers; ++layer) {
      if (quantity == Quantity::memory_alti) {
        add(layer, quantity, Reduction::full, {Axis::target_token, Axis::context}, {0, 0}, "probability",
            "proximity of what the decoder layer takes by " + of +
                " and target token to what it makes of them (ALTI+); each row sums to 1");
      }
      add(layer, quantity, Reduction::product, {Axis::target_token, Axis::context}, {0, 0}, "probability",
          "ALTI+ by " + of + " and decoder input, rolled out to this layer; each row sums to 1");
    }
    add(0, quantity, Reduction::share, {Axis::target_token, Axis::context_side}, {0, kNearSides}, "1",
        "ALTI+ of the source and of the decoder's inputs by " + of + ", all layers; each row sums to 1");
  }
  std::vector<QuantitySchema> take() {
    std::sort(schemas_.begin(), schemas_.end(),
              [](const QuantitySchema& left, const QuantitySchema& right) { return left.name < right.name; });
    return std::move(schemas_);
  }

 private:
  void add(std::int64_t layer, Quantity quantity, Reduction reduction, std::vector<Axis> axes,
           std::vector<std::int64_t> extents, const char* units, std::string description) {
    schemas_.push_back({{Stack::decoder, layer, Part::none, quantity, reduction},
                        std::move(axes),
                        std::move(extents),
                        DType::float32,
                        units,
                        std::move(description)});
  }

  std::int64_t d_model_;
  std::vector<QuantitySchema> schemas_;
};

}  // namespace

std::vector<QuantitySchema> decoder_decompositions(const ModelConfig& config) {
  // What a global representation adds to the last states is no sum over source tokens.
  if (!config.decoder || config.gret) {
    return {};
  }
  const std::int64_t layers = config.decoder->layers;
  List list(config.decoder->d_model);
  const std::string position = "position of the encoder's output";
  if (why_no_decompositions(config).empty()) {
    list.contributions(Quantity::contribution, layers, "source token");
    list.alti(Quantity::alti, layers, "source token");
  }
  list.contributions(Quantity::memory_contribution, layers, position);
  list.alti(Quantity::memory_alti, layers, position);
  return list.take();
}

}  // namespace mog::model
