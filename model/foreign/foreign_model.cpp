#include "model/foreign/foreign_model.h"

#include <fmt/format.h>

#include <system_error>

#include "io/recording/errors.h"
#include "io/text/input_file.h"
#include "model/foreign/hugging_face.h"

namespace mog::model {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMostConfigBytes = std::uint64_t{16} << 20U;

enum class Source : std::uint8_t { own, hugging_face, file };

Source recognise(const fs::path& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) {
    return Source::file;
  }
  if (fs::exists(path / "config.json", error)) {
    const std::string json = io::read_file(path / "config.json", "the model configuration", kMostConfigBytes);
    if (is_hugging_face_config(json)) {
      return Source::hugging_face;
    }
  }
  return Source::own;
}

}  // namespace

bool is_foreign_model(const fs::path& path) noexcept {
  try {
    return recognise(path) != Source::own;
  } catch (const std::exception&) {
    return false;
  }
}

ForeignModel read_foreign_model(const fs::path& path, const ForeignOptions& options) {
  if (recognise(path) == Source::hugging_face) {
    return read_hugging_face(path, options.weights);
  }
  throw FormatError(fmt::format(
      "opening the model {}: expected the folder of a model (config.json, weights, tokenizer), found a "
      "file",
      path.string()));
}

}  // namespace mog::model
