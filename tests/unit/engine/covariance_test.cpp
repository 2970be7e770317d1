// The covariances of logit terms by the kernel of the host, against their definition term by term.
#include "model/engine/decomposition/covariance.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

namespace mog::engine {
namespace {

struct Shape {
  std::int64_t sentences, tokens, heads, width, key_parts;
};

template <class T>
void expect_definition(const Shape& shape, double tolerance) {
  const auto [sentences, tokens, heads, width, key_parts] = shape;
  const std::int64_t stride = 2 * heads * width;  // queries and keys side by side
  std::mt19937 generator(3);
  std::normal_distribution<double> normal(0.5, 1.0);
  const auto draw = [&](std::int64_t rows) {
    std::vector<T> values(static_cast<std::size_t>(rows));
    std::generate(values.begin(), values.end(), [&] { return static_cast<T>(normal(generator)); });
    return values;
  };
  std::vector<std::vector<T>> queries = {draw(sentences * tokens * stride), draw(sentences * tokens * stride),
                                         draw(heads * width)};
  std::vector<std::vector<T>> keys;
  ScoreRows<T> rows;
  rows.queries = {{{queries[0].data(), stride}, {queries[1].data(), stride}, {queries[2].data(), 0}}};
  for (std::size_t b = 0; b < static_cast<std::size_t>(key_parts); ++b) {
    keys.push_back(draw(sentences * tokens * stride));
    rows.keys[b] = {keys.back().data(), stride};
  }
  rows.key_parts = key_parts;
  rows.sentences = sentences;
  rows.tokens = tokens;
  rows.heads = heads;
  rows.width = width;
  rows.scale = 0.3;
  const std::int64_t terms = 3 * key_parts;
  std::vector<T> found(static_cast<std::size_t>(sentences * heads * (terms + 1)));
  score_covariances(rows, found.data());
  for (std::int64_t s = 0; s < sentences; ++s) {
    for (std::int64_t h = 0; h < heads; ++h) {
      std::vector<double> expected(static_cast<std::size_t>(terms + 1), 0.0);
      for (std::int64_t i = 0; i < tokens; ++i) {
        std::vector<std::vector<double>> term(static_cast<std::size_t>(terms + 1),
                                              std::vector<double>(static_cast<std::size_t>(tokens), 0.0));
        for (std::int64_t t = 0; t < terms; ++t) {
          const auto a = static_cast<std::size_t>(t / key_parts);
          const auto b = static_cast<std::size_t>(t % key_parts);
          for (std::int64_t j = 0; j < tokens; ++j) {
            double product = 0;
            for (std::int64_t e = 0; e < width; ++e) {
              const std::int64_t row = a == 2 ? 0 : (s * tokens + i) * stride;
              product += static_cast<double>(queries[a][static_cast<std::size_t>(row + h * width + e)]) *
                         static_cast<double>(
                             keys[b][static_cast<std::size_t>((s * tokens + j) * stride + h * width + e)]);
            }
            term[static_cast<std::size_t>(t)][static_cast<std::size_t>(j)] = 0.3 * product;
            term[static_cast<std::size_t>(terms)][static_cast<std::size_t>(j)] += 0.3 * product;
          }
        }
        const auto less_mean = [&](std::vector<double>& values) {
          double mean = 0;
          for (const double value : values) {
            mean += value / static_cast<double>(tokens);
          }
          for (double& value : values) {
            value -= mean;
          }
        };
        std::for_each(term.begin(), term.end(), less_mean);
        for (std::size_t t = 0; t < expected.size(); ++t) {
          for (std::size_t j = 0; j < static_cast<std::size_t>(tokens); ++j) {
            expected[t] += term[t][j] * term.back()[j] / static_cast<double>(tokens);
          }
        }
      }
      double largest = 1e-30;
      for (const double value : expected) {
        largest = std::max(largest, std::abs(value));
      }
      for (std::size_t t = 0; t < expected.size(); ++t) {
        const auto at = static_cast<std::size_t>((s * heads + h) * (terms + 1)) + t;
        EXPECT_NEAR(static_cast<double>(found[at]), expected[t], tolerance * largest)
            << "sentence " << s << ", head " << h << ", term " << t;
      }
    }
  }
}

TEST(ScoreCovariances, EqualTheirDefinition) {
  for (const Shape& shape : {Shape{2, 30, 3, 32, 2}, Shape{2, 37, 2, 32, 3}, Shape{1, 1, 2, 5, 2},
                             Shape{3, 5, 3, 7, 3}, Shape{1, 67, 1, 64, 3}}) {
    expect_definition<float>(shape, 2e-6);
    expect_definition<double>(shape, 1e-13);
  }
}

}  // namespace
}  // namespace mog::engine
