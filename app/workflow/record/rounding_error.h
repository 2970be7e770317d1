// What products in 8 bits change: measured on some sentences beside the same model in float32.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "io/recording/sentence.h"
#include "model/model.h"

namespace mog::app {

// The model in float32, where `options` ask for products in 8 bits; else nullptr. Throws as load_for_running.
std::shared_ptr<const model::Model> exact_model(const std::filesystem::path& directory,
                                                model::DeviceOptions options);

struct RoundingError {
  std::int64_t sentences = 0;  // on which it was measured
  double attention = 0;   // the greatest difference of an encoder's attention weight; 0 without attention
  double difference = 0;  // ||rounded - exact||² over all of encoder.output
  double norm = 0;        // ||exact||²

  double output() const noexcept;  // ||rounded - exact|| / ||exact||
  void add(const RoundingError& other) noexcept;
};

// Runs both models on the sentences. Throws as Model::run.
RoundingError rounding_error(const model::Model& rounded, const model::Model& exact,
                             const std::vector<Sentence>& sentences);
// One line for people.
std::string rounding_line(const RoundingError& error);

}  // namespace mog::app
