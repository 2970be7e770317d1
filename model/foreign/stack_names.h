// How a family of Hugging Face models names and lays out the tensors of a self-attention stack.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/foreign/blueprint.h"
#include "model/foreign/rotary_positions.h"

namespace mog::model {

// Rows of a projection that queries, keys and values share: q, k, v one after the other; q, k, v of each
// head; or of each group of heads its queries, its key and its value.
enum class FusedRows : std::uint8_t { stacked, by_head, by_group };

// Names without ".weight"; "{}" is the layer from 0. An empty name is a part that the family does not have.
struct StackNames {
  std::string own = "layers.";  // prefixes of tensors that must all be asked for, with spaces between
  std::string embeddings = "embed_tokens";
  std::string positions = {};       // a table; its first row is that of the first token, but for the next
  std::int64_t first_position = 0;  // the row of the first token
  std::string embedding_norm = {};
  std::string embedding_map = {};    // widens the embeddings, without a bias; written out
  std::int64_t embedding_width = 0;  // of their table then; 0: d_model
  std::string token_types = {};      // type 0 is added to every embedding
  std::int64_t types = 0;            // rows of that table
  std::string layer = "layers.{}.";
  std::string query = "self_attn.q_proj";
  std::string key = "self_attn.k_proj";
  std::string value = "self_attn.v_proj";
  std::string fused = {};  // in the place of these three
  FusedRows fused_rows = FusedRows::stacked;
  std::string out = "self_attn.o_proj";
  std::string query_norm = {};  // one for all heads or as wide as the row; "{}" in it: one a head, counted
  std::string key_norm = {};
  double global_norm_factor = 1.0;  // of both in layers without a window
  std::string attention_norm = "input_layernorm";
  std::string ffn_norm = "post_attention_layernorm";
  std::string attention_output_norm = {};
  std::string ffn_output_norm = {};
  std::string gate = "mlp.gate_proj";  // the activated map of a gated block
  std::string up = "mlp.up_proj";
  std::string down = "mlp.down_proj";
  std::string fused_up = {};  // both in one map
  bool gate_first = true;     // its first rows are the activated ones
  std::string final_norm = "norm";
  bool transposed = false;      // maps are [in, out] (GPT-2)
  bool norms_from_one = false;  // norms store what is added to 1 (Gemma)
  bool plain_norms = false;     // norms have no weights (OLMo)
};

// Every tensor of the stack; biases that a tensor lacks where the stack has them are zeros. The stack is
// borrowed by nothing: both are copied where it is read later.
void plan_stack(TensorPlan& plan, const EncoderConfig& encoder, std::int64_t vocabulary,
                std::int64_t positions, const StackNames& names);

// Slopes of ALiBi, [heads]: powers of 2^(-8 / heads) where heads is a power of 2 (Press et al. 2022, and as
// BLOOM has them for other numbers).
std::vector<float> alibi_slopes(std::int64_t heads);
void plan_slopes(TensorPlan& plan, const std::vector<float>& slopes);

}  // namespace mog::model
