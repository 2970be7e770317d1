// The reader of pickles, opcode by opcode: what each builds, drawn as Python would, and what each refuses.
#include "io/checkpoint/pickle.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <vector>

#include "io/recording/errors.h"

namespace mog::io {
namespace {

using namespace std::string_literals;

std::string drawn(const Pickle& pickle, PickleRef ref);

std::string drawn_items(const Pickle& pickle, const PickleValue& value) {
  std::string text;
  for (std::size_t i = 0; i < value.items.size(); ++i) {
    const bool of_key = value.kind == PickleKind::dict && i % 2 == 1;
    text += (i == 0 ? "" : of_key ? ": " : ", ") + drawn(pickle, value.items[i]);
  }
  return text;
}

std::string drawn(const Pickle& pickle, PickleRef ref) {
  const PickleValue& value = pickle[ref];
  switch (value.kind) {
    case PickleKind::none:
      return "None";
    case PickleKind::boolean:
      return value.integer != 0 ? "True" : "False";
    case PickleKind::integer:
      return std::to_string(value.integer);
    case PickleKind::long_integer:
      return fmt::format("long of {}", value.text.size());
    case PickleKind::real:
      return fmt::format("{}", value.real);
    case PickleKind::text:
      return fmt::format("'{}'", value.text);
    case PickleKind::bytes:
      return fmt::format("{} bytes", value.text.size());
    case PickleKind::tuple:
      return "(" + drawn_items(pickle, value) + ")";
    case PickleKind::list:
      return "[" + drawn_items(pickle, value) + "]";
    case PickleKind::dict:
      return "{" + drawn_items(pickle, value) + "}";
    case PickleKind::set:
      return "set(" + drawn_items(pickle, value) + ")";
    case PickleKind::name:
      return pickle.name(value).full();
    case PickleKind::object:
      return "<" + pickle.name(value).full() + " " + drawn_items(pickle, value) + ">";
    case PickleKind::persistent:
      return "persistent " + drawn_items(pickle, value);
    case PickleKind::call:
      return "call " + pickle.name(value).full() + drawn_items(pickle, value);
  }
  return "";
}

// The message, or "" where the pickle is read.
std::string refusal(const std::string& bytes) {
  try {
    read_pickle(bytes, "f");
  } catch (const FormatError& error) {
    return error.what();
  }
  return "";
}

struct Case {
  std::string bytes;
  std::string words;  // what it builds, or some words of its refusal
};

void expect_built(const std::vector<Case>& cases) {
  for (const auto& [bytes, words] : cases) {
    try {
      const Pickle pickle = read_pickle(bytes, "f");
      EXPECT_EQ(drawn(pickle, pickle.root()), words) << bytes;
      EXPECT_EQ(pickle.size_bytes(), bytes.size()) << bytes;
    } catch (const FormatError& error) {
      ADD_FAILURE() << words << ": " << error.what();
    }
  }
}

void expect_refused(const std::vector<Case>& cases) {
  for (const auto& [bytes, words] : cases) {
    const std::string message = refusal(bytes);
    EXPECT_NE(message.find(words), std::string::npos) << words << ": " << message;
    EXPECT_EQ(message.find("f: pickle, byte "), 0U) << words << ": " << message;
  }
}

TEST(Pickle, BuildsPlainValues) {
  // {"a": [1, -2.5, None], 7: (True, "é")}, protocol 2
  expect_built({{"\x80\x02}(X\x01\0\0\0a](K\x01G\xc0\x04\0\0\0\0\0\0NeK\x07\x88X\x02\0\0\0\xc3\xa9\x86u."s,
                 "{'a': [1, -2.5, None], 7: (True, '\xc3\xa9')}"}});
}

TEST(Pickle, NumbersOfEveryProtocol) {
  expect_built({{"I00\n.", "False"},
                {"I01\n.", "True"},
                {"I-7\n.", "-7"},
                {"L12L\n.", "12"},
                {"L99999999999999999999L\n.", "long of 20"},
                {"J\xfe\xff\xff\xff."s, "-2"},
                {"M\x01\x01."s, "257"},
                {"\x8a\x00."s, "0"},
                {"\x8a\x01\xff."s, "-1"},
                {"\x8a\x02\x00\x01."s, "256"},
                {"\x8a\x09\x01\x02\x03\x04\x05\x06\x07\x08\x09."s, "long of 9"},
                {"\x8b\x02\x00\x00\x00\x39\x30."s, "12345"},
                {"F-1.5\n.", "-1.5"},
                {"\x88."s, "True"},
                {"\x89."s, "False"}});
  expect_refused({{"Ix\n.", "\"x\" is no integer"},
                  {"I1 \n.", "\"1 \" is no integer"},
                  {"L" + std::string(65, '9') + "\n.", "no integer of at most 64 digits"},
                  {"\x8a\x41."s, "an integer of 65 bytes"},
                  {"\x8b\xff\xff\xff\xff."s, "an integer of -1 bytes"},
                  {"Fone\n.", "\"one\" is no number"},
                  {"F1.5x\n.", "\"1.5x\" is no number"}});
}

TEST(Pickle, TextsOfEveryProtocol) {
  expect_built({{R"(S'a\n\t\r\\\'\"\x41\q\x4')"
                 "\n.",
                 "'a\n\t\r\\'\"A\\q\\x4'"},
                {"S\"two words\" \r\n.", "'two words'"},
                {"S'end\\'\n.", "'end\\'"},
                {"T\x02\0\0\0ab."s, "'ab'"},
                {"U\x01\xff."s, "1 bytes"},
                {"Va\\u00e9\\U0001F600\xe9\n.", "'a\xc3\xa9\xf0\x9f\x98\x80\xc3\xa9'"},
                {"\x8c\x02no."s, "'no'"},
                {"\x8d\x01\0\0\0\0\0\0\0z."s, "'z'"},
                {"B\x01\0\0\0z."s, "1 bytes"},
                {"C\x02yz."s, "2 bytes"},
                {"\x8e\x01\0\0\0\0\0\0\0z."s, "1 bytes"},
                {"\x96\x03\0\0\0\0\0\0\0xyz."s, "3 bytes"}});
  expect_refused({{"Sabc\n.", "without quotation marks"},
                  {"S'\n.", "without quotation marks"},
                  {"S'a\"\n.", "without quotation marks"},
                  {"S\n.", "without quotation marks"},
                  {"Va\\u12\n.", "a bad escape"},
                  {"V\\u12g4\n.", "a bad escape"},
                  {"V\\ud800\n.", "a bad escape"},
                  {"V\\U00110000\n.", "a bad escape"},
                  {"X\x01\0\0\0\xff."s, "text that is not UTF-8"}});
}

TEST(Pickle, ListsTuplesDictionariesAndSets) {
  expect_built({{"(I1\nI2\nt.", "(1, 2)"},
                {").", "()"},
                {"I1\n\x85."s, "(1)"},
                {"I1\nI2\n\x86."s, "(1, 2)"},
                {"I1\nI2\nI3\n\x87."s, "(1, 2, 3)"},
                {"(I1\nl.", "[1]"},
                {"](I1\nI2\ne.", "[1, 2]"},
                {"]I1\na.", "[1]"},
                {"(I1\nI2\nd.", "{1: 2}"},
                {"}I1\nI2\ns.", "{1: 2}"},
                {"\x8f(I1\nI2\n\x90."s, "set(1, 2)"},
                {"(I1\n\x91."s, "set(1)"}});
  expect_refused({{"(I1\nd.", "a key without a value"},
                  {"}(I1\nu.", "a key without a value"},
                  {"(]I2\nd.", "as key of a dictionary"},
                  {"}}I2\ns.", "as key of a dictionary"},
                  {"}\x8fI2\ns."s, "as key of a dictionary"},
                  {"I1\nI2\na.", "added to what is no list"},
                  {"I1\n(I2\n\x90."s, "added to what is no set"},
                  {"I1\nI2\nI3\ns.", "added to what is no dictionary"}});
}

TEST(Pickle, StackMarksAndMemo) {
  expect_built({{"I5\np0\n0g0\n.", "5"},
                {"K\x05r\x01\0\0\0\x30j\x01\0\0\0."s, "5"},
                {"K\x05q\x02\x30h\x02."s, "5"},
                {"K\x05\x94\x30h\0."s, "5"},
                {"I1\n2\x86."s, "(1, 1)"},
                {"I1\n(I2\nI3\n1.", "1"},
                {"I1\n(0.", "1"},
                {"\x80\x04\x95\x02\0\0\0\0\0\0\0N."s, "None"}});
  expect_refused({{"", "truncated: 1 bytes should follow, 0 are there"},
                  {"I1\n", "truncated: 1 bytes should follow"},
                  {"I1", "a line does not end"},
                  {"X\x05\0\0\0ab."s, "truncated: 5 bytes should follow, 3 are there"},
                  {"\x80\x04\x95\xff\0\0\0\0\0\0\0N."s, "a frame of 255 bytes, 2 are there"},
                  {"\xfe."s, "unknown opcode 0xFE"},
                  {"\x80\x06."s, "protocol 6, known are 0 to 5"},
                  {".", "the stack is empty"},
                  {"0.", "the stack is empty"},
                  {"I1\n(2.", "the stack is empty"},
                  {"I1\nI2\n.", "values are left over"},
                  {"(I1\n.", "values are left over"},
                  {"t.", "there is no mark"},
                  {"I1\npx\n.", "\"x\" is no memo slot"},
                  {"I1\np1x\n.", "\"1x\" is no memo slot"},
                  {"I1\np99\n.", "memo slot 99 in a pickle of 8 bytes"},
                  {"I1\np2\n0g1\n.", "memo slot 1 was never set"},
                  {"g0\n.", "memo slot 0 was never set"},
                  {std::string(10'001, '('), "more than 10000 open marks"}});
}

TEST(Pickle, InstancesAreOpaque) {
  expect_built({{"cmy.mod\nThing\n)\x81}b."s, "<my.mod.Thing (), {}>"},
                {"cmy.mod\nThing\n)}\x92."s, "<my.mod.Thing (), {}>"},
                {"\x8c\x02my\x8c\x05Thing\x93)\x81(I1\nI2\ne."s, "<my.Thing (), [1, 2]>"},
                {"cmy\nT\n)\x81I1\nI2\ns."s, "<my.T (), {1: 2}>"},
                {"cmy\nT\n)\x81I1\na."s, "<my.T (), [1]>"},
                {"cargparse\nNamespace\n)\x81."s, "<argparse.Namespace ()>"},
                {"ccollections\nOrderedDict\n)\x81I1\nI2\ns."s, "{1: 2}"},
                {"ccollections\ndefaultdict\n)\x81."s, "{}"},
                {"ccollections\nOrderedDict\n)R}b.", "{}"}});
  expect_refused({{"I1\n)\x81."s, "an instance of what is no class"},
                  {"(o.", "an instance of what is no class"},
                  {"(I1\no.", "an instance of what is no class"},
                  {"(cmy\nT\no.", "it calls my.T, which is not in the list"},
                  {"(imy\nT\n.", "it calls my.T, which is not in the list"},
                  {"ctorch\nSize\n)\x81."s, "it calls torch.Size"},
                  {"}I1\nb.", "a state is given to what has none"},
                  {"I1\n}b.", "a state is given to what has none"},
                  {"I1\nI2\n\x93."s, "a name that is no text"},
                  {"\x8c\x01mI2\n\x93."s, "a name that is no text"}});
}

TEST(Pickle, CallsOfTheListAreDone) {
  expect_built({{"ccollections\nOrderedDict\n(((I1\nI2\ntltR.", "{1: 2}"},
                {"ccollections\nOrderedDict\n(}tR.", "{}"},
                {"ccollections\ndefaultdict\n(c__builtin__\nint\ntR.", "{}"},
                {"ccollections\ndefaultdict\n)R.", "{}"},
                {"ccollections\nCounter\n(}tR.", "{}"},
                {"c__builtin__\nset\n((I1\nltR.", "set([1])"},
                {"cbuiltins\nfrozenset\n)R.", "set()"},
                {"ctorch\nSize\n((I2\nI3\nttR.", "(2, 3)"},
                {"ctorch\ndevice\n(S'cpu'\ntR.", "<torch.device ('cpu')>"},
                {"ctorch._utils\n_rebuild_tensor_v2\n)R.", "call torch._utils._rebuild_tensor_v2()"},
                {"ctorch._utils\n_rebuild_parameter\n(ctorch._utils\n_rebuild_tensor\n)RtR.",
                 "call torch._utils._rebuild_tensor()"},
                {"ctorch._tensor\n_rebuild_from_type_v2\n(ctorch\nSize\nctorch\nTensor\n((I4\nttNtR.", "(4)"},
                {"Pabc\n.", "persistent 'abc'"},
                {"I1\nQ.", "persistent 1"}});
  expect_refused({{"ccollections\nOrderedDict\nI1\nR.", "OrderedDict is given other arguments than a tuple"},
                  {"ccollections\nOrderedDict\n(}}tR.", "other arguments than a list of pairs"},
                  {"ccollections\nOrderedDict\n(I1\ntR.", "other arguments than a list of pairs"},
                  {"ccollections\nOrderedDict\n((I1\nltR.", "other arguments than a list of pairs"},
                  {"ccollections\nOrderedDict\n(((I1\ntltR.", "other arguments than a list of pairs"},
                  {"ccollections\nOrderedDict\n(((]I1\ntltR.", "as key of a dictionary"},
                  {"ccollections\ndefaultdict\n(NNtR.", "defaultdict is given other arguments than a type"},
                  {"ccollections\nCounter\n)R.", "other arguments than a dictionary"},
                  {"ccollections\nCounter\n(I1\ntR.", "other arguments than a dictionary"},
                  {"cbuiltins\nset\n(I1\ntR.", "set is given other arguments than a list"},
                  {"cbuiltins\nset\n(]]tR.", "set is given other arguments than a list"},
                  {"ctorch\nSize\n)R.", "Size is given other arguments than a tuple of sizes"},
                  {"ctorch\nSize\n(I1\ntR.", "Size is given other arguments than a tuple of sizes"},
                  {"ctorch._utils\n_rebuild_parameter\n)R.", "other arguments than a tensor"},
                  {"ctorch._utils\n_rebuild_parameter\n(I1\ntR.", "other arguments than a tensor"},
                  {"ctorch._tensor\n_rebuild_from_type_v2\n(NNtR.", "a function, a type and arguments"},
                  {"ctorch._tensor\n_rebuild_from_type_v2\n(ctorch._tensor\n_rebuild_from_type_v2\nN)tR.",
                   "a function, a type and arguments"},
                  {"cbuiltins\nint\n)R.", "it calls builtins.int"},
                  {"ctorch\nFloatStorage\n)R.", "it calls torch.FloatStorage"},
                  {"ctorch\nfloat32\n)R.", "it calls torch.float32"}});
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

TEST(Pickle, OneMessageNamesWhatElseIsRefused) {
  expect_refused({{"cos\nsystem\n0I1\n)R.", "it calls what is no name; it names os.system"},
                  {"I1\n)R.", "it calls what is no name"},
                  {"cos\nsystem\n0cmy\nrun\n)R.", "; it names os.system; nothing was run"},
                  {"cos\na.b\n.", "the dotted name \"a.b\" of module \"os\""},
                  {"\x82\x07."s, "it calls on extension 7"},
                  {"\x83\x01\x01."s, "it calls on extension 257"},
                  {"\x84\x00\x00\x01\x00."s, "it calls on extension 65536"}});
  std::string six;
  for (const char letter : {'a', 'b', 'c', 'd', 'e', 'f'}) {
    six += "cos\n"s + letter + "\n0";
  }
  const std::string message = refusal(six + "N.");
  EXPECT_NE(message.find("os.a, os.b, os.c, os.d, os.e, which"), std::string::npos) << message;
  EXPECT_EQ(message.find("os.f"), std::string::npos) << message;
}

TEST(Pickle, NumbersOfValuesAndNamesHaveLimits) {
  std::string names;
  for (int i = 0; i <= 10'000; ++i) {
    names += fmt::format("cmy\nc{}\n0", i);
  }
  expect_refused({{names + "N.", "more than 10000 names"},
                  {std::string(2'000'001, 'N'), "more than 2000000 values on the stack"},
                  {std::string(2'000'000, ']'), "more than 2000000 values"}});
}

TEST(Pickle, OnlyExactPairsAreAllowed) {
  for (const char* const name :
       {"torch._utils.x\n_rebuild_tensor_v2", "torch\n_rebuild_tensor_v2", "Collections\nOrderedDict",
        "collections \nOrderedDict", "collections\nOrderedDict.fromkeys"}) {
    EXPECT_NE(refusal("c" + std::string(name) + "\n(tR."), "") << name;
  }
  EXPECT_EQ(refusal("ccollections\nOrderedDict\n(tR."), "");
}

TEST(Pickle, NamesOfTorchHaveTheirMeaning) {
  const std::vector<std::tuple<std::string, std::string, PickleMeaning, std::string_view>> known = {
      {"torch", "FloatStorage", PickleMeaning::storage, "F32"},
      {"torch.cuda", "HalfStorage", PickleMeaning::storage, "F16"},
      {"torch.storage", "UntypedStorage", PickleMeaning::storage, ""},
      {"torch", "bfloat16", PickleMeaning::dtype, "BF16"},
      {"torch", "long", PickleMeaning::dtype, "I64"},
      {"torch", "uint16", PickleMeaning::dtype, "U16"},
      {"torch.cuda", "float32", PickleMeaning::unknown, ""},
      {"torch", "complex64", PickleMeaning::unknown, ""},
      {"torch", "", PickleMeaning::unknown, ""},
      {"builtins", "set", PickleMeaning::set, ""},
      {"__builtin__", "frozenset", PickleMeaning::set, ""},
      {"builtins", "str", PickleMeaning::harmless, ""},
      {"builtins", "eval", PickleMeaning::refused, ""},
      {"os.path", "join", PickleMeaning::refused, ""},
      {"", "x", PickleMeaning::unknown, ""},
      {"mine", "x", PickleMeaning::unknown, ""}};
  for (const auto& [module, name, meaning, type] : known) {
    const PickleName found = known_name(module, name);
    EXPECT_EQ(found.meaning, meaning) << module << "." << name;
    EXPECT_EQ(found.type, type) << module << "." << name;
  }
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
