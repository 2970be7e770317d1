// What mog takes of a loader's answer: each frame that is not what must come next is refused by its words.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "io/hdf5/import/import_frame.h"
#include "io/recording/errors.h"
#include "io/recording/host_tensor.h"
#include "tests/unit/hdf5/import_streams.h"

namespace mog::io {
namespace {

// A frame with the right checksum whatever it holds: what a loader that was taken over may send.
Bytes signed_frame(std::uint32_t kind, const Bytes& payload) {
  Bytes bytes(kFrameHeaderBytes);
  const std::uint32_t magic = 0x49474F4DU;
  const std::uint64_t size = payload.size();
  std::memcpy(bytes.data(), &magic, 4);
  std::memcpy(bytes.data() + 4, &kind, 4);
  std::memcpy(bytes.data() + 8, &size, 8);
  bytes.insert(bytes.end(), payload.begin(), payload.end());
  sign(bytes, 0);
  return bytes;
}

Bytes signed_frame(ImportFrame kind, const Bytes& payload) {
  return signed_frame(static_cast<std::uint32_t>(kind), payload);
}

template <class T>
void put(Bytes& bytes, T value) {
  const auto raw = std::as_bytes(std::span(&value, 1));
  bytes.insert(bytes.end(), raw.begin(), raw.end());
}

Bytes with_hello(const Bytes& rest) {
  Bytes bytes = stream_of([](ImportWriter& out) { out.hello(); });
  bytes.insert(bytes.end(), rest.begin(), rest.end());
  return bytes;
}

void expect_words(const Bytes& bytes, const char* words) {
  const std::string message = refusal(bytes);
  EXPECT_NE(message.find(words), std::string::npos) << message << "\nexpected: " << words;
}

TEST(ImportStreams, BeforeThePlanOnlyNotesAndAttributes) {
  expect_words(stream_of([](ImportWriter& out) { out.plan(small_plan()); }),
               "does not begin with its version");
  expect_words(with_hello(stream_of([](ImportWriter& out) { out.end(); })),
               "a frame before the plan that does not belong there");
  expect_words(with_hello(stream_of([](ImportWriter& out) {
                 for (int i = 0; i < 101; ++i) {
                   out.note("again");
                 }
               })),
               "a frame before the plan that does not belong there");
  expect_words(with_hello(stream_of([](ImportWriter& out) {
                 for (int i = 0; i < 101; ++i) {
                   out.attribute("name " + std::to_string(i), "text");
                 }
               })),
               "a frame before the plan that does not belong there");
  expect_words(with_hello(stream_of([](ImportWriter& out) { out.note("\xff"); })),
               "a text that is not UTF-8");
  expect_words(with_hello(signed_frame(ImportFrame::note, Bytes(3))), "an attribute is too short");
  Bytes note;
  put(note, std::uint32_t{0});
  put(note, std::uint8_t{1});
  expect_words(with_hello(signed_frame(ImportFrame::note, note)), "an attribute has 1 bytes too many");
  expect_words(with_hello(signed_frame(13U, {})), "no frame where one is due");
  expect_words(with_hello(signed_frame(0U, {})), "no frame where one is due");
}

TEST(ImportStreams, APlanThatCannotBeIsRefused) {
  const auto refused = [](void (*change)(ImportPlan&)) {
    ImportPlan plan = small_plan();
    change(plan);
    return refusal(with_hello(stream_of([&](ImportWriter& out) { out.plan(plan); })));
  };
  for (void (*const change)(ImportPlan&) :
       {+[](ImportPlan& plan) { plan.layers = 0; }, +[](ImportPlan& plan) { plan.layers = 1'001; },
        +[](ImportPlan& plan) { plan.heads = 0; }, +[](ImportPlan& plan) { plan.hidden = true; },
        +[](ImportPlan& plan) { plan.d_model = -1; }, +[](ImportPlan& plan) { plan.d_model = 1 << 21; },
        +[](ImportPlan& plan) { plan.plain_first = true; },
        +[](ImportPlan& plan) {
          plan.graph = plan.plain_first = true;
          plan.layers = 1;
        },
        +[](ImportPlan& plan) { plan.gate = true; },
        +[](ImportPlan& plan) {
          plan.gate_vectors = true;
          plan.d_model = 8;
        }}) {
    EXPECT_NE(refused(change).find("a plan that cannot be"), std::string::npos) << refused(change);
  }
  EXPECT_NE(refused([](ImportPlan& plan) { plan.sentences.clear(); }).find("a plan without sentences"),
            std::string::npos);
  EXPECT_NE(refused([](ImportPlan& plan) {
              plan.sentences[1].number = 3;
            }).find("sentence 2 of the plan: number 3, 1 tokens"),
            std::string::npos);
  EXPECT_NE(refused([](ImportPlan& plan) {
              plan.sentences[0].tokens = 0;
            }).find("sentence 1 of the plan: number 3, 0 tokens"),
            std::string::npos);
  // A count that its bytes cannot hold.
  Bytes plan;
  put(plan, std::uint32_t{0});
  for (const std::int64_t value : {2, 1, 0}) {
    put(plan, value);
  }
  put(plan, ~std::uint64_t{0});
  expect_words(with_hello(signed_frame(ImportFrame::plan, plan)),
               "the plan claims 18446744073709551615 entries in 0 bytes");
}

TEST(ImportStreams, AfterThePlanSentencesInOrder) {
  const auto with = [](auto write) {
    return refusal(stream_of([&](ImportWriter& out) {
      out.hello();
      out.plan(small_plan());
      write(out);
      out.end();
    }));
  };
  EXPECT_NE(with([](ImportWriter& out) { out.note("late"); }).find("no sentence where one is due"),
            std::string::npos);
  EXPECT_NE(with([](ImportWriter& out) { out.sentence(-1); }).find("sentence 0 of 2 is out of order"),
            std::string::npos);
  EXPECT_NE(with([](ImportWriter& out) { out.sentence(2); }).find("sentence 3 of 2 is out of order"),
            std::string::npos);
  EXPECT_NE(with([](ImportWriter& out) {
              write_sentence(out, small_plan(), 0);
              write_sentence(out, small_plan(), 0);
            }).find("sentence 1 of 2 is out of order"),
            std::string::npos);
  EXPECT_NE(with([](ImportWriter& out) {
              write_sentence(out, small_plan(), 0);
            }).find("it ends after 1 of 2 sentences"),
            std::string::npos);
  EXPECT_NE(with([](ImportWriter& out) {
              out.sentence(0);
              out.text(ImportText::tokens, {"a", "b"});
              out.integers(std::vector<std::int64_t>{1});
            }).find("sentence 1 has not the 2 tokens that were announced"),
            std::string::npos);
  EXPECT_NE(with([](ImportWriter& out) {
              out.sentence(0);
              out.text(ImportText::text, {"one", "two"});
            }).find("texts of an unknown kind"),
            std::string::npos);
  EXPECT_NE(with([](ImportWriter& out) {
              out.sentence(0);
              out.text(static_cast<ImportText>(7), {"one"});
            }).find("texts of an unknown kind"),
            std::string::npos);
  EXPECT_NE(with([](ImportWriter& out) {
              out.sentence(0);
              out.text(ImportText::tokens, {"a", "b"});
              out.array(ImportArray::hidden, 1, ImportType::float32);
            }).find("another array than attention of layer 1"),
            std::string::npos);
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{3}}) {
    EXPECT_NE(with([&](ImportWriter& out) {
                out.sentence(0);
                out.text(ImportText::tokens, {"a", "b"});
                out.array(ImportArray::attention, 1, ImportType::float32);
                out.data(Bytes(bytes));
              }).find("other data than were announced"),
              std::string::npos)
        << bytes;
  }
}

// What a sentence of every kind of value carries, in each type of numbers.
TEST(ImportStreams, CarryEveryKindOfValue) {
  ImportPlan plan;
  plan.graph = plan.gate = plan.gate_vectors = plan.hidden = plan.plain_first = true;
  plan.padded = plan.counted_from_0 = true;
  plan.layers = 2;
  plan.heads = 1;
  plan.d_model = 2;
  plan.sentences = {{1, 1, "/"}};
  const Bytes bytes = stream_of([&](ImportWriter& out) {
    out.hello();
    out.plan(plan);
    out.sentence(0);
    out.text(ImportText::tokens, {"un@@"});
    out.text(ImportText::words, {"un"});
    out.text(ImportText::text, {"Un"});
    out.integers(std::vector<std::int64_t>{1});
    const auto send = [&](ImportArray which, std::int64_t layer, ImportType type, auto value) {
      out.array(which, layer, type);
      out.data(bytes_of(std::vector<decltype(value)>(
          static_cast<std::size_t>(which == ImportArray::gate || which == ImportArray::hidden ? 2 : 1),
          value)));
    };
    send(ImportArray::high, 1, ImportType::float16, to_float16(0.5F));
    send(ImportArray::high, 2, ImportType::float16, to_float16(0.5F));
    send(ImportArray::middle1, 2, ImportType::float32, 1.0F);
    send(ImportArray::middle2, 2, ImportType::float32, 1.0F);
    send(ImportArray::gate, 2, ImportType::float64, 0.25);
    for (std::int64_t layer = 0; layer < 3; ++layer) {
      send(ImportArray::hidden, layer, ImportType::float64, -2.0);
    }
    out.end();
  });
  ImportStream stream(reading(bytes), "maps.h5");
  EXPECT_TRUE(stream.begin().padded && stream.plan().counted_from_0 && stream.plan().gate_vectors);
  const auto sentence = stream.next_sentence();
  ASSERT_TRUE(sentence);
  EXPECT_EQ(sentence->words, std::vector<std::string>{"un"});
  EXPECT_EQ(sentence->text, "Un");
  EXPECT_EQ(sentence->word_of_token, std::vector<std::int64_t>{1});
  std::vector<double> firsts;
  while (const auto array = stream.next_array()) {
    firsts.push_back(stream.next_values()[0]);
  }
  EXPECT_EQ(firsts, (std::vector<double>{0.5, 0.5, 1, 1, 0.25, -2, -2, -2}));
  EXPECT_FALSE(stream.next_sentence());
}

TEST(ImportStreams, TheWriterKeepsItsLimits) {
  try {
    stream_of([](ImportWriter& out) { out.attribute("model", std::string(70'000, 'x')); });
    ADD_FAILURE();
  } catch (const FormatError& error) {
    EXPECT_NE(std::string(error.what()).find("at most 65536 are allowed"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace mog::io
