#include "app/gui/session/open_path.h"

#include <QDir>
#include <QFileInfo>
#include <system_error>

#include "app/workflow/describe/describe_job.h"
#include "io/hdf5/recording/recording_reader.h"
#include "io/recording/errors.h"

namespace mog::gui {

Openers Openers::standard() {
  return {[](const std::filesystem::path& path) { return app::load_for_running(path); },
          [](const std::filesystem::path& path) -> OpenedRecording {
            return std::make_shared<io::RecordingReader>(path);
          }};
}

Opened open_path(const std::filesystem::path& path, const Openers& openers) {
  const app::PathKind kind = app::detect_path_kind(path);
  if (kind == app::PathKind::model_dir) {
    return openers.model(path);
  }
  if (kind == app::PathKind::recording) {
    return openers.recording(path);
  }
  const std::filesystem::path folder = path.parent_path();
  std::error_code error;
  if (kind == app::PathKind::safetensors && std::filesystem::exists(folder / "config.json", error)) {
    return openers.model(folder);  // the weights of a model directory stand for it
  }
  // A damaged file is told by the words of `mog describe`; a sound one has another place.
  OpenedOther other;
  other.description = app::describe(path, kind);
  other.advice =
      "Opening " + path.string() + ": this is a file of the kind " + std::string(app::name(kind)) +
      " without a fault, but the window shows models and recordings. Open the folder of a model, or record a "
      "corpus (Ctrl+B, or `mog record`) and open the recording.";
  return other;
}

std::filesystem::path to_path(const QString& path) {
  return std::filesystem::path(QFileInfo(path).absoluteFilePath().toStdString());
}

QString name_of(const QString& path) {
  const QFileInfo file(path);
  return file.fileName() == QLatin1String("recording.h5") ? file.dir().dirName()
                                                          : QDir(file.absoluteFilePath()).dirName();
}

}  // namespace mog::gui
