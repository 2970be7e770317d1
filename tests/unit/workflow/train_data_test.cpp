#include <gtest/gtest.h>

#include <functional>
#include <numeric>
#include <set>

#include "app/workflow/evaluate/tag_lexicon.h"
#include "app/workflow/experiment/train_data.h"
#include "io/recording/errors.h"
#include "tests/support/temporary_folder.h"

namespace mog::app {
namespace {

const std::vector<TaskConfig> kTasks = {{.name = "ner", .column = TaskColumn::iob2, .labels = {"PER", "LOC"}},
                                        {.name = "upos", .column = TaskColumn::upos}};

std::string row(int id, const std::string& form, const std::string& upos) {
  return std::to_string(id) + "\t" + form + "\t_\t" + upos + "\t_\t_\t" + std::to_string(id - 1) +
         "\tdep\t_\t_\n";
}

TEST(TrainData, JoinsTreebankAndEntitiesBySentenceId) {
  const test::TemporaryFolder folder;
  folder.write("a.conllu", "# sent_id = one\n" + row(1, "Ann", "PROPN") + row(2, "sleeps", "VERB") +
                               "\n# sent_id = two\n" + row(1, "IBM", "PROPN") + "\n");
  folder.write("a.iob2",
               "# sent_id = two\n1\tIBM\tB-ORG\t-\tx\n\n# sent_id = one\n1\tAnn\tB-PER\t-\tx\n"
               "2\tsleeps\tO\n\n");
  const auto sentences = read_tagged({.conllu = {"a.conllu"}, .iob2 = {"a.iob2"}}, folder.path(), kTasks);
  ASSERT_EQ(sentences.size(), 2U);
  EXPECT_EQ(sentences[0].id, "one");
  EXPECT_EQ(sentences[0].tags.at("upos"), (std::vector<std::string>{"PROPN", "VERB"}));
  EXPECT_EQ(sentences[0].tags.at("ner"), (std::vector<std::string>{"B-PER", "O"}));
  EXPECT_EQ(sentences[1].tags.at("ner"), (std::vector<std::string>{"O"}));  // ORG is not among the labels
}

TEST(TrainData, ASentenceWithOtherWordsIsKeptTwice) {
  const test::TemporaryFolder folder;
  std::string conllu;
  std::string iob2;
  for (int s = 0; s < 40; ++s) {
    conllu += "# sent_id = " + std::to_string(s) + "\n" + row(1, s == 7 ? "can't" : "yes", "INTJ") + "\n";
    iob2 += "# sent_id = " + std::to_string(s) + "\n1\t" + (s == 7 ? "ca" : "yes") + "\tO\n" +
            (s == 7 ? "2\tn't\tO\n" : "") + "\n";
  }
  folder.write("a.conllu", conllu);
  folder.write("a.iob2", iob2);
  std::int64_t differing = 0;
  const auto sentences =
      read_tagged({.conllu = {"a.conllu"}, .iob2 = {"a.iob2"}}, folder.path(), kTasks, &differing);
  ASSERT_EQ(sentences.size(), 41U);
  EXPECT_EQ(differing, 1);
  EXPECT_EQ(sentences[7].tags.at("ner"), (std::vector<std::string>{""}));
  EXPECT_EQ(sentences[40].words, (std::vector<std::string>{"ca", "n't"}));
  EXPECT_EQ(sentences[40].tags.at("upos"), (std::vector<std::string>{"", ""}));
}

TEST(TrainData, EntitiesOfAnotherCorpusAreRefused) {
  const test::TemporaryFolder folder;
  folder.write("a.conllu", row(1, "Ann", "PROPN") + "\n");
  folder.write("a.iob2", "1\tBob\tB-PER\n\n");
  try {
    read_tagged({.conllu = {"a.conllu"}, .iob2 = {"a.iob2"}}, folder.path(), kTasks);
    FAIL();
  } catch (const FormatError& error) {
    EXPECT_NE(std::string(error.what()).find("word 1 \"Bob\" there and \"Ann\""), std::string::npos)
        << error.what();
  }
}

std::string message_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const FormatError& error) {
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return {};
}
void expect_parts(const std::string& message, const std::vector<std::string>& parts) {
  for (const std::string& part : parts) {
    EXPECT_NE(message.find(part), std::string::npos) << part << " is not in: " << message;
  }
}

TEST(TrainData, WhereTwoAnnotationsPartBothLinesAreNamed) {
  const test::TemporaryFolder folder;
  folder.write("a.conllu", "# sent_id = s\n1-2\tcannot\t_\t_\t_\t_\t_\t_\t_\t_\n" + row(1, "can", "AUX") +
                               row(2, "not", "PART") + row(3, "go", "VERB") + "\n");
  folder.write("a.iob2", "# sent_id = s\n1\tcan\tO\n2\tnot\tO\n3\tgone\tO\n\n");
  const DataSplit split{.conllu = {"a.conllu"}, .iob2 = {"a.iob2"}};
  expect_parts(message_of([&] { read_tagged(split, folder.path(), kTasks); }),
               {"a.iob2, line 4: sentence s", "word 3 \"gone\" there and \"go\" in", "a.conllu, line 5"});
  folder.write("a.iob2", "# sent_id = s\n1\tcan\tO\n2\tnot\tO\n\n");
  expect_parts(message_of([&] { read_tagged(split, folder.path(), kTasks); }),
               {"a.iob2, line 3: sentence s has 2 words there and 3 in", "a.conllu, line 5"});
}

TEST(TrainData, WithoutIdsBothFilesMustHaveAsManySentences) {
  const test::TemporaryFolder folder;
  folder.write("a.conllu", row(1, "Ann", "PROPN") + "\n" + row(1, "Bob", "PROPN") + "\n");
  folder.write("a.iob2", "1\tAnn\tB-PER\n\n");
  const DataSplit split{.conllu = {"a.conllu"}, .iob2 = {"a.iob2"}};
  expect_parts(message_of([&] { read_tagged(split, folder.path(), kTasks); }),
               {"a.iob2: 1 sentences, and 2 in a.conllu", "sent_id"});
}

TEST(TrainData, TagsOutsideASetAreCountedAndTheFirstIsPlaced) {
  const test::TemporaryFolder folder;
  folder.write("a.conllu", "# sent_id = s\n" + row(1, "Ann", "PROPN") + row(2, "of", "_") +
                               row(3, "IBM", "NAME") + row(4, "x", "NAME") + "\n");
  folder.write("a.iob2", "# sent_id = s\n1\tAnn\tB-PER\n2\tof\tO\n3\tIBM\tB-LOC\n4\tx\tO\n\n");
  const auto sentences = read_tagged({.conllu = {"a.conllu"}, .iob2 = {"a.iob2"}}, folder.path(), kTasks);
  const OutsideTags upos = tags_outside(sentences, kTasks[1], {"PROPN", "VERB"});
  EXPECT_EQ(upos.words, 2);
  EXPECT_EQ(upos.of, 3);  // "_" is no tag
  expect_parts(upos.first, {"a.conllu, line 4: the word \"IBM\" has the tag \"NAME\""});
  const OutsideTags ner = tags_outside(sentences, kTasks[0], {"O", "B-PER"});
  EXPECT_EQ(ner.words, 1);
  expect_parts(ner.first, {"a.iob2, line 4: the word \"IBM\" has the tag \"B-LOC\""});
  EXPECT_EQ(tags_outside(sentences, kTasks[0], {"O", "B-PER", "B-LOC"}).words, 0);
}

TEST(TrainData, PairsMustHaveEqualNumbersOfLines) {
  const test::TemporaryFolder folder;
  folder.write("a.de", "ein Haus\n\nzwei\n");
  folder.write("a.en", "a house\n \ntwo\n");
  folder.write("b.en", "a house\n");
  const auto pairs = read_pairs({.source = {"a.de"}, .target = {"a.en"}}, folder.path());
  ASSERT_EQ(pairs.size(), 2U);  // blank on both sides is left out
  EXPECT_EQ(pairs[1].target, "two");
  folder.write("c.de", "ein Haus\nein Baum\n");
  expect_parts(message_of([&] { read_pairs({.source = {"c.de"}, .target = {"b.en"}}, folder.path()); }),
               {"c.de has 2 lines", "b.en has 1;", "line 2 of", "c.de: \"ein Baum\""});
  // Two faults that make the sums equal are still faults.
  folder.write("b.de", "eins\n");
  folder.write("c.en", "one\ntwo\n");
  expect_parts(message_of([&] {
                 read_pairs({.source = {"c.de", "b.de"}, .target = {"b.en", "c.en"}}, folder.path());
               }),
               {"c.de has 2 lines"});
}

TEST(TrainData, ALineWithoutAPartnerIsLeftOutAndManyAreRefused) {
  const test::TemporaryFolder folder;
  std::string source;
  std::string target;
  for (int line = 1; line <= 40; ++line) {
    source += line == 7 ? "\n" : "Zeile " + std::to_string(line) + "\n";
    target += "line " + std::to_string(line) + "\n";
  }
  folder.write("a.de", source);
  folder.write("a.en", target);
  std::int64_t half_blank = 0;
  EXPECT_EQ(read_pairs({.source = {"a.de"}, .target = {"a.en"}}, folder.path(), &half_blank).size(), 39U);
  EXPECT_EQ(half_blank, 1);
  folder.write("a.de", "\n" + source + "\n");  // shifted by one line
  folder.write("a.en", target + "\nend\n");
  expect_parts(
      message_of([&] { read_pairs({.source = {"a.de"}, .target = {"a.en"}}, folder.path()); }),
      {"a.de, line 1 is blank and", "a.en, line 1 is \"line 1\"", "more lines have a blank partner"});
}

TEST(TrainData, TheFirstPieceOfAWordCarriesItsTag) {
  TaggedSentence sentence;
  sentence.words = {"over", "all"};
  sentence.tags["upos"] = {"ADP", "NEW"};
  Sentence encoded;
  encoded.tokens = {{"o@@", 7, 0, {}}, {"ver", 8, 0, {}}, {"all", 9, 1, {}}, {"</s>", 2, -1, {}}};
  const Example example = make_example(sentence, encoded, {{"upos", {"ADJ", "ADP"}}});
  EXPECT_EQ(example.ids, (std::vector<std::int64_t>{7, 8, 9, 2}));
  EXPECT_EQ(example.labels.at("upos"), (std::vector<std::int64_t>{1, -1, -1, -1}));
}

TEST(TrainData, TheDecoderStartsFromBosAndEndsWithEos) {
  Sentence source;
  source.tokens = {{"Haus", 5, 0, {}}, {"</s>", 2, -1, {}}};
  Sentence target;
  target.tokens = {{"a", 6, 0, {}}, {"house", 7, 1, {}}, {"</s>", 2, -1, {}}};
  const Example example = make_example(source, target, 2);
  EXPECT_EQ(example.target_ids, (std::vector<std::int64_t>{2, 6, 7}));
  EXPECT_EQ(example.target_labels, (std::vector<std::int64_t>{6, 7, 2}));
}

std::vector<Example> examples_of_lengths(const std::vector<std::size_t>& lengths) {
  std::vector<Example> examples;
  for (const std::size_t length : lengths) {
    Example example;
    example.ids.assign(length, static_cast<std::int64_t>(examples.size()));
    example.labels["upos"].assign(length, 0);
    examples.push_back(example);
  }
  return examples;
}

TEST(TrainData, SharesOfAFileComeRoundInTurn) {
  auto examples = examples_of_lengths(std::vector<std::size_t>(400, 3));
  for (std::size_t at = 100; at < examples.size(); ++at) {
    examples[at].share = 0.25;
  }
  std::map<std::int64_t, int> seen;
  for (std::int64_t epoch = 1; epoch <= 4; ++epoch) {
    std::int64_t taken = 0;
    for (const auto& batch : epoch_batches(examples, 30, 1, epoch)) {
      for (const std::int64_t index : batch) {
        ++seen[index];
        taken += index >= 100 ? 1 : 0;
      }
    }
    EXPECT_GT(taken, 45);  // 75 of 300
    EXPECT_LT(taken, 105);
  }
  ASSERT_EQ(seen.size(), 400U);
  for (const auto& [index, times] : seen) {
    EXPECT_EQ(times, index < 100 ? 4 : 1) << index;
  }
}

TEST(TrainData, AnEpochHoldsEverySentenceOnceInBatchesOfBoundedSize) {
  std::vector<std::size_t> lengths(100);
  for (std::size_t at = 0; at < lengths.size(); ++at) {
    lengths[at] = 1 + (at * 13) % 9;
  }
  lengths[50] = 200;  // longer than a batch: one of its own
  const auto examples = examples_of_lengths(lengths);
  const auto first = epoch_batches(examples, 32, 1, 1);
  EXPECT_EQ(first, epoch_batches(examples, 32, 1, 1));
  EXPECT_NE(first, epoch_batches(examples, 32, 1, 2));
  EXPECT_NE(first, epoch_batches(examples, 32, 2, 1));
  EXPECT_EQ(first.size(), epoch_batches(examples, 32, 1, 2).size());
  std::set<std::int64_t> seen;
  std::size_t total = 0;
  for (const auto& batch : first) {
    std::int64_t tokens = 0;
    for (const std::int64_t index : batch) {
      tokens += examples[static_cast<std::size_t>(index)].cost();
      seen.insert(index);
    }
    total += batch.size();
    EXPECT_TRUE(tokens <= 32 || batch.size() == 1U);
  }
  EXPECT_EQ(seen.size(), 100U);
  EXPECT_EQ(total, 100U);
}

TEST(TrainData, BatchesArePackedWithTheirLabels) {
  const auto examples = examples_of_lengths({2, 3});
  const model::TrainingBatch batch = make_batch(examples, {1, 0});
  EXPECT_EQ(batch.input.ids, (std::vector<std::int64_t>{1, 1, 1, 0, 0}));
  EXPECT_EQ(batch.input.offsets, (std::vector<std::int64_t>{0, 3, 5}));
  EXPECT_EQ(batch.labels.at("upos").size(), 5U);
}

TEST(TagSet, PutsOFirstAndSortsTheRest) {
  TaggedSentence sentence;
  sentence.tags["ner"] = {"I-PER", "", "O", "B-PER"};
  sentence.tags["upos"] = {"VERB", "", "NOUN", "VERB"};
  EXPECT_EQ(tag_set({sentence}, kTasks[0]), (std::vector<std::string>{"O", "B-PER", "I-PER"}));
  EXPECT_EQ(tag_set({sentence}, kTasks[1]), (std::vector<std::string>{"NOUN", "VERB"}));
}

TEST(TagLexicon, TakesTheMostFrequentTagAndTheShapeOfUnknownWords) {
  TaggedSentence sentence;
  sentence.words = {"run", "run", "run", "set", "set", "Ann", "7", "dog"};
  sentence.tags["upos"] = {"NOUN", "VERB", "VERB", "VERB", "NOUN", "PROPN", "NUM", "NOUN"};
  const TagLexicon lexicon({sentence}, "upos");
  EXPECT_EQ(lexicon.tag("run"), "VERB");
  EXPECT_EQ(lexicon.tag("set"), "NOUN");  // a tie: the first in the alphabet
  EXPECT_EQ(lexicon.tag("Bob"), "PROPN");
  EXPECT_EQ(lexicon.tag("1,000.5"), "NUM");
  EXPECT_EQ(lexicon.tag("zebra"), "NOUN");
  EXPECT_TRUE(lexicon.knows("dog"));
  EXPECT_FALSE(lexicon.knows("zebra"));
}

}  // namespace
}  // namespace mog::app
