// Files of torch.save, made opcode by opcode: what the pickle says of a tensor is held against its storage,
// and what an archive or the older form says twice against itself.
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "io/checkpoint/plain_weights.h"
#include "io/recording/errors.h"
#include "tests/support/pickle_bytes.h"
#include "tests/support/weights_bytes.h"

namespace mog::io {
namespace {

using namespace std::string_literals;
using test::KeepingSink;
using test::little_endian;
using test::MemoryFile;
using test::zip_of;
using namespace test::pickle;

const std::string kFourFloats = little_endian(0x3F800000, 4) + little_endian(0x40000000, 4) +
                                little_endian(0x40400000, 4) + little_endian(0x40800000, 4);

// What torch.save writes since 1.6.
std::map<std::string, std::string> zipped(const std::string& object) {
  return {{"a/data.pkl", pickled(object)},
          {"a/version", "3\n"},
          {"a/byteorder", "little"},
          {"a/data/0", kFourFloats}};
}

// What it wrote before, part by part.
struct Legacy {
  std::string magic = "\x8a\x0a\x6C\xFC\x9C\x46\xF9\x20\x6A\xA8\x50\x19"s;
  std::string protocol = whole(1001);
  std::string system = dictionary({text("protocol_version"), whole(1001), text("little_endian"), "\x88"});
  std::string object = dictionary({text("w"), Tensor().call()});
  std::string keys = "](" + text("0") + "e";
  std::string storages = little_endian(4, 8) + kFourFloats;

  std::string bytes() const {
    return pickled(magic) + pickled(protocol) + pickled(system) + pickled(object) + pickled(keys) + storages;
  }
};

KeepingSink& read(const std::string& bytes, KeepingSink& sink) {
  MemoryFile memory;
  const InputFile file = memory.holding(bytes);
  translate_weights(file, WeightsFormat::torch, sink);
  return sink;
}

void expect_refused(const std::string& bytes, const std::string& words) {
  KeepingSink sink;
  try {
    read(bytes, sink);
    ADD_FAILURE() << "read, expected: " << words;
  } catch (const FormatError& error) {
    EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << words << ": " << error.what();
    EXPECT_EQ(std::string(error.what()).find("mutant: "), 0U) << error.what();
  }
}

struct TensorCase {
  const char* words;
  std::function<void(Tensor&)> change;
};

TEST(TorchFiles, ASoundTensorIsRead) {
  KeepingSink zip;
  read(zip_of(zipped(dictionary({text("w"), Tensor().call()}))), zip);
  ASSERT_EQ(zip.plain.tensors.size(), 1U);
  EXPECT_EQ(zip.plain.tensors[0].shape, (std::vector<std::int64_t>{2, 2}));
  EXPECT_EQ(zip.of("w"), kFourFloats);
  KeepingSink legacy;
  read(Legacy().bytes(), legacy);
  EXPECT_EQ(legacy.of("w"), kFourFloats);
}

TEST(TorchFiles, AloneAndInListsTensorsHaveNames) {
  KeepingSink alone;
  EXPECT_EQ(read(zip_of(zipped(Tensor().call())), alone).of("tensor"), kFourFloats);
  KeepingSink nested;
  Tensor column;
  column.offset = whole(1);
  column.shape = wholes({2, 1});
  const std::string object = dictionary(
      {whole(7), "(" + whole(5) + Tensor().call() + "t", text("list"), "](" + column.call() + "Ne"});
  read(zip_of(zipped(object)), nested);
  EXPECT_EQ(nested.of("7.1"), kFourFloats);
  EXPECT_EQ(nested.of("list.0"), kFourFloats.substr(4, 4) + kFourFloats.substr(12, 4));
}

TEST(TorchFiles, OlderAndNewerCallsGiveTheSame) {
  Tensor first;
  first.function = "ctorch._utils\n_rebuild_tensor\n";
  first.rest = {};
  Tensor third;  // of bytes, with a type of its own
  third.type = torch("UntypedStorage");
  third.elements = whole(16);
  third.function = "ctorch._utils\n_rebuild_tensor_v3\n";
  third.rest = {kFalse, kHooks, torch("float32")};
  Tensor listed;  // a size that is a list
  listed.shape = "](" + whole(2) + whole(2) + "e";
  for (const Tensor& tensor : {first, third, listed}) {
    KeepingSink sink;
    EXPECT_EQ(read(zip_of(zipped(dictionary({text("w"), tensor.call()}))), sink).of("w"), kFourFloats);
  }
}

// Strides over elements of every width, of stored and of compressed storages.
TEST(TorchFiles, TransposedViewsAreGathered) {
  const std::vector<std::pair<std::string, std::size_t>> types = {
      {"ByteStorage", 1}, {"ShortStorage", 2}, {"IntStorage", 4}, {"LongStorage", 8}};
  for (const auto& [type, width] : types) {
    Tensor tensor;
    tensor.type = torch(type);
    tensor.elements = whole(6);
    tensor.shape = wholes({3, 2});
    tensor.strides = wholes({1, 3});
    std::string stored;
    std::string wanted;
    for (std::uint64_t i = 0; i < 6; ++i) {
      stored += little_endian(i, width);
      wanted += little_endian(i / 2 + i % 2 * 3, width);
    }
    auto entries = zipped(dictionary({text("w"), tensor.call()}));
    entries["a/data/0"] = stored;
    for (const bool deflate : {false, true}) {
      KeepingSink sink;
      EXPECT_EQ(read(zip_of(entries, deflate), sink).of("w"), wanted) << type << deflate;
    }
  }
}

TEST(TorchFiles, EqualViewsAreOneTensor) {
  KeepingSink sink;
  read(zip_of(zipped(dictionary({text("w"), Tensor().call(), text("tied"), Tensor().call()}))), sink);
  EXPECT_EQ(sink.plain.tensors.size(), 1U);
  EXPECT_EQ(sink.plain.aliases, (std::map<std::string, std::string>{{"tied", "w"}}));
}

// Where a file has them as they are, `mog` reads them itself.
TEST(TorchFiles, ContiguousTensorsStayWhereTheyAre) {
  Tensor lower;
  lower.offset = whole(2);
  lower.shape = wholes({2});
  lower.strides = wholes({1});
  Tensor turned;
  turned.strides = wholes({1, 2});
  Tensor truths;  // BOOL: no type of the host
  truths.type = torch("BoolStorage");
  truths.key = text("1");
  const std::string object = dictionary({text("w"), Tensor().call(), text("lower"), lower.call(),
                                         text("turned"), turned.call(), text("truths"), truths.call()});
  auto entries = zipped(object);
  entries["a/data/1"] = "\1\0\1\0"s;
  Legacy legacy;
  legacy.object = object;
  legacy.keys = "](" + text("0") + text("1") + "e";
  legacy.storages += little_endian(4, 8) + entries["a/data/1"];
  for (const std::string& bytes : {zip_of(entries), legacy.bytes()}) {
    KeepingSink sink;
    read(bytes, sink);
    std::map<std::string, std::string> found;
    for (const PlainTensor& tensor : sink.plain.tensors) {
      EXPECT_TRUE(tensor.blocks.empty());
      if (tensor.place) {
        found[tensor.name] = bytes.substr(static_cast<std::size_t>(*tensor.place),
                                          static_cast<std::size_t>(tensor.size_bytes));
      }
    }
    EXPECT_EQ(found,
              (std::map<std::string, std::string>{{"w", kFourFloats}, {"lower", kFourFloats.substr(8)}}));
  }
  KeepingSink sink;
  read(zip_of(entries, true), sink);
  for (const PlainTensor& tensor : sink.plain.tensors) {
    EXPECT_FALSE(tensor.place) << tensor.name;
  }
}

TEST(TorchFiles, TensorsThatDoNotFitTheirStorage) {
  const std::int64_t huge = std::int64_t{1} << 62;
  const std::vector<TensorCase> cases = {
      {"is given 4 arguments, expected 6", [](Tensor& tensor) { tensor.rest = {}; }},
      {"is given 8 arguments, expected 6", [](Tensor& tensor) { tensor.rest = {"NNNN"}; }},
      {"is given 5 arguments, expected 4",
       [](Tensor& tensor) {
         tensor.function = "ctorch._utils\n_rebuild_tensor\n";
         tensor.rest = {"N"};
       }},
      {"is given an unknown type of elements",
       [](Tensor& tensor) {
         tensor.function = "ctorch._utils\n_rebuild_tensor_v3\n";
         tensor.rest = {"NNN"};
       }},
      {"is given an unknown type of elements",
       [](Tensor& tensor) {
         tensor.function = "ctorch._utils\n_rebuild_tensor_v3\n";
         tensor.rest = {"NN", torch("complex64")};
       }},
      {"its elements have no type", [](Tensor& tensor) { tensor.type = torch("UntypedStorage"); }},
      {"its storage would have 4611686018427387904 elements",
       [&](Tensor& tensor) { tensor.elements = whole(huge); }},
      {"the offset is no whole number", [](Tensor& tensor) { tensor.offset = "N"; }},
      {"the offset is negative: -1", [](Tensor& tensor) { tensor.offset = whole(-1); }},
      {"the size is no tuple", [](Tensor& tensor) { tensor.shape = whole(4); }},
      {"the stride is no whole number",
       [](Tensor& tensor) {
         tensor.strides = tuple({"N", "N"});
       }},
      {"65 dimensions, at most 64",
       [](Tensor& tensor) { tensor.shape = wholes(std::vector<std::int64_t>(65, 1)); }},
      {"2 sizes but 1 strides", [](Tensor& tensor) { tensor.strides = wholes({1}); }},
      {"size [2, 3], stride [3, 1] and offset 0 do not fit its storage of 4 elements",
       [](Tensor& tensor) {
         tensor.shape = wholes({2, 3});
         tensor.strides = wholes({3, 1});
       }},
      {"do not fit its storage", [](Tensor& tensor) { tensor.offset = whole(1); }},
      {"do not fit its storage",
       [](Tensor& tensor) {
         tensor.shape = wholes({5, 5});
         tensor.strides = wholes({0, 0});
       }},
      {"do not fit its storage",
       [](Tensor& tensor) {
         tensor.shape = wholes({0, 2});
         tensor.offset = whole(5);
       }},
      {"do not fit its storage",
       [&](Tensor& tensor) {
         tensor.shape = wholes({huge, 4, 0});
         tensor.strides = wholes({1, 1, 1});
       }},
      {"do not fit its storage",
       [&](Tensor& tensor) {
         tensor.strides = wholes({huge, huge});
       }},
      {"do not fit its storage",
       [&](Tensor& tensor) {
         tensor.shape = wholes({3, 1});
         tensor.strides = wholes({huge, 1});
       }},
      {"persistent id is of kind \"module\"", [](Tensor& tensor) { tensor.kind = text("module"); }},
      {"persistent id is of kind \"\"", [](Tensor& tensor) { tensor.kind = whole(1); }},
      {"no persistent id of five or six parts", [](Tensor& tensor) { tensor.view = {"NN"}; }},
      {"its storage has no class", [](Tensor& tensor) { tensor.type = text("FloatStorage"); }},
      {"the storage class torch.ComplexFloatStorage is not known",
       [](Tensor& tensor) { tensor.type = torch("ComplexFloatStorage"); }},
      {"the key of its storage is no text", [](Tensor& tensor) { tensor.key = whole(0); }},
      {"the key of its storage is no text", [](Tensor& tensor) { tensor.key = text(""); }},
      {"the number of elements of its storage is no whole number",
       [](Tensor& tensor) { tensor.elements = whole(-4); }},
      {"the number of elements of its storage is no whole number",
       [](Tensor& tensor) { tensor.elements = "N"; }},
      {"its storage is a view of another", [](Tensor& tensor) { tensor.view = {wholes({1})}; }},
      {"its storage 7 is not in the file", [](Tensor& tensor) { tensor.key = text("7"); }},
      {"its storage 0 has 16 bytes, expected 20", [](Tensor& tensor) { tensor.elements = whole(5); }}};
  for (const auto& [words, change] : cases) {
    Tensor tensor;
    change(tensor);
    expect_refused(zip_of(zipped(dictionary({text("w"), tensor.call()}))), "tensor \"w\": ");
    expect_refused(zip_of(zipped(dictionary({text("w"), tensor.call()}))), words);
  }
  Tensor view;
  view.view = {"N"};  // no view: read
  KeepingSink sink;
  EXPECT_EQ(read(zip_of(zipped(view.call())), sink).of("tensor"), kFourFloats);
}

TEST(TorchFiles, ObjectsThatAreNoWeights) {
  const auto refused = [](const std::string& object, const std::string& words) {
    expect_refused(zip_of(zipped(object)), words);
  };
  refused("cmy\nModel\n)\x81", "a whole object of the class my.Model, whose code would have to be run");
  refused(dictionary({text("a"), whole(1)}), "there is no tensor in it");
  refused("N", "there is no tensor in it");
  refused(dictionary({text("optimizer"), dictionary({text("m"), Tensor().call()})}),
          "all its tensors belong to an optimizer");
  refused(dictionary({text("w"), Tensor().call(), text("w"), Tensor().call()}),
          "tensor \"w\": the name is there twice");
  refused(dictionary({text("w.v"), Tensor().call(), text("w"), dictionary({text("v"), Tensor().call()})}),
          "tensor \"w.v\": two tensors have this name");
  refused(dictionary({text("w"), dictionary({"N", Tensor().call()})}),
          "tensor \"w\": a key below it is no text");
  refused(dictionary({text(""), Tensor().call()}), "a key below it is no text");
  refused(dictionary({text("a\0b"s), Tensor().call()}), "a key below it is no text");
  refused(dictionary({text(std::string(5'000, 'n')), Tensor().call()}), "nested too deep or too often");
  std::string deep = Tensor().call();
  for (int i = 0; i < 70; ++i) {
    deep = dictionary({text("d"), deep});
  }
  refused(deep, "nested too deep or too often");
  refused(
      "ctorch._utils\n_rebuild_tensor_v2\n(" + joined({"N", whole(0), wholes({}), wholes({}), "NN"}) + "tR",
      "is given no storage");
  Tensor other;
  other.elements = whole(3);
  other.shape = wholes({3});
  other.strides = wholes({1});
  refused(dictionary({text("w"), Tensor().call(), text("v"), other.call()}),
          "storage 0 is described in two ways");
}

// Data beside the weights, as describing a model shows it.
TEST(TorchFiles, WhatStandsBesideTheWeightsIsKept) {
  const std::string state = "cmy\nOptions\n)\x81" + tuple({"N", dictionary({text("slot"), whole(2)})}) + "b";
  const std::string odd = "cmy\nOptions\n)\x81" + text("odd") + "b";
  const std::string object = dictionary({text("w"),     Tensor().call(),
                                         text("state"), state,
                                         text("odd"),   odd,
                                         text("names"), "\x8f(" + text("a") + text("b") + "\x90",
                                         text("set"),   "cbuiltins\nset\n((" + whole(1) + "ltR",
                                         whole(3),      "N",
                                         "N",           whole(4),
                                         text("bytes"), "C\x01z",
                                         text("type"),  torch("float16"),
                                         text("only"),  "(" + Tensor().call() + "t"});
  KeepingSink sink;
  const auto data = nlohmann::json::parse(read(zip_of(zipped(object)), sink).plain.metadata)["data"];
  EXPECT_EQ(data, nlohmann::json::parse(R"({"state": {"__class__": "my.Options", "slot": 2},
    "odd": {"__class__": "my.Options", "__state__": "odd"}, "names": ["a", "b"], "set": [1], "3": null,
    "type": "torch.float16"})"));
  KeepingSink large;
  const std::string much =
      dictionary({text("w"), Tensor().call(), text("much"), text(std::string(2'000'000, 'x'))});
  EXPECT_NE(read(zip_of(zipped(much)), large).plain.metadata.find("more than 1 MiB"), std::string::npos);
  // Beyond 32 levels what is below is left out.
  std::string deep = text("bottom");
  for (int i = 0; i < 40; ++i) {
    deep = dictionary({text("d"), deep});
  }
  KeepingSink shallow;
  const std::string metadata =
      read(zip_of(zipped(dictionary({text("w"), Tensor().call(), text("deep"), deep}))), shallow)
          .plain.metadata;
  EXPECT_EQ(metadata.find("bottom"), std::string::npos) << metadata;
}

TEST(TorchFiles, ArchivesThatTorchDidNotWrite) {
  const std::string object = dictionary({text("w"), Tensor().call()});
  const auto refused = [&](const std::string& words,
                           const std::function<void(std::map<std::string, std::string>&)>& change) {
    auto entries = zipped(object);
    change(entries);
    expect_refused(zip_of(entries), words);
  };
  using Entries = std::map<std::string, std::string>;
  refused("holds \"b/x\" beside \"a/\"", [](Entries& entries) { entries["b/x"] = ""; });
  refused("holds \"zzz\" beside \"a/\"", [](Entries& entries) { entries["zzz"] = ""; });
  refused("it is a TorchScript archive", [](Entries& entries) { entries["a/constants.pkl"] = ""; });
  refused("it is a TorchScript archive", [](Entries& entries) { entries["a/code/x.py"] = ""; });
  refused("has no a/data.pkl", [](Entries& entries) { entries.erase("a/data.pkl"); });
  refused("the zip archive has no data.pkl", [](Entries& entries) { entries.clear(); });
  for (const char* const version : {"", "x", "12345", "3 beta"}) {
    refused("the version record is \"" + std::string(version) + "\"",
            [&](Entries& entries) { entries["a/version"] = version; });
  }
  refused("the byteorder record says \"big\"", [](Entries& entries) { entries["a/byteorder"] = "big"; });
  refused("its storage 0 is not in the file", [](Entries& entries) { entries.erase("a/data/0"); });
  refused("element 2 is NaN or infinite", [](Entries& entries) {
    entries["a/data/0"] = kFourFloats.substr(0, 4) + little_endian(0x7FC00000, 4) + kFourFloats.substr(0, 8);
  });
  auto entries = zipped(object);
  entries.erase("a/version");  // torch.save of 1.6 wrote neither
  entries.erase("a/byteorder");
  entries["a/more"] = "of no tensor";
  KeepingSink sink;
  EXPECT_EQ(read(zip_of(entries), sink).of("w"), kFourFloats);
}

TEST(TorchFiles, TheOlderFormIsHeldAgainstItself) {
  const auto refused = [](const std::string& words, const std::function<void(Legacy&)>& change) {
    Legacy file;
    change(file);
    expect_refused(file.bytes(), words);
  };
  refused("it begins with a pickle of plain data, not a file of torch.save",
          [](Legacy& file) { file.magic = whole(1); });
  refused("it begins with a pickle of an object", [](Legacy& file) { file.magic = "cmy\nModel\n)\x81"; });
  expect_refused(pickled(dictionary({})), "it is a pickle of plain data");
  refused("protocol 1000, expected 1001", [](Legacy& file) { file.protocol = whole(1000); });
  refused("protocol that is no number", [](Legacy& file) { file.protocol = "N"; });
  refused("the description of the system is no dictionary", [](Legacy& file) { file.system = "N"; });
  for (const std::string& value : {kFalse, "N"s, whole(1)}) {
    refused("of another byte order", [&](Legacy& file) {
      file.system = dictionary({text("little_endian"), value});
    });
  }
  refused("the keys of the storages are no list", [](Legacy& file) { file.keys = "N"; });
  refused("a key of the storages is no text", [](Legacy& file) { file.keys = "(" + whole(0) + "l"; });
  refused("its storage 0 is not in the list of keys", [](Legacy& file) { file.keys = "]"; });
  refused("storage 1 is in the list of keys, but nothing refers to it",
          [](Legacy& file) { file.keys = "](" + text("1") + text("0") + "e"; });
  refused("storage 0 is there twice", [](Legacy& file) {
    file.keys = "](" + text("0") + text("0") + "e";
    file.storages += file.storages;
  });
  refused("3 bytes after the last storage", [](Legacy& file) { file.storages += "end"; });
  refused("truncated: storage 0 should begin at byte", [](Legacy& file) { file.storages = "end"; });
  refused("storage 0 has 5 elements, its tensors expect 4",
          [](Legacy& file) { file.storages = little_endian(5, 8) + kFourFloats; });
  refused("truncated: storage 0 has 4 elements, 12 bytes are left",
          [](Legacy& file) { file.storages.resize(8 + 12); });
  for (std::size_t parts = 1; parts < 5; ++parts) {
    const Legacy file;
    const Parts all = {file.magic, file.protocol, file.system, file.object, file.keys};
    std::string bytes;
    for (std::size_t i = 0; i < parts; ++i) {
      bytes += pickled(all[i]);
    }
    expect_refused(bytes, "the file is truncated: ");
  }
}

TEST(TorchFiles, OtherFilesAreToldApart) {
  expect_refused("", "the file is empty, expected a PyTorch file");
  std::string tar(600, '\0');
  tar.replace(257, 5, "ustar");
  expect_refused(tar, "it is a tar archive, as PyTorch before 0.1.10 wrote them");
  expect_refused("<!DOCTYPE html><html><body>", "expected a PyTorch file; ");
}

}  // namespace
}  // namespace mog::io
