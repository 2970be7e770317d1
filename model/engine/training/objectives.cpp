// The loss of an update is the mean over labels of each objective, and over objectives their weighted mean.
// An update may have several batches, so the factor of each objective's sum is fixed before the first of
// them: gradients then only add up. Unlabelled tokens (label < 0) are left out before the output layer, which
// costs labels × d_model × classes and most of a translation's step (losses.cpp).
#include "model/engine/training/objectives.h"

#include <algorithm>

#include "io/recording/errors.h"
#include "model/engine/training/graph_losses.h"
#include "model/engine/training/losses.h"
#include "model/engine/training/state_losses.h"

namespace mog::engine {

std::vector<Objectives::Labels> Objectives::labels(const model::TrainingBatch& batch) const {
  std::vector<Labels> found;
  const auto add = [&](const std::string& task, const std::vector<std::int64_t>& labels, std::int64_t tokens,
                       std::int64_t classes) {
    const std::string what = task.empty() ? "target labels" : "labels of task " + task;
    if (static_cast<std::int64_t>(labels.size()) != tokens) {
      throw ShapeError("A training step: " + std::to_string(labels.size()) + " " + what + " for " +
                       std::to_string(tokens) + " tokens; there must be one a token.");
    }
    std::vector<std::int64_t> rows;
    std::vector<std::int64_t> values;
    for (std::size_t at = 0; at < labels.size(); ++at) {
      if (labels[at] >= classes) {
        throw ModelError("A training step: label " + std::to_string(labels[at]) + " among the " + what +
                         ", but there are only " + std::to_string(classes) + " classes.");
      }
      if (labels[at] >= 0) {
        rows.push_back(static_cast<std::int64_t>(at));
        values.push_back(labels[at]);
      }
    }
    if (!rows.empty()) {
      found.push_back({task, indices_on(device_, rows), indices_on(device_, values)});
    }
  };
  if (config_.decoder) {
    add("", batch.target_labels, static_cast<std::int64_t>(batch.input.target_ids.size()),
        config_.target_vocab_size);
  }
  for (const auto& [task, labels] : batch.labels) {
    const auto tags = config_.tasks.find(task);
    if (tags == config_.tasks.end()) {
      throw UsageError("A training step: labels for task " + task + ", which the model does not have.");
    }
    add(task, labels, batch.input.tokens(), static_cast<std::int64_t>(tags->second.size()));
  }
  return found;
}

std::vector<std::string> Objectives::names() const {
  std::vector<std::string> names;
  if (config_.decoder) {
    names.emplace_back();
  }
  for (const auto& [task, tags] : config_.tasks) {
    names.push_back(task);
  }
  if (config_.graph) {
    for (std::string& head : model::head_names(*config_.graph)) {
      names.push_back(std::move(head));
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

Objectives::ByTask Objectives::scales(const std::map<std::string, std::int64_t>& counts,
                                      double factor) const {
  ByTask scales;
  double weights = 0.0;
  for (const auto& [task, labels] : counts) {
    weights += labels > 0 ? weight_of(task) : 0.0;
  }
  for (const auto& [task, labels] : counts) {
    scales[task] =
        labels > 0 && weights > 0.0 ? factor * weight_of(task) / weights / static_cast<double>(labels) : 0.0;
  }
  return scales;
}

std::map<std::string, Objectives::Sums> Objectives::losses(const std::vector<Labels>& labels,
                                                           const at::Tensor& states, const TensorTable& table,
                                                           const ByTask* scales, at::Tensor* gradient) const {
  std::map<std::string, Sums> sums;
  for (const Labels& own : labels) {
    const double scale = scales != nullptr ? scales->at(own.task) : 0.0;
    const LossSums result = smoothed_cross_entropy(states, output_of(own.task, table), own.rows, own.classes,
                                                   options_.label_smoothing, scale, gradient);
    sums[own.task] = {result.loss.item<double>(), result.nll.item<double>(), own.rows.size(0)};
  }
  return sums;
}

model::StepResult Objectives::means(const std::map<std::string, Sums>& sums) const {
  model::StepResult result;
  double weights = 0.0;
  for (const auto& [task, sum] : sums) {
    const double weight = weight_of(task);
    const auto labels = static_cast<double>(sum.labels);
    weights += weight;
    result.loss += weight * sum.loss / labels;
    result.nll += weight * sum.nll / labels;
    result.labels += sum.labels;
  }
  if (weights > 0.0) {
    result.loss /= weights;
    result.nll /= weights;
  }
  return result;
}

double Objectives::weight_of(const std::string& task) const {
  const auto found = options_.task_weights.find(task);
  return found == options_.task_weights.end() ? 1.0 : found->second;
}

Linear Objectives::output_of(const std::string& task, const TensorTable& table) const {
  if (!task.empty()) {
    return {table.at("heads." + task + ".weight"), table.at("heads." + task + ".bias")};
  }
  const bool shared = config_.decoder && config_.decoder->share_output_embedding;
  return {table.at(shared ? "decoder.embed_tokens.weight" : "decoder.output_projection.weight"), {}};
}

std::map<std::string, std::int64_t> Objectives::count(
    const std::vector<model::TrainingBatch>& batches) const {
  std::map<std::string, std::int64_t> counts;
  for (const std::string& name : names()) {
    counts[name] = 0;
  }
  for (const model::TrainingBatch& batch : batches) {
    if (config_.decoder) {
      counts[""] += static_cast<std::int64_t>(batch.target_labels.size());
    }
    for (const auto& [task, labels] : batch.labels) {
      for (const std::int64_t label : labels) {
        counts[task] += label >= 0 ? 1 : 0;
      }
    }
    if (config_.graph && batch.graph) {
      for (const auto& [head, labels] : graph_label_counts(*config_.graph, *batch.graph)) {
        counts[head] += labels * batch.graph->rounds;
      }
    }
    if (batch.transitions) {
      for (const auto& [head, labels] : state_label_counts(*batch.transitions)) {
        counts[head] += labels;
      }
    }
  }
  return counts;
}

}  // namespace mog::engine
