#include "io/statistics/partial_statistics.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <limits>
#include <span>
#include <sstream>

#include "io/hdf5/recording/recording_json.h"
#include "io/recording/errors.h"
#include "io/text/input_file.h"
#include "io/text/output_file.h"
#include "io/text/sha256.h"

namespace mog::io {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers are kept as they lie in memory");

constexpr std::string_view kMagic = "mog-partial-statistics";
constexpr std::string_view kVersion = "1.0";
constexpr std::uint64_t kLargest = std::uint64_t{8} << 30;
constexpr std::uint64_t kLongestHead = std::uint64_t{16} << 20;  // of a first line and description

Json ranges_to_json(const NumberRanges& numbers) {
  Json ranges = Json::array();
  for (const NumberRange& range : numbers.ranges()) {
    ranges.push_back({range.first, range.last});
  }
  return ranges;
}

Json to_json(const PartialStatistics& statistics) {
  Json json = header_to_json(statistics.header);
  json["job"] = statistics.job;
  json["settings"] = statistics.settings;
  json["part"] = statistics.part;
  json["parts"] = statistics.parts;
  json["done"] = statistics.done;
  json["counted"] = statistics.counted;
  json["part_numbers"] = ranges_to_json(statistics.part_numbers);
  json["sentences"] = ranges_to_json(statistics.sentences);
  Json& sizes = json["sums"] = Json::array();
  for (const std::vector<std::int64_t>& sums : statistics.sums) {
    sizes.push_back(sums.size());
  }
  return json;
}

// The pieces of the file's first line.
struct FirstLine {
  std::uint64_t json_bytes = 0;
  std::uint64_t numbers = 0;
  std::string_view sha256;
};

class Reader {
 public:
  explicit Reader(const std::filesystem::path& path)
      : path_(path), bytes_(read_file(path, "partial statistics", kLargest)) {}

  PartialStatistics read() {
    const FirstLine line = first_line();
    const std::string_view body = std::string_view(bytes_).substr(bytes_.find('\n') + 1);
    if (line.numbers > body.size() / 8 || line.json_bytes != body.size() - 8 * line.numbers) {
      refuse(fmt::format(
          "{} bytes of description and {} numbers are announced, {} bytes are there: the file was cut short",
          line.json_bytes, line.numbers, body.size()));
    }
    if (sha256(body) != line.sha256) {
      refuse("its sum does not hold: the file is damaged; count this part again");
    }
    const Json json = parse_json(body.substr(0, line.json_bytes), path_, "description");
    const JsonObject object(json, path_, "description");
    PartialStatistics result;
    result.header = header_from_json(json, path_, "description");
    result.job = object.text("job");
    result.settings = object.text("settings");
    result.part = object.integer("part");
    result.parts = object.integer("parts");
    result.counted = object.integer("counted");
    for (const Json& part : object.array("done")) {
      result.done.push_back(whole(part));
      if (result.done.back() < 1 || result.done.back() > result.parts ||
          (result.done.size() > 1 && result.done.back() <= result.done[result.done.size() - 2])) {
        refuse(fmt::format("\"done\" names part {} of {}", result.done.back(), result.parts));
      }
    }
    result.part_numbers = ranges(object.array("part_numbers"), "part_numbers");
    result.sentences = ranges(object.array("sentences"), "sentences");
    if (result.parts < 1 || result.part > result.parts || result.counted > result.sentences.size()) {
      refuse(fmt::format("part {} of {} with {} sentences counted of {} cannot be", result.part, result.parts,
                         result.counted, result.sentences.size()));
    }
    read_sums(object.array("sums"), body.substr(line.json_bytes), line.numbers, result);
    return result;
  }

 private:
  [[noreturn]] void refuse(const std::string& what) const {
    throw FormatError(fmt::format("reading {}: {}", path_.string(), what));
  }

  NumberRanges ranges(const Json& pairs, const char* key) const {
    std::vector<NumberRange> result;
    for (const Json& range : pairs) {
      if (!range.is_array() || range.size() != 2) {
        refuse(fmt::format("\"{}\" holds something that is no pair of numbers", key));
      }
      result.push_back({whole(range[0]), whole(range[1])});
    }
    try {
      return NumberRanges(std::move(result));
    } catch (const FormatError& error) {
      refuse(error.what());
    }
  }

  std::int64_t whole(const Json& json) const {
    if (!json.is_number_integer() || json.get<std::int64_t>() < 0) {
      refuse(fmt::format("expected a whole number, found {}", to_text(json).substr(0, 40)));
    }
    return json.get<std::int64_t>();
  }

  FirstLine first_line() const {
    const std::string_view text = std::string_view(bytes_).substr(0, bytes_.find('\n'));
    std::vector<std::string_view> words;
    for (std::string_view left = text; words.size() < 6;) {
      const std::size_t space = left.find(' ');
      words.push_back(left.substr(0, space));
      if (space == std::string_view::npos) {
        break;
      }
      left.remove_prefix(space + 1);
    }
    if (words.front() != kMagic) {
      refuse(fmt::format(
          "no partial statistics, which begin with \"{}\"; what counts with --shard writes them", kMagic));
    }
    if (words.size() < 2 || !words[1].starts_with("1.")) {
      refuse(fmt::format("version {} is not one that this program reads (1.x)",
                         words.size() < 2 ? "?" : words[1].substr(0, 20)));
    }
    FirstLine line;
    if (words.size() != 5 || bytes_.find('\n') == std::string::npos || !number(words[2], line.json_bytes) ||
        !number(words[3], line.numbers) || words[4].size() != 64) {
      refuse("its first line is damaged");
    }
    line.sha256 = words[4];
    return line;
  }

  static bool number(std::string_view text, std::uint64_t& value) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size();
  }

  void read_sums(const Json& sizes, std::string_view bytes, std::uint64_t numbers,
                 PartialStatistics& result) const {
    for (const Json& size : sizes) {
      const auto count = static_cast<std::uint64_t>(whole(size));
      if (count > numbers) {
        refuse(fmt::format("{} sums are announced, {} numbers are left", count, numbers));
      }
      numbers -= count;
      std::vector<std::int64_t>& sums = result.sums.emplace_back(count);
      if (count > 0) {
        std::memcpy(sums.data(), bytes.data(), 8 * count);
      }
      bytes.remove_prefix(8 * count);
    }
    if (numbers > 0) {
      refuse(fmt::format("{} numbers are left over", numbers));
    }
  }

  const std::filesystem::path& path_;
  std::string bytes_;
};

}  // namespace

void write_partial_statistics(const PartialStatistics& statistics, const std::filesystem::path& path) {
  std::string body = to_text(to_json(statistics)) + '\n';
  const std::size_t json_bytes = body.size();
  for (const std::vector<std::int64_t>& sums : statistics.sums) {
    const auto bytes = std::as_bytes(std::span(sums));
    body.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
  if (body.size() >= kLargest) {
    throw UsageError(fmt::format(
        "writing {}: {} bytes of sums, at most {} are read again; leave --trend and --sentence-values out",
        path.string(), body.size(), kLargest));
  }
  OutputFile file(path);
  file.write(fmt::format("{} {} {} {} {}\n", kMagic, kVersion, json_bytes, (body.size() - json_bytes) / 8,
                         sha256(body)));
  file.write(body);
  file.commit();
}

PartialStatistics read_partial_statistics(const std::filesystem::path& path) {
  return Reader(path).read();
}

std::int64_t counted_sentences(const std::filesystem::path& path) {
  try {
    const InputFile file = InputFile::open(path, "partial statistics");
    const auto read = [&](std::uint64_t begin, std::uint64_t bytes) {
      std::string text(std::min(bytes, file.size_bytes() - std::min(begin, file.size_bytes())), '\0');
      file.read_at(begin, std::as_writable_bytes(std::span(text)));
      return text;
    };
    constexpr std::uint64_t kFirstLine = 256;  // bytes that hold one
    std::istringstream line(read(0, kFirstLine));
    std::string magic;
    std::string version;
    std::uint64_t bytes = 0;
    if (!(line >> magic >> version >> bytes) || magic != kMagic || bytes > kLongestHead) {
      return 0;
    }
    const std::uint64_t begin = line.str().find('\n') + 1;
    const Json json = parse_json(read(begin, bytes), path, "description");
    return JsonObject(json, path, "description").integer("counted");
  } catch (const Error&) {
    return 0;
  }
}

}  // namespace mog::io
