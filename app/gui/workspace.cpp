#include "app/gui/workspace.h"

#include <QDir>
#include <QFileInfo>
#include <algorithm>
#include <utility>

#include "app/gui/job_runner.h"
#include "app/gui/typed_recording.h"

namespace mog::gui {
namespace {

QString name_of(const QString& path) {
  const QFileInfo file(path);
  // A recording opened by its recording.h5 is known by its folder.
  return file.fileName() == QLatin1String("recording.h5") ? file.dir().dirName()
                                                          : QDir(file.absoluteFilePath()).dirName();
}

std::filesystem::path to_path(const QString& path) {
  return std::filesystem::path(QFileInfo(path).absoluteFilePath().toStdString());
}

}  // namespace

SelectionExtent extent_of(const RecordingHeader& header, std::int64_t tokens) {
  SelectionExtent extent;
  extent.tokens = tokens;
  extent.layers = header.model.layers;
  for (const Part part : {Part::high, Part::middle1, Part::middle2, Part::low, Part::full, Part::recurrent}) {
    const bool there =
        std::any_of(header.quantities.begin(), header.quantities.end(), [part](const QuantitySchema& schema) {
          const QuantityName& name = schema.name;
          return name.stack() == Stack::encoder && name.part() == part &&
                 name.quantity() == map_quantity(part) &&
                 (name.reduction() == Reduction::full || name.reduction() == Reduction::mean_heads);
        });
    if (there) {
      extent.parts.push_back(part);
    }
  }
  for (const QuantitySchema& schema : header.quantities) {
    extent.layers = std::max(extent.layers,
                             schema.name.stack() == Stack::encoder ? schema.name.layer() : std::int64_t{0});
    if (schema.name.stack() == Stack::encoder && schema.name.quantity() == Quantity::attention &&
        schema.name.reduction() == Reduction::full && !schema.extents.empty()) {
      extent.heads = std::max(extent.heads, schema.extents.front());
    }
  }
  return extent;
}

Workspace::Workspace(JobRunner& jobs, SelectionModel& selection, Openers openers, QObject* parent)
    : QObject(parent), jobs_(jobs), selection_(selection), openers_(std::move(openers)) {
  connect(&jobs_, &JobRunner::jobOver, this, [this](const JobStatus& job) {
    if (running_.erase(job.id) > 0) {
      Q_EMIT runningChanged();
    }
  });
}

void Workspace::open(const QString& path) {
  struct Result {
    Opened opened;
    std::vector<std::int64_t> tokens;
  };
  const QString name = name_of(path);
  jobs_.start(
      {.title = tr("Opening %1").arg(name), .slot = {}}, this,
      [file = to_path(path), openers = openers_](const JobContext& context) {
        Result result{open_path(file, openers), {}};
        context.check();
        if (const auto* source = std::get_if<OpenedRecording>(&result.opened)) {
          result.tokens = (*source)->token_counts();
        }
        return result;
      },
      [this, path, name](Result result) {
        if (auto* model = std::get_if<OpenedModel>(&result.opened)) {
          addModel(path, std::move(*model));
        } else {
          addRecording(name, path, std::get<OpenedRecording>(std::move(result.opened)),
                       std::move(result.tokens));
        }
        Q_EMIT opened(path);
      },
      [this](const QString& message) { report(message); });
}

void Workspace::addRecording(const QString& name, const QString& path,
                             std::shared_ptr<const RecordingSource> source,
                             std::vector<std::int64_t> tokens) {
  WorkspaceItem item;
  item.id = next_item_++;
  item.kind = WorkspaceItem::Kind::recording;
  item.name = name;
  item.path = path;
  item.tokens = std::move(tokens);
  item.source = std::move(source);
  items_.push_back(item);
  Q_EMIT itemAdded(item.id);
  if (!item.tokens.empty()) {
    select({item.id, 0});
  }
}

void Workspace::addModel(const QString& path, OpenedModel loaded) {
  WorkspaceModel model;
  model.id = static_cast<int>(models_.size()) + 1;
  model.path = path;
  model.name =
      loaded.model->card().name.empty() ? name_of(path) : QString::fromStdString(loaded.model->card().name);
  model.loaded = std::move(loaded);
  models_.push_back(std::move(model));
  Q_EMIT modelChanged();
}

void Workspace::closeItem(int id) {
  const auto at =
      std::find_if(items_.begin(), items_.end(), [id](const auto& item) { return item.id == id; });
  if (at == items_.end()) {
    return;
  }
  items_.erase(at);
  if (selection_.sentence().item == id) {
    if (items_.empty() || items_.back().tokens.empty()) {
      selection_.clear();
    } else {
      select({items_.back().id, 0});
    }
  }
  Q_EMIT itemRemoved(id);
}

const WorkspaceItem* Workspace::item(int id) const {
  const auto at =
      std::find_if(items_.begin(), items_.end(), [id](const auto& item) { return item.id == id; });
  return at == items_.end() ? nullptr : &*at;
}

const WorkspaceModel* Workspace::currentModel() const {
  return models_.empty() ? nullptr : &models_.back();
}

const WorkspaceItem* Workspace::selectedItem() const {
  return item(selection_.sentence().item);
}

void Workspace::select(SentenceRef sentence) {
  const WorkspaceItem* found = item(sentence.item);
  if (found == nullptr || sentence.index < 0 ||
      sentence.index >= static_cast<std::int64_t>(found->tokens.size())) {
    return;
  }
  const std::int64_t tokens = found->tokens[static_cast<std::size_t>(sentence.index)];
  selection_.setSentence(sentence, extent_of(found->source->header(), tokens));
}

void Workspace::runSentence(const QString& text) {
  const WorkspaceModel* model = currentModel();
  if (model == nullptr) {
    report(tr("Running a sentence needs a model: open a model directory first (Ctrl+O, or drop it here)."));
    return;
  }
  QString title = text.simplified();
  if (title.size() > 40) {
    title = title.left(39) + QChar(0x2026);
  }
  app::CaptureSet captures;
  captures.names = {app::CaptureName::summary, app::CaptureName::attention, app::CaptureName::gates,
                    app::CaptureName::shares};
  captures.store = DType::float32;
  running_.insert(jobs_.start(
      {.title = tr("Running “%1”").arg(title), .slot = {}}, this,
      [loaded = model->loaded, words = text.toStdString(), captures](const JobContext& context) {
        context.check();
        std::shared_ptr<const RecordingSource> source =
            app::record_sentence(loaded, words, captures, {}, context.stop());
        return source;
      },
      [this, id = model->id](std::shared_ptr<const RecordingSource> sentence) {
        addTyped(id, std::move(sentence));
      },
      [this](const QString& message) { report(message); }));
  Q_EMIT runningChanged();
}

void Workspace::addTyped(int model, std::shared_ptr<const RecordingSource> sentence) {
  const auto at = std::find_if(items_.begin(), items_.end(), [model](const WorkspaceItem& item) {
    return item.kind == WorkspaceItem::Kind::typed && item.model == model;
  });
  int id = 0;
  if (at == items_.end()) {
    WorkspaceItem item;
    id = item.id = next_item_++;
    item.kind = WorkspaceItem::Kind::typed;
    item.name = tr("Typed sentences");
    item.model = model;
    item.source = std::make_shared<TypedRecording>(std::move(sentence));
    item.tokens = item.source->token_counts();
    items_.push_back(item);
    Q_EMIT itemAdded(id);
  } else {
    id = at->id;
    at->source = static_cast<const TypedRecording&>(*at->source).with(std::move(sentence));
    at->tokens = at->source->token_counts();
    Q_EMIT itemChanged(id);
  }
  select({id, static_cast<std::int64_t>(item(id)->tokens.size()) - 1});
}

void Workspace::report(const QString& message) {
  messages_.push_back(message);
  Q_EMIT messageReported(message);
}

}  // namespace mog::gui
