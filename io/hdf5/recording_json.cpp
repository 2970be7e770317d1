#include "io/hdf5/recording_json.h"

#include <fmt/format.h>

#include "io/hdf5/recording_name.h"
#include "io/recording/errors.h"
#include "io/text/json_check.h"

namespace mog::io {
namespace {

constexpr std::int64_t kMostExtent = std::int64_t{1} << 32;

Json quantity_to_json(const QuantitySchema& schema) {
  Json axes = Json::array();
  for (const Axis axis : schema.axes) {
    axes.push_back(name(axis));
  }
  return Json{{"name", schema.name.text()},  {"axes", std::move(axes)}, {"extents", schema.extents},
              {"dtype", name(schema.dtype)}, {"units", schema.units},   {"description", schema.description}};
}

QuantitySchema quantity_from_json(const JsonObject& object) {
  QuantitySchema schema;
  try {
    schema.name = QuantityName::parse(object.text("name"));
    schema.dtype = parse_dtype(object.text("dtype"));
    for (const Json& axis : object.array("axes")) {
      schema.axes.push_back(parse_axis(axis.is_string() ? axis.get<std::string>() : std::string()));
    }
  } catch (const UsageError& error) {
    object.refuse(error.what());
  }
  if (schema.name.text() != object.text("name")) {
    object.refuse(fmt::format("the quantity \"{}\" is spelt \"{}\" in recordings", object.text("name"),
                              schema.name.text()));
  }
  for (const Json& extent : object.array("extents")) {
    if (!extent.is_number_integer() || extent.get<std::int64_t>() < 0 ||
        extent.get<std::int64_t>() > kMostExtent) {
      object.refuse("\"extents\" must hold whole numbers, 0 or more");
    }
    schema.extents.push_back(extent.get<std::int64_t>());
  }
  if (schema.axes.size() > 8 || schema.axes.size() != schema.extents.size()) {
    object.refuse(fmt::format("{} axes and {} extents: expected as many, at most 8", schema.axes.size(),
                              schema.extents.size()));
  }
  schema.units = object.text("units");
  schema.description = object.text("description");
  return schema;
}

ModelCard model_card_from_json(const JsonObject& object) {
  ModelCard card;
  card.name = object.text("name");
  card.architecture = object.text("architecture");
  card.encoder_kind = object.text("encoder_kind");
  card.fusion = object.text("fusion");
  card.first_layer = object.text("first_layer");
  card.bidirectional = object.json().contains("bidirectional") && object.boolean("bidirectional");
  card.layers = object.integer("layers");
  card.heads = object.integer("heads");
  card.d_model = object.integer("d_model");
  card.attention_dim = object.integer("attention_dim");
  card.ffn_dim = object.integer("ffn_dim");
  card.decoder_layers = object.integer("decoder_layers");
  card.vocabulary = object.integer("vocabulary");
  card.parameters = object.integer("parameters");
  card.tokenizer = object.text("tokenizer");
  card.config_json = object.text("config_json");
  card.weights_sha256 = object.text("weights_sha256");
  card.tokenizer_sha256 = object.text("tokenizer_sha256");
  const JsonObject tasks = object.object("tasks");
  for (const auto& [task, tags] : tasks.json().items()) {
    auto& list = card.tasks[task];
    for (const Json& tag : tasks.array(task.c_str())) {
      if (!tag.is_string()) {
        tasks.refuse(fmt::format("the tags of \"{}\" must be strings", task));
      }
      list.push_back(tag.get<std::string>());
    }
  }
  return card;
}

}  // namespace

Json model_card_to_json(const ModelCard& card) {
  Json tasks = Json::object();
  for (const auto& [task, tags] : card.tasks) {
    tasks[task] = tags;
  }
  Json json = {{"name", card.name},
               {"architecture", card.architecture},
               {"encoder_kind", card.encoder_kind},
               {"fusion", card.fusion},
               {"first_layer", card.first_layer},
               {"layers", card.layers},
               {"heads", card.heads},
               {"d_model", card.d_model},
               {"attention_dim", card.attention_dim},
               {"ffn_dim", card.ffn_dim},
               {"decoder_layers", card.decoder_layers},
               {"vocabulary", card.vocabulary},
               {"parameters", card.parameters},
               {"tokenizer", card.tokenizer},
               {"config_json", card.config_json},
               {"weights_sha256", card.weights_sha256},
               {"tokenizer_sha256", card.tokenizer_sha256},
               {"tasks", std::move(tasks)}};
  if (card.bidirectional) {
    json["bidirectional"] = true;
  }
  return json;
}

Json header_to_json(const RecordingHeader& header) {
  Json quantities = Json::array();
  for (const QuantitySchema& schema : header.quantities) {
    quantities.push_back(quantity_to_json(schema));
  }
  const Provenance& from = header.provenance;
  Json provenance = {{"program_version", from.program_version},
                     {"command_line", from.command_line},
                     {"corpus_name", from.corpus_name},
                     {"corpus_sha256", from.corpus_sha256},
                     {"device", from.device},
                     {"precision", from.precision},
                     {"seed", from.seed},
                     {"started", from.started}};
  if (!from.name.empty()) {
    provenance["name"] = from.name;
  }
  if (!from.target.empty()) {
    provenance["target"] = from.target;
  }
  return Json{{"model", model_card_to_json(header.model)},
              {"provenance", std::move(provenance)},
              {"quantities", std::move(quantities)}};
}

RecordingHeader header_from_json(const Json& json, const std::filesystem::path& file,
                                 std::string_view place) {
  const JsonObject object(json, file, std::string(place));
  RecordingHeader header;
  header.model = model_card_from_json(object.object("model"));
  const JsonObject from = object.object("provenance");
  header.provenance.program_version = from.text("program_version");
  header.provenance.command_line = from.text("command_line");
  header.provenance.corpus_name = from.text("corpus_name");
  header.provenance.corpus_sha256 = from.text("corpus_sha256");
  header.provenance.device = from.text("device");
  header.provenance.precision = from.text("precision");
  const Json& seed = from.member("seed");
  if (!seed.is_number_integer()) {
    from.refuse("\"seed\" must be a whole number");
  }
  header.provenance.seed = seed.get<std::int64_t>();
  header.provenance.started = from.text("started");
  if (from.json().contains("name")) {
    header.provenance.name = from.text("name");
    if (const std::string why = why_no_recording_name(header.provenance.name); !why.empty()) {
      from.refuse("\"name\": " + why);
    }
  }
  if (from.json().contains("target")) {
    header.provenance.target = from.text("target");
  }
  std::size_t at = 0;
  for (const Json& entry : object.array("quantities")) {
    header.quantities.push_back(
        quantity_from_json(JsonObject(entry, file, fmt::format("{}: quantity {}", place, ++at))));
    if (at > 1 && !(header.quantities[at - 2].name < header.quantities[at - 1].name)) {
      object.refuse(fmt::format("the quantities must be sorted and different: {} comes after {}",
                                header.quantities[at - 1].name.text(),
                                header.quantities[at - 2].name.text()));
    }
  }
  return header;
}

std::string to_text(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

Json parse_json(std::string_view text, const std::filesystem::path& file, std::string_view place) {
  check_json(text, fmt::format("reading {}: {}", file.string(), place), {.depth = 32, .values = 50'000'000});
  try {
    return Json::parse(text);
  } catch (const Json::exception& error) {
    throw FormatError(fmt::format("reading {}: {}: no sound JSON: {}", file.string(), place, error.what()));
  }
}

JsonObject::JsonObject(const Json& json, const std::filesystem::path& file, std::string place)
    : json_(json), file_(file), place_(std::move(place)) {
  if (!json.is_object()) {
    refuse("expected a JSON object");
  }
}

void JsonObject::refuse(const std::string& what) const {
  throw FormatError(fmt::format("reading {}: {}: {}", file_.string(), place_, what));
}

const Json& JsonObject::member(const char* key) const {
  const auto found = json_.find(key);
  if (found == json_.end()) {
    refuse(fmt::format("\"{}\" is missing", key));
  }
  return *found;
}

std::string JsonObject::text(const char* key) const {
  const Json& value = member(key);
  if (!value.is_string()) {
    refuse(fmt::format("\"{}\" must be a string", key));
  }
  return value.get<std::string>();
}

std::int64_t JsonObject::integer(const char* key) const {
  const Json& value = member(key);
  if (!value.is_number_integer() || value.get<std::int64_t>() < 0) {
    refuse(fmt::format("\"{}\" must be a whole number, 0 or more", key));
  }
  return value.get<std::int64_t>();
}

bool JsonObject::boolean(const char* key) const {
  const Json& value = member(key);
  if (!value.is_boolean()) {
    refuse(fmt::format("\"{}\" must be true or false", key));
  }
  return value.get<bool>();
}

const Json& JsonObject::array(const char* key) const {
  const Json& value = member(key);
  if (!value.is_array()) {
    refuse(fmt::format("\"{}\" must be a list", key));
  }
  return value;
}

JsonObject JsonObject::object(const char* key) const {
  return JsonObject(member(key), file_, fmt::format("{}: {}", place_, key));
}

}  // namespace mog::io
