// Transformers of CTranslate2: model.bin with TransformerSpec (encoder and decoder) or
// TransformerEncoderSpec, and the older TransformerBase and TransformerBig. int8 and int16 weights come with
// their scale applied.
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "io/recording/errors.h"
#include "model/foreign/blueprint.h"
#include "model/foreign/checkpoint_file.h"
#include "model/foreign/ctranslate2_vocabulary.h"
#include "model/foreign/import_advice.h"
#include "model/foreign/source_text.h"
#include "model/foreign/tensor_plan.h"

namespace mog::model {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

// Numbers and flags of the specification: below the stack, in older files at the top.
class Attributes {
 public:
  Attributes(const ForeignWeights& weights, TensorPlan& plan) : weights_(weights), plan_(plan) {}

  std::optional<double> find(const std::string& stack, const std::string& key) {
    for (const std::string& name : {fmt::format("{}/{}", stack, key), key}) {
      const io::TensorInfo* const info = weights_.find(name);
      if (info != nullptr && info->elements() == 1) {
        plan_.ignore(name);
        return number(weights_.read(name));
      }
    }
    return std::nullopt;
  }
  double get(const std::string& stack, const std::string& key, double otherwise) {
    return find(stack, key).value_or(otherwise);
  }
  bool is_flag(const std::string& stack, const std::string& key) const {
    const io::TensorInfo* const info = weights_.find(stack + "/" + key);
    return info != nullptr && info->dtype == "I8";
  }
  // What our arithmetic does not have must be off.
  void require_off(const std::string& stack, std::initializer_list<const char*> keys) {
    for (const char* const key : keys) {
      if (get(stack, key, 0.0) != 0.0) {
        throw ModelError(fmt::format("{}: {}/{} = {} is not supported", weights_.file(), stack, key,
                                     get(stack, key, 0.0)));
      }
    }
  }

 private:
  static double number(const HostTensor& tensor) {
    switch (tensor.dtype()) {
      case DType::int32:
        return tensor.values<std::int32_t>()[0];
      case DType::int64:
        return static_cast<double>(tensor.values<std::int64_t>()[0]);
      case DType::uint8:
        return tensor.values<std::uint8_t>()[0];
      default:
        return tensor.to_floats()[0];
    }
  }
  const ForeignWeights& weights_;
  TensorPlan& plan_;
};

// What encoder and decoder have alike.
struct StackForm {
  std::int64_t layers = 0, d = 0, heads = 0, ffn = 0;
  Activation activation = Activation::relu;
  NormPlace norm = NormPlace::pre;
  bool scaled = true;
  Position position = Position::sinusoidal;
  std::int64_t tokens = 0;
  std::int64_t positions = 0;  // rows of their table
  bool final_norm = false;
  std::string table;  // name of the embeddings
};

class Reader {
 public:
  Reader(const ForeignWeights& weights, TensorPlan& plan, std::string specification)
      : weights_(weights),
        plan_(plan),
        attributes_(weights, plan),
        specification_(std::move(specification)) {}

  StackForm form(const std::string& stack) {
    StackForm form;
    form.table =
        has(stack + "/embeddings/weight") ? stack + "/embeddings/weight" : stack + "/embeddings_0/weight";
    form.tokens = extent(form.table, 0);
    form.d = extent(form.table, 1);
    while (has(fmt::format("{}/layer_{}/ffn/linear_0/weight", stack, form.layers))) {
      ++form.layers;
    }
    form.ffn = extent(stack + "/layer_0/ffn/linear_0/weight", 0);
    const double usual_heads = specification_ == "TransformerBase"  ? 8
                               : specification_ == "TransformerBig" ? 16
                                                                    : 0;
    form.heads = static_cast<std::int64_t>(attributes_.get(stack, "num_heads", usual_heads));
    if (form.heads < 1 || form.d < 1 || form.layers < 1) {
      throw ModelError(fmt::format("{}: {} has {} heads, width {} and {} layers; each must be at least 1",
                                   weights_.file(), stack, form.heads, form.d, form.layers));
    }
    form.activation = activation(stack);
    form.norm = attributes_.get(stack, "pre_norm", 1.0) != 0.0 ? NormPlace::pre : NormPlace::post;
    form.scaled = scaled(stack, form.d);
    form.final_norm = has(stack + "/layer_norm/gamma");
    if (has(stack + "/position_encodings/encodings")) {
      form.position = Position::fixed;
      form.positions = extent(stack + "/position_encodings/encodings", 0);
    }
    attributes_.require_off(
        stack,
        {"with_relative_position", "with_relative_attention_bias", "alibi", "multi_query_attention",
         "start_from_zero_embedding", "rotary_dim", "rms_norm", "pre_post_layer_norm", "parallel_residual",
         "shared_layer_norm", "scale_outputs", "sliding_window", "project_in", "project_out"});
    if (const double width = attributes_.get(stack, "head_dim", 0.0);
        width != 0.0 && static_cast<std::int64_t>(width) * form.heads != form.d) {
      throw ModelError(fmt::format("{}: {}/head_dim = {} is not supported with {} heads in {} columns",
                                   weights_.file(), stack, width, form.heads, form.d));
    }
    plan_.own(stack + "/");
    // Of what is off, and of the alignments that other programs ask for.
    for (const char* const unused : {"/alignment_layer", "/embeddings_merge", "/alibi_use_positive_positions",
                                     "/rotary_interleave", "/scale_alibi"}) {
      plan_.ignore(stack + unused);
    }
    plan_.ignore(stack + "/alignment_heads");
    return form;
  }

  void tables(const std::string& stack, const StackForm& form) {
    plan_.tensor(stack + ".embed_tokens.weight", {form.table}, {form.tokens, form.d});
    if (form.position != Position::fixed) {
      return;
    }
    std::function<HostTensor()> types;
    if (has(stack + "/embeddings_1/weight")) {
      if (attributes_.get(stack, "embeddings_merge", 0.0) != 1.0) {
        throw ModelError(
            fmt::format("{}: {}/embeddings_1 is joined to the words side by side; only added embeddings "
                        "are supported",
                        weights_.file(), stack));
      }
      types =
          plan_.later({stack + "/embeddings_1/weight"}, {extent(stack + "/embeddings_1/weight", 0), form.d});
    }
    plan_.tensor(stack + ".embed_positions.weight", {stack + "/position_encodings/encodings"},
                 {form.positions, form.d}, [rows = form.positions, types](const HostTensor& table) {
                   return position_table(table, 0, rows, types ? rows_of(types(), 0, 1) : HostTensor());
                 });
  }

  void encoder(const EncoderConfig& config) {
    const std::int64_t d = config.d_model;
    for (std::int64_t layer = 0; layer < config.layers; ++layer) {
      const std::string ours = fmt::format("encoder.layers.{}.", layer);
      const std::string theirs = fmt::format("encoder/layer_{}/", layer);
      fused(ours + "self_attn.", {"q_proj", "k_proj", "v_proj"}, theirs + "self_attention/linear_0", d);
      linear(ours + "self_attn.out_proj", theirs + "self_attention/linear_1", d, d);
      norm(ours + "attn_layer_norm", theirs + "self_attention/layer_norm", d);
      feed_forward(ours, theirs, d, config.ffn_dim);
    }
    if (config.ends_with_norm()) {
      norm("encoder.layer_norm", "encoder/layer_norm", d);
    }
    if (config.embedding_norm) {
      norm("encoder.embed_layer_norm", "encoder/layernorm_embedding", d);
    }
  }

  void decoder(const DecoderConfig& config, std::int64_t tokens) {
    const std::int64_t d = config.d_model;
    for (std::int64_t layer = 0; layer < config.layers; ++layer) {
      const std::string ours = fmt::format("decoder.layers.{}.", layer);
      const std::string theirs = fmt::format("decoder/layer_{}/", layer);
      fused(ours + "self_attn.", {"q_proj", "k_proj", "v_proj"}, theirs + "self_attention/linear_0", d);
      linear(ours + "self_attn.out_proj", theirs + "self_attention/linear_1", d, d);
      norm(ours + "self_attn_layer_norm", theirs + "self_attention/layer_norm", d);
      linear(ours + "cross_attn.q_proj", theirs + "attention/linear_0", d, d);
      fused(ours + "cross_attn.", {"k_proj", "v_proj"}, theirs + "attention/linear_1", d);
      linear(ours + "cross_attn.out_proj", theirs + "attention/linear_2", d, d);
      norm(ours + "cross_attn_layer_norm", theirs + "attention/layer_norm", d);
      feed_forward(ours, theirs, d, config.ffn_dim);
    }
    if (config.ends_with_norm()) {
      norm("decoder.layer_norm", "decoder/layer_norm", d);
    }
    plan_.tensor("decoder.output_projection.weight", {"decoder/projection/weight"}, {tokens, d});
    if (config.output_bias) {
      plan_.tensor("decoder.output_projection.bias", {"decoder/projection/bias"}, {tokens});
    }
  }

  bool has(const std::string& name) const { return weights_.find(name) != nullptr; }
  Attributes& attributes() { return attributes_; }

 private:
  std::int64_t extent(const std::string& name, std::size_t axis) const {
    const io::TensorInfo* const info = weights_.find(name);
    if (info == nullptr || info->shape.size() <= axis) {
      throw ModelError(
          fmt::format("{}: the tensor {} is missing or has too few axes", weights_.file(), name));
    }
    return info->shape[axis];
  }
  Activation activation(const std::string& stack) {
    // ReLU, GELU with tanh, Swish, GELU; others are not ours.
    const int number = static_cast<int>(attributes_.get(stack, "activation", 0.0));
    switch (number) {
      case 0:
        return Activation::relu;
      case 1:
        return Activation::gelu_tanh;
      case 2:
        return Activation::silu;
      case 3:
        return Activation::gelu;
      default:
        throw ModelError(
            fmt::format("{}: {}/activation = {} is not supported; supported: 0 (ReLU), 1 (GELU, tanh), 2 "
                        "(Swish), 3 (GELU)",
                        weights_.file(), stack, number));
    }
  }
  // A flag, or the scale itself; absent: scaled.
  bool scaled(const std::string& stack, std::int64_t d) {
    const auto value = attributes_.find(stack, "scale_embeddings");
    if (!value || attributes_.is_flag(stack, "scale_embeddings")) {
      return !value || *value != 0.0;
    }
    const double root = std::sqrt(static_cast<double>(d));
    if (std::abs(*value - root) > 1e-5 * root && *value != 1.0) {
      throw ModelError(
          fmt::format("{}: {}/scale_embeddings = {} is not supported; supported: 1 and the root of {}",
                      weights_.file(), stack, *value, d));
    }
    return *value != 1.0;
  }
  void linear(const std::string& ours, const std::string& theirs, std::int64_t out, std::int64_t in) {
    plan_.tensor(ours + ".weight", {theirs + "/weight"}, {out, in});
    plan_.tensor(ours + ".bias", {theirs + "/bias"}, {out});
  }
  void norm(const std::string& ours, const std::string& theirs, std::int64_t d) {
    plan_.tensor(ours + ".weight", {theirs + "/gamma"}, {d});
    plan_.tensor(ours + ".bias", {theirs + "/beta"}, {d});
  }
  void fused(const std::string& ours, const std::vector<const char*>& maps, const std::string& theirs,
             std::int64_t d) {
    std::int64_t first = 0;
    for (const char* const map : maps) {
      plan_.joined(ours + map, theirs + "/weight", theirs + "/bias",
                   static_cast<std::int64_t>(maps.size()) * d, first, d, d);
      first += d;
    }
  }
  void feed_forward(const std::string& ours, const std::string& theirs, std::int64_t d, std::int64_t ffn) {
    norm(ours + "ffn_layer_norm", theirs + "ffn/layer_norm", d);
    linear(ours + "fc1", theirs + "ffn/linear_0", ffn, d);
    linear(ours + "fc2", theirs + "ffn/linear_1", d, ffn);
  }

  const ForeignWeights& weights_;
  TensorPlan& plan_;
  Attributes attributes_;
  std::string specification_;
};

}  // namespace

ForeignModel read_ctranslate2(const fs::path& folder, bool values) {
  ForeignWeights opened = ForeignWeights::of_file(folder / "model.bin", true);
  if (opened.front().format() != io::WeightsFormat::ctranslate2) {
    throw FormatError(fmt::format("{}: expected a model of CTranslate2, found the format {}", opened.file(),
                                  name(opened.front().format())));
  }
  const Json metadata = Json::parse(opened.front().metadata());
  const std::string specification = metadata.value("specification", "");
  if (specification != "TransformerSpec" && specification != "TransformerEncoderSpec" &&
      specification != "TransformerBase" && specification != "TransformerBig") {
    throw ModelError(
        fmt::format("{}: the specification {} of CTranslate2 is not supported; supported: TransformerSpec, "
                    "TransformerEncoderSpec, TransformerBase, TransformerBig{}",
                    opened.file(), specification.substr(0, 80), kImportAdvice));
  }
  const CTranslate2Settings settings = ctranslate2_settings(folder);
  const auto stored = std::make_shared<PlannedWeights>(
      std::move(opened), std::vector<std::string>{""},
      std::vector<std::string>{"encoder/layer_0/self_attention/linear_0/weight"});
  TensorPlan& plan = stored->plan();
  const ForeignWeights& weights = plan.weights();
  Reader reader(weights, plan, specification);
  ForeignModel model;
  EncoderConfig& encoder = model.config.encoder;
  const StackForm source = reader.form("encoder");
  encoder.kind = EncoderKind::transformer;
  encoder.layers = source.layers;
  encoder.d_model = encoder.attention_dim = source.d;
  encoder.heads = source.heads;
  encoder.ffn_dim = source.ffn;
  encoder.activation = source.activation;
  encoder.layer_norm_eps = settings.epsilon;
  encoder.norm = source.norm;
  encoder.position = source.position;
  encoder.embed_scale = source.scaled;
  encoder.embedding_norm = reader.has("encoder/layernorm_embedding/gamma");
  encoder.first_position = source.position == Position::sinusoidal ? 1 : 2;
  if (source.final_norm != (source.norm == NormPlace::pre)) {
    encoder.final_norm = source.final_norm;
  }
  reader.tables("encoder", source);
  reader.encoder(encoder);
  std::int64_t target_rows = 0;
  if (reader.has("decoder/layer_0/self_attention/linear_0/weight")) {
    const StackForm target = reader.form("decoder");
    DecoderConfig decoder;
    decoder.layers = target.layers;
    decoder.d_model = target.d;
    decoder.heads = target.heads;
    decoder.ffn_dim = target.ffn;
    decoder.activation = target.activation;
    decoder.layer_norm_eps = settings.epsilon;
    decoder.norm = target.norm;
    decoder.position = target.position;
    decoder.embed_scale = target.scaled;
    decoder.first_position = target.position == Position::sinusoidal ? 1 : 2;
    decoder.output_bias = reader.has("decoder/projection/bias");
    if (target.final_norm != (target.norm == NormPlace::pre)) {
      decoder.final_norm = target.final_norm;
    }
    reader.tables("decoder", target);
    reader.decoder(decoder, target.tokens);
    target_rows = target.tokens;
    model.target_positions = target.positions > 0 ? target.positions + kFirstRow : 0;
    model.config.decoder = decoder;
  }
  if (reader.attributes().get("", "with_source_bos", 0.0) != 0.0) {
    throw ModelError(fmt::format("{}: with_source_bos = 1 is not supported", weights.file()));
  }
  model.config.tokenizer.sentence_end =
      settings.source_eos || reader.attributes().get("", "with_source_eos", 0.0) != 0.0;
  plan.finish(fmt::format("a Transformer of CTranslate2 with {} layers", source.layers));
  if (values) {
    plan.keep_vocabulary(source.tokens);
    model.stored = stored;
  }
  set_ctranslate2_vocabularies(model, plan, folder, settings, source.tokens, target_rows);
  model.positions = source.positions > 0 ? source.positions + kFirstRow : 0;
  model.tensor_types = plan.types();
  model.weights_sha256 = weights.sha256();
  model.source = source_name(folder, "");
  model.license = license_of(folder);
  return model;
}

}  // namespace mog::model
