#include "app/workflow/train_inputs.h"

#include <cstdlib>
#include <vector>

#include "io/text/sha256.h"

namespace mog::app {
namespace {

void add_split(const DataSplit& split, const std::filesystem::path& root,
               std::vector<std::filesystem::path>& files) {
  for (const auto* names : {&split.conllu, &split.iob2, &split.source, &split.target}) {
    for (const std::filesystem::path& name : *names) {
      files.push_back(root / name);
    }
  }
  for (const TextFile& text : split.text) {
    files.push_back(root / text.file);
  }
}

}  // namespace

std::filesystem::path data_root(const TrainConfig& config, const TrainJobOptions& options) {
  if (!options.data_root.empty()) {
    return options.data_root;
  }
  if (const char* variable = std::getenv("MOG_DATA_DIR"); variable != nullptr && *variable != '\0') {
    return variable;
  }
  const std::filesystem::path base = config.file.parent_path();
  return config.data_root.empty() ? base : base / config.data_root;
}

std::optional<std::string> InputFingerprints::of(const TrainConfig& config, const TrainJobOptions& options) {
  std::vector<std::filesystem::path> files;
  const std::filesystem::path root = data_root(config, options);
  for (const DataSplit* split : {&config.train, &config.dev, &config.test}) {
    add_split(*split, root, files);
  }
  for (const std::filesystem::path& model : {config.start.model, config.distill.teacher}) {
    if (!model.empty()) {
      files.push_back(model / "model.safetensors");
    }
  }
  io::Sha256 hash;
  for (const std::filesystem::path& file : files) {
    auto known = files_.find(file);
    if (known == files_.end()) {
      std::error_code error;
      if (!std::filesystem::is_regular_file(file, error)) {
        return std::nullopt;
      }
      known = files_.emplace(file, io::file_sha256(file)).first;
    }
    hash.update(known->second);
  }
  return hash.hex();
}

}  // namespace mog::app
