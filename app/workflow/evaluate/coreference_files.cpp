#include "app/workflow/evaluate/coreference_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "io/recording/errors.h"

namespace mog::app {
namespace {

std::vector<std::filesystem::path> files_of(const std::filesystem::path& path) {
  if (!std::filesystem::is_directory(path)) {
    return {path};
  }
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(path)) {
    if (entry.is_regular_file() && io::is_conll2012(entry.path())) {
      files.push_back(entry.path());
    }
  }
  if (files.empty()) {
    throw FormatError(fmt::format(
        "{}: expected files of CoNLL-2012 (*.conll, *_conll) in this folder, found none", path.string()));
  }
  std::ranges::sort(files);
  return files;
}

}  // namespace

std::vector<CoreferenceFile> read_coreference_files(const std::filesystem::path& path) {
  std::vector<CoreferenceFile> files;
  std::map<std::pair<std::string, std::int64_t>, std::filesystem::path> seen;
  for (const std::filesystem::path& file : files_of(path)) {
    files.push_back({file, io::read_conll2012(file)});
    for (const io::CorefDocument& document : files.back().documents) {
      const auto [known, fresh] = seen.try_emplace({document.name, document.part}, file);
      if (!fresh) {
        throw FormatError(fmt::format("{}: line {}: part {} of the document \"{}\" is in {} already",
                                      file.string(), document.line, document.part, document.name,
                                      known->second.string()));
      }
    }
  }
  return files;
}

std::vector<analysis::Chain> chains_of(const io::CorefDocument& document) {
  std::vector<analysis::Chain> chains;
  std::map<std::int64_t, std::size_t> place;  // [number of the chain]
  for (const io::CorefMention& mention : document.mentions) {
    const auto [at, fresh] = place.try_emplace(mention.chain, chains.size());
    if (fresh) {
      chains.emplace_back();
    }
    chains[at->second].push_back({mention.begin, mention.end});
  }
  return chains;
}

}  // namespace mog::app
