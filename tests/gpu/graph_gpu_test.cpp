// Encoders that read a graph, on a graphics card as on the CPU: decompositions, cuts, derivatives.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "tests/gpu/gpu_or_skip.h"
#include "tests/unit/engine/golden_case.h"
#include "tests/unit/engine/graph_case.h"
#include "tests/unit/engine/gret_case.h"
#include "tests/unit/engine/watcher.h"

namespace mog::test {
namespace {

const QuantityName kOutput(Stack::encoder, 0, Part::none, Quantity::output);

void expect_same(const std::vector<double>& found, const std::vector<double>& expected,
                 const std::string& what) {
  ASSERT_EQ(found.size(), expected.size()) << what;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const bool same = std::isnan(expected[i])
                          ? std::isnan(found[i])
                          : std::abs(found[i] - expected[i]) <= 1e-8 * (1 + std::abs(expected[i]));
    ASSERT_TRUE(same) << what << ": " << found[i] << " and " << expected[i];
  }
}

class GpuGraphInput : public testing::TestWithParam<model::RelationForm> {
 protected:
  std::shared_ptr<const model::Model> open(const std::string& device) const {
    return open_weights(graph_parser(GetParam()), random_weights(graph_parser(GetParam()), 4),
                        {.device = device, .precision = model::Precision::float64});
  }
};

TEST_P(GpuGraphInput, DecompositionsAreThoseOfTheCpu) {
  MOG_REQUIRE_GPU();
  Watcher cpu(true, true);
  Watcher gpu(true, true);
  for (const auto& [device, watcher] : {std::pair("cpu", &cpu), std::pair("cuda", &gpu)}) {
    model::Observer* const observers[] = {watcher};
    open(device)->run(graph_batch(), {}, observers);
  }
  for (const QuantitySchema& schema : model::decomposition_quantities(graph_parser(GetParam()))) {
    for (std::size_t sentence = 0; sentence < 3; ++sentence) {
      expect_same(gpu.of(schema.name, sentence), cpu.of(schema.name, sentence), schema.name.text());
    }
  }
}

TEST_P(GpuGraphInput, CutsAndDerivativesAreThoseOfTheCpu) {
  MOG_REQUIRE_GPU();
  const std::vector<model::Intervention> cuts = {model::CutGraphTerm{1, model::GraphTerm::relation_key, 2},
                                                 model::CutGraphTerm{1, model::GraphTerm::relation_value, {}},
                                                 model::CutGraphTerm{2, model::GraphTerm::content, 1}};
  std::vector<std::vector<double>> found;
  for (const char* const device : {"cpu", "cuda"}) {
    const auto model = open(device);
    Collector collector(DType::float64);
    model::Observer* const observers[] = {&collector};
    model->run(graph_batch(), cuts, observers);
    std::vector<double> values;
    for (std::size_t sentence = 0; sentence < 3; ++sentence) {
      const std::vector<float> own = collector.of(kOutput, sentence);
      values.insert(values.end(), own.begin(), own.end());
    }
    for (const QuantityName& of : {kOutput, QuantityName::pair_scores("arcs")}) {
      const model::TokenGradients gradients = model->differentiate(
          graph_batch(), {}, of, [](std::span<const double> at, std::span<double> slopes) {
            for (std::size_t i = 0; i < at.size(); ++i) {
              slopes[i] = std::sin(static_cast<double>(i));
            }
          });
      values.insert(values.end(), gradients.scale.begin(), gradients.scale.end());
      values.insert(values.end(), gradients.presence.begin(), gradients.presence.end());
    }
    found.push_back(std::move(values));
  }
  ASSERT_EQ(found.front().size(), found.back().size());
  for (std::size_t i = 0; i < found.front().size(); ++i) {
    EXPECT_NEAR(found.front()[i], found.back()[i], 1e-5);
  }
}

INSTANTIATE_TEST_SUITE_P(Forms, GpuGraphInput,
                         testing::Values(model::RelationForm::three_term, model::RelationForm::two_term,
                                         model::RelationForm::unscaled),
                         [](const auto& one) { return std::string(model::name(one.param)); });

}  // namespace
}  // namespace mog::test
