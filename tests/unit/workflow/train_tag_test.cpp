#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "app/workflow/evaluate/evaluate_job.h"
#include "app/workflow/evaluate/evaluate_raw.h"
#include "app/workflow/evaluate/tag_job.h"
#include "app/workflow/train/train_validation.h"
#include "io/recording/errors.h"
#include "tests/support/fake_model.h"

namespace mog::app {
namespace {

Sentence sentence_of(const std::string& text) {
  return test::FakeTokenizer().encode(text, 1);
}

TEST(TagSentences, EveryWordHasATagWhateverTheBatch) {
  const test::FakeModel model;
  std::vector<Sentence> sentences;
  for (const char* text : {"one two three", "", "four", "five six seven eight nine"}) {
    sentences.push_back(sentence_of(text));
  }
  const auto together = tag_sentences(model, sentences, 1000);
  const auto apart = tag_sentences(model, sentences, 1);
  ASSERT_EQ(together.size(), 4U);
  for (std::size_t at = 0; at < sentences.size(); ++at) {
    EXPECT_EQ(together[at].tags, apart[at].tags);
    EXPECT_EQ(together[at].tags.at("pos").size(), sentences[at].words.size());
    for (const std::string& tag : together[at].tags.at("pos")) {
      EXPECT_TRUE(tag == "X" || tag == "Y" || tag == "Z") << tag;
    }
  }
}

TEST(TagSentences, StopsWhenAsked) {
  std::stop_source source;
  source.request_stop();
  const test::FakeModel model;
  const std::vector<Sentence> sentences = {sentence_of("one two")};
  EXPECT_THROW(tag_sentences(model, sentences, 100, source.get_token()), Interrupted);
}

TEST(TaggedText, HasTheThreeFormats) {
  const Sentence sentence = sentence_of("Ann sleeps");
  SentenceTags tags;
  tags.tags["ner"] = {"B-PER", "O"};
  tags.tags["upos"] = {"PROPN", "VERB"};
  EXPECT_EQ(tagged_text(TagFormat::tsv, sentence, tags), "Ann\tB-PER\tPROPN\nsleeps\tO\tVERB\n\n");
  EXPECT_EQ(tagged_text(TagFormat::jsonl, sentence, tags),
            "{\"sentence\":1,\"text\":\"Ann sleeps\",\"words\":[\"Ann\",\"sleeps\"],"
            "\"tags\":{\"ner\":[\"B-PER\",\"O\"],\"upos\":[\"PROPN\",\"VERB\"]}}\n");
  EXPECT_EQ(tagged_text(TagFormat::conllu, sentence, tags),
            "# sent_id = 1\n# text = Ann sleeps\n1\tAnn\t_\tPROPN\t_\t_\t_\t_\t_\tNer=B-PER\n"
            "2\tsleeps\t_\tVERB\t_\t_\t_\t_\t_\tNer=O\n\n");
  io::TreebankSentence tree;
  tree.comments = {"# sent_id = x"};
  tree.words = {{"Ann", "Ann", "NOUN", "NNP", "_", 2, "nsubj", "SpaceAfter=No"},
                {"sleeps", "sleep", "NOUN", "VBZ", "_", 0, "root", "_"}};
  EXPECT_EQ(tagged_text(TagFormat::conllu, sentence, tags, &tree),
            "# sent_id = x\n1\tAnn\tAnn\tPROPN\tNNP\t_\t2\tnsubj\t_\tSpaceAfter=No|Ner=B-PER\n"
            "2\tsleeps\tsleep\tVERB\tVBZ\t_\t0\troot\t_\tNer=O\n\n");
  EXPECT_THROW(parse_tag_format("xml"), UsageError);
}

TEST(ScoreTags, CountsWordsForTagsAndSpansForEntities) {
  const std::map<std::string, std::vector<std::string>> tasks = {{"ner", {"O", "B-PER", "I-PER"}},
                                                                 {"upos", {"NOUN", "VERB"}}};
  std::vector<TaggedSentence> gold(2);
  gold[0].words = {"a", "b", "c", "d"};
  gold[0].tags = {{"ner", {"B-PER", "I-PER", "O", "B-PER"}}, {"upos", {"NOUN", "VERB", "NOUN", ""}}};
  gold[1].words = {"e"};
  gold[1].tags = {{"ner", {""}}, {"upos", {"NOUN"}}};
  std::vector<SentenceTags> predicted(2);
  predicted[0].tags = {{"ner", {"B-PER", "I-PER", "B-PER", "O"}}, {"upos", {"NOUN", "NOUN", "NOUN", "VERB"}}};
  predicted[1].tags = {{"ner", {"B-PER"}}, {"upos", {"NOUN"}}};
  const std::vector<TaskScore> scores = score_tags(gold, predicted, tasks);
  ASSERT_EQ(scores.size(), 2U);
  EXPECT_EQ(scores[0].metric, analysis::TaggingMetric::span_f1);
  EXPECT_DOUBLE_EQ(scores[0].score.value, 0.5);  // 1 of 2 predicted, 1 of 2 gold; the unannotated is left out
  EXPECT_EQ(scores[1].metric, analysis::TaggingMetric::accuracy);
  EXPECT_DOUBLE_EQ(scores[1].score.value, 0.75);  // 3 of 4 annotated words
  const auto json = nlohmann::json::parse(
      to_json(EvaluateResult{.model = "m", .sentences = 2, .words = 5, .scores = scores, .by_length = {}}));
  EXPECT_EQ(json["scores"][1]["task"], "upos");
  EXPECT_EQ(json["scores"][1]["value"], 0.75);
}

TEST(RawTags, ATaskThatIsCalledWordsStaysBesideTheCut) {
  TaggedSentence gold;
  gold.words = {"do", "n't"};
  gold.tags["words"] = {"A", "B"};
  SentenceTags answer;
  answer.tags["words"] = {"A"};
  Sentence sentence;
  sentence.text = "don't";
  sentence.words.push_back({"don't", {0, 5}});
  const RawTags raw = over_characters({gold}, {sentence}, {answer}, {{"words", {"A", "B"}}});
  ASSERT_EQ(raw.gold.size(), 1U);
  EXPECT_EQ(raw.tasks.size(), 2U);
  EXPECT_EQ(raw.gold[0].tags.at("words"), (std::vector<std::string>{"B-A", "I-A", "B-B", "I-B", "I-B"}));
  EXPECT_EQ(raw.gold[0].tags.at("words (cut)"), (std::vector<std::string>{"B-", "I-", "B-", "I-", "I-"}));
  EXPECT_EQ(raw.predicted[0].tags.at("words (cut)"),
            (std::vector<std::string>{"B-", "I-", "I-", "I-", "I-"}));
}

TEST(IsIob, KnowsEntityTags) {
  EXPECT_TRUE(is_iob({"O", "B-PER", "I-PER"}));
  EXPECT_FALSE(is_iob({"NOUN", "O"}));
  EXPECT_FALSE(is_iob({"O"}));
}

// Shows chosen states as the output of the last layer.
class StatesModel final : public model::Model {
 public:
  explicit StatesModel(std::vector<float> states) : states_(std::move(states)) {
    config_.encoder.layers = 2;
    config_.encoder.d_model = 2;
  }
  const model::ModelConfig& config() const override { return config_; }
  const ModelCard& card() const override { return card_; }
  std::string device() const override { return "cpu"; }
  std::vector<QuantitySchema> quantities() const override { return {}; }
  void run(const model::PackedBatch& batch, std::span<const model::Intervention>,
           std::span<model::Observer* const> observers) const override {
    for (const std::int64_t layer : {1, 2}) {
      show_layer(layer, batch, *observers[0]);
    }
  }
  void show_layer(std::int64_t layer, const model::PackedBatch& batch, model::Observer& observer) const {
    const QuantityName name(Stack::encoder, layer, Part::none, Quantity::output);
    ASSERT_TRUE(observer.wants(name).has_value());
    model::PackedValues values;
    std::vector<float> states = states_;
    if (layer == 1) {
      std::fill(states.begin(), states.end(), 1.0F);  // all tokens alike
    }
    values.values = HostTensor::of<float>({batch.tokens(), 2}, states);
    for (const std::int64_t offset : batch.offsets) {
      values.offsets.push_back(2 * offset);
    }
    observer.observe(name, values);
  }
  std::vector<std::vector<model::Hypothesis>> translate(const model::PackedBatch&, const model::BeamOptions&,
                                                        std::stop_token) const override {
    return {};
  }

 private:
  std::vector<float> states_;
  model::ModelConfig config_;
  ModelCard card_;
};

TEST(TokenCosine, IsTheMeanOverPairsOfTokens) {
  Example example;
  example.ids = {5, 6, 7};
  const std::vector<Example> examples = {example};
  // (1,0), (0,2), (3,0): cosines 0, 1, 0.
  EXPECT_NEAR(token_cosines(StatesModel({1, 0, 0, 2, 3, 0}), examples, 100).back(), 1.0 / 3.0, 1e-12);
  EXPECT_NEAR(token_cosines(StatesModel({1, 0, 0, 2, 3, 0}), examples, 100).front(), 1.0, 1e-6);
  EXPECT_NEAR(token_cosines(StatesModel({1, 1, 2, 2, 3, 3}), examples, 100).back(), 1.0, 1e-6);
  // A state of zeros has no direction.
  EXPECT_NEAR(token_cosines(StatesModel({1, 0, 0, 0, 3, 0}), examples, 100).back(), 1.0, 1e-12);
}

}  // namespace
}  // namespace mog::app
