#include "analysis/mog/grammar/from_recording.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <numeric>

#include "analysis/mog/search/k_best.h"
#include "tests/unit/analysis/golden_grammar.h"
#include "tests/unit/analysis/random_recording.h"

namespace mog::analysis {
namespace {

using nlohmann::json;

void expect_close(const std::vector<double>& found, const std::vector<double>& expected,
                  const std::string& what) {
  ASSERT_EQ(found.size(), expected.size()) << what;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_TRUE(test::close(found[i], expected[i]))
        << what << ' ' << i << ' ' << found[i] << ' ' << expected[i];
  }
}

TEST(PieceMerging, GoldenCases) {
  const json golden = test::read_json("merge.json");
  for (const json& tested : golden.at("cases")) {
    PieceMaps maps;
    for (const json& layer : tested.at("attention")) {
      auto& parts = maps.attention.emplace_back();
      for (const json& part : layer) {
        auto& values = parts.emplace_back();
        maps.heads = static_cast<std::int64_t>(part.size());
        for (const json& head : part) {
          const std::vector<double> map = test::flat(head);
          values.insert(values.end(), map.begin(), map.end());
        }
      }
    }
    maps.per_piece = tested.at("gate").get<std::vector<std::vector<double>>>();
    const WordMaps words = merge_pieces(maps, tested.at("word_of_piece").get<std::vector<std::int64_t>>(),
                                        tested.at("head_weights").get<std::vector<double>>());
    const std::string name = tested.at("name");
    for (std::size_t l = 0; l < maps.attention.size(); ++l) {
      for (std::size_t p = 0; p < maps.attention[l].size(); ++p) {
        expect_close(words.attention[l][p], test::flat(tested.at("expected_attention").at(l).at(p)), name);
        expect_close(words.dropped[l][p],
                     tested.at("expected_dropped").at(l).at(p).get<std::vector<double>>(), name);
      }
      expect_close(words.per_word[l], tested.at("expected_gate").at(l).get<std::vector<double>>(), name);
    }
  }
}

TEST(PieceMerging, RefusesWordsWithoutPieces) {
  PieceMaps maps;
  maps.per_piece = {{.1, .2}};
  const std::vector<std::int64_t> gap = {1, 3};
  EXPECT_THROW(merge_pieces(maps, gap, {}), ShapeError);
}

// Heads lie one behind another in every block of rows.
TEST(PieceMerging, SomeRowsAtATimeAreTheWholeMap) {
  constexpr std::int64_t kPieces = 7;
  constexpr std::int64_t kHeads = 3;
  const std::vector<std::int64_t> words = {1, 1, 2, 0, 3, 3, 0};
  const std::vector<double> alpha = {.5, .2, .3};
  std::vector<double> map;
  for (std::int64_t i = 0; i < kHeads * kPieces * kPieces; ++i) {
    map.push_back(static_cast<double>(1 + i * i % 11));
  }
  std::vector<double> dropped;
  const std::vector<double> whole = merge_map(map, kHeads, words, 3, alpha, dropped);
  for (const std::int64_t rows : {1, 2, 5}) {
    MapMerger merger(kHeads, words, 3, alpha);
    for (std::int64_t first = 0; first < kPieces; first += rows) {
      const std::int64_t count = std::min(rows, kPieces - first);
      std::vector<double> block;
      for (std::int64_t head = 0; head < kHeads; ++head) {
        const auto begin = map.begin() + (head * kPieces + first) * kPieces;
        block.insert(block.end(), begin, begin + count * kPieces);
      }
      merger.add(block);
    }
    std::vector<double> dropped_so;
    EXPECT_EQ(merger.finish(dropped_so), whole) << rows;
    EXPECT_EQ(dropped_so, dropped);
  }
  MapMerger merger(kHeads, words, 3, alpha);
  EXPECT_THROW(merger.add(std::span(map).first(5)), ShapeError);
  merger.add(std::span(map).first(kHeads * kPieces));
  EXPECT_THROW(merger.finish(dropped), ShapeError);
  EXPECT_THROW(merger.add(map), ShapeError);
  EXPECT_THROW(MapMerger(2, words, 3, alpha), ShapeError);
}

// "re@@ do it </s>": two pieces of one word, one word, one special token.
struct TestRecording {
  explicit TestRecording(const std::string& fusion) {
    header.model.encoder_kind = fusion == "none" ? "transformer" : "graph_transformer";
    header.model.fusion = fusion == "none" ? "" : fusion;
    header.model.first_layer = fusion == "none" ? "" : "incremental";
    header.model.layers = 2;
    header.model.heads = 2;
    sentence.number = 7;
    sentence.text = "redo it";
    sentence.words = {{"redo", {0, 4}}, {"it", {5, 7}}};
    sentence.tokens = {
        {"re@@", 4, 0, {0, 2}}, {"do", 5, 0, {2, 4}}, {"it", 6, 1, {5, 7}}, {"</s>", 2, -1, {}}};
  }
  void add(const std::string& name, std::vector<Axis> axes, std::vector<std::int64_t> extents,
           HostTensor tensor) {
    header.quantities.push_back(
        {QuantityName::parse(name), std::move(axes), std::move(extents), tensor.dtype(), "1", ""});
    tensors.emplace_back(QuantityName::parse(name), std::move(tensor));
  }
  // Two heads: all mass on token `key`, and uniform.
  void add_map(const std::string& name, std::size_t key, DType dtype = DType::float16) {
    std::vector<float> values(2 * 16, 0.25F);
    for (std::size_t q = 0; q < 4; ++q) {
      for (std::size_t k = 0; k < 4; ++k) {
        values[q * 4 + k] = k == key ? 1.0F : 0.0F;
      }
    }
    add(name, {Axis::head, Axis::query, Axis::key}, {2, 0, 0},
        HostTensor::of<float>({2, 4, 4}, values).to(dtype));
  }
  void fill(MemoryRecording& memory) {
    std::sort(header.quantities.begin(), header.quantities.end(),
              [](const QuantitySchema& a, const QuantitySchema& b) { return a.name < b.name; });
    memory.begin(header);
    RecordingBatch batch;
    batch.sentences = {sentence};
    for (const QuantitySchema& schema : header.quantities) {
      for (const auto& [name, tensor] : tensors) {
        if (name == schema.name) {
          batch.quantities.emplace_back(name, tensor.reshaped({tensor.size()}));
        }
      }
    }
    memory.write(batch);
    memory.finish();
  }
  RecordingHeader header;
  Sentence sentence;
  std::vector<std::pair<QuantityName, HostTensor>> tensors;
};

void add_all_maps(TestRecording& recording) {
  recording.add_map("encoder.1.high.attention", 2);
  recording.add_map("encoder.2.high.attention", 0);
  recording.add_map("encoder.2.middle1.attention", 3);
  recording.add_map("encoder.2.middle2.attention", 1, DType::float32);
}

TEST(WordGrammar, WeightGate) {
  TestRecording recording("weight_gate");
  add_all_maps(recording);
  recording.add("encoder.1.gate.mean", {Axis::token}, {0},
                HostTensor::of<float>({4}, std::vector<float>{.25F, .75F, 1, 0}));
  recording.add("encoder.2.gate", {Axis::token, Axis::d_model}, {0, 2},
                HostTensor::of<float>({4, 2}, std::vector<float>{.25F, .75F, .5F, .5F, 0, 1, 1, 1}));
  MemoryRecording memory;
  recording.fill(memory);
  const WordGrammar words = build_word_grammar(memory, 0);
  EXPECT_EQ(words.input.words, (std::vector<std::string>{"redo", "it"}));
  EXPECT_EQ(words.input.gate, (std::vector<std::vector<double>>{{.5, 1}, {.5, .5}}));
  // Layer 1, high: half the mass on "it", a quarter of the other half on each token; 1/8 is dropped.
  expect_close(words.input.attention[0][0], {.25 / .875, .625 / .875, .25 / .875, .625 / .875}, "high 1");
  expect_close(words.dropped[0][0], {.125, .125}, "dropped 1");
  expect_close(words.dropped[1][1], {.625, .625}, "dropped middle1");
  EXPECT_EQ(words.input.attention[0].size(), 3U);
  EXPECT_TRUE(words.input.attention[0][1].empty());
  EXPECT_EQ(words.input.attention[1].size(), 3U);
  const AttentionGrammar grammar(words.input);
  EXPECT_NEAR(grammar.inside().back(), 1, 1e-12);

  const WordGrammar pieces = build_word_grammar(memory, 0, {.keep_pieces = true});
  EXPECT_EQ(pieces.input.words, (std::vector<std::string>{"re@@", "do", "it"}));
  EXPECT_EQ(pieces.input.gate[0], (std::vector<double>{.25, .75, 1}));
  const WordGrammar first_head = build_word_grammar(memory, 0, {.head_weights = {1, 0}});
  expect_close(first_head.input.attention[0][0], {0, 1, 0, 1}, "first head");
  // All mass of middle1's first head is on </s>: the rows become self entries.
  expect_close(first_head.input.attention[1][1], {1, 0, 0, 1}, "nothing left");
  EXPECT_EQ(build_word_grammar(memory, 0, {.residual_share = .5}).input.gate[0],
            (std::vector<double>{.25, .5}));
  EXPECT_THROW(build_word_grammar(memory, 1), UsageError);
}

TEST(WordGrammar, SelfGateAndSum) {
  TestRecording recording("self_gate");
  add_all_maps(recording);
  std::vector<float> rows;
  for (int i = 0; i < 16; ++i) {
    rows.insert(rows.end(), {.5F, .125F, .125F, .25F});
  }
  recording.add("encoder.1.self_gate", {Axis::token, Axis::group_query, Axis::group_key}, {0, 4, 4},
                HostTensor::of<float>({4, 4, 4}, rows));
  recording.add("encoder.2.self_gate", {Axis::token, Axis::group_query, Axis::group_key}, {0, 4, 4},
                HostTensor::of<float>({4, 4, 4}, rows));
  MemoryRecording memory;
  recording.fill(memory);
  const WordGrammar words = build_word_grammar(memory, 0);
  expect_close(words.input.gate[1], {.75, .75}, "g");
  expect_close(words.input.pi[1], {.5 / .75, .125 / .75, .125 / .75, .5 / .75, .125 / .75, .125 / .75}, "pi");

  TestRecording sum("sum");
  add_all_maps(sum);
  sum.header.model.first_layer = "plain";
  MemoryRecording second;
  sum.fill(second);
  EXPECT_EQ(build_word_grammar(second, 0).input.gate,
            (std::vector<std::vector<double>>{{.5, .5}, {.75, .75}}));
}

// Nine ninths add up to more than 1, and so do float32 shares.
TEST(WordGrammar, GatesThatAreFullyOpenAreOne) {
  TestRecording weight("weight_gate");
  add_all_maps(weight);
  for (const std::string layer : {"1", "2"}) {
    weight.add("encoder." + layer + ".gate", {Axis::token, Axis::d_model}, {0, 9},
               HostTensor::of<float>({4, 9}, std::vector<float>(36, 1.0F)));
  }
  MemoryRecording first;
  weight.fill(first);
  const std::vector<std::vector<double>> open = {{1, 1}, {1, 1}};
  EXPECT_EQ(build_word_grammar(first, 0).input.gate, open);

  TestRecording self("self_gate");
  add_all_maps(self);
  std::vector<float> rows;
  for (int i = 0; i < 16; ++i) {
    rows.insert(rows.end(), {.1F, .2F, .7F, 0});
  }
  for (const std::string layer : {"1", "2"}) {
    self.add("encoder." + layer + ".self_gate", {Axis::token, Axis::group_query, Axis::group_key}, {0, 4, 4},
             HostTensor::of<float>({4, 4, 4}, rows));
  }
  MemoryRecording second;
  self.fill(second);
  EXPECT_EQ(build_word_grammar(second, 0).input.gate, open);
}

TEST(WordGrammar, PlainTransformerFromMeansOverHeads) {
  TestRecording recording("none");
  for (const std::string layer : {"1", "2"}) {
    recording.add("encoder." + layer + ".full.attention.mean_heads", {Axis::query, Axis::key}, {0, 0},
                  HostTensor::of<float>({4, 4}, std::vector<float>(16, .25F)));
  }
  MemoryRecording memory;
  recording.fill(memory);
  const WordGrammar words = build_word_grammar(memory, 0, {.rho = .25});
  EXPECT_EQ(words.input.kind, GrammarKind::attention);
  EXPECT_EQ(words.input.rho[1], (std::vector<double>{.25, .25}));
  expect_close(words.input.attention[0][0], {2. / 3, 1. / 3, 2. / 3, 1. / 3}, "map");
  EXPECT_THROW(build_word_grammar(memory, 0, {.head_weights = {.5, .5}}), UsageError);
}

TEST(WordGrammar, SaysWhatIsMissingOrDamaged) {
  TestRecording recording("weight_gate");
  recording.add_map("encoder.1.high.attention", 2);
  MemoryRecording memory;
  recording.fill(memory);
  try {
    build_word_grammar(memory, 0);
    ADD_FAILURE();
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("encoder.1.gate.mean"), std::string::npos) << error.what();
  }
  TestRecording damaged("none");
  std::vector<float> values(16, .25F);
  values[9] = .5F;
  damaged.add("encoder.1.full.attention", {Axis::head, Axis::query, Axis::key}, {1, 0, 0},
              HostTensor::of<float>({1, 4, 4}, values));
  MemoryRecording second;
  damaged.fill(second);
  try {
    build_word_grammar(second, 0);
    ADD_FAILURE();
  } catch (const FormatError& error) {
    EXPECT_NE(std::string(error.what()).find("sentence 7, head 1, query 3"), std::string::npos)
        << error.what();
  }
}

// A GRU or LSTM over "re@@ do it </s>".
struct RecurrentRecording : TestRecording {
  explicit RecurrentRecording(const std::string& kind) : TestRecording("none") {
    header.model.encoder_kind = kind;
    header.model.heads = 0;
    for (const char* const layer : {"1", "2"}) {
      const std::string name = std::string("encoder.") + layer;
      if (kind == "gru") {
        add(name + ".gate.mean", {Axis::token}, {0}, HostTensor::of<float>({4}, {.2F, .4F, .7F, .9F}));
      } else {
        add(name + ".input_gate.mean", {Axis::token}, {0}, HostTensor::of<float>({4}, {.2F, .3F, .6F, .9F}));
        add(name + ".forget_gate", {Axis::token, Axis::d_model}, {0, 2},
            HostTensor::of<float>({4, 2}, {.5F, .7F, .6F, .8F, .1F, .3F, 1.F, 1.F}));
      }
      add(name + ".recurrent.output.share", {Axis::token}, {0},
          HostTensor::of<float>({4}, {0.F, .5F, .25F, .75F}));
    }
  }
};

// A shard whose header calls a map a number.
TEST(WordGrammar, MapsOfAnotherShapeAreRefused) {
  TestRecording damaged("none");
  damaged.add("encoder.1.full.attention", {}, {}, HostTensor::of<float>({1}, std::vector<float>{1}));
  damaged.add("encoder.2.full.attention", {}, {}, HostTensor::of<float>({1}, std::vector<float>{1}));
  MemoryRecording memory;
  damaged.fill(memory);
  EXPECT_THROW(build_word_grammar(memory, 0), ShapeError);
}

// More than is read at once.
TEST(WordGrammar, LongTextsAreReadSomeRowsAtATime) {
  constexpr std::int64_t kWords = 640;
  const test::RandomRecording random(
      {.fusion = "", .words = kWords, .layers = 1, .heads = 4, .decoder_layers = 0, .steps = 0});
  const MemoryRecording& memory = random.recording();
  const auto name = QuantityName::parse("encoder.1.full.attention");
  const Sentence sentence = memory.sentence(0);
  ASSERT_GT(4 * sentence.tokens.size() * sentence.tokens.size(), std::size_t{1} << 22U);
  std::vector<std::int64_t> words;
  for (const Token& token : sentence.tokens) {
    words.push_back(token.word + 1);
  }
  std::vector<double> map;
  const std::vector<float> floats = memory.read(0, name).to_floats();
  for (std::size_t row = 0; row < floats.size(); row += words.size()) {
    const auto begin = floats.begin() + static_cast<std::ptrdiff_t>(row);
    const double sum = std::accumulate(begin, begin + std::ssize(words), 0.0);
    std::transform(begin, begin + std::ssize(words), std::back_inserter(map),
                   [&](float value) { return static_cast<double>(value) / sum; });
  }
  std::vector<double> dropped;
  expect_close(build_word_grammar(memory, 0).input.attention[0][0],
               merge_map(map, 4, words, kWords, {}, dropped), "map");
}

TEST(WordGrammar, OfAGruJoinsInTimeAndEndsAtTheLastStep) {
  RecurrentRecording recording("gru");
  MemoryRecording memory;
  recording.fill(memory);
  const WordGrammar words = build_word_grammar(memory, 0);
  ASSERT_EQ(words.input.kind, GrammarKind::recurrence);
  EXPECT_EQ(words.input.layers, 2);
  EXPECT_EQ(words.input.words, (std::vector<std::string>{"redo", "it"}));
  for (std::size_t l = 0; l < 2; ++l) {
    expect_close(words.input.z[l], {(double{.2F} + double{.4F}) / 2, double{.7F}}, "z");
    expect_close(words.input.sigma_h[l], {.25, .25}, "sigma");
  }
  const AttentionGrammar grammar(words.input);
  for (const double mass : grammar.inside()) {
    EXPECT_NEAR(mass, 1.0, 1e-9);
  }
  expect_close({grammar.top().begin(), grammar.top().end()}, {0, 1}, "top");
  WordGrammarOptions pieces;
  pieces.keep_pieces = true;
  EXPECT_EQ(build_word_grammar(memory, 0, pieces).input.z[0].size(), 3U);
}

TEST(WordGrammar, OfAnLstmTakesInputOverBothGates) {
  RecurrentRecording recording("lstm");
  MemoryRecording memory;
  recording.fill(memory);
  const WordGrammar words = build_word_grammar(memory, 0);
  ASSERT_EQ(words.input.kind, GrammarKind::recurrence);
  const double first = .2 / (.2 + (.5 + .7) / 2);
  const double second = .3 / (.3 + (.6 + .8) / 2);
  ASSERT_EQ(words.input.z[1].size(), 2U);
  EXPECT_NEAR(words.input.z[1][0], (first + second) / 2, 1e-7);
  EXPECT_NEAR(words.input.z[1][1], .6 / .8, 1e-7);
}

// The same in two directions; the backward values are other ones.
struct BidirectionalRecording : TestRecording {
  BidirectionalRecording() : TestRecording("none") {
    header.model.encoder_kind = "gru";
    header.model.bidirectional = true;
    header.model.heads = 0;
    for (const char* const layer : {"1", "2"}) {
      const std::string name = std::string("encoder.") + layer;
      const auto scalars = [&](const std::string& quantity, const std::vector<float>& values) {
        add(name + quantity, {Axis::token}, {0}, HostTensor::of<float>({4}, values));
      };
      scalars(".gate.mean", {.5F, .5F, .5F, .5F});  // of both directions: not what the grammar reads
      scalars(".forward.gate.mean", {.2F, .4F, .7F, .9F});
      scalars(".backward.gate.mean", {.6F, .8F, .1F, .3F});
      scalars(".forward_recurrent.output.share", {0.F, .5F, .25F, .75F});
      scalars(".backward_recurrent.output.share", {.5F, .25F, .375F, 0.F});
      scalars(".forward.output.share", {.5F, .25F, .75F, .5F});
    }
  }
};

TEST(WordGrammar, OfTwoDirectionsReadsEachAndTheShareOfTheForwardOne) {
  BidirectionalRecording recording;
  MemoryRecording memory;
  recording.fill(memory);
  const WordGrammar words = build_word_grammar(memory, 0);
  ASSERT_EQ(words.input.kind, GrammarKind::two_directions);
  for (std::size_t l = 0; l < 2; ++l) {
    expect_close(words.input.z[l], {(double{.2F} + double{.4F}) / 2, double{.7F}}, "z");
    expect_close(words.input.z_backward[l], {(double{.6F} + double{.8F}) / 2, double{.1F}}, "z backward");
    expect_close(words.input.sigma_h[l], {.25, .25}, "sigma");
    expect_close(words.input.sigma_backward[l], {.375, .375}, "sigma backward");
    expect_close(words.input.forward_share[l], {.375, .75}, "share");
  }
  EXPECT_EQ(words.input.top_forward, 0.5);
  for (const double mass : AttentionGrammar(words.input).inside()) {
    EXPECT_NEAR(mass, 1.0, 1e-9);
  }
  WordGrammarOptions backward;
  backward.direction = DirectionChoice::backward;
  const WordGrammar alone = build_word_grammar(memory, 0, backward);
  expect_close(alone.input.forward_share[1], {0, 0}, "share of the backward direction alone");
  EXPECT_EQ(alone.input.top_forward, 0.0);
  backward.target = TargetWeights::cross;
  EXPECT_THROW(build_word_grammar(memory, 0, backward), UsageError);
  std::erase_if(recording.header.quantities, [](const QuantitySchema& schema) {
    return schema.name.text() == "encoder.2.backward.gate.mean";
  });
  MemoryRecording less;
  recording.fill(less);
  try {
    build_word_grammar(less, 0);
    ADD_FAILURE();
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("encoder.2.backward.gate.mean"), std::string::npos);
  }
}

TEST(WordGrammar, OfARecurrentEncoderRefusesWhatIsMissingOrHasNoPlace) {
  const auto refused = [](auto&& change, const WordGrammarOptions& options, const std::string& word) {
    RecurrentRecording recording("gru");
    change(recording);
    MemoryRecording memory;
    recording.fill(memory);
    try {
      build_word_grammar(memory, 0, options);
      ADD_FAILURE() << word;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
    }
  };
  const auto drop = [](const char* name) {
    return [name](RecurrentRecording& recording) {
      std::erase_if(recording.header.quantities,
                    [&](const QuantitySchema& schema) { return schema.name.text() == name; });
    };
  };
  const auto nothing = [](RecurrentRecording&) {};
  refused(drop("encoder.2.gate.mean"), {}, "encoder.2.gate.mean");
  refused(drop("encoder.1.recurrent.output.share"), {}, "encoder.1.recurrent.output.share");
  refused(
      [](RecurrentRecording& recording) {
        recording.tensors.front().second = HostTensor::of<float>({4}, {.2F, 1.4F, .7F, .9F});
      },
      {}, "in [0, 1], found 1.39");
  refused(nothing, {.rho = 0.5}, "--rho");
  refused(nothing, {.heads = {1}}, "no attention heads");
  refused(nothing, {.gate = GateSource::constant}, "leave --gate out");
  refused(nothing, {.gate = GateSource::share}, "leave --gate out");
  refused(nothing, {.rho = 0.5}, "leave --rho out");
  refused(nothing, {.direction = DirectionChoice::forward}, "--recurrence");
}

}  // namespace
}  // namespace mog::analysis
