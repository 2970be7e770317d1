#include "model/foreign/foreign_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <system_error>
#include <utility>

#include "io/recording/errors.h"
#include "io/text/input_file.h"
#include "model/foreign/checkpoint_file.h"
#include "model/foreign/gguf.h"
#include "model/foreign/hugging_face.h"
#include "model/foreign/sentence_transformers.h"

namespace mog::model {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMostConfigBytes = std::uint64_t{16} << 20U;

enum class Source : std::uint8_t { own, hugging_face, ctranslate2, file, gguf };

Source recognise(const fs::path& path) {
  std::error_code error;
  if (gguf_of(path)) {
    return Source::gguf;
  }
  if (!fs::is_directory(path, error)) {
    return Source::file;
  }
  const bool binary = fs::exists(path / "model.bin", error);
  if (fs::exists(path / "config.json", error)) {
    const std::string json = io::read_file(path / "config.json", "the model configuration", kMostConfigBytes);
    if (is_hugging_face_config(json)) {
      return Source::hugging_face;
    }
    if (fs::exists(path / "modules.json", error) && json.find("\"format\"") == std::string::npos) {
      return Source::hugging_face;  // of sentence-transformers, with a config.json of its own
    }
    // CTranslate2 has a config.json of its own beside model.bin.
    return binary && json.find("\"format\"") == std::string::npos ? Source::ctranslate2 : Source::own;
  }
  return binary                                     ? Source::ctranslate2
         : fs::exists(path / "modules.json", error) ? Source::hugging_face
                                                    : Source::own;
}

constexpr std::array<std::pair<Activation, std::string_view>, 4> kActivationNames = {
    {{Activation::relu, "relu"},
     {Activation::gelu, "gelu"},
     {Activation::gelu_tanh, "gelu_tanh"},
     {Activation::silu, "silu"}}};

std::string_view activation_name(Activation activation) {
  return std::find_if(kActivationNames.begin(), kActivationNames.end(),
                      [&](const auto& entry) { return entry.first == activation; })
      ->second;
}

// The folder of a file that is only one part of its model; "" where the file is the model.
fs::path folder_of_part(const fs::path& file) {
  const std::string name = file.filename().string();
  fs::path folder = fs::absolute(file).parent_path();
  std::error_code error;
  if (name == "model.bin" || ((name == "model.safetensors" || name == "pytorch_model.bin") &&
                              fs::exists(folder / "config.json", error))) {
    return folder;
  }
  return {};
}

ForeignModel read_checkpoint(const fs::path& file, const ForeignOptions& options) {
  if (const fs::path folder = folder_of_part(file); !folder.empty()) {
    if (!is_foreign_model(folder)) {
      throw FormatError(fmt::format("opening the model {}: give its folder {}, which is a model directory",
                                    file.string(), folder.string()));
    }
    return read_foreign_model(folder, options);
  }
  ForeignWeights weights = ForeignWeights::of_file(file, options.weights);
  if (is_fairseq(weights)) {
    return read_fairseq(file, std::move(weights), options.weights);
  }
  if (is_torch_encoder(weights)) {
    return read_torch_encoder(file, std::move(weights), options);
  }
  throw ModelError(fmt::format(
      "opening the model {}: a file of weights ({}) of which no model is known; supported: checkpoints "
      "of fairseq's Transformers (with their options) and state dicts with "
      "torch.nn.TransformerEncoder; give the folder where config.json and the tokenizer lie too",
      file.string(), io::name(weights.front().format())));
}

}  // namespace

std::optional<Activation> parse_activation(std::string_view name) noexcept {
  for (const auto& [activation, text] : kActivationNames) {
    if (name == text) {
      return activation;
    }
  }
  return std::nullopt;
}

void check_options(const ModelConfig& config, const ForeignOptions& options, const fs::path& path) {
  const auto refuse = [&](const char* option, const auto& asked, const auto& found) {
    throw ModelError(
        fmt::format("opening the model {}: {} {} is asked for, but the model has {}; leave it out",
                    path.string(), option, asked, found));
  };
  const EncoderConfig& encoder = config.encoder;
  if (options.heads && *options.heads != encoder.heads) {
    refuse("--heads", *options.heads, encoder.heads);
  }
  const auto norm = [](NormPlace place) { return place == NormPlace::pre ? "pre" : "post"; };
  if (options.norm && *options.norm != encoder.norm) {
    refuse("--norm", norm(*options.norm), norm(encoder.norm));
  }
  if (options.activation && *options.activation != encoder.activation) {
    refuse("--activation", activation_name(*options.activation), activation_name(encoder.activation));
  }
}

void require_vocabulary_file(const ForeignModel& model, const fs::path& path) {
  if (!model.tokenizer_files.contains(model.config.tokenizer.vocab)) {
    vocabulary_lines(model.tokenizer->vocabulary(), path.string());
  }
}

bool is_gguf(std::string_view first_bytes) noexcept {
  return first_bytes.starts_with("GGUF");
}

std::optional<fs::path> gguf_of(const fs::path& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) {
    if (!fs::is_regular_file(path, error)) {
      return std::nullopt;
    }
    std::array<std::byte, 4> head = {};
    io::InputFile file = io::InputFile::open(path, "the model");
    const std::size_t size = file.read(head);
    return is_gguf({reinterpret_cast<const char*>(head.data()), size}) ? std::optional(path) : std::nullopt;
  }
  for (const char* const weights : {"model.safetensors", "model.safetensors.index.json", "pytorch_model.bin",
                                    "pytorch_model.bin.index.json", "model.bin", "modules.json"}) {
    if (fs::exists(path / weights, error)) {
      return std::nullopt;
    }
  }
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(path, error)) {
    if (entry.path().extension() == ".gguf") {
      files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  if (files.size() > 1) {
    throw UsageError(
        fmt::format("opening the model {}: it holds {} GGUF files, expected one; give the file: {}",
                    path.string(), files.size(), files.front().string()));
  }
  return files.empty() ? std::nullopt : std::optional(files.front());
}

bool is_foreign_model(const fs::path& path) noexcept {
  try {
    return recognise(path) != Source::own;
  } catch (const UsageError&) {
    return true;  // which of several is asked when it is read
  } catch (const std::exception&) {
    return false;
  }
}

ForeignModel read_foreign_model(const fs::path& path, const ForeignOptions& options) {
  const Source source = recognise(path);
  ForeignModel model = source == Source::gguf ? read_gguf(*gguf_of(path), options.weights)
                       : source == Source::hugging_face
                           ? read_hugging_face(transformer_folder(path), options.weights)
                       : source == Source::ctranslate2 ? read_ctranslate2(path, options.weights)
                                                       : read_checkpoint(path, options);
  if (source == Source::hugging_face) {
    add_sentence_transformer(path, model);
  }
  if (options.weights && !options.later && model.stored) {
    model.weights = read_all(*model.stored);
    model.stored.reset();
  }
  check_options(model.config, options, path);
  // Whatever the program that it came from allows: it must be a sound configuration of ours.
  model.config = parse_config(to_json(model.config), path);
  return model;
}

}  // namespace mog::model
