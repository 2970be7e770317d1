#include "model/model_directory.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <system_error>
#include <utility>

#include "io/checkpoint/safetensors.h"
#include "io/recording/errors.h"
#include "io/recording/pieces.h"
#include "io/text/input_file.h"
#include "io/text/output_file.h"
#include "io/text/sha256.h"
#include "model/foreign/foreign_model.h"
#include "model/model.h"
#include "model/stored_model.h"
#include "model/tensor_table.h"
#include "model/unfinished_model.h"
#include "model/weights/stored_weights.h"

namespace mog::model {
namespace {

constexpr const char* kConfig = "config.json";
constexpr const char* kWeights = "model.safetensors";
constexpr const char* kCard = "README.md";
constexpr std::uint64_t kMostConfigBytes = std::uint64_t{16} << 20U;
constexpr std::int64_t kLeastPositions = 3;  // positions count from 2

void require_file(const std::filesystem::path& directory, const std::string& name, const std::string& why) {
  std::error_code error;
  if (!std::filesystem::exists(directory / name, error)) {
    throw FormatError(fmt::format("opening the model {}: {} is missing{}", directory.string(), name, why));
  }
}

bool floating(const io::TensorInfo& info) {
  return info.dtype == "F32" || info.dtype == "F16" || info.dtype == "BF16" || info.scales_at;
}

bool same_shape(const TensorSpec& spec, const io::TensorInfo& info) {
  const bool positions = spec.name.ends_with("embed_positions.weight");
  if (positions && info.shape.size() == 2) {
    return info.shape[0] >= kLeastPositions && info.shape[1] == spec.shape[1];
  }
  return info.shape == spec.shape;
}

std::string some(const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 3;
  const std::size_t shown = std::min(kShown, names.size());
  std::string text =
      fmt::format("{}", fmt::join(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(shown), ", "));
  return names.size() > shown ? fmt::format("{} and {} more", text, names.size() - shown) : text;
}

// The weights must have exactly the tensors that the configuration demands, in their shapes.
void check_tensors(const std::string& file, const ModelConfig& config, const io::TensorList& list) {
  std::map<std::string_view, const io::TensorInfo*> stored;
  for (const io::TensorInfo& info : list.tensors) {
    stored.emplace(info.name, &info);
  }
  std::vector<std::string> missing;
  for (const TensorSpec& spec : tensor_table(config)) {
    const auto found = stored.find(spec.name);
    if (found == stored.end()) {
      missing.push_back(spec.name);
      continue;
    }
    const io::TensorInfo& info = *found->second;
    if (!same_shape(spec, info)) {
      throw ModelError(fmt::format(
          "{}: tensor {}: config.json asks for {}, found {}", file, spec.name,
          spec.shape[0] == 0 ? fmt::format("[positions, {}]", spec.shape[1]) : shape_text(spec.shape),
          shape_text(info.shape)));
    }
    if (!floating(info)) {
      throw ModelError(
          fmt::format("{}: tensor {}: weights are F32, F16, BF16, or I8 with a float32 scale a row "
                      "({}_scale, [rows, 1]); found {}",
                      file, spec.name, spec.name, info.dtype));
    }
    stored.erase(found);
  }
  std::vector<std::string> extra;
  extra.reserve(stored.size());
  for (const auto& [name, info] : stored) {
    extra.emplace_back(name);
  }
  if (!missing.empty() || !extra.empty()) {
    throw ModelError(fmt::format("{}: the tensors do not fit config.json: {}{}{}{}{}", file,
                                 missing.empty() ? "" : "missing ", some(missing),
                                 missing.empty() || extra.empty() ? "" : "; ",
                                 extra.empty() ? "" : "not asked for ", some(extra)));
  }
}

// Sizes and ids must agree with the lines of the vocabulary.
void check_vocabulary(const std::filesystem::path& file, const Vocabulary& vocabulary, std::int64_t size,
                      const char* key) {
  if (vocabulary.size() != size) {
    throw ModelError(fmt::format("{}: {} lines, but config.json has {} = {}", file.string(),
                                 vocabulary.size(), key, size));
  }
}

std::string tokenizer_hash(const std::filesystem::path& directory, const TokenizerConfig& config) {
  io::Sha256 hash;
  for (const std::string& name :
       {config.codes, config.file, config.vocab, config.target_vocab, config.target_file}) {
    if (!name.empty()) {
      hash.update(io::file_sha256(directory / name));
    }
  }
  hash.update(config.lowercase ? "lowercase" : "");
  return hash.hex();
}

std::int64_t position_rows(const io::TensorList& list, const char* name) {
  const io::TensorInfo* const info = list.find(name);
  return info == nullptr ? 0 : info->shape[0];
}

std::int64_t stored_parameters(const ModelConfig& config, const io::TensorList& list) {
  // Tables of encoder and decoder may differ in rows, so they are counted one by one.
  std::int64_t total = parameter_count(config, 0);
  if (config.encoder.position == Position::learned) {
    total += position_rows(list, "encoder.embed_positions.weight") * config.encoder.embedding_width();
  }
  if (config.decoder && config.decoder->position == Position::learned) {
    total += position_rows(list, "decoder.embed_positions.weight") * config.decoder->d_model;
  }
  return total;
}

ModelCard make_card(const std::filesystem::path& path, const ModelConfig& config) {
  ModelCard card;
  const auto clean = std::filesystem::absolute(path).lexically_normal();
  card.name = clean.has_filename() ? clean.filename().string() : clean.parent_path().filename().string();
  card.architecture = config.decoder ? "encoder_decoder" : "encoder";
  card.encoder_kind = name(config.encoder.kind);
  if (config.encoder.graph()) {
    card.fusion = config.encoder.fusion == Fusion::sum           ? "sum"
                  : config.encoder.fusion == Fusion::weight_gate ? "weight_gate"
                                                                 : "self_gate";
    card.first_layer = config.encoder.first_layer == FirstLayer::plain ? "plain" : "incremental";
  }
  card.bidirectional = config.encoder.bidirectional;
  card.causal = config.encoder.causal();
  card.layers = config.encoder.layers;
  card.heads = config.encoder.heads;
  card.d_model = config.encoder.d_model;
  card.attention_dim = config.encoder.attention_dim;
  card.ffn_dim = config.encoder.ffn_dim;
  card.decoder_layers = config.decoder ? config.decoder->layers : 0;
  card.vocabulary = config.vocab_size;
  card.tokenizer = name(config.tokenizer.kind);
  card.tasks = config.tasks;
  return card;
}

// How its tokens are spelled: what its decoder makes of the marks that begin words.
Pieces spelled_by(const Tokenizer& tokenizer) {
  const Pieces of_kind = pieces_of(tokenizer.kind());
  if (of_kind != Pieces::byte_bpe && of_kind != Pieces::sentencepiece) {
    return of_kind;
  }
  const std::vector<std::string> marked = {"a", "\u0120b", "\u2581c"};
  const std::string text = tokenizer.decode(marked).text;
  return text.starts_with("a b") ? Pieces::byte_bpe : text.ends_with(" c") ? Pieces::sentencepiece : of_kind;
}

// The learned table of one side, which parameter_count leaves at 0 rows.
std::int64_t table_parameters(Position position, std::int64_t rows, std::int64_t width) {
  return position == Position::learned ? rows * width : 0;
}

// A model of another program as if it had been converted. `stored`: where its weights go that are not read
// now; nullptr: they are read.
ModelDirectory open_foreign(const std::filesystem::path& path, const OpenOptions& options,
                            std::shared_ptr<const StoredWeights>* stored) {
  ForeignOptions wanted;
  wanted.weights = options.weights;
  wanted.later = stored != nullptr;
  ForeignModel foreign = read_foreign_model(path, wanted);
  ModelDirectory model;
  model.path = path;
  model.config = std::move(foreign.config);
  model.tokenizer = std::move(foreign.tokenizer);
  model.target_tokenizer = std::move(foreign.target_tokenizer);
  model.target_vocabulary = std::move(foreign.target_vocabulary);
  model.weights = std::move(foreign.weights);
  if (stored != nullptr) {
    *stored = std::move(foreign.stored);
  }
  model.card = make_card(path, model.config);
  model.card.tokenizer = with_pieces(model.card.tokenizer, spelled_by(*model.tokenizer));
  const std::int64_t d = model.config.encoder.d_model;
  model.card.parameters =
      parameter_count(model.config) + table_parameters(model.config.encoder.position, foreign.positions,
                                                       model.config.encoder.embedding_width());
  if (model.config.decoder) {
    model.card.parameters += table_parameters(model.config.decoder->position, foreign.target_positions, d);
  }
  model.card.config_json = to_json(model.config);
  model.card.weights_sha256 = foreign.weights_sha256;
  io::Sha256 hash;
  for (const auto& [file, bytes] : foreign.tokenizer_files) {
    hash.update(bytes);
  }
  model.card.tokenizer_sha256 = hash.hex();
  return model;
}

// A folder with weights and no word about them: which file to give.
std::string weights_hint(const std::filesystem::path& folder) {
  std::error_code error;
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const std::string ending = entry.path().extension().string();
    if (ending == ".pt" || ending == ".pth" || ending == ".ckpt" || ending == ".bin" ||
        ending == ".safetensors") {
      files.push_back(entry.path().string());
    }
  }
  if (files.empty()) {
    return "";
  }
  std::sort(files.begin(), files.end());
  return fmt::format(
      "; to open a checkpoint of fairseq or the weights of a torch.nn.TransformerEncoder, give the "
      "file: {}",
      files.front());
}

ModelDirectory open_any(const std::filesystem::path& path, const OpenOptions& options,
                        std::shared_ptr<const StoredWeights>* stored) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) {
    // A name of the Hugging Face hub ("bert-base-uncased") is no path here.
    throw UsageError(
        fmt::format("opening the model {}: there is no such directory, and no bundled model of this name; a "
                    "model of a hub is "
                    "opened from its folder (config.json, weights, tokenizer): `huggingface-cli download {} "
                    "--local-dir FOLDER` "
                    "makes one",
                    path.string(), path.is_absolute() ? "OWNER/NAME" : path.string()));
  }
  if (is_foreign_model(path)) {
    return open_foreign(path, options, stored);
  }
  ModelDirectory model;
  model.path = path;
  require_file(path, kConfig, ", so this is no model directory" + weights_hint(path));
  const std::string json = io::read_file(path / kConfig, "the model configuration", kMostConfigBytes);
  model.config = parse_config(json, path / kConfig);
  const ModelConfig& config = model.config;

  require_file(path, kWeights, "");
  const std::string weights = (path / kWeights).string();
  const io::TensorList list = io::list_tensors(path / kWeights);
  check_tensors(weights, config, list);

  for (const std::string& name : {config.tokenizer.vocab, config.tokenizer.codes, config.tokenizer.file,
                                  config.tokenizer.target_vocab, config.tokenizer.target_file}) {
    if (!name.empty()) {
      require_file(path, name, ", which config.json names");
    }
  }
  model.tokenizer = make_tokenizer(config.tokenizer, {config.eos_id, config.unk_id, config.bos_id}, path);
  check_vocabulary(path / config.tokenizer.vocab, model.tokenizer->vocabulary(), config.vocab_size,
                   "vocab_size");
  if (config.decoder) {
    model.target_tokenizer = make_target_tokenizer(config.tokenizer, path);
    const auto file = path / config.tokenizer.target_vocab;
    model.target_vocabulary = std::make_shared<const Vocabulary>(Vocabulary::read(file));
    check_vocabulary(file, *model.target_vocabulary, config.target_vocab_size, "target_vocab_size");
  }
  if (stored != nullptr) {
    *stored = weights_of_file(path / kWeights);
  } else if (options.weights) {
    model.weights = io::read_tensors(path / kWeights);
  }
  model.card = make_card(path, config);
  model.card.tokenizer = with_pieces(model.card.tokenizer, spelled_by(*model.tokenizer));
  model.card.parameters = stored_parameters(config, list);
  model.card.config_json = json;
  model.card.weights_sha256 = io::file_sha256(path / kWeights);
  model.card.tokenizer_sha256 = tokenizer_hash(path, config.tokenizer);
  return model;
}

}  // namespace

SystemDescription system_of(const ModelConfig& config) {
  return system_of(make_card("model", config));
}

ModelConfig config_of(const ImportedEncoder& encoder) {
  ModelConfig config;
  config.encoder.kind = encoder.order_groups ? EncoderKind::graph_transformer : EncoderKind::transformer;
  config.encoder.layers = encoder.layers;
  config.encoder.heads = encoder.heads;
  config.encoder.d_model = encoder.d_model;
  config.encoder.fusion = encoder.weight_gate ? Fusion::weight_gate : Fusion::sum;
  config.encoder.first_layer = encoder.plain_first_layer ? FirstLayer::plain : FirstLayer::incremental;
  return config;
}

ModelCard card_of(const ImportedEncoder& encoder) {
  const ModelCard whole = make_card("imported", config_of(encoder));
  ModelCard card;
  card.architecture = whole.architecture;
  card.encoder_kind = whole.encoder_kind;
  card.fusion = whole.fusion;
  card.first_layer = whole.first_layer;
  card.layers = encoder.layers;
  card.heads = encoder.heads;
  card.d_model = encoder.d_model;
  return card;
}

ModelCard describe_config(const std::string& name, const ModelConfig& config, std::int64_t positions) {
  ModelCard card = make_card(name, config);
  card.name = name;
  card.parameters = parameter_count(config, positions);
  card.config_json = to_json(config);
  return card;
}

ModelDirectory open_model_directory(const std::filesystem::path& path, const OpenOptions& options) {
  return open_any(path, options, nullptr);
}

StoredModel open_stored_model(const std::filesystem::path& path) {
  StoredModel model;
  static_cast<ModelDirectory&>(model) = open_any(path, {}, &model.stored);
  for (const char* const name : {"encoder.embed_positions.weight", "decoder.embed_positions.weight"}) {
    if (const std::optional<StoredTensor> table = model.stored->find(name)) {
      HostTensor values(DType::float32, table->shape);
      table->write(DType::float32, values.mutable_bytes());
      model.weights.emplace(name, std::move(values));
    }
  }
  return model;
}

void write_model_directory(const std::filesystem::path& path, const ModelConfig& config,
                           const std::map<std::string, HostTensor>& weights, io::WeightsType type,
                           const std::map<std::string, std::string>& tokenizer_files,
                           const std::string& card_markdown) {
  io::TensorList list;
  std::set<std::string> exact;
  for (const auto& [tensor_name, tensor] : weights) {
    if (scales_positions(tensor_name)) {
      exact.insert(tensor_name);
    }
    list.tensors.push_back({tensor_name, "F32", tensor.shape(), 0, 0});
  }
  check_tensors((path / kWeights).string(), config, list);
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) {
    throw StorageError(fmt::format("creating the model directory {}: {}", path.string(), error.message()));
  }
  // config.json comes last: a directory with it is complete.
  io::write_file(path / kUnfinishedModel, "Writing a model here did not come to its end.\n");
  for (const auto& [file, bytes] : tokenizer_files) {
    io::write_file(path / file, bytes);
  }
  io::write_weights(path / kWeights, weights, type, {{"format", "mog-model"}}, exact);
  io::write_file(path / kCard, card_markdown);
  io::write_file(path / kConfig, to_json(config));
  std::filesystem::remove(path / kUnfinishedModel, error);
}

}  // namespace mog::model
