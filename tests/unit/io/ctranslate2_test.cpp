// Models of CTranslate2, made variable by variable: what a file claims of itself is held against its bytes,
// and what it has against what a Transformer must have.
#include "io/checkpoint/ctranslate2.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "io/checkpoint/plain_weights.h"
#include "io/recording/errors.h"
#include "tests/support/ctranslate2_bytes.h"
#include "tests/support/weights_bytes.h"

namespace mog::io {
namespace {

using test::KeepingSink;
using test::kF32;
using test::kI16;
using test::kI32;
using test::kI8;
using test::little_endian;
using test::MemoryFile;
using test::named;
using test::Variable;
using Model = test::CTranslate2Model;

KeepingSink& read(const std::string& bytes, KeepingSink& sink) {
  MemoryFile memory;
  const InputFile file = memory.holding(bytes);
  translate_weights(file, WeightsFormat::ctranslate2, sink);
  return sink;
}

template <class Refusal = FormatError>
void expect_refused(const std::string& bytes, const std::string& words) {
  KeepingSink sink;
  try {
    read(bytes, sink);
    ADD_FAILURE() << "read, expected: " << words;
  } catch (const Refusal& error) {
    EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << words << ": " << error.what();
    EXPECT_EQ(std::string(error.what()).find("mutant: "), 0U) << error.what();
  }
}

struct Case {
  const char* words;
  std::function<void(Model&)> change;
};

template <class Refusal = FormatError>
void expect_refused(const std::vector<Case>& cases) {
  for (const auto& [words, change] : cases) {
    Model model;
    change(model);
    expect_refused<Refusal>(model.bytes(), words);
  }
}

constexpr const char* kWords = "encoder/embeddings_0/weight";
constexpr const char* kInner = "encoder/layer_0/ffn/linear_0/weight";
constexpr const char* kJoined = "encoder/layer_0/self_attention/linear_0/weight";

TEST(CTranslate2, ReadsEveryVersion) {
  for (std::uint64_t version = 1; version <= 6; ++version) {
    Model model;
    model.version = version;
    model[kWords].data = std::string(19 * 4, '\1') + little_endian(0x40490FDB, 4);
    if (version < 4) {
      model.remove("encoder/num_heads");
      model.variables.push_back({"encoder/num_heads", {}, kI16, little_endian(2, 2)});
    }
    KeepingSink sink;
    read(model.bytes(), sink);
    EXPECT_EQ(sink.plain.tensors.size(), model.variables.size()) << version;
    EXPECT_EQ(sink.of(kWords), model[kWords].data) << version;
    const auto metadata = nlohmann::json::parse(sink.plain.metadata);
    EXPECT_EQ(metadata["binary_version"], version);
    EXPECT_EQ(metadata["specification"], version < 2 ? "" : "TransformerEncoderSpec");
  }
}

TEST(CTranslate2, AliasesAreNamesOfOtherVariables) {
  Model model;
  model.aliases = {{"encoder/projection/weight", kWords}};
  KeepingSink sink;
  read(model.bytes(), sink);
  EXPECT_EQ(sink.plain.aliases, (std::map<std::string, std::string>{{"encoder/projection/weight", kWords}}));
  expect_refused({{"alias \"a\" of \"b\", which is no variable",
                   [](Model& m) {
                     m.aliases = {{"a", "b"}};
                   }},
                  {"alias \"b\" of \"a\", which is no variable",
                   [](Model& m) {
                     m.aliases = {{"a", kWords}, {"b", "a"}};
                   }},
                  {"has the name of another variable", [](Model& m) {
                     m.aliases = {{kInner, kWords}};
                   }}});
}

TEST(CTranslate2, ScaledWholeNumbersBecomeFloats) {
  Model model;
  model[kWords] = {kWords, {5, 4}, kI8, std::string(4, '\2') + std::string(16, '\4')};
  model[std::string(kWords) + "_scale"] = {
      std::string(kWords) + "_scale", {1}, kF32, little_endian(0x40000000, 4)};
  model[kInner] = {kInner, {8, 4}, kI16, {}};
  for (int i = 0; i < 32; ++i) {
    model[kInner].data += little_endian(static_cast<std::uint64_t>(-6 * (i / 4)), 2);
  }
  std::string scales;
  for (int i = 0; i < 8; ++i) {
    scales += little_endian(i == 7 ? 0x40000000 : 0x3F800000, 4);
  }
  model[std::string(kInner) + "_scale"] = {std::string(kInner) + "_scale", {8}, kF32, scales};
  model["codes"] = {"codes", {2}, kI8, "\3\4"};  // no scale: as they are
  model.aliases = {{"other", kWords}, {"other_scale", std::string(kWords) + "_scale"}};
  KeepingSink sink;
  read(model.bytes(), sink);
  const std::string one = little_endian(0x3F800000, 4);
  const std::string two = little_endian(0x40000000, 4);
  EXPECT_EQ(
      sink.of(kWords), one + one + one + one + [&] {
        std::string rest;
        for (int i = 0; i < 16; ++i) {
          rest += two;
        }
        return rest;
      }());
  EXPECT_EQ(sink.of(kInner).substr(4 * 4, 4), little_endian(0xC0C00000, 4));   // -6 / 1
  EXPECT_EQ(sink.of(kInner).substr(4 * 31, 4), little_endian(0xC1A80000, 4));  // -42 / 2
  EXPECT_EQ(sink.of("codes"), "\3\4");
  EXPECT_EQ(sink.of(std::string(kInner) + "_scale"), "");
  EXPECT_EQ(sink.plain.aliases.count("other"), 1U);
  EXPECT_EQ(sink.plain.aliases.count("other_scale"), 0U);
  model[std::string(kInner) + "_scale"] = {std::string(kInner) + "_scale", {3}};
  expect_refused(model.bytes(), "has 3 values, expected 1 or the 8 rows of");
  model[std::string(kInner) + "_scale"] = {std::string(kInner) + "_scale", {1}};
  expect_refused(model.bytes(), "is NaN or infinite");  // 0 / 0
}

TEST(CTranslate2, HeadsThatAreWrong) {
  expect_refused("", "the file is empty, expected a CTranslate2 model");
  expect_refused("\6", "truncated: the binary version needs 4 bytes, 1 are left");
  expect_refused(
      {{"binary version 0, known are 1 to 6", [](Model& m) { m.version = 0; }},
       {"binary version 7, known are 1 to 6", [](Model& m) { m.version = 7; }},
       {"the specification Other is not known", [](Model& m) { m.specification = named("Other"); }},
       {"the name of the specification does not end with NUL",
        [](Model& m) { m.specification = little_endian(3, 2) + "abc"; }},
       {"the name of the specification does not end with NUL",
        [](Model& m) { m.specification = little_endian(0, 2); }},
       {"the name of the specification is \"\", expected UTF-8",
        [](Model& m) { m.specification = named(""); }},
       {"expected UTF-8 without NUL", [](Model& m) { m.specification = named(std::string("a\0b", 3)); }},
       {"expected UTF-8 without NUL", [](Model& m) { m.specification = named("\xff"); }},
       {"revision 0 of the specification TransformerEncoderSpec", [](Model& m) { m.revision = 0; }},
       {"revision 9 of the specification TransformerEncoderSpec", [](Model& m) { m.revision = 9; }},
       {"it has no variable", [](Model& m) { m.variables.clear(); }},
       {"the name of variable 13 of 100 does not end with NUL", [](Model& m) { m.count = 100; }},
       {"3 bytes after its last part", [](Model& m) { m.end = "end"; }}});
  expect_refused("<!DOCTYPE html><html>", "binary version 1329865020, known are 1 to 6; ");
}

TEST(CTranslate2, VariablesThatAreWrong) {
  expect_refused(
      {{"its name is there twice",
        [](Model& m) {
          m.variables.push_back({kWords, {1}});
        }},
       {"rank 17, at most 16",
        [](Model& m) {
          m["deep"] = {"deep", std::vector<std::uint64_t>(17, 1)};
        }},
       {"size 0 at axis 2",
        [](Model& m) {
          m["flat"] = {"flat", {1, 0}};
        }},
       {"element type 6 is not known", [](Model& m) { m[kWords].type = 6; }},
       {"shape [5, 4] F32 needs 80 bytes, 79 are declared", [](Model& m) { m[kWords].declared = 79; }},
       {"the file is truncated: variable \"huge\" needs",
        [](Model& m) {
          m.variables.push_back({"huge", {1U << 20U}, kI8, "x", 1U << 20U});
          m.aliases.clear();
        }},
       {"needs impossibly many bytes",
        [](Model& m) {
          m.variables.push_back({"huge", {0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF}, kI8, "x", 5});
        }},
       {"elements of 3 bytes, known are 1, 2 and 4", [](Model& m) {
          m.version = 3;
          m.variables = {{"a", {}, 0, "xyz", {}, named("a") + '\0' + '\3' + little_endian(1, 4)}};
        }}});
}

TEST(CTranslate2, LayersThatDoNotFitTogether) {
  expect_refused<ModelError>(
      {{"variable \"encoder/layer_0/ffn/linear_1/weight\" is missing",
        [](Model& m) { m.remove("encoder/layer_0/ffn/linear_1/weight"); }},
       {"variable \"encoder/layer_0/ffn/linear_1/bias\" is missing",
        [](Model& m) { m.remove("encoder/layer_0/ffn/linear_1/bias"); }},
       {"variable \"encoder/layer_0/ffn/layer_norm/gamma\" is missing",
        [](Model& m) { m.remove("encoder/layer_0/ffn/layer_norm/gamma"); }},
       {"variable \"encoder/layer_0/ffn/linear_0/weight\" is missing",
        [](Model& m) {
          m.remove(kInner);
          m.remove("encoder/layer_0/ffn/linear_0/bias");
        }},
       {"has shape [9, 5], expected [9, 4]",
        [](Model& m) {
          m[kInner].shape = {9, 5};
        }},
       {"linear_0/weight\" has shape [], expected [0, 4]", [](Model& m) { m[kInner].shape = {}; }},
       {"linear_0/bias\" has shape [7], expected [8]",
        [](Model& m) { m["encoder/layer_0/ffn/linear_0/bias"].shape = {7}; }},
       {"linear_1/weight\" has shape [4, 9], expected [4, 8]",
        [](Model& m) {
          m["encoder/layer_0/ffn/linear_1/weight"].shape = {4, 9};
        }},
       {"layer_norm/beta\" has shape [5], expected [4]",
        [](Model& m) { m["encoder/layer_0/ffn/layer_norm/beta"].shape = {5}; }},
       {"self_attention/linear_1/weight\" has shape [4, 4], expected [4, 5]",
        [](Model& m) {
          m[kJoined].shape = {15, 4};
          m["encoder/layer_0/self_attention/linear_0/bias"].shape = {15};
        }},
       {"the width 4 of the encoder is no multiple of its 3 heads",
        [](Model& m) { m["encoder/num_heads"].data = little_endian(3, 4); }},
       {"the width 4 of the encoder is no multiple of its 3 heads",
        [](Model& m) {
          m.remove("encoder/num_heads");
          m["num_heads"] = {"num_heads", {}, kI8, "\3"};
        }},
       {"the width 4 of the encoder is no multiple of its 8 heads",
        [](Model& m) {
          m.remove("encoder/num_heads");
          m.specification = named("TransformerBase");
        }},
       {"the width 4 of the encoder is no multiple of its 16 heads",
        [](Model& m) {
          m.remove("encoder/num_heads");
          m.specification = named("TransformerBig");
        }},
       {"variable \"encoder/layer_1/self_attention/linear_0/weight\" is missing", [](Model& m) {
          m["encoder/layer_2/ffn/linear_0/weight"].shape = {8, 4};
          m["encoder/layer_2/ffn/linear_0/bias"].shape = {8};
        }}});
}

// Attention of a decoder to what was read.
TEST(CTranslate2, AttentionToTheMemoryIsHeldAgainstIt) {
  Model model;
  model.specification = named("TransformerSpec");
  model["encoder/layer_0/attention/linear_0/weight"].shape = {4, 4};
  model["encoder/layer_0/attention/linear_0/bias"].shape = {4};
  model["encoder/layer_0/attention/linear_1/weight"].shape = {8, 6};
  model["encoder/layer_0/attention/linear_1/bias"].shape = {8};
  model["encoder/layer_0/attention/linear_2/weight"].shape = {4, 4};
  model["encoder/layer_0/attention/linear_2/bias"].shape = {4};
  KeepingSink sink;
  EXPECT_EQ(read(model.bytes(), sink).plain.tensors.size(), model.variables.size());
  Model narrow = model;
  narrow["encoder/layer_0/attention/linear_1/weight"].shape = {7, 6};
  expect_refused<ModelError>(narrow.bytes(), "has shape [7, 6], expected [8, 6]");
  Model scalar = model;
  scalar["encoder/layer_0/attention/linear_1/weight"].shape = {};
  expect_refused<ModelError>(scalar.bytes(), "has shape [], expected [8, 0]");
  model.remove("encoder/layer_0/attention/linear_1/weight");
  model.remove("encoder/layer_0/attention/linear_1/bias");
  expect_refused<ModelError>(model.bytes(),
                             "variable \"encoder/layer_0/attention/linear_1/weight\" is missing");
}

// What only looks like a Transformer of one width is left to whoever opens it.
TEST(CTranslate2, StacksOfOtherKindsAreNotChecked) {
  const std::vector<std::function<void(Model&)>> changes = {
      [](Model& m) { m.specification = named("WhisperSpec"); },
      [](Model& m) {
        m["encoder/embeddings_1/weight"].shape = {5, 4};
      },
      [](Model& m) { m[kWords].shape = {20}; }, [](Model& m) { m.remove(kWords); }};
  for (const auto& change : changes) {
    Model model;
    change(model);
    model[kInner].shape = {9, 5};
    KeepingSink sink;
    EXPECT_EQ(read(model.bytes(), sink).plain.tensors.size(), model.variables.size());
  }
  Model own;  // heads of a width of their own, and heads of numbers that are none
  own["encoder/num_heads"].data = little_endian(3, 4);
  own["encoder/layer_0/self_attention/head_dim"] = {"encoder/layer_0/self_attention/head_dim", {}, kI8, "\2"};
  own["encoder/layer_0/self_attention/num_heads_kv"] = {
      "encoder/layer_0/self_attention/num_heads_kv", {}, kI8, "\1"};
  own["encoder/layer_0/self_attention/linear_1/weight"].shape = {4, 6};
  KeepingSink sink;
  EXPECT_EQ(read(own.bytes(), sink).plain.tensors.size(), own.variables.size());
}

}  // namespace
}  // namespace mog::io
