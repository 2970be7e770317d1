#include "app/workflow/train/train_inputs.h"

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "app/workflow/experiment/coref_data.h"
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
  const std::vector<std::filesystem::path> documents = coref_files(split, root);
  files.insert(files.end(), documents.begin(), documents.end());
}

std::vector<std::filesystem::path> data_files(const TrainConfig& config, const std::filesystem::path& root) {
  std::vector<std::filesystem::path> files;
  for (const DataSplit* split : {&config.train, &config.dev, &config.test}) {
    add_split(*split, root, files);
  }
  return files;
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
  std::vector<std::filesystem::path> files = data_files(config, data_root(config, options));
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

std::vector<std::filesystem::path> missing_inputs(const TrainConfig& config, const TrainJobOptions& options) {
  const std::filesystem::path root = data_root(config, options);
  std::vector<std::filesystem::path> files = data_files(config, root);
  for (const auto* name :
       {&config.tokenizer.codes, &config.tokenizer.vocab, &config.tokenizer.target_vocab}) {
    if (!name->empty()) {
      files.push_back(root / *name);
    }
  }
  std::vector<std::filesystem::path> missing;
  for (const std::filesystem::path& file : files) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(file, error) &&
        std::find(missing.begin(), missing.end(), file) == missing.end()) {
      missing.push_back(file);
    }
  }
  return missing;
}

}  // namespace mog::app
