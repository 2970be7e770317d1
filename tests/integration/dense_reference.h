// Encoder mathematics in float64, as plainly as they can be written: the reference of tests. Rows are tokens.
#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "io/recording/host_tensor.h"
#include "model/packed_batch.h"

namespace mog::test {

using WeightTable = std::map<std::string, HostTensor>;
using Row = std::vector<double>;
using Matrix = std::vector<Row>;  // [row][column]

constexpr std::size_t kHeadWidth = 4;

inline Matrix matrix_of(const WeightTable& weights, const std::string& name) {
  const HostTensor& tensor = weights.at(name);
  const std::span<const float> values = tensor.values<float>();
  const auto columns = static_cast<std::size_t>(tensor.shape().back());
  Matrix matrix;
  for (std::size_t at = 0; at < values.size(); at += columns) {
    matrix.emplace_back(values.begin() + static_cast<std::ptrdiff_t>(at),
                        values.begin() + static_cast<std::ptrdiff_t>(at + columns));
  }
  return matrix;
}
inline Row row_of(const WeightTable& weights, const std::string& name) {
  return matrix_of(weights, name).front();
}

struct Map {
  Matrix weight;  // [out][in]
  Row bias;
};
inline Map map_of(const WeightTable& weights, const std::string& name) {
  return {matrix_of(weights, name + ".weight"), row_of(weights, name + ".bias")};
}
inline Matrix applied(const Map& map, const Matrix& x) {
  Matrix y;
  for (const Row& row : x) {
    Row out = map.bias;
    for (std::size_t o = 0; o < out.size(); ++o) {
      for (std::size_t i = 0; i < row.size(); ++i) {
        out[o] += map.weight[o][i] * row[i];
      }
    }
    y.push_back(out);
  }
  return y;
}
inline Matrix sum(const Matrix& left, const Matrix& right, double factor = 1.0) {
  Matrix result = left;
  for (std::size_t row = 0; row < left.size(); ++row) {
    for (std::size_t at = 0; at < left[row].size(); ++at) {
      result[row][at] += factor * right[row][at];
    }
  }
  return result;
}
inline Matrix columns_of(const Matrix& x, std::size_t first, std::size_t count) {
  Matrix result;
  for (const Row& row : x) {
    result.emplace_back(row.begin() + static_cast<std::ptrdiff_t>(first),
                        row.begin() + static_cast<std::ptrdiff_t>(first + count));
  }
  return result;
}
inline Row mean_of(const Matrix& x) {
  Row mean(x.front().size(), 0.0);
  for (const Row& row : x) {
    for (std::size_t at = 0; at < row.size(); ++at) {
      mean[at] += row[at] / static_cast<double>(x.size());
    }
  }
  return mean;
}

// a·x = b for every column of b; Gaussian elimination with pivots.
inline Matrix solved(Matrix a, Matrix b) {
  const std::size_t n = a.size();
  for (std::size_t at = 0; at < n; ++at) {
    std::size_t pivot = at;
    for (std::size_t row = at; row < n; ++row) {
      pivot = std::abs(a[row][at]) > std::abs(a[pivot][at]) ? row : pivot;
    }
    std::swap(a[at], a[pivot]);
    std::swap(b[at], b[pivot]);
    for (std::size_t row = 0; row < n; ++row) {
      const double factor = row == at ? 0.0 : a[row][at] / a[at][at];
      for (std::size_t column = 0; column < n; ++column) {
        a[row][column] -= factor * a[at][column];
      }
      for (std::size_t column = 0; column < b[row].size(); ++column) {
        b[row][column] -= factor * b[at][column];
      }
    }
  }
  for (std::size_t row = 0; row < n; ++row) {
    for (double& value : b[row]) {
      value /= a[row][row];
    }
  }
  return b;
}

// Least squares with an intercept; the ridge is `ridge` times the mean of the inputs' sums of squares, plus
// 1e-6.
inline Map regressed(const Matrix& x, const Matrix& y, double ridge) {
  const Row x_mean = mean_of(x);
  const Row y_mean = mean_of(y);
  const std::size_t in = x_mean.size();
  const std::size_t out = y_mean.size();
  Matrix gram(in, Row(in, 0.0));
  Matrix cross(in, Row(out, 0.0));
  for (std::size_t token = 0; token < x.size(); ++token) {
    for (std::size_t i = 0; i < in; ++i) {
      for (std::size_t j = 0; j < in; ++j) {
        gram[i][j] += (x[token][i] - x_mean[i]) * (x[token][j] - x_mean[j]);
      }
      for (std::size_t o = 0; o < out; ++o) {
        cross[i][o] += (x[token][i] - x_mean[i]) * (y[token][o] - y_mean[o]);
      }
    }
  }
  double trace = 0.0;
  for (std::size_t i = 0; i < in; ++i) {
    trace += gram[i][i];
  }
  for (std::size_t i = 0; i < in; ++i) {
    gram[i][i] += ridge * trace / static_cast<double>(in) + 1e-6;
  }
  const Matrix solution = solved(gram, cross);
  Map map{Matrix(out, Row(in)), y_mean};
  for (std::size_t o = 0; o < out; ++o) {
    for (std::size_t i = 0; i < in; ++i) {
      map.weight[o][i] = solution[i][o];
      map.bias[o] -= solution[i][o] * x_mean[i];
    }
  }
  return map;
}

// One head, sentence by sentence.
inline Matrix attended(const Matrix& q, const Matrix& k, const Matrix& v, const model::PackedBatch& batch) {
  Matrix context(q.size(), Row(kHeadWidth, 0.0));
  for (std::size_t s = 0; s + 1 < batch.offsets.size(); ++s) {
    const auto begin = static_cast<std::size_t>(batch.offsets[s]);
    const auto end = static_cast<std::size_t>(batch.offsets[s + 1]);
    for (std::size_t i = begin; i < end; ++i) {
      Row weights;
      double total = 0.0;
      for (std::size_t j = begin; j < end; ++j) {
        double score = 0.0;
        for (std::size_t at = 0; at < kHeadWidth; ++at) {
          score += q[i][at] * k[j][at];
        }
        weights.push_back(std::exp(score / std::sqrt(static_cast<double>(kHeadWidth))));
        total += weights.back();
      }
      for (std::size_t j = begin; j < end; ++j) {
        for (std::size_t at = 0; at < kHeadWidth; ++at) {
          context[i][at] += weights[j - begin] / total * v[j][at];
        }
      }
    }
  }
  return context;
}

inline Matrix normalised(const Matrix& x, const WeightTable& weights, const std::string& name) {
  const Row scale = row_of(weights, name + ".weight");
  const Row shift = row_of(weights, name + ".bias");
  Matrix y = x;
  for (Row& row : y) {
    double mean = 0.0;
    double square = 0.0;
    for (const double value : row) {
      mean += value / static_cast<double>(row.size());
    }
    for (const double value : row) {
      square += (value - mean) * (value - mean) / static_cast<double>(row.size());
    }
    for (std::size_t at = 0; at < row.size(); ++at) {
      row[at] = (row[at] - mean) / std::sqrt(square + 1e-5) * scale[at] + shift[at];
    }
  }
  return y;
}
inline Matrix inner(const Map& up, const Matrix& x) {
  Matrix y = applied(up, x);
  for (Row& row : y) {
    for (double& value : row) {
      value = 0.5 * value * (1.0 + std::erf(value / std::sqrt(2.0)));
    }
  }
  return y;
}

inline double greatest_difference(const Matrix& left, const Matrix& right) {
  double most = 0.0;
  for (std::size_t row = 0; row < left.size(); ++row) {
    for (std::size_t at = 0; at < left[row].size(); ++at) {
      most = std::max(most, std::abs(left[row][at] - right[row][at]));
    }
  }
  return most;
}
inline Map head_of(const Map& map, std::size_t head) {
  const auto from = static_cast<std::ptrdiff_t>(head * kHeadWidth);
  const auto to = static_cast<std::ptrdiff_t>((head + 1) * kHeadWidth);
  return {Matrix(map.weight.begin() + from, map.weight.begin() + to),
          Row(map.bias.begin() + from, map.bias.begin() + to)};
}

}  // namespace mog::test
