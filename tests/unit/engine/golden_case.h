// Golden models (tests/data/engine/models) and what a model shows while it runs on them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "io/recording/host_tensor.h"
#include "io/recording/quantity_name.h"
#include "model/model.h"

namespace mog::test {

// Names of all cases, sorted.
std::vector<std::string> golden_cases();

std::filesystem::path golden_directory(const std::string& name);

inline constexpr std::size_t kGoldenSentences = 3;

struct GoldenCase {
  std::string name;
  std::shared_ptr<const model::Model> model;
  std::map<std::string, HostTensor> expected;  // keys of golden/README.md

  std::vector<std::int64_t> ids(std::size_t sentence, const char* key) const;
  bool has_decoder() const { return model->config().decoder.has_value(); }
  // The sentences in this order, with decoder inputs where there is a decoder.
  model::PackedBatch batch(const std::vector<std::size_t>& order) const;
};

GoldenCase open_golden(const std::string& name, const model::DeviceOptions& options = {});

// Keeps what it asks for.
class Collector final : public model::Observer {
 public:
  // Wants every quantity for which `filter` holds.
  explicit Collector(DType dtype = DType::float32, bool (*filter)(const QuantityName&) = nullptr)
      : dtype_(dtype), filter_(filter) {}
  std::optional<DType> wants(const QuantityName& name) const override;
  bool observe(const QuantityName& name, const model::PackedValues& values) override;

  bool has(const QuantityName& name) const { return values_.contains(name); }
  std::size_t size() const { return values_.size(); }
  // Values of one sentence of the batch, flat.
  std::vector<float> of(const QuantityName& name, std::size_t sentence) const;
  DType dtype(const QuantityName& name) const { return values_.at(name).values.dtype(); }

 private:
  DType dtype_;
  bool (*filter_)(const QuantityName&);
  std::map<QuantityName, model::PackedValues> values_;
};

// The quantity behind a golden key without its sentence ("encoder.layers.0.i_h"), and which block of the
// golden tensor it is (the part of an attention key). Empty for keys that are no quantity (ids, greedy,
// beam4).
struct GoldenQuantity {
  QuantityName name;
  std::size_t block = 0;
  std::size_t blocks = 1;
};
std::vector<GoldenQuantity> golden_quantities(const std::string& key, const model::ModelConfig& config);

// |found - expected| ≤ tolerance · max(1, |expected|), element by element; fails with the worst element.
void expect_near(const std::vector<float>& found, std::span<const float> expected, double tolerance,
                 const std::string& what);

// Compares every quantity of `sentence` (golden index) that `collector` holds at `place` of its batch.
// Returns the number of golden keys compared.
std::size_t compare_quantities(const GoldenCase& golden, const Collector& collector, std::size_t sentence,
                               std::size_t place, double tolerance);

}  // namespace mog::test
