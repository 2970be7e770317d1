// A fake model of coreference: a word that occurs more than once is a mention and goes back to where it stood
// last.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "app/workflow/record/live_run.h"
#include "tests/support/pair_model.h"

namespace mog::test {

class CoreferenceModel final : public PairModel {
 public:
  CoreferenceModel() {
    config_.graph->kind = model::GraphKind::coreference;
    config_.graph->refinements = 0;
  }
  static constexpr float kScore = 3;  // of what is there; −kScore of all else

 private:
  std::vector<float> scores(const model::PackedBatch& batch, std::int64_t s,
                            const std::string& head) const override {
    const bool mentions = head == "mentions";
    const std::int64_t first = batch.offsets[static_cast<std::size_t>(s)];
    const std::int64_t size = batch.length(s);
    const auto id = [&](std::int64_t token) { return batch.ids[static_cast<std::size_t>(first + token)]; };
    std::vector<float> values(static_cast<std::size_t>(size * size), -kScore);
    for (std::int64_t query = 0; query < size; ++query) {
      std::int64_t before = -1;
      bool again = false;
      for (std::int64_t key = 0; key < size; ++key) {
        const bool same = key != query && id(key) == id(query);
        again = again || same;
        before = same && key < query ? key : before;
      }
      const std::int64_t key = mentions ? (again ? query : -1) : before;
      if (key >= 0) {
        values[static_cast<std::size_t>(query * size + key)] = kScore;
      }
    }
    return values;
  }
};

inline app::LoadedModel coreference_model() {
  app::LoadedModel loaded;
  loaded.model = std::make_shared<const CoreferenceModel>();
  loaded.tokenizer = std::make_shared<const FakeTokenizer>();
  return loaded;
}

}  // namespace mog::test
