// A hash table with open addressing over one long string. A std::unordered_map of strings would take a node,
// a string and often a block of text for each of a hundred thousand tokens; here a token costs its bytes,
// its begin and some slots of 8 bytes. The table is at most half full, its size a power of two, collisions
// go to the next slot. Each slot keeps 32 bits of the hash, so that bytes are compared only where these
// agree, and growing computes no hash again.
//
// Finding is O(length), reading a file O(bytes). Lines are counted before any is kept: a file that is no
// vocabulary is refused before it fills memory.
//
// Trap: tokens are never removed. With open addressing an emptied slot would hide what was put behind it.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <functional>
#include <stdexcept>
#include <unordered_map>
#include <utility>
#include <vector>

#include "io/recording/errors.h"
#include "io/text/corpus.h"
#include "io/text/input_file.h"
#include "model/tokenizer/counted_vocabulary.h"
#include "model/tokenizer/tokenizer.h"

namespace mog::model {
namespace {

constexpr std::int64_t kMostTokens = std::int64_t{1} << 22;  // as sentencepiece_file.cpp
constexpr std::int64_t kMostCounted = std::int64_t{1} << 20;
constexpr std::size_t kMostTokenBytes = 4096;

[[noreturn]] void refuse_lines(const std::filesystem::path& file) {
  throw FormatError(
      fmt::format("{}: more than {} lines, too many for a vocabulary", file.string(), kMostTokens));
}

// Counting line ends costs a hundredth of reading tokens.
void require_few_lines(const std::filesystem::path& file) {
  io::InputFile input = io::InputFile::open(file, "the vocabulary");
  std::vector<std::byte> block(std::size_t{1} << 20U);
  std::int64_t lines = 0;
  for (std::size_t got = input.read(block); got > 0; got = input.read(block)) {
    lines += std::count(block.begin(), block.begin() + static_cast<std::ptrdiff_t>(got), std::byte{'\n'});
    if (lines > kMostTokens) {
      refuse_lines(file);
    }
  }
}

// Calls use(line number, text) for every line of a small text file.
template <class Use>
std::int64_t each_line(const std::filesystem::path& file, Use&& use) {
  require_few_lines(file);
  io::CorpusReader reader(file, {.max_line_bytes = kMostTokenBytes});
  io::CorpusLine line;
  std::int64_t lines = 0;
  while (reader.next(line)) {
    if (++lines > kMostTokens) {
      refuse_lines(file);
    }
    use(line.number, line.text);
  }
  if (lines == 0) {
    throw FormatError(fmt::format("{}: the vocabulary is empty", file.string()));
  }
  return lines;
}

std::uint32_t hash_of(std::string_view token) {
  return static_cast<std::uint32_t>(std::hash<std::string_view>()(token));
}

}  // namespace

Vocabulary Vocabulary::read(const std::filesystem::path& file) {
  Vocabulary vocabulary;
  each_line(file, [&](std::int64_t number, std::string_view token) {
    if (token.empty()) {
      throw FormatError(
          fmt::format("{}: line {} is empty, expected one token a line", file.string(), number));
    }
    std::int64_t known = 0;
    if (!vocabulary.add(token, known)) {
      throw FormatError(fmt::format("{}: line {} repeats the token \"{}\" of line {}", file.string(), number,
                                    token, known + 1));
    }
  });
  return vocabulary;
}

Vocabulary::Vocabulary(const std::vector<std::string>& tokens) {
  for (const std::string& token : tokens) {
    std::int64_t known = 0;
    if (token.empty() || !add(token, known)) {
      throw UsageError(fmt::format("the vocabulary has the token \"{}\" twice, or an empty one", token));
    }
  }
}

std::string_view Vocabulary::view(std::int64_t id) const {
  if (id < 0 || id >= size()) {
    throw std::out_of_range(fmt::format("token {} of a vocabulary of {}", id, size()));
  }
  const auto at = static_cast<std::size_t>(id);
  const std::uint64_t end = begins_[at + 1];
  return std::string_view(bytes_).substr(begins_[at], end - begins_[at]);
}

std::size_t Vocabulary::slot_of(std::string_view token, std::uint32_t hash) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = hash & mask;
  while (slots_[at].token != 0 && (slots_[at].hash != hash || view(slots_[at].token - 1) != token)) {
    at = (at + 1) & mask;
  }
  return at;
}

std::optional<std::int64_t> Vocabulary::find(std::string_view token) const {
  if (slots_.empty()) {
    return std::nullopt;
  }
  const std::uint32_t found = slots_[slot_of(token, hash_of(token))].token;
  return found == 0 ? std::nullopt : std::optional<std::int64_t>(found - 1);
}

bool Vocabulary::add(std::string_view token, std::int64_t& known) {
  if (begins_.size() * 2 > slots_.size()) {
    grow();
  }
  const std::uint32_t hash = hash_of(token);
  Slot& slot = slots_[slot_of(token, hash)];
  if (slot.token != 0) {
    known = slot.token - 1;
    return false;
  }
  slot = {static_cast<std::uint32_t>(begins_.size()), hash};
  bytes_ += token;
  begins_.push_back(bytes_.size());
  return true;
}

void Vocabulary::grow() {
  std::vector<Slot> larger(std::max<std::size_t>(64, slots_.size() * 2));
  const std::size_t mask = larger.size() - 1;
  for (const Slot& slot : slots_) {
    if (slot.token != 0) {
      std::size_t at = slot.hash & mask;
      while (larger[at].token != 0) {
        at = (at + 1) & mask;
      }
      larger[at] = slot;
    }
  }
  slots_ = std::move(larger);
}

std::vector<CountedToken> read_counted_vocabulary(const std::filesystem::path& file) {
  std::vector<CountedToken> tokens;
  std::unordered_map<std::string, std::int64_t> lines;
  each_line(file, [&](std::int64_t number, std::string_view line) {
    if (number > kMostCounted) {
      throw FormatError(
          fmt::format("{}: more than {} lines, too many for a dictionary", file.string(), kMostCounted));
    }
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

namespace {

bool goes_on(const std::string& piece) {
  return piece.size() > 2 && piece.ends_with("@@");
}

}  // namespace

std::string join_pieces(std::span<const std::string> pieces) {
  std::string text;
  bool glue = true;
  for (const std::string& piece : pieces) {
    text += glue ? "" : " ";
    glue = goes_on(piece);
    text += glue ? std::string_view(piece).substr(0, piece.size() - 2) : piece;
  }
  return text;
}

DecodedText Tokenizer::decode(std::span<const std::string> tokens) const {
  const bool pieces = kind() == "bpe";
  DecodedText decoded;
  if (pieces) {
    decoded.text = join_pieces(tokens);
  }
  std::int64_t word = 0;
  for (const std::string& token : tokens) {
    if (!pieces) {
      decoded.text += (decoded.text.empty() ? "" : " ") + token;
    }
    decoded.words.push_back(word);
    word += pieces && goes_on(token) ? 0 : 1;
  }
  return decoded;
}

}  // namespace mog::model
