// What [sweep] says, before runs are made of it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "app/workflow/experiment/train_sweep.h"
#include "app/workflow/experiment/train_toml.h"

namespace mog::app {

struct SweepAxis {
  std::string name;
  std::vector<std::string> values;  // names of the tables of changes
};
struct SweepKeys {
  std::vector<SweepAxis> axes;
  std::vector<std::int64_t> seeds;  // empty: the file's seed
  std::vector<std::string> only;
  std::vector<std::string> skip;
  SweepKeep keep = SweepKeep::all;
};

// Throws errors of a file with their line.
class SweepFile {
 public:
  explicit SweepFile(const std::filesystem::path& file) : file_(file) {}

  template <class Fault>
  [[noreturn]] void fail(std::int64_t line, const std::string& what) const {
    throw Fault("Reading " + file_.string() + ", line " + std::to_string(line) + ": " + what);
  }
  const std::filesystem::path& path() const { return file_; }

 private:
  const std::filesystem::path& file_;
};

// Of a node; the keys of a table in the order of the file.
inline std::int64_t line_of(const toml::node& node) {
  return static_cast<std::int64_t>(node.source().begin.line);
}
std::vector<const toml::key*> in_order(const toml::table& table);

// Throws FormatError for unknown keys, wrong types, and names that cannot be part of a folder's name.
SweepKeys read_sweep_keys(const SweepFile& file, const toml::table& table);

}  // namespace mog::app
