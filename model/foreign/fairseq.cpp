// Transformers of fairseq: 0.6.2 (options in `args`, one joined input projection, layer_norms.0) and later
// (`cfg`, three projections, norms by name). Both forms of each are taken, whatever the version.
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <system_error>

#include "io/recording/errors.h"
#include "model/foreign/checkpoint_file.h"
#include "model/foreign/source_text.h"
#include "model/foreign/tensor_plan.h"
#include "model/tokenizer/counted_vocabulary.h"

namespace mog::model {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::int64_t kMostSize = std::int64_t{1} << 20;

// The options of the model, wherever the version keeps them.
class Options {
 public:
  explicit Options(const ForeignWeights& weights) : file_(weights.file()) {
    const Json metadata = Json::parse(weights.front().metadata());
    const Json data = metadata.value("data", Json::object());
    if (const auto args = data.find("args"); args != data.end() && args->is_object()) {
      places_.push_back(*args);
    }
    if (const auto cfg = data.find("cfg"); cfg != data.end() && cfg->is_object()) {
      for (const char* const part : {"model", "task"}) {
        if (const auto found = cfg->find(part); found != cfg->end() && found->is_object()) {
          places_.push_back(*found);
        }
      }
    }
  }

  bool known() const { return !places_.empty(); }
  const std::string& file() const { return file_; }
  std::int64_t size(const std::string& key) const {
    const Json value = get(key);
    if (!value.is_number_integer() || value < 1 || value > kMostSize) {
      throw ModelError(fmt::format("{}: the option {} of fairseq: expected a whole number from 1, found {}",
                                   file_, key, shown(value)));
    }
    return value.get<std::int64_t>();
  }
  // fairseq's own default where an old file lacks the option.
  bool flag(const std::string& key, bool otherwise = false) const {
    const Json value = get(key);
    if (value.is_null()) {
      return otherwise;
    }
    if (value.is_boolean()) {
      return value.get<bool>();
    }
    if (value == "True" || value == "False") {
      return value == "True";
    }
    throw ModelError(fmt::format("{}: the option {} of fairseq: expected true or false, found {}", file_, key,
                                 shown(value)));
  }
  std::string text(const std::string& key, const std::string& otherwise) const {
    const Json value = get(key);
    return value.is_string() ? value.get<std::string>() : otherwise;
  }
  // Given and not null, false, 0, empty or "None".
  bool set(const std::string& key) const {
    const Json value = get(key);
    return !(value.is_null() || value == false || value == 0 || value == "" || value == "None" ||
             (value.is_structured() && value.empty()));
  }
  void refuse_if_set(const std::string& key) const {
    if (set(key)) {
      throw ModelError(
          fmt::format("{}: the option {} = {} of fairseq is not supported", file_, key, shown(get(key))));
    }
  }
  [[noreturn]] void refuse(const std::string& key, const std::string& supported) const {
    throw ModelError(fmt::format("{}: the option {} = {} of fairseq is not supported; supported: {}", file_,
                                 key, shown(get(key)), supported));
  }

 private:
  Json get(const std::string& key) const {
    for (const Json& place : places_) {
      if (const auto found = place.find(key); found != place.end()) {
        return *found;
      }
    }
    return nullptr;
  }
  static std::string shown(const Json& value) {
    return value.dump(-1, ' ', false, Json::error_handler_t::replace).substr(0, 80);
  }
  std::string file_;
  std::vector<Json> places_;
};

Activation activation_of(const Options& options) {
  const std::string name = options.text("activation_fn", "relu");
  if (name == "relu") {
    return Activation::relu;
  }
  if (name == "gelu") {
    return Activation::gelu;
  }
  if (name == "gelu_fast" || name == "gelu_accurate") {
    return Activation::gelu_tanh;
  }
  if (name == "swish") {
    return Activation::silu;
  }
  options.refuse("activation_fn", "relu, gelu, gelu_fast, gelu_accurate, swish");
}

Position position_of(const Options& options, const std::string& stack) {
  if (options.flag("no_token_positional_embeddings")) {
    return Position::none;
  }
  return options.flag(stack + "_learned_pos") ? Position::learned : Position::sinusoidal;
}

EncoderConfig encoder_of(const Options& options, const TensorPlan& plan) {
  const std::string arch = options.text("arch", options.text("_name", "transformer"));
  if (!arch.starts_with("transformer") || arch.find("lm") != std::string::npos) {
    throw ModelError(
        fmt::format("{}: the architecture {} of fairseq is not supported; supported: transformer and "
                    "its named sizes (transformer_iwslt_de_en, transformer_wmt_en_de, ...)",
                    options.file(), arch.substr(0, 80)));
  }
  for (const char* const key : {"adaptive_input", "layer_wise_attention", "encoder_layers_to_keep",
                                "char_inputs", "quant_noise_scalar", "alignment_heads_only"}) {
    options.refuse_if_set(key);
  }
  EncoderConfig encoder;
  encoder.kind = EncoderKind::transformer;
  encoder.layers = options.size("encoder_layers");
  encoder.d_model = encoder.attention_dim = options.size("encoder_embed_dim");
  encoder.heads = options.size("encoder_attention_heads");
  encoder.ffn_dim = options.size("encoder_ffn_embed_dim");
  encoder.activation = activation_of(options);
  encoder.norm = options.flag("encoder_normalize_before") ? NormPlace::pre : NormPlace::post;
  encoder.position = position_of(options, "encoder");
  encoder.embed_scale = !options.flag("no_scale_embedding");
  encoder.embedding_norm = options.flag("layernorm_embedding");
  // Files of version 1 were not normalised after the last layer.
  const bool normed = plan.has("encoder.layer_norm.weight");
  if (normed != (encoder.norm == NormPlace::pre)) {
    encoder.final_norm = normed;
  }
  return encoder;
}

// Why our decoder cannot run theirs; "" where it can.
std::string decoder_defect(const Options& options, const TensorPlan& plan, const EncoderConfig& encoder) {
  if (!plan.has("decoder.embed_tokens.weight")) {
    return "the file has none";
  }
  for (const char* const key : {"adaptive_softmax_cutoff", "no_cross_attention", "cross_self_attention",
                                "decoder_layers_to_keep", "layernorm_embedding", "tie_adaptive_weights"}) {
    if (options.set(key)) {
      return fmt::format("the option {} is not supported there", key);
    }
  }
  for (const char* const key : {"decoder_embed_dim", "decoder_output_dim", "decoder_input_dim"}) {
    if (options.set(key) && options.size(key) != encoder.d_model) {
      return fmt::format("{} = {} is not encoder_embed_dim = {}", key, options.size(key), encoder.d_model);
    }
  }
  return "";
}

DecoderConfig decoder_of(const Options& options, const TensorPlan& plan, const EncoderConfig& encoder) {
  DecoderConfig decoder;
  decoder.layers = options.size("decoder_layers");
  decoder.d_model = encoder.d_model;
  decoder.heads = options.size("decoder_attention_heads");
  decoder.ffn_dim = options.size("decoder_ffn_embed_dim");
  decoder.activation = encoder.activation;
  decoder.norm = options.flag("decoder_normalize_before") ? NormPlace::pre : NormPlace::post;
  decoder.position = position_of(options, "decoder");
  decoder.embed_scale = encoder.embed_scale;
  decoder.share_output_embedding =
      !plan.has("decoder.embed_out") && !plan.has("decoder.output_projection.weight");
  const bool normed = plan.has("decoder.layer_norm.weight");
  if (normed != (decoder.norm == NormPlace::pre)) {
    decoder.final_norm = normed;
  }
  return decoder;
}

void plan_attention(TensorPlan& plan, const std::string& ours, const std::string& theirs, std::int64_t d) {
  std::int64_t first = 0;
  for (const char* const map : {".q_proj", ".k_proj", ".v_proj"}) {
    if (plan.has(theirs + ".in_proj_weight")) {
      plan.joined(ours + map, theirs + ".in_proj_weight", theirs + ".in_proj_bias", 3 * d, first, d, d);
    } else {
      plan.linear(ours + map, theirs + map, d, d);
    }
    first += d;
  }
  plan.linear(ours + ".out_proj", theirs + ".out_proj", d, d);
}

struct Rows {
  std::int64_t tokens = 0;
  std::int64_t positions = 0;
};

// Embeddings and positions of one side; the sizes are the file's.
Rows plan_tables(TensorPlan& plan, const std::string& stack, Position position, std::int64_t d) {
  const auto rows_in_file = [&](const std::string& name) {
    const io::TensorInfo* const info = plan.weights().find(plan.prefix() + name);
    return info != nullptr && info->shape.size() == 2 ? info->shape[0] : 1;
  };
  Rows rows;
  const std::string table = stack + ".embed_tokens.weight";
  rows.tokens = rows_in_file(table);
  plan.tensor(table, {table}, {rows.tokens, d});
  for (const char* const unused :
       {".version", ".embed_positions._float_tensor", ".embed_positions.version"}) {
    plan.ignore(stack + unused);
  }
  const std::string positions = stack + ".embed_positions.weight";
  if (position == Position::learned) {
    rows.positions = rows_in_file(positions);
    plan.tensor(positions, {positions}, {rows.positions, d});
  }
  return rows;
}

void plan_encoder(TensorPlan& plan, const EncoderConfig& encoder) {
  const std::int64_t d = encoder.d_model;
  plan.own("encoder.");
  for (std::int64_t layer = 0; layer < encoder.layers; ++layer) {
    const std::string name = fmt::format("encoder.layers.{}.", layer);
    plan_attention(plan, name + "self_attn", name + "self_attn", d);
    plan.linear(name + "fc1", name + "fc1", encoder.ffn_dim, d);
    plan.linear(name + "fc2", name + "fc2", d, encoder.ffn_dim);
    plan.norm(name + "attn_layer_norm", {name + "self_attn_layer_norm", name + "layer_norms.0"}, d);
    plan.norm(name + "ffn_layer_norm", {name + "final_layer_norm", name + "layer_norms.1"}, d);
  }
  if (encoder.ends_with_norm()) {
    plan.norm("encoder.layer_norm", {"encoder.layer_norm"}, d);
  }
  if (encoder.embedding_norm) {
    plan.norm("encoder.embed_layer_norm", {"encoder.layernorm_embedding"}, d);
  }
}

void plan_decoder(TensorPlan& plan, const DecoderConfig& decoder, std::int64_t tokens) {
  const std::int64_t d = decoder.d_model;
  plan.own("decoder.");
  for (std::int64_t layer = 0; layer < decoder.layers; ++layer) {
    const std::string name = fmt::format("decoder.layers.{}.", layer);
    plan_attention(plan, name + "self_attn", name + "self_attn", d);
    plan_attention(plan, name + "cross_attn", name + "encoder_attn", d);
    plan.linear(name + "fc1", name + "fc1", decoder.ffn_dim, d);
    plan.linear(name + "fc2", name + "fc2", d, decoder.ffn_dim);
    plan.norm(name + "self_attn_layer_norm", {name + "self_attn_layer_norm", name + "layer_norms.0"}, d);
    plan.norm(name + "cross_attn_layer_norm", {name + "encoder_attn_layer_norm", name + "layer_norms.1"}, d);
    plan.norm(name + "ffn_layer_norm", {name + "final_layer_norm", name + "layer_norms.2"}, d);
  }
  if (decoder.ends_with_norm()) {
    plan.norm("decoder.layer_norm", {"decoder.layer_norm"}, d);
  }
  if (!decoder.share_output_embedding) {
    plan.tensor("decoder.output_projection.weight", {"decoder.embed_out", "decoder.output_projection.weight"},
                {tokens, d});
  }
}

// The four special symbols, then the lines of the dictionary.
std::vector<std::string> dictionary(const fs::path& folder, const std::string& language, std::int64_t rows,
                                    const char* table) {
  std::error_code error;
  fs::path file = folder / ("dict." + language + ".txt");
  if (language.empty() || !fs::exists(file, error)) {
    if (!fs::exists(folder / "dict.txt", error)) {
      throw FormatError(
          fmt::format("opening the model: {} is missing{}; put the dictionary of fairseq's data folder "
                      "beside the checkpoint",
                      (language.empty() ? folder / "dict.txt" : file).string(),
                      language.empty() ? "" : " (and dict.txt)"));
    }
    file = folder / "dict.txt";
  }
  std::vector<std::string> tokens = {"<s>", "<pad>", "</s>", "<unk>"};
  for (const CountedToken& line : read_counted_vocabulary(file)) {
    if (line.token == "<s>") {
      tokens.front() = "<Lua heritage>";
    }
    tokens.push_back(line.token);
  }
  if (static_cast<std::int64_t>(tokens.size()) != rows) {
    throw ModelError(fmt::format("{}: {} tokens with the four special ones, but {} has {} rows",
                                 file.string(), tokens.size(), table, rows));
  }
  return tokens;
}

std::optional<fs::path> codes_beside(const fs::path& folder) {
  std::error_code error;
  for (const char* const name : {"bpe.codes", "bpecodes", "codes", "code"}) {
    if (fs::is_regular_file(folder / name, error)) {
      return folder / name;
    }
  }
  return std::nullopt;
}

}  // namespace

bool is_fairseq(const ForeignWeights& weights) {
  return weights.find("model.encoder.embed_tokens.weight") != nullptr && Options(weights).known();
}

ForeignModel read_fairseq(const fs::path& file, ForeignWeights weights, bool values) {
  const Options options(weights);
  const auto stored =
      std::make_shared<PlannedWeights>(std::move(weights), std::vector<std::string>{"model."},
                                       std::vector<std::string>{"encoder.embed_tokens.weight"});
  TensorPlan& plan = stored->plan();
  ForeignModel model;
  EncoderConfig& encoder = model.config.encoder;
  encoder = encoder_of(options, plan);
  const Rows source = plan_tables(plan, "encoder", encoder.position, encoder.d_model);
  plan_encoder(plan, encoder);
  const std::string defect = decoder_defect(options, plan, encoder);
  Rows target;
  if (defect.empty()) {
    model.config.decoder = decoder_of(options, plan, encoder);
    target = plan_tables(plan, "decoder", model.config.decoder->position, encoder.d_model);
    plan_decoder(plan, *model.config.decoder, target.tokens);
  } else {
    model.notes.push_back(fmt::format("the decoder is left out: {}", defect));
  }
  plan.finish(fmt::format("a Transformer of fairseq with {} layers", encoder.layers));
  if (!plan.left_out().empty()) {
    model.notes.push_back(fmt::format("left out: {}", shortened(plan.left_out())));
  }
  const fs::path folder = fs::absolute(file).parent_path();
  const auto codes = codes_beside(folder);
  std::vector<std::string> target_tokens;
  if (model.config.decoder) {
    target_tokens =
        dictionary(folder, options.text("target_lang", ""), target.tokens, "decoder.embed_tokens");
  }
  set_plain_tokenizer(
      model, dictionary(folder, options.text("source_lang", ""), source.tokens, "encoder.embed_tokens"),
      target_tokens, codes);
  if (!codes) {
    model.notes.push_back("there are no codes of BPE beside the file: tokens are what spaces separate");
  }
  model.positions = source.positions;
  model.target_positions = target.positions;
  model.tensor_types = plan.types();
  model.weights_sha256 = plan.weights().sha256();
  model.source = source_name(file, "");
  if (values) {
    plan.keep_vocabulary(source.tokens);
    model.stored = stored;
  }
  return model;
}

}  // namespace mog::model
