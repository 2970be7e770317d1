// Damaged parts whose sum was put right: whatever they say, they are added up or refused.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <string>

#include "app/workflow/merge/merge_job.h"
#include "io/recording/errors.h"
#include "io/text/sha256.h"
#include "tests/support/places.h"
#include "tests/support/temporary_folder.h"

namespace mog::app {
namespace {

const std::filesystem::path kFolder = mog::test::data_dir() / "partials";

std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream bytes;
  bytes << file.rdbuf();
  return bytes.str();
}

// A partial file without its first line.
struct Pieces {
  std::string json;
  std::string numbers;
};

Pieces pieces_of(const std::filesystem::path& path) {
  const std::string bytes = bytes_of(path);
  const std::size_t line = bytes.find('\n') + 1;
  const std::size_t end = bytes.find('\n', line) + 1;
  return {bytes.substr(line, end - line), bytes.substr(end)};
}

void write(const std::filesystem::path& path, const Pieces& pieces) {
  const std::string body = pieces.json + pieces.numbers;
  std::ofstream(path, std::ios::binary) << "mog-partial-statistics 1.0 " << pieces.json.size() << ' '
                                        << pieces.numbers.size() / 8 << ' ' << io::sha256(body) << '\n'
                                        << body;
}

class Mutator {
 public:
  explicit Mutator(unsigned seed) : draw_(seed) {}
  Pieces operator()(Pieces pieces) {
    const int changes = 1 + below(3);
    for (int i = 0; i < changes; ++i) {
      change(pieces);
    }
    return pieces;
  }

 private:
  int below(std::size_t end) { return static_cast<int>(draw_() % end); }
  void change(Pieces& pieces) {
    static const std::string kTexts[] = {"9",   "00",  "-", "99999999999", "null", "[]", "{}", "\"",
                                         "1e9", "0.5", ",", "true",        "]",    "}",  " ",  "\xff"};
    switch (below(5)) {
      case 0:  // a byte of the description
        pieces.json[static_cast<std::size_t>(below(pieces.json.size()))] = static_cast<char>(32 + below(95));
        break;
      case 1:  // something more in it
        pieces.json.insert(static_cast<std::size_t>(below(pieces.json.size())),
                           kTexts[below(std::size(kTexts))]);
        break;
      case 2: {  // something less
        const auto at = static_cast<std::size_t>(below(pieces.json.size()));
        pieces.json.erase(at, static_cast<std::size_t>(1 + below(12)));
        break;
      }
      case 3:  // a byte of the numbers
        if (!pieces.numbers.empty()) {
          pieces.numbers[static_cast<std::size_t>(below(pieces.numbers.size()))] =
              static_cast<char>(below(256));
        }
        break;
      default:  // fewer of them
        pieces.numbers.resize(pieces.numbers.size() / 8 * static_cast<std::size_t>(below(9)) / 8 * 8);
    }
  }
  std::mt19937 draw_;
};

int mutants() {
  const char* const wanted = std::getenv("MOG_MUTANTS");
  return wanted == nullptr ? 400 : std::atoi(wanted);
}

class PartialMutants : public testing::TestWithParam<const char*> {};

TEST_P(PartialMutants, AreAddedUpOrRefused) {
  const test::TemporaryFolder folder;
  const std::string job = GetParam();
  const std::filesystem::path other = kFolder / (job + "-2.sums");
  const Pieces sound = pieces_of(kFolder / (job + "-1.sums"));
  const std::filesystem::path path = folder.file("mutant.sums");
  std::vector<std::string> notes;
  write(path, sound);
  const std::filesystem::path files[] = {path, other};
  EXPECT_GT(table_of(merge_statistics(files, false, notes), "both").rows.size(), 0U);
  Mutator mutate(7);
  int refused = 0;
  for (int i = 0; i < mutants(); ++i) {
    write(path, mutate(sound));
    for (const bool alone : {true, false}) {
      try {
        table_of(merge_statistics(std::span(files).first(alone ? 1 : 2), true, notes), "mutant");
      } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()), "");
        ++refused;
      }
    }
  }
  EXPECT_GT(refused, mutants());  // of the 2 · mutants() trials
}

INSTANTIATE_TEST_SUITE_P(Jobs, PartialMutants,
                         testing::Values("statistics", "grammar", "grammar_trend", "tags", "trend",
                                         "dimensions", "faithfulness", "ablation", "heads", "syntax"),
                         [](const auto& job) { return std::string(job.param); });

}  // namespace
}  // namespace mog::app
