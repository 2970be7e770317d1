// What a tensor gets is told by its name and shape: tables N(0, 1/√width), so that a row has length 1; norms
// 1; biases 0, but 1 for an LSTM's forget gate, which then remembers from the start; every other matrix
// Xavier uniform. Maps that end a branch are made smaller by branch_scale, so that a deep stack of residuals
// begins near the identity.
//
// The draws come from one generator on the CPU in the order of tensor_table(): the same seed gives the same
// weights on any device.
//
// Trap: the order of that table, and each change of a shape, is part of the draw. A tensor that is inserted
// changes all behind it.
#include "model/engine/training/initial_weights.h"

#include <ATen/CPUGeneratorImpl.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "io/recording/errors.h"

namespace mog::engine {

namespace {

bool ends_with_any(std::string_view name, std::initializer_list<std::string_view> endings) {
  return std::any_of(endings.begin(), endings.end(),
                     [&](std::string_view end) { return name.ends_with(end); });
}

bool is_table(std::string_view name) {
  return ends_with_any(name, {"embed_tokens.weight", "embed_positions.weight", "output_projection.weight"});
}

// Rows and columns of what is drawn as one matrix: of capsules and of the gates of a GRU each is one.
std::pair<std::int64_t, std::int64_t> matrix_of(const model::TensorSpec& spec) {
  const std::int64_t columns = spec.shape.back();
  const std::int64_t rows = spec.shape[spec.shape.size() - 2];
  return {ends_with_any(spec.name, {"gru.weight_ih", "gru.weight_hh"}) ? rows / 3 : rows, columns};
}

at::Tensor draw(const model::TensorSpec& spec, const model::ModelConfig& config, double branch_scale,
                const at::Generator& generator) {
  at::Tensor tensor = at::zeros(spec.shape, at::kFloat);
  if (spec.name.find("layer_norm.weight") != std::string::npos ||
      (spec.shape.size() == 1 && spec.name.ends_with("_norm.weight"))) {
    return tensor.fill_(1.0);
  }
  if (spec.name.ends_with("forget_gate.input.bias")) {
    return tensor.fill_(1.0);  // a new LSTM remembers
  }
  const bool relations =
      spec.name.find(".relation_") != std::string::npos && !spec.name.ends_with("norm.bias");
  if (relations || spec.name == "parser.segments.weight") {  // as BERT's tables
    constexpr double kDeviation = 0.02;
    return tensor.normal_(0.0, kDeviation, generator);
  }
  if (spec.shape.size() < 2) {
    return tensor;
  }
  if (is_table(spec.name)) {
    tensor.normal_(0.0, 1.0 / std::sqrt(static_cast<double>(spec.shape[1])), generator);
    if (spec.name.ends_with("embed_tokens.weight") && config.pad_id < spec.shape[0]) {
      tensor.select(0, config.pad_id).zero_();
    }
    return tensor;
  }
  const auto [rows, columns] = matrix_of(spec);
  const double bound = std::sqrt(6.0 / static_cast<double>(rows + columns));
  tensor.uniform_(-bound, bound, generator);
  if (ends_with_any(spec.name, {"out_proj.weight", ".low.weight", "fc2.weight"}) &&
      spec.name.find(".gate.") == std::string::npos && !spec.name.starts_with("gret.")) {
    tensor.mul_(branch_scale);
  }
  return tensor;
}

}  // namespace

TensorTable initial_weights(const model::ModelConfig& config, const model::TrainerOptions& options) {
  const at::NoGradGuard no_gradients;
  const at::Generator generator = at::detail::createCPUGenerator(static_cast<std::uint64_t>(options.seed));
  TensorTable table;
  for (const model::TensorSpec& spec : model::tensor_table(config, options.positions)) {
    table.emplace(spec.name, draw(spec, config, options.branch_scale, generator));
  }
  return table;
}

TensorTable given_weights(const model::ModelConfig& config, const std::map<std::string, HostTensor>& given) {
  TensorTable table;
  for (const model::TensorSpec& spec : model::tensor_table(config)) {
    const auto found = given.find(spec.name);
    if (found == given.end()) {
      throw ModelError("Starting to train from given weights: tensor " + spec.name +
                       " is missing; the configuration asks for shape " + shape_text(spec.shape) + ".");
    }
    const std::vector<std::int64_t>& shape = found->second.shape();
    bool fits = shape.size() == spec.shape.size();
    for (std::size_t axis = 0; fits && axis < shape.size(); ++axis) {
      fits = shape[axis] == spec.shape[axis] || spec.shape[axis] == 0;  // 0: as the file says
    }
    if (!fits) {
      throw ModelError("Starting to train from given weights: tensor " + spec.name + " has shape " +
                       shape_text(shape) + ", the configuration asks for " + shape_text(spec.shape) + ".");
    }
    table.emplace(spec.name, from_host(found->second));
  }
  for (const auto& [name, tensor] : given) {
    if (!table.contains(name)) {
      throw ModelError("Starting to train from given weights: tensor " + name +
                       " is not one of this configuration.");
    }
  }
  return table;
}

HostTensor to_host(const at::Tensor& tensor) {
  const at::Tensor source = tensor.detach().to(at::kCPU).contiguous();
  const DType dtype = source.scalar_type() == at::kByte     ? DType::uint8
                      : source.scalar_type() == at::kLong   ? DType::int64
                      : source.scalar_type() == at::kDouble ? DType::float64
                                                            : DType::float32;
  HostTensor host(dtype, source.sizes().vec());
  const at::Tensor typed = dtype == DType::float32 ? source.to(at::kFloat) : source;
  if (host.size_bytes() > 0) {
    std::memcpy(host.mutable_bytes().data(), typed.data_ptr(), static_cast<std::size_t>(host.size_bytes()));
  }
  return host;
}

at::Tensor from_host(const HostTensor& tensor) {
  const at::ScalarType type = tensor.dtype() == DType::uint8     ? at::kByte
                              : tensor.dtype() == DType::int64   ? at::kLong
                              : tensor.dtype() == DType::float64 ? at::kDouble
                                                                 : at::kFloat;
  const HostTensor source = type == at::kFloat ? tensor.to(DType::float32) : tensor;
  at::Tensor copy = at::empty(source.shape(), type);
  if (source.size_bytes() > 0) {
    std::memcpy(copy.data_ptr(), source.bytes().data(), static_cast<std::size_t>(source.size_bytes()));
  }
  return copy;
}

}  // namespace mog::engine
