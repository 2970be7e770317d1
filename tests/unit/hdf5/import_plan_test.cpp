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

}  // namespace
}  // namespace mog::io
