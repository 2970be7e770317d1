// What products in 8 bits change: measured on some sentences beside the same model in float32.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "io/recording/sentence.h"
#include "model/stored_model.h"

namespace mog::app {

// The model in float32, where `options` ask for products in 8 bits; else nullptr. Throws as load_for_running.
std::shared_ptr<const model::Model> exact_model(const std::filesystem::path& directory,
                                                model::DeviceOptions options);

struct RoundingError {
  std::int64_t sentences = 0;       // on which it was measured
  std::optional<double> attention;  // the greatest difference of an attention weight; none without attention
  double difference = 0;            // ||rounded - exact||² over the whole output of the stack
  double norm = 0;                  // ||exact||²

  double output() const noexcept;  // ||rounded - exact|| / ||exact||
  void add(const RoundingError& other) noexcept;
};

// Runs both models on the first of the sentences, as many as have 256 MB of maps in both; `round`: of a model
// that reads its own graph. Throws as Model::run.
RoundingError rounding_error(const model::Model& rounded, const model::Model& exact,
                             const std::vector<Sentence>& sentences, std::optional<std::int64_t> round = {});
// The model; where `options` ask for products in 8 bits one that runs its first eight batches in float32,
// too, as much of each as rounding_error() takes (with all its sentences, or it waits for the next). Throws
// as model::load_model.
std::shared_ptr<const model::Model> load_measured(const model::StoredModel& model,
                                                  model::DeviceOptions options);
std::shared_ptr<const model::Model> measured(std::shared_ptr<const model::Model> rounded,
                                             std::shared_ptr<const model::Model> exact);
// What such models of this process found so far; nothing where none ran. Safe from several threads.
std::optional<RoundingError> measured_rounding();

// One line for people.
std::string rounding_line(const RoundingError& error);

}  // namespace mog::app
