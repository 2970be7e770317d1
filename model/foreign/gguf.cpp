// A GGUF file says what a Hugging Face folder says, in one file and under other names. So its keys become
// those of config.json, its tensors get the names and rows of that family, its lists become a tokenizer.json,
// and from there on the model is read as every folder of that family is: one reader knows what a family
// computes.
#include "model/foreign/gguf.h"

#include <fmt/format.h>

#include <limits>
#include <utility>

#include "io/recording/errors.h"
#include "model/foreign/hugging_face.h"
#include "model/foreign/import_advice.h"
#include "model/foreign/source_text.h"

namespace mog::model {

namespace {

// What no list of the file could say alone: they do not fit each other.
ForeignTokenizer tokenizer_of(std::string document, const std::string& file) {
  try {
    return foreign_tokenizer_of(std::move(document), file);
  } catch (const FormatError& error) {
    throw ModelError(error.what());
  }
}

}  // namespace

ForeignModel read_gguf(const std::filesystem::path& path, bool weights) {
  io::WeightsOptions options;
  options.values = weights;
  options.format = io::WeightsFormat::gguf;
  io::WeightsFile file = io::open_weights(path, options);
  const GgufKeys keys(file);
  if (keys.count("split.count", std::numeric_limits<std::uint16_t>::max()).value_or(1) > 1) {
    keys.refuse("split.count",
                "the model lies in several files, expected one; join them with llama-gguf-split "
                "--merge FIRST-FILE OUTPUT");
  }
  const GgufArchitecture& architecture = gguf_architecture(keys);
  const GgufSizes sizes = gguf_sizes(keys);
  HfConfig config(gguf_config(keys, architecture, sizes, file), path);
  config.set_gguf();
  std::vector<std::string> notes;
  std::string document = gguf_tokenizer(keys, notes);
  const std::string name = keys.text("general.name");
  const std::string license = keys.text("general.license");
  ForeignModel model =
      assemble({.path = path,
                .config = config,
                .tensors = [&] { return gguf_weights(keys, architecture, sizes, file, notes); },
                .tokenizer = [&] { return tokenizer_of(std::move(document), path.string()); },
                .source = source_name(path, name),
                .license = license.substr(0, 80)},
               weights);
  model.notes.insert(model.notes.end(), notes.begin(), notes.end());
  return model;
}

}  // namespace mog::model
