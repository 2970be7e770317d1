#include <gtest/gtest.h>

#include <numeric>

#include "analysis/mog/grammar/from_recording.h"
#include "tests/unit/analysis/random_recording.h"

namespace mog::analysis {
namespace {

std::string choice(const WordGrammar& grammar, const std::string& key) {
  for (const auto& [name, value] : grammar.choices) {
    if (name == key) {
      return value;
    }
  }
  return "";
}

bool noted(const WordGrammar& grammar, const std::string& text) {
  return std::any_of(grammar.notes.begin(), grammar.notes.end(),
                     [&](const std::string& note) { return note.find(text) != std::string::npos; });
}

// Every value of one option beside every value of the others.
std::vector<WordGrammarOptions> all_options(bool graph) {
  std::vector<WordGrammarOptions> result;
  const std::vector<GateSource> gates = {GateSource::recorded, GateSource::share, GateSource::constant};
  for (const GateSource gate : graph ? gates : std::vector{GateSource::recorded}) {
    for (const PartShares pi : graph
                                   ? std::vector{PartShares::recorded, PartShares::uniform, PartShares::share}
                                   : std::vector{PartShares::recorded}) {
      for (const TargetWeights target : {TargetWeights::uniform, TargetWeights::cross}) {
        for (const int heads : {0, 1, 2, 3}) {
          for (const bool keep : {false, true}) {
            WordGrammarOptions options;
            options.gate = gate;
            options.gate_constant = 0.3;
            options.pi = pi;
            options.target = target;
            options.keep_pieces = keep;
            if (heads == 1) {
              options.head_reduction = HeadReduction::contribution;
            } else if (heads == 2) {
              options.heads = {2};
            } else if (heads == 3) {
              options.head_weights = {0.25, 0.75};
            }
            if (graph) {
              options.residual_share = heads == 1 ? 0.4 : 0;
            } else {
              options.rho = heads == 1 ? 0.1 : 0.5;
            }
            result.push_back(options);
          }
        }
      }
    }
  }
  return result;
}

TEST(GrammarOptions, EveryGrammarIsProper) {
  std::uint32_t seed = 0;
  for (const std::string fusion : {"weight_gate", "self_gate", "sum", ""}) {
    for (const bool plain : {false, true}) {
      for (const std::int64_t words : {1, 4}) {
        for (const double zeros : {0.0, 0.7}) {
          if (fusion.empty() && plain) {
            continue;
          }
          const test::RandomRecording made(
              {.fusion = fusion, .words = words, .zeros = zeros, .first_layer_plain = plain, .seed = ++seed});
          for (const WordGrammarOptions& options : all_options(!fusion.empty())) {
            WordGrammar built = build_word_grammar(made.recording(), 0, options);
            EXPECT_EQ(built.dropped_top.has_value(), options.target == TargetWeights::cross);
            const AttentionGrammar grammar(std::move(built.input));
            for (const double mass : grammar.inside()) {
              ASSERT_NEAR(mass, 1, 1e-9) << fusion << ' ' << words << ' ' << seed;
            }
          }
        }
      }
    }
  }
}

TEST(GrammarOptions, HeadsWeighByContributionPerLayerAndPart) {
  const test::RandomRecording made({.words = 3, .seed = 7});
  const MemoryRecording& recording = made.recording();
  const WordGrammar built = build_word_grammar(recording, 0, {.head_reduction = HeadReduction::contribution});
  const std::vector<float> norms =
      recording.read(0, QuantityName::parse("encoder.2.middle1.attention.norm")).to_floats();
  const auto& tokens = made.sentence().tokens;
  double sums[2] = {0, 0};
  for (std::size_t head = 0; head < 2; ++head) {
    for (std::size_t token = 0; token < tokens.size(); ++token) {
      sums[head] += tokens[token].word < 0 ? 0 : double{norms[head * tokens.size() + token]};
    }
  }
  ASSERT_EQ(built.head_weights.at(1).at(1).size(), 2U);
  EXPECT_NEAR(built.head_weights[1][1][0], sums[0] / (sums[0] + sums[1]), 1e-12);
  EXPECT_NEAR(built.head_weights[1][1][0] + built.head_weights[1][1][1], 1, 1e-12);
  EXPECT_NE(built.head_weights[1][1], built.head_weights[2][1]);
  // The same as these weights given.
  const WordGrammar given = build_word_grammar(recording, 0, {.head_weights = built.head_weights[1][1]});
  EXPECT_EQ(given.input.attention[1][1], built.input.attention[1][1]);
  EXPECT_EQ(choice(built, "heads"), "contribution");
}

TEST(GrammarOptions, SomeHeadsWeighEqually) {
  const test::RandomRecording made({.heads = 4, .seed = 3});
  const WordGrammar some = build_word_grammar(made.recording(), 0, {.heads = {1, 3}});
  const WordGrammar given = build_word_grammar(made.recording(), 0, {.head_weights = {.5, 0, .5, 0}});
  EXPECT_EQ(some.input.attention, given.input.attention);
  EXPECT_EQ(choice(some, "heads"), "1,3");
  EXPECT_THROW(build_word_grammar(made.recording(), 0, {.heads = {1, 5}}), UsageError);
  EXPECT_THROW(build_word_grammar(made.recording(), 0, {.heads = {0}}), UsageError);
  EXPECT_THROW(build_word_grammar(made.recording(), 0, {.heads = {2, 2}}), UsageError);
}

TEST(GrammarOptions, NormSharesStandForGateAndParts) {
  const test::RandomRecording made({.words = 1, .zeros = 0, .seed = 5});
  const MemoryRecording& recording = made.recording();
  const WordGrammar built = build_word_grammar(
      recording, 0, {.residual_share = 0.5, .gate = GateSource::share, .pi = PartShares::share});
  double gate = 0;
  double high = 0;
  double pieces = 0;
  for (std::size_t token = 0; token < made.sentence().tokens.size(); ++token) {
    if (made.sentence().tokens[token].word < 0) {
      continue;
    }
    double part[4];
    const char* const names[] = {"high", "middle1", "middle2", "low"};
    for (int i = 0; i < 4; ++i) {
      part[i] = double{
          recording.read(0, QuantityName::parse(std::string("encoder.3.") + names[i] + ".output.share"))
              .to_floats()[token]};
    }
    gate += (part[0] + part[1] + part[2]) / (part[0] + part[1] + part[2] + part[3]);
    high += part[0] / (part[0] + part[1] + part[2]);
    pieces += 1;
  }
  EXPECT_NEAR(built.input.gate[2][0], 0.5 * gate / pieces, 1e-12);
  EXPECT_NEAR(built.input.pi[2][0], high / pieces, 1e-12);
  EXPECT_EQ(choice(built, "gate"), "share");
  EXPECT_EQ(choice(built, "pi"), "share");
  const WordGrammar constant =
      build_word_grammar(recording, 0, {.gate = GateSource::constant, .gate_constant = 1});
  EXPECT_EQ(constant.input.gate, (std::vector<std::vector<double>>{{1}, {1}, {1}}));
  EXPECT_TRUE(noted(constant, "not what the model did"));
}

TEST(GrammarOptions, CrossAttentionWeighsTheWords) {
  const test::RandomRecording made({.words = 3, .decoder_layers = 2, .steps = 4, .seed = 9});
  const MemoryRecording& recording = made.recording();
  const WordGrammar built = build_word_grammar(recording, 0, {.target = TargetWeights::cross});
  const auto& tokens = made.sentence().tokens;
  std::vector<double> mass(4, 0);  // the last: special tokens
  for (const std::string layer : {"1", "2"}) {
    const std::vector<float> maps =
        recording.read(0, QuantityName::parse("decoder." + layer + ".cross.attention")).to_floats();
    for (std::size_t i = 0; i < maps.size(); ++i) {
      const std::int64_t word = tokens[i % tokens.size()].word;
      mass[word < 0 ? 3 : static_cast<std::size_t>(word)] += double{maps[i]} / (2 * 2 * 4);
    }
  }
  EXPECT_NEAR(built.dropped_top.value(), mass[3], 1e-6);
  for (std::size_t word = 0; word < 3; ++word) {
    EXPECT_NEAR(built.input.top.at(word), mass[word] / (1 - mass[3]), 1e-6);
  }
  EXPECT_TRUE(noted(built, "2 of 2 decoder layers"));
  EXPECT_TRUE(noted(built, "4 steps"));
}

TEST(GrammarOptions, WhatIsMissingIsNamedWithTheWayToRecordIt) {
  const test::RandomRecording bare({.steps = 0, .head_norms = false, .shares = false});
  const auto message = [&](const WordGrammarOptions& options) {
    try {
      build_word_grammar(bare.recording(), 0, options);
    } catch (const UsageError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const std::string heads = message({.head_reduction = HeadReduction::contribution});
  EXPECT_NE(heads.find("encoder.1.high.attention.norm"), std::string::npos) << heads;
  EXPECT_NE(heads.find("--capture attention,gates,shares"), std::string::npos) << heads;
  EXPECT_NE(message({.gate = GateSource::share}).find("encoder.1.high.output.share"), std::string::npos);
  EXPECT_NE(message({.pi = PartShares::share}).find("encoder.2.high.output.share"), std::string::npos);
  EXPECT_NE(message({.target = TargetWeights::cross}).find("--target"), std::string::npos);
  EXPECT_NE(message({.rho = 0.5}).find("--rho"), std::string::npos);
  EXPECT_NE(message({.gate = GateSource::constant, .gate_constant = 1.5}).find("[0, 1]"), std::string::npos);
  const test::RandomRecording plain({.fusion = ""});
  EXPECT_THROW(build_word_grammar(plain.recording(), 0, {.gate = GateSource::constant}), UsageError);
  EXPECT_THROW(build_word_grammar(plain.recording(), 0, {.residual_share = 0.1}), UsageError);
  EXPECT_THROW(build_word_grammar(plain.recording(), 0, {.pi = PartShares::uniform}), UsageError);
}

}  // namespace
}  // namespace mog::analysis
