#include "app/workflow/effects/faithfulness_eraser.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "io/recording/errors.h"
#include "model/packed_batch.h"

namespace mog::app {
namespace {

std::int64_t count_of(const ErasedTokens& erased) {
  return std::count(erased.begin(), erased.end(), true);
}

// Keeps what the target reads of every sentence of a batch, in float64: with --precision float64 the effects
// are too.
class ReadObserver final : public model::Observer {
 public:
  ReadObserver(const Readout& readout, QuantityName quantity, std::span<const ErasedTokens> sets,
               std::span<const std::vector<std::int64_t>> tokens, const std::stop_token& stop)
      : readout_(readout), quantity_(std::move(quantity)), sets_(sets), tokens_(tokens), stop_(stop) {}
  std::optional<DType> wants(const QuantityName& name) const override {
    return name == quantity_ ? std::optional(DType::float64) : std::nullopt;
  }
  bool observe(const QuantityName& /*name*/, const model::PackedValues& values) override {
    const HostTensor wide = values.values.to(DType::float64);
    const std::span<const double> flat = wide.values<double>();
    for (std::size_t set = 0; set < sets_.size(); ++set) {
      const auto first = static_cast<std::size_t>(values.offsets[set]);
      const auto last = static_cast<std::size_t>(values.offsets[set + 1]);
      found_.push_back(readout_.read(flat.subspan(first, last - first), tokens_[set], sets_[set]));
    }
    return !stop_.stop_requested();
  }
  std::vector<std::vector<double>> take() { return std::move(found_); }

 private:
  const Readout& readout_;
  QuantityName quantity_;
  std::span<const ErasedTokens> sets_;
  std::span<const std::vector<std::int64_t>> tokens_;
  const std::stop_token& stop_;
  std::vector<std::vector<double>> found_;
};

// Arcs between the tokens that are left, by their new places. tokens: [place] ascending.
GraphArcs left_of(const GraphArcs& graph, std::span<const std::int64_t> tokens) {
  const auto place = [&](std::int64_t token) {
    const auto found = std::lower_bound(tokens.begin(), tokens.end(), token);
    return found == tokens.end() || *found != token ? -1 : static_cast<std::int64_t>(found - tokens.begin());
  };
  GraphArcs left;
  for (const model::GraphArc& arc : graph) {
    const model::GraphArc moved{place(arc.query), place(arc.key), arc.relation};
    if (moved.query >= 0 && moved.key >= 0) {
      left.push_back(moved);
    }
  }
  return left;
}

}  // namespace

std::int64_t replacement_id(const LoadedModel& loaded, Erasure erasure) {
  const model::ModelConfig& config = loaded.model->config();
  const auto inside = [&](std::int64_t id) {
    if (id < 0 || id >= config.vocab_size) {
      throw UsageError(fmt::format("--erase {}: the model has no such token", name(erasure)));
    }
    return id;
  };
  switch (erasure) {
    case Erasure::pad:
      return inside(config.pad_id);
    case Erasure::unknown:
      return inside(config.unk_id);
    case Erasure::mask_token:
      for (const char* const text : {"[MASK]", "<mask>"}) {
        if (const auto id = loaded.tokenizer->vocabulary().find(text)) {
          return *id;
        }
      }
      throw UsageError(
          "--erase mask-token: the vocabulary has neither [MASK] nor <mask>; mask, remove, zero, pad and unk "
          "need "
          "none");
    default:
      return 0;
  }
}

const std::vector<double>& Eraser::before() {
  const ErasedTokens none(sentence_.tokens.size(), false);
  if (!read_.contains(none)) {
    run(std::span(&none, 1));
  }
  return read_.at(none);
}

std::vector<double> Eraser::effects(std::span<const std::vector<bool>> sets) {
  std::vector<ErasedTokens> wanted;
  std::vector<ErasedTokens> missing;
  for (const std::vector<bool>& set : sets) {
    wanted.push_back(analysis::erased_tokens(readout_.units(), set, sentence_.tokens.size()));
    if (!read_.contains(wanted.back())) {
      missing.push_back(wanted.back());
    }
  }
  std::sort(missing.begin(), missing.end(), [](const ErasedTokens& left, const ErasedTokens& right) {
    const std::int64_t first = count_of(left);
    const std::int64_t second = count_of(right);
    return first != second ? first < second : left < right;
  });
  missing.erase(std::unique(missing.begin(), missing.end()), missing.end());
  const auto length = static_cast<std::int64_t>(sentence_.tokens.size());
  const auto step = static_cast<std::size_t>(std::max<std::int64_t>(1, options_.batch_tokens / length));
  for (std::size_t first = 0; first < missing.size(); first += step) {
    run(std::span(missing).subspan(first, std::min(step, missing.size() - first)));
  }
  std::vector<double> effects;
  effects.reserve(wanted.size());
  for (const ErasedTokens& set : wanted) {
    effects.push_back(readout_.effect(before(), read_.at(set)));
  }
  return effects;
}

void Eraser::run(std::span<const ErasedTokens> sets) {
  if (stop_.stop_requested()) {
    throw Interrupted(
        "measuring faithfulness was stopped before all sentences were done; nothing was written");
  }
  model::PackedBatch batch;
  std::vector<model::Intervention> interventions;
  std::vector<std::vector<std::int64_t>> tokens(sets.size());
  for (std::size_t set = 0; set < sets.size(); ++set) {
    std::vector<std::int64_t> ids;
    for (std::size_t token = 0; token < sentence_.tokens.size(); ++token) {
      const bool erased = sets[set][token];
      if (erased && options_.erasure == Erasure::remove) {
        continue;
      }
      const auto place = static_cast<std::int64_t>(ids.size());
      const auto sentence = static_cast<std::int64_t>(set);
      ids.push_back(sentence_.tokens[token].id);
      tokens[set].push_back(static_cast<std::int64_t>(token));
      if (!erased) {
        continue;
      }
      if (options_.erasure == Erasure::mask) {
        interventions.emplace_back(model::MaskToken{sentence, place});
      } else if (options_.erasure == Erasure::zero) {
        interventions.emplace_back(model::ZeroEmbedding{sentence, place});
      } else {
        ids.back() = id_;
      }
    }
    batch.append(ids, left_of(graph_, tokens[set]));
  }
  ReadObserver observer(readout_, read_quantity(options_.target, model_), sets, tokens, stop_);
  const std::array<model::Observer*, 1> observers = {&observer};
  model_.run(batch, interventions, observers);
  std::vector<std::vector<double>> found = observer.take();
  for (std::size_t set = 0; set < sets.size(); ++set) {
    read_.emplace(sets[set], std::move(found[set]));
  }
}

}  // namespace mog::app
