#include "model/foreign/source_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <system_error>

#include "io/text/corpus.h"

namespace mog::model {

namespace fs = std::filesystem;

std::string source_name(const fs::path& path, const std::string& given) {
  if (!given.empty() && given.size() <= 200 && !given.starts_with("/") && !given.starts_with(".")) {
    return given;
  }
  const fs::path clean = fs::absolute(path).lexically_normal();
  return (clean.has_filename() ? clean : clean.parent_path()).filename().string();
}

std::string license_of(const fs::path& folder) {
  constexpr int kMostLines = 60;
  std::error_code error;
  if (!fs::is_regular_file(folder / "README.md", error)) {
    return "";
  }
  io::CorpusReader lines(folder / "README.md", {.invalid_utf8 = io::InvalidUtf8::replace});
  io::CorpusLine line;
  for (int count = 0; count < kMostLines && lines.next(line); ++count) {
    constexpr std::string_view kKey = "license:";
    if (line.text.starts_with(kKey)) {
      std::string value(line.text.substr(kKey.size()));
      value.erase(0, value.find_first_not_of(" \"'"));
      return value.substr(0, std::min<std::size_t>(80, value.find_last_not_of(" \"'") + 1));
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
