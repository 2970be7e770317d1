// People pass a zip, a PDF or a web page where a text is due, and an error about UTF-8 in line 1 helps
// nobody. The first bytes tell the kind; a hint is only ever added to a refusal, or refuses where no
// sentence could look like that.
//
// So each test must be surer than it has to be fast: a signature that a sentence might begin with (BZh,
// GIF8, PAR1) needs more bytes behind it, and tables, TOML and records are told by the shape of all whole
// lines, at least three. A text that is refused wrongly costs a user more than a table that is read as
// sentences.
//
// Trap: the bytes may end in the middle of a line. Only whole lines are judged, the last one where the file
// ends there.
#include "io/text/file_kind.h"

#include <algorithm>
#include <vector>

namespace mog::io {
namespace {

using namespace std::string_view_literals;

struct Kind {
  std::string_view magic;
  std::string_view text;
};

constexpr Kind kKinds[] = {
    {"version https://git-lfs"sv, "a Git LFS pointer: fetch the file itself with `git lfs pull`"},
    {"PK\x03\x04"sv,
     "a zip archive (a PyTorch file, docx, odt and epub are such, too): unpack it, or save its text, first"},
    {"\x1f\x8b"sv, "a gzip file: unpack it first (gzip -d)"},
    {"\x28\xb5\x2f\xfd"sv, "a zstd file: unpack it first (zstd -d)"},
    {"\xfd"
     "7zXZ\0"sv,
     "an xz file: unpack it first (xz -d)"},
    {"BZh"sv, "a bzip2 file: unpack it first (bzip2 -d)"},
    {"7z\xbc\xaf\x27\x1c"sv, "a 7z archive: unpack it first (7z x)"},
    {"%PDF-"sv, "a PDF: save its text first (pdftotext FILE.pdf)"},
    {"{\\rtf"sv, "a document (RTF): save its text first"},
    {"\xd0\xcf\x11\xe0"sv, "a document of an older Office program: save its text first"},
    {"\x89HDF\r\n"sv, "an HDF5 file"},
    {"\x89PNG"sv, "an image (PNG)"},
    {"\xff\xd8\xff"sv, "an image (JPEG)"},
    {"GIF8"sv, "an image (GIF)"},
    {"\x7f"
     "ELF"sv,
     "a program (ELF)"},
    {"\x93NUMPY"sv, "an array of NumPy"},
    {"PAR1"sv, "a table (Parquet): save the column of the sentences as lines first"},
    {"ARROW1"sv, "a table (Arrow): save the column of the sentences as lines first"},
    {"SQLite format 3"sv, "a data base (SQLite)"},
    {"GGUF"sv, "weights (GGUF)"},
    {"\xff\xfe"sv, "UTF-16: save it as UTF-8 (iconv -f UTF-16 -t UTF-8)"},
    {"\xfe\xff"sv, "UTF-16: save it as UTF-8 (iconv -f UTF-16 -t UTF-8)"},
};

// Bytes that some sentence might begin with are not enough.
bool begins(std::string_view bytes, std::string_view magic) {
  if (!bytes.starts_with(magic)) {
    return false;
  }
  if (magic == "BZh") {
    return bytes.substr(4, 6) == "1AY&SY";
  }
  if (magic == "PAR1" || magic == "ARROW1" || magic == "GGUF" || magic == "SQLite format 3") {
    return bytes.substr(0, 512).find('\0') != std::string_view::npos;
  }
  return magic != "GIF8" || bytes.substr(0, 6) == "GIF87a" || bytes.substr(0, 6) == "GIF89a";
}

// The length of a header as eight bytes, the least first, and the header, JSON.
bool is_safetensors(std::string_view bytes) {
  return bytes.size() > 10 && bytes.substr(4, 4) == "\0\0\0\0"sv && bytes[8] == '{' &&
         (bytes[9] == '"' || bytes[9] == ' ' || bytes[9] == '}');
}

bool is_pickle(std::string_view bytes) {
  return bytes.size() >= 2 && bytes[0] == '\x80' && bytes[1] >= 1 && bytes[1] <= 5;
}

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return result;
}

// What nothing but its bytes tells; half a sentence without its beginning.
std::string_view by_magic(std::string_view bytes) {
  for (const Kind& kind : kKinds) {
    if (begins(bytes, kind.magic)) {
      return kind.text;
    }
  }
  const std::string start = lower(bytes.substr(0, 512));
  if (start.find("<!doctype html") != std::string::npos || start.find("<html") != std::string::npos) {
    return "a web page (HTML): download the file itself";
  }
  if (is_pickle(bytes)) {
    return "a Python pickle";
  }
  if (is_safetensors(bytes)) {
    return "weights (safetensors)";
  }
  return "";
}

std::string said(std::string_view kind) {
  return kind.empty() ? std::string() : "it looks like " + std::string(kind);
}

// Whole lines without their ends, empty ones left out; at most `most`.
std::vector<std::string_view> whole_lines(std::string_view bytes, bool ends, std::size_t most) {
  std::vector<std::string_view> lines;
  while (!bytes.empty() && lines.size() < most) {
    const std::size_t end = bytes.find('\n');
    if (end == std::string_view::npos && !ends) {
      break;
    }
    std::string_view line = bytes.substr(0, end);
    bytes.remove_prefix(end == std::string_view::npos ? bytes.size() : end + 1);
    while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) {
      line.remove_suffix(1);
    }
    if (!line.empty()) {
      lines.push_back(line);
    }
  }
  return lines;
}

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool is_name(std::string_view text, std::string_view more) {
  return !text.empty() && text.size() <= 40 && is_letter(text.front()) &&
         std::all_of(text.begin(), text.end(), [&](char c) {
           return is_letter(c) || (c >= '0' && c <= '9') || more.find(c) != std::string_view::npos;
         });
}

// The fields of a line of a table; none where quotes stay open or a separator is followed by a space outside
// of them, as in a sentence.
std::vector<std::string> fields(std::string_view line, char separator) {
  std::vector<std::string> result(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"') {
      quoted = !quoted;
    } else if (line[i] == separator && !quoted) {
      if (i + 1 < line.size() && line[i + 1] == ' ') {
        return {};
      }
      result.emplace_back();
    } else {
      result.back() += line[i];
    }
  }
  return quoted ? std::vector<std::string>() : result;
}

constexpr std::size_t kLeastLines = 3;
constexpr std::size_t kMostLines = 30;

bool is_table(const std::vector<std::string_view>& lines, std::string_view name) {
  for (const char separator : {',', ';'}) {
    const std::vector<std::string> header = fields(lines.front(), separator);
    const std::size_t least = name.ends_with(".csv") ? 2 : 3;
    if (header.size() < least || !std::all_of(header.begin(), header.end(), [](const std::string& field) {
          return is_name(field, " .-/()%");
        })) {
      continue;
    }
    if (std::all_of(lines.begin(), lines.end(),
                    [&](std::string_view line) { return fields(line, separator).size() == header.size(); })) {
      return true;
    }
  }
  return false;
}

bool is_toml(const std::vector<std::string_view>& lines) {
  std::size_t sections = 0;
  std::size_t keys = 0;
  for (std::string_view line : lines) {
    if (line.front() == '#') {
      continue;
    }
    const std::string_view plain = line.substr(0, line.find(" #"));
    if (plain.front() == '[' && plain.back() == ']' &&
        is_name(plain.substr(plain.find_first_not_of('['), plain.find(']') - plain.find_first_not_of('[')),
                ".-\"")) {
      ++sections;
      continue;
    }
    std::string_view key = line.substr(0, line.find('='));
    while (key.ends_with(' ')) {
      key.remove_suffix(1);
    }
    if (line.find('=') == std::string_view::npos || !is_name(key, ".-")) {
      break;  // a text, or what goes on behind a key
    }
    ++keys;
  }
  return sections > 0 && keys > 0 && sections + keys >= kLeastLines;
}

bool is_json(const std::vector<std::string_view>& lines) {
  return !lines.empty() && lines[0].starts_with("{\"") && lines[0].find("\":") != std::string_view::npos;
}

}  // namespace

bool is_gzip(std::string_view first_bytes) noexcept {
  return first_bytes.starts_with("\x1f\x8b"sv);
}

std::string looks_like(std::string_view first_bytes) {
  const std::string_view kind = by_magic(first_bytes);
  if (kind.empty() && (first_bytes.starts_with("{") || first_bytes.starts_with("["))) {
    return said("JSON");
  }
  return said(kind);
}

std::string no_text(std::string_view first_bytes) {
  const std::string_view kind = by_magic(first_bytes);
  const bool tar = first_bytes.size() > 262 && first_bytes.substr(257, 5) == "ustar";
  return said(kind.empty() && tar ? "a tar archive: unpack it first (tar -xf)" : kind);
}

std::string no_sentences(std::string_view first_bytes, bool ends, std::string_view name) {
  if (std::string kind = no_text(first_bytes); !kind.empty()) {
    return kind;
  }
  if (first_bytes.starts_with("<?xml")) {
    return said("XML: save its text first");
  }
  const std::vector<std::string_view> lines = whole_lines(first_bytes, ends, kMostLines);
  if (is_json(lines)) {
    return said("JSON: save its sentences as lines first");
  }
  if (lines.size() < kLeastLines) {
    return "";
  }
  if (is_table(lines, name)) {
    return said("a table (CSV): save the column of the sentences as lines first");
  }
  return is_toml(lines) ? said("a configuration (TOML)") : "";
}

}  // namespace mog::io
