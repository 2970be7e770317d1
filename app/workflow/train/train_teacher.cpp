#include "app/workflow/train/train_teacher.h"

#include <algorithm>

#include "analysis/random/bootstrap.h"
#include "io/recording/errors.h"
#include "io/text/sha256.h"
#include "model/stored_model.h"
#include "model/warm_start.h"

namespace mog::app {

namespace {

bool same_vocabulary(const model::Vocabulary& left, const model::Vocabulary& right) {
  if (left.size() != right.size()) {
    return false;
  }
  for (std::int64_t id = 0; id < left.size(); ++id) {
    if (left.token(id) != right.token(id)) {
      return false;
    }
  }
  return true;
}

// About `tokens` tokens of random sentences.
model::TrainingBatch sample_of(const std::vector<Example>& examples, std::int64_t tokens, std::int64_t seed) {
  std::vector<std::pair<std::uint64_t, std::int64_t>> order;
  for (std::size_t at = 0; at < examples.size(); ++at) {
    order.emplace_back(analysis::keyed_random(static_cast<std::uint64_t>(seed), /*stream=*/3, 0, at),
                       static_cast<std::int64_t>(at));
  }
  std::sort(order.begin(), order.end());
  std::vector<std::int64_t> chosen;
  std::int64_t sum = 0;
  for (const auto& [key, index] : order) {
    if (sum < tokens) {
      chosen.push_back(index);
      sum += static_cast<std::int64_t>(examples[static_cast<std::size_t>(index)].ids.size());
    }
  }
  // Neighbours of equal length are attended together.
  std::sort(chosen.begin(), chosen.end(), [&](std::int64_t left, std::int64_t right) {
    const auto length = [&](std::int64_t at) { return examples[static_cast<std::size_t>(at)].ids.size(); };
    return length(left) != length(right) ? length(left) > length(right) : left < right;
  });
  return make_batch(examples, chosen);
}

}  // namespace

std::vector<std::int64_t> map_vocabulary(const model::Vocabulary& from, const model::ModelConfig& from_config,
                                         const model::Vocabulary& to, const model::ModelConfig& to_config,
                                         std::int64_t missing) {
  if (same_vocabulary(from, to)) {
    return {};
  }
  std::vector<std::int64_t> ids(static_cast<std::size_t>(from.size()), missing);
  for (std::int64_t id = 0; id < from.size(); ++id) {
    ids[static_cast<std::size_t>(id)] = to.find(from.token(id)).value_or(missing);
  }
  const auto role = [&](std::int64_t ours, std::int64_t theirs) {
    if (ours >= 0 && ours < from.size()) {
      ids[static_cast<std::size_t>(ours)] = theirs;
    }
  };
  role(from_config.pad_id, to_config.pad_id);
  role(from_config.unk_id, to_config.unk_id);
  role(from_config.bos_id, to_config.bos_id);
  role(from_config.eos_id, to_config.eos_id);
  return ids;
}

std::vector<std::int64_t> Teacher::translate(const std::vector<std::int64_t>& student_ids) const {
  std::vector<std::int64_t> theirs = student_ids;
  for (std::int64_t& id : theirs) {
    id = ids.empty() ? id : ids.at(static_cast<std::size_t>(id));
  }
  return theirs;
}

Teacher load_teacher(const std::filesystem::path& path, const model::Vocabulary& vocabulary,
                     const model::ModelConfig& config, const model::DeviceOptions& device) {
  const model::StoredModel directory = model::open_stored_model(path);
  if (directory.config.encoder.d_model != config.encoder.d_model) {
    throw ModelError("Distilling from " + path.string() + ": its d_model is " +
                     std::to_string(directory.config.encoder.d_model) + " and the student's is " +
                     std::to_string(config.encoder.d_model) + "; both must be equal.");
  }
  Teacher teacher;
  teacher.ids = map_vocabulary(vocabulary, config, directory.tokenizer->vocabulary(), directory.config,
                               directory.config.unk_id);
  teacher.model = model::load_model(directory, device);
  teacher.weights_sha256 = io::file_sha256(path / "model.safetensors");
  return teacher;
}

StartWeights load_start(const TrainConfig& config, const model::Vocabulary& vocabulary,
                        const std::vector<Example>& examples) {
  const model::ModelDirectory directory = model::open_model_directory(config.start.model);
  model::WarmStartOptions options = config.start.options;
  options.rows = map_vocabulary(vocabulary, config.model, directory.tokenizer->vocabulary(), directory.config,
                                /*missing=*/-1);
  if (options.cut == model::HeadCut::fit) {
    options.sample = sample_of(examples, config.start.sample_tokens, config.training.trainer.seed);
    const std::vector<std::int64_t> theirs =
        map_vocabulary(vocabulary, config.model, directory.tokenizer->vocabulary(), directory.config,
                       directory.config.unk_id);
    for (const std::int64_t id : options.sample.input.ids) {
      options.sample.teacher_ids.push_back(theirs.empty() ? id : theirs.at(static_cast<std::size_t>(id)));
    }
  }
  StartWeights start;
  try {
    start.weights = model::warm_start(config.model, config.training.trainer, directory.config,
                                      directory.weights, options);
  } catch (const ModelError& error) {
    throw ModelError("Starting from " + config.start.model.string() + ": " + error.what());
  }
  if (const auto table = start.weights.find("encoder.embed_positions.weight"); table != start.weights.end()) {
    start.positions = table->second.shape()[0];
  }
  start.weights_sha256 = io::file_sha256(config.start.model / "model.safetensors");
  return start;
}

}  // namespace mog::app
