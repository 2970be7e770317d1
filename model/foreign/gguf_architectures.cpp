// The architectures of llama.cpp that are a type of Hugging Face's, and how llama.cpp calls their parts where
// it is not as in Llama: pairs of its name and Hugging Face's, each followed by a space.
#include <fmt/format.h>

#include <array>
#include <string>
#include <string_view>

#include "io/checkpoint/printable.h"
#include "io/recording/errors.h"
#include "model/foreign/gguf.h"
#include "model/foreign/import_advice.h"

namespace mog::model {
namespace {

constexpr std::string_view kOutputNorms =
    "post_attention_norm post_attention_layernorm post_ffw_norm post_feedforward_layernorm ";
constexpr std::string_view kGemma2 =
    "post_attention_norm post_attention_layernorm ffn_norm pre_feedforward_layernorm post_ffw_norm "
    "post_feedforward_layernorm ";
constexpr std::string_view kBlocks =  // of GPT-2 and its kin
    "token_embd transformer.wte position_embd transformer.wpe output_norm transformer.ln_f blk "
    "transformer.h. "
    "attn_norm ln_1 attn_qkv attn.c_attn attn_output attn.c_proj ffn_norm ln_2 ffn_up mlp.c_fc "
    "ffn_down mlp.c_proj ";
constexpr std::string_view kBert =
    "token_embd embeddings.word_embeddings position_embd embeddings.position_embeddings token_types "
    "embeddings.token_type_embeddings token_embd_norm embeddings.LayerNorm blk encoder.layer. "
    "attn_q attention.self.query attn_k attention.self.key attn_v attention.self.value attn_output "
    "attention.output.dense attn_output_norm attention.output.LayerNorm ffn_up intermediate.dense ffn_down "
    "output.dense layer_output_norm output.LayerNorm ";
constexpr std::string_view kSteps =  // of GPT-NeoX, Falcon and BLOOM
    "ffn_up mlp.dense_h_to_4h ffn_down mlp.dense_4h_to_h ";

const std::array<GgufArchitecture, 23>& architectures() {
  static const std::string neox = std::string(kSteps) +
                                  "token_embd gpt_neox.embed_in output_norm gpt_neox.final_layer_norm output "
                                  "embed_out blk gpt_neox.layers. attn_qkv attention.query_key_value "
                                  "attn_output attention.dense ";
  static const std::string falcon = std::string(kSteps) +
                                    "token_embd transformer.word_embeddings output_norm transformer.ln_f blk "
                                    "transformer.h. attn_qkv self_attention.query_key_value attn_output "
                                    "self_attention.dense attn_norm_2 ln_attn ";
  static const std::string bloom =
      falcon + "token_embd_norm transformer.word_embeddings_layernorm ffn_norm post_attention_layernorm ";
  static const std::array<GgufArchitecture, 23> all = {{
      {"llama", "llama", "rms_norm_eps", true, "intermediate_size", true},
      {"smollm3", "smollm3", "rms_norm_eps", true, "intermediate_size", true},
      {"granite", "granite", "rms_norm_eps", true, "intermediate_size", true},
      {"qwen2", "qwen2", "rms_norm_eps"},
      {"qwen3", "qwen3", "rms_norm_eps"},
      {"gemma", "gemma", "rms_norm_eps"},
      {"gemma2", "gemma2", "rms_norm_eps", true, "intermediate_size", false, false, kGemma2},
      {"gemma3", "gemma3_text", "rms_norm_eps", true, "intermediate_size", false, false, kGemma2},
      {"phi2", "phi", "layer_norm_eps", false, "intermediate_size", false, true,
       "output_norm model.final_layernorm attn_output self_attn.dense ffn_up mlp.fc1 ffn_down mlp.fc2 "},
      {"phi3", "phi3", "rms_norm_eps", true, "intermediate_size", false, true,
       "attn_qkv self_attn.qkv_proj ffn_up mlp.gate_up_proj "},
      {"olmo", "olmo", "layer_norm_eps", false, "intermediate_size", true},
      {"olmo2", "olmo2", "rms_norm_eps", true, "intermediate_size", false, false, kOutputNorms},
      {"stablelm", "stablelm", "layer_norm_eps", false, "intermediate_size", false, true},
      {"starcoder2", "starcoder2", "norm_epsilon", false, "intermediate_size", false, false,
       "ffn_up mlp.c_fc ffn_down mlp.c_proj "},
      {"command-r", "cohere", "layer_norm_eps", false},
      {"cohere2", "cohere2", "layer_norm_eps", false},
      {"glm4", "glm4", "rms_norm_eps", true, "intermediate_size", false, true,
       "post_attention_norm post_self_attn_layernorm post_ffw_norm post_mlp_layernorm ffn_up "
       "mlp.gate_up_proj "},
      {"gpt2", "gpt2", "layer_norm_epsilon", false, "n_inner", false, false, kBlocks, false},
      {"starcoder", "gpt_bigcode", "layer_norm_epsilon", false, "n_inner", false, false, kBlocks, false},
      {"gptneox", "gpt_neox", "layer_norm_eps", false, "intermediate_size", false, true, neox, false},
      {"falcon", "falcon", "layer_norm_epsilon", false, "ffn_hidden_size", false, false, falcon, false},
      {"bloom", "bloom", "layer_norm_epsilon", false, "n_inner", false, false, bloom, false},
      {"bert", "bert", "layer_norm_eps", false, "intermediate_size", false, false, kBert, false},
  }};
  return all;
}

}  // namespace

const GgufArchitecture& gguf_architecture(const GgufKeys& keys) {
  std::string known;
  for (const GgufArchitecture& architecture : architectures()) {
    if (architecture.name == keys.architecture()) {
      return architecture;
    }
    known += (known.empty() ? "" : ", ") + std::string(architecture.name);
  }
  throw ModelError(
      fmt::format("{}: GGUF: key \"general.architecture\": \"{}\" is not supported; supported: "
                  "{}{}",
                  keys.file(), io::printable(keys.architecture()), known, kImportAdvice));
}

}  // namespace mog::model
