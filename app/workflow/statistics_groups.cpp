#include "app/workflow/statistics_groups.h"

#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "io/recording/errors.h"

namespace mog::app {

std::vector<std::vector<RecordingReaderPointer>> open_recording_groups(
    const std::vector<std::filesystem::path>& paths) {
  if (paths.empty()) {
    throw UsageError("statistics: no recording was named");
  }
  std::vector<std::vector<RecordingReaderPointer>> groups;
  std::map<std::tuple<std::string, std::string, std::int64_t>, std::size_t> parts;
  for (const std::filesystem::path& path : paths) {
    auto reader = std::make_unique<io::RecordingReader>(path);
    std::size_t group = groups.size();
    if (reader->facts().parts > 1) {
      const auto key = std::tuple(reader->header().model.weights_sha256,
                                  reader->header().provenance.corpus_sha256, reader->facts().parts);
      group = parts.emplace(key, groups.size()).first->second;
    }
    if (group == groups.size()) {
      groups.emplace_back();
    }
    groups[group].push_back(std::move(reader));
  }
  return groups;
}

std::function<bool(std::int64_t layer)> layer_filter(const StatisticsOptions& options) {
  if (options.layers.empty()) {
    return {};
  }
  CaptureSet set;
  set.layers = options.layers;
  return [set](std::int64_t layer) { return set.keeps_layer(layer); };
}

}  // namespace mog::app
