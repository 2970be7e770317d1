#include "model/foreign/sentence_transformers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>
#include <system_error>
#include <vector>

#include "io/recording/errors.h"
#include "io/text/input_file.h"
#include "io/text/json_check.h"
#include "model/config/config_reader.h"
#include "model/foreign/source_text.h"

namespace mog::model {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 20U;

struct Module {
  std::string path;
  std::string type;  // "Transformer", "Pooling", …: what stands behind the last dot
};

Json read_json(const fs::path& file, const char* what) {
  std::error_code error;
  if (!fs::exists(file, error)) {
    return nullptr;
  }
  const std::string text = io::read_file(file, what, kMostBytes);
  io::check_json(text, file.string());
  return Json::parse(text);
}

std::vector<Module> modules_of(const fs::path& folder) {
  const fs::path file = folder / "modules.json";
  const Json document = read_json(file, "the list of modules");
  std::vector<Module> modules;
  if (document.is_null()) {
    return modules;
  }
  if (!document.is_array() || document.empty()) {
    throw FormatError(fmt::format("{}: expected a list of modules", file.string()));
  }
  for (std::size_t i = 0; i < document.size(); ++i) {
    ConfigReader reader(document[i], file.string(), fmt::format("[{}]", i));
    Module module{reader.text("path"), reader.text("type")};
    if (module.path.find_first_of(std::string_view("/\\\0", 3)) != std::string::npos || module.path == "..") {
      reader.refuse("path", "a folder beside modules.json", module.path.substr(0, 80));
    }
    module.type.erase(0, module.type.rfind('.') + 1);
    modules.push_back(std::move(module));
  }
  return modules;
}

}  // namespace

fs::path transformer_folder(const fs::path& folder) {
  const std::vector<Module> modules = modules_of(folder);
  if (modules.empty()) {
    return folder;
  }
  if (modules.front().type != "Transformer") {
    throw ModelError(fmt::format("{}: the first module is {}, which is not supported; supported: Transformer",
                                 (folder / "modules.json").string(), modules.front().type.substr(0, 80)));
  }
  return modules.front().path.empty() || modules.front().path == "." ? folder : folder / modules.front().path;
}

void add_sentence_transformer(const fs::path& folder, ForeignModel& model) {
  const std::vector<Module> modules = modules_of(folder);
  if (modules.empty()) {
    return;
  }
  const fs::path inner = transformer_folder(folder);
  std::vector<std::string> others;
  for (std::size_t i = 1; i < modules.size(); ++i) {
    others.push_back(modules[i].type.substr(0, 80));
  }
  if (!others.empty()) {
    model.notes.push_back(
        fmt::format("left out, behind the encoder: {} (modules.json)", fmt::join(others, ", ")));
  }
  if (model.license.empty()) {
    model.license = license_of(folder);
  }
  if (model.source == source_name(inner, "")) {
    model.source = source_name(folder, "");
  }
  const fs::path file = inner / "sentence_bert_config.json";
  const Json document = read_json(file, "the configuration of the Transformer module");
  if (!document.is_object()) {
    return;
  }
  if (document.contains("max_seq_length") && document["max_seq_length"].is_number_unsigned()) {
    model.notes.push_back(fmt::format("its truncation at {} tokens is not applied",
                                      document["max_seq_length"].get<std::uint64_t>()));
  }
  if (document.contains("do_lower_case") && document["do_lower_case"] == true &&
      !model.config.tokenizer.lowercase) {
    throw ModelError(fmt::format("{}: do_lower_case = true is not supported with a tokenizer that keeps case",
                                 file.string()));
  }
}

}  // namespace mog::model
