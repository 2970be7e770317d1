// Derivatives of a parser that reads a graph against finite differences, in float64; the graph is given.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "tests/unit/engine/golden_case.h"
#include "tests/unit/engine/graph_case.h"
#include "tests/unit/engine/gret_case.h"

namespace mog::test {
namespace {

using Values = std::vector<double>;

const QuantityName kOutput(Stack::encoder, 0, Part::none, Quantity::output);

// Σ sin(i) v_i, and its derivatives.
double scalar(std::span<const double> values, std::span<double> cotangent) {
  double sum = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    cotangent[i] = std::sin(1.0 + static_cast<double>(i));
    sum += cotangent[i] * values[i];
  }
  return sum;
}

class GraphDerivatives : public testing::TestWithParam<model::RelationForm> {
 protected:
  std::shared_ptr<const model::Model> model_ =
      open_weights(graph_parser(GetParam()), random_weights(graph_parser(GetParam()), 4),
                   {.precision = model::Precision::float64});
};

TEST_P(GraphDerivatives, AreFiniteDifferences) {
  const auto tokens = static_cast<std::size_t>(graph_batch().tokens());
  for (const QuantityName& of : {kOutput, QuantityName::pair_scores("arcs")}) {
    model::Relaxation at;
    for (std::size_t token = 0; token < tokens; ++token) {
      at.presence.push_back(0.55 + 0.4 * std::sin(static_cast<double>(token)));
      at.scale.push_back(0.8 + 0.3 * std::cos(static_cast<double>(token)));
    }
    const auto value = [&](const model::Relaxation& place) {
      double sum = 0;
      static_cast<void>(model_->differentiate(
          graph_batch(), place, of,
          [&](std::span<const double> values, std::span<double> slopes) { sum = scalar(values, slopes); }));
      return sum;
    };
    const model::TokenGradients found = model_->differentiate(
        graph_batch(), at, of,
        [](std::span<const double> values, std::span<double> slopes) { scalar(values, slopes); });
    constexpr double kStep = 1e-5;
    for (std::size_t token = 0; token < tokens; ++token) {
      const auto difference = [&](Values model::Relaxation::*moved) {
        model::Relaxation more = at;
        model::Relaxation less = at;
        (more.*moved)[token] += kStep;
        (less.*moved)[token] -= kStep;
        return (value(more) - value(less)) / (2 * kStep);
      };
      EXPECT_NEAR(found.presence[token], difference(&model::Relaxation::presence), 1e-6) << of.text();
      EXPECT_NEAR(found.scale[token], difference(&model::Relaxation::scale), 1e-6) << of.text();
    }
  }
}

// Values are those of a run, sentence by sentence, and derivatives along directions add up.
TEST_P(GraphDerivatives, AlongDirectionsAddUp) {
  for (const QuantityName& of : {kOutput, QuantityName::pair_scores("arcs")}) {
    Collector collector(DType::float64);
    model::Observer* const observers[] = {&collector};
    model_->run(graph_batch(), {}, observers);
    const auto along = [&](std::size_t token, double amount, std::size_t other, double more) {
      Values leaving(static_cast<std::size_t>(graph_batch().tokens()), 0.0);
      leaving[token] = amount;
      leaving[other] += more;
      return model_->differentiate_along(graph_batch(), leaving, of);
    };
    const model::DirectedSlopes first = along(1, 1.0, 0, 0.0);
    const model::DirectedSlopes second = along(5, 2.0, 0, 0.0);
    const model::DirectedSlopes both = along(1, 1.0, 5, 2.0);
    std::size_t at = 0;
    double greatest = 0;
    for (std::size_t sentence = 0; sentence < 3; ++sentence) {
      for (const float expected : collector.of(of, sentence)) {
        EXPECT_NEAR(both.values.at(at), static_cast<double>(expected), 1e-5);
        EXPECT_NEAR(both.slopes.at(at), first.slopes.at(at) + second.slopes.at(at), 1e-12);
        greatest = std::max(greatest, std::abs(both.slopes.at(at)));
        ++at;
      }
    }
    EXPECT_EQ(at, both.values.size());
    EXPECT_GT(greatest, 1e-3);
  }
}

INSTANTIATE_TEST_SUITE_P(Forms, GraphDerivatives,
                         testing::Values(model::RelationForm::three_term, model::RelationForm::two_term,
                                         model::RelationForm::unscaled),
                         [](const auto& one) { return std::string(model::name(one.param)); });

}  // namespace
}  // namespace mog::test
