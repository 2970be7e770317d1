// Opening what a reader dropped, chose or named: a model directory or a recording.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <variant>

#include "app/workflow/live_run.h"
#include "io/recording/sentence_recording.h"

namespace mog::gui {

using OpenedModel = app::LoadedModel;
using OpenedRecording = std::shared_ptr<const RecordingSource>;
using Opened = std::variant<OpenedModel, OpenedRecording>;

// How files become values; tests put their own here.
struct Openers {
  std::function<OpenedModel(const std::filesystem::path&)> model;
  std::function<OpenedRecording(const std::filesystem::path&)> recording;
  // The real ones: model/ on any device, io/hdf5.
  static Openers standard();
};

// Throws what the openers throw, and what app::describe throws for a damaged file of another kind;
// UsageError for what is sound but neither a model nor a recording, or is not there.
Opened open_path(const std::filesystem::path& path, const Openers& openers);

}  // namespace mog::gui
