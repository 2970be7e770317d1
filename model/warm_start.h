// First weights of a student from a trained encoder of another kind (plain Transformer to Graph-Transformer).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "io/recording/host_tensor.h"
#include "model/config/config.h"
#include "model/trainer.h"

namespace mog::model {

// What a head of the source becomes where the student's attention is narrower.
enum class HeadCut : std::uint8_t {
  svd,     // as many heads as before, each with the best approximation of QᵀK and of OV of the lower rank
  select,  // whole heads: those whose OV is greatest
  fit,     // whole heads, each in the part that plays it best, all maps by least squares on a sample of text,
           // layer by layer; needs heads as wide as the source's. The scales below do not matter then
};

struct WarmStartOptions {
  HeadCut cut = HeadCut::svd;
  double high_scale = 1.0;    // factor on the output map of the part `high`
  double middle_scale = 1.0;  // of middle1 and middle2
  double low_scale = 0.0;     // of `low`, which starts as (scaled) output · value of the source
  double gate_bias = 0.0;     // of gate.new.bias: w = sigmoid(gate_bias); gate weights are damped Xavier
  double gate_scale = 0.0;    // factor on the gate's Xavier weights
  // [student id] row of the source's embedding, -1: none (drawn anew). Empty: the same vocabulary.
  std::vector<std::int64_t> rows = {};
  // fit: some 15,000 tokens (with teacher_ids, those of the source, where the vocabularies differ).
  TrainingBatch sample = {};
};

// Every tensor of `config`, float32. Those that the source has under the same name and shape are copied
// (embeddings by `rows`); attention of a plain source is carried over into every part; task heads that the
// source does not have are drawn from options.seed. A recurrent encoder takes all tensors of one of its kind,
// cell, d_model and directions, and of any other encoder the embeddings alone (as they enter the first
// layer). Throws ModelError naming what does not fit (d_model, ffn_dim, heads).
std::map<std::string, HostTensor> warm_start(const ModelConfig& config, const TrainerOptions& options,
                                             const ModelConfig& source,
                                             const std::map<std::string, HostTensor>& source_weights,
                                             const WarmStartOptions& start);

}  // namespace mog::model
