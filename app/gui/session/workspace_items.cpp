#include "app/gui/session/workspace_items.h"

#include <QFileInfo>
#include <QStringList>
#include <filesystem>
#include <map>
#include <utility>

#include "app/gui/session/typed_recording.h"
#include "app/gui/session/workspace.h"
#include "io/recording/recording_label.h"

namespace mog::gui {
namespace {

QStringList telling(const std::vector<Named>& all) {
  QStringList names;
  for (const std::string& name : told_apart(all)) {
    names.push_back(QString::fromStdString(name));
  }
  return names;
}

std::filesystem::path place_of(const QString& path) {
  return path.isEmpty() ? std::filesystem::path() : to_path(path);
}

// A folder that is called "model" says nothing: the one that it lies in does.
QString telling_name(const QString& path) {
  static const QStringList says_nothing = {QStringLiteral("model"), QStringLiteral("best"),
                                           QStringLiteral("last"), QStringLiteral("checkpoint"),
                                           QStringLiteral("weights")};
  const QString name = name_of(path);
  const QString around = QFileInfo(QFileInfo(path).absolutePath()).fileName();
  return says_nothing.contains(name.toLower()) && !around.isEmpty() ? around : name;
}

QString typed_name(const QString& model) {
  return Workspace::tr("%1: typed sentences").arg(model);
}

}  // namespace

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

void name_apart(std::vector<WorkspaceModel>& models, std::vector<WorkspaceItem>& items) {
  std::vector<Named> named;
  for (const WorkspaceModel& model : models) {
    const std::string& card = model.loaded.model->card().name;
    const std::string name = !model.given_name.isEmpty() ? model.given_name.toStdString()
                             : card.empty()              ? telling_name(model.path).toStdString()
                                                         : card;
    named.push_back({name, {}, place_of(model.path)});
  }
  const QStringList of_models = telling(named);
  std::map<int, QString> by_id;
  for (std::size_t i = 0; i < models.size(); ++i) {
    models[i].name = of_models[static_cast<qsizetype>(i)];
    by_id[models[i].id] = models[i].name;
  }
  named.clear();
  for (const WorkspaceItem& item : items) {
    named.push_back(
        item.kind == WorkspaceItem::Kind::typed
            ? Named{typed_name(by_id[item.model]).toStdString(), {}, {}}
            : Named{item.given_name.toStdString(), item.source->header().model.name, place_of(item.path)});
  }
  const QStringList of_items = telling(named);
  for (std::size_t i = 0; i < items.size(); ++i) {
    items[i].name = of_items[static_cast<qsizetype>(i)];
  }
}

}  // namespace mog::gui
