// Interventions, checked against a model and a batch, in the form that the modules ask for.
#pragma once

#include <ATen/ATen.h>

#include <map>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "model/config/config.h"
#include "model/intervention.h"
#include "model/packed_batch.h"

namespace mog::engine {

class AppliedInterventions {
 public:
  AppliedInterventions() = default;
  // Throws UsageError naming the intervention (by its place in the list) and what the model has.
  AppliedInterventions(const model::ModelConfig& config, const model::PackedBatch& batch,
                       std::span<const model::Intervention> interventions);

  bool empty() const noexcept { return empty_; }
  std::span<const model::MaskToken> masked() const noexcept { return masked_; }
  // The batch with replaced tokens.
  model::PackedBatch apply(const model::PackedBatch& batch) const;
  // Rows of the packed batch whose word embedding is taken as zeros.
  const std::vector<std::int64_t>& zero_rows() const noexcept { return zero_rows_; }
  // Terms that are cut of the scores of a layer, or nullptr; the last layer that cuts some, 0: none does.
  const std::set<model::LogitTerm>* cut_terms(std::int64_t layer) const;
  std::int64_t last_cut_layer() const { return terms_.empty() ? 0 : terms_.rbegin()->first; }
  bool scales_parts(std::int64_t layer) const;
  double part_factor(std::int64_t layer, Part part) const;  // 1 where nothing is said
  double layer_factor(std::int64_t layer) const;
  // What is given, scaled, where something is said of it: a part's output, what the attention block and what
  // the feed-forward block adds, [token, d_model].
  at::Tensor scale_part(std::int64_t layer, Part part, const at::Tensor& output) const;
  at::Tensor scale_layer(std::int64_t layer, const at::Tensor& added) const;
  at::Tensor scale_feed_forward(std::int64_t layer, const at::Tensor& added) const;
  // Context [token, attention_dim] with its heads scaled.
  at::Tensor scale_heads(std::int64_t layer, Part part, std::int64_t heads, const at::Tensor& context) const;
  // Which heads keep a term of a layer that reads a graph: 1 or 0, [head]; undefined: all.
  at::Tensor heads_with(std::int64_t layer, model::GraphTerm term, std::int64_t heads,
                        const at::TensorOptions& options) const;
  // u [sentence, capsule, d_model] of a layer's capsules.
  at::Tensor scale_capsules(std::int64_t layer, const at::Tensor& capsules) const;
  double global_factor() const noexcept { return global_; }
  bool sets_gate(std::int64_t layer) const { return gates_.contains(layer); }
  // w [token, d_model] with the rows that were set.
  at::Tensor set_gate(std::int64_t layer, const at::Tensor& gate) const;

 private:
  struct GateRows {
    std::int64_t begin = 0;  // rows of the packed batch
    std::int64_t end = 0;
    double value = 0.5;
  };
  struct Scaling {
    double factor = 1.0;
    std::vector<float> toward;  // empty: zeros
    at::Tensor of(const at::Tensor& values) const;
  };
  static GateRows gate_rows(const model::PackedBatch& batch, const model::SetGate& gate);

  bool empty_ = true;
  std::vector<model::MaskToken> masked_;
  std::vector<model::ReplaceToken> replaced_;
  std::map<std::pair<std::int64_t, Part>, std::map<std::int64_t, Scaling>> heads_;  // by head
  std::map<std::pair<std::int64_t, Part>, Scaling> parts_;
  std::map<std::int64_t, Scaling> layers_;
  std::map<std::int64_t, Scaling> feed_forward_;
  std::map<std::int64_t, std::map<std::int64_t, double>> capsules_;  // layer → capsule → factor
  double global_ = 1.0;
  std::map<std::int64_t, std::vector<GateRows>> gates_;
  std::vector<std::int64_t> zero_rows_;
  std::map<std::int64_t, std::set<model::LogitTerm>> terms_;
  // (layer, term) → heads without it; 0: all
  std::map<std::pair<std::int64_t, model::GraphTerm>, std::set<std::int64_t>> graph_terms_;
};

}  // namespace mog::engine
