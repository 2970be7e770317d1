#include "app/workflow/experiment/train_config.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numbers>
#include <sstream>

#include "app/workflow/experiment/train_config_parts.h"

namespace mog::app {

namespace {

using nlohmann::json;

constexpr std::int64_t kMany = 1'000'000'000;

// Copies the keys of a TOML table over the JSON of a default configuration, which knows all keys and types;
// the ranges are model::parse_config's.
void overlay(TomlTable table, json& target) {
  for (const auto& [name, old] : target.items()) {
    const toml::node* node = table.find(name);
    if (node == nullptr) {
      continue;
    }
    if (old.is_boolean() && node->is_boolean()) {
      target[name] = **node->as_boolean();
    } else if (old.is_string() && node->is_string()) {
      target[name] = **node->as_string();
    } else if (old.is_number_integer() && node->is_integer()) {
      target[name] = **node->as_integer();
    } else if (old.is_number_float() && node->is_number()) {
      target[name] = *node->value<double>();
    } else {
      table.fail(*node, name,
                 old.is_boolean()          ? "true or false"
                 : old.is_string()         ? "a string"
                 : old.is_number_integer() ? "a whole number"
                                           : "a number");
    }
  }
  table.finish();
}

// The JSON of an otherwise default model of this kind, for overlay().
json default_model(model::EncoderKind kind, bool translation, const TokenizerPlan& tokenizer) {
  model::ModelConfig config;
  config.encoder.kind = kind;
  if (config.encoder.recurrent()) {
    config.encoder.position = model::Position::none;  // the order of the steps says it
    config.encoder.embed_scale = false;
  }
  config.tokenizer.kind = tokenizer.kind;
  config.tokenizer.lowercase = tokenizer.lowercase;
  config.tokenizer.codes = tokenizer.kind == model::TokenizerKind::bpe ? "bpe.codes" : "";
  config.tokenizer.vocab = "vocab.txt";
  config.vocab_size = 5;  // replaced when the data are known
  if (translation) {
    config.decoder.emplace();
    config.target_vocab_size = 5;
    config.tokenizer.target_vocab = "target_vocab.txt";
  }
  json document = json::parse(model::to_json(config));
  // Written only where they say something.
  if (config.encoder.recurrent()) {
    document["encoder"]["embedding_dim"] = config.encoder.embedding_width();
    document["encoder"]["bidirectional"] = false;
  } else {
    document["encoder"]["embedding_norm"] = false;
  }
  return document;
}

// The line of the key of [model.encoder], [model.decoder] or [model.gret] that a message names first; 0: of
// none.
std::int64_t named_line(const toml::table& model, const std::string& message) {
  std::size_t first = std::string::npos;
  std::int64_t line = 0;
  for (const char* section : {"encoder", "decoder", "gret"}) {
    static const toml::table kNone;
    const toml::table* found_table = model[section].as_table();
    for (const auto& [name, node] : found_table == nullptr ? kNone : *found_table) {
      const std::string key = std::string(section) + "." + std::string(name.str());
      const std::size_t found = message.find(key);
      const bool whole = found != std::string::npos &&
                         (found + key.size() == message.size() ||
                          (std::isalnum(static_cast<unsigned char>(message[found + key.size()])) == 0 &&
                           message[found + key.size()] != '_'));
      if (whole && found < first) {
        first = found;
        line = static_cast<std::int64_t>(node.source().begin.line);
      }
    }
  }
  return line;
}

// model::parse_config with the line of the key that it complains of.
model::ModelConfig parse_model(const nlohmann::json& document, const toml::table& model,
                               const std::filesystem::path& file) {
  const auto placed = [&](const std::string& message) {
    const std::int64_t line = named_line(model, message);
    const std::string prefix = file.string() + ": ";
    const std::string what = message.starts_with(prefix) ? message.substr(prefix.size()) : message;
    return "Reading " + file.string() + (line > 0 ? ", line " + std::to_string(line) : std::string()) + ": " +
           what;
  };
  try {
    return model::parse_config(document.dump(), file);
  } catch (const FormatError& error) {
    throw FormatError(placed(error.what()));
  } catch (const ModelError& error) {
    throw ModelError(placed(error.what()));
  }
}

// [model.gret] over the defaults of its kind of pooling; its blocks are as wide as those of the encoder.
json read_gret(const toml::table& found, const std::filesystem::path& file, json document) {
  TomlTable table(found, "model.gret", file);
  const std::vector<model::CapsulePooling> poolings = model::capsule_poolings();
  std::vector<std::string_view> names;
  names.reserve(poolings.size());
  for (const model::CapsulePooling pooling : poolings) {
    names.push_back(model::name(pooling));
  }
  model::ModelConfig config;
  config.decoder.emplace();
  config.gret.emplace();
  if (const int at = table.choice("pooling", names); at >= 0) {
    config.gret->pooling = poolings[static_cast<std::size_t>(at)];
  }
  document["gret"] = json::parse(model::to_json(config))["gret"];
  if (document["gret"].contains("ffn_dim") && document["encoder"].contains("ffn_dim")) {
    document["gret"]["ffn_dim"] = document["encoder"]["ffn_dim"];
  }
  overlay(std::move(table), document["gret"]);
  return document;
}

model::ModelConfig read_model(TomlTable& root, const TokenizerPlan& tokenizer,
                              const std::filesystem::path& file) {
  root.require("model");
  TomlTable table(*root.table("model"), "model", file);
  table.require("architecture");
  const bool translation = table.choice("architecture", {"encoder", "encoder_decoder"}) == 1;
  table.require("encoder");
  const toml::table& encoder_table = *table.table("encoder");
  TomlTable encoder(encoder_table, "model.encoder", file);
  encoder.require("kind");
  const std::vector<model::EncoderKind> kinds = model::encoder_kinds();
  std::vector<std::string_view> names;
  names.reserve(kinds.size());
  for (const model::EncoderKind kind : kinds) {
    names.push_back(model::name(kind));
  }
  const model::EncoderKind kind = kinds[static_cast<std::size_t>(encoder.choice("kind", names))];
  model::EncoderConfig of_kind;
  of_kind.kind = kind;
  const bool recurrent = of_kind.recurrent();
  json document = default_model(kind, translation, tokenizer);
  overlay(encoder, document["encoder"]);
  const char* const width = recurrent ? "embedding_dim" : "attention_dim";
  if (!encoder.has(width)) {
    document["encoder"][width] = document["encoder"]["d_model"];
  }
  if (const toml::table* decoder = table.table("decoder")) {
    if (!translation) {
      throw ModelError("Reading " + file.string() + ", line " + std::to_string(decoder->source().begin.line) +
                       ": [model.decoder] needs architecture = \"encoder_decoder\".");
    }
    overlay(TomlTable(*decoder, "model.decoder", file), document["decoder"]);
    if (!decoder->contains("d_model")) {
      document["decoder"]["d_model"] = document["encoder"]["d_model"];
    }
  } else if (translation) {
    table.require("decoder");
  }
  if (const toml::table* gret = table.table("gret")) {
    if (!translation) {
      throw ModelError("Reading " + file.string() + ", line " + std::to_string(gret->source().begin.line) +
                       ": [model.gret] needs architecture = \"encoder_decoder\".");
    }
    document = read_gret(*gret, file, std::move(document));
  }
  table.finish();
  return parse_model(document, table.raw(), file);
}

TokenizerPlan read_tokenizer(TomlTable& root, const std::filesystem::path& file) {
  TokenizerPlan plan;
  root.require("tokenizer");
  TomlTable table(*root.table("tokenizer"), "tokenizer", file);
  std::string taken;
  table.read("model", taken);
  plan.model = taken;
  std::string words;
  table.read("words", words);
  if (!words.empty()) {
    constexpr model::WordCut kCuts[] = {model::WordCut::automatic, model::WordCut::spaces,
                                        model::WordCut::ud_en, model::WordCut::characters};
    plan.words = kCuts[table.choice("words", {"auto", "spaces", "ud-en", "characters"})];
  }
  if (!taken.empty()) {
    for (const char* key : {"kind", "lowercase", "merges", "min_count", "codes", "vocab", "target_vocab"}) {
      if (const toml::node* node = table.find(key)) {
        throw ModelError("Reading " + file.string() + ", line " + std::to_string(node->source().begin.line) +
                         ": tokenizer." + key +
                         " and tokenizer.model contradict each other; the tokenizer of " + taken +
                         " is taken over as it is.");
      }
    }
    table.finish();
    return plan;
  }
  table.require("kind");
  plan.kind = table.choice("kind", {"whitespace", "bpe"}) == 0 ? model::TokenizerKind::whitespace
                                                               : model::TokenizerKind::bpe;
  table.read("lowercase", plan.lowercase);
  table.read("merges", plan.merges, 1, 1'000'000);
  table.read("min_count", plan.min_count, 1, kMany);
  std::string codes;
  std::string vocab;
  std::string target_vocab;
  table.read("codes", codes);
  table.read("vocab", vocab);
  table.read("target_vocab", target_vocab);
  plan.codes = codes;
  plan.vocab = vocab;
  plan.target_vocab = target_vocab;
  if (!codes.empty() && vocab.empty()) {
    table.require("vocab");
  }
  table.finish();
  return plan;
}

void read_tasks(TomlTable& root, TrainConfig& config) {
  const toml::table* found = root.table("tasks");
  if (found == nullptr) {
    return;
  }
  for (const auto& [key, node] : *found) {
    const std::string name(key.str());
    if (!node.is_table()) {
      TomlTable(*found, "tasks", config.file).fail(node, name, "a table [tasks." + name + "]");
    }
    TomlTable table(*node.as_table(), "tasks." + name, config.file);
    TaskConfig task;
    task.name = name;
    table.require("column");
    task.column = static_cast<TaskColumn>(table.choice("column", {"upos", "xpos", "iob2"}));
    table.read("weight", task.weight, 0.0, 1e6);
    table.read("labels", task.labels);
    table.read("tags", task.tags);
    table.finish();
    config.training.trainer.task_weights[name] = task.weight;
    config.tasks.push_back(task);
  }
}

void read_training(TomlTable& root, TrainingPlan& plan, const std::filesystem::path& file) {
  root.require("training");
  TomlTable table(*root.table("training"), "training", file);
  table.read("batch_tokens", plan.batch_tokens, 1, kMany);
  table.read("accumulate", plan.accumulate, 1, 1'000'000);
  table.read("epochs", plan.epochs, 1, kMany);
  table.read("updates", plan.updates, 1, kMany);
  table.read("max_tokens", plan.max_tokens, 2, kMany);
  table.read("learning_rate", plan.learning_rate, 0.0, 1e3);
  table.read("min_learning_rate", plan.min_learning_rate, 0.0, 1e3);
  double head_rate = 0.0;
  table.read("head_learning_rate", head_rate, 1e-12, 1e3);
  if (head_rate > 0.0 && plan.learning_rate > 0.0) {
    plan.trainer.head_rate = head_rate / plan.learning_rate;
  }
  table.read("warmup", plan.warmup, 0, kMany);
  if (const int at = table.choice("schedule", {"inverse_sqrt", "cosine", "constant"}); at >= 0) {
    plan.schedule = static_cast<Schedule>(at);
  }
  table.read("log_interval", plan.log_interval, 1, kMany);
  table.read("validation_interval", plan.validation_interval, 0, kMany);
  table.read("checkpoint_interval", plan.checkpoint_interval, 0, kMany);
  table.read("patience", plan.patience, 0, kMany);
  model::TrainerOptions& trainer = plan.trainer;
  table.read("dropout", trainer.dropout, 0.0, 0.99);
  table.read("attention_dropout", trainer.attention_dropout, 0.0, 0.99);
  table.read("activation_dropout", trainer.activation_dropout, 0.0, 0.99);
  table.read("word_dropout", trainer.word_dropout, 0.0, 0.99);
  table.read("label_smoothing", trainer.label_smoothing, 0.0, 0.99);
  table.read("beta1", trainer.beta1, 0.0, 0.999999);
  table.read("beta2", trainer.beta2, 0.0, 0.999999);
  table.read("epsilon", trainer.epsilon, 1e-20, 1.0);
  table.read("weight_decay", trainer.weight_decay, 0.0, 10.0);
  table.read("clip_norm", trainer.clip_norm, 0.0, 1e9);
  table.read("branch_scale", trainer.branch_scale, 0.0, 10.0);
  table.read("seed", trainer.seed, 0, kMany);
  table.read("freeze", trainer.frozen);
  table.read("average_decay", trainer.average_decay, 0.0, 0.999999);
  table.read("average_last", plan.average_last, 0, 1000);
  table.read("validation_bleu", plan.validation_bleu, 0, kMany);
  table.read("validation_rouge", plan.validation_rouge, 0, kMany);
  table.read("validation_beam", plan.validation_beam, 1, 1000);
  if (const int at = table.choice("best_by", {"nll", "bleu", "rougeL"}); at >= 0) {
    plan.best_by = static_cast<BestBy>(at);
  }
  table.read("collapse_limit", plan.collapse_limit, 0.0, 1.0);
  plan.stop_on_collapse = table.choice("on_collapse", {"note", "stop"}) == 1;
  trainer.bfloat16_products = table.choice("precision", {"float32", "bfloat16"}) == 1;
  table.finish();
  if (plan.epochs == 0 && plan.updates == 0) {
    throw FormatError("Reading " + file.string() + ", line " +
                      std::to_string(table.raw().source().begin.line) +
                      ": training.epochs or training.updates must say when to end.");
  }
}

// Without the section the command line says where the model goes.
void read_output(TomlTable& root, TrainConfig& config) {
  if (root.table("output") == nullptr) {
    return;
  }
  TomlTable table(*root.table("output"), "output", config.file);
  std::string directory;
  table.read("directory", directory);
  config.output = directory;
  if (const int at = table.choice("weights", io::weights_type_names()); at >= 0) {
    config.weights = io::kWeightsTypes.at(static_cast<std::size_t>(at));
  }
  table.read("license", config.license);
  table.read("twin", config.twin);
  table.finish();
}

}  // namespace

toml::table parse_toml(std::string_view toml, const std::filesystem::path& file) {
  try {
    return toml::parse(toml, file.string());
  } catch (const toml::parse_error& error) {
    throw FormatError("Reading " + file.string() + ", line " + std::to_string(error.source().begin.line) +
                      ": this is not TOML: " + std::string(error.description()) + ".");
  }
}

// What plain text has to be cut into, to be like the words of the training part.
model::WordCut words_of_training(const TrainConfig& config) {
  const auto& treebanks = config.train.conllu;
  const bool english = std::ranges::all_of(treebanks, [](const std::filesystem::path& file) {
    return file.filename().string().starts_with("en_");
  });
  return config.tokenizer.words.value_or(!treebanks.empty() && english ? model::WordCut::ud_en
                                                                       : model::WordCut::automatic);
}

TrainConfig read_train_document(const toml::table& document, std::string text,
                                const std::filesystem::path& file) {
  TrainConfig config;
  config.file = file;
  config.text = std::move(text);
  TomlTable root(document, "", file);
  root.require("name");
  root.read("name", config.name);
  root.read("description", config.description);
  config.tokenizer = read_tokenizer(root, file);
  config.model = read_model(root, config.tokenizer, file);
  read_data(root, config);
  config.model.tokenizer.words = words_of_training(config);
  read_training(root, config.training, file);
  read_tasks(root, config);
  read_start(root, config.start, file);
  read_distill(root, config);
  read_graph_plan(root, config);
  read_output(root, config);
  root.finish();
  check_train_config(config, document);
  return config;
}

void require_output(const std::filesystem::path& configured, const std::filesystem::path& given,
                    const std::filesystem::path& file) {
  if (configured.empty() && given.empty()) {
    throw UsageError(
        "training " + file.string() +
        ": it does not say where the model goes; give --output FOLDER, or a section [output] with "
        "directory = \"FOLDER\"");
  }
}

TrainConfig parse_train_config(std::string_view toml, const std::filesystem::path& file) {
  return read_train_document(parse_toml(toml, file), std::string(toml), file);
}

std::string read_config_text(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) {
    const std::string message =
        "Reading the training configuration " + file.string() + " failed: " + std::strerror(errno) + ".";
    if (errno == ENOENT) {
      throw UsageError(message);
    }
    throw StorageError(message);
  }
  std::ostringstream text;
  text << in.rdbuf();
  return std::move(text).str();
}

TrainConfig read_train_config(const std::filesystem::path& file) {
  return parse_train_config(read_config_text(file), file);
}

double learning_rate(const TrainingPlan& plan, std::int64_t step, std::int64_t total) {
  const auto at = static_cast<double>(step);
  const auto warmup = static_cast<double>(plan.warmup);
  if (step < plan.warmup) {
    return plan.learning_rate * at / warmup;
  }
  switch (plan.schedule) {
    case Schedule::constant:
      return plan.learning_rate;
    case Schedule::inverse_sqrt:
      return std::max(plan.min_learning_rate, plan.learning_rate * std::sqrt(std::max(warmup, 1.0) / at));
    case Schedule::cosine:
      break;
  }
  const double span = std::max(1.0, static_cast<double>(total) - warmup);
  const double progress = std::min(1.0, (at - warmup) / span);
  return plan.min_learning_rate +
         (plan.learning_rate - plan.min_learning_rate) * 0.5 * (1.0 + std::cos(std::numbers::pi * progress));
}

}  // namespace mog::app
