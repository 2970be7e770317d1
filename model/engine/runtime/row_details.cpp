#include "model/engine/runtime/row_details.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "model/engine/cuda/attention_rows.h"

namespace mog::engine {
namespace {

void add_distances(std::span<const float> row, std::int64_t query, std::span<float> to) {
  std::array<double, kMostBins> sums{};
  for (std::size_t key = 0; key < row.size(); ++key) {
    const std::int64_t distance = static_cast<std::int64_t>(key) - query;
    const std::int32_t bin = distance_bin(distance < 0 ? -distance : distance, kMostBins);
    sums.at(static_cast<std::size_t>(bin)) += static_cast<double>(row[key]);
  }
  std::transform(sums.begin(), sums.end(), to.begin(), [](double sum) { return static_cast<float>(sum); });
}

// Weights or keys of the greatest above 0, of equal ones the smaller key first.
void add_top(std::span<const float> row, bool wants_keys, std::span<float> to) {
  std::array<float, kMostTop> weights{};
  std::array<float, kMostTop> keys{};
  keys.fill(-1.0F);
  for (std::size_t key = 0; key < row.size(); ++key) {
    if (!(row[key] > weights.back())) {
      continue;
    }
    std::size_t place = weights.size() - 1;
    for (; place > 0 && row[key] > weights[place - 1]; --place) {
      weights[place] = weights[place - 1];
      keys[place] = keys[place - 1];
    }
    weights[place] = row[key];
    keys[place] = static_cast<float>(key);
  }
  std::ranges::copy(wants_keys ? keys : weights, to.begin());
}

}  // namespace

bool is_row_detail(Reduction reduction) {
  return reduction == Reduction::sink || reduction == Reduction::distance || reduction == Reduction::top ||
         reduction == Reduction::top_key;
}

std::int64_t row_width(Reduction reduction) {
  return reduction == Reduction::distance                                 ? kMostBins
         : reduction == Reduction::top || reduction == Reduction::top_key ? kMostTop
                                                                          : 1;
}

at::Tensor row_detail(Reduction reduction, const at::Tensor& maps, const AttentionPlan& plan,
                      const AttentionGroup& group) {
  const at::Tensor host = maps.to(at::kCPU, at::kFloat).contiguous();
  const std::int64_t heads = host.size(1);
  const std::int64_t width = row_width(reduction);
  const auto of = [](const std::vector<std::int64_t>& offsets, std::int64_t sentence) {
    return offsets[static_cast<std::size_t>(sentence)];
  };
  const std::int64_t first = of(plan.query_offsets, group.first_sentence);
  const std::int64_t last = of(plan.query_offsets, group.first_sentence + group.sentences);
  at::Tensor result = at::empty({(last - first) * heads * width}, host.options());
  float* const to = result.mutable_data_ptr<float>();
  const float* const from = host.const_data_ptr<float>();
  at::parallel_for(0, group.sentences * heads, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t at = begin; at < end; ++at) {
      const std::int64_t sentence = group.first_sentence + at / heads;
      const std::int64_t queries = of(plan.query_offsets, sentence + 1) - of(plan.query_offsets, sentence);
      const std::int64_t keys = of(plan.key_offsets, sentence + 1) - of(plan.key_offsets, sentence);
      const std::int64_t rows =
          (of(plan.query_offsets, sentence) - first) * heads + at % heads * queries;  // before this head's
      for (std::int64_t query = 0; query < queries; ++query) {
        const std::span row(from + (at * group.queries + query) * group.keys, static_cast<std::size_t>(keys));
        const std::span own(to + (rows + query) * width, static_cast<std::size_t>(width));
        if (reduction == Reduction::sink) {
          own.front() = row.empty() ? 0.0F : row.front();
        } else if (reduction == Reduction::distance) {
          add_distances(row, query, own);
        } else {
          add_top(row, reduction == Reduction::top_key, own);
        }
      }
    }
  });
  return result;
}

}  // namespace mog::engine
