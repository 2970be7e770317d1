#include "app/workflow/effects/ablate_block.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <utility>

#include "analysis/effects/output_change.h"
#include "app/workflow/common/best_tags.h"
#include "app/workflow/effects/ablate_trees.h"
#include "app/workflow/graphs/score_observer.h"
#include "io/recording/errors.h"
#include "model/packed_batch.h"

namespace mog::app {
namespace {

class BlockObserver final : public model::Observer {
 public:
  // output: the stack whose output is kept.
  BlockObserver(Stack stack, Stack output, std::span<const Sentence> sentences,
                const model::ModelConfig& config, bool before, std::stop_token stop, BlockStates& into)
      : stack_(stack),
        output_(output),
        sentences_(sentences),
        config_(config),
        trees_(!tree_tasks(config).empty()),
        before_(before),
        stop_(std::move(stop)),
        into_(into) {
    into_.states.resize(sentences.size());
    into_.tags.resize(sentences.size());
    into_.scores.resize(sentences.size());
    into_.gates.resize(sentences.size());
    into_.shares.resize(sentences.size());
    if (config_.language_model && output_ == stack_) {
      into_.surprisals.resize(sentences.size(), std::numeric_limits<double>::quiet_NaN());
    }
  }
  void start(const std::vector<std::int64_t>& batch) { batch_ = &batch; }

  std::optional<DType> wants(const QuantityName& name) const override {
    const bool state = is_state(name);
    const bool tags =
        name.of_task() && name.quantity() == Quantity::logits && name.reduction() == Reduction::full;
    const bool said = before_ && (is_gate(name) || is_share(name));
    const bool foreseen = !into_.surprisals.empty() && is_surprisal(name);
    return state || tags || said || foreseen || (trees_ && is_pairs(name)) ? std::optional(DType::float32)
                                                                           : std::nullopt;
  }

  bool observe(const QuantityName& name, const model::PackedValues& values) override {
    if (is_pairs(name)) {
      return scores_.observe(name, values) && !stop_.stop_requested();
    }
    const std::span<const float> flat = values.values.values<float>();
    for (std::size_t at = 0; at < batch_->size(); ++at) {
      const auto index = static_cast<std::size_t>((*batch_)[at]);
      const auto begin = static_cast<std::size_t>(values.offsets[at]);
      const std::span<const float> own =
          flat.subspan(begin, static_cast<std::size_t>(values.offsets[at + 1]) - begin);
      if (is_surprisal(name)) {
        into_.surprisals[index] = mean_of_finite(own);
      } else if (is_state(name)) {
        into_.states[index].assign(own.begin(), own.end());
      } else if (is_gate(name)) {
        into_.gates[index][name.layer()] = analysis::mean_over_words(sentences_[index], own);
      } else if (is_share(name)) {
        into_.shares[index][{name.layer(), name.part()}] = analysis::mean_over_words(sentences_[index], own);
      } else {
        into_.tags[index].tags[name.task()] =
            best_tags(sentences_[index], own, config_.tasks.at(name.task()));
        into_.scores[index][name.task()].assign(own.begin(), own.end());
      }
    }
    return !stop_.stop_requested();
  }
  // After a batch: the trees of its sentences.
  void finish() {
    if (!trees_) {
      return;
    }
    for (std::size_t at = 0; at < batch_->size(); ++at) {
      const auto index = static_cast<std::size_t>((*batch_)[at]);
      add_tree(*config_.graph, sentences_[index], scores_.pairs("arcs", at), scores_.pairs("labels", at),
               into_.tags[index], into_.scores[index]);
    }
    scores_ = {};
  }

 private:
  static bool is_pairs(const QuantityName& name) {
    return name.quantity() == Quantity::pair_scores && name.reduction() == Reduction::full;
  }
  bool is_state(const QuantityName& name) const {
    return name.stack() == output_ && name.layer() == 0 && name.quantity() == Quantity::output;
  }
  bool is_surprisal(const QuantityName& name) const {
    return name.stack() == stack_ && name.layer() == 0 && name.quantity() == Quantity::next_token &&
           name.reduction() == Reduction::surprisal;
  }
  static double mean_of_finite(std::span<const float> values) {
    double sum = 0;
    std::int64_t count = 0;
    for (const float value : values) {
      if (std::isfinite(value)) {
        sum += static_cast<double>(value);
        ++count;
      }
    }
    return sum / static_cast<double>(count);  // none: NaN
  }
  bool is_gate(const QuantityName& name) const {
    return name.stack() == stack_ && name.part() == Part::none && name.quantity() == Quantity::gate &&
           name.reduction() == Reduction::mean;
  }
  bool is_share(const QuantityName& name) const {
    return name.stack() == stack_ && name.quantity() == Quantity::output &&
           name.reduction() == Reduction::share;
  }

  Stack stack_;
  Stack output_;
  std::span<const Sentence> sentences_;
  const model::ModelConfig& config_;
  bool trees_;
  bool before_;
  std::stop_token stop_;
  BlockStates& into_;
  const std::vector<std::int64_t>* batch_ = nullptr;
  ScoreObserver scores_;  // of pairs
};

Stack stack_of_targets(const SystemDescription& system) {
  const auto found =
      std::find_if(system.stacks.begin(), system.stacks.end(),
                   [](const StackDescription& stack) { return stack.input == StackInput::target; });
  return found == system.stacks.end() ? system.main().stack : found->stack;
}

}  // namespace

model::PackedBatch batch_of(std::span<const Sentence> sentences,
                            std::span<const std::vector<model::GraphArc>> graphs,
                            std::span<const std::int64_t> places) {
  model::PackedBatch batch;
  for (const std::int64_t index : places) {
    const auto at = static_cast<std::size_t>(index);
    const std::int64_t first = batch.tokens();
    batch.append(sentences[at]);
    for (const model::GraphArc& arc : graphs[at]) {
      batch.arcs.push_back({first + arc.query, first + arc.key, arc.relation});
    }
  }
  return batch;
}

BlockStates run_block(const model::Model& model, std::span<const Sentence> sentences,
                      std::span<const std::vector<model::GraphArc>> graphs,
                      std::span<const model::Intervention> interventions, bool before,
                      std::int64_t batch_tokens, const std::stop_token& stop) {
  BlockStates result;
  const SystemDescription system = model.system();
  const bool translated = !sentences.empty() && !sentences.front().target_tokens.empty();
  BlockObserver observer(system.main().stack, translated ? stack_of_targets(system) : system.main().stack,
                         sentences, model.config(), before, stop, result);
  model::Observer* const observers[] = {&observer};
  std::vector<std::int64_t> lengths;
  for (const Sentence& sentence : sentences) {
    lengths.push_back(static_cast<std::int64_t>(sentence.tokens.size()));
  }
  for (const std::vector<std::int64_t>& chosen : model::pack_by_length(lengths, batch_tokens)) {
    if (stop.stop_requested()) {
      throw Interrupted("ablating was stopped before all parts were cut; nothing was written");
    }
    const model::PackedBatch batch = batch_of(sentences, graphs, chosen);
    observer.start(chosen);
    model.run(batch, interventions, observers);
    observer.finish();
  }
  return result;
}

}  // namespace mog::app
