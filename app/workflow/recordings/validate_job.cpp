#include "app/workflow/recordings/validate_job.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "io/hdf5/recording/recording_reader.h"
#include "io/recording/errors.h"

namespace mog::app {

ValidationSummary validate_recording(const std::filesystem::path& path, std::stop_token stop,
                                     const ProgressCallback& progress) {
  const io::RecordingReader reader(path);
  io::ValidationReport report = reader.validate([&](std::int64_t done, std::int64_t total) {
    if (progress) {
      progress({done, total, "shards", "validating"});
    }
    return !stop.stop_requested();
  });
  if (stop.stop_requested()) {
    throw Interrupted(fmt::format("validating {}: interrupted", path.string()));
  }
  ValidationSummary summary;
  summary.path = path;
  summary.name = reader.header().provenance.name;
  summary.complete = reader.facts().complete;
  summary.sentences = reader.facts().sentences;
  summary.shards = static_cast<std::int64_t>(reader.facts().shards.size());
  summary.quantities = static_cast<std::int64_t>(reader.header().quantities.size());
  summary.size_bytes = reader.facts().size_bytes;
  summary.summed = report.summed;
  summary.notes = std::move(report.notes);
  return summary;
}

std::string to_json(const ValidationSummary& summary) {
  using Json = nlohmann::ordered_json;
  const Json json = {{"path", summary.path.string()},
                     {"name", summary.name.empty() ? Json() : Json(summary.name)},
                     {"sound", true},
                     {"complete", summary.complete},
                     {"sentences", summary.sentences},
                     {"shards", summary.shards},
                     {"quantity_count", summary.quantities},
                     {"size_bytes", summary.size_bytes},
                     {"sums", summary.summed},
                     {"notes", summary.notes}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

}  // namespace mog::app
