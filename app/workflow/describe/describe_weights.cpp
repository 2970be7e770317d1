// Files of weights that other programs wrote. They are parsed by mog-loader.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "app/workflow/common/text_format.h"
#include "app/workflow/describe/describe_parts.h"
#include "io/checkpoint/gguf.h"
#include "io/checkpoint/weights_file.h"
#include "io/recording/counted.h"
#include "io/recording/host_tensor.h"
#include "io/text/input_file.h"

namespace mog::app {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kShown = 40;

const char* title(io::WeightsFormat format) {
  switch (format) {
    case io::WeightsFormat::safetensors:
      return "safetensors";
    case io::WeightsFormat::torch:
      return "PyTorch checkpoint";
    case io::WeightsFormat::ctranslate2:
      return "CTranslate2 model";
    case io::WeightsFormat::sentencepiece:
      return "sentencepiece model";
    case io::WeightsFormat::gguf:
      return "GGUF model (llama.cpp)";
  }
  return "";
}

PathKind kind_of(io::WeightsFormat format) {
  return format == io::WeightsFormat::torch           ? PathKind::torch
         : format == io::WeightsFormat::ctranslate2   ? PathKind::ctranslate2
         : format == io::WeightsFormat::sentencepiece ? PathKind::sentencepiece
         : format == io::WeightsFormat::gguf          ? PathKind::gguf
                                                      : PathKind::safetensors;
}

std::string dtypes_text(const std::vector<io::TensorInfo>& tensors) {
  std::map<std::string, std::int64_t> counts;
  for (const io::TensorInfo& tensor : tensors) {
    ++counts[tensor.dtype];
  }
  std::string text;
  for (const auto& [dtype, count] : counts) {
    text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", dtype, count);
  }
  return text.empty() ? "none" : text;
}

// What the file says beside its tensors, one line each.
void add_metadata(std::vector<std::pair<std::string, std::string>>& facts, const Json& metadata) {
  for (const auto& [key, value] : metadata.items()) {
    if (key == "format" || (value.is_structured() && value.empty())) {
      continue;
    }
    if (key == "values" && value.is_object()) {  // of GGUF
      add_metadata(facts, value);
    } else if (key == "data" && value.is_object()) {
      std::string names;
      std::size_t count = 0;
      for (const auto& [name, member] : value.items()) {
        if (++count <= 12) {
          names += (names.empty() ? "" : ", ") + printable(name);
        }
      }
      facts.emplace_back("data", names + (count > 12 ? fmt::format(" and {} more", count - 12) : ""));
    } else if (value.is_structured()) {
      facts.emplace_back(key, grouped(static_cast<std::int64_t>(value.size())));
    } else {
      facts.emplace_back(key, printable(value.is_string() ? value.get<std::string>() : value.dump()));
    }
  }
}

}  // namespace

Description describe_weights(const std::filesystem::path& path, std::optional<io::WeightsFormat> format,
                             const std::stop_token& stop) {
  const std::uint64_t size = io::InputFile::open(path, "the weights").size_bytes();
  const io::WeightsFile file = io::open_weights(path, {.format = format, .values = false, .stop = stop});
  const Json metadata = Json::parse(file.metadata(), nullptr, false);
  Description description;
  description.kind = kind_of(file.format());
  auto& facts = description.facts;
  std::int64_t elements = 0;
  Json tensors = Json::array();
  std::vector<io::TensorInfo> listed = file.tensors();
  std::erase_if(listed, [](const io::TensorInfo& tensor) {  // lists of GGUF are no tensors of the model
    return tensor.name.starts_with(io::kGgufList) || tensor.name.starts_with(io::kGgufEnds);
  });
  for (const io::TensorInfo& tensor : listed) {
    elements += tensor.elements();
    tensors.push_back({{"name", tensor.name}, {"dtype", tensor.dtype}, {"shape", tensor.shape}});
  }
  facts.emplace_back("kind", title(file.format()));
  facts.emplace_back("path", path.string());
  facts.emplace_back("tensors", grouped(static_cast<std::int64_t>(tensors.size())));
  facts.emplace_back("elements", grouped(elements));
  facts.emplace_back("dtypes", dtypes_text(listed));
  facts.emplace_back("size", byte_text(static_cast<std::int64_t>(size)));
  add_metadata(facts, metadata);
  for (std::size_t i = 0; i < std::min(kShown, tensors.size()); ++i) {
    const io::TensorInfo& tensor = listed[i];
    facts.emplace_back("  " + printable(tensor.name),
                       fmt::format("{} {}", tensor.dtype, shape_text(tensor.shape)));
  }
  if (tensors.size() > kShown) {
    facts.emplace_back("  …", fmt::format("{} more (--json lists all)", tensors.size() - kShown));
  }
  Json json;
  json["kind"] = name(description.kind);
  json["path"] = path.string();
  json["size_bytes"] = size;
  json["metadata"] =
      description.kind == PathKind::safetensors ? metadata.value("data", Json::object()) : metadata;
  json["tensors"] = std::move(tensors);
  description.json = json.dump(2, ' ', false, Json::error_handler_t::replace);
  return description;
}

}  // namespace mog::app
