// The plan of a file for `mog import` from names, shapes and types alone.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "io/hdf5/import/import_plan.h"
#include "io/recording/errors.h"

namespace mog::io {
namespace {

using Shape = std::vector<std::int64_t>;

std::vector<std::int64_t> no_integers(const std::string& path) {
  throw FormatError("nothing is read: " + path);
}

// Two sentences of 3 and 5 tokens, 4 layers, 2 heads.
ImportCatalog plain() {
  return {{"/1/tokens", {{3}, ImportType::text}},
          {"/1/attention", {{4, 2, 3, 3}, ImportType::float16}},
          {"/02/tokens", {{5}, ImportType::text}},
          {"/02/attention", {{4, 2, 5, 5}, ImportType::float64}}};
}

std::string refusal(const ImportCatalog& catalog, std::vector<std::string> groups = {"/02", "/1"},
                    const ReadIntegers& read = no_integers) {
  try {
    make_import_plan(catalog, groups, "maps.h5", read);
  } catch (const FormatError& error) {
    return error.what();
  }
  return "";
}

TEST(ImportPlan, SortsSentencesByNumber) {
  const ImportPlan plan = make_import_plan(plain(), {"/02", "/1"}, "maps.h5", no_integers);
  ASSERT_EQ(plan.sentences.size(), 2U);
  EXPECT_EQ(plan.sentences[0].number, 1);
  EXPECT_EQ(plan.sentences[1].number, 2);
  EXPECT_EQ(plan.sentences[1].group, "/02");
  EXPECT_EQ(plan.sentences[1].tokens, 5);
  EXPECT_EQ(plan.layers, 4);
  EXPECT_EQ(plan.heads, 2);
  EXPECT_FALSE(plan.graph);
  EXPECT_EQ(plan.shape_of(ImportArray::attention, 5), (Shape{2, 5, 5}));
}

TEST(ImportPlan, PlainFirstLayersHaveOneMiddleLayerLess) {
  ImportCatalog catalog = {{"/1/tokens", {{3}, ImportType::text}},
                           {"/1/high", {{4, 2, 3, 3}, ImportType::float32}},
                           {"/1/middle1", {{3, 2, 3, 3}, ImportType::float32}},
                           {"/1/middle2", {{3, 2, 3, 3}, ImportType::float32}},
                           {"/1/gate", {{3, 3, 8}, ImportType::float32}}};
  const ImportPlan plan = make_import_plan(catalog, {"/1"}, "maps.h5", no_integers);
  EXPECT_TRUE(plan.plain_first);
  EXPECT_EQ(plan.layers_of(ImportArray::middle2).first, 2);
  EXPECT_EQ(plan.layers_of(ImportArray::high).first, 1);
  EXPECT_EQ(plan.d_model, 8);
  catalog["/1/gate"].shape = {4, 3, 8};
  EXPECT_NE(refusal(catalog, {"/1"}).find("/1/gate"), std::string::npos);
  catalog["/1/gate"].shape = {3, 3, 8};
  catalog["/1/middle2"].shape = {4, 2, 3, 3};
  EXPECT_NE(refusal(catalog, {"/1"}).find("/1/middle2"), std::string::npos);
}

TEST(ImportPlan, NumbersOfGroups) {
  for (const char* const group : {"/x", "/-1", "/1.5", "/1 ", "/99999999999999999999", "/sentence 1"}) {
    EXPECT_NE(refusal({}, {group}).find("number of a sentence"), std::string::npos) << group;
  }
  ImportCatalog catalog = plain();
  catalog["/01/tokens"] = catalog["/1/tokens"];
  catalog["/01/attention"] = catalog["/1/attention"];
  EXPECT_NE(refusal(catalog, {"/01", "/02", "/1"}).find("same number"), std::string::npos);
}

TEST(ImportPlan, ExtentsThatOverflowAreRefused) {
  for (const Shape& shape : {Shape{0, 2, 3, 3}, Shape{4, 0, 3, 3}, Shape{std::int64_t{1} << 40U, 2, 3, 3},
                             Shape{4, std::int64_t{1} << 40U, 3, 3}}) {
    ImportCatalog catalog = plain();
    catalog["/1/attention"].shape = shape;
    catalog["/02/attention"].shape = {shape[0], shape[1], 5, 5};
    EXPECT_NE(refusal(catalog).find("allowed are 1 to"), std::string::npos);
  }
  ImportCatalog catalog = plain();
  catalog["/1/tokens"].shape = {std::int64_t{1} << 40U};
  EXPECT_NE(refusal(catalog).find("at most 16384"), std::string::npos);
}

TEST(ImportPlan, PaddedSentencesHaveTheirLengths) {
  const ImportCatalog catalog = {{"/tokens", {{3, 9}, ImportType::text}},
                                 {"/attention", {{3, 4, 2, 9, 9}, ImportType::float32}},
                                 {"/lengths", {{3}, ImportType::integer}}};
  const auto lengths = [](std::vector<std::int64_t> values) {
    return [values](const std::string& path) {
      EXPECT_EQ(path, "/lengths");
      return values;
    };
  };
  const ImportPlan plan = make_import_plan(catalog, {}, "maps.h5", lengths({4, 9, 1}));
  EXPECT_TRUE(plan.padded);
  EXPECT_EQ(plan.sentences[2].tokens, 1);
  EXPECT_EQ(plan.sentences[2].number, 3);
  EXPECT_NE(refusal(catalog, {}, lengths({4, 10, 1})).find("10 tokens"), std::string::npos);
  EXPECT_NE(refusal(catalog, {}, lengths({4, 0, 1})).find("empty sentence"), std::string::npos);
  EXPECT_NE(refusal(catalog, {}, lengths({4, -2, 1})).find("sentence 2"), std::string::npos);
  EXPECT_NE(refusal(catalog, {"/1"}, lengths({4, 9, 1})).find("/1"), std::string::npos);
}

// `catalog` with these entries changed or added.
ImportCatalog with(ImportCatalog catalog, const ImportCatalog& changes) {
  for (const auto& [path, facts] : changes) {
    catalog[path] = facts;
  }
  return catalog;
}

ImportCatalog without(ImportCatalog catalog, const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    catalog.erase(path);
  }
  return catalog;
}

struct Case {
  ImportCatalog catalog;
  const char* words;
};

void expect_refused(const std::vector<Case>& cases, const std::vector<std::string>& groups) {
  for (const auto& [catalog, words] : cases) {
    const std::string message = refusal(catalog, groups);
    EXPECT_EQ(message.find("importing maps.h5: "), 0U) << message;
    EXPECT_NE(message.find(words), std::string::npos) << message << "\nexpected: " << words;
  }
}

// One sentence of 3 tokens with all that a Graph-Transformer has.
ImportCatalog graph() {
  return {{"/1/tokens", {{3}, ImportType::text}},
          {"/1/high", {{4, 2, 3, 3}, ImportType::float32}},
          {"/1/middle1", {{4, 2, 3, 3}, ImportType::float32}},
          {"/1/middle2", {{4, 2, 3, 3}, ImportType::float32}},
          {"/1/gate", {{4, 3}, ImportType::float32}},
          {"/1/hidden", {{5, 3, 8}, ImportType::float32}}};
}

TEST(ImportPlan, NamesAreThoseOfTheFormat) {
  expect_refused(
      {{with(plain(), {{"/1/scores", {{3}, ImportType::float32}}}),
        "/1/scores: an unknown dataset; known are tokens, word_of_token"},
       {with(plain(), {{"/1/lengths", {{3}, ImportType::integer}}}), "/1/lengths: an unknown dataset"},
       {with(plain(), {{"/1/inner/tokens", {{3}, ImportType::text}}}),
        "/1/inner/tokens: a dataset where none is due: datasets lie in groups named by the number"},
       {without(plain(), {"/1/tokens"}), "/1: no dataset \"tokens\"; needed are tokens and attention"},
       {without(plain(), {"/1/attention"}), "/1: no dataset \"attention\" (or high, middle1 and middle2)"},
       {without(plain(), {"/02/attention"}), "/02: no dataset \"attention\", which /1 has"},
       {with(plain(), {{"/1/high", {{4, 2, 3, 3}, ImportType::float16}}}),
        "/1: both attention (of plain layers) and high, middle1, middle2"},
       {with(plain(), {{"/02/hidden", {{5, 5, 8}, ImportType::float16}}}),
        "/02/hidden: /1 has none: all sentences have the same datasets"},
       {with(plain(), {{"/1/gate", {{4, 3}, ImportType::float16}}}),
        "/1/gate: a gate belongs to high, middle1 and middle2"}},
      {"/02", "/1"});
  expect_refused({{plain(), "/1/inner: a group inside the group of a sentence"}}, {"/02", "/1", "/1/inner"});
  expect_refused({{{}, "no sentences: neither groups 1, 2, 3"}}, {});
  expect_refused({{without(graph(), {"/1/middle1"}), "/1: no dataset \"middle1\"; a Graph-Transformer has"},
                  {without(graph(), {"/1/high", "/1/middle2"}), "/1: no dataset \"high\""}},
                 {"/1"});
}

TEST(ImportPlan, TypesAndShapesOfASentence) {
  expect_refused(
      {{with(plain(), {{"/1/tokens", {{3}, ImportType::integer}}}),
        "/1/tokens: expected strings, found whole numbers"},
       {with(plain(), {{"/1/tokens", {{3, 1}, ImportType::text}}}),
        "/1/tokens: expected strings in 1 dimension, found the shape [3, 1]"},
       {with(plain(), {{"/1/tokens", {{0}, ImportType::float64}}}),
        "/1/tokens: an empty sentence: it has no tokens"},
       {with(plain(), {{"/1/text", {{2}, ImportType::text}}}),
        "/1/text: expected strings in 0 dimensions, found the shape [2]"},
       {with(plain(), {{"/1/words", {{}, ImportType::text}}}),
        "/1/words: expected strings in 1 dimension, found the shape []"},
       {with(plain(), {{"/1/word_of_token", {{3}, ImportType::float64}}}),
        "/1/word_of_token: expected whole numbers, found float64"},
       {with(plain(), {{"/1/word_of_token", {{2}, ImportType::integer}}}),
        "/1/word_of_token: expected the shape [token] = [3] (tokens has 3), found [2]"},
       {with(plain(), {{"/1/attention", {{4, 2, 3}, ImportType::float32}}}),
        "/1/attention: expected [layer, head, query, key], found the shape [4, 2, 3]"},
       {with(plain(), {{"/1/attention", {{4, 2, 3, 3}, ImportType::integer}}}),
        "/1/attention: expected float16, float32 or float64, found whole numbers"},
       {with(plain(), {{"/1/attention", {{4, 2, 3, 3}, ImportType::text}}}),
        "/1/attention: expected float16, float32 or float64, found strings"},
       {with(plain(), {{"/1/attention", {{4, 2, 4, 4}, ImportType::float32}}}),
        "expected the shape [layer, head, query, key] = [4, 2, 3, 3] (3 tokens), found [4, 2, 4, 4]"},
       {with(plain(), {{"/02/attention", {{4, 3, 5, 5}, ImportType::float32}}}),
        "(5 tokens; layers, heads and dimensions as in /1), found [4, 3, 5, 5]"}},
      {"/02", "/1"});
  expect_refused(
      {{with(graph(), {{"/1/gate", {{4, 3, 1, 1}, ImportType::float32}}}),
        "/1/gate: expected [layer, token] or [layer, token, dimension], found the shape [4, 3, 1, 1]"},
       {with(graph(), {{"/1/gate", {{4, 3, 6}, ImportType::float32}}}),
        "/1/hidden: expected the shape [layer + 1, token, dimension] = [5, 3, 6]"},
       {with(without(graph(), {"/1/hidden"}), {{"/1/gate", {{4, 3, 0}, ImportType::float32}}}),
        "/1: 0 dimensions; allowed are 1 to"},
       {with(graph(), {{"/1/gate", {{4, 2}, ImportType::float32}}}),
        "expected the shape [layer, token] or [layer, token, dimension] = [4, 3]"},
       {with(graph(), {{"/1/hidden", {{5, 3}, ImportType::float32}}}),
        "/1/hidden: expected [layer + 1, token, dimension], found the shape [5, 3]"}},
      {"/1"});
}

TEST(ImportPlan, OfAGraphTransformer) {
  const ImportPlan plan = make_import_plan(graph(), {"/1"}, "maps.h5", no_integers);
  EXPECT_TRUE(plan.graph && plan.gate && plan.hidden);
  EXPECT_FALSE(plan.plain_first || plan.gate_vectors || plan.padded || plan.counted_from_0);
  EXPECT_EQ(plan.d_model, 8);
  EXPECT_EQ(plan.shape_of(ImportArray::gate, 3), Shape{3});
  EXPECT_EQ(plan.shape_of(ImportArray::hidden, 3), (Shape{3, 8}));
  EXPECT_EQ(plan.layers_of(ImportArray::hidden).first, 0);
  EXPECT_GT(plan.layers_of(ImportArray::attention).first, plan.layers_of(ImportArray::attention).last);
  // Groups from 0 are sentences from 1; empty lists have any type, a text may be a list of one.
  ImportCatalog catalog = {{"/0/tokens", {{1}, ImportType::text}},
                           {"/0/words", {{0}, ImportType::float64}},
                           {"/0/text", {{1}, ImportType::text}},
                           {"/0/attention", {{1, 1, 1, 1}, ImportType::float64}}};
  const ImportPlan counted = make_import_plan(catalog, {"/0"}, "maps.h5", no_integers);
  EXPECT_TRUE(counted.counted_from_0);
  EXPECT_EQ(counted.sentences.front().number, 1);
  EXPECT_EQ(counted.d_model, 0);
}

// Three sentences of at most 9 tokens.
ImportCatalog padded() {
  return {{"/tokens", {{3, 9}, ImportType::text}},
          {"/attention", {{3, 4, 2, 9, 9}, ImportType::float32}},
          {"/hidden", {{3, 5, 9, 8}, ImportType::float32}}};
}

TEST(ImportPlan, PaddedFilesAreRefusedByName) {
  expect_refused(
      {{without(padded(), {"/tokens"}), "importing maps.h5: /: no dataset \"tokens\""},
       {without(padded(), {"/attention"}), "importing maps.h5: /: no dataset \"attention\""},
       {with(padded(), {{"/scores", {{3}, ImportType::float32}}}),
        "/scores: an unknown dataset; known are tokens, word_of_token, words, text, attention (or high, "
        "middle1, middle2), gate, hidden, lengths, numbers"},
       {with(padded(), {{"/1/tokens", {{3}, ImportType::text}}}),
        "/1/tokens: a dataset where none is due: beside datasets of all sentences there are no groups"},
       {with(padded(), {{"/tokens", {{0, 9}, ImportType::text}}}), "/tokens: no sentences"},
       {with(padded(), {{"/tokens", {{3}, ImportType::text}}}),
        "/tokens: expected strings in 2 dimensions, found the shape [3]"},
       {with(padded(), {{"/tokens", {{0}, ImportType::float64}}}), "/tokens: no sentences"},
       {with(padded(), {{"/tokens", {{1, 2, 0}, ImportType::float64}}}),
        "/tokens: expected strings in 2 dimensions, found the shape [1, 2, 0]"},
       {with(padded(), {{"/tokens", {{3, 0}, ImportType::text}}}),
        "/tokens: shape [3, 0]: allowed are up to 1000000 sentences and 1 to 16384 tokens"},
       {with(padded(), {{"/tokens", {{1'000'001, 9}, ImportType::text}}}), "allowed are up to 1000000"},
       {with(padded(), {{"/tokens", {{3, 16'385}, ImportType::text}}}), "1 to 16384 tokens"},
       {with(padded(), {{"/words", {{2, 9}, ImportType::text}}}),
        "/words: expected 3 sentences, found the shape [2, 9]"},
       {with(padded(), {{"/text", {{2}, ImportType::text}}}),
        "/text: expected 3 sentences, found the shape [2]"},
       {with(padded(), {{"/word_of_token", {{3, 8}, ImportType::integer}}}),
        "/word_of_token: expected 3 sentences of 9 tokens, found the shape [3, 8]"},
       {with(padded(), {{"/word_of_token", {{}, ImportType::integer}}}), "found the shape []"},
       {with(padded(), {{"/lengths", {{3}, ImportType::float32}}}),
        "/lengths: expected whole numbers, found float32"},
       {with(padded(), {{"/numbers", {{4}, ImportType::integer}}}),
        "/numbers: expected the shape [sentence] = [3], found [4]"},
       {with(padded(), {{"/attention", {{3, 4, 2, 9}, ImportType::float32}}}),
        "/attention: expected [sentence], then [layer, head, query, key], found the shape [3, 4, 2, 9]"},
       {with(padded(), {{"/attention", {{2, 4, 2, 9, 9}, ImportType::float32}}}),
        "expected the shape [sentence] + [layer, head, query, key] = [3, 4, 2, 9, 9] (9 tokens)"}},
      {});
}

TEST(ImportPlan, NumbersOfPaddedSentencesAscend) {
  const ImportCatalog catalog = with(padded(), {{"/numbers", {{3}, ImportType::integer}}});
  const auto numbers = [](std::vector<std::int64_t> values) {
    return [values](const std::string&) { return values; };
  };
  const ImportPlan plan = make_import_plan(catalog, {}, "maps.h5", numbers({2, 3, 40}));
  EXPECT_EQ(plan.sentences[2].number, 40);
  EXPECT_EQ(plan.sentences[2].tokens, 9);  // without lengths each is as wide as the table
  EXPECT_NE(refusal(catalog, {}, numbers({0, 1, 2})).find("ascending numbers from 1, found 0 at place 1"),
            std::string::npos);
  EXPECT_NE(refusal(catalog, {}, numbers({2, 2, 3})).find("found 2 at place 2"), std::string::npos);
}

TEST(ImportPlan, EveryTypeAndArrayHasAName) {
  EXPECT_EQ(name(ImportType::float16), "float16");
  EXPECT_EQ(name(ImportType::float64), "float64");
  EXPECT_EQ(size_bytes(ImportType::float16), 2);
  EXPECT_EQ(size_bytes(ImportType::integer), 8);
  EXPECT_EQ(size_bytes(ImportType::text), 0);
  EXPECT_TRUE(is_map(ImportArray::middle1));
  EXPECT_FALSE(is_map(ImportArray::gate));
  EXPECT_FALSE(is_map(ImportArray::hidden));
}

}  // namespace
}  // namespace mog::io
