// Whatever the program can record or count has its text.
#include "app/workflow/describe/guide.h"

#include <gtest/gtest.h>

#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "analysis/attribution/quantities.h"
#include "analysis/figure_data/quantity_figures.h"
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
        add(model::decoder_decompositions(config));
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
    if (const std::string caption = analysis::level_text(schema.name); !caption.empty()) {
      const auto level = std::to_string(static_cast<int>(entry->level));
      EXPECT_TRUE(caption.starts_with("level " + level)) << schema.name.text() << ": " << caption;
    }
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

// A row holds for each of its names; quantities_test holds them to the lists of the models.
TEST(Guide, ThePageHasEveryQuantityOnce) {
  const std::string page = quantities_page();
  std::set<std::string> names;
  std::set<std::string> rows;  // a head over pairs has labels or none: other axes under one name
  std::istringstream lines(page);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("| `")) {
      std::istringstream cell(line.substr(0, line.find(" | ")));
      std::string name;
      for (std::getline(cell, name, '`'); std::getline(cell, name, '`'); std::getline(cell, name, '`')) {
        const std::size_t axes = line.find(" | ") + 3;
        const std::string row = name + line.substr(axes, line.find(" | ", axes) - axes);
        EXPECT_TRUE(rows.insert(row).second) << row << " is there twice";
        names.insert(name);
      }
    }
  }
  EXPECT_GT(names.size(), 150U);
  EXPECT_TRUE(names.contains("encoder.L.middle1.attention.row_entropy"));
  EXPECT_TRUE(names.contains("encoder.L.D.reset"));
  EXPECT_TRUE(names.contains("encoder.L.alti.tree_order"));
  EXPECT_TRUE(names.contains("encoder.L.order.mean"));
}

TEST(Guide, IsSearchedByNamesAndWords) {
  EXPECT_EQ(explain("encoder.3.m1.attention")->name, "encoder.L.middle1.attention");
  EXPECT_EQ(explain("encoder.*.split.norm")->name, "encoder.L.split.norm");
  EXPECT_EQ(explain("encoder.2.backward.reset.mean")->name, "encoder.L.reset.mean");
  EXPECT_EQ(explain("encoder.2.rollout.walk_order")->name, "encoder.L.M.walk_order");
  EXPECT_EQ(explain("nothing.of.the.kind"), nullptr);
  EXPECT_EQ(explain("encoder.1.gate")->symbols, "w, z");
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
