// Names by which a reader tells what is open apart: the plain ones where they differ; of equal ones each with
// its model, else with as much of its folder as tells it apart, else with a number.
#include <QFileInfo>
#include <QSet>
#include <algorithm>
#include <map>

#include "app/gui/workspace_parts.h"

namespace mog::gui {
namespace {

struct Named {
  QString name;
  QString model;
  QString path;  // may be empty
};

bool all_tell(const QStringList& words) {
  return !words.contains(QString()) &&
         QSet<QString>(words.begin(), words.end()).size() == static_cast<qsizetype>(words.size());
}

// The last `depth` folders of a path, without what the name says already.
QString end_of_path(const Named& one, int depth) {
  if (one.path.isEmpty()) {
    return {};
  }
  QStringList parts = QFileInfo(one.path).absoluteFilePath().split(QLatin1Char('/'), Qt::SkipEmptyParts);
  for (const QString& known : {QStringLiteral("recording.h5"), one.name}) {
    if (!parts.isEmpty() && parts.back() == known) {
      parts.pop_back();
    }
  }
  return parts.mid(std::max<qsizetype>(0, parts.size() - depth)).join(QLatin1Char('/'));
}

// What stands in brackets behind names that are the same.
QStringList apart(const std::vector<Named>& same) {
  QStringList words;
  for (const Named& one : same) {
    words.push_back(one.model);
  }
  constexpr int kDeepest = 64;
  for (int depth = 1; depth <= kDeepest && !all_tell(words); ++depth) {
    words.clear();
    for (const Named& one : same) {
      words.push_back(end_of_path(one, depth));
    }
  }
  if (!all_tell(words)) {
    words.clear();
    for (std::size_t i = 0; i < same.size(); ++i) {
      words.push_back(QString::number(i + 1));
    }
  }
  return words;
}

QStringList telling(const std::vector<Named>& all) {
  std::map<QString, std::vector<std::size_t>> places;
  for (std::size_t i = 0; i < all.size(); ++i) {
    places[all[i].name].push_back(i);
  }
  QStringList names(static_cast<qsizetype>(all.size()));
  for (const auto& [name, at] : places) {
    std::vector<Named> same;
    for (const std::size_t i : at) {
      same.push_back(all[i]);
    }
    const QStringList words = at.size() > 1 ? apart(same) : QStringList{QString()};
    for (std::size_t i = 0; i < at.size(); ++i) {
      const QString& word = words[static_cast<qsizetype>(i)];
      names[static_cast<qsizetype>(at[i])] =
          word.isEmpty() ? name : QStringLiteral("%1 (%2)").arg(name, word);
    }
  }
  return names;
}

}  // namespace

void name_apart(std::vector<WorkspaceModel>& models, std::vector<WorkspaceItem>& items) {
  std::vector<Named> named;
  for (const WorkspaceModel& model : models) {
    const std::string& card = model.loaded.model->card().name;
    named.push_back({card.empty() ? name_of(model.path) : QString::fromStdString(card), {}, model.path});
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
            ? Named{typed_name(by_id[item.model]), {}, {}}
            : Named{item.given_name, QString::fromStdString(item.source->header().model.name), item.path});
  }
  const QStringList of_items = telling(named);
  for (std::size_t i = 0; i < items.size(); ++i) {
    items[i].name = of_items[static_cast<qsizetype>(i)];
  }
}

}  // namespace mog::gui
