// What was counted of a part of a corpus, to be added up later (docs/scale.md): one file, whole or absent.
//
//   mog-partial-statistics 1.0 BYTES NUMBERS SHA256     of everything behind this line
//   {…}                                                 BYTES bytes of JSON, the line's end among them
//   NUMBERS whole numbers of 64 bits, little-endian
//
// Nothing in it is trusted: the sum is checked first, then every count against what is there.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "io/recording/sentence_recording.h"
#include "io/statistics/number_ranges.h"

namespace mog::io {

inline constexpr std::string_view kPartialExtension = ".sums";

struct PartialStatistics {
  // What counted: "statistics" (sums), or a job whose values of single sentences are kept
  // (sentence_columns.h).
  std::string job = "statistics";
  RecordingHeader header;  // of the run; its quantities are what was counted
  // What was counted and how, as text; parts that differ in it do not add up.
  std::string settings;
  std::int64_t part = 1;  // of `parts`; 0: several were added up
  std::int64_t parts = 1;
  std::vector<std::int64_t> done;  // parts of which every sentence is there; ascending
  NumberRanges part_numbers;  // all numbers of these parts, also of lines that were left out; none: a whole
  NumberRanges sentences;     // that were run; empty ones too
  std::int64_t counted = 0;   // of these
  std::vector<std::vector<std::int64_t>> sums;  // or columns
};

// Throws StorageError.
void write_partial_statistics(const PartialStatistics& statistics, const std::filesystem::path& path);
// Throws FormatError naming the file and what is wrong, StorageError when it cannot be read.
PartialStatistics read_partial_statistics(const std::filesystem::path& path);
// How many sentences a file has counted, without a look at its sums; 0 where there is no sound one.
std::int64_t counted_sentences(const std::filesystem::path& path);

}  // namespace mog::io
