#include "analysis/figure_data/translation_figures.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "analysis/figure_data/map_sides.h"
#include "analysis/statistics/entry_means.h"
#include "io/recording/errors.h"
#include "io/recording/sentence_recording.h"

namespace mog::analysis {
namespace {

const QuantityName kLogit(Stack::decoder, 0, Part::none, Quantity::contribution, Reduction::logit);
const QuantityName kShare(Stack::decoder, 0, Part::none, Quantity::alti, Reduction::share);
const QuantityName kCross(Stack::decoder, 1, Part::cross, Quantity::attention);

// "a b" (a of two pieces) with </s>, translated as "x y" (y of two pieces): 4 source and 4 target tokens.
Sentence translated(std::int64_t number) {
  Sentence sentence;
  sentence.number = number;
  sentence.text = "ab c";
  sentence.words = {{"ab", {0, 2}}, {"c", {3, 4}}};
  sentence.tokens = {{"a@@", 4, 0, {}}, {"b", 5, 0, {}}, {"c", 6, 1, {}}, {"</s>", 2, -1, {}}};
  sentence.target_tokens = {{"</s>", 2, -1, {}}, {"x", 7, 0, {}}, {"y@@", 8, 1, {}}, {"z", 9, 1, {}}};
  return sentence;
}

HostTensor floats(const std::vector<float>& values) {
  return HostTensor::of<float>({static_cast<std::int64_t>(values.size())}, values);
}

// Logit contributions 10 t + column; shares of source 0.1 t; one head of cross-attention that looks at token
// t.
std::unique_ptr<const MemoryRecording> recorded() {
  RecordingHeader header;
  header.model.tokenizer = "bpe";
  header.model.name = "M";
  header.quantities = {
      {kCross,
       {Axis::head, Axis::target_query, Axis::key},
       {1, 0, 0},
       DType::float32,
       "probability",
       "cross"},
      {kShare, {Axis::target_token, Axis::context_side}, {0, 2}, DType::float32, "1", "shares"},
      {kLogit, {Axis::target_token, Axis::context_bias}, {0, 0}, DType::float32, "1", "logits"}};
  std::vector<float> cross(16, 0.0F);
  std::vector<float> share;
  std::vector<float> logit;
  for (std::size_t t = 0; t < 4; ++t) {
    cross[4 * t + t] = 1.0F;
    share.insert(share.end(), {0.1F * static_cast<float>(t), 1 - 0.1F * static_cast<float>(t)});
    for (std::size_t column = 0; column < 9; ++column) {
      logit.push_back(static_cast<float>(10 * t + column));
    }
  }
  auto recording = std::make_unique<MemoryRecording>();
  recording->begin(header);
  recording->write(
      {{translated(1)}, {{kCross, floats(cross)}, {kShare, floats(share)}, {kLogit, floats(logit)}}});
  recording->finish();
  return recording;
}

std::string labels(const std::vector<WordLabel>& words) {
  std::string text;
  for (const WordLabel& word : words) {
    text += (text.empty() ? "" : " ") + word.text;
  }
  return text;
}

TEST(ShownText, IsThatOfTheTokenizerThatSpelledIt) {
  const auto shown = [](const char* text, Pieces pieces) { return shown_text({text, 5, 0, {}}, pieces); };
  EXPECT_EQ(shown("over@@", Pieces::bpe), "over");
  EXPECT_EQ(shown("\u2581over", Pieces::sentencepiece), "over");
  EXPECT_EQ(shown("\u0120over", Pieces::byte_bpe), "over");
  EXPECT_EQ(shown("##ing", Pieces::wordpiece), "##ing");
  // A mark of another tokenizer is a letter.
  EXPECT_EQ(shown("\u0120over", Pieces::sentencepiece), "\u0120over");
  EXPECT_EQ(shown("\u0120over", Pieces::wordpiece), "\u0120over");
  EXPECT_EQ(shown("\u2581over", Pieces::none), "\u2581over");
  EXPECT_EQ(shown("over@@", Pieces::none), "over@@");
  EXPECT_EQ(shown_text({"<s>", 0, -1, {}}, Pieces::byte_bpe), "<s>");
}

// "Café 😀 中", the emoji of two tokens, the bytes of 中 of two that are one word with the space before them.
Sentence of_bytes() {
  Sentence sentence;
  sentence.target_tokens = {{"</s>", 2, -1, {}},        {"Caf", 3, 0, {}},
                            {"\u00c3\u00a9", 4, 0, {}}, {"\u0120\u00f0\u0141", 5, 1, {}},
                            {"\u013a\u0122", 6, 1, {}}, {"\u0120", 7, 2, {}},
                            {"\u00e4\u00b8", 8, 2, {}}, {"\u0143", 9, 2, {}}};
  return sentence;
}

TEST(ShownText, BytesOfAWordAreReadTogether) {
  const Sentence sentence = of_bytes();
  EXPECT_EQ(target_texts(sentence, Pieces::byte_bpe),
            (std::vector<std::string>{"Caf\u00e9", "\U0001F600", "\u4e2d"}));
  EXPECT_EQ(labels(map_side(sentence.target_tokens, Pieces::byte_bpe, {}, {.by_word = true}).labels),
            "</s> Caf\u00e9 \U0001F600 \u4e2d");
  EXPECT_EQ(labels(map_side(sentence.target_tokens, Pieces::byte_bpe, {}, TokenOptions{}).labels),
            "</s> Caf \u00e9 \u27e8F0\u27e9\u27e89F\u27e9 \u27e898\u27e9\u27e880\u27e9 \u2581 "
            "\u27e8E4\u27e9\u27e8B8\u27e9 \u27e8AD\u27e9");
}

TEST(ShownText, ALoneSpaceIsNoLetterOfItsWord) {
  Sentence sentence;
  sentence.target_tokens = {{"</s>", 2, -1, {}},    {"\u2581", 3, 0, {}}, {"\u732b", 4, 0, {}},
                            {"\u2581na", 5, 1, {}}, {"<0xC3>", 6, 1, {}}, {"<0xAF>", 7, 1, {}},
                            {"f", 8, 1, {}},        {"\u2581", 3, 2, {}}};
  EXPECT_EQ(target_texts(sentence, Pieces::sentencepiece),
            (std::vector<std::string>{"\u732b", "na\u00eff", "\u2581"}));
}

TEST(SourceAndPrefix, RowsArePredictedTokensAndColumnsBothSides) {
  const FigureData figure = context_figure(*recorded(), 0, kLogit);
  const auto& map = std::get<HeatMap>(figure.body);
  EXPECT_EQ(labels(map.rows), "x y z </s>");
  EXPECT_EQ(labels(map.columns), "a b c </s> </s> x y z");
  EXPECT_EQ(map.blocks, std::vector<std::int64_t>{4});
  EXPECT_EQ(map.value(2, 5), 25.0);
  EXPECT_NE(figure.caption.find("the bias is left out"), std::string::npos);
  EXPECT_NE(figure.caption.find("level 1"), std::string::npos);
}

TEST(SourceAndPrefix, OfWordsSumColumnsAndAverageRows) {
  const FigureData figure =
      context_figure(*recorded(), 0, kLogit, {.by_word = true, .special_tokens = false, .bias = true});
  const auto& map = std::get<HeatMap>(figure.body);
  EXPECT_EQ(labels(map.rows), "x yz");
  EXPECT_EQ(labels(map.columns), "ab c x yz bias");
  EXPECT_EQ(map.blocks, (std::vector<std::int64_t>{2, 4}));
  EXPECT_EQ(map.value(0, 0), 0.0 + 1.0);
  EXPECT_EQ(map.value(1, 0), ((10.0 + 11.0) + (20.0 + 21.0)) / 2);
  EXPECT_EQ(map.value(1, 3), ((16.0 + 17.0) + (26.0 + 27.0)) / 2);
  EXPECT_EQ(map.value(1, 4), (18.0 + 28.0) / 2);
}

TEST(Alignment, MarksTheGreatestOfEachRowAndGoldLinks) {
  // Rows that have read x, y@@ and z look at b, c and </s>.
  const FigureData figure =
      alignment_figure(*recorded(), 0, {.step = AlignmentStep::read, .gold = {{0, 0, false}, {0, 1, true}}});
  const auto& map = std::get<HeatMap>(figure.body);
  EXPECT_EQ(labels(map.rows), "x yz");
  EXPECT_EQ(labels(map.columns), "ab c");
  EXPECT_EQ(map.values, (std::vector<double>{1, 0, 0, 0.5}));
  const std::vector<CellMark> marks = {{0, 0, CellMark::Kind::sure},
                                       {1, 0, CellMark::Kind::possible},
                                       {0, 0, CellMark::Kind::found},
                                       {1, 1, CellMark::Kind::found}};
  EXPECT_EQ(map.marks, marks);
  const Table numbers = figure.table();
  EXPECT_EQ(std::get<std::string>(numbers.rows[0][numbers.column("marks")]), "sure found");
  EXPECT_EQ(std::get<std::string>(numbers.rows[1][numbers.column("marks")]), "");
}

TEST(Alignment, OfTheStepThatPredictsIsOneRowHigher) {
  const FigureData figure = alignment_figure(*recorded(), 0);
  EXPECT_EQ(std::get<HeatMap>(figure.body).values, (std::vector<double>{1, 0, 0.5, 0.5}));
  const FigureData logits = alignment_figure(*recorded(), 0, {.quantity = kLogit});
  EXPECT_EQ(std::get<HeatMap>(logits.body).values, (std::vector<double>{1, 2, 31, 17}));
}

TEST(Alignment, RefusesWhatIsNotThere) {
  EXPECT_THROW(alignment_figure(*recorded(), 0, {.gold = {{2, 0, false}}}), UsageError);
  EXPECT_THROW(alignment_figure(*recorded(), 0, {.quantity = kShare}), UsageError);
  EXPECT_THROW(context_figure(*recorded(), 0, kShare), UsageError);
  EXPECT_THROW(context_figure(*recorded(), 0, kLogit.with(Reduction::norm)), UsageError);
}

TEST(EntryMeans, ByPositionAreOfTheDecodersSteps) {
  const auto recording = recorded();
  const std::vector<const RecordingSource*> sources = {recording.get()};
  const std::vector<QuantityName> names = {kShare};
  const Table table = entry_means(sources, names,
                                  {.bins = LengthBins({1, 2}),
                                   .by_position = true,
                                   .bootstrap = {.resamples = 0},
                                   .stop = {},
                                   .progress = {}});
  ASSERT_EQ(table.rows.size(), 4U);  // two entries in two bins
  const auto mean = [&](std::size_t row) { return std::get<double>(table.rows[row][table.column("mean")]); };
  const auto tokens = [&](std::size_t row) {
    return std::get<std::int64_t>(table.rows[row][table.column("tokens")]);
  };
  EXPECT_NEAR(mean(0), 0.0, 1e-7);
  EXPECT_NEAR(mean(1), (0.1 + 0.2 + 0.3) / 3, 1e-7);
  EXPECT_NEAR(mean(2), 1.0, 1e-7);
  EXPECT_EQ(tokens(0), 1);
  EXPECT_EQ(tokens(1), 3);
  EXPECT_EQ(std::get<std::string>(table.rows[0][table.column("by")]), "position");
  EXPECT_EQ(std::get<std::string>(table.rows[0][table.column("entry")]), "source");
}

}  // namespace
}  // namespace mog::analysis
