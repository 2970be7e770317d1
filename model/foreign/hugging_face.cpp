#include "model/foreign/hugging_face.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <span>
#include <system_error>
#include <utility>

#include "io/recording/errors.h"
#include "io/text/input_file.h"
#include "io/text/json_check.h"
#include "model/foreign/blueprint.h"
#include "model/foreign/hf_target.h"
#include "model/foreign/import_advice.h"
#include "model/foreign/source_text.h"
#include "model/tokenizer/loading/foreign_tokenizer.h"

namespace mog::model {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::uint64_t kMostConfigBytes = std::uint64_t{16} << 20U;

struct Family {
  std::string_view type;
  Blueprint (*read)(HfConfig&);
};

constexpr std::array kFamilies = std::to_array<Family>({{"bert", bert_blueprint},
                                                        {"electra", bert_blueprint},
                                                        {"roberta", roberta_blueprint},
                                                        {"xlm-roberta", roberta_blueprint},
                                                        {"camembert", roberta_blueprint},
                                                        {"distilbert", distilbert_blueprint},
                                                        {"albert", albert_blueprint},
                                                        {"mpnet", mpnet_blueprint},
                                                        {"big_bird", big_bird_blueprint},
                                                        {"longformer", longformer_blueprint},
                                                        {"deberta", deberta_blueprint},
                                                        {"deberta-v2", deberta_blueprint},
                                                        {"modernbert", modernbert_blueprint},
                                                        {"nomic_bert", nomic_bert_blueprint},
                                                        {"new", gte_blueprint},
                                                        {"gte", gte_blueprint},
                                                        {"jina_embeddings_v3", jina_v3_blueprint},
                                                        {"eurobert", eurobert_blueprint},
                                                        {"esm", esm_blueprint},
                                                        {"bart", bart_blueprint},
                                                        {"mbart", bart_blueprint},
                                                        {"marian", marian_blueprint},
                                                        {"pegasus", pegasus_blueprint},
                                                        {"m2m_100", m2m_100_blueprint},
                                                        {"t5", t5_blueprint},
                                                        {"mt5", t5_blueprint},
                                                        {"gpt2", gpt2_blueprint},
                                                        {"gpt_bigcode", gpt2_blueprint},
                                                        {"gpt_neo", gpt_neo_blueprint},
                                                        {"gpt_neox", gpt_neox_blueprint},
                                                        {"gptj", gptj_blueprint},
                                                        {"opt", opt_blueprint},
                                                        {"bloom", bloom_blueprint},
                                                        {"mpt", mpt_blueprint},
                                                        {"falcon", falcon_blueprint},
                                                        {"llama", llama_blueprint},
                                                        {"mistral", llama_blueprint},
                                                        {"ministral", llama_blueprint},
                                                        {"smollm3", llama_blueprint},
                                                        {"seed_oss", llama_blueprint},
                                                        {"qwen2", qwen_blueprint},
                                                        {"qwen3", qwen_blueprint},
                                                        {"gemma", gemma_blueprint},
                                                        {"gemma2", gemma_blueprint},
                                                        {"gemma3_text", gemma_blueprint},
                                                        {"phi", phi_blueprint},
                                                        {"phi3", phi3_blueprint},
                                                        {"olmo", olmo_blueprint},
                                                        {"olmo2", olmo_blueprint},
                                                        {"olmo3", olmo_blueprint},
                                                        {"stablelm", stablelm_blueprint},
                                                        {"starcoder2", starcoder2_blueprint},
                                                        {"cohere", cohere_blueprint},
                                                        {"cohere2", cohere_blueprint},
                                                        {"granite", granite_blueprint},
                                                        {"minicpm", minicpm_blueprint},
                                                        {"glm", glm_blueprint},
                                                        {"glm4", glm_blueprint}});

// What others need that is not there.
struct Missing {
  std::string_view types;  // with spaces around each
  std::string_view what;
};

constexpr std::array kMissing = {
    Missing{" led longt5 ", "attention within a sliding window in an encoder-decoder"},
    Missing{" mixtral qwen2_moe qwen3_moe olmoe granitemoe phimoe dbrx deepseek_v2 deepseek_v3 gpt_oss ",
            "a router and experts in its feed-forward blocks"},
    Missing{" mamba mamba2 rwkv jamba zamba zamba2 recurrent_gemma falcon_mamba falcon_h1 bamba ",
            "a recurrence in place of attention"},
    Missing{" gemma3 llama4 mistral3 qwen2_vl qwen2_5_vl paligemma llava mllama ",
            "a reader of texts and pictures: give the folder of its text model"},
    Missing{" bigbird_pegasus ", "block-sparse attention"},
    Missing{" umt5 ", "a table of relative positions in each layer"},
    Missing{" xlnet transfo-xl ", "Transformer-XL's relative attention"},
    Missing{" funnel ", "pooling between its layers"},
    Missing{" convbert ", "convolutions beside its attention"},
    Missing{" mobilebert ", "bottlenecks around its layers"},
    Missing{" squeezebert ", "grouped convolutions in place of linear maps"},
    Missing{" reformer ", "attention within hash buckets"},
    Missing{" fnet ", "Fourier transforms in place of attention"},
    Missing{" nystromformer yoso mra ", "an approximation in place of attention"},
    Missing{" canine ", "hashed characters in place of pieces"},
    Missing{" nllb-moe switch_transformers ", "experts in its feed-forward blocks"},
    Missing{" xmod ", "adapters for languages"},
    Missing{" megatron-bert xlm-roberta-xl roberta-prelayernorm ",
            "BERT's layers with norms before their blocks"},
    Missing{" xlm flaubert rembert nezha ernie data2vec-text luke layoutlm ibert splinter blenderbot "
            "blenderbot-small plbart fsmt prophetnet mvp ",
            "a reader of its configuration and names"},
    Missing{" codegen biogpt ctrl xglm openai-gpt persimmon nemotron exaone arcee ernie4_5 apertus roformer "
            "neobert internlm2 modernbert-decoder gemma3n ",
            "a reader of its configuration and names"}};

std::string missing_of(const std::string& type) {
  for (const Missing& missing : kMissing) {
    if (missing.types.find(" " + type + " ") != std::string_view::npos) {
      return fmt::format(": what is missing is {}", missing.what);
    }
  }
  return "";
}

std::string supported_types() {
  std::string text;
  for (const Family& family : kFamilies) {
    text += (text.empty() ? "" : ", ") + std::string(family.type);
  }
  return text;
}

Blueprint read_blueprint(HfConfig& config) {
  const std::string type = config.model_type();
  const std::string classes = config.architectures();
  // Old files of BERT have no model_type.
  const std::string_view wanted =
      type.empty() && classes.starts_with("Bert") ? std::string_view("bert") : type;
  for (const Family& family : kFamilies) {
    if (family.type == wanted) {
      Blueprint blueprint = family.read(config);
      config.finish(std::string(wanted));
      return blueprint;
    }
  }
  throw ModelError(fmt::format("{}: the model type {}{} is not supported{}; supported: {}", config.file(),
                               type.empty() ? "(none)" : type.substr(0, 80),
                               classes.empty() ? "" : fmt::format(" ({})", classes.substr(0, 200)),
                               missing_of(type), supported_types()));
}

// Of a model whose texts need no frame: config.json says what begins and ends one. Where it names no token of
// the vocabulary, and for those that it lacks, the end stands in.
void set_free_ids(ModelConfig& config, const ForeignTokenizer& tokenizer, HfConfig& file) {
  const std::int64_t tokens = tokenizer.tokenizer->vocabulary().size();
  const auto known = [&](std::optional<std::int64_t> id, std::int64_t otherwise) {
    return id && *id < tokens ? *id : otherwise;
  };
  config.eos_id = known(file.first_id("eos_token_id"), known(tokenizer.last, 0));
  config.bos_id = known(tokenizer.first, known(file.first_id("bos_token_id"), config.eos_id));
  config.unk_id = known(tokenizer.unknown, config.eos_id);
  config.pad_id = known(tokenizer.padding, known(file.first_id("pad_token_id"), config.eos_id));
}

// Ids of the source's frame.
void set_ids(ModelConfig& config, const ForeignTokenizer& tokenizer, const Blueprint& blueprint,
             const fs::path& folder, HfConfig& file) {
  if (!blueprint.framed) {
    set_free_ids(config, tokenizer, file);
    return;
  }
  const std::int64_t tokens = tokenizer.tokenizer->vocabulary().size();
  const auto last = tokenizer.last ? tokenizer.last : tokenizer.first;
  if (!last) {
    throw ModelError(
        fmt::format("opening the model {}: its tokenizer puts no special token at either end of a "
                    "sentence; such models are not supported{}",
                    folder.string(), kImportAdvice));
  }
  config.eos_id = *last;
  config.bos_id = tokenizer.first.value_or(*last);
  config.unk_id = tokenizer.unknown.value_or(*last);
  const auto pad = tokenizer.padding ? tokenizer.padding : blueprint.pad_id;
  if (!pad || *pad >= tokens) {
    throw ModelError(
        fmt::format("opening the model {}: its vocabulary of {} tokens lacks the token of padding "
                    "([PAD], <pad>, or pad_token_id of config.json)",
                    folder.string(), tokens));
  }
  config.pad_id = *pad;
}

void add_notes(ForeignModel& model, const Blueprint& blueprint, const TensorPlan& plan,
               const ForeignTokenizer& tokenizer) {
  if (!plan.left_out().empty()) {
    model.notes.push_back(fmt::format("left out, no part of the {}: {}",
                                      blueprint.target ? "encoder or decoder" : "encoder",
                                      shortened(plan.left_out())));
  }
  model.notes.insert(model.notes.end(), blueprint.notes.begin(), blueprint.notes.end());
  if (model.config.vocab_size < blueprint.vocabulary) {
    model.notes.push_back(fmt::format("the last {} rows of the embedding table belong to no token and are {}",
                                      blueprint.vocabulary - model.config.vocab_size,
                                      blueprint.target ? "kept in the decoder alone"
                                      : blueprint.language_model
                                          ? "kept, as they have a share in every probability"
                                          : "left out"));
  }
  for (const std::string& note : tokenizer.notes) {
    model.notes.push_back("tokenizer.json: " + note);
  }
}

// Stored as one row.
void plan_output_bias(TensorPlan& plan, std::int64_t vocabulary) {
  if (plan.has(kOutputBias)) {
    plan.tensor("decoder.output_projection.bias", {kOutputBias}, {1, vocabulary},
                [vocabulary](const HostTensor& row) { return row.slice_flat(0, {vocabulary}); });
  }
}

// Of two of the same shape, block by block.
bool same_values(const ForeignWeights& weights, const std::string& one, const std::string& other) {
  constexpr std::int64_t kBlock = std::int64_t{1} << 20U;
  const std::int64_t size = weights.find(one)->elements();
  std::vector<float> left(static_cast<std::size_t>(std::min(kBlock, size)));
  std::vector<float> right(left.size());
  for (std::int64_t first = 0; first < size; first += kBlock) {
    const auto count = static_cast<std::size_t>(std::min(kBlock, size - first));
    const auto read = [&](const std::string& name, std::vector<float>& into) {
      weights.read_floats(name, first, DType::float32, std::as_writable_bytes(std::span(into).first(count)));
    };
    read(one, left);
    read(other, right);
    if (!std::ranges::equal(std::span(left).first(count), std::span(right).first(count))) {
      return false;
    }
  }
  return true;
}

// Of a configuration that ties the map to the embeddings: whether the file has another map all the same,
// which transformers uses then. Without values it cannot be said, and the configuration is believed.
bool has_other_map(const Blueprint& blueprint, const TensorPlan& plan, const std::string& map, bool values) {
  const std::string embeddings = plan.prefix() + blueprint.anchors.front();
  const io::TensorInfo* const table = plan.weights().find(embeddings);
  const io::TensorInfo* const own = plan.weights().find(map);
  return table != nullptr && own != nullptr &&
         (table->shape != own->shape || (values && !same_values(plan.weights(), embeddings, map)));
}

// The map to the next token: the file's own, else the embeddings where the configuration says so; else there
// is none, as in files of the stack alone.
void plan_language_model(Blueprint& blueprint, TensorPlan& plan, bool values) {
  if (!blueprint.language_model) {
    return;
  }
  LanguageModelConfig& head = *blueprint.language_model;
  const std::int64_t width = head.width > 0 ? head.width : blueprint.encoder.d_model;
  for (const char* const name : {"/lm_head", "/embed_out"}) {
    const std::string weight = std::string(name) + ".weight";
    const std::string bias = std::string(name) + ".bias";
    if (!plan.has(weight)) {
      continue;
    }
    if (head.share_embedding && has_other_map(blueprint, plan, weight.substr(1), values)) {
      head.share_embedding = false;
      blueprint.notes.push_back(
          fmt::format("config.json ties the map to the next token to the embeddings, but {} differs from "
                      "them and is used",
                      weight.substr(1)));
    }
    if (head.share_embedding) {  // a copy
      plan.ignore(weight);
    } else {
      plan.tensor("language_model.weight", {weight}, {blueprint.vocabulary, width});
    }
    head.bias = plan.has(bias);
    if (head.bias) {
      plan.tensor("language_model.bias", {bias}, {blueprint.vocabulary});
    }
    head.rows = blueprint.vocabulary;
    return;
  }
  head.rows = blueprint.vocabulary;
  if (!head.share_embedding && !blueprint.own_head) {
    blueprint.language_model.reset();
  }
}

}  // namespace

bool is_hugging_face_config(std::string_view json) noexcept {
  try {
    io::check_json(json, "config.json");
    const Json document = Json::parse(json);
    return document.is_object() && !document.contains("format") &&
           (document.contains("model_type") || document.contains("architectures"));
  } catch (const std::exception&) {
    return false;
  }
}

ForeignModel assemble(const HfParts& parts, bool weights) {
  HfConfig& config = parts.config;
  Blueprint blueprint = with_import_advice([&] { return read_blueprint(config); });
  if (blueprint.pad_id && *blueprint.pad_id >= blueprint.vocabulary) {
    config.refuse("pad_token_id", fmt::format("vocab_size is {}", blueprint.vocabulary));
  }
  const auto stored =
      std::make_shared<PlannedWeights>(parts.tensors(), blueprint.prefixes, blueprint.anchors);
  TensorPlan& plan = stored->plan();
  blueprint.plan(plan);
  if (blueprint.target) {
    blueprint.target->plan(plan);
    plan_output_bias(plan, blueprint.target->vocabulary);
  }
  plan_language_model(blueprint, plan, weights);
  if (config.is_gguf()) {
    plan.own_all();
  }
  plan.finish(blueprint.what);
  ForeignTokenizer tokenizer = with_import_advice(parts.tokenizer);
  const std::int64_t tokens = tokenizer.tokenizer->vocabulary().size();
  if (tokens > blueprint.vocabulary) {
    throw ModelError(
        fmt::format("opening the model {}: its tokenizer has {} tokens, but config.json has "
                    "vocab_size = {}",
                    parts.path.string(), tokens, blueprint.vocabulary));
  }
  ForeignModel model;
  model.config.encoder = blueprint.encoder;
  model.config.vocab_size = tokens;
  model.config.tokenizer = tokenizer.config;
  model.config.language_model = blueprint.language_model;
  if (model.config.language_model && model.config.language_model->rows == tokens) {
    model.config.language_model->rows = 0;
  }
  set_ids(model.config, tokenizer, blueprint, parts.path, config);
  model.positions = blueprint.positions;
  model.tensor_types = plan.types();
  model.weights_sha256 = plan.weights().sha256();
  model.source = parts.source;
  model.license = parts.license;
  add_notes(model, blueprint, plan, tokenizer);
  model.tokenizer_files = tokenizer.files;
  if (blueprint.target) {
    add_decoder(model, parts.path, *blueprint.target, plan, tokenizer, config);
  }
  model.tokenizer = std::move(tokenizer.tokenizer);
  model.wordpiece = std::move(tokenizer.wordpiece);
  if (weights) {
    const bool shared = blueprint.language_model && blueprint.language_model->share_embedding;
    plan.keep_vocabulary(shared ? blueprint.vocabulary : tokens);
    model.stored = stored;
  }
  return model;
}

ForeignModel read_hugging_face(const fs::path& folder, bool weights) {
  const std::string json = io::read_file(folder / "config.json", "the model configuration", kMostConfigBytes);
  HfConfig config(json, folder / "config.json");
  const std::string name = config.text("_name_or_path", "");
  return assemble({.path = folder,
                   .config = config,
                   .tensors = [&] { return ForeignWeights::of_folder(folder, weights); },
                   .tokenizer = [&] { return read_foreign_tokenizer(folder); },
                   .source = source_name(folder, name),
                   .license = license_of(folder)},
                  weights);
}

}  // namespace mog::model
