#include "io/hdf5/manifest.h"

#include <fmt/format.h>

#include <charconv>

#include "io/hdf5/recording_json.h"
#include "io/hdf5/recording_layout.h"
#include "io/recording/errors.h"
#include "io/text/input_file.h"
#include "io/text/output_file.h"

namespace mog::io {
namespace {

constexpr std::uint64_t kLongestManifest = std::uint64_t{64} << 20;

std::string quantity_difference(const QuantitySchema& expected, const QuantitySchema& found) {
  const std::string name = expected.name.text();
  if (expected.axes != found.axes || expected.extents != found.extents) {
    return fmt::format("{} is {} there, {} here", name, layout::offsets_kind(expected),
                       layout::offsets_kind(found));
  }
  if (expected.dtype != found.dtype) {
    return fmt::format("{} is {} there, {} here", name, mog::name(expected.dtype), mog::name(found.dtype));
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
  write_file(path, to_text(json, 2) + "\n");
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
  manifest.complete = object.boolean("complete");
  manifest.part = object.integer("part");
  manifest.parts = object.integer("parts");
  manifest.sentences = object.integer("sentences");
  manifest.tokens = object.integer("tokens");
  manifest.shards = object.integer("shards");
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

std::string difference(const RecordingHeader& expected, const RecordingHeader& found) {
  const auto differ = [](const char* what, const std::string& there, const std::string& here) {
    return there == here ? std::string() : fmt::format("{} is \"{}\" there, \"{}\" here", what, there, here);
  };
  for (const std::string& text :
       {differ("the sha256 of the model's weights", expected.model.weights_sha256,
               found.model.weights_sha256),
        differ("the sha256 of the tokenizer", expected.model.tokenizer_sha256, found.model.tokenizer_sha256),
        differ("the sha256 of the corpus", expected.provenance.corpus_sha256, found.provenance.corpus_sha256),
        differ("the target", expected.provenance.target, found.provenance.target),
        differ("the precision", expected.provenance.precision, found.provenance.precision)}) {
    if (!text.empty()) {
      return text;
    }
  }
  for (const QuantitySchema& schema : expected.quantities) {
    const QuantitySchema* const other = found.find(schema.name);
    if (other == nullptr) {
      return fmt::format("{} is recorded there, but not here", schema.name.text());
    }
    if (const std::string text = quantity_difference(schema, *other); !text.empty()) {
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

}  // namespace mog::io
