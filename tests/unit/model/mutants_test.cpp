// Files with a few bytes changed, removed, repeated or cut: a reader either opens them or throws an error of
// ours. Under the sanitizers this is where a wrapped size or a read beyond the end would show.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <utility>

#include "io/recording/errors.h"
#include "io/text/input_file.h"
#include "open_any.h"
#include "tests/support/places.h"
#include "tests/support/temporary_folder.h"

namespace mog::test {
namespace {

using std::string_view_literals::operator""sv;

std::string mutant(std::string bytes, std::mt19937& random) {
  const auto below = [&](std::size_t limit) {
    return std::uniform_int_distribution<std::size_t>(0, limit - 1)(random);
  };
  // Characters that matter to some format come up more often than by chance.
  constexpr std::string_view kSpecial = "\0\xFF\x80{}[]\",:0987654321-.eE\t\n\r @#</w>"sv;
  const std::size_t changes = 1 + below(3);
  for (std::size_t i = 0; i < changes && !bytes.empty(); ++i) {
    const std::size_t at = below(std::min<std::size_t>(bytes.size(), 2000));
    const std::size_t size = std::min<std::size_t>(1 + below(8), bytes.size() - at);
    switch (below(5)) {
      case 0:
        bytes[at] = kSpecial[below(kSpecial.size())];
        break;
      case 1:
        bytes[at] = static_cast<char>(static_cast<unsigned char>(bytes[at]) ^ (1U << below(8)));
        break;
      case 2:
        bytes.erase(at, size);
        break;
      case 3:
        bytes.insert(at, bytes.substr(at, size));
        break;
      default:
        bytes.resize(below(20) == 0 ? at : bytes.size());
        break;
    }
  }
  return bytes;
}

class Mutants : public testing::TestWithParam<std::pair<const char*, const char*>> {};

TEST_P(Mutants, AreOpenedOrRefused) {
  const auto [kind, file] = GetParam();
  const auto source = mog::test::data_dir() / "hostile" / file;
  const TemporaryFolder folder;
  const bool model = std::string_view(kind) == "model_dir";
  std::filesystem::path target = folder.file("file");
  std::filesystem::path opened = target;
  if (model) {
    std::filesystem::copy(source.parent_path(), folder.file("model"));
    opened = folder.file("model");
    target = opened / source.filename();
  }
  const std::string bytes = io::read_file(source, "the original", 1U << 24U);
  std::mt19937 random(20260101);
  std::map<std::string, int> answers;
  const char* const wanted = std::getenv("MOG_MUTANTS");
  const int count = wanted == nullptr ? 400 : std::atoi(wanted);
  for (int i = 0; i < count; ++i) {
    std::filesystem::remove(target);
    folder.write(std::filesystem::relative(target, folder.path()).string(), mutant(bytes, random));
    try {
      open_any(kind, opened);
      ++answers["ok"];
    } catch (const Error& error) {
      const bool bad_input = error.exit_code() == ExitCode::format || error.exit_code() == ExitCode::mismatch;
      EXPECT_TRUE(bad_input) << error.what();
      ++answers["refused"];
    }
  }
  EXPECT_GT(answers["refused"], 10) << "the mutants are too tame";
}

INSTANTIATE_TEST_SUITE_P(Files, Mutants,
                         testing::Values(std::pair{"safetensors", "safetensors/ok-metadata.safetensors"},
                                         std::pair{"safetensors", "safetensors/ok-dtypes.safetensors"},
                                         std::pair{"model_dir", "model/ok-graph/config.json"},
                                         std::pair{"model_dir", "model/ok-encoder/model.safetensors"},
                                         std::pair{"bpe_codes", "tokenizer/ok-unicode.codes"},
                                         std::pair{"vocab_lines", "tokenizer/ok-vocab.txt"},
                                         std::pair{"vocab_counts", "tokenizer/ok-dict.txt"},
                                         std::pair{"tokenizer_json", "tokenizer/ok-wordpiece.json"},
                                         std::pair{"tokenizer_json", "tokenizer/ok-bpe-new-merges.json"},
                                         std::pair{"tokenizer_json", "tokenizer/redos.json"},
                                         std::pair{"sentencepiece", "../sentencepiece/unigram.model"},
                                         std::pair{"sentencepiece", "../sentencepiece/bpe-unused.model"},
                                         std::pair{"text", "text/ok-plain.txt"},
                                         std::pair{"conllu", "conllu/ok-empty-nodes.conllu"}));

}  // namespace
}  // namespace mog::test
