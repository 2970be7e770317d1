// The sentences of a recording in the order of their numbers, whichever shard has them. The journal names
// runs of numbers, so the runs are sorted, not the sentences: O(runs log runs + sentences), 16 bytes a
// sentence. That they do not overlap the journal has checked.
//
// Trap: a line of some bytes may name millions of sentences. Before the index is made, a shard must have at
// least one byte for each, else a small file takes all memory.
#include "io/hdf5/recording/recording_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "io/hdf5/check/structure_check.h"
#include "io/hdf5/file/durable_file.h"
#include "io/hdf5/file/hdf5_error.h"
#include "io/hdf5/recording/recording_layout.h"
#include "io/hdf5/recording/shard_reader.h"
#include "io/recording/errors.h"
#include "io/text/sha256.h"

namespace mog::io {
namespace {

namespace fs = std::filesystem;

void require_shards(const fs::path& directory, const std::vector<JournalShard>& journal) {
  for (const JournalShard& shard : journal) {
    const fs::file_status status = look_at(directory / shard.file);
    if (!fs::exists(status)) {
      throw FormatError(fmt::format("reading {}: {} is missing, but {} names it", directory.string(),
                                    shard.file, layout::kJournal));
    }
    if (!fs::is_regular_file(status)) {
      throw FormatError(
          fmt::format("reading {}: {} is no file of its own (a link, a directory, a pipe): shards are "
                      "never links",
                      directory.string(), shard.file));
    }
  }
}

bool all_stand(const fs::path& directory, const std::vector<JournalShard>& journal) {
  return std::all_of(journal.begin(), journal.end(),
                     [&](const JournalShard& shard) { return fs::exists(look_at(directory / shard.file)); });
}

// A program that records may join shards between the two looks; then the journal names others by now.
JournalContent read_standing(const fs::path& directory) {
  constexpr int kMostAttempts = 3;
  JournalContent content = read_journal(directory / layout::kJournal);
  for (int attempt = 1; attempt < kMostAttempts && !all_stand(directory, content.shards); ++attempt) {
    content = read_journal(directory / layout::kJournal);
  }
  return content;
}

void require_counts(const fs::path& directory, const Manifest& manifest, const RecordingFacts& facts) {
  if (manifest.complete && (manifest.sentences != facts.sentences ||
                            manifest.shards != static_cast<std::int64_t>(facts.shards.size()))) {
    throw FormatError(
        fmt::format("reading {}: {} says {} sentences in {} shards, {} names {} in {}: the journal is "
                    "damaged or cut short",
                    directory.string(), layout::kManifest, manifest.sentences, manifest.shards,
                    layout::kJournal, facts.sentences, facts.shards.size()));
  }
}

void require_sum(const fs::path& path, const std::string& expected, const char* named_by) {
  if (expected.empty()) {
    return;
  }
  if (const std::string found = file_sha256(path); found != expected) {
    throw FormatError(
        fmt::format("reading {}: its SHA-256 is {}…, {} says {}…: the file is damaged; take it from a copy "
                    "of the recording",
                    path.string(), found.substr(0, 16), named_by, expected.substr(0, 16)));
  }
}

}  // namespace

std::vector<std::int64_t> RecordingFiles::numbers_of(std::size_t shard) const {
  std::vector<std::int64_t> result;
  for (const NumberRange& range : journal[shard].numbers) {
    for (std::int64_t number = range.first; number <= range.last; ++number) {
      result.push_back(number);
    }
  }
  return result;
}

void index_sentences(RecordingFiles& files) {
  struct Run {
    NumberRange numbers;
    Place place;
  };
  std::vector<Run> runs;
  for (std::size_t shard = 0; shard < files.journal.size(); ++shard) {
    std::int64_t row = 0;
    for (const NumberRange& range : files.journal[shard].numbers) {
      runs.push_back({range, {static_cast<std::int32_t>(shard), static_cast<std::int32_t>(row)}});
      row += range.last - range.first + 1;
    }
  }
  std::sort(runs.begin(), runs.end(),
            [](const Run& a, const Run& b) { return a.numbers.first < b.numbers.first; });
  for (const Run& run : runs) {
    for (std::int64_t number = run.numbers.first; number <= run.numbers.last; ++number) {
      files.numbers.push_back(number);
      files.places.push_back(
          {run.place.shard, run.place.row + static_cast<std::int32_t>(number - run.numbers.first)});
    }
  }
}

RecordingFiles open_directory(const fs::path& directory) {
  const fs::path manifest_path = directory / layout::kManifest;
  if (!fs::exists(look_behind(manifest_path))) {
    throw FormatError(fmt::format("reading {}: a directory without {}: no recording", directory.string(),
                                  layout::kManifest));
  }
  const Manifest manifest = read_manifest(manifest_path);
  if (!fs::exists(look_behind(directory / layout::kJournal))) {
    throw FormatError(fmt::format("reading {}: {} is missing: without it nobody knows what is whole",
                                  directory.string(), layout::kJournal));
  }
  const JournalContent content = read_standing(directory);
  RecordingFiles files;
  files.header = manifest.header;
  files.journal = content.shards;
  files.facts.format_version = manifest.version;
  files.facts.complete = manifest.complete;
  files.facts.part = manifest.part;
  files.facts.parts = manifest.parts;
  files.sums = manifest.files;
  files.summed_manifest = manifest.summed;
  files.torn_bytes = content.torn_bytes;
  for (const JournalShard& shard : content.shards) {
    files.facts.sentences += shard.sentences;
    files.facts.size_bytes += shard.size_bytes;
    files.facts.shards.push_back({directory / shard.file, shard.sentences, shard.size_bytes});
  }
  require_counts(directory, manifest, files.facts);
  require_shards(directory, content.shards);
  // One line of the journal may name millions of sentences: as many as there are bytes in its shard at most.
  for (const JournalShard& shard : content.shards) {
    std::error_code error;
    const std::uint64_t bytes = fs::file_size(directory / shard.file, error);
    if (error) {
      throw_storage_error("looking at", directory / shard.file, error.value());
    }
    if (static_cast<std::uint64_t>(shard.sentences) > bytes) {
      throw FormatError(
          fmt::format("reading {}: {} is {} and cannot hold {} sentences", directory.string(), shard.file,
                      bytes == 0 ? "empty" : fmt::format("cut short to {} bytes", bytes), shard.sentences));
    }
  }
  index_sentences(files);
  return files;
}

void check_sum(const fs::path& shard, const JournalShard& entry) {
  require_sum(shard, entry.sha256, layout::kJournal);
}

void check_file_sums(const fs::path& directory, const RecordingFiles& files) {
  for (const auto& [name, sum] : files.sums) {
    if (name != layout::kJournal && name != layout::kVirtualFile) {
      throw FormatError(fmt::format("reading {}: {} has a sum of \"{}\", which is no file of a recording",
                                    directory.string(), layout::kManifest, name));
    }
    require_sum(directory / name, sum, layout::kManifest);
  }
  if (files.facts.complete && files.summed_manifest && files.sums.size() != 2) {
    throw FormatError(fmt::format("reading {}: {} must hold the sums of {} and {}", directory.string(),
                                  layout::kManifest, layout::kJournal, layout::kVirtualFile));
  }
}

ValidationReport report_on(const fs::path& directory, const RecordingFiles& files) {
  ValidationReport report;
  const auto bare = std::count_if(files.journal.begin(), files.journal.end(),
                                  [](const JournalShard& shard) { return shard.sha256.empty(); });
  report.summed = files.summed_manifest && bare == 0;
  if (!report.summed) {
    report.notes.push_back(fmt::format(
        "recorded by an older version: {} no sums, so damage that HDF5's own checksums do not cover is "
        "seen only where the files contradict each other",
        bare == static_cast<std::ptrdiff_t>(files.journal.size())
            ? "its files carry"
            : fmt::format("{} of {} shards carry", bare, files.journal.size())));
  }
  if (files.torn_bytes > 0) {
    report.notes.push_back(fmt::format(
        "the last line of {} ({} bytes) is not whole: it was being written when the program was killed, or "
        "it is damaged; --resume records its sentences again",
        layout::kJournal, files.torn_bytes));
  }
  std::set<std::string> known;
  for (const JournalShard& shard : files.journal) {
    known.insert(shard.file);
  }
  for (const auto& entry : fs::directory_iterator(directory)) {
    const std::string name = entry.path().filename().string();
    const bool orphan = layout::is_shard_file_name(name) && !known.contains(name);
    if (orphan || name.find(".part") != std::string::npos) {
      report.notes.push_back(fmt::format("{} belongs to no finished work; --resume removes it", name));
    }
  }
  return report;
}

RecordingFiles files_beside(const fs::path& table) {
  const fs::path directory = table.has_parent_path() ? table.parent_path() : fs::path(".");
  if (!fs::exists(look_behind(directory / layout::kManifest))) {
    h5::throw_format(table, "",
                     fmt::format("it only says what the shards hold: they, {} and {} must lie beside it",
                                 layout::kManifest, layout::kJournal));
  }
  return open_directory(directory);
}

void check_virtual_file(const OpenedHdf5& opened, const fs::path& path, const RecordingFiles& files) {
  const h5::Lock lock;
  const RootFacts root = read_root(opened.file, path);
  std::set<std::string> own;
  for (const JournalShard& shard : files.journal) {
    own.insert(shard.file);
  }
  check_structure(
      opened.file, path, opened.bytes,
      [&](const std::string& dataset, const std::string& source_file, const std::string& source_dataset) {
        return own.contains(source_file) && source_dataset == dataset;
      });
  if (files.facts.complete && root.sentences != files.facts.sentences) {
    h5::throw_format(
        path, "/", fmt::format("{} sentences; the journal names {}", root.sentences, files.facts.sentences));
  }
}

}  // namespace mog::io
