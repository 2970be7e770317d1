// Names by which a reader tells what is open apart.
#include <algorithm>
#include <filesystem>
#include <map>

#include "app/gui/session/workspace_parts.h"
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

}  // namespace

void name_apart(std::vector<WorkspaceModel>& models, std::vector<WorkspaceItem>& items) {
  std::vector<Named> named;
  for (const WorkspaceModel& model : models) {
    const std::string& card = model.loaded.model->card().name;
    named.push_back({card.empty() ? name_of(model.path).toStdString() : card, {}, place_of(model.path)});
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
