// A small HDF5 file of named arrays with words about them: the numbers behind a figure, for h5py and pandas.
// Recordings have a format of their own (recording_writer.h).
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace mog::io {

using TextAttributes = std::vector<std::pair<std::string, std::string>>;

struct NumbersDataset {
  std::string path;                   // "values", "panels/1/rows/text"; groups on the way are made
  std::vector<std::int64_t> extents;  // their product is the number of values
  // Texts are stored as UTF-8 of a fixed length, padded with zeros.
  std::variant<std::vector<double>, std::vector<std::int64_t>, std::vector<std::string>> values;
  std::string axes;  // "row, column"
  std::string units;
  std::string description;
};

struct NumbersFile {
  TextAttributes attributes;                                   // of the root
  std::vector<std::pair<std::string, TextAttributes>> groups;  // by path
  std::vector<NumbersDataset> datasets;
};

// Whole or absent: written beside `path`, then renamed. The same numbers give the same bytes. Throws
// StorageError; ShapeError where extents and values do not fit.
void write_numbers(const NumbersFile& numbers, const std::filesystem::path& path);

}  // namespace mog::io
