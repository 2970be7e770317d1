#include "app/workflow/figures/gold_overlay.h"

#include <gtest/gtest.h>

#include <cmath>

#include "app/workflow/figures/figure.h"
#include "app/workflow/syntax/syntax_job.h"
#include "io/recording/errors.h"
#include "tests/unit/workflow/planted_syntax.h"
#include "tests/unit/workflow/recorded_corpus.h"

namespace mog::app {
namespace {

struct Drawn {
  explicit Drawn(const Planted& planted, const std::string& treebank) {
    planted.fill(memory);
    gold = folder.write("gold.conllu", treebank);
    request.kind = "attention-arcs";
    request.set("sentence", 1).set("layer", 1).set("part", Part::full).set("gold", gold.string());
  }
  analysis::ArcFigure arcs() const {
    return std::get<analysis::ArcFigure>(make_figure(request, memory).body);
  }
  test::TemporaryFolder folder;
  MemoryRecording memory;
  std::filesystem::path gold;
  FigureRequest request;
};

std::string text_of(const analysis::ArcFigure& figure) {
  std::string text;
  for (const analysis::GoldArc& arc : figure.gold) {
    text += std::to_string(arc.head) + ">" + std::to_string(arc.dependent) + ":" + arc.relation + " ";
  }
  return text;
}

TEST(GoldOverlay, TheTreeAndTheScoresOfTheShownMap) {
  Planted planted;
  planted.add({2, 0, 2, 3});
  Drawn drawn(planted, planted.treebank);
  drawn.request.set("head", 1);  // each word attends to its dependents
  analysis::ArcFigure arcs = drawn.arcs();
  EXPECT_EQ(text_of(arcs), "1>0:left -1>1:root 1>2:right 2>3:right ");
  EXPECT_NE(arcs.gold_text.find("queries as heads UAS 100 % (4 of 4 words), either way 100 % (3 of 3 edges)"),
            std::string::npos)
      << arcs.gold_text;
  EXPECT_EQ(arcs.gold_text.find("keys as heads UAS 100 %"), std::string::npos) << arcs.gold_text;
  drawn.request.set("head", 2);  // to its head
  EXPECT_NE(
      drawn.arcs().gold_text.find("keys as heads UAS 100 % (4 of 4 words), either way 100 % (3 of 3 edges)"),
      std::string::npos);
  // The title says which head, the caption the scores; the table has the gold arcs too.
  const analysis::FigureData whole = make_figure(drawn.request, drawn.memory);
  EXPECT_NE(whole.title.find("head 2"), std::string::npos) << whole.title;
  EXPECT_NE(whole.caption.find("gold syntax: " + drawn.arcs().gold_text), std::string::npos) << whole.caption;
  const std::string csv = whole.to_csv();
  EXPECT_NE(csv.find("2,w1,1,w0,,,,left,gold"), std::string::npos) << csv;
}

TEST(GoldOverlay, ScoresAreThoseOfMogSyntax) {
  Planted planted;
  planted.add({2, 0, 2, 5, 3});
  Drawn drawn(planted, planted.treebank);
  SyntaxOptions options;
  options.treebank = drawn.gold;
  options.sources = {SyntaxSource::attention};
  options.threads = 1;
  options.bootstrap.resamples = 0;
  const SyntaxResult result = compare_syntax(drawn.memory, options);
  std::string expected = "best tree of this map: ";
  // Of the five words four have a head that is a word: shares of another whole say so.
  const auto told = [](double share, int whole, const std::string& of) {
    return std::to_string(std::lround(100 * share)) + " % (" + std::to_string(std::lround(whole * share)) +
           " of " + std::to_string(whole) + " " + of + ")";
  };
  for (const bool key_is_head : {false, true}) {
    for (const SyntaxRowScore& row : result.rows) {
      if (row.row == SyntaxRow{.layer = 1, .part = Part::full, .key_is_head = key_is_head}) {
        expected += std::string(key_is_head ? "; keys" : "queries") + " as heads UAS " +
                    told(row.uas.value, 5, "words") + ", either way " + told(row.uuas.value, 4, "edges");
      }
    }
  }
  EXPECT_EQ(drawn.arcs().gold_text, expected);
}

TEST(GoldOverlay, WordsThatTheTreebankCutsDifferently) {
  Planted planted;
  planted.add({"do", "n't", "go"}, {"don't", "go"}, {3, 3, 0});
  Drawn drawn(planted, planted.treebank);
  EXPECT_EQ(text_of(drawn.arcs()), "2>0:left 2>1:left -1>2:root ");  // a piece is a word of the figure
  drawn.request.flag("by-word");
  EXPECT_EQ(text_of(drawn.arcs()), "1>0:left -1>1:root ");
}

TEST(GoldOverlay, ASentenceIsFoundByItsWords) {
  Planted first;
  first.add({"a", "b"}, {"a", "b"}, {0, 1});
  Planted both;
  both.add({"x", "y", "z"}, {"x", "y", "z"}, {2, 0, 2});
  both.add({"a", "b"}, {"a", "b"}, {0, 1});
  Drawn drawn(first, both.treebank);
  EXPECT_EQ(text_of(drawn.arcs()), "-1>0:root 0>1:right ");
  Planted neither;
  neither.add({"c", "d"}, {"c", "d"}, {0, 1});
  Drawn missing(neither, both.treebank);
  EXPECT_THROW(missing.arcs(), FormatError);
}

TEST(GoldOverlay, JoinsOfAGraphAreCounted) {
  Planted planted;
  planted.add({2, 0, 2, 3});
  Drawn drawn(planted, planted.treebank);
  drawn.request = {.kind = "arcs"};
  drawn.request.set("sentence", 1).set("leaves", 2).set("gold", drawn.gold.string());
  const analysis::ArcFigure arcs = drawn.arcs();
  EXPECT_EQ(arcs.gold.size(), 4U);
  EXPECT_EQ(arcs.gold_text.substr(0, 7), "1 join:") << arcs.gold_text;
  drawn.request = {.kind = "attention"};
  drawn.request.set("sentence", 1).set("gold", drawn.gold.string());
  EXPECT_THROW(make_figure(drawn.request, drawn.memory), UsageError);
}

}  // namespace
}  // namespace mog::app
