#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "io/recording/errors.h"
#include "io/text/corpus.h"
#include "model/tokenizer/counted_vocabulary.h"
#include "model/tokenizer/tokenizer.h"

namespace mog::model {
namespace {

constexpr std::int64_t kMostTokens = std::int64_t{1} << 21;
constexpr std::size_t kMostTokenBytes = 4096;

// Calls use(line number, text) for every line of a small text file.
template <class Use>
std::int64_t each_line(const std::filesystem::path& file, Use&& use) {
  io::CorpusReader reader(file, {.max_line_bytes = kMostTokenBytes});
  io::CorpusLine line;
  std::int64_t lines = 0;
  while (reader.next(line)) {
    if (++lines > kMostTokens) {
      throw FormatError(
          fmt::format("{}: more than {} lines, too many for a vocabulary", file.string(), kMostTokens));
    }
    use(line.number, line.text);
  }
  if (lines == 0) {
    throw FormatError(fmt::format("{}: the vocabulary is empty", file.string()));
  }
  return lines;
}

}  // namespace

Vocabulary Vocabulary::read(const std::filesystem::path& file) {
  Vocabulary vocabulary((std::vector<std::string>()));
  each_line(file, [&](std::int64_t number, std::string_view token) {
    if (token.empty()) {
      throw FormatError(
          fmt::format("{}: line {} is empty, expected one token a line", file.string(), number));
    }
    const auto [place, is_new] = vocabulary.ids_.emplace(std::string(token), number - 1);
    if (!is_new) {
      throw FormatError(fmt::format("{}: line {} repeats the token \"{}\" of line {}", file.string(), number,
                                    token, place->second + 1));
    }
    vocabulary.tokens_.emplace_back(token);
  });
  return vocabulary;
}

Vocabulary::Vocabulary(std::vector<std::string> tokens) : tokens_(std::move(tokens)) {
  for (const std::string& token : tokens_) {
    if (!ids_.emplace(token, static_cast<std::int64_t>(ids_.size())).second || token.empty()) {
      throw UsageError(fmt::format("the vocabulary has the token \"{}\" twice, or an empty one", token));
    }
  }
}

std::optional<std::int64_t> Vocabulary::find(std::string_view token) const {
  const auto found = ids_.find(std::string(token));
  return found == ids_.end() ? std::nullopt : std::optional(found->second);
}

std::vector<CountedToken> read_counted_vocabulary(const std::filesystem::path& file) {
  std::vector<CountedToken> tokens;
  std::unordered_map<std::string, std::int64_t> lines;
  each_line(file, [&](std::int64_t number, std::string_view line) {
    const auto refuse = [&](const std::string& defect) {
      throw FormatError(
          fmt::format("{}: line {}: {}; expected \"token count\"", file.string(), number, defect));
    };
    const std::size_t space = line.rfind(' ');
    if (space == std::string_view::npos || space + 1 == line.size()) {
      refuse("there is no count");
    }
    if (space == 0) {
      refuse("the token is empty");
    }
    const std::string_view digits = line.substr(space + 1);
    std::int64_t count = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), count);
    if (error != std::errc() || end != digits.data() + digits.size() || count < 0) {
      refuse(fmt::format("the count \"{}\" is no whole number from 0 to 2^63 - 1", digits.substr(0, 80)));
    }
    std::string token(line.substr(0, space));
    const auto [place, is_new] = lines.emplace(token, number);
    if (!is_new) {
      refuse(fmt::format("it repeats the token \"{}\" of line {}", token, place->second));
    }
    tokens.push_back({std::move(token), count});
  });
  return tokens;
}

std::string join_pieces(std::span<const std::string> pieces) {
  constexpr std::string_view kContinues = "@@";
  std::string text;
  bool glue = true;
  for (const std::string& piece : pieces) {
    text += glue ? "" : " ";
    glue = piece.size() > kContinues.size() && piece.ends_with(kContinues);
    text += glue ? std::string_view(piece).substr(0, piece.size() - kContinues.size()) : piece;
  }
  return text;
}

}  // namespace mog::model
