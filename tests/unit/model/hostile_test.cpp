// Every small malformed file meets the answer that its manifest names.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <cctype>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "io/recording/errors.h"
#include "open_any.h"
#include "tests/support/places.h"

namespace mog::test {
namespace {

struct Case {
  std::string path;
  std::string kind;
  std::string wrong;
  std::string word;
  std::vector<std::string> answers;  // expect and also
  std::optional<std::int64_t> sentences;
};

std::vector<Case> cases() {
  std::ifstream file(mog::test::data_dir() / "hostile/MANIFEST.json");
  const auto manifest = nlohmann::json::parse(file);
  std::vector<Case> result;
  for (const auto& row : manifest.at("files")) {
    if (row.contains("on_demand")) {
      continue;
    }
    Case one{row.at("path"), row.at("kind"), row.at("wrong"), row.value("word", ""), {row.at("expect")}, {}};
    for (const auto& also : row.value("also", nlohmann::json::array())) {
      one.answers.push_back(also);
    }
    if (row.contains("sentences")) {
      one.sentences = row.at("sentences").get<std::int64_t>();
    }
    result.push_back(one);
  }
  return result;
}

// As a whole word when it is a number, else as a part, case ignored.
bool mentions(const std::string& message, const std::string& word) {
  const bool number = !word.empty() && std::all_of(word.begin(), word.end(),
                                                   [](char c) { return (c >= '0' && c <= '9') || c == '.'; });
  if (number) {
    const auto part_of_word = [&](std::size_t at) {
      return at < message.size() &&
             (std::isalnum(static_cast<unsigned char>(message[at])) != 0 || message[at] == '_');
    };
    for (std::size_t at = message.find(word); at != std::string::npos; at = message.find(word, at + 1)) {
      if ((at == 0 || !part_of_word(at - 1)) && !part_of_word(at + word.size())) {
        return true;
      }
    }
    return false;
  }
  const auto lower = [](std::string text) {
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
  };
  return lower(message).find(lower(word)) != std::string::npos;
}

class Hostile : public testing::TestWithParam<Case> {};

TEST_P(Hostile, GetsTheAnswerOfTheManifest) {
  const Case& one = GetParam();
  const auto path = mog::test::data_dir() / "hostile" / one.path;
  std::string answer = "ok";
  std::string message;
  std::optional<std::int64_t> sentences;
  const std::clock_t start = std::clock();  // of the processor: the limit holds on a busy machine too
  try {
    sentences = open_any(one.kind, path);
  } catch (const Error& error) {
    message = error.what();
    answer = error.exit_code() == ExitCode::format ? "bad_input"
             : error.exit_code() == ExitCode::mismatch
                 ? "model_mismatch"
                 : "exit " + std::to_string(static_cast<int>(error.exit_code()));
  }
  EXPECT_LT(std::clock() - start, 5 * CLOCKS_PER_SEC);
  EXPECT_EQ(std::count(one.answers.begin(), one.answers.end(), answer), 1)
      << one.wrong << "\nanswer: " << answer << "\nmessage: " << message;
  if (answer != "ok") {
    const auto name = std::filesystem::path(one.path).filename().string();
    EXPECT_TRUE(mentions(message, name)) << "the message names the file: " << message;
    // The path may hold the word by chance (a model directory's files): only what follows it counts.
    EXPECT_TRUE(
        mentions(message.substr(std::min(message.size(), message.find(name) + name.size())), one.word))
        << "expected \"" << one.word << "\" in: " << message;
  } else if (one.sentences) {
    EXPECT_EQ(sentences, one.sentences) << one.wrong;
  }
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
#ifndef __SANITIZE_ADDRESS__
  EXPECT_LT(usage.ru_maxrss, 512L * 1024) << "KiB";
#endif
}

std::string case_name(const testing::TestParamInfo<Case>& info) {
  std::string name = info.param.path;
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Files, Hostile, testing::ValuesIn(cases()), case_name);

}  // namespace
}  // namespace mog::test
