// What identifies a model, and how a recording came about.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace mog {

// The facts of a model that its recordings carry along.
struct ModelCard {
  std::string name;            // directory name
  std::string architecture;    // "encoder" | "encoder_decoder"
  std::string encoder_kind;    // "graph_transformer" | "transformer" | "gru" | "lstm"
  std::string fusion;          // "sum" | "weight_gate" | "self_gate"; empty for other encoders
  std::string first_layer;     // "incremental" | "plain"; empty for other encoders
  bool bidirectional = false;  // of a recurrent encoder
  bool causal = false;         // of a plain Transformer whose tokens see themselves and those before them
  std::int64_t layers = 0;
  std::int64_t heads = 0;  // of attention, as attention_dim and ffn_dim; 0 in a recurrent encoder
  std::int64_t d_model = 0;
  std::int64_t attention_dim = 0;
  std::int64_t ffn_dim = 0;
  std::int64_t decoder_layers = 0;
  std::int64_t vocabulary = 0;
  std::int64_t parameters = 0;
  std::string tokenizer;       // "whitespace" | "bpe" | …
  std::string config_json;     // the configuration, verbatim
  std::string weights_sha256;  // hexadecimal
  std::string tokenizer_sha256;
  std::map<std::string, std::vector<std::string>> tasks;  // tags in row order of heads.{task}
  friend bool operator==(const ModelCard&, const ModelCard&) = default;
};

// Enough to make a recording again.
struct Provenance {
  std::string name;  // what a person calls the recording (io::why_no_recording_name); empty: no name
  std::string program_version;
  std::string command_line;
  std::string corpus_name;
  std::string corpus_sha256;
  std::string device;     // "cpu", "cuda:0 NVIDIA H200"
  std::string precision;  // of the computation: "float32", "bfloat16"
  std::int64_t seed = 0;
  std::string started;  // ISO 8601, UTC
  // What the decoder read: "file NAME, sha256 …", "translate, beam 4, …"; empty: it did not run.
  std::string target;
  friend bool operator==(const Provenance&, const Provenance&) = default;
};

}  // namespace mog
