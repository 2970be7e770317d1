// What a change of a run changed most, against a plain count over random numbers.
#include "analysis/effects/run_changes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace mog::analysis {
namespace {

using What = RunChange::What;

constexpr std::int64_t kHeads = 2;
constexpr std::int64_t kWidth = 3;  // of a gate
constexpr std::int64_t kTags = 3;

// One run: its numbers by name, in the shape in which they are kept.
struct RandomRun {
  Sentence sentence;
  std::map<std::string, std::vector<float>> values;
  MemoryRecording recording;
};

Sentence words(const std::vector<std::int64_t>& ids) {
  Sentence sentence;
  sentence.number = 1;
  for (const std::int64_t id : ids) {
    const auto word = static_cast<std::int64_t>(sentence.words.size());
    sentence.tokens.push_back({"w" + std::to_string(id), id, id == 0 ? -1 : word, {}});
    if (id != 0) {
      sentence.words.push_back({"w" + std::to_string(id), {}});
    }
  }
  return sentence;
}

struct Options {
  bool mean_only = false;  // gates without dimensions, maps without heads
  bool two_layers = true;
};

void fill(RandomRun& run, const Sentence& sentence, std::uint32_t seed, const Options& options = {}) {
  std::mt19937 random(seed);
  run.sentence = sentence;
  const auto tokens = static_cast<std::int64_t>(sentence.tokens.size());
  RecordingHeader header;
  header.model.encoder_kind = "graph_transformer";
  header.model.fusion = "weight_gate";
  header.model.layers = options.two_layers ? 2 : 1;
  header.model.heads = kHeads;
  const auto add = [&](const std::string& name, std::vector<Axis> axes, std::vector<std::int64_t> extents) {
    const QuantitySchema schema{
        QuantityName::parse(name), std::move(axes), std::move(extents), DType::float32, "1", ""};
    std::vector<float> values(static_cast<std::size_t>(schema.elements(tokens)));
    for (float& value : values) {
      value = static_cast<float>(random() % 1000U) / 1000.0F;
    }
    run.values[name] = values;
    header.quantities.push_back(schema);
  };
  for (std::int64_t layer = 1; layer <= header.model.layers; ++layer) {
    const std::string prefix = "encoder." + std::to_string(layer) + ".";
    for (const char* part : {"high", "middle1"}) {
      if (options.mean_only) {
        add(prefix + part + ".attention.mean_heads", {Axis::query, Axis::key}, {0, 0});
      } else {
        add(prefix + part + ".attention", {Axis::head, Axis::query, Axis::key}, {kHeads, 0, 0});
        add(prefix + part + ".attention.norm", {Axis::head, Axis::query}, {kHeads, 0});
      }
      add(prefix + part + ".output.share", {Axis::token}, {0});
    }
    if (options.mean_only) {
      add(prefix + "gate.mean", {Axis::token}, {0});
    } else {
      add(prefix + "gate", {Axis::token, Axis::d_model}, {0, kWidth});
    }
  }
  add("heads.pos.logits", {Axis::token, Axis::tag}, {0, kTags});
  std::sort(header.quantities.begin(), header.quantities.end(),
            [](const QuantitySchema& left, const QuantitySchema& right) { return left.name < right.name; });
  run.recording.begin(header);
  RecordingBatch batch;
  batch.sentences = {sentence};
  for (const QuantitySchema& schema : header.quantities) {
    const std::vector<float>& values = run.values.at(schema.name.text());
    batch.quantities.emplace_back(schema.name,
                                  HostTensor::of<float>({static_cast<std::int64_t>(values.size())}, values));
  }
  run.recording.write(batch);
  run.recording.finish();
}

double value(const RandomRun& run, const std::string& name, std::int64_t index) {
  return static_cast<double>(run.values.at(name).at(static_cast<std::size_t>(index)));
}

double gate(const RandomRun& run, std::int64_t layer, std::int64_t token) {
  const std::string name = "encoder." + std::to_string(layer) + ".gate";
  if (run.values.count(name) == 0) {
    return value(run, name + ".mean", token);
  }
  double sum = 0;
  for (std::int64_t i = 0; i < kWidth; ++i) {
    sum += value(run, name, token * kWidth + i);
  }
  return sum / static_cast<double>(kWidth);
}

double weight(const RandomRun& run, std::int64_t layer, const std::string& part, std::int64_t head,
              std::int64_t query, std::int64_t key) {
  const auto tokens = static_cast<std::int64_t>(run.sentence.tokens.size());
  const std::string name = "encoder." + std::to_string(layer) + "." + part + ".attention";
  if (run.values.count(name) == 0) {
    return value(run, name + ".mean_heads", query * tokens + key);
  }
  if (head > 0) {
    return value(run, name, ((head - 1) * tokens + query) * tokens + key);
  }
  return (value(run, name, query * tokens + key) + value(run, name, (tokens + query) * tokens + key)) / 2;
}

std::vector<double> probabilities(const RandomRun& run, std::int64_t token) {
  std::vector<double> result;
  double sum = 0;
  for (std::int64_t tag = 0; tag < kTags; ++tag) {
    result.push_back(std::exp(value(run, "heads.pos.logits", token * kTags + tag)));
    sum += result.back();
  }
  for (double& one : result) {
    one /= sum;
  }
  return result;
}

std::string text(What what, std::int64_t layer, const std::string& part, std::int64_t head,
                 std::int64_t token, std::int64_t key, std::int64_t tag) {
  std::string result = std::to_string(static_cast<int>(what));
  for (const std::int64_t number : {layer, head, token, key, tag}) {
    result += " " + std::to_string(number);
  }
  return result + " " + part;
}

std::string text(const RunChange& change) {
  return text(change.what, change.name.layer(), std::string(name(change.name.part())), change.head,
              change.token, change.key, change.tag);
}

// Every change with its size, counted one by one.
std::map<std::string, std::pair<double, double>> counted(const RandomRun& before, const RandomRun& after,
                                                         const std::vector<std::int64_t>& tokens,
                                                         std::int64_t cut_layer) {
  std::map<std::string, std::pair<double, double>> all;
  const auto add = [&all](const std::string& what, double first, double second, double scale) {
    if (std::abs(second - first) > 1e-6) {
      all[what] = {std::abs(second - first) / scale, second - first};
    }
  };
  for (const std::int64_t t : tokens) {
    for (std::int64_t layer = 1; layer <= 2; ++layer) {
      add(text(What::gate, layer, "", 0, t, -1, -1), gate(before, layer, t), gate(after, layer, t), 0.12);
      for (const std::string part : {"high", "middle1"}) {
        const std::string prefix = "encoder." + std::to_string(layer) + "." + part;
        add(text(What::share, layer, part, 0, t, -1, -1), value(before, prefix + ".output.share", t),
            value(after, prefix + ".output.share", t), 0.12);
        for (const std::int64_t key : tokens) {
          for (std::int64_t head = 0; head <= kHeads; ++head) {
            if (head == 0 || (head == 2 && layer == cut_layer && part == "high")) {
              add(text(What::attention, layer, part, head, t, key, -1),
                  weight(before, layer, part, head, t, key), weight(after, layer, part, head, t, key), 0.2);
            }
          }
        }
        const std::string norm = prefix + ".attention.norm";
        for (std::int64_t head = 1; before.values.count(norm) > 0 && head <= kHeads; ++head) {
          double mean = 0;
          for (const float one : before.values.at(norm)) {
            mean += static_cast<double>(one) / static_cast<double>(before.values.at(norm).size());
          }
          const std::int64_t at = (head - 1) * static_cast<std::int64_t>(before.sentence.tokens.size()) + t;
          add(text(What::head, layer, part, head, t, -1, -1), value(before, norm, at), value(after, norm, at),
              mean);
        }
      }
    }
    const auto was = probabilities(before, t);
    const auto is = probabilities(after, t);
    for (const auto tag : {std::max_element(was.begin(), was.end()) - was.begin(),
                           std::max_element(is.begin(), is.end()) - is.begin()}) {
      add(text(What::tag, 0, "", 0, t, -1, tag), was[static_cast<std::size_t>(tag)],
          is[static_cast<std::size_t>(tag)], 0.5);
    }
  }
  return all;
}

void expect_same(const RunChanges& found, const std::map<std::string, std::pair<double, double>>& expected) {
  EXPECT_EQ(found.count, static_cast<std::int64_t>(expected.size()));
  ASSERT_EQ(found.largest.size(), expected.size());
  std::set<std::string> seen;
  for (std::size_t i = 0; i < found.largest.size(); ++i) {
    const RunChange& change = found.largest[i];
    const auto at = expected.find(text(change));
    ASSERT_NE(at, expected.end()) << text(change);
    EXPECT_TRUE(seen.insert(at->first).second) << at->first;
    EXPECT_NEAR(change.size, at->second.first, 1e-9) << at->first;
    EXPECT_NEAR(change.difference(), at->second.second, 1e-9) << at->first;
    EXPECT_TRUE(i == 0 || change.size <= found.largest[i - 1].size) << at->first;
  }
}

TEST(RunChanges, AreThoseOfAPlainCount) {
  for (std::uint32_t seed = 1; seed <= 5; ++seed) {
    const Sentence sentence = words({4, 5, 6, 7, 0});
    RandomRun before;
    RandomRun after;
    fill(before, sentence, seed);
    fill(after, sentence, seed + 100);
    expect_same(
        run_changes({before.recording}, {after.recording}, {.heads = {{2, Part::high, 2}}, .at_most = 0}),
        counted(before, after, {0, 1, 2, 3}, 2));
    // Special tokens only where they are asked for.
    expect_same(run_changes({before.recording}, {after.recording}, {.at_most = 0, .special_tokens = true}),
                counted(before, after, {0, 1, 2, 3, 4}, 0));
    // The first of them are those of the whole list, and the count stays.
    const RunChanges all = run_changes({before.recording}, {after.recording}, {.at_most = 0});
    const RunChanges few = run_changes({before.recording}, {after.recording}, {.at_most = 7});
    EXPECT_EQ(few.count, all.count);
    ASSERT_EQ(few.largest.size(), 7U);
    for (std::size_t i = 0; i < 7; ++i) {
      EXPECT_EQ(text(few.largest[i]), text(all.largest[i]));
    }
  }
}

TEST(RunChanges, WhatOneRunHoldsReducedIsComparedReduced) {
  const Sentence sentence = words({4, 5, 6, 0});
  RandomRun before;
  RandomRun after;
  fill(before, sentence, 3, {.mean_only = true});
  fill(after, sentence, 4);
  auto expected = counted(before, after, {0, 1, 2}, 0);
  expect_same(
      run_changes({before.recording}, {after.recording}, {.heads = {{1, Part::high, 1}}, .at_most = 0}),
      expected);  // nothing of heads: the first holds their mean only
}

TEST(RunChanges, TheSameRunHasNone) {
  RandomRun run;
  fill(run, words({4, 5, 0}), 1);
  const RunChanges found = run_changes({run.recording}, {run.recording});
  EXPECT_EQ(found.count, 0);
  EXPECT_TRUE(found.largest.empty());
}

TEST(RunChanges, WhatWasSetByHandIsLeftOut) {
  const Sentence sentence = words({4, 5, 6, 0});
  RandomRun before;
  RandomRun after;
  fill(before, sentence, 1);
  fill(after, sentence, 2);
  const auto all = run_changes({before.recording}, {after.recording}, {.at_most = 0});
  const auto set = [](const RunChange& change) {
    return change.what == What::gate && change.name.layer() == 1;
  };
  const auto rest = run_changes({before.recording}, {after.recording}, {.at_most = 0, .left_out = set});
  EXPECT_EQ(rest.count, all.count - 3);
  EXPECT_TRUE(std::none_of(rest.largest.begin(), rest.largest.end(), set));
}

TEST(RunChanges, QuantitiesOfOneRunAloneAreNotCompared) {
  const Sentence sentence = words({4, 5, 0});
  RandomRun before;
  RandomRun after;
  fill(before, sentence, 1, {.two_layers = false});
  fill(after, sentence, 2);
  for (const RunChange& change : run_changes({before.recording}, {after.recording}, {.at_most = 0}).largest) {
    EXPECT_LT(change.name.layer(), 2);
  }
}

TEST(PairedTokens, AReplacedWordStandsBetweenTheOthers) {
  using Pairs = std::vector<std::pair<std::int64_t, std::int64_t>>;
  // As many: each with its own, the replaced one too.
  EXPECT_EQ(paired_tokens(words({4, 5, 0}), words({4, 9, 0})), (Pairs{{0, 0}, {1, 1}, {2, 2}}));
  // One word became two.
  EXPECT_EQ(paired_tokens(words({4, 5, 6, 0}), words({4, 8, 9, 6, 0})), (Pairs{{0, 0}, {2, 3}, {3, 4}}));
  // One was taken out beside its like: no token is paired twice.
  EXPECT_EQ(paired_tokens(words({4, 4, 0}), words({4, 0})), (Pairs{{0, 0}, {2, 1}}));
  EXPECT_EQ(paired_tokens(words({}), words({4})), Pairs{});
}

TEST(RunChanges, OfAReplacedWordTheOthersAreCompared) {
  RandomRun before;
  RandomRun after;
  fill(before, words({4, 5, 6, 0}), 1);
  fill(after, words({4, 8, 9, 6, 0}), 2);
  const RunChanges found = run_changes({before.recording}, {after.recording}, {.at_most = 0});
  EXPECT_FALSE(found.largest.empty());
  for (const RunChange& change : found.largest) {
    EXPECT_TRUE(change.token == 0 || change.token == 3) << text(change);
    if (change.what == What::gate) {
      EXPECT_NEAR(change.before, gate(before, change.name.layer(), change.token == 3 ? 2 : 0), 1e-9);
      EXPECT_NEAR(change.after, gate(after, change.name.layer(), change.token), 1e-9);
    }
  }
}

}  // namespace
}  // namespace mog::analysis
