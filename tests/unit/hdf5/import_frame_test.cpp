// The frames between mog-loader and mog: whole streams, and streams that are cut, changed or made to lie.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "io/hdf5/import/import_frame.h"
#include "io/recording/errors.h"
#include "tests/unit/hdf5/import_streams.h"

namespace mog::io {
namespace {

TEST(ImportFrames, CarryEverything) {
  const Bytes bytes = sound_stream();
  ImportStream stream(reading(bytes), "maps.h5");
  const ImportPlan& plan = stream.begin();
  EXPECT_EQ(plan.layers, 2);
  EXPECT_EQ(plan.sentences.size(), 2U);
  EXPECT_EQ(stream.attributes().at("model"), "toy");
  EXPECT_EQ(stream.notes(), std::vector<std::string>{"a note"});
  const auto sentence = stream.next_sentence();
  ASSERT_TRUE(sentence);
  EXPECT_EQ(sentence->tokens, (std::vector<std::string>{"wört", "wört"}));
  EXPECT_FALSE(sentence->text);
  const auto array = stream.next_array();
  ASSERT_TRUE(array);
  EXPECT_EQ(array->layer, 1);
  std::vector<double> values;
  for (auto next = stream.next_values(); !next.empty(); next = stream.next_values()) {
    values.insert(values.end(), next.begin(), next.end());
  }
  EXPECT_EQ(values, (std::vector<double>{0.5, 0.5, 0.5, 0.5}));
  EXPECT_TRUE(stream.next_sentence());  // what was not read is passed over
  EXPECT_FALSE(stream.next_sentence());
}

TEST(ImportFrames, AnyFirstSentence) {
  const Bytes bytes = stream_of([](ImportWriter& out) {
    out.hello();
    out.plan(small_plan());
    write_sentence(out, small_plan(), 1);
    out.end();
  });
  EXPECT_EQ(read_all(bytes), std::vector<std::int64_t>{8});
}

// CRC-32 of the 16 bytes before it, from Python: zlib.crc32(b"MOGI" + struct.pack("<IQ", 11, 0)).
TEST(ImportFrames, EmptyFramesAreSignedToo) {
  const Bytes bytes = stream_of([](ImportWriter& out) { out.end(); });
  ASSERT_EQ(bytes.size(), kFrameHeaderBytes);
  std::uint32_t sum = 0;
  std::memcpy(&sum, bytes.data() + 16, 4);
  EXPECT_EQ(sum, 0x3A02256AU);
}

TEST(ImportFrames, EveryTruncationIsNoticed) {
  const Bytes bytes = sound_stream();
  EXPECT_EQ(read_all(bytes), (std::vector<std::int64_t>{3, 8}));
  for (std::size_t keep = 0; keep < bytes.size(); ++keep) {
    EXPECT_NE(refusal(Bytes(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(keep))), "") << keep;
  }
}

TEST(ImportFrames, EveryChangedByteIsNoticed) {
  const Bytes sound = sound_stream();
  for (std::size_t at = 0; at < sound.size(); ++at) {
    Bytes bytes = sound;
    bytes[at] ^= std::byte{0x10};
    EXPECT_NE(refusal(bytes), "") << at;
  }
}

// As from a loader that a file has taken over: the checksums hold, the contents lie.
TEST(ImportFrames, ChangedAndSignedAgainNeverReadsPastItsFrames) {
  const Bytes sound = sound_stream();
  std::vector<std::size_t> frames;
  for (std::size_t at = 0; at < sound.size();) {
    frames.push_back(at);
    std::uint64_t size = 0;
    std::memcpy(&size, sound.data() + at + 8, 8);
    at += kFrameHeaderBytes + static_cast<std::size_t>(size);
  }
  std::size_t refused = 0;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    const std::size_t end = i + 1 < frames.size() ? frames[i + 1] : sound.size();
    for (std::size_t at = frames[i] + kFrameHeaderBytes; at < end; ++at) {
      for (const unsigned value : {0x00U, 0x01U, 0x7FU, 0xFFU}) {
        Bytes bytes = sound;
        bytes[at] = static_cast<std::byte>(value);
        sign(bytes, frames[i]);
        refused += refusal(bytes).empty() ? 0U : 1U;
      }
    }
  }
  EXPECT_GT(refused, 100U);
}

TEST(ImportFrames, LyingLengthsAreRefusedBeforeMemoryIsTaken) {
  for (const std::uint64_t size : {std::uint64_t{1} << 62U, std::uint64_t{1} << 33U, ~std::uint64_t{0}}) {
    Bytes bytes = sound_stream();
    std::memcpy(bytes.data() + 8, &size, 8);
    EXPECT_NE(refusal(bytes).find("at most"), std::string::npos) << size;
  }
}

TEST(ImportFrames, LyingCountsAreRefused) {
  const Bytes bytes = stream_of([](ImportWriter& out) {
    out.hello();
    ImportPlan plan = small_plan();
    plan.sentences[0].tokens = kMostImportTokens + 1;
    out.plan(plan);
  });
  EXPECT_NE(refusal(bytes), "");
  const Bytes heads = stream_of([](ImportWriter& out) {
    out.hello();
    ImportPlan plan = small_plan();
    plan.heads = std::int64_t{1} << 40U;
    out.plan(plan);
  });
  EXPECT_NE(refusal(heads).find("cannot be"), std::string::npos);
  const Bytes tokens = stream_of([](ImportWriter& out) {
    out.hello();
    out.plan(small_plan());
    out.sentence(0);
    out.text(ImportText::tokens, {"one", "two", "three"});
    out.end();
  });
  EXPECT_NE(refusal(tokens).find("2 tokens"), std::string::npos);
}

TEST(ImportFrames, OrderAndAmountOfArraysAreThePlans) {
  const auto with = [](auto write) {
    return refusal(stream_of([&](ImportWriter& out) {
      out.hello();
      out.plan(small_plan());
      out.sentence(0);
      out.text(ImportText::tokens, {"a", "b"});
      write(out);
      out.end();
    }));
  };
  const std::vector<float> four(4, 0.5F);
  EXPECT_NE(with([](ImportWriter&) {}), "");
  EXPECT_NE(with([&](ImportWriter& out) {
              out.array(ImportArray::attention, 2, ImportType::float32);
              out.data(bytes_of(four));
            }).find("attention of layer 1"),
            std::string::npos);
  EXPECT_NE(with([&](ImportWriter& out) {
              out.array(ImportArray::attention, 1, ImportType::float64);
              out.data(bytes_of(std::vector<double>(5, 0.2)));
            }).find("other data"),
            std::string::npos);
  EXPECT_NE(with([&](ImportWriter& out) {
              out.array(ImportArray::attention, 1, ImportType::integer);
              out.data(bytes_of(four));
            }),
            "");
  EXPECT_NE(with([&](ImportWriter& out) {
              out.array(ImportArray::attention, 1, ImportType::float32);
              out.data(bytes_of(four));  // one layer of two
            }),
            "");
}

TEST(ImportFrames, TheLoadersErrorIsTheError) {
  const Bytes bytes = stream_of([](ImportWriter& out) {
    out.hello();
    out.error("importing maps.h5: /3: it is \xff damaged");
  });
  EXPECT_EQ(refusal(bytes), "importing maps.h5: /3: it is \xEF\xBF\xBD damaged");
}

TEST(ImportFrames, AnotherVersionIsNamed) {
  Bytes bytes = sound_stream();
  bytes[kFrameHeaderBytes] = std::byte{9};
  sign(bytes, 0);
  EXPECT_NE(refusal(bytes).find("version"), std::string::npos);
}

}  // namespace
}  // namespace mog::io
