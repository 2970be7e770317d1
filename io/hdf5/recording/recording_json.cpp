#include "io/hdf5/recording/recording_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "io/hdf5/recording/recording_name.h"
#include "io/recording/errors.h"
#include "io/text/json_check.h"

namespace mog::io {
namespace {

constexpr std::int64_t kMostExtent = std::int64_t{1} << 32;
// Of a system's description.
constexpr std::size_t kMostStacks = 8;
constexpr std::size_t kMostParts = 32;
constexpr std::int64_t kMostLayers = 1'000'000;
constexpr std::size_t kLongestLine = 400;

Json quantity_to_json(const QuantitySchema& schema) {
  Json axes = Json::array();
  for (const Axis axis : schema.axes) {
    axes.push_back(name(axis));
  }
  return Json{{"name", schema.name.text()},  {"axes", std::move(axes)}, {"extents", schema.extents},
              {"dtype", name(schema.dtype)}, {"units", schema.units},   {"description", schema.description}};
}

// How a quantity's name is built, whatever its words are: two to six of letters, digits and _, with dots
// between them.
bool is_name(std::string_view text) {
  std::size_t words = 1;
  bool empty = true;
  for (const char c : text) {
    if (c == '.') {
      words += 1;
      if (empty) {
        return false;
      }
      empty = true;
      continue;
    }
    if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
          c == '-')) {
      return false;
    }
    empty = false;
  }
  return !empty && words >= 2 && words <= 6;
}

// Nothing where a later program has recorded something that this one does not know.
std::optional<QuantitySchema> quantity_from_json(const JsonObject& object) {
  QuantitySchema schema;
  const std::string text = object.text("name");
  try {
    schema.name = QuantityName::parse(text);
  } catch (const UsageError& error) {
    if (is_name(text)) {
      return std::nullopt;
    }
    object.refuse(error.what());
  }
  if (schema.name.text() != text) {
    object.refuse(fmt::format("the quantity \"{}\" is spelt \"{}\" in recordings", text, schema.name.text()));
  }
  try {
    schema.dtype = parse_dtype(object.text("dtype"));
    for (const Json& axis : object.array("axes")) {
      schema.axes.push_back(parse_axis(axis.is_string() ? axis.get<std::string>() : std::string()));
    }
  } catch (const UsageError& error) {
    object.refuse(error.what());
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

Json part_to_json(Part part) {
  const PartDescription& about = part.description();
  return {{"name", about.name},
          {"label", about.label},
          {"short_name", about.short_name},
          {"tip", about.tip},
          {"role", name(about.role)},
          {"map", name(about.map)},
          {"query", name(about.query)},
          {"key", name(about.key)},
          {"order", name(about.order)},
          {"direction", about.direction},
          {"backward", about.backward},
          {"colour", name(about.colour)},
          {"dashed", about.dashed}};
}

Json system_to_json(const SystemDescription& system) {
  Json stacks = Json::array();
  for (const StackDescription& stack : system.stacks) {
    Json parts = Json::array();
    for (const Part part : stack.parts) {
      parts.push_back(part_to_json(part));
    }
    stacks.push_back({{"name", name(stack.stack)},
                      {"label", stack.label},
                      {"input", name(stack.input)},
                      {"causal", stack.causal},
                      {"layers", stack.layers},
                      {"heads", stack.heads},
                      {"gate", name(stack.gate)},
                      {"plain_first_layer", stack.plain_first_layer},
                      {"parts", std::move(parts)}});
  }
  return {{"stacks", std::move(stacks)}};
}

// One line for people.
std::string line_of(const JsonObject& object, const char* key) {
  std::string text = object.text(key);
  if (text.size() > kLongestLine ||
      std::any_of(text.begin(), text.end(), [](unsigned char c) { return c < 0x20 || c == 0x7F; })) {
    object.refuse(fmt::format("\"{}\" must be one line of at most {} bytes", key, kLongestLine));
  }
  return text;
}

PartDescription part_from_json(const JsonObject& object) {
  PartDescription part;
  part.name = object.text("name");
  part.label = line_of(object, "label");
  part.short_name = line_of(object, "short_name");
  part.tip = line_of(object, "tip");
  part.role = parse_part_role(object.text("role"));
  part.map = parse_part_map(object.text("map"));
  part.query = parse_part_state(object.text("query"));
  part.key = parse_part_state(object.text("key"));
  part.order = parse_order_group(object.text("order"));
  part.direction = line_of(object, "direction");
  part.backward = object.boolean("backward");
  part.colour = parse_part_colour(object.text("colour"));
  part.dashed = object.boolean("dashed");
  return part;
}

StackDescription stack_from_json(const JsonObject& object, const std::filesystem::path& file,
                                 std::string_view place) {
  StackDescription stack;
  stack.label = line_of(object, "label");
  stack.causal = object.boolean("causal");
  stack.layers = object.integer("layers");
  stack.heads = object.integer("heads");
  stack.plain_first_layer = object.boolean("plain_first_layer");
  const Json& parts = object.array("parts");
  if (parts.size() > kMostParts) {
    object.refuse(fmt::format("\"parts\" has {} entries: at most {} are read", parts.size(), kMostParts));
  }
  if (stack.layers > kMostLayers) {
    object.refuse(fmt::format("\"layers\" is {}: at most {} are read", stack.layers, kMostLayers));
  }
  try {
    stack.stack = Stack::named(object.text("name"));
    stack.input = parse_stack_input(object.text("input"));
    stack.gate = parse_gate_kind(object.text("gate"));
    for (const Json& entry : parts) {
      const JsonObject part(entry, file, fmt::format("{}: part {}", place, stack.parts.size() + 1));
      stack.parts.push_back(Part::describe(part_from_json(part)));
      if (std::find(stack.parts.begin(), stack.parts.end() - 1, stack.parts.back()) !=
          stack.parts.end() - 1) {
        part.refuse(fmt::format("a second part \"{}\"", name(stack.parts.back())));
      }
    }
  } catch (const UsageError& error) {
    object.refuse(error.what());
  }
  return stack;
}

SystemDescription system_from_json(const JsonObject& object, const std::filesystem::path& file,
                                   std::string_view place) {
  SystemDescription system;
  const Json& stacks = object.array("stacks");
  if (stacks.empty() || stacks.size() > kMostStacks) {
    object.refuse(fmt::format("\"stacks\" must have 1 to {} entries", kMostStacks));
  }
  for (const Json& entry : stacks) {
    const std::string of = fmt::format("{}: system: stack {}", place, system.stacks.size() + 1);
    const JsonObject stack(entry, file, of);
    system.stacks.push_back(stack_from_json(stack, file, of));
    for (std::size_t other = 0; other + 1 < system.stacks.size(); ++other) {
      for (const Part part : system.stacks.back().parts) {
        const auto& theirs = system.stacks[other].parts;
        if (std::find(theirs.begin(), theirs.end(), part) != theirs.end()) {
          stack.refuse(fmt::format("its part \"{}\" is one of the stack \"{}\" too", name(part),
                                   name(system.stacks[other].stack)));
        }
      }
    }
    if (system.find(system.stacks.back().stack) != &system.stacks.back()) {
      stack.refuse(fmt::format("a second stack \"{}\"", name(system.stacks.back().stack)));
    }
  }
  return system;
}

ModelCard model_card_from_json(const JsonObject& object) {
  ModelCard card;
  card.name = object.text("name");
  card.architecture = object.text("architecture");
  card.encoder_kind = object.text("encoder_kind");
  card.fusion = object.text("fusion");
  card.first_layer = object.text("first_layer");
  card.bidirectional = object.json().contains("bidirectional") && object.boolean("bidirectional");
  card.causal = object.json().contains("causal") && object.boolean("causal");
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
  if (card.causal) {
    json["causal"] = true;
  }
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
  Json json{{"model", model_card_to_json(header.model)}};
  if (!header.system.stacks.empty()) {
    json["system"] = system_to_json(header.system);
  }
  json["provenance"] = std::move(provenance);
  json["quantities"] = std::move(quantities);
  return json;
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
  if (object.json().contains("system")) {
    header.system =
        system_from_json(object.object("system"), file, place);  // before the names that it makes known
  }
  std::size_t at = 0;
  for (const Json& entry : object.array("quantities")) {
    const JsonObject quantity(entry, file, fmt::format("{}: quantity {}", place, ++at));
    std::optional<QuantitySchema> schema = quantity_from_json(quantity);
    if (!schema) {
      header.unknown_quantities.push_back(quantity.text("name"));
      continue;
    }
    header.quantities.push_back(std::move(*schema));
    const std::size_t last = header.quantities.size() - 1;
    if (last > 0 && !(header.quantities[last - 1].name < header.quantities[last].name)) {
      object.refuse(fmt::format("the quantities must be sorted and different: {} comes after {}",
                                header.quantities[last].name.text(),
                                header.quantities[last - 1].name.text()));
    }
  }
  header.describe_system();
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
