// Model directories, weights, recordings.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "analysis/attribution/quantities.h"
#include "app/workflow/common/text_format.h"
#include "app/workflow/describe/describe_parts.h"
#include "app/workflow/record/capture.h"
#include "app/workflow/record/live_run.h"
#include "io/checkpoint/safetensors.h"
#include "io/hdf5/recording/recording_reader.h"
#include "io/recording/counted.h"
#include "io/recording/errors.h"
#include "model/config/describe_stack.h"
#include "model/foreign/foreign_model.h"
#include "model/model.h"
#include "model/model_directory.h"

namespace mog::app {
namespace {

using Json = nlohmann::ordered_json;

std::string dtypes_text(const io::TensorList& list) {
  std::map<std::string, std::int64_t> counts;
  for (const io::TensorInfo& tensor : list.tensors) {
    ++counts[tensor.dtype];
  }
  std::string text;
  for (const auto& [dtype, count] : counts) {
    text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", dtype, count);
  }
  return text.empty() ? "none" : text;
}

std::string encoder_text(const ModelCard& card, const StackDescription& stack) {
  std::string text = fmt::format("{}, {}", stack.label, counted(stack.layers, "layer"));
  std::optional<model::ModelConfig> config;
  if (!card.config_json.empty()) {
    try {
      config = model::parse_config(card.config_json, "config.json");
    } catch (const Error&) {  // of a later program: what the card says is all
    }
  }
  const auto add = [&](const char* format, std::int64_t value) {
    text += value > 0 ? fmt::format(fmt::runtime(format), value) : "";  // 0: an import does not say
  };
  add(", d {}", card.d_model);
  if (card.heads > 0) {
    text += ", " + (config ? model::describe_heads(config->encoder) : counted(card.heads, "head"));
  }
  add(", attention {}", card.attention_dim);
  add(", feed-forward {}", card.ffn_dim);
  if (!card.fusion.empty()) {
    text += ", " + card.fusion;
  }
  text += config ? model::describe_attention(config->encoder) : "";
  text += config && config->language_model ? ", " + model::describe(*config->language_model) : "";
  return text;
}

Json card_json(const ModelCard& card) {
  Json json;
  json["name"] = card.name;
  json["architecture"] = card.architecture;
  json["encoder_kind"] = card.encoder_kind;
  json["fusion"] = card.fusion;
  json["first_layer"] = card.first_layer;
  if (card.bidirectional) {
    json["bidirectional"] = true;
  }
  json["layers"] = card.layers;
  json["heads"] = card.heads;
  json["d_model"] = card.d_model;
  json["attention_dim"] = card.attention_dim;
  json["ffn_dim"] = card.ffn_dim;
  json["decoder_layers"] = card.decoder_layers;
  json["vocabulary"] = card.vocabulary;
  json["parameters"] = card.parameters;
  json["tokenizer"] = card.tokenizer;
  json["tasks"] = card.tasks;
  json["weights_sha256"] = card.weights_sha256;
  json["tokenizer_sha256"] = card.tokenizer_sha256;
  return json;
}

// "high (attention), …, low (carried)"
std::string parts_text(const StackDescription& stack) {
  std::string text;
  for (const Part part : stack.parts) {
    text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", mog::name(part), mog::name(part.role()));
  }
  return text.empty() ? "none" : text;
}

Json stacks_json(const SystemDescription& system) {
  Json stacks = Json::array();
  for (const StackDescription& stack : system.stacks) {
    Json parts = Json::array();
    for (const Part part : stack.parts) {
      const PartDescription& about = part.description();
      parts.push_back({{"name", about.name},
                       {"label", about.label},
                       {"role", mog::name(about.role)},
                       {"query", mog::name(about.query)},
                       {"key", mog::name(about.key)},
                       {"order", mog::name(about.order)}});
    }
    stacks.push_back({{"name", mog::name(stack.stack)},
                      {"label", stack.label},
                      {"input", mog::name(stack.input)},
                      {"causal", stack.causal},
                      {"layers", stack.layers},
                      {"heads", stack.heads},
                      {"gate", mog::name(stack.gate)},
                      {"parts", std::move(parts)}});
  }
  return stacks;
}

void add_card_facts(const ModelCard& card, const SystemDescription& system, Description& description) {
  auto& facts = description.facts;
  facts.emplace_back("architecture", card.architecture);
  for (const StackDescription& stack : system.stacks) {
    facts.emplace_back(mog::name(stack.stack), stack.stack == system.main().stack
                                                   ? encoder_text(card, stack)
                                                   : counted(stack.layers, "layer"));
  }
  if (card.parameters > 0) {
    facts.emplace_back("parameters", grouped(card.parameters));
  }
  facts.emplace_back("vocabulary", card.vocabulary > 0
                                       ? fmt::format("{} ({})", grouped(card.vocabulary), card.tokenizer)
                                       : card.tokenizer);
  for (const auto& [task, tags] : card.tasks) {
    facts.emplace_back("task " + task, fmt::format("{} tags: {}", tags.size(), joined(tags, " ")));
  }
}

// Names without their layer: "encoder.*.high.attention", each with the layers that have it.
std::vector<std::string> quantity_lines(const std::vector<QuantitySchema>& quantities) {
  std::map<std::string, std::set<std::int64_t>> layers;
  std::map<std::string, const QuantitySchema*> first;
  for (const QuantitySchema& schema : quantities) {
    std::string text = schema.name.text();
    if (schema.name.layer() > 0) {
      const std::string number = "." + std::to_string(schema.name.layer());
      text.replace(text.find(number), number.size(), ".L");
    }
    layers[text].insert(schema.name.layer());
    first.emplace(text, &schema);
  }
  std::vector<std::string> lines;
  for (const auto& [text, found] : layers) {
    const QuantitySchema& schema = *first.at(text);
    std::string axes;
    for (const Axis axis : schema.axes) {
      axes += fmt::format("{}{}", axes.empty() ? "" : ", ", mog::name(axis));
    }
    std::string line =
        fmt::format("{} [{}] {}{}", text, axes, mog::name(schema.dtype),
                    schema.dtype == DType::uint8 ? " (within sqrt(w)/255 before rows are normalised)" : "");
    if (*found.begin() > 0) {
      line += *found.begin() == *found.rbegin() ? fmt::format(", L = {}", *found.begin())
                                                : fmt::format(", L = {}-{}", *found.begin(), *found.rbegin());
    }
    lines.push_back(line);
  }
  return lines;
}

// "split, carried": the quantities of a list, each once, in its order.
std::string kinds_of(const std::vector<QuantitySchema>& list) {
  std::vector<std::string> kinds;
  for (const QuantitySchema& schema : list) {
    const std::string kind(mog::name(schema.name.quantity()));
    if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end()) {
      kinds.push_back(kind);
    }
  }
  return joined(kinds, ", ");
}

// What a model can give, by the option that records it.
std::vector<std::string> group_lines(const model::ModelConfig& config,
                                     const std::vector<QuantitySchema>& quantities) {
  std::vector<std::string> lines;
  for (const CaptureName capture : {CaptureName::summary, CaptureName::attention, CaptureName::gates,
                                    CaptureName::shares, CaptureName::hidden, CaptureName::all}) {
    CaptureSet set;
    set.names = {capture};
    const auto kept = select_quantities(quantities, set, config.decoder.has_value());
    if (!kept.empty()) {
      lines.push_back(
          fmt::format("{} by --capture {}: {}", kept.size(), mog::app::name(capture), kinds_of(kept)));
    }
  }
  if (const auto of_decoder = model::decoder_decompositions(config); !of_decoder.empty()) {
    lines.push_back(fmt::format("{} exact decompositions of the decoder by --quantity: {}", of_decoder.size(),
                                kinds_of(of_decoder)));
  }
  const std::vector<QuantitySchema> exact = model::decomposition_quantities(config);
  if (exact.empty()) {
    lines.push_back("no exact decompositions: " + model::why_no_decompositions(config));
    return lines;
  }
  const auto derived = analysis::attribution_quantities(model::system_of(config).main());
  lines.push_back(fmt::format("{} exact decompositions by --quantity: {}", exact.size(), kinds_of(exact)));
  lines.push_back(fmt::format("{} computed from layer maps by --quantity: products and orders of {}",
                              derived.size(), kinds_of(derived)));
  return lines;
}

}  // namespace

Description describe_model(const std::filesystem::path& path) {
  // Names and shapes first, then the values block by block: never the whole model in memory.
  const model::ModelDirectory directory = model::open_model_directory(path, {.weights = false});
  // Those of another program were checked by the loader when it was opened.
  std::error_code error;
  const bool own =
      !model::is_foreign_model(path) || std::filesystem::exists(path / "model.safetensors", error);
  const io::TensorList weights = own ? io::check_tensors(path / "model.safetensors") : io::TensorList();
  Description description;
  description.kind = PathKind::model_dir;
  auto& facts = description.facts;
  facts.emplace_back("kind", model::is_foreign_model(path) ? "model of another program" : "model directory");
  facts.emplace_back("path", path.string());
  add_card_facts(directory.card, model::system_of(directory.card), description);
  if (own) {
    facts.emplace_back("weights",
                       fmt::format("{} tensors, {}, {}", weights.tensors.size(), dtypes_text(weights),
                                   byte_text(static_cast<std::int64_t>(weights.file_bytes))));
  }
  facts.emplace_back("sha256", directory.card.weights_sha256);
  if (directory.config.encoder.graph_input) {
    facts.emplace_back("graph input", model::describe(*directory.config.encoder.graph_input));
  }
  if (directory.config.graph) {
    const model::GraphConfig& graph = *directory.config.graph;
    facts.emplace_back("graph", model::describe(graph));
    if (!graph.labels.empty()) {
      facts.emplace_back("labels", joined(graph.labels, " "));
    }
  }
  const std::vector<QuantitySchema> quantities = model::quantities(directory.config);
  facts.emplace_back("quantities", grouped(static_cast<std::int64_t>(quantities.size())));
  for (const std::string& line : group_lines(directory.config, quantities)) {
    facts.emplace_back("", line);
  }
  Json json;
  json["kind"] = "model_dir";
  json["path"] = path.string();
  json["model"] = card_json(directory.card);
  if (own) {
    json["tensor_count"] = weights.tensors.size();
    json["weights_size_bytes"] = weights.file_bytes;
  }
  json["config"] = Json::parse(directory.card.config_json, nullptr, false);
  Json names = Json::array();
  for (const QuantitySchema& schema : quantities) {
    names.push_back(schema.name.text());
  }
  json["quantities"] = names;
  json["decompositions"] = Json::array();
  for (const auto& list :
       {model::decoder_decompositions(directory.config), model::decomposition_quantities(directory.config)}) {
    for (const QuantitySchema& schema : list) {
      json["decompositions"].push_back(schema.name.text());
    }
  }
  if (const std::string reason = model::why_no_decompositions(directory.config); !reason.empty()) {
    json["no_decompositions"] = reason;
  }
  description.json = json.dump(2, ' ', false, Json::error_handler_t::replace);
  return description;
}

Description describe_recording(const std::filesystem::path& path, std::stop_token stop) {
  const io::RecordingReader reader(path);
  const std::int64_t checked = reader.check(std::move(stop));
  const RecordingHeader& header = reader.header();
  const io::RecordingFacts& files = reader.facts();
  Description description;
  description.kind = PathKind::recording;
  auto& facts = description.facts;
  facts.emplace_back("kind", files.complete ? "recording" : "recording, incomplete (--resume goes on)");
  facts.emplace_back("path", path.string());
  if (!header.provenance.name.empty()) {
    facts.emplace_back("name", header.provenance.name);
  }
  facts.emplace_back("format", files.format_version);
  facts.emplace_back("sentences", grouped(files.sentences));
  std::int64_t tokens = 0;
  for (const std::int64_t count : reader.token_counts()) {
    tokens += count;
  }
  facts.emplace_back("tokens", grouped(tokens));
  if (files.parts > 1) {
    facts.emplace_back("part", fmt::format("{} of {}", files.part, files.parts));
  }
  facts.emplace_back("shards", fmt::format("{}, {}", files.shards.size(), byte_text(files.size_bytes)));
  if (checked < static_cast<std::int64_t>(files.shards.size())) {
    facts.emplace_back("checked", fmt::format("the first {} shards; `mog validate` reads all", checked));
  }
  facts.emplace_back("model", header.model.name);
  add_card_facts(header.model, header.system, description);
  facts.emplace_back("corpus", header.provenance.corpus_name);
  facts.emplace_back(
      "made by",
      fmt::format("mog {}, {}, {}, {}", header.provenance.program_version, header.provenance.device,
                  precision_text(header.provenance.precision), header.provenance.started));
  if (!header.provenance.command_line.empty()) {
    facts.emplace_back("command", header.provenance.command_line);
  }
  for (const StackDescription& stack : header.system.stacks) {
    facts.emplace_back(fmt::format("parts of {}", mog::name(stack.stack)), parts_text(stack));
  }
  if (!header.unknown_quantities.empty()) {
    facts.emplace_back("not read",
                       fmt::format("{}, which this program does not know: {}",
                                   counted(static_cast<std::int64_t>(header.unknown_quantities.size()),
                                           "quantity", "quantities"),
                                   joined(header.unknown_quantities, ", ")));
  }
  facts.emplace_back("quantities", grouped(static_cast<std::int64_t>(header.quantities.size())));
  for (const std::string& line : quantity_lines(header.quantities)) {
    facts.emplace_back("", line);
  }
  Json json;
  json["kind"] = "recording";
  json["path"] = path.string();
  json["format_version"] = files.format_version;
  json["complete"] = files.complete;
  json["sentences"] = files.sentences;
  json["tokens"] = tokens;
  json["part"] = files.part;
  json["parts"] = files.parts;
  json["shards"] = files.shards.size();
  json["size_bytes"] = files.size_bytes;
  json["model"] = card_json(header.model);
  json["stacks"] = stacks_json(header.system);
  json["name"] = header.provenance.name.empty() ? Json() : Json(header.provenance.name);
  json["provenance"] = {{"program_version", header.provenance.program_version},
                        {"command_line", header.provenance.command_line},
                        {"corpus_name", header.provenance.corpus_name},
                        {"corpus_sha256", header.provenance.corpus_sha256},
                        {"device", header.provenance.device},
                        {"precision", header.provenance.precision},
                        {"seed", header.provenance.seed},
                        {"started", header.provenance.started}};
  Json quantities = Json::array();
  for (const QuantitySchema& schema : header.quantities) {
    Json axes = Json::array();
    for (const Axis axis : schema.axes) {
      axes.push_back(mog::name(axis));
    }
    quantities.push_back({{"name", schema.name.text()},
                          {"axes", axes},
                          {"dtype", mog::name(schema.dtype)},
                          {"units", schema.units},
                          {"description", schema.description}});
  }
  json["quantities"] = std::move(quantities);
  json["unknown_quantities"] = header.unknown_quantities;
  description.json = json.dump(2, ' ', false, Json::error_handler_t::replace);
  return description;
}

}  // namespace mog::app
