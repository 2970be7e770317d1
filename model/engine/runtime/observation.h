// From what a forward pass shows to what observers get: reductions in float32 on the device, the cast last,
// then one copy to the host, which a card makes while it computes the next layer (host_copies.h).
#pragma once

#include <ATen/ATen.h>

#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "model/engine/cuda/attention_kernels.h"
#include "model/engine/cuda/map_kernels.h"
#include "model/engine/modules/taps.h"
#include "model/engine/runtime/host_copies.h"
#include "model/observer.h"

namespace mog::engine {

class Observation final : public Taps {
 public:
  // Asks every observer for every quantity of `schemas`. `kernels` work on the memory of the device;
  // attention: nullptr where there are none, or maps are as fast. `decompositions` are asked for only where
  // an observer wants decompositions.
  Observation(std::span<const QuantitySchema> schemas, std::span<const QuantitySchema> decompositions,
              std::span<model::Observer* const> observers, const MapKernels& kernels,
              const AttentionKernels& attention);

  // The offsets of source and target rows; called before the pass.
  void begin(const PackedInput& input);
  bool empty() const noexcept { return wants_.empty(); }
  bool wants_stack(Stack stack) const;
  bool wants_decompositions() const noexcept { return decompositions_; }
  // This very quantity with its reduction.
  bool wants_exactly(const QuantityName& name) const;
  // Any part and reduction of it, of any layer or of one.
  bool wants_quantity(Quantity quantity) const;
  bool wants_quantity(Quantity quantity, std::int64_t layer) const;
  // … of any layer of one stack.
  bool wants_quantity(Stack stack, Quantity quantity) const;
  // A quantity that is wanted exactly, flat as observers get it. offsets: [sentence + 1], in elements.
  void packed(const QuantityName& name, const at::Tensor& values, std::vector<std::int64_t> offsets);

  bool wants(const QuantityName& name) const override;
  void rows(const QuantityName& name, const at::Tensor& values) override;
  void sentences(const QuantityName& name, const at::Tensor& values) override;
  bool wants_contributions(Stack stack, std::int64_t layer) const override;
  void contribution(const QuantityName& part_output, const at::Tensor& entering) override;
  void maps(const QuantityName& name, const AttentionPlan& plan, const AttentionGroup& group,
            const at::Tensor& maps) override;
  at::Tensor attend(const QuantityName& name, const AttentionPlan& plan,
                    const PackedAttention& attention) override;
  void flush() override;
  // After the pass: waits for what is on its way to the host, and hands it over.
  void finish();

 private:
  // One form in which a quantity is kept, and who gets it.
  struct Want {
    Reduction reduction = Reduction::full;
    DType dtype = DType::float32;
    std::vector<model::Observer*> observers;
  };
  // A packed output of maps that fills up group by group.
  struct Filling {
    at::Tensor values;
    std::vector<std::int64_t> offsets;
  };

  void ask(const QuantitySchema& schema, model::Observer* observer);
  const std::vector<Want>* find(const QuantityName& name) const;
  static std::vector<Filling> start_maps(const std::vector<Want>& wants, const AttentionPlan& plan,
                                         const at::Tensor& maps);
  void fill(const Want& want, Filling& filling, const AttentionPlan& plan, const AttentionGroup& group,
            const at::Tensor& maps) const;
  static void fill_exactly(const Filling& filling, const AttentionPlan& plan, const AttentionGroup& group,
                           const at::Tensor& maps);
  void send(const QuantityName& name, const Want& want, const at::Tensor& values,
            std::vector<std::int64_t> offsets);
  const std::vector<std::int64_t>& row_offsets(Stack stack) const;

  const MapKernels& kernels_;
  const AttentionKernels& attention_;
  bool decompositions_ = false;
  std::map<QuantityName, std::vector<Want>> wants_;  // by full name
  std::vector<std::int64_t> source_offsets_;
  std::vector<std::int64_t> target_offsets_;
  // Of the maps in progress, one a want: several quantities may come group by group in turn.
  std::map<QuantityName, std::vector<Filling>> fillings_;
  std::vector<std::pair<QuantityName, at::Tensor>> norms_;  // of the layer in progress
  HostCopies copies_;
};

}  // namespace mog::engine
