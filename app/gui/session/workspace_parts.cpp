#include "app/gui/session/workspace_parts.h"

#include <QDir>
#include <QFileInfo>
#include <utility>

#include "app/gui/session/typed_recording.h"

namespace mog::gui {

QString name_of(const QString& path) {
  const QFileInfo file(path);
  // A recording opened by its recording.h5 is known by its folder.
  return file.fileName() == QLatin1String("recording.h5") ? file.dir().dirName()
                                                          : QDir(file.absoluteFilePath()).dirName();
}

std::filesystem::path to_path(const QString& path) {
  return std::filesystem::path(QFileInfo(path).absoluteFilePath().toStdString());
}

namespace {
app::CaptureSet captures_of_typed() {
  app::CaptureSet captures;
  captures.names = {app::CaptureName::summary, app::CaptureName::attention, app::CaptureName::gates,
                    app::CaptureName::shares};
  captures.store = DType::float32;
  return captures;
}

OpenedModel cutting(OpenedModel loaded, model::WordCut words) {
  loaded.tokenizer = tokenizer_of(loaded, words);
  return loaded;
}
}  // namespace

std::shared_ptr<const model::Tokenizer> tokenizer_of(const OpenedModel& loaded, model::WordCut words) {
  return model::with_words(loaded.tokenizer, words);
}

std::shared_ptr<const RecordingSource> run_typed(const OpenedModel& loaded, const TypedSentence& sentence,
                                                 const std::stop_token& stop) {
  return app::record_sentence(cutting(loaded, sentence.words), sentence.text, captures_of_typed(),
                              sentence.edits, stop);
}

std::shared_ptr<const RecordingSource> run_for(const OpenedModel& loaded, const TypedSentence& sentence,
                                               const QString& quantities, const std::stop_token& stop) {
  app::CaptureSet captures;
  captures.names = {};
  captures.store = DType::float32;
  return app::record_sentence(cutting(loaded, sentence.words), sentence.text, captures, sentence.edits, stop,
                              {quantities.toStdString()});
}

QString typed_name(const QString& model) {
  return Workspace::tr("%1: typed sentences").arg(model);
}

WorkspaceItem typed_item(int id, int model, std::vector<TypedSentence> typed,
                         std::vector<std::shared_ptr<const RecordingSource>> sentences) {
  WorkspaceItem item;
  item.id = id;
  item.kind = WorkspaceItem::Kind::typed;
  item.model = model;
  item.source = std::make_shared<TypedRecording>(std::move(sentences));
  item.tokens = item.source->token_counts();
  item.typed = std::move(typed);
  return item;
}

WorkspaceItem recorded_item(int id, const QString& name, const QString& path,
                            std::shared_ptr<const RecordingSource> source, std::vector<std::int64_t> tokens) {
  WorkspaceItem item;
  item.id = id;
  item.kind = WorkspaceItem::Kind::recording;
  const std::string& given = source->header().provenance.name;
  item.given_name = given.empty() ? name : QString::fromStdString(given);
  item.path = path;
  item.tokens = std::move(tokens);
  item.source = std::move(source);
  return item;
}

WorkspaceModel model_of(int id, const QString& path, OpenedModel loaded) {
  WorkspaceModel model;
  model.id = id;
  model.path = path;
  model.loaded = std::move(loaded);
  return model;
}

}  // namespace mog::gui
