#include "model/foreign/ctranslate2_vocabulary.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <system_error>

#include "io/recording/errors.h"
#include "io/text/input_file.h"
#include "io/text/json_check.h"
#include "model/config/config_reader.h"
#include "model/foreign/checkpoint_file.h"
#include "model/tokenizer/tokenizer.h"

namespace mog::model {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 28U;

std::vector<std::string> read_tokens(const fs::path& file) {
  std::vector<std::string> tokens;
  if (file.extension() != ".json") {
    const Vocabulary vocabulary = Vocabulary::read(file);
    for (std::int64_t id = 0; id < vocabulary.size(); ++id) {
      tokens.push_back(vocabulary.token(id));
    }
    return tokens;
  }
  const std::string text = io::read_file(file, "the vocabulary", kMostBytes);
  io::check_json(text, file.string());
  const Json document = Json::parse(text);
  if (!document.is_array() || document.empty()) {
    throw FormatError(fmt::format("{}: expected a list of tokens", file.string()));
  }
  for (const Json& token : document) {
    if (!token.is_string() || token.get<std::string>().empty()) {
      throw FormatError(
          fmt::format("{}: expected a list of tokens, found {} in it", file.string(),
                      token.dump(-1, ' ', false, Json::error_handler_t::replace).substr(0, 80)));
    }
    tokens.push_back(token.get<std::string>());
  }
  return tokens;
}

// CTranslate2 puts the unknown token behind a vocabulary that lacks it.
std::vector<std::string> vocabulary_of(const fs::path& folder, const std::string& side, std::int64_t rows,
                                       const CTranslate2Settings& settings) {
  std::error_code error;
  for (const std::string& name :
       {side + "_vocabulary", std::string("shared_vocabulary"), std::string("vocabulary")}) {
    for (const char* const ending : {".json", ".txt"}) {
      const fs::path file = folder / (name + ending);
      if (!fs::exists(file, error)) {
        continue;
      }
      std::vector<std::string> tokens = read_tokens(file);
      if (std::find(tokens.begin(), tokens.end(), settings.unk) == tokens.end()) {
        tokens.push_back(settings.unk);
      }
      if (static_cast<std::int64_t>(tokens.size()) != rows) {
        throw ModelError(fmt::format("{}: {} tokens, but the embeddings of the {} have {} rows",
                                     file.string(), tokens.size(), side, rows));
      }
      return tokens;
    }
  }
  throw FormatError(
      fmt::format("opening the model {}: the vocabulary of the {} is missing ({}_vocabulary.txt or "
                  ".json, shared_vocabulary or vocabulary)",
                  folder.string(), side, side));
}

std::int64_t id_of(const std::vector<std::string>& tokens, const std::string& token, const char* role,
                   const fs::path& folder) {
  const auto found = std::find(tokens.begin(), tokens.end(), token);
  if (found == tokens.end()) {
    throw ModelError(fmt::format("opening the model {}: the vocabulary lacks the {} token {}",
                                 folder.string(), role, token));
  }
  return found - tokens.begin();
}

// Padding never enters the arithmetic, but it is never chosen by the decoder: a token that no text has.
std::string padding_of(const std::vector<std::string>& tokens, const CTranslate2Settings& settings,
                       const fs::path& folder) {
  for (const char* const name : {"<blank>", "<pad>", "[PAD]"}) {
    if (name != settings.bos && name != settings.eos && name != settings.unk &&
        std::find(tokens.begin(), tokens.end(), name) != tokens.end()) {
      return name;
    }
  }
  throw ModelError(
      fmt::format("opening the model {}: the vocabulary has no token for padding (<blank>, <pad> or [PAD])",
                  folder.string()));
}

// The order of the rows that puts `special` first: old ids by new ids. Tokens that a side lacks are refused.
std::vector<std::int64_t> special_first(const std::vector<std::string>& tokens,
                                        const std::vector<std::string>& special, const fs::path& folder) {
  std::vector<std::int64_t> order;
  order.reserve(tokens.size());
  for (const std::string& token : special) {
    order.push_back(id_of(tokens, token, "special", folder));
  }
  for (std::int64_t id = 0; id < static_cast<std::int64_t>(tokens.size()); ++id) {
    if (std::find(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(special.size()), id) ==
        order.begin() + static_cast<std::ptrdiff_t>(special.size())) {
      order.push_back(id);
    }
  }
  return order;
}

std::vector<std::string> in_order(const std::vector<std::string>& tokens,
                                  const std::vector<std::int64_t>& order) {
  std::vector<std::string> result;
  result.reserve(order.size());
  for (const std::int64_t id : order) {
    result.push_back(tokens[static_cast<std::size_t>(id)]);
  }
  return result;
}

// Rows of a matrix or vector in another order.
HostTensor in_order(const HostTensor& tensor, const std::vector<std::int64_t>& order) {
  HostTensor result(tensor.dtype(), tensor.shape());
  const auto row = static_cast<std::size_t>(tensor.size_bytes() / tensor.shape()[0]);
  for (std::size_t at = 0; at < order.size(); ++at) {
    const auto from = tensor.bytes().subspan(static_cast<std::size_t>(order[at]) * row, row);
    std::copy(from.begin(), from.end(),
              result.mutable_bytes().begin() + static_cast<std::ptrdiff_t>(at * row));
  }
  return result;
}

}  // namespace

CTranslate2Settings ctranslate2_settings(const fs::path& folder) {
  CTranslate2Settings settings;
  std::error_code error;
  const fs::path file = folder / "config.json";
  if (!fs::exists(file, error)) {
    return settings;
  }
  const std::string text = io::read_file(file, "the model configuration", kMostBytes);
  io::check_json(text, file.string());
  const Json document = Json::parse(text);
  ConfigReader reader(document, file.string(), "");
  const auto given = [&](const char* key) { return reader.has(key) && !document[key].is_null(); };
  for (const auto& [key, value] : {std::pair{"bos_token", &settings.bos},
                                   {"eos_token", &settings.eos},
                                   {"unk_token", &settings.unk},
                                   {"decoder_start_token", &settings.start}}) {
    if (given(key)) {
      *value = reader.text(key);
    }
  }
  if (given("add_source_bos") && reader.boolean("add_source_bos")) {
    throw ModelError(fmt::format("{}: add_source_bos = true is not supported", file.string()));
  }
  settings.source_eos = given("add_source_eos") && reader.boolean("add_source_eos");
  if (given("layer_norm_epsilon")) {
    settings.epsilon = reader.number_above_zero("layer_norm_epsilon", 1.0);
  }
  return settings;
}

// A special token has one id in ours, on both sides; there it may have two. Where they differ, both sides are
// numbered anew, special tokens first.
void set_ctranslate2_vocabularies(ForeignModel& model, TensorPlan& plan, const fs::path& folder,
                                  const CTranslate2Settings& settings, std::int64_t source_rows,
                                  std::int64_t target_rows) {
  ModelConfig& config = model.config;
  std::vector<std::string> source = vocabulary_of(folder, "source", source_rows, settings);
  std::vector<std::string> target =
      config.decoder ? vocabulary_of(folder, "target", target_rows, settings) : source;
  const std::string start = settings.start.empty() || !config.decoder ? settings.bos : settings.start;
  const std::string padding = padding_of(target, settings, folder);
  std::vector<std::string> special = {padding};
  for (const std::string& token : {config.decoder ? start : settings.eos, settings.eos, settings.unk}) {
    if (std::find(special.begin(), special.end(), token) == special.end()) {
      special.push_back(token);
    }
  }
  const bool same = std::all_of(special.begin(), special.end(), [&](const std::string& token) {
    return id_of(source, token, "special", folder) == id_of(target, token, "special", folder);
  });
  if (!same) {
    const auto source_order = special_first(source, special, folder);
    const auto target_order = special_first(target, special, folder);
    const auto reorder = [&](const char* name, const std::vector<std::int64_t>& order) {
      plan.then(name, [order](const HostTensor& tensor) { return in_order(tensor, order); });
    };
    reorder("encoder.embed_tokens.weight", source_order);
    reorder("decoder.embed_tokens.weight", target_order);
    reorder("decoder.output_projection.weight", target_order);
    reorder("decoder.output_projection.bias", target_order);
    source = in_order(source, source_order);
    target = in_order(target, target_order);
    model.notes.push_back(
        "tokens are numbered anew, special tokens first: their numbers differed between source "
        "and target");
  }
  config.pad_id = id_of(target, padding, "padding", folder);
  config.eos_id = id_of(target, settings.eos, "end", folder);
  config.unk_id = id_of(target, settings.unk, "unknown", folder);
  config.bos_id = config.decoder ? id_of(target, start, "start", folder) : config.eos_id;
  set_plain_tokenizer(model, source, config.decoder ? target : std::vector<std::string>(), std::nullopt);
}

}  // namespace mog::model
