#include "io/hdf5/recording/manifest.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <initializer_list>

#include "io/hdf5/recording/recording_json.h"
#include "io/hdf5/recording/recording_layout.h"
#include "io/recording/errors.h"
#include "io/text/input_file.h"
#include "io/text/json_check.h"
#include "io/text/output_file.h"
#include "io/text/sha256.h"

namespace mog::io {
namespace {

constexpr std::uint64_t kLongestManifest = std::uint64_t{64} << 20;

// How the sum ends the file. It is that of all bytes before this.
constexpr std::string_view kSumHead = ",\n  \"sha256\": \"";
constexpr std::string_view kSumTail = "\"\n}\n";

// The text of a sound manifest holds the sum of itself. Whether there is one; throws FormatError when it does
// not hold or is missing.
bool check_sum(std::string_view text, const Json& json, const JsonObject& object,
               const std::string& version) {
  if (!json.contains("sha256") && version == layout::kWithoutSums) {
    return false;
  }
  const std::size_t tail = kSumHead.size() + 64 + kSumTail.size();
  const std::string_view head = text.substr(0, text.size() - std::min(text.size(), tail));
  if (text != fmt::format("{}{}{}{}", head, kSumHead, sha256(head), kSumTail)) {
    object.refuse(
        "its \"sha256\", the sum of itself, does not hold: the file is damaged, or was changed by hand; take "
        "it "
        "from a copy of the recording. The shards are files of their own and can be read one by one");
  }
  return true;
}

std::string differ(std::string_view what, std::string_view there, std::string_view here) {
  return there == here ? std::string() : fmt::format("{} is \"{}\" there, \"{}\" here", what, there, here);
}

std::string differ(std::string_view what, std::int64_t there, std::int64_t here) {
  return there == here ? std::string() : fmt::format("{} is {} there, {} here", what, there, here);
}

std::string first_of(std::initializer_list<std::string> texts) {
  for (const std::string& text : texts) {
    if (!text.empty()) {
      return text;
    }
  }
  return {};
}

std::string tags_difference(const ModelCard& expected, const ModelCard& found) {
  if (expected.tasks == found.tasks) {
    return {};
  }
  for (const auto& [task, tags] : expected.tasks) {
    const auto other = found.tasks.find(task);
    if (other == found.tasks.end() || other->second != tags) {
      return fmt::format("the tags of \"{}\" are others there than here", task);
    }
  }
  return "there are fewer tasks there than here";
}

// Another activation or norm_eps makes other values of the same weights. How the document is written, and
// what programs note in it of themselves, does not count.
std::string configuration_difference(const ModelCard& expected, const ModelCard& found) {
  if (expected.config_json == found.config_json) {
    return {};
  }
  // Keys sorted, so that their order does not count. It is whatever a file says: not deeper than a comparison
  // may follow.
  const auto said = [](const ModelCard& card) {
    nlohmann::json json;
    try {
      check_json(card.config_json, "the configuration");
      json = nlohmann::json::parse(card.config_json);
    } catch (const FormatError&) {
      return nlohmann::json(card.config_json);
    }
    if (json.is_object()) {
      for (const char* const key :
           {"name", "_name_or_path", "transformers_version", "torch_dtype", "dtype"}) {
        json.erase(key);
      }
    }
    return json;
  };
  const nlohmann::json there = said(expected);
  const nlohmann::json here = said(found);
  if (there == here) {
    return {};
  }
  if (there.is_object() && here.is_object()) {
    for (const auto& [key, value] : there.items()) {
      if (!here.contains(key) || here[key] != value) {
        return fmt::format("\"{}\" of the model's configuration is another one there than here", key);
      }
    }
  }
  return "the model's configuration is another one there than here";
}

std::string model_difference(const ModelCard& expected, const ModelCard& found) {
  return first_of({
      differ("the sha256 of the model's weights", expected.weights_sha256, found.weights_sha256),
      differ("the sha256 of the tokenizer", expected.tokenizer_sha256, found.tokenizer_sha256),
      differ("the tokenizer", expected.tokenizer, found.tokenizer),
      differ("the architecture", expected.architecture, found.architecture),
      differ("the kind of encoder", expected.encoder_kind, found.encoder_kind),
      differ("the fusion", expected.fusion, found.fusion),
      differ("the first layer", expected.first_layer, found.first_layer),
      differ("the number of directions", expected.bidirectional ? 2 : 1, found.bidirectional ? 2 : 1),
      differ("the number of layers", expected.layers, found.layers),
      differ("the number of heads", expected.heads, found.heads),
      differ("d_model", expected.d_model, found.d_model),
      differ("attention_dim", expected.attention_dim, found.attention_dim),
      differ("ffn_dim", expected.ffn_dim, found.ffn_dim),
      differ("the number of decoder layers", expected.decoder_layers, found.decoder_layers),
      differ("the size of the vocabulary", expected.vocabulary, found.vocabulary),
      differ("the number of parameters", expected.parameters, found.parameters),
      tags_difference(expected, found),
      configuration_difference(expected, found),
  });
}

std::string quantity_difference(const QuantitySchema& expected, const QuantitySchema& found) {
  const std::string name = expected.name.text();
  if (expected.axes != found.axes || expected.extents != found.extents) {
    return fmt::format("{} is {} there, {} here", name, layout::offsets_kind(expected),
                       layout::offsets_kind(found));
  }
  if (expected.dtype != found.dtype) {
    return fmt::format("{} is {} there, {} here", name, mog::name(expected.dtype), mog::name(found.dtype));
  }
  // Orders with repeats were called words once; they are leaves.
  const auto unit = [&](const QuantitySchema& schema) {
    return schema.name.quantity() == Quantity::order && schema.units == "words" ? std::string("leaves")
                                                                                : schema.units;
  };
  return differ("the unit of " + name, unit(expected), unit(found));
}

std::string quantities_difference(const RecordingHeader& expected, const RecordingHeader& found) {
  for (const QuantitySchema& schema : expected.quantities) {
    const QuantitySchema* const other = found.find(schema.name);
    if (other == nullptr) {
      return fmt::format("{} is recorded there, but not here", schema.name.text());
    }
    if (std::string text = quantity_difference(schema, *other); !text.empty()) {
      return text;
    }
  }
  for (const QuantitySchema& schema : found.quantities) {
    if (expected.find(schema.name) == nullptr) {
      return fmt::format("{} is not recorded there, but here", schema.name.text());
    }
  }
  return {};
}

}  // namespace

void write_manifest(const std::filesystem::path& path, const Manifest& manifest) {
  Json json{{"format", layout::kFormat}, {"version", layout::kVersion}, {"complete", manifest.complete},
            {"part", manifest.part},     {"parts", manifest.parts},     {"sentences", manifest.sentences},
            {"tokens", manifest.tokens}, {"shards", manifest.shards}};
  const Json header = header_to_json(manifest.header);
  for (const auto& [key, value] : header.items()) {
    json[key] = value;
  }
  if (!manifest.files.empty()) {
    json["files"] = manifest.files;
  }
  std::string head = to_text(json, 2);
  head.resize(head.size() - std::string_view("\n}").size());
  write_file(path, fmt::format("{}{}{}{}", head, kSumHead, sha256(head), kSumTail));
}

Manifest read_manifest(const std::filesystem::path& path) {
  const std::string text = read_file(path, "the manifest", kLongestManifest);
  if (text.empty()) {
    throw FormatError(fmt::format("reading {}: the file is empty", path.string()));
  }
  const Json json = parse_json(text, path, "manifest");
  const JsonObject object(json, path, "manifest");
  if (!json.contains("format") || json["format"] != layout::kFormat) {
    object.refuse(fmt::format("it is no recording's: \"format\" must be \"{}\"", layout::kFormat));
  }
  Manifest manifest;
  manifest.version = object.text("version");
  require_version(manifest.version, path);
  manifest.summed = check_sum(text, json, object, manifest.version);
  manifest.complete = object.boolean("complete");
  manifest.part = object.integer("part");
  manifest.parts = object.integer("parts");
  manifest.sentences = object.integer("sentences");
  manifest.tokens = object.integer("tokens");
  manifest.shards = object.integer("shards");
  if (json.contains("files")) {
    const JsonObject files = object.object("files");
    for (const auto& [name, sum] : files.json().items()) {
      manifest.files[name] = files.text(name.c_str());
    }
  }
  manifest.header = header_from_json(json, path, "manifest");
  return manifest;
}

void require_version(const std::string& version, const std::filesystem::path& path) {
  std::int64_t major = 0;
  const auto [end, error] = std::from_chars(version.data(), version.data() + version.size(), major);
  const bool sound =
      error == std::errc() && end != version.data() + version.size() && *end == '.' && major > 0;
  if (!sound) {
    throw FormatError(fmt::format("reading {}: the format version \"{}\" is no version like \"{}\"",
                                  path.string(), version.substr(0, 40), layout::kVersion));
  }
  if (major > layout::kMajor) {
    throw FormatError(
        fmt::format("reading {}: a recording of format version {}; this program reads version {}.x: "
                    "update MoG Workbench, or record again with this one",
                    path.string(), version.substr(0, 40), layout::kMajor));
  }
}

namespace {

// The name says how the text was changed or cut into words, which is part of what the sum is of.
std::string corpus_difference(const Provenance& expected, const Provenance& found) {
  if (expected.corpus_sha256 == found.corpus_sha256) {
    return {};
  }
  return first_of({differ("the corpus", expected.corpus_name, found.corpus_name),
                   differ("the sha256 of the corpus", expected.corpus_sha256, found.corpus_sha256)});
}

}  // namespace

std::string difference(const RecordingHeader& expected, const RecordingHeader& found) {
  return first_of({model_difference(expected.model, found.model),
                   corpus_difference(expected.provenance, found.provenance),
                   differ("the target", expected.provenance.target, found.provenance.target),
                   differ("the precision", expected.provenance.precision, found.provenance.precision),
                   quantities_difference(expected, found)});
}

std::string full_difference(const RecordingHeader& expected, const RecordingHeader& found) {
  std::string text = first_of(
      {difference(expected, found), differ("the model's name", expected.model.name, found.model.name),
       differ("the name", expected.provenance.name, found.provenance.name),
       differ("the configuration", expected.model.config_json, found.model.config_json),
       expected.system == found.system ? std::string()
                                       : "what is said of the system's stacks and parts differs",
       expected.unknown_quantities == found.unknown_quantities
           ? std::string()
           : "the quantities that this program does not know differ"});
  for (std::size_t i = 0; text.empty() && i < expected.quantities.size(); ++i) {
    text = differ("the description of " + expected.quantities[i].name.text(),
                  expected.quantities[i].description, found.quantities[i].description);
  }
  return text;
}

}  // namespace mog::io
