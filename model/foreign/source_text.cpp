#include "model/foreign/source_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>
#include <string_view>
#include <system_error>

#include "io/recording/errors.h"
#include "io/text/input_file.h"
#include "io/text/utf8.h"

namespace mog::model {

namespace fs = std::filesystem;

std::string source_name(const fs::path& path, const std::string& given) {
  if (!given.empty() && given.size() <= 200 && !given.starts_with("/") && !given.starts_with(".")) {
    return given;
  }
  const fs::path clean = fs::absolute(path).lexically_normal();
  return (clean.has_filename() ? clean : clean.parent_path()).filename().string();
}

// No README keeps a model from opening, whatever it holds.
std::string license_of(const fs::path& folder) {
  constexpr std::size_t kMostBytes = std::size_t{64} << 10U;
  constexpr int kMostLines = 60;
  constexpr std::string_view kKey = "license:";
  constexpr std::string_view kAround = " \"'\t\r";
  constexpr std::size_t kLongest = 80;
  std::error_code error;
  if (!fs::is_regular_file(folder / "README.md", error)) {
    return "";
  }
  std::string text(kMostBytes, '\0');
  try {
    io::InputFile file = io::InputFile::open(folder / "README.md", "the README");
    text.resize(file.read(std::as_writable_bytes(std::span(text))));
  } catch (const Error&) {
    return "";
  }
  std::string_view rest = text;
  for (int count = 0; count < kMostLines && !rest.empty(); ++count) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    if (line.starts_with(kKey)) {
      std::string_view value = line.substr(kKey.size());
      value.remove_prefix(std::min(value.find_first_not_of(kAround), value.size()));
      return io::replace_invalid_utf8(
          value.substr(0, std::min(kLongest, value.find_last_not_of(kAround) + 1)));
    }
  }
  return "";
}

std::string shortened(const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 8;
  const auto end = names.begin() + static_cast<std::ptrdiff_t>(std::min(kShown, names.size()));
  std::string text = fmt::format("{}", fmt::join(names.begin(), end, ", "));
  return names.size() > kShown ? fmt::format("{} and {} more", text, names.size() - kShown) : text;
}

}  // namespace mog::model
