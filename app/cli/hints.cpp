// The error has said what is wrong with a word; a beginner still asks where the word belongs. So the rules
// are about the word alone: a sentence where a file is expected, a text where a recording is, a recording
// where a model is. A word that the message does not name is left alone: it is not what failed.
#include "app/cli/hints.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <span>

#include "app/workflow/common/resources.h"
#include "app/workflow/common/shell_line.h"
#include "io/recording/errors.h"

namespace mog::cli {
namespace {

namespace fs = std::filesystem;

enum class Kind { sentence, text, recording, model, other };

bool is_one_of(std::string_view command, std::span<const std::string_view> commands) {
  return std::find(commands.begin(), commands.end(), command) != commands.end();
}

// A pipe would wait for its writer.
bool is_text(const fs::path& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error)) {
    return false;
  }
  std::ifstream file(path, std::ios::binary);
  std::array<char, 512> bytes{};
  file.read(bytes.data(), bytes.size());
  const auto end = bytes.begin() + file.gcount();
  return file.gcount() > 0 && std::none_of(bytes.begin(), end, [](char c) {
           return static_cast<unsigned char>(c) < 9 || static_cast<unsigned char>(c) == 127;
         });
}

std::string in_shell(const std::string& word) {
  const std::array<std::string, 1> line = {word};
  return app::shell_line(line);
}

Kind kind_of(const std::string& word) {
  std::error_code error;
  if (!fs::exists(word, error)) {
    if (word.find(' ') != std::string::npos) {
      return Kind::sentence;
    }
    return !word.empty() && app::model_path(word) != fs::path(word) ? Kind::model : Kind::other;
  }
  if (fs::is_directory(word, error)) {
    return fs::exists(fs::path(word) / "journal.jsonl", error) ? Kind::recording
           : fs::exists(fs::path(word) / "config.json", error) ? Kind::model
                                                               : Kind::other;
  }
  return is_text(word) ? Kind::text : Kind::other;
}

constexpr std::array<std::string_view, 8> kOfRecordings = {"trees",     "stats",    "figure", "syntax",
                                                           "sentences", "validate", "export", "neighbours"};
constexpr std::array<std::string_view, 5> kOfText = {"tag", "parse", "translate", "summarize", "record"};
constexpr std::array<std::string_view, 12> kOfModels = {"record",    "tag",      "parse", "translate",
                                                        "summarize", "ablate",   "align", "faithfulness",
                                                        "randomize", "evaluate", "patch", "attribute"};

std::string of_word(std::string_view command, const std::string& word, std::string_view message) {
  const std::string quoted = in_shell(word);
  const bool misses_input = message.find("--input is required") != std::string_view::npos;
  switch (kind_of(word)) {
    case Kind::sentence:
      if (command == "figure" || command == "trees") {
        return fmt::format("a sentence is given with --text: --text {}", quoted);
      }
      if (is_one_of(command, kOfText)) {
        return fmt::format("a sentence comes from a file or from standard input: echo {} | mog {} --input -",
                           quoted, command);
      }
      break;
    case Kind::text:
      if (misses_input) {
        return fmt::format("is it `--input {}`?", quoted);
      }
      if (command == "syntax" && message.find("ten columns") != std::string_view::npos) {
        return fmt::format("`mog parse --input {} --output trees.conllu` makes a treebank of a text", quoted);
      }
      if (is_one_of(command, kOfRecordings) && message.find("HDF5") != std::string_view::npos) {
        return fmt::format("it is a text; `mog record --input {} --output FOLDER` makes a recording of one",
                           quoted);
      }
      break;
    case Kind::recording:
      if (command == "merge") {
        return fmt::format("recordings need no merging, commands take several: mog stats {} MORE.rec",
                           quoted);
      }
      if (is_one_of(command, kOfModels) && message.find("model") != std::string_view::npos &&
          message.find("going on with") == std::string_view::npos) {
        return fmt::format("it is a recording; give the model that made it (`mog describe {}` names it)",
                           quoted);
      }
      break;
    case Kind::model:
      if (command == "stats") {
        return fmt::format("it is a model: mog stats --model {} --input TEXT", quoted);
      }
      if (is_one_of(command, kOfRecordings) && message.find("is a model") == std::string_view::npos) {
        return fmt::format(
            "it is a model; `mog record --model {} --input TEXT --output FOLDER` makes a recording", quoted);
      }
      break;
    case Kind::other:
      break;
  }
  return {};
}

}  // namespace

std::string hint(const std::vector<std::string>& words, std::string_view message) {
  const auto command =
      std::find_if(words.begin() + std::min<std::ptrdiff_t>(1, std::ssize(words)), words.end(),
                   [](const std::string& word) { return !word.starts_with('-'); });
  if (command == words.end()) {
    return {};
  }
  if (message.find("mog has no command") != std::string_view::npos) {
    std::error_code error;
    return *command == "version" ? "`mog --version` says it"
           : fs::exists(*command, error)
               ? fmt::format("`mog describe {}` says what it is, and what can be done with it",
                             in_shell(*command))
               : std::string();
  }
  for (auto word = command + 1; word != words.end(); ++word) {
    const bool named = message.find(*word) != std::string_view::npos ||
                       message.find("is required") != std::string_view::npos ||
                       message.find("which sentence?") != std::string_view::npos;
    if (word->empty() || word->starts_with('-') || !named) {
      continue;
    }
    try {
      if (std::string found = of_word(*command, *word, message); !found.empty()) {
        return found;
      }
    } catch (const Error&) {  // the bundled models are not there
    }
  }
  return {};
}

}  // namespace mog::cli
