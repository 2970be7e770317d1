// Graphs of a model that reads from left to right, and what the first token takes (the attention sink).
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "analysis/mog/grammar/from_recording.h"
#include "analysis/mog/orders/posteriors.h"
#include "analysis/mog/search/k_best.h"
#include "io/recording/errors.h"

namespace mog::analysis {
namespace {

constexpr std::int64_t kLayers = 3;
constexpr std::int64_t kHeads = 2;
constexpr double kRho = 0.5;

using Matrix = std::vector<std::vector<double>>;

// Words of one to three pieces; with `special` a special token before them. Tokens see themselves and those
// before.
struct CausalRecording {
  explicit CausalRecording(bool special, std::uint32_t seed, std::int64_t words = 4) {
    std::mt19937 random(seed);
    Sentence sentence;
    sentence.number = 1;
    if (special) {
      sentence.tokens.push_back({"<s>", 0, -1, {}});
    }
    for (std::int64_t word = 0; word < words; ++word) {
      const std::string form = "w" + std::to_string(word + 1);
      const auto begin = static_cast<std::int64_t>(sentence.text.size());
      sentence.text += form + " ";
      sentence.words.push_back({form, {begin, begin + 2}});
      for (std::int64_t piece = 1 + static_cast<std::int64_t>(random() % 3); piece > 0; --piece) {
        sentence.tokens.push_back({form, 5, word, {begin, begin + 1}});
      }
    }
    const std::size_t tokens = sentence.tokens.size();
    RecordingHeader header;
    header.model.encoder_kind = "transformer";
    header.model.causal = true;
    header.model.layers = kLayers;
    header.model.heads = kHeads;
    RecordingBatch batch;
    batch.sentences = {sentence};
    for (std::int64_t layer = 1; layer <= kLayers; ++layer) {
      const QuantityName name = QuantityName::parse("encoder." + std::to_string(layer) + ".full.attention");
      std::vector<double> values;
      for (std::size_t row = 0; row < static_cast<std::size_t>(kHeads) * tokens; ++row) {
        const std::size_t query = row % tokens;
        double sum = 0;
        for (std::size_t key = 0; key < tokens; ++key) {
          values.push_back(key > query ? 0.0 : static_cast<double>(1 + random() % 50) * (key == 0 ? 4 : 1));
          sum += values.back();
        }
        for (std::size_t key = 0; key < tokens; ++key) {
          values[row * tokens + key] /= sum;
        }
      }
      header.quantities.push_back(
          {name, {Axis::head, Axis::query, Axis::key}, {kHeads, 0, 0}, DType::float64, "probability", ""});
      batch.quantities.emplace_back(
          name, HostTensor::of<double>({static_cast<std::int64_t>(values.size())}, values));
    }
    memory.begin(header);
    memory.write(batch);
    memory.finish();
  }

  // By its definition: the mean over heads and the pieces of a query; of words but that of the first token
  // without what goes to it; divided by what is left.
  Matrix words(std::int64_t layer, bool drop) const {
    const Sentence sentence = memory.sentence(0);
    const std::size_t tokens = sentence.tokens.size();
    const auto map = values(layer);
    Matrix result(sentence.words.size(), std::vector<double>(sentence.words.size(), 0.0));
    for (std::size_t m = 0; m < result.size(); ++m) {
      double sum = 0;
      for (std::size_t q = 0; q < tokens; ++q) {
        for (std::size_t k = 0; k < tokens; ++k) {
          const std::int64_t of = sentence.tokens[k].word;
          const bool sink = k == 0 && sentence.tokens[0].word != static_cast<std::int64_t>(m);
          if (sentence.tokens[q].word == static_cast<std::int64_t>(m) && of >= 0 && !(drop && sink)) {
            for (std::size_t head = 0; head < kHeads; ++head) {
              result[m][static_cast<std::size_t>(of)] += map[(head * tokens + q) * tokens + k];
              sum += map[(head * tokens + q) * tokens + k];
            }
          }
        }
      }
      for (double& weight : result[m]) {
        weight /= sum;
      }
    }
    return result;
  }

  double sink(std::int64_t layer) const {
    const Sentence sentence = memory.sentence(0);
    const std::size_t tokens = sentence.tokens.size();
    const auto map = values(layer);
    double sum = 0;
    double rows = 0;
    for (std::size_t q = 0; q < tokens; ++q) {
      if (sentence.tokens[q].word != sentence.tokens[0].word) {
        rows += kHeads;
        for (std::size_t head = 0; head < kHeads; ++head) {
          sum += map[(head * tokens + q) * tokens];
        }
      }
    }
    return sum / rows;
  }

  std::vector<double> values(std::int64_t layer) const {
    const HostTensor tensor =
        memory.read(0, QuantityName::parse("encoder." + std::to_string(layer) + ".full.attention"));
    const auto span = tensor.values<double>();
    return {span.begin(), span.end()};
  }

  MemoryRecording memory;
};

TEST(CausalGrammar, MapsWithAndWithoutTheSinkAreThoseOfTheDefinition) {
  for (std::uint32_t seed = 1; seed <= 8; ++seed) {
    for (const bool special : {false, true}) {
      const CausalRecording recording(special, seed);
      for (const bool drop : {false, true}) {
        WordGrammarOptions options;
        options.drop_sink = drop;
        const WordGrammar grammar = build_word_grammar(recording.memory, 0, options);
        ASSERT_EQ(grammar.sink.size(), static_cast<std::size_t>(kLayers));
        for (std::int64_t layer = 1; layer <= kLayers; ++layer) {
          const Matrix expected = recording.words(layer, drop);
          const std::vector<double>& found = grammar.input.attention[static_cast<std::size_t>(layer - 1)][0];
          for (std::size_t m = 0; m < expected.size(); ++m) {
            for (std::size_t n = 0; n < expected.size(); ++n) {
              EXPECT_NEAR(found[m * expected.size() + n], expected[m][n], 1e-12) << m << ' ' << n;
            }
          }
          EXPECT_NEAR(grammar.sink[static_cast<std::size_t>(layer - 1)], recording.sink(layer), 1e-12);
        }
        EXPECT_EQ(grammar.kept_sink.has_value(), !special && !drop);
        if (grammar.kept_sink) {
          double mean = 0;
          for (std::int64_t layer = 1; layer <= kLayers; ++layer) {
            mean += recording.sink(layer) / kLayers;
          }
          EXPECT_NEAR(*grammar.kept_sink, mean, 1e-12);
        }
        const auto chosen = std::find(grammar.choices.begin(), grammar.choices.end(),
                                      std::pair<std::string, std::string>("sink", "dropped"));
        EXPECT_EQ(chosen != grammar.choices.end(), drop);
        EXPECT_TRUE(std::any_of(grammar.notes.begin(), grammar.notes.end(), [](const std::string& note) {
          return note.find("the first token, ") != std::string::npos;
        }));
      }
    }
  }
}

TEST(CausalGrammar, ASpecialFirstTokenIsDroppedAnyway) {
  const CausalRecording recording(true, 5);
  WordGrammarOptions drop;
  drop.drop_sink = true;
  EXPECT_EQ(build_word_grammar(recording.memory, 0).input.attention,
            build_word_grammar(recording.memory, 0, drop).input.attention);
}

// What a derivation of R[layer, m] is expected to have, word by word and layer by layer.
TEST(CausalGrammar, OrdersAndJoinsAreThoseOfTheRecursion) {
  const CausalRecording recording(false, 3);
  for (const bool drop : {false, true}) {
    WordGrammarOptions options;
    options.drop_sink = drop;
    const AttentionGrammar grammar(build_word_grammar(recording.memory, 0, options).input);
    const auto words = static_cast<std::size_t>(grammar.word_count());
    std::vector<double> leaves(words, 1.0);
    const std::vector<double> found = expected_leaves(grammar);
    for (std::int64_t layer = 1; layer <= kLayers; ++layer) {
      const Matrix map = recording.words(layer, drop);
      std::vector<double> next = leaves;
      for (std::size_t m = 0; m < words; ++m) {
        for (std::size_t n = 0; n < words; ++n) {
          next[m] += n == m ? 0 : (1 - kRho) * map[m][n] * leaves[n];
        }
      }
      leaves = next;
      for (std::size_t m = 0; m < words; ++m) {
        EXPECT_NEAR(found[static_cast<std::size_t>(grammar.r_symbol(layer, static_cast<std::int32_t>(m)))],
                    leaves[m], 1e-12);
      }
    }
    const EdgePosteriors joins = edge_posteriors(grammar);
    std::vector<double> uses(words, 1.0 / static_cast<double>(words));
    for (std::int64_t layer = kLayers; layer >= 1; --layer) {
      const Matrix map = recording.words(layer, drop);
      const std::vector<double>& one = joins[static_cast<std::size_t>(layer - 1)][0];
      std::vector<double> below = uses;
      for (std::size_t m = 0; m < words; ++m) {
        for (std::size_t n = 0; n < words; ++n) {
          const double expected = n == m ? 0 : uses[m] * (1 - kRho) * map[m][n];
          EXPECT_NEAR(one[m * words + n], expected, 1e-12);
          below[n] += expected;
          if (n > m) {
            EXPECT_EQ(one[m * words + n], 0);  // it joins what lies before it
          }
        }
      }
      uses = below;
    }
  }
}

// Every expression of a word with the weight of its best derivation.
std::map<std::string, double> all_of(const CausalRecording& recording, std::int64_t layer, std::size_t word,
                                     bool drop) {
  if (layer == 0) {
    return {{"w" + std::to_string(word + 1), 1.0}};
  }
  std::map<std::string, double> best;
  const auto add = [&](const std::string& text, double weight) {
    double& most = best[text];
    most = std::max(most, weight);
  };
  const Matrix map = recording.words(layer, drop);
  const std::string own = "w" + std::to_string(word + 1);
  for (const auto& [left, weight] : all_of(recording, layer - 1, word, drop)) {
    add(left, (kRho + (1 - kRho) * map[word][word]) * weight);
    for (std::size_t n = 0; n < word; ++n) {
      for (const auto& [right, other] : all_of(recording, layer - 1, n, drop)) {
        add("(" + left + ")->" + own + " U (" + right + ")->w" + std::to_string(n + 1),
            (1 - kRho) * map[word][n] * weight * other);
      }
    }
  }
  std::erase_if(best, [](const auto& one) { return !(one.second > 0); });
  return best;
}

TEST(CausalGrammar, TheKBestAreThoseOfAllDerivations) {
  for (const bool drop : {false, true}) {
    const CausalRecording recording(false, 11);
    WordGrammarOptions options;
    options.drop_sink = drop;
    const AttentionGrammar grammar(build_word_grammar(recording.memory, 0, options).input);
    KBest search(grammar);
    for (std::int32_t word = 0; word < grammar.word_count(); ++word) {
      const std::map<std::string, double> all =
          all_of(recording, kLayers, static_cast<std::size_t>(word), drop);
      std::vector<std::pair<double, std::string>> expected;
      for (const auto& [text, weight] : all) {
        expected.emplace_back(weight, text);
      }
      std::sort(expected.begin(), expected.end(), std::greater<>());
      const KBestList found = search.list(Goal::of_word(kLayers, word), 60);
      ASSERT_EQ(found.entries.size(), std::min<std::size_t>(60, expected.size()));
      for (std::size_t i = 0; i < found.entries.size(); ++i) {
        EXPECT_NEAR(found.entries[i].weight, expected[i].first, 1e-12);
        const Derivation derivation = search.derivation(found.entries[i]);
        EXPECT_NEAR(all.at(derivation.text), expected[i].first, 1e-12) << derivation.text;
        for (const DerivationNode& node : derivation.nodes) {
          EXPECT_TRUE(node.is_leaf() || node.target < node.word) << derivation.text;
        }
      }
    }
  }
}

TEST(CausalGrammar, WithoutOtherWordsNothingIsSaid) {
  const CausalRecording recording(false, 2, 1);
  WordGrammarOptions options;
  options.drop_sink = true;
  const WordGrammar grammar = build_word_grammar(recording.memory, 0, options);
  EXPECT_TRUE(grammar.sink.empty());
  EXPECT_EQ(grammar.input.attention[0][0], std::vector<double>{1});
}

// A row that gives everything to the first token keeps nothing: it is its own.
TEST(CausalGrammar, RowsWithNothingLeftBecomeTheirOwn) {
  std::vector<double> map = {1, 0, 1, 0};
  const std::vector<std::int64_t> words = {1, 2};
  std::vector<double> dropped;
  MapMerger merger(1, words, 2, {}, true);
  merger.add(map);
  EXPECT_EQ(merger.sink(), 1.0);
  EXPECT_EQ(merger.finish(dropped), (std::vector<double>{1, 0, 0, 1}));
  drop_sink(map, 1, words);
  EXPECT_EQ(merge_map(map, 1, words, 2, {}, dropped), (std::vector<double>{1, 0, 0, 1}));
  EXPECT_THROW(drop_sink(map, 2, words), ShapeError);
}

}  // namespace
}  // namespace mog::analysis
