// State dicts around torch.nn.TransformerEncoder. The weights do not say how many heads there are, where the
// norms stand, which activation is used, whether embeddings are scaled and what is added as position: the
// description beside the file does.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>
#include <set>
#include <system_error>

#include "io/recording/errors.h"
#include "io/text/input_file.h"
#include "io/text/json_check.h"
#include "model/config/config_reader.h"
#include "model/foreign/blueprint.h"
#include "model/foreign/checkpoint_file.h"
#include "model/foreign/source_text.h"
#include "model/foreign/tensor_plan.h"
#include "model/tokenizer/tokenizer.h"

namespace mog::model {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 20U;
constexpr std::int64_t kMostSize = std::int64_t{1} << 20;
constexpr const char* kLayer = "layers.0.self_attn.in_proj_weight";

const std::vector<std::pair<Activation, std::string_view>> kActivations = {
    {Activation::relu, "relu"},
    {Activation::gelu, "gelu"},
    {Activation::gelu_tanh, "gelu_tanh"},
    {Activation::silu, "silu"}};
const std::vector<std::pair<NormPlace, std::string_view>> kNorms = {{NormPlace::post, "post"},
                                                                    {NormPlace::pre, "pre"}};

// What stands before "layers.0. …": "transformer_encoder.", "encoder.", "". Only encoders: a decoder has
// multihead_attn too.
std::optional<std::string> prefix_of(const ForeignWeights& weights) {
  for (const io::TensorInfo* const info : weights.tensors()) {
    const std::string_view name = info->name;
    if (name.ends_with(kLayer) && (name.size() == std::string_view(kLayer).size() ||
                                   name[name.size() - std::string_view(kLayer).size() - 1] == '.')) {
      const std::string prefix(name.substr(0, name.size() - std::string_view(kLayer).size()));
      if (weights.find(prefix + "layers.0.linear1.weight") != nullptr &&
          weights.find(prefix + "layers.0.multihead_attn.in_proj_weight") == nullptr) {
        return prefix;
      }
    }
  }
  return std::nullopt;
}

fs::path description_of(const fs::path& file) {
  fs::path path = file;
  return path.replace_extension(".json");
}

struct Described {
  std::int64_t heads = 0;
  std::string embedding;
  std::string positions;  // "none", "sinusoidal" or a tensor
  std::int64_t pad = 0, bos = 0, eos = 0, unk = 0;
  bool sentence_end = true;
  bool lowercase = false;
};

// Reads the description and `options` into `encoder`; what neither says is refused by name.
class Description {
 public:
  Description(const fs::path& model, const ForeignOptions& options)
      : path_(description_of(model)), model_(model.string()), options_(options) {
    std::error_code error;
    if (fs::exists(path_, error)) {
      const std::string text = io::read_file(path_, "the description of the model", kMostBytes);
      io::check_json(text, path_.string());
      document_ = Json::parse(text);
    }
  }

  // An option stands in for its key; where both are there, the caller compares them (check_options).
  Described read(EncoderConfig& encoder) {
    ConfigReader reader(document_, path_.string(), "");
    require_all(reader);
    Described said;
    said.heads = reader.has("heads") ? reader.integer("heads", 1, kMostSize) : *options_.heads;
    encoder.norm = reader.has("norm") ? reader.choice("norm", kNorms) : *options_.norm;
    encoder.activation =
        reader.has("activation") ? reader.choice("activation", kActivations) : *options_.activation;
    encoder.embed_scale = reader.boolean("embed_scale");
    said.positions = reader.text("positions");
    encoder.layer_norm_eps =
        reader.has("layer_norm_eps") ? reader.number_above_zero("layer_norm_eps", 1.0) : 1e-5;
    said.embedding = reader.has("embedding") ? reader.text("embedding") : "";
    for (const auto& [key, id] : {std::pair{"pad_id", &said.pad},
                                  {"bos_id", &said.bos},
                                  {"eos_id", &said.eos},
                                  {"unk_id", &said.unk}}) {
      *id = reader.integer(key, 0, std::int64_t{1} << 24);
    }
    said.sentence_end = reader.has("sentence_end") ? reader.boolean("sentence_end") : true;
    said.lowercase = reader.has("lowercase") ? reader.boolean("lowercase") : false;
    reader.finish();
    return said;
  }

 private:
  // Names everything that is missing at once.
  void require_all(const ConfigReader& reader) const {
    std::vector<std::string> keys;
    std::vector<std::string> options;
    const auto require = [&](const char* key, bool given, const char* option) {
      if (!given && !reader.has(key)) {
        keys.push_back(fmt::format("\"{}\"", key));
        if (*option != '\0') {
          options.emplace_back(option);
        }
      }
    };
    require("heads", options_.heads.has_value(), "--heads");
    require("norm", options_.norm.has_value(), "--norm");
    require("activation", options_.activation.has_value(), "--activation");
    for (const char* const key : {"embed_scale", "positions", "pad_id", "bos_id", "eos_id", "unk_id"}) {
      require(key, false, "");
    }
    if (!keys.empty()) {
      throw ModelError(fmt::format(
          "opening the model {}: the weights of a torch.nn.TransformerEncoder do not say {}; write {} into "
          "{}{}",
          model_, fmt::join(keys, ", "), keys.size() == 1 ? "it" : "them", path_.string(),
          options.empty() ? "" : fmt::format(" ({} of mog convert may stand in)", fmt::join(options, ", "))));
    }
  }
  fs::path path_;
  std::string model_;
  const ForeignOptions& options_;
  Json document_ = Json::object();
};

std::int64_t layers_in(const ForeignWeights& weights, const std::string& prefix) {
  std::int64_t layers = 0;
  while (weights.find(fmt::format("{}layers.{}.self_attn.in_proj_weight", prefix, layers)) != nullptr) {
    ++layers;
  }
  return layers;
}

std::int64_t extent(const ForeignWeights& weights, const std::string& name, std::size_t axis) {
  const io::TensorInfo* const info = weights.find(name);
  return info == nullptr || info->shape.size() <= axis ? 0 : info->shape[axis];
}

// The one table of `rows` rows outside the encoder, unless the description names it.
std::string embedding_of(const ForeignWeights& weights, const std::string& prefix, const std::string& named,
                         std::int64_t rows, std::int64_t d, const fs::path& file) {
  if (!named.empty()) {
    return named;
  }
  std::vector<std::string> found;
  for (const io::TensorInfo* const info : weights.tensors()) {
    const bool inside = info->name.starts_with(prefix + "layers.");
    if (!inside && info->shape == std::vector<std::int64_t>{rows, d}) {
      found.push_back(info->name);
    }
  }
  if (found.empty()) {
    // One table of another size: then vocab.txt is the wrong one.
    std::vector<const io::TensorInfo*> tables;
    for (const io::TensorInfo* const info : weights.tensors()) {
      if (!info->name.starts_with(prefix + "layers.") && info->shape.size() == 2 && info->shape[1] == d &&
          info->name.find("emb") != std::string::npos) {
        tables.push_back(info);
      }
    }
    if (tables.size() == 1) {
      throw ModelError(fmt::format("{}: the embedding table {} is {}, but vocab.txt beside it has {} tokens",
                                   weights.file(), tables.front()->name, shape_text(tables.front()->shape),
                                   rows));
    }
  }
  if (found.size() != 1) {
    throw ModelError(
        fmt::format("{}: {} tensors outside the encoder have the shape [{}, {}] of an embedding table{}{}; "
                    "name it as \"embedding\" in {}",
                    weights.file(), found.size(), rows, d, found.empty() ? "" : ": ", shortened(found),
                    description_of(file).string()));
  }
  return found.front();
}

// [P, d], [P, 1, d] or [1, P, d] as [P, d].
std::int64_t plan_positions(TensorPlan& plan, const ForeignWeights& weights, const std::string& name,
                            std::int64_t d) {
  const io::TensorInfo* const info = weights.find(name);
  const std::vector<std::int64_t> shape = info == nullptr ? std::vector<std::int64_t>() : info->shape;
  const std::int64_t rows = info == nullptr ? 0 : info->elements() / d;
  if (info == nullptr) {
    throw ModelError(
        fmt::format("{}: there is no tensor {}, which the description names as \"positions\"; "
                    "\"none\" and \"sinusoidal\" need no tensor",
                    weights.file(), name));
  }
  const bool fits = shape == std::vector<std::int64_t>{rows, d} ||
                    shape == std::vector<std::int64_t>{rows, 1, d} ||
                    shape == std::vector<std::int64_t>{1, rows, d};
  if (!fits) {
    throw ModelError(fmt::format("{}: tensor {}: positions are [P, {}], [P, 1, {}] or [1, P, {}], found {}",
                                 weights.file(), name, d, d, d, shape_text(shape)));
  }
  plan.tensor("encoder.embed_positions.weight", {name}, shape, [=](const HostTensor& table) {
    return position_table(table.reshaped({rows, d}), 0, rows);
  });
  return rows + kFirstRow;
}

void plan_encoder(TensorPlan& plan, const std::string& prefix, const EncoderConfig& encoder) {
  const std::int64_t d = encoder.d_model;
  plan.own(prefix + "layers.");
  plan.own(prefix + "norm.");
  for (std::int64_t layer = 0; layer < encoder.layers; ++layer) {
    const std::string ours = fmt::format("encoder.layers.{}.", layer);
    const std::string theirs = fmt::format("{}layers.{}.", prefix, layer);
    std::int64_t first = 0;
    for (const char* const map : {"q_proj", "k_proj", "v_proj"}) {
      plan.joined(ours + "self_attn." + map, theirs + "self_attn.in_proj_weight",
                  theirs + "self_attn.in_proj_bias", 3 * d, first, d, d);
      first += d;
    }
    plan.linear(ours + "self_attn.out_proj", theirs + "self_attn.out_proj", d, d);
    plan.linear(ours + "fc1", theirs + "linear1", encoder.ffn_dim, d);
    plan.linear(ours + "fc2", theirs + "linear2", d, encoder.ffn_dim);
    plan.norm(ours + "attn_layer_norm", {theirs + "norm1"}, d);
    plan.norm(ours + "ffn_layer_norm", {theirs + "norm2"}, d);
  }
  if (encoder.ends_with_norm()) {
    plan.norm("encoder.layer_norm", {prefix + "norm"}, d);
  }
}

std::vector<std::string> vocabulary_beside(const fs::path& file) {
  const fs::path path = fs::absolute(file).parent_path() / "vocab.txt";
  std::error_code error;
  if (!fs::exists(path, error)) {
    throw FormatError(
        fmt::format("opening the model {}: vocab.txt is missing beside it (one token a line, in the "
                    "order of the ids)",
                    file.string()));
  }
  const Vocabulary vocabulary = Vocabulary::read(path);
  std::vector<std::string> tokens;
  for (std::int64_t id = 0; id < vocabulary.size(); ++id) {
    tokens.push_back(vocabulary.token(id));
  }
  return tokens;
}

}  // namespace

bool is_torch_encoder(const ForeignWeights& weights) {
  return prefix_of(weights).has_value();
}

ForeignModel read_torch_encoder(const fs::path& file, ForeignWeights given, const ForeignOptions& options) {
  const std::string prefix = *prefix_of(given);
  const auto stored = std::make_shared<PlannedWeights>(std::move(given), std::vector<std::string>{""},
                                                       std::vector<std::string>{prefix + kLayer});
  TensorPlan& plan = stored->plan();
  const ForeignWeights& weights = plan.weights();
  ForeignModel model;
  EncoderConfig& encoder = model.config.encoder;
  encoder.kind = EncoderKind::transformer;
  const Described said = Description(file, options).read(encoder);
  encoder.layers = layers_in(weights, prefix);
  encoder.d_model = encoder.attention_dim = extent(weights, prefix + kLayer, 1);
  encoder.ffn_dim = extent(weights, prefix + "layers.0.linear1.weight", 0);
  encoder.heads = said.heads;
  if (encoder.d_model < 1 || encoder.d_model % said.heads != 0) {
    throw ModelError(fmt::format("{}: heads = {} does not divide the width {} of {}{}", weights.file(),
                                 said.heads, encoder.d_model, prefix, kLayer));
  }
  const bool normed = weights.find(prefix + "norm.weight") != nullptr;
  if (normed != (encoder.norm == NormPlace::pre)) {
    encoder.final_norm = normed;
  }
  const std::vector<std::string> tokens = vocabulary_beside(file);
  const auto rows = static_cast<std::int64_t>(tokens.size());
  const std::int64_t d = encoder.d_model;
  plan.tensor("encoder.embed_tokens.weight", {embedding_of(weights, prefix, said.embedding, rows, d, file)},
              {rows, d});
  if (said.positions == "none" || said.positions == "sinusoidal") {
    encoder.position = said.positions == "none" ? Position::none : Position::sinusoidal;
  } else {
    encoder.position = Position::fixed;
    model.positions = plan_positions(plan, weights, said.positions, d);
  }
  plan_encoder(plan, prefix, encoder);
  plan.finish(fmt::format("a torch.nn.TransformerEncoder with {} layers", encoder.layers));
  if (!plan.left_out().empty()) {
    model.notes.push_back(fmt::format("left out, no part of the encoder: {}", shortened(plan.left_out())));
  }
  model.config.pad_id = said.pad;
  model.config.bos_id = said.bos;
  model.config.eos_id = said.eos;
  model.config.unk_id = said.unk;
  for (const std::int64_t id : {said.pad, said.bos, said.eos, said.unk}) {
    if (id >= rows) {
      throw ModelError(fmt::format("{}: the id {} is not below the {} tokens of vocab.txt",
                                   description_of(file).string(), id, rows));
    }
  }
  model.config.tokenizer.lowercase = said.lowercase;
  model.config.tokenizer.sentence_end = said.sentence_end;
  set_plain_tokenizer(model, tokens, {}, std::nullopt);
  model.tensor_types = plan.types();
  model.weights_sha256 = plan.weights().sha256();
  model.source = source_name(file, "");
  if (options.weights) {
    plan.keep_vocabulary(rows);
    model.stored = stored;
  }
  return model;
}

}  // namespace mog::model
