// First the plan, then the reading: all tensors are looked up by name, shape and type before a value is
// read, so that a model of gigabytes that does not fit is refused at once. Names come with what history has
// made of them: prefixes that depend on the task the file was saved from, gamma for weight, joined
// projections of which rows are cut.
//
// What nobody asked for is the other half of the check. Below the prefixes that belong to the encoder a
// tensor that is left over is an error, since the model would compute something else without it; elsewhere
// (a pooler, a decoder, a head) it is named and left out.
//
// Trap: later() and made() run when their tensor is read, maybe long after the configuration is gone, and
// hold the plan and the weights: both must outlive them (PlannedWeights), and what else they need is theirs.
#include "model/foreign/tensor_plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <malloc.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <utility>

#include "io/recording/errors.h"

namespace mog::model {
namespace {

// Tensors that are cut or turned pass through memory of the heap, which keeps what small tensors lie in the
// middle of: without this a model of joined projections takes its weights twice more.
void give_back_passed(std::int64_t bytes) {
  constexpr std::int64_t kMost = std::int64_t{64} << 20U;
  static std::atomic<std::int64_t> passed = 0;
  if (passed += bytes; passed > kMost) {
    passed = 0;
    ::malloc_trim(0);
  }
}

std::string found_text(const ForeignWeights& weights) {
  const auto tensors = weights.tensors();
  return tensors.empty() ? "the file has no tensors" : "the first tensor is " + tensors.front()->name;
}

// What a message calls the part that a tensor belongs to: "pooler.dense", "model.decoder".
std::string group_of(const std::string& name) {
  constexpr std::string_view kDecoder = "decoder.";
  const std::size_t at = name.find(kDecoder);
  if (at == 0 || (at != std::string::npos && name[at - 1] == '.')) {
    return name.substr(0, at + kDecoder.size() - 1);
  }
  return name.substr(0, name.rfind('.'));
}

}  // namespace

HostTensor rows_of(const HostTensor& tensor, std::int64_t first, std::int64_t count) {
  std::vector<std::int64_t> shape = tensor.shape();
  const std::int64_t width = tensor.shape()[0] == 0 ? 0 : tensor.size() / tensor.shape()[0];
  shape[0] = count;
  return tensor.slice_flat(first * width, shape);
}

TensorPlan::TensorPlan(const ForeignWeights& weights, const std::vector<std::string>& prefixes,
                       const std::vector<std::string>& anchors)
    : weights_(weights) {
  for (const std::string& prefix : prefixes) {
    for (const std::string& anchor : anchors) {
      if (weights.find(prefix + anchor) != nullptr) {
        prefix_ = prefix;
        return;
      }
    }
  }
  std::vector<std::string> named;
  named.reserve(prefixes.size());
  for (const std::string& prefix : prefixes) {
    named.push_back(weights.called(prefix + anchors.front()));
  }
  throw ModelError(fmt::format("{}: there is no tensor {}; {}", weights.file(), fmt::join(named, " and no "),
                               found_text(weights)));
}

const io::TensorInfo& TensorPlan::find(const std::vector<std::string>& names,
                                       const std::vector<std::int64_t>& shape) {
  const io::TensorInfo* info = nullptr;
  for (const std::string& name : names) {
    info = weights_.find(full(name));
    if (info != nullptr) {
      break;
    }
  }
  if (info == nullptr) {
    throw ModelError(fmt::format("{}: the tensor {} is missing; the configuration asks for {}",
                                 weights_.file(), weights_.called(full(names.front())), shape_text(shape)));
  }
  const std::string file = weights_.file_of(info->name);
  if (info->shape != shape) {
    throw ModelError(fmt::format("{}: tensor {}: the configuration asks for {}, found {}", file,
                                 weights_.called(info->name), shape_text(shape), shape_text(info->shape)));
  }
  if (info->dtype != "F32" && info->dtype != "F16" && info->dtype != "BF16" && info->dtype != "F64") {
    throw ModelError(fmt::format("{}: tensor {}: weights are F32, F16, BF16 or F64, found {}", file,
                                 weights_.called(info->name), info->dtype));
  }
  used_.insert(info->name);
  return *info;
}

void TensorPlan::tensor(const std::string& ours, const std::vector<std::string>& names,
                        const std::vector<std::int64_t>& shape, Change change) {
  wanted_.push_back({ours, find(names, shape).name, std::move(change), {}});
}

void TensorPlan::linear(const std::string& ours, const std::string& theirs, std::int64_t out, std::int64_t in,
                        bool bias) {
  tensor(ours + ".weight", {theirs + ".weight"}, {out, in});
  if (bias) {
    tensor(ours + ".bias", {theirs + ".bias"}, {out});
  }
}

// LayerNorm.weight was once LayerNorm.gamma.
void TensorPlan::norm(const std::string& ours, const std::vector<std::string>& theirs, std::int64_t width,
                      bool bias) {
  std::vector<std::string> weights;
  std::vector<std::string> biases;
  for (const std::string& name : theirs) {
    weights.insert(weights.end(), {name + ".weight", name + ".gamma"});
    biases.insert(biases.end(), {name + ".bias", name + ".beta"});
  }
  tensor(ours + ".weight", weights, {width});
  if (bias) {
    tensor(ours + ".bias", biases, {width});
  }
}

void TensorPlan::joined(const std::string& ours, const std::string& weight, const std::string& bias,
                        std::int64_t rows, std::int64_t first, std::int64_t out, std::int64_t in) {
  tensor(ours + ".weight", {weight}, {rows, in});
  tensor(ours + ".bias", {bias}, {rows});
  for (Wanted* const wanted : {&wanted_[wanted_.size() - 2], &wanted_.back()}) {
    wanted->first = first;
    wanted->rows = out;
  }
}

void TensorPlan::made(const std::string& ours, std::function<HostTensor()> make) {
  wanted_.push_back({ours, "", {}, std::move(make)});
}

void TensorPlan::then(const std::string& ours, const Change& change) {
  for (Wanted& wanted : wanted_) {
    if (wanted.ours == ours) {
      wanted.change = [before = std::move(wanted.change), change](const HostTensor& values) {
        return change(before ? before(values) : values);
      };
    }
  }
}

void TensorPlan::shorten(const std::string& ours, std::int64_t rows) {
  for (Wanted& wanted : wanted_) {
    if (wanted.ours == ours) {
      wanted.rows = std::min(rows, wanted.rows.value_or(rows));
    }
  }
}

std::function<HostTensor()> TensorPlan::later(const std::vector<std::string>& names,
                                              const std::vector<std::int64_t>& shape) {
  const std::string& name = later_.emplace_back(find(names, shape).name);
  return [this, name] { return as_floats(name); };
}

void TensorPlan::ignore(const std::string& name) {
  used_.insert(full(name));
}

void TensorPlan::finish(const std::string& what) {
  std::set<std::string> groups;
  for (const io::TensorInfo* const info : weights_.tensors()) {
    if (used_.contains(info->name)) {
      continue;
    }
    if (std::any_of(owned_.begin(), owned_.end(),
                    [&](const std::string& prefix) { return info->name.starts_with(prefix); })) {
      throw ModelError(
          fmt::format("{}: the tensor {} is not one of {}; leaving it out would change what the model "
                      "computes",
                      weights_.file_of(info->name), weights_.called(info->name), what));
    }
    groups.insert(group_of(weights_.called(info->name)));
  }
  left_out_.assign(groups.begin(), groups.end());
}

std::vector<std::string> TensorPlan::types() const {
  std::set<std::string> types;
  for (const Wanted& wanted : wanted_) {
    if (!wanted.name.empty()) {
      types.insert(weights_.find(wanted.name)->dtype);
    }
  }
  return {types.begin(), types.end()};
}

// F64 is rounded.
HostTensor TensorPlan::as_floats(const std::string& name) const {
  const io::TensorInfo& info = *weights_.find(name);
  HostTensor values(DType::float32, info.shape);
  weights_.read_floats(name, 0, DType::float32, values.mutable_bytes());
  if (info.dtype == "F64") {
    const auto all = values.values<float>();
    if (std::any_of(all.begin(), all.end(), [](float value) { return !std::isfinite(value); })) {
      throw ModelError(fmt::format("{}: tensor {}: a value of its float64 is beyond float32",
                                   weights_.file_of(name), weights_.called(name)));
    }
  }
  return values;
}

StoredTensor TensorPlan::stored(const Wanted& wanted) const {
  std::int64_t rows = wanted.rows.value_or(std::numeric_limits<std::int64_t>::max());
  if (wanted.ours == "encoder.embed_tokens.weight") {
    rows = std::min(rows, vocabulary_.value_or(rows));
  }
  const io::TensorInfo* const info = wanted.name.empty() ? nullptr : weights_.find(wanted.name);
  if (info != nullptr && !wanted.change && info->dtype != "F64") {
    std::vector<std::int64_t> shape = info->shape;
    std::int64_t skipped = 0;  // elements
    if (!shape.empty()) {
      const std::int64_t row = shape.front() > 0 ? info->elements() / shape.front() : 0;
      skipped = wanted.first * row;
      shape.front() = std::min(shape.front() - wanted.first, rows);
    }
    return {std::move(shape), [this, &name = info->name, skipped](DType type, std::span<std::byte> to) {
              weights_.read_floats(name, skipped, type, to);
            }};
  }
  HostTensor values = info == nullptr ? wanted.make() : as_floats(wanted.name);
  give_back_passed(values.size() * static_cast<std::int64_t>(sizeof(float)));
  if (wanted.change) {
    values = wanted.change(values);
  }
  if (!values.shape().empty() && (wanted.first > 0 || rows < values.shape().front())) {
    values = rows_of(values, wanted.first, std::min(rows, values.shape().front() - wanted.first));
  }
  return stored_tensor(std::move(values));
}

std::optional<StoredTensor> TensorPlan::stored(const std::string& ours) const {
  const auto found = std::ranges::find(wanted_, ours, &Wanted::ours);
  return found == wanted_.end() ? std::nullopt : std::optional(stored(*found));
}

std::vector<std::string> TensorPlan::names() const {
  std::vector<std::string> names;
  for (const Wanted& wanted : wanted_) {
    names.push_back(wanted.ours);
  }
  return names;
}

bool TensorPlan::in_place() const {
  const auto lies = [this](const std::string& name) { return name.empty() || weights_.in_place(name); };
  return std::ranges::all_of(wanted_, lies, &Wanted::name) && std::ranges::all_of(later_, lies);
}

}  // namespace mog::model
