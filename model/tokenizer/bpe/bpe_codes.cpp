#include "model/tokenizer/bpe/bpe_codes.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <string_view>
#include <utility>

#include "io/recording/errors.h"
#include "io/text/corpus.h"
#include "io/text/file_kind.h"
#include "io/text/input_file.h"

namespace mog::model {
namespace {

constexpr std::size_t kMostCodeBytes = 65536;
constexpr std::size_t kMostCodes = std::size_t{1} << 20U;

std::vector<std::string_view> split_columns(std::string_view line) {
  constexpr std::string_view kStrip = "\r\n ";
  const std::size_t first = line.find_first_not_of(kStrip);
  if (first == std::string_view::npos) {
    return {};
  }
  line = line.substr(first, line.find_last_not_of(kStrip) - first + 1);
  std::vector<std::string_view> columns;
  while (true) {
    const std::size_t space = line.find(' ');
    columns.push_back(line.substr(0, space));
    if (space == std::string_view::npos) {
      return columns;
    }
    line.remove_prefix(space + 1);
  }
}

// "0.2", "0.2.0" … → true for version 0.1.
bool end_is_symbol(std::string_view line, const std::string& file) {
  const std::size_t space = line.find_last_not_of(" \t\r");
  line = line.substr(0, space == std::string_view::npos ? 0 : space + 1);
  const std::size_t before = line.find_last_of(" \t");
  std::string_view version = before == std::string_view::npos ? line : line.substr(before + 1);
  while (version.ends_with(".0")) {
    version.remove_suffix(2);
  }
  if (version != "0.1" && version != "0.2") {
    throw FormatError(fmt::format("{}: line 1: version {} of subword-nmt codes, expected 0.1 or 0.2", file,
                                  version.substr(0, 80)));
  }
  return version == "0.1";
}

bool is_count(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

class CodesReader {
 public:
  explicit CodesReader(const std::filesystem::path& file) : file_(file.string()) {
    io::CorpusReader reader(file, {.max_line_bytes = kMostCodeBytes});
    io::CorpusLine line;
    std::int64_t blank = 0;  // blank lines may only end the file
    while (reader.next(line)) {
      if (line.number == 1 && line.text.starts_with("#version:")) {
        codes_.end_is_symbol = end_is_symbol(line.text, file_);
        versioned_ = true;
        continue;
      }
      if (line.text.empty()) {
        blank = blank == 0 ? line.number : blank;
        continue;
      }
      if (blank != 0) {
        refuse(blank, "it is empty");
      }
      add(line);
    }
    if (codes_.merges.empty() && !versioned_) {
      throw FormatError(fmt::format("{}: the file is empty, expected subword-nmt codes", file_));
    }
    if (!versioned_) {
      codes_.end_is_symbol = columns_ != 3;
    }
  }
  BpeCodes take() { return std::move(codes_); }

 private:
  [[noreturn]] void refuse(std::int64_t number, const std::string& defect) const {
    throw FormatError(
        fmt::format("{}: line {}: {}; expected two symbols with one space between", file_, number, defect));
  }
  void add(const io::CorpusLine& line) {
    const auto columns = split_columns(line.text);
    if (columns_ == 0) {
      if (const std::string hint = io::looks_like(line.text); hint.find("HTML") != std::string::npos) {
        throw FormatError(fmt::format("{}: expected subword-nmt codes, {}", file_, hint));
      }
      columns_ = !versioned_ && columns.size() == 3 ? 3 : 2;
    }
    if (columns.size() != columns_ || (columns_ == 3 && !is_count(columns[2]))) {
      refuse(line.number, fmt::format("found {} columns", columns.size()));
    }
    if (columns[0].empty() || columns[1].empty()) {
      refuse(line.number, "a symbol is empty");
    }
    if (codes_.merges.size() >= kMostCodes) {
      refuse(line.number, fmt::format("more than {} merges", kMostCodes));
    }
    codes_.merges.push_back({std::string(columns[0]), std::string(columns[1])});
  }

  std::string file_;
  BpeCodes codes_;
  bool versioned_ = false;
  std::size_t columns_ = 0;
};

}  // namespace

BpeCodes read_bpe_codes(const std::filesystem::path& file) {
  return CodesReader(file).take();
}

}  // namespace mog::model
