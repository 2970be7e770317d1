// Weights of other programs: real files give the values that their own programs gave, wrong ones a message.
#include <gtest/gtest.h>
#include <algorithm>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "io/checkpoint/safetensors.h"
#include "io/checkpoint/weights_file.h"
#include "io/recording/errors.h"
#include "tests/support/places.h"
#include "tests/support/temporary_folder.h"

namespace mog::io {
namespace {

using test::TemporaryFolder;

const std::filesystem::path kData = mog::test::data_dir() / "weights";

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

TEST(Weights, TiedTensorsAreReadInTheSamePlace) {
  const WeightsFile weights = open_weights(kData / "zip.pt");
  ASSERT_TRUE(weights.read_in_place("model.plain"));
  ASSERT_TRUE(weights.read_in_place("model.tied"));
  EXPECT_EQ(weights.read("model.tied").to_floats(), weights.read("model.plain").to_floats());
  EXPECT_FALSE(weights.read_in_place("model.transposed"));
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

}  // namespace
}  // namespace mog::io
