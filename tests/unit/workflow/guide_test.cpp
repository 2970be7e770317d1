// Whatever the program can record or count has its text, true to docs/quantity-names.md.
#include "app/workflow/describe/guide.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "analysis/attribution/quantities.h"
#include "analysis/statistics/weight_by_length.h"
#include "analysis/statistics/word_measures.h"
#include "io/recording/errors.h"
#include "model/model.h"

namespace mog::app {
namespace {

std::vector<QuantitySchema> everything() {
  std::vector<QuantitySchema> all;
  const auto add = [&all](const std::vector<QuantitySchema>& some) {
    all.insert(all.end(), some.begin(), some.end());
  };
  using model::EncoderKind;
  for (const EncoderKind kind :
       {EncoderKind::graph_transformer, EncoderKind::transformer, EncoderKind::gru, EncoderKind::lstm}) {
    for (const auto fusion : {model::Fusion::weight_gate, model::Fusion::self_gate}) {
      for (const bool both : {false, true}) {
        model::ModelConfig config;
        config.encoder.kind = kind;
        config.encoder.fusion = fusion;
        config.encoder.layers = 2;
        config.encoder.bidirectional = both && (kind == EncoderKind::gru || kind == EncoderKind::lstm);
        config.vocab_size = 20;
        config.tasks["upos"] = {"A", "B"};
        config.decoder.emplace().layers = 2;
        config.target_vocab_size = 30;
        add(model::quantities(config));
        add(model::decomposition_quantities(config));
      }
    }
  }
  add(analysis::attribution_quantities({.stack = Stack::encoder, .layers = 2, .parts = {Part::full}}));
  return all;
}

TEST(Guide, EveryQuantityOfEveryModelHasItsText) {
  const auto all = everything();
  EXPECT_GT(all.size(), 300U);
  for (const QuantitySchema& schema : all) {
    const GuideEntry* entry = explain(schema.name.text());
    ASSERT_NE(entry, nullptr) << schema.name.text();
    EXPECT_EQ(entry->unit, schema.units) << schema.name.text() << " is " << entry->name;
    EXPECT_NE(entry->level, ClaimLevel::none) << schema.name.text();
  }
  for (const char* const name : {"encoder.2.order", "encoder.2.order.mean"}) {
    EXPECT_NE(explain(name), nullptr) << name;
  }
}

TEST(Guide, EverythingThatIsCountedHasItsText) {
  std::vector<std::string> names = {"gate", "share", "entropy", "max", "leaves"};
  for (const analysis::WordMeasure measure : analysis::word_measures()) {
    names.emplace_back(analysis::name(measure));
  }
  for (const std::string& name : names) {
    const GuideEntry* entry = explain(name);
    ASSERT_NE(entry, nullptr) << name;
    EXPECT_EQ(entry->name, name);
  }
  for (const analysis::WordMeasure measure : analysis::word_measures()) {
    EXPECT_EQ(explain(analysis::name(measure))->unit, analysis::units(measure)) << analysis::name(measure);
  }
  for (const char* const measure : {"gate", "share", "entropy", "max", "leaves"}) {
    EXPECT_EQ(explain(measure)->unit, analysis::units(analysis::parse_measure(measure)));
  }
}

TEST(Guide, EveryTextIsComplete) {
  std::set<std::string_view> names;
  for (const GuideEntry* entry : guide()) {
    EXPECT_TRUE(names.insert(entry->name).second) << entry->name << " is there twice";
    EXPECT_FALSE(entry->title.empty()) << entry->name;
    EXPECT_FALSE(entry->meaning.empty()) << entry->name;
    EXPECT_TRUE(entry->meaning.ends_with(".")) << entry->name;
    if (!is_of_program(*entry)) {
      EXPECT_FALSE(entry->formula.empty()) << entry->name;
      EXPECT_FALSE(entry->unit.empty()) << entry->name;
      EXPECT_FALSE(entry->range.empty()) << entry->name;
      EXPECT_NE(entry->level, ClaimLevel::none) << entry->name;
    }
  }
}

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;  // "| a | b |" gives "a", "b"
  for (std::size_t at = 2; at < line.size();) {
    const std::size_t end = std::min(line.find(" | ", at), line.size());
    cells.push_back(line.substr(at, end - at));
    at = end + 3;
  }
  return cells;
}

// The document and the table say the same of units and of the levels of the decompositions.
TEST(Guide, AgreesWithTheDocument) {
  std::ifstream file(std::filesystem::path(MOG_TEST_DATA_DIR) / ".." / ".." / "docs" / "quantity-names.md");
  ASSERT_TRUE(file.good());
  std::string line;
  bool exact = false;
  int rows = 0;
  while (std::getline(file, line)) {
    if (line.starts_with("## ")) {
      exact = line == "## Exact decompositions";
    }
    if (!line.starts_with("| `")) {
      continue;
    }
    const auto cells = cells_of(line);
    ASSERT_GE(cells.size(), 4U) << line;
    const std::string name = cells[0].substr(1, cells[0].size() - 2);
    const GuideEntry* entry = explain(name);
    if (entry == nullptr) {  // a row of the document that the guide has by its part, or by its task
      std::string concrete = name;
      const auto put = [&concrete](const std::string& what, const std::string& by) {
        if (const auto at = concrete.find(what); at != std::string::npos) {
          concrete.replace(at, what.size(), by);
        }
      };
      put(".L.", ".1.");
      put(".D.", ".forward.");
      put(".D_", ".forward_");
      entry = explain(concrete);
    }
    ASSERT_NE(entry, nullptr) << name;
    EXPECT_EQ(entry->unit, cells[2]) << name;
    if (exact) {
      EXPECT_EQ(std::to_string(static_cast<int>(entry->level)), cells[3]) << name;
    }
    ++rows;
  }
  EXPECT_GT(rows, 130);
}

TEST(Guide, IsSearchedByNamesAndWords) {
  EXPECT_EQ(explain("encoder.3.m1.attention")->name, "encoder.L.middle1.attention");
  EXPECT_EQ(explain("encoder.*.split.norm")->name, "encoder.L.split.norm");
  EXPECT_EQ(explain("encoder.2.backward.reset.mean")->name, "encoder.L.reset.mean");
  EXPECT_EQ(explain("encoder.2.rollout.walk_order")->name, "encoder.L.M.walk_order");
  EXPECT_EQ(explain("nothing.of.the.kind"), nullptr);
  const auto found = search_guide("Attention Entropy");
  EXPECT_GE(found.size(), 2U);
  EXPECT_THROW(search_guide("qwertz"), UsageError);
  const std::vector<const GuideEntry*> one = search_guide("encoder.3.gate.mean");
  ASSERT_EQ(one.size(), 1U);
  const std::string text = print_guide(one);
  EXPECT_NE(text.find("unit     1"), std::string::npos) << text;
  EXPECT_NE(text.find("level 2"), std::string::npos) << text;
}

}  // namespace
}  // namespace mog::app
