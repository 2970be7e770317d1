// The forward pass shows each quantity once; observers want some of them, reduced and in a type. All wishes
// are sorted by the full name first: what nobody wants is a look-up in a map and no work, and what several
// want in the same form is computed, cast and copied to the host once. On the CPU a pass that shows
// statistics or maps takes at most 1.08 of one that shows nothing (docs/benchmarks.md).
//
// Maps come in groups of sentences of similar length, with padding, and leave as packed blocks: a kernel
// writes each group's real part to its place in one buffer (MapKernels), which is sent when the last group
// is in. Statistics of rows are computed in float32 and rounded at the end. Half floats are rounded by
// HostTensor on the CPU, since ATen's conversion is several times slower.
//
// Where statistics of rows are all that is wanted of a quantity, there is no map: attention and statistics
// are one kernel (attention_by_rows.h). On a card with matrix units it writes maps, too, as they leave; on a
// processor the mean over heads of long texts.
//
// Traps: shares need the norms of all parts of a layer, so contributions wait for flush(). Groups of a
// quantity must come in the order of their sentences.
#include "model/engine/runtime/observation.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <numeric>

#include "io/recording/errors.h"
#include "model/engine/common/text.h"
#include "model/engine/runtime/attention_by_rows.h"
#include "model/engine/runtime/device.h"
#include "model/engine/runtime/row_details.h"
#include "model/model.h"

namespace mog::engine {
namespace {

at::ScalarType scalar_type(DType dtype) {
  return dtype == DType::float16 ? at::kHalf : (dtype == DType::float64 ? at::kDouble : at::kFloat);
}

std::vector<std::int64_t> scaled(const std::vector<std::int64_t>& offsets, std::int64_t factor) {
  std::vector<std::int64_t> result(offsets.size());
  std::transform(offsets.begin(), offsets.end(), result.begin(),
                 [&](std::int64_t offset) { return offset * factor; });
  return result;
}

// Rounds to float16 with the conversion of HostTensor on the CPU (ATen's is several times slower).
at::Tensor cast(const at::Tensor& values, DType dtype) {
  const at::ScalarType wanted = scalar_type(dtype);
  if (dtype != DType::float16 || !values.is_cpu() || values.scalar_type() != at::kFloat) {
    return values.to(wanted).contiguous();
  }
  const at::Tensor from = values.contiguous();
  at::Tensor to = at::empty(from.sizes(), from.options().dtype(at::kHalf));
  const auto size = static_cast<std::size_t>(from.numel());
  convert(std::span<const float>(from.const_data_ptr<float>(), size),
          std::span<Float16>(static_cast<Float16*>(to.data_ptr()), size));
  return to;
}

static_assert(kMostTop == model::kTopKeys);

bool per_row(Reduction reduction) {
  return reduction == Reduction::row_entropy || reduction == Reduction::row_max || is_row_detail(reduction);
}

// What is made of maps as they come; other reductions of a quantity come by themselves.
bool of_maps(Reduction reduction) {
  return reduction == Reduction::full || reduction == Reduction::mean_heads || per_row(reduction);
}

// What the kernels of rows give beside no map, and a card's only for some heads.
bool is_rare(Reduction reduction) {
  return is_row_detail(reduction) && reduction != Reduction::sink;
}

at::Tensor of_rows(const RowResults& results, Reduction reduction) {
  switch (reduction) {
    case Reduction::row_max:
      return results.greatest;
    case Reduction::sink:
      return results.sink;
    case Reduction::distance:
      return results.distances;
    case Reduction::top:
      return results.top_weights;
    case Reduction::top_key:
      return results.top_keys.to(at::kFloat);
    default:
      return results.entropy;
  }
}

}  // namespace

Observation::Observation(std::span<const QuantitySchema> schemas,
                         std::span<const QuantitySchema> decompositions,
                         std::span<model::Observer* const> observers, const MapKernels& kernels,
                         const AttentionKernels& attention)
    : kernels_(kernels), attention_(attention) {
  for (model::Observer* const observer : observers) {
    for (const QuantitySchema& schema : schemas) {
      ask(schema, observer);
    }
    if (!observer->wants_decompositions()) {
      continue;
    }
    const std::size_t before = wants_.size();
    for (const QuantitySchema& schema : decompositions) {
      ask(schema, observer);
    }
    decompositions_ = decompositions_ || wants_.size() > before;
  }
}

void Observation::ask(const QuantitySchema& schema, model::Observer* observer) {
  const std::optional<DType> wanted = observer->wants(schema.name);
  if (!wanted) {
    return;
  }
  if (*wanted != DType::float32 && *wanted != DType::float16 && *wanted != DType::float64) {
    throw UsageError(concat("capturing ", schema.name.text(), " as ", name(*wanted),
                            ": quantities are kept as float32, float16 or float64"));
  }
  std::vector<Want>& wants = wants_[schema.name.with(Reduction::full)];
  const auto same = std::find_if(wants.begin(), wants.end(), [&](const Want& want) {
    return want.reduction == schema.name.reduction() && want.dtype == *wanted;
  });
  if (same == wants.end()) {
    wants.push_back({schema.name.reduction(), *wanted, {observer}});
  } else {
    same->observers.push_back(observer);
  }
}

void Observation::begin(const PackedInput& input) {
  source_offsets_ = input.source.offsets;
  if (input.target) {
    target_offsets_ = input.target->offsets;
  }
}

bool Observation::wants_stack(Stack stack) const {
  return std::any_of(wants_.begin(), wants_.end(),
                     [&](const auto& entry) { return entry.first.stack() == stack; });
}

bool Observation::wants_exactly(const QuantityName& name) const {
  const std::vector<Want>* const wants = find(name.with(Reduction::full));
  return wants != nullptr && std::any_of(wants->begin(), wants->end(), [&](const Want& want) {
           return want.reduction == name.reduction();
         });
}

bool Observation::wants_quantity(Quantity quantity) const {
  return std::any_of(wants_.begin(), wants_.end(),
                     [&](const auto& entry) { return entry.first.quantity() == quantity; });
}

bool Observation::wants_quantity(Quantity quantity, std::int64_t layer) const {
  return std::any_of(wants_.begin(), wants_.end(), [&](const auto& entry) {
    return entry.first.quantity() == quantity && entry.first.layer() == layer;
  });
}

bool Observation::wants_quantity(Stack stack, Quantity quantity) const {
  return std::any_of(wants_.begin(), wants_.end(), [&](const auto& entry) {
    return entry.first.stack() == stack && entry.first.quantity() == quantity;
  });
}

void Observation::packed(const QuantityName& name, const at::Tensor& values,
                         std::vector<std::int64_t> offsets) {
  const std::vector<Want>* const wants = find(name.with(Reduction::full));
  for (std::size_t i = 0; wants != nullptr && i < wants->size(); ++i) {
    if ((*wants)[i].reduction == name.reduction()) {
      send(name, (*wants)[i], values, offsets);
    }
  }
}

const std::vector<Observation::Want>* Observation::find(const QuantityName& name) const {
  const auto found = wants_.find(name);
  return found == wants_.end() ? nullptr : &found->second;
}

bool Observation::wants(const QuantityName& name) const {
  if (name.quantity() == Quantity::next_token) {  // every reduction is shown by itself
    return wants_exactly(name);
  }
  if (name.reduction() == Reduction::norm) {  // of heads: they come as rows
    const std::vector<Want>* const norms = find(name.with(Reduction::full));
    return norms != nullptr && std::any_of(norms->begin(), norms->end(), [](const Want& want) {
             return want.reduction == Reduction::norm;
           });
  }
  const std::vector<Want>* const wants = find(name);
  return wants != nullptr && std::any_of(wants->begin(), wants->end(), [](const Want& want) {
           return want.reduction != Reduction::norm && want.reduction != Reduction::share;
         });
}

const std::vector<std::int64_t>& Observation::row_offsets(Stack stack) const {
  return stack == Stack::decoder ? target_offsets_ : source_offsets_;
}

void Observation::rows(const QuantityName& name, const at::Tensor& values) {
  const std::vector<std::int64_t>& offsets = row_offsets(name.stack());
  if (name.quantity() == Quantity::next_token) {
    packed(name, values, scaled(offsets, values.numel() / values.size(0)));
    return;
  }
  if (name.reduction() == Reduction::norm) {
    // [head, token] of the batch to one block [head, query] a sentence.
    std::vector<at::Tensor> blocks;
    for (std::size_t sentence = 0; sentence + 1 < offsets.size(); ++sentence) {
      const std::int64_t tokens = offsets[sentence + 1] - offsets[sentence];
      blocks.push_back(values.narrow(1, offsets[sentence], tokens).reshape({-1}));
    }
    const at::Tensor packed = at::cat(blocks);
    for (const Want& want : *find(name.with(Reduction::full))) {
      if (want.reduction == Reduction::norm) {
        send(name, want, packed, scaled(offsets, values.size(0)));
      }
    }
    return;
  }
  for (const Want& want : *find(name)) {
    if (want.reduction == Reduction::full) {
      send(name, want, values, scaled(offsets, values.numel() / values.size(0)));
    } else if (want.reduction == Reduction::mean) {
      send(name, want, values.to(at::kFloat).mean(-1), offsets);
    }
  }
}

void Observation::sentences(const QuantityName& name, const at::Tensor& values) {
  std::vector<std::int64_t> offsets(static_cast<std::size_t>(values.size(0)) + 1);
  std::iota(offsets.begin(), offsets.end(), 0);
  packed(name, values, scaled(offsets, values.numel() / values.size(0)));
}

bool Observation::wants_contributions(Stack stack, std::int64_t layer) const {
  return std::any_of(wants_.begin(), wants_.end(), [&](const auto& entry) {
    const auto& [name, wants] = entry;
    return name.stack() == stack && name.layer() == layer && name.part() != Part::none &&
           name.quantity() == Quantity::output &&
           std::any_of(wants.begin(), wants.end(), [](const Want& want) {
             return want.reduction == Reduction::norm || want.reduction == Reduction::share;
           });
  });
}

void Observation::contribution(const QuantityName& part_output, const at::Tensor& entering) {
  norms_.emplace_back(part_output, at::linalg_vector_norm(entering.to(at::kFloat), 2, -1));
}

void Observation::finish() {
  copies_.finish();
}

void Observation::flush() {
  copies_.deliver();
  if (norms_.empty()) {
    return;
  }
  at::Tensor total = at::zeros_like(norms_.front().second);
  for (const auto& entry : norms_) {
    total += entry.second;
  }
  // A token to which no part adds anything has shares 0.
  total.clamp_min_(std::numeric_limits<float>::min());
  const auto norms = std::exchange(norms_, {});
  for (const auto& [name, norm] : norms) {
    const std::vector<Want>* const wants = find(name);
    if (wants == nullptr) {
      continue;
    }
    for (const Want& want : *wants) {
      if (want.reduction == Reduction::norm) {
        send(name, want, norm, row_offsets(name.stack()));
      } else if (want.reduction == Reduction::share) {
        send(name, want, norm / total, row_offsets(name.stack()));
      }
    }
  }
}

std::vector<Observation::Filling> Observation::start_maps(const std::vector<Want>& wants,
                                                          const AttentionPlan& plan, const at::Tensor& maps) {
  std::vector<Filling> fillings(wants.size());
  for (std::size_t i = 0; i < wants.size(); ++i) {
    if (!of_maps(wants[i].reduction)) {
      continue;
    }
    Filling& filling = fillings[i];
    const std::int64_t heads = wants[i].reduction == Reduction::mean_heads ? 1 : maps.size(1);
    filling.offsets = scaled(per_row(wants[i].reduction) ? plan.query_offsets : plan.area_offsets,
                             heads * row_width(wants[i].reduction));
    // Statistics of rows are computed in float32 and cast at the end.
    const at::ScalarType type = per_row(wants[i].reduction) ? at::kFloat : scalar_type(wants[i].dtype);
    filling.values = at::empty({filling.offsets.back()}, maps.options().dtype(type));
  }
  return fillings;
}

// Without kernels, which know float32: for checks.
void Observation::fill_exactly(const Filling& filling, const AttentionPlan& plan, const AttentionGroup& group,
                               const at::Tensor& maps) {
  for (std::int64_t i = 0; i < group.sentences; ++i) {
    const auto sentence = static_cast<std::size_t>(group.first_sentence + i);
    const std::int64_t queries = plan.query_offsets[sentence + 1] - plan.query_offsets[sentence];
    const std::int64_t keys = plan.key_offsets[sentence + 1] - plan.key_offsets[sentence];
    const at::Tensor own = maps[i].narrow(1, 0, queries).narrow(2, 0, keys);
    filling.values.narrow(0, filling.offsets[sentence], own.numel()).view(own.sizes()).copy_(own);
  }
}

void Observation::fill(const Want& want, Filling& filling, const AttentionPlan& plan,
                       const AttentionGroup& group, const at::Tensor& maps) const {
  const at::Tensor shown = want.reduction == Reduction::mean_heads ? maps.mean(1, /*keepdim=*/true) : maps;
  if (want.dtype == DType::float64 && !per_row(want.reduction)) {
    fill_exactly(filling, plan, group, shown);
    return;
  }
  if (is_row_detail(want.reduction)) {
    const at::Tensor rows = row_detail(want.reduction, maps, plan, group);
    filling.values.narrow(0, filling.offsets[static_cast<std::size_t>(group.first_sentence)], rows.numel())
        .copy_(rows);
    return;
  }
  const at::Tensor source = shown.to(at::kFloat).contiguous();
  const MapBlock block{source.const_data_ptr<float>(),
                       plan.sentences.const_data_ptr<std::int64_t>() + kTableColumns * group.first_sentence,
                       group.sentences,
                       source.size(1),
                       group.queries,
                       group.keys};
  if (want.reduction == Reduction::row_entropy) {
    kernels_.row_entropy(block, filling.values.data_ptr<float>());
  } else if (want.reduction == Reduction::row_max) {
    kernels_.row_max(block, filling.values.data_ptr<float>());
  } else if (want.dtype == DType::float16) {
    kernels_.compact(block, static_cast<Float16*>(filling.values.data_ptr()));
  } else {
    kernels_.compact(block, filling.values.data_ptr<float>());
  }
}

void Observation::maps(const QuantityName& name, const AttentionPlan& plan, const AttentionGroup& group,
                       const at::Tensor& maps) {
  const std::vector<Want>& wants = *find(name);
  if (group.first_sentence == 0) {
    fillings_[name] = start_maps(wants, plan, maps);
  }
  std::vector<Filling>& fillings = fillings_.at(name);
  for (std::size_t i = 0; i < wants.size(); ++i) {
    if (of_maps(wants[i].reduction)) {
      fill(wants[i], fillings[i], plan, group, maps);
    }
  }
  if (group.first_sentence + group.sentences + 1 < static_cast<std::int64_t>(plan.query_offsets.size())) {
    return;
  }
  std::vector<Filling> filled = std::move(fillings);
  fillings_.erase(name);
  for (std::size_t i = 0; i < wants.size(); ++i) {
    if (of_maps(wants[i].reduction)) {
      send(name, wants[i], filled[i].values, std::move(filled[i].offsets));
    }
  }
}

at::Tensor Observation::attend(const QuantityName& name, const AttentionPlan& plan,
                               const PackedAttention& attention) {
  static const std::vector<Want> nothing;
  const std::vector<Want>* const found = find(name);
  const std::vector<Want>& wants = found == nullptr ? nothing : *found;
  const auto any = [&](const auto& matches) { return std::any_of(wants.begin(), wants.end(), matches); };
  const auto shown = [&](Reduction reduction) {
    return any([&](const Want& want) { return want.reduction == reduction; });
  };
  const bool rare = any([](const Want& want) { return is_rare(want.reduction); });
  const bool maps = attention_.give_maps() && !rare;
  const bool means = shown(Reduction::mean_heads);
  std::int64_t longest = 0;
  for (const AttentionGroup& group : plan.groups) {
    longest = std::max(longest, group.keys);
  }
  // By the maps of one head at a time: where those of all are large.
  constexpr std::int64_t kHeadByHeadFrom = 1024;
  const bool mean_map = attention_.give_means() || (attention_.give_maps() && longest >= kHeadByHeadFrom);
  const bool rows = std::all_of(wants.begin(), wants.end(), [&](const Want& want) {
    const bool given = per_row(want.reduction) || (maps && want.reduction == Reduction::full) ||
                       (mean_map && want.reduction == Reduction::mean_heads);
    return !of_maps(want.reduction) || (given && want.dtype != DType::float64);
  });
  // The kernels of a processor know float32: of a long text copies of its rows are small beside one map.
  if (rows && attention.query.is_cpu() && attention.query.scalar_type() == at::kBFloat16 &&
      attends_by_rows(attention.query.device(), longest, /*statistics=*/false)) {
    const at::Tensor query = attention.query.to(at::kFloat);
    const at::Tensor key = attention.key.to(at::kFloat);
    const at::Tensor value = attention.value.to(at::kFloat);
    const at::Tensor context = attend(name, plan,
                                      {query, key, value, attention.bias, attention.heads, attention.scale,
                                       attention.cap, attention.window});
    return context.defined() ? context.to(at::kBFloat16) : context;
  }
  if (!rows || !fits(attention_, attention, rare) ||
      !attends_by_rows(attention.query.device(), longest, !wants.empty() && !means)) {
    return {};
  }
  const std::vector<std::int64_t> offsets = scaled(plan.query_offsets, attention.heads);
  const auto statistics = [&](bool wanted, std::int64_t width, at::ScalarType type = at::kFloat) {
    return wanted ? at::empty({offsets.back() * width}, attention.query.options().dtype(type)) : at::Tensor();
  };
  const auto whole = [&](DType dtype) {
    const bool wanted =
        any([&](const Want& want) { return want.reduction == Reduction::full && want.dtype == dtype; });
    return wanted ? at::empty({plan.area_offsets.back() * attention.heads},
                              attention.query.options().dtype(scalar_type(dtype)))
                  : at::Tensor();
  };
  const bool top = shown(Reduction::top) || shown(Reduction::top_key);
  const RowResults results{
      .context = at::empty({attention.query.size(0), attention.query.size(1)}, attention.query.options()),
      .entropy = statistics(shown(Reduction::row_entropy), 1),
      .greatest = statistics(shown(Reduction::row_max), 1),
      .sink = statistics(shown(Reduction::sink), 1),
      .distances = statistics(shown(Reduction::distance), kMostBins),
      .top_weights = statistics(top, kMostTop),
      .top_keys = statistics(top, kMostTop, at::kInt),
      .maps16 = whole(DType::float16),
      .maps32 = whole(DType::float32),
      .means = means ? at::empty({plan.area_offsets.back()}, attention.query.options().dtype(at::kFloat))
                     : at::Tensor()};
  attend_rows(attention_, plan, attention, results);
  for (const Want& want : wants) {
    if (want.reduction == Reduction::full) {
      send(name, want, want.dtype == DType::float16 ? results.maps16 : results.maps32,
           scaled(plan.area_offsets, attention.heads));
    } else if (want.reduction == Reduction::mean_heads) {
      send(name, want, results.means, scaled(plan.area_offsets, 1));
    } else if (per_row(want.reduction)) {
      send(name, want, of_rows(results, want.reduction), scaled(offsets, row_width(want.reduction)));
    }
  }
  return results.context;
}

void Observation::send(const QuantityName& name, const Want& want, const at::Tensor& values,
                       std::vector<std::int64_t> offsets) {
  copies_.send(cast(values, want.dtype), want.dtype,
               [full = name.with(want.reduction), observers = want.observers,
                offsets = std::move(offsets)](HostTensor host) mutable {
                 const model::PackedValues packed{std::move(host), std::move(offsets)};
                 for (model::Observer* const observer : observers) {
                   if (!observer->observe(full, packed)) {
                     throw Interrupted("running the model was stopped");
                   }
                 }
               });
}

}  // namespace mog::engine
