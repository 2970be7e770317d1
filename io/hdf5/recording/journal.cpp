// One line a shard, appended. A line is a JSON record in a frame with its CRC-32, and the
// line feed is written last: a line without one was being written when the program was killed, and is left
// out. A last line whose checksum fails is taken for the same (its blocks were not all written); a bad line
// before others is damage and refused. Rewriting a list of all shards for each new one would cost the square
// of their number and would need a second file to be safe. Reading is one pass.
//
// Where shards are joined, once in a GiB, the journal is written anew beside the old one and renamed over it:
// it holds nothing but lines of shards, so that every reader of version 1 understands it.
//
// The lock is on the journal itself (flock), so it ends with its process, however that ends. Whoever made
// the file may have removed it before the lock was had: after locking, the name must still lead to the same
// inode, else all begins again. A journal that takes the old one's place is locked before it has the name, so
// that the lock is never free in between. Links, hard links and everything that is no file of its own are
// refused, because appending would change something else.
//
// Traps: after a failed append the line may or may not be on the disk. Only a file that was cut back, and
// flushed, is known not to hold it (may_hold_line_), and a shard may be removed only then. A file system
// without locks gives no error here: two writers are kept apart only where there are locks.
#include "io/hdf5/recording/journal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <numeric>
#include <optional>
#include <set>
#include <thread>
#include <utility>

#include "io/hdf5/file/durable_file.h"
#include "io/hdf5/recording/recording_json.h"
#include "io/hdf5/recording/recording_layout.h"
#include "io/recording/errors.h"
#include "io/text/input_file.h"

namespace mog::io {
namespace {

constexpr int kMostAttempts = 20;
constexpr std::uint64_t kLongestJournal = std::uint64_t{1} << 30;
constexpr std::string_view kHead = "{\"crc32\":\"";
constexpr std::string_view kMiddle = "\",\"record\":";
constexpr std::string_view kTail = "}";

std::string checksum(std::string_view text) {
  const auto sum = crc32_z(0, reinterpret_cast<const unsigned char*>(text.data()), text.size());
  return fmt::format("{:08x}", sum);
}

std::string line_of(const Json& record) {
  const std::string text = to_text(record);
  return fmt::format("{}{}{}{}{}\n", kHead, checksum(text), kMiddle, text, kTail);
}

// The record's text when the line is whole, else nothing.
std::optional<std::string_view> record_of(std::string_view line) {
  const std::size_t frame = kHead.size() + 8 + kMiddle.size() + kTail.size();
  if (line.size() < frame || !line.starts_with(kHead) || !line.ends_with(kTail) ||
      line.substr(kHead.size() + 8, kMiddle.size()) != kMiddle) {
    return std::nullopt;
  }
  const std::string_view record = line.substr(kHead.size() + 8 + kMiddle.size(), line.size() - frame);
  if (line.substr(kHead.size(), 8) != checksum(record)) {
    return std::nullopt;
  }
  return record;
}

// One a sentence, or none at all.
std::vector<std::int64_t> counts_from_json(const JsonObject& object, const char* key,
                                           std::int64_t sentences) {
  std::vector<std::int64_t> counts;
  if (!object.json().contains(key)) {
    return counts;
  }
  for (const Json& count : object.array(key)) {
    if (!count.is_number_integer() || count.get<std::int64_t>() < 0 ||
        count.get<std::int64_t>() >= std::int64_t{1} << 31) {
      object.refuse(fmt::format("\"{}\" must hold counts", key));
    }
    counts.push_back(count.get<std::int64_t>());
  }
  if (static_cast<std::int64_t>(counts.size()) != sentences) {
    object.refuse(fmt::format("\"{}\" holds {} counts for {} sentences", key, counts.size(), sentences));
  }
  return counts;
}

JournalShard shard_from_json(const JsonObject& object) {
  JournalShard shard;
  shard.file = object.text("file");
  shard.sentences = object.integer("sentences");
  shard.tokens = object.integer("tokens");
  shard.size_bytes = object.integer("bytes");
  if (object.json().contains("sha256")) {
    shard.sha256 = object.text("sha256");
  }
  std::int64_t counted = 0;
  for (const Json& range : object.array("numbers")) {
    if (!range.is_array() || range.size() != 2 || !range[0].is_number_integer() ||
        !range[1].is_number_integer()) {
      object.refuse("\"numbers\" must hold pairs [first, last]");
    }
    const NumberRange entry{range[0].get<std::int64_t>(), range[1].get<std::int64_t>()};
    const std::int64_t before = shard.numbers.empty() ? 0 : shard.numbers.back().last;
    if (entry.first <= before || entry.last < entry.first || entry.last > (std::int64_t{1} << 48)) {
      object.refuse(
          fmt::format("the range of sentences [{}, {}] does not follow {}", entry.first, entry.last, before));
    }
    counted += entry.last - entry.first + 1;
    shard.numbers.push_back(entry);
  }
  if (!layout::is_shard_file_name(shard.file)) {
    object.refuse(fmt::format("\"{}\" is no name of a shard (shard-00001.h5 …)", shard.file));
  }
  if (counted != shard.sentences || counted == 0) {
    object.refuse(fmt::format("{} sentences, but the ranges name {}", shard.sentences, counted));
  }
  shard.sentence_tokens = counts_from_json(object, "sentence_tokens", shard.sentences);
  shard.sentence_words = counts_from_json(object, "sentence_words", shard.sentences);
  if (!shard.sentence_tokens.empty() &&
      std::accumulate(shard.sentence_tokens.begin(), shard.sentence_tokens.end(), std::int64_t{0}) !=
          shard.tokens) {
    object.refuse(fmt::format("{} tokens, but \"sentence_tokens\" sums to another number", shard.tokens));
  }
  return shard;
}

void refuse_doubles(const std::vector<JournalShard>& shards, const std::filesystem::path& path) {
  std::set<std::string_view> files;
  std::vector<NumberRange> all;
  for (const JournalShard& shard : shards) {
    if (!files.insert(shard.file).second) {
      throw FormatError(fmt::format("reading {}: {} is named twice", path.string(), shard.file));
    }
    all.insert(all.end(), shard.numbers.begin(), shard.numbers.end());
  }
  std::sort(all.begin(), all.end(),
            [](const NumberRange& a, const NumberRange& b) { return a.first < b.first; });
  for (std::size_t i = 1; i < all.size(); ++i) {
    if (all[i].first <= all[i - 1].last) {
      throw FormatError(
          fmt::format("reading {}: sentence {} is recorded twice", path.string(), all[i].first));
    }
  }
}

void require_file_or_nothing(const std::filesystem::path& path) {
  const auto status = look_at(path);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    throw UsageError(
        fmt::format("recording to {}: it is no file of its own (a link, a directory, a pipe): what "
                    "is written there would change something else; remove it, or give another "
                    "--output",
                    path.string()));
  }
}

}  // namespace

std::vector<NumberRange> to_ranges(const std::vector<std::int64_t>& numbers) {
  std::vector<NumberRange> ranges;
  for (const std::int64_t number : numbers) {
    if (!ranges.empty() && ranges.back().last + 1 == number) {
      ranges.back().last = number;
    } else {
      ranges.push_back({number, number});
    }
  }
  return ranges;
}

std::string begin_line(std::int64_t part, std::int64_t parts) {
  return line_of(Json{{"type", "begin"},
                      {"format", layout::kFormat},
                      {"version", layout::kVersion},
                      {"part", part},
                      {"parts", parts}});
}

std::string shard_line(const JournalShard& shard) {
  Json numbers = Json::array();
  for (const NumberRange& range : shard.numbers) {
    numbers.push_back(Json::array({range.first, range.last}));
  }
  Json record{{"type", "shard"},
              {"file", shard.file},
              {"sentences", shard.sentences},
              {"tokens", shard.tokens},
              {"bytes", shard.size_bytes},
              {"sha256", shard.sha256},
              {"numbers", std::move(numbers)}};
  if (!shard.sentence_tokens.empty()) {
    record["sentence_tokens"] = shard.sentence_tokens;
    record["sentence_words"] = shard.sentence_words;
  }
  return line_of(record);
}

JournalContent read_journal(const std::filesystem::path& path) {
  const std::string text = read_file(path, "the journal", kLongestJournal);
  JournalContent content;
  std::size_t at = 0;
  for (std::int64_t line_number = 1; at < text.size(); ++line_number) {
    const std::size_t end = text.find('\n', at);
    const std::string_view line =
        std::string_view(text).substr(at, end == std::string::npos ? end : end - at);
    const auto record = record_of(line);
    if (end == std::string::npos) {
      break;  // torn: the program was killed while it wrote
    }
    const std::string place = fmt::format("line {}", line_number);
    if (!record) {
      if (end + 1 == text.size()) {
        break;  // the last line, its blocks not all written
      }
      throw FormatError(fmt::format("reading {}: {}: the checksum does not hold: the journal is damaged",
                                    path.string(), place));
    }
    const Json json = parse_json(*record, path, place);
    const JsonObject object(json, path, place);
    const std::string type = object.text("type");
    if ((type == "begin") != (line_number == 1)) {
      object.refuse(fmt::format("a \"{}\" line does not belong there", type));
    }
    if (type == "begin") {
      content.begun = true;
      content.part = object.integer("part");
      content.parts = object.integer("parts");
    } else if (type == "shard") {
      content.shards.push_back(shard_from_json(object));
      content.line_begins.push_back(at);
    } else {
      content.has_others = true;  // of later minor versions
    }
    at = end + 1;
    content.sound_bytes = at;
  }
  if (!content.begun && !text.starts_with(kHead.substr(0, text.size()))) {
    throw FormatError(fmt::format("reading {}: it is no journal of a recording", path.string()));
  }
  content.torn_bytes = text.size() - content.sound_bytes;
  refuse_doubles(content.shards, path);
  return content;
}

JournalWriter::JournalWriter(const std::filesystem::path& path) {
  // Who made the file may have removed it again before the lock was had: then another one stands there now.
  for (int attempt = 0; attempt == 0 || !still_named(); ++attempt) {
    if (attempt == kMostAttempts) {
      throw StorageError(
          fmt::format("writing {}: another program removes it again and again", path.string()));
    }
    require_file_or_nothing(path);
    file_ = FileDescriptor(path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK);
    lock(file_);
  }
  require_own_file();
}

void JournalWriter::require_own_file() {
  struct stat facts {};
  if (::fstat(file_.get(), &facts) != 0) {
    throw_storage_error("opening", file_.path(), errno);
  }
  if (!S_ISREG(facts.st_mode) || facts.st_nlink > 1) {
    throw UsageError(
        fmt::format("recording to {}: the file has further names (hard links): what is written "
                    "there would change something else; copy the folder, or give another --output",
                    file_.path().string()));
  }
  was_empty_ = facts.st_size == 0;
}

void JournalWriter::lock(const FileDescriptor& file) {
  // A process that a killed writer was just starting may hold the lock for some milliseconds more.
  for (int attempt = 0; ::flock(file.get(), LOCK_EX | LOCK_NB) != 0; ++attempt) {
    if (errno != EWOULDBLOCK && errno != EINTR) {
      break;  // a file system without locks
    }
    if (attempt == kMostAttempts) {
      throw StorageError(
          fmt::format("writing {}: another program is recording there; wait for it or give another "
                      "--output",
                      file.path().string()));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(25));
  }
}

bool JournalWriter::still_named() const {
  struct stat named {};
  struct stat held {};
  return ::lstat(file_.path().c_str(), &named) == 0 && ::fstat(file_.get(), &held) == 0 &&
         named.st_dev == held.st_dev && named.st_ino == held.st_ino;
}

void JournalWriter::cut(std::uint64_t sound_bytes) {
  if (::ftruncate(file_.get(), static_cast<off_t>(sound_bytes)) != 0) {
    throw_storage_error("cutting", file_.path(), errno);
  }
  if (next_ && ::ftruncate(next_.get(), static_cast<off_t>(sound_bytes)) != 0) {
    throw_storage_error("cutting", next_.path(), errno);
  }
}

// A line counts when its line feed stands, which is written last: before that it is torn and harmless. After
// that only a file that was cut back, on the disk too, is known not to hold it.
void JournalWriter::append(std::string_view line) {
  struct stat before {};
  const bool known = ::fstat(file_.get(), &before) == 0;
  may_hold_line_ = false;
  try {
    file_.write(line);
    may_hold_line_ = true;
    file_.sync();
    may_hold_line_ = false;  // what fails from now on is not of this line
  } catch (...) {
    // Where this fails after the write did, the torn line stays; whoever reads the journal leaves it out.
    if (known && ::ftruncate(file_.get(), before.st_size) == 0 && ::fsync(file_.get()) == 0) {
      may_hold_line_ = false;
    }
    throw;
  }
}

// Until the rename the old journal stands, after it the new one; which of them a failed rename left is not
// known here, so both stay locked as long as this object lives.
void JournalWriter::replace(std::uint64_t kept_bytes, std::string_view lines) {
  may_hold_line_ = false;
  const std::string text = read_file(file_.path(), "the journal", kLongestJournal);
  if (text.size() < kept_bytes) {
    throw StorageError(fmt::format("writing {}: another program has cut it short", file_.path().string()));
  }
  PartFile part(file_.path());
  next_ = part.file().duplicated(file_.path());
  if (::fcntl(next_.get(), F_SETFL, O_APPEND) != 0) {
    throw_storage_error("opening", next_.path(), errno);
  }
  lock(next_);
  next_.write(std::string_view(text).substr(0, kept_bytes));
  next_.write(lines);
  may_hold_line_ = true;
  part.publish();
  file_ = std::move(next_);
  next_ = FileDescriptor();
  may_hold_line_ = false;
}

}  // namespace mog::io
