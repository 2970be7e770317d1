// Weights of other programs: real files give the values that their own programs gave, wrong ones a message.
#include <gtest/gtest.h>
#include <algorithm>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "io/checkpoint/pickle.h"
#include "io/checkpoint/safetensors.h"
#include "io/checkpoint/weights_file.h"
#include "io/recording/errors.h"
#include "tests/support/temporary_folder.h"

namespace mog::io {
namespace {

using test::TemporaryFolder;

const std::filesystem::path kData = std::filesystem::path(MOG_TEST_DATA_DIR) / "weights";

void expect_same(const std::string& file, const std::string& expected) {
  const WeightsFile weights = open_weights(kData / file);
  const TensorList list = list_tensors(kData / expected);
  ASSERT_EQ(weights.tensors().size(), list.tensors.size()) << file;
  for (const TensorInfo& info : list.tensors) {
    const TensorInfo* const found = weights.find(info.name);
    ASSERT_NE(found, nullptr) << file << ": " << info.name;
    EXPECT_EQ(found->dtype, info.dtype) << file << ": " << info.name;
    EXPECT_EQ(found->shape, info.shape) << file << ": " << info.name;
    const HostTensor values = weights.read(info.name);
    if (!info.host_dtype()) {
      continue;  // widened: below
    }
    const HostTensor wanted = read_tensor(kData / expected, info);
    ASSERT_EQ(values.dtype(), wanted.dtype()) << file << ": " << info.name;
    EXPECT_TRUE(std::ranges::equal(values.bytes(), wanted.bytes())) << file << ": " << info.name;
  }
}

TEST(Weights, TorchZipGivesWhatTorchGave) {
  expect_same("zip.pt", "expected.safetensors");
}

TEST(Weights, TorchLegacyGivesWhatTorchGave) {
  expect_same("legacy.pt", "expected.safetensors");
}

TEST(Weights, SmallIntegersAreWidened) {
  const WeightsFile weights = open_weights(kData / "zip.pt");
  const HostTensor small = weights.read("model.short");
  EXPECT_EQ(small.dtype(), DType::int32);
  EXPECT_EQ(small.values<std::int32_t>()[0], -300);
  EXPECT_EQ(weights.read("model.char").values<std::int32_t>()[1], 4);
  EXPECT_EQ(weights.read("model.bool").values<std::uint8_t>()[0], 1);
}

TEST(Weights, ValuesOutliveTheFile) {
  HostTensor tensor;
  {
    const WeightsFile weights = open_weights(kData / "zip.pt");
    tensor = weights.read("model.scalar");
  }
  EXPECT_EQ(tensor.to_floats(), std::vector<float>{3.5F});
}

TEST(Weights, FairseqGivesItsOptions) {
  expect_same("fairseq.pt", "fairseq.safetensors");
  const WeightsFile weights = open_weights(kData / "fairseq.pt", {.format = {}, .values = false});
  const auto metadata = nlohmann::json::parse(weights.metadata());
  EXPECT_EQ(metadata["form"], "legacy");
  EXPECT_EQ(metadata["data"]["args"]["__class__"], "argparse.Namespace");
  EXPECT_EQ(metadata["data"]["args"]["arch"], "transformer_iwslt_de_en");
  EXPECT_EQ(metadata["data"]["extra_state"]["epoch"], 2);
  EXPECT_EQ(metadata["optimizer_tensors"], 1);
  EXPECT_FALSE(metadata["data"].contains("last_optimizer_state"));
  EXPECT_THROW(weights.read("model.encoder.layers.0.norm1.weight"), UsageError);
}

TEST(Weights, CTranslate2RefusesRevisionsThatNobodyKnows) {
  std::ifstream in(kData / "ct2-int8.bin", std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(in)), {});
  // Version (4), the name with its length (2) and a NUL, then the revision.
  const std::size_t at =
      6 + static_cast<unsigned char>(bytes.at(4)) + 256U * static_cast<unsigned char>(bytes.at(5));
  ASSERT_GT(bytes.size(), at + 4);
  const TemporaryFolder folder;
  for (const char revision : {'\0', '\x9', '\x63'}) {
    bytes[at] = revision;
    folder.write("model.bin", bytes);
    try {
      open_weights(folder.path() / "model.bin");
      ADD_FAILURE() << static_cast<int>(revision);
    } catch (const FormatError& error) {
      EXPECT_NE(std::string(error.what()).find("known are 1 to "), std::string::npos) << error.what();
    }
  }
}

TEST(Weights, CTranslate2GivesItsValues) {
  for (const std::string type : {"float32", "int16", "int8", "float16"}) {
    expect_same("ct2-" + type + ".bin", "ct2-" + type + ".safetensors");
  }
  const WeightsFile weights = open_weights(kData / "ct2-int8.bin");
  const auto metadata = nlohmann::json::parse(weights.metadata());
  EXPECT_EQ(metadata["specification"], "TransformerEncoderSpec");
  EXPECT_EQ(metadata["quantized"]["encoder/layer_0/ffn/linear_0/weight"], "I8");
  EXPECT_EQ(weights.find("encoder/layer_0/ffn/linear_0/weight_scale"), nullptr);
}

TEST(Weights, GgufGivesWhatItsPackageGave) {
  expect_same("blocks.gguf", "blocks.safetensors");
  const WeightsFile weights = open_weights(kData / "blocks.gguf");
  const auto metadata = nlohmann::json::parse(weights.metadata());
  EXPECT_EQ(metadata["values"]["general.architecture"], "llama");
  EXPECT_EQ(metadata["values"]["llama.block_count"], 1);
  EXPECT_EQ(metadata["values"]["tokenizer.ggml.add_bos_token"], true);
  EXPECT_EQ(metadata["quantized"]["Q4_K"], "Q4_K");
  EXPECT_FALSE(metadata["quantized"].contains("BF16"));
}

TEST(Weights, ListsOfGgufComeWithoutTheOtherValues) {
  const WeightsFile weights = open_weights(kData / "blocks.gguf", {.format = {}, .values = false});
  EXPECT_FALSE(weights.has_values());
  EXPECT_EQ(weights.read("key:tokenizer.ggml.scores").to_floats(), (std::vector<float>{0.5F, -1, 2.25F, 0}));
  EXPECT_EQ(weights.read("ends:tokenizer.ggml.tokens").values<std::int64_t>()[3], 11);
  EXPECT_THROW(weights.read("F32"), UsageError);
}

TEST(Weights, SafetensorsComeThroughTheSameDoor) {
  expect_same("expected.safetensors", "expected.safetensors");
}

TEST(Weights, ADefectIsOneMessage) {
  const TemporaryFolder folder;
  const auto path = folder.file("model.pt");
  std::ofstream(path, std::ios::binary) << "PK\x03\x04 and nothing else";
  try {
    open_weights(path);
    FAIL();
  } catch (const FormatError& error) {
    EXPECT_NE(std::string(error.what()).find("truncated"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("model.pt"), std::string::npos) << error.what();
  }
  EXPECT_THROW(open_weights(folder.file("absent.pt")), UsageError);
  EXPECT_THROW(open_weights(folder.path()), FormatError);
}

TEST(Weights, ALoaderThatBreaksDownIsOneMessage) {
  const TemporaryFolder folder;
  const auto program = folder.file("loader");
  for (const std::string script : {"kill -SEGV $$", "kill -ABRT $$", "kill -SYS $$", "exit 9", "exit 0"}) {
    std::ofstream(program) << "#!/bin/sh\n" << script << "\n";
    std::filesystem::permissions(program, std::filesystem::perms::owner_all);
    EXPECT_THROW(open_weights(kData / "zip.pt", {.format = {}, .values = true, .loader = program}),
                 FormatError)
        << script;
  }
  EXPECT_THROW(open_weights(kData / "zip.pt", {.format = {}, .values = true, .loader = folder.file("none")}),
               StorageError);
}

// ---- pickles
std::string refusal(const std::string& bytes) {
  try {
    read_pickle(bytes, "f");
  } catch (const FormatError& error) {
    return error.what();
  }
  return "";
}

TEST(Pickle, BuildsPlainValues) {
  // {"a": [1, -2.5, None], 7: (True, "é")}, protocol 2
  constexpr char kBytes[] =
      "\x80\x02}(X\x01\0\0\0a](K\x01G\xc0\x04\0\0\0\0\0\0NeK\x07\x88X\x02\0\0\0\xc3\xa9\x86u.";
  const std::string bytes(kBytes, sizeof(kBytes) - 1);
  const Pickle pickle = read_pickle(bytes, "f");
  const PickleValue& root = pickle[pickle.root()];
  ASSERT_EQ(root.kind, PickleKind::dict);
  ASSERT_EQ(root.items.size(), 4U);
  EXPECT_EQ(pickle[root.items[0]].text, "a");
  const PickleValue& list = pickle[root.items[1]];
  ASSERT_EQ(list.items.size(), 3U);
  EXPECT_EQ(pickle[list.items[0]].integer, 1);
  EXPECT_EQ(pickle[list.items[1]].real, -2.5);
  EXPECT_EQ(pickle[list.items[2]].kind, PickleKind::none);
  EXPECT_EQ(pickle[pickle[root.items[3]].items[1]].text, "\xc3\xa9");
  EXPECT_EQ(pickle.size_bytes(), bytes.size());
}

TEST(Pickle, CallsOfNamesOffTheListAreNamed) {
  EXPECT_NE(refusal("cos\nsystem\n(S'id'\ntR.").find("os.system"), std::string::npos);
  EXPECT_NE(refusal("cmy.module\nrun\n(tR.").find("my.module.run"), std::string::npos);
  EXPECT_NE(refusal("(S'id'\nios\nsystem\n.").find("os.system"), std::string::npos);
  // Never called, but Python's own: refused all the same. Somebody's class: opaque.
  EXPECT_NE(refusal("cos\nsystem\n.").find("os.system"), std::string::npos);
  EXPECT_EQ(refusal("cmy.module\nThing\n."), "");
  EXPECT_EQ(refusal("\x80\x02"
                    "cmy.module\nThing\n)\x81."),
            "");
}

TEST(Pickle, OnlyExactPairsAreAllowed) {
  for (const char* const name :
       {"torch._utils.x\n_rebuild_tensor_v2", "torch\n_rebuild_tensor_v2", "Collections\nOrderedDict",
        "collections \nOrderedDict", "collections\nOrderedDict.fromkeys"}) {
    EXPECT_NE(refusal("c" + std::string(name) + "\n(tR."), "") << name;
  }
  EXPECT_EQ(refusal("ccollections\nOrderedDict\n(tR."), "");
}

TEST(Pickle, DepthAndRingsAreRefused) {
  EXPECT_NE(refusal(std::string(2000, ']') + std::string(1999, 'a') + ".").find("deep"), std::string::npos);
  EXPECT_NE(refusal("\x80\x02]q\x00h\x00"
                    "a.")
                .size(),
            0U);
  EXPECT_NE(refusal(std::string("]p0\ng0\na.")).find("itself"), std::string::npos);
}

}  // namespace
}  // namespace mog::io
