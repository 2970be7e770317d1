#include <gtest/gtest.h>

#include <functional>

#include "app/workflow/experiment/train_config.h"
#include "io/recording/errors.h"
#include "tests/support/places.h"
#include "tests/unit/workflow/train_fake.h"

namespace mog::app {
namespace {

std::string message_of(const std::function<void()>& work, ExitCode code) {
  try {
    work();
  } catch (const Error& error) {
    EXPECT_EQ(error.exit_code(), code) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return {};
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

const std::string kSound = test::fake_config_text("epochs = 2\n");

TEST(TrainConfig, ReadsEveryPart) {
  const TrainConfig config =
      parse_train_config(replaced(kSound, "epochs = 2",
                                  "epochs = 2\nschedule = \"inverse_sqrt\"\npatience = 4\nclip_norm = 1\n"
                                  "word_dropout = 0.25\nbranch_scale = 0.3"),
                         "c.toml");
  EXPECT_EQ(config.name, "fake");
  EXPECT_EQ(config.model.encoder.layers, 3);
  EXPECT_EQ(config.model.encoder.attention_dim, 4);
  EXPECT_EQ(config.model.encoder.fusion, model::Fusion::weight_gate);
  EXPECT_EQ(config.tokenizer.kind, model::TokenizerKind::whitespace);
  ASSERT_EQ(config.train.conllu.size(), 1U);
  EXPECT_EQ(config.train.conllu[0], "train.conllu");
  ASSERT_EQ(config.tasks.size(), 1U);
  EXPECT_EQ(config.tasks[0].name, "pos");
  EXPECT_EQ(config.training.schedule, Schedule::inverse_sqrt);
  EXPECT_EQ(config.training.patience, 4);
  EXPECT_EQ(config.training.batch_tokens, 24);
  EXPECT_DOUBLE_EQ(config.training.trainer.clip_norm, 1.0);  // a whole number is a number
  EXPECT_DOUBLE_EQ(config.training.trainer.word_dropout, 0.25);
  EXPECT_DOUBLE_EQ(config.training.trainer.branch_scale, 0.3);
  EXPECT_EQ(config.sources[0].licence, "none needed");
  EXPECT_EQ(config.text.substr(0, 4), "name");
}

// A translator with `section`, of the model, behind its decoder.
std::string with_gret(const std::string& section) {
  std::string text = replaced(kSound, "architecture = \"encoder\"", "architecture = \"encoder_decoder\"");
  text = replaced(text, "[tasks.pos]\ncolumn = \"upos\"\n", "");
  for (const char* const part : {"train", "dev", "dev"}) {
    text =
        replaced(text, "conllu = \"" + std::string(part) + ".conllu\"", "source = \"de\"\ntarget = \"en\"");
  }
  return replaced(text, "[tokenizer]",
                  "[model.decoder]\nlayers = 1\nheads = 2\nffn_dim = 6\n" + section + "[tokenizer]");
}

TEST(TrainConfig, AGlobalRepresentationHasTheWidthOfTheEncodersBlocks) {
  const auto gret = [](const std::string& section) {
    return parse_train_config(with_gret(section), "c.toml").model.gret;
  };
  EXPECT_FALSE(gret(""));
  const auto all = gret("[model.gret]\n");
  ASSERT_TRUE(all);
  EXPECT_EQ(all->capsules, 32);
  EXPECT_EQ(all->pooling, model::CapsulePooling::attentive);
  EXPECT_EQ(all->ffn_dim, parse_train_config(kSound, "c.toml").model.encoder.ffn_dim);
  EXPECT_EQ(gret("[model.gret]\nffn_dim = 5\n")->ffn_dim, 5);
  const auto mean = gret("[model.gret]\ncapsules = 3\npooling = \"mean\"\nroute_axis = \"capsules\"\n");
  EXPECT_EQ(mean->capsules, 3);
  EXPECT_EQ(mean->pooling, model::CapsulePooling::mean);
  EXPECT_EQ(mean->route_axis, model::RouteAxis::capsules);
}

TEST(TrainConfig, AGlobalRepresentationIsCheckedWithItsLine) {
  const auto said = [](const std::string& text, ExitCode code) {
    return message_of([&] { parse_train_config(text, "c.toml"); }, code);
  };
  EXPECT_NE(
      said(with_gret("[model.gret]\npooling = \"mean\"\nffn_dim = 4\n"), ExitCode::format).find("ffn_dim"),
      std::string::npos);
  EXPECT_NE(
      said(with_gret("[model.gret]\npooling = \"max\"\n"), ExitCode::format).find("\"attentive\" \"mean\""),
      std::string::npos);
  const std::string zero = said(with_gret("[model.gret]\ncapsules = 0\n"), ExitCode::format);
  EXPECT_NE(zero.find("gret.capsules"), std::string::npos) << zero;
  EXPECT_NE(zero.find(", line "), std::string::npos) << zero;
  const std::string alone =
      said(replaced(kSound, "[tokenizer]", "[model.gret]\ncapsules = 4\n[tokenizer]"), ExitCode::mismatch);
  EXPECT_NE(alone.find("[model.gret] needs architecture"), std::string::npos) << alone;
}

TEST(TrainConfig, APlainTransformerAttendsInItsWholeWidth) {
  const std::string text =
      replaced(replaced(kSound, "graph_transformer", "transformer"), "attention_dim = 4\n", "");
  EXPECT_EQ(parse_train_config(text, "c.toml").model.encoder.attention_dim, 8);
}

TEST(TrainConfig, TextFilesMayHaveShares) {
  const std::string distils = replaced(kSound, "[training]",
                                       "[distill]\nteacher = \"t\"\nhidden = 1.0\npieces = \"own\"\n"
                                       "[training]\nhead_learning_rate = 3e-2");
  const std::string text =
      replaced(distils, "[data.dev]", "text = [\"a.txt\", { file = \"b.txt\", share = 0.25 }]\n[data.dev]");
  const TrainConfig config = parse_train_config(text, "c.toml");
  ASSERT_EQ(config.train.text.size(), 2U);
  EXPECT_EQ(config.train.text[0].file, "a.txt");
  EXPECT_DOUBLE_EQ(config.train.text[0].share, 1.0);
  EXPECT_EQ(config.train.text[1].file, "b.txt");
  EXPECT_DOUBLE_EQ(config.train.text[1].share, 0.25);
  EXPECT_TRUE(config.distill.own_pieces);
  EXPECT_DOUBLE_EQ(config.training.trainer.head_rate, 3.0);
  const auto message = [&](const std::string& from, const std::string& to, ExitCode code) {
    return message_of([&] { parse_train_config(replaced(text, from, to), "c.toml"); }, code);
  };
  EXPECT_NE(message("share = 0.25", "share = 1.5", ExitCode::format).find("data.train.text.share"),
            std::string::npos);
  EXPECT_NE(message("share =", "part =", ExitCode::format).find("data.train.text.part"), std::string::npos);
  EXPECT_NE(message("\"a.txt\"", "3", ExitCode::format).find("data.train.text"), std::string::npos);
  EXPECT_NE(message("hidden = 1.0", "attention = 1.0", ExitCode::mismatch).find("attention contradict"),
            std::string::npos);
}

TEST(TrainConfig, UnknownKeysAreRefusedByNameAndLine) {
  const auto refusal = [](const std::string& from, const std::string& to) {
    return message_of([&] { parse_train_config(replaced(kSound, from, to), "c.toml"); }, ExitCode::format);
  };
  EXPECT_NE(refusal("layers = 3", "layer = 3").find("line 6: unknown key model.encoder.layer"),
            std::string::npos);
  EXPECT_NE(refusal("seed = 5", "sede = 5").find("unknown key training.sede"), std::string::npos);
  EXPECT_NE(refusal("name = \"fake\"", "name = \"fake\"\ncolour = 1").find("line 2: unknown key colour"),
            std::string::npos);
  EXPECT_NE(refusal("column = \"upos\"", "column = \"upos\"\nlabel = 1").find("unknown key tasks.pos.label"),
            std::string::npos);
}

TEST(TrainConfig, WrongValuesAreRefusedWithWhatIsAllowed) {
  const auto refusal = [](const std::string& from, const std::string& to) {
    return message_of([&] { parse_train_config(replaced(kSound, from, to), "c.toml"); }, ExitCode::format);
  };
  EXPECT_NE(refusal("seed = 5", "seed = \"five\"").find("training.seed must be a whole number"),
            std::string::npos);
  EXPECT_NE(refusal("batch_tokens = 24", "batch_tokens = 0").find("found 0"), std::string::npos);
  EXPECT_NE(refusal("warmup = 3", "dropout = 1.5").find("training.dropout must be a number from 0 to 0.99"),
            std::string::npos);
  EXPECT_NE(refusal("warmup = 3", "schedule = \"linear\"").find("\"inverse_sqrt\" \"cosine\" \"constant\""),
            std::string::npos);
  EXPECT_NE(refusal("layers = 3", "layers = true").find("model.encoder.layers must be a whole number"),
            std::string::npos);
  EXPECT_NE(refusal("layers = 3", "layers = 0").find("line 6: encoder.layers: expected"), std::string::npos);
  EXPECT_NE(refusal("heads = 2", "heads = 2\nfusion = \"mix\"").find("line 11: encoder.fusion: expected"),
            std::string::npos);
  EXPECT_NE(refusal("epochs = 2\n", "").find("training.epochs or training.updates"), std::string::npos);
  EXPECT_NE(refusal("name = \"fake\"", "").find("name is missing"), std::string::npos);
  EXPECT_NE(refusal("kind = \"whitespace\"", "kind = ").find("line 12: this is not TOML"), std::string::npos);
}

// The changed text stands where `line` says; what the message must hold is `parts`.
void expect_contradiction(const std::string& from, const std::string& to, int line, const std::string& part) {
  const std::string message =
      message_of([&] { parse_train_config(replaced(kSound, from, to), "c.toml"); }, ExitCode::mismatch);
  EXPECT_NE(message.find("line " + std::to_string(line) + ": "), std::string::npos) << message;
  EXPECT_NE(message.find(part), std::string::npos) << message;
}

// The sound text with a recurrent encoder.
std::string recurrent_text(const std::string& kind, const std::string& keys) {
  return replaced(kSound,
                  "kind = \"graph_transformer\"\nlayers = 3\nd_model = 8\nattention_dim = 4\nffn_dim = "
                  "8\nheads = 2\n",
                  "kind = \"" + kind + "\"\nlayers = 3\nd_model = 8\n" + keys);
}

TEST(TrainConfig, ReadsRecurrentEncoders) {
  const model::EncoderConfig gru = parse_train_config(recurrent_text("gru", ""), "c.toml").model.encoder;
  EXPECT_EQ(gru.kind, model::EncoderKind::gru);
  EXPECT_EQ(gru.cell, model::RecurrentCell::gru_reset);
  EXPECT_EQ(gru.embedding_width(), 8);
  EXPECT_EQ(gru.position, model::Position::none);
  const model::EncoderConfig narrow =
      parse_train_config(recurrent_text("gru", "cell = \"gru_plain\"\nembedding_dim = 4\n"), "c.toml")
          .model.encoder;
  EXPECT_EQ(narrow.cell, model::RecurrentCell::gru_plain);
  EXPECT_EQ(narrow.embedding_width(), 4);
  EXPECT_EQ(parse_train_config(recurrent_text("lstm", ""), "c.toml").model.encoder.cell,
            model::RecurrentCell::lstm);
}

TEST(TrainConfig, RefusesWhatARecurrentEncoderHasNoPlaceFor) {
  const auto refusal = [](const std::string& text, ExitCode code) {
    return message_of([&] { parse_train_config(text, "c.toml"); }, code);
  };
  EXPECT_NE(refusal(recurrent_text("gru", "heads = 2\n"), ExitCode::format).find("model.encoder.heads"),
            std::string::npos);
  EXPECT_NE(refusal(recurrent_text("gru", "cell = \"lstm\"\n"), ExitCode::mismatch)
                .find("line 8: encoder.cell = lstm with kind = gru"),
            std::string::npos);
  for (const char* const key :
       {"attention_dropout = 0.1", "activation_dropout = 0.1", "branch_scale = 0.3"}) {
    const std::string text =
        replaced(recurrent_text("lstm", ""), "seed = 5", std::string(key) + "\nseed = 5");
    EXPECT_NE(refusal(text, ExitCode::mismatch).find("is not for an encoder of kind gru or lstm"),
              std::string::npos)
        << key;
  }
  EXPECT_NE(refusal(replaced(recurrent_text("gru", ""), "[training]",
                             "[start]\nmodel = \"m\"\nheads = \"fit\"\n[training]"),
                    ExitCode::mismatch)
                .find("start.heads is not for an encoder of kind gru or lstm"),
            std::string::npos);
  EXPECT_NE(refusal(replaced(recurrent_text("gru", ""), "[training]",
                             "[distill]\nteacher = \"m\"\nlast = 1\nattention = 1\n[training]"),
                    ExitCode::mismatch)
                .find("take hidden, last or sentence"),
            std::string::npos);
  EXPECT_NE(refusal(recurrent_text("gru", "bidirectional = 1\n"), ExitCode::format).find("bidirectional"),
            std::string::npos);
}

TEST(TrainConfig, RecurrentEncodersStartFromModelsAndHaveTeachers) {
  const TrainConfig config = parse_train_config(
      replaced(recurrent_text("lstm", "bidirectional = true\n"), "[training]",
               "[start]\nmodel = \"m\"\n[distill]\nteacher = \"m\"\nlast = 1\nlayerwise = true\n[training]"),
      "c.toml");
  EXPECT_TRUE(config.model.encoder.bidirectional);
  EXPECT_EQ(config.start.model, "m");
  EXPECT_TRUE(config.distills());
}

TEST(TrainConfig, ContradictionsAreRefusedWithTheLineOfAKey) {
  // Lines of the sound text: 3 architecture, 5 kind, 6 layers, 7 d_model, 8 attention_dim, 10 heads,
  // 11 [tokenizer], 12 kind, 13 [data.train], 15 [data.dev], 17 [data.test], 22 [tasks.pos], 26 [training].
  expect_contradiction("[tokenizer]", "[model.decoder]\nlayers = 2\n[tokenizer]", 11, "encoder_decoder");
  expect_contradiction("heads = 2", "heads = 3", 10, "encoder.heads = 3");
  expect_contradiction("attention_dim = 4", "attention_dim = 16", 8, "encoder.attention_dim = 16 is greater");
  expect_contradiction("column = \"upos\"", "column = \"iob2\"", 22, "needs data.train.iob2");
  expect_contradiction("[tasks.pos]\ncolumn = \"upos\"\n", "", 3, "at least one task");
  expect_contradiction("[data.dev]", "text = \"a.txt\"\n[data.dev]", 15, "data.train.text has no labels");
  expect_contradiction("[data.test]", "text = \"a.txt\"\n[data.test]", 17, "data.dev.text has no labels");
  expect_contradiction("[data.dev]", "source = \"a.de\"\n[data.dev]", 15, "data.train.source is for");
  expect_contradiction("kind = \"whitespace\"", "kind = \"whitespace\"\nmerges = 9", 13,
                       "tokenizer.merges is for");
  expect_contradiction("kind = \"whitespace\"", "kind = \"whitespace\"\nvocab = \"v\"\nmin_count = 2", 14,
                       "tokenizer.min_count and tokenizer.vocab contradict");
  expect_contradiction("kind = \"whitespace\"", "kind = \"bpe\"\nvocab = \"v\"", 13, "needs tokenizer.codes");
  expect_contradiction("kind = \"whitespace\"", "kind = \"bpe\"\nvocab = \"v\"\ncodes = \"c\"\nmerges = 5",
                       15, "contradict each other");
  expect_contradiction("seed = 5", "min_learning_rate = 0.5\nseed = 5", 31,
                       "is above training.learning_rate");
  expect_contradiction("seed = 5", "schedule = \"constant\"\nmin_learning_rate = 1e-9\nseed = 5", 32,
                       "schedule = \"constant\" contradict");
  expect_contradiction("[training]", "[start]\nmodel = \"m\"\nheads = \"fit\"\nlow_scale = 1\n[training]", 29,
                       "start.low_scale and heads = \"fit\"");
  expect_contradiction("[training]", "[start]\nmodel = \"m\"\nsample_tokens = 2000\n[training]", 28,
                       "start.sample_tokens is for");
  expect_contradiction("[training]",
                       "[distill]\nteacher = \"m\"\nstate_loss = \"cosine\"\nsentence = 1\n[training]", 28,
                       "distill.state_loss is of the losses");
  expect_contradiction("epochs = 2\n",
                       "updates = 9\n[distill]\nteacher = \"m\"\n[[distill.stage]]\nupdates = 9\nhidden = 1\n"
                       "[[distill.stage]]\nlast = 1\n",
                       32, "before stage 2");
}

TEST(TrainConfig, TheShippedExperimentsAreSoundAndDifferOnlyInTheEncoder) {
  const std::filesystem::path folder = mog::test::resources_dir() / "experiments";
  const TrainConfig graph = read_train_config(folder / "tagger-en-graph.toml");
  TrainConfig plain = read_train_config(folder / "tagger-en-plain.toml");
  EXPECT_TRUE(graph.model.encoder.graph());
  EXPECT_FALSE(plain.model.encoder.graph());
  EXPECT_EQ(graph.model.encoder.layers, plain.model.encoder.layers);
  EXPECT_EQ(graph.training.epochs, plain.training.epochs);
  EXPECT_EQ(graph.training.trainer.seed, plain.training.trainer.seed);
  EXPECT_EQ(graph.training.learning_rate, plain.training.learning_rate);
  EXPECT_EQ(graph.tokenizer.merges, plain.tokenizer.merges);
}

TEST(LearningRate, WarmsUpAndFalls) {
  TrainingPlan plan;
  plan.learning_rate = 1.0;
  plan.warmup = 100;
  plan.schedule = Schedule::inverse_sqrt;
  EXPECT_DOUBLE_EQ(learning_rate(plan, 1, 0), 0.01);
  EXPECT_DOUBLE_EQ(learning_rate(plan, 50, 0), 0.5);
  EXPECT_DOUBLE_EQ(learning_rate(plan, 100, 0), 1.0);
  EXPECT_DOUBLE_EQ(learning_rate(plan, 400, 0), 0.5);  // sqrt(100 / 400)
  plan.schedule = Schedule::cosine;
  plan.min_learning_rate = 0.2;
  EXPECT_DOUBLE_EQ(learning_rate(plan, 100, 300), 1.0);
  EXPECT_NEAR(learning_rate(plan, 200, 300), 0.6, 1e-12);  // half way between 1 and 0.2
  EXPECT_NEAR(learning_rate(plan, 300, 300), 0.2, 1e-12);
}

}  // namespace
}  // namespace mog::app
