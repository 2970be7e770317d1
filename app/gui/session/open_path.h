// Opening what a reader dropped, chose or named: a model directory or a recording.
#pragma once

#include <QString>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <variant>

#include "app/workflow/describe/describe_job.h"
#include "app/workflow/record/live_run.h"
#include "io/recording/sentence_recording.h"

namespace mog::gui {

using OpenedModel = app::LoadedModel;
using OpenedRecording = std::shared_ptr<const RecordingSource>;
// A sound file of a kind that the window does not show by itself: a corpus, weights without a model …
struct OpenedOther {
  app::Description description;
  std::string advice;  // what to do with it
};
using Opened = std::variant<OpenedModel, OpenedRecording, OpenedOther>;

// How files become values; tests put their own here.
struct Openers {
  std::function<OpenedModel(const std::filesystem::path&)> model;
  std::function<OpenedRecording(const std::filesystem::path&)> recording;
  // The real ones: model/ on any device, io/hdf5.
  static Openers standard();
};

// Throws what the openers throw, and what app::describe throws for a damaged file of another kind;
// UsageError for what is not there.
Opened open_path(const std::filesystem::path& path, const Openers& openers);

std::filesystem::path to_path(const QString& path);  // absolute
// What a reader calls it: a recording opened by its recording.h5 is known by its folder.
QString name_of(const QString& path);

}  // namespace mog::gui
