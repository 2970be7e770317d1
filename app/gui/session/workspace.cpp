#include "app/gui/session/workspace.h"

#include <QFileInfo>
#include <algorithm>
#include <utility>

#include "app/gui/session/gold_syntax.h"
#include "app/gui/session/job_runner.h"
#include "app/gui/session/training_runs.h"
#include "app/gui/session/typed_recording.h"
#include "app/gui/session/workspace_session.h"
#include "app/workflow/recordings/recording_groups.h"
#include "io/recording/errors.h"

namespace mog::gui {

namespace {

// The one that holds the same files, whatever paths and links lead to them; nullptr: none does.
const WorkspaceItem* same_recording(const std::vector<WorkspaceItem>& items, const QString& path,
                                    const RecordingSource& source) {
  const auto at = std::find_if(items.begin(), items.end(), [&](const WorkspaceItem& item) {
    const std::vector<app::SourceAtPath> both = {{item.source.get(), to_path(item.path)},
                                                 {&source, to_path(path)}};
    try {
      app::refuse_repeated(both);
      return false;
    } catch (const UsageError&) {
      return true;
    }
  });
  return at == items.end() ? nullptr : &*at;
}

}  // namespace

Workspace::Workspace(JobRunner& jobs, SelectionModel& selection, Openers openers, QObject* parent)
    : QObject(parent),
      jobs_(jobs),
      selection_(selection),
      openers_(std::move(openers)),
      gold_(new GoldSyntax(jobs, *this)),
      training_runs_(new TrainingRuns(jobs, *this)) {
  connect(&jobs_, &JobRunner::jobOver, this, [this](const JobStatus& job) {
    if (waiting_ && waiting_->job == job.id && job.state != JobState::done) {
      waiting_.reset();  // refused or cancelled
    }
    if (running_.erase(job.id) + opening_.erase(job.id) > 0) {
      Q_EMIT runningChanged();
    }
  });
}

int Workspace::open(const QString& path) {
  struct Result {
    Opened opened;
    std::vector<std::int64_t> tokens;
  };
  const QString name = name_of(path);
  const int job = jobs_.start(
      {.title = [name] { return tr("Opening %1").arg(name); }, .slot = {}}, this,
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
          runWaiting(path);
        } else if (const auto* other = std::get_if<OpenedOther>(&result.opened)) {
          report(QString::fromStdString(other->advice));
          Q_EMIT found(path, other->description);
          return;
        } else {
          addRecording(name, path, std::get<OpenedRecording>(std::move(result.opened)),
                       std::move(result.tokens));
        }
        Q_EMIT opened(path);
      },
      [this, path](const QString& message) {
        report(message);
        Q_EMIT refused(path, message);
      });
  opening_.insert(job);
  Q_EMIT runningChanged();
  return job;
}

void Workspace::addRecording(const QString& name, const QString& path,
                             std::shared_ptr<const RecordingSource> source,
                             std::vector<std::int64_t> tokens) {
  if (const WorkspaceItem* before = same_recording(items_, path, *source)) {
    if (before->tokens.size() == tokens.size()) {
      select({before->id, 0});
      return;
    }
    closeItem(before->id);
  }
  const WorkspaceItem item = recorded_item(next_item_++, name, path, std::move(source), std::move(tokens));
  items_.push_back(item);
  name_apart(models_, items_);
  Q_EMIT itemAdded(item.id);
  if (!item.tokens.empty()) {
    select({item.id, 0});
  }
}

void Workspace::addModel(const QString& path, OpenedModel loaded) {
  const QString place = QFileInfo(path).canonicalFilePath();
  const auto before = std::find_if(models_.begin(), models_.end(), [&](const WorkspaceModel& one) {
    return !place.isEmpty() && QFileInfo(one.path).canonicalFilePath() == place &&
           one.loaded.model->card().weights_sha256 == loaded.model->card().weights_sha256;
  });
  if (before != models_.end()) {
    chooseModel(before->id);
    return;
  }
  models_.push_back(model_of(next_model_++, path, std::move(loaded)));
  name_apart(models_, items_);
  // Whoever looks at a recording goes on looking at it.
  const WorkspaceItem* selected = selectedItem();
  if (selected == nullptr || selected->kind == WorkspaceItem::Kind::typed) {
    chosen_model_ = models_.back().id;
  }
  Q_EMIT modelChanged();
}

void Workspace::closeItem(int id) {
  const auto at =
      std::find_if(items_.begin(), items_.end(), [id](const auto& item) { return item.id == id; });
  if (at == items_.end()) {
    return;
  }
  items_.erase(at);
  name_apart(models_, items_);
  if (selection_.held() && selection_.held()->item == id) {
    selection_.setHeld(std::nullopt);
  }
  if (selection_.sentence().item == id) {
    if (items_.empty() || items_.back().tokens.empty()) {
      selection_.clear();
    } else {
      select({items_.back().id, 0});
    }
  }
  Q_EMIT itemRemoved(id);
}

void Workspace::closeModel(int id) {
  if (const WorkspaceItem* typed = typedFor(id)) {
    closeItem(typed->id);
  }
  const auto at =
      std::find_if(models_.begin(), models_.end(), [id](const auto& one) { return one.id == id; });
  if (at == models_.end()) {
    return;
  }
  models_.erase(at);
  chosen_model_ = chosen_model_ == id ? 0 : chosen_model_;
  name_apart(models_, items_);
  Q_EMIT modelChanged();
}

void Workspace::removeSentence(SentenceRef sentence) {
  const auto at =
      std::find_if(items_.begin(), items_.end(), [&](const auto& item) { return item.id == sentence.item; });
  if (at == items_.end() || at->kind != WorkspaceItem::Kind::typed || sentence.index < 0 ||
      sentence.index >= static_cast<std::int64_t>(at->typed.size())) {
    return;
  }
  const auto all = static_cast<const TypedRecording&>(*at->source).sentences();
  std::vector<std::int64_t> places(at->typed.size(), -1);  // of each in what stays; -1: it goes
  std::vector<TypedSentence> typed;
  std::vector<std::shared_ptr<const RecordingSource>> sources;
  for (std::size_t i = 0; i < at->typed.size(); ++i) {
    const std::int64_t parent = at->typed[i].parent;
    const bool goes = static_cast<std::int64_t>(i) == sentence.index ||
                      (parent >= 0 && places[static_cast<std::size_t>(parent)] < 0);
    if (!goes) {
      places[i] = static_cast<std::int64_t>(typed.size());
      typed.push_back(at->typed[i]);
      typed.back().parent = parent < 0 ? -1 : places[static_cast<std::size_t>(parent)];
      sources.push_back(all[i]);
    }
  }
  if (typed.empty()) {
    closeItem(sentence.item);
    return;
  }
  const SentenceRef selected = selection_.sentence();
  const std::optional<SentenceRef> held = selection_.held();
  const int id = next_item_++;
  *at = typed_item(id, at->model, std::move(typed), std::move(sources));
  name_apart(models_, items_);
  const auto place_now = [&](const SentenceRef& before) {
    const std::int64_t now = places[static_cast<std::size_t>(before.index)];
    return now < 0 ? SentenceRef{} : SentenceRef{id, now};
  };
  if (held && held->item == sentence.item) {
    selection_.setHeld(place_now(*held));
  }
  Q_EMIT itemRemoved(sentence.item);
  Q_EMIT itemAdded(id);
  if (selected.item == sentence.item) {
    const SentenceRef now = place_now(selected);
    select(now.valid()
               ? now
               : SentenceRef{id, std::min<std::int64_t>(sentence.index, std::ssize(item(id)->typed) - 1)});
  }
}

void Workspace::rename(int item, int model, const QString& name) {
  const QString given = name.simplified();
  for (WorkspaceItem& one : items_) {
    if (one.id == item && one.kind == WorkspaceItem::Kind::recording) {
      const std::string& recorded = one.source->header().provenance.name;
      one.renamed = !given.isEmpty();
      one.given_name = !given.isEmpty()   ? given
                       : recorded.empty() ? name_of(one.path)
                                          : QString::fromStdString(recorded);
    }
  }
  for (WorkspaceModel& one : models_) {
    if (one.id == model) {
      one.given_name = given;
    }
  }
  name_apart(models_, items_);
  Q_EMIT modelChanged();
}

void Workspace::renameSentence(SentenceRef sentence, const QString& name) {
  for (WorkspaceItem& one : items_) {
    if (one.id == sentence.item && sentence.index >= 0 && sentence.index < std::ssize(one.typed)) {
      one.typed[static_cast<std::size_t>(sentence.index)].name = name.simplified().toStdString();
      Q_EMIT itemChanged(one.id);
    }
  }
}

Workspace::InUse Workspace::inUse() const {
  if (const WorkspaceModel* chosen = modelWithoutSentences()) {
    return {0, chosen->id};
  }
  const WorkspaceItem* selected = selectedItem();
  if (selected == nullptr) {
    return models_.empty() ? InUse{} : InUse{0, models_.back().id};
  }
  return selected->kind == WorkspaceItem::Kind::typed ? InUse{0, selected->model} : InUse{selected->id, 0};
}

void Workspace::replace(Contents contents) {
  for (const int run : std::set<int>(running_)) {
    jobs_.cancel(run);  // of a model that is closed now
  }
  selection_.clear();
  items_.clear();
  models_.clear();
  chosen_model_ = 0;
  selection_.setHeld(std::nullopt);
  Q_EMIT allRemoved();
  next_item_ = std::max(next_item_, contents.next_item);
  next_model_ = std::max(next_model_, contents.next_model);
  models_ = std::move(contents.models);
  name_apart(models_, contents.items);
  Q_EMIT modelChanged();
  for (WorkspaceItem& item : contents.items) {
    items_.push_back(std::move(item));
    WorkspaceItem& added = items_.back();
    if (contents.held && contents.held->item == added.id &&
        contents.held->index < static_cast<std::int64_t>(added.tokens.size())) {
      selection_.setHeld(contents.held);
    }
    const int id = added.id;
    Q_EMIT itemAdded(id);
  }
  select(contents.selected);
  if (!selection_.sentence().valid() && !items_.empty()) {
    select({items_.front().id, 0});
    return;
  }
  const app::SessionSelection& look = contents.look;
  selection_.setMap(look.layer, look.part, look.head);
  if (look.shortest) {
    selection_.setLengthRange(LengthRange{*look.shortest, look.longest});
  }
  selection_.setToken(look.token);
  selection_.setKey(look.key);
}

void Workspace::restore(const app::Session& session, const ReaderText& name,
                        std::function<void(const Restored&)> done, std::function<void()> stopped,
                        std::function<void()> replacing) {
  const int job = jobs_.start(
      {.title = [name] { return tr("Opening the session %1").arg(name.text()); },
       .slot = QStringLiteral("session")},
      this,
      [session, openers = openers_](const JobContext& context) { return reopen(session, openers, context); },
      [this, session, done = std::move(done), replacing = std::move(replacing)](ReopenedSession all) {
        if (replacing) {
          replacing();
        }
        const Restored report = std::move(all.report);
        replace(contents_of(session, std::move(all), next_item_, next_model_));
        gold_->open(QString::fromStdString(session.gold));
        QStringList trajectories;
        for (const std::string& file : session.trajectories) {
          trajectories.push_back(QString::fromStdString(file));
        }
        training_runs_->restore(trajectories);
        done(report);
      },
      [this](const QString& message) { report(message); });
  opening_.insert(job);
  Q_EMIT runningChanged();
  // Also after a failure; a job that is done has said so before.
  auto* watch = new QObject(this);
  connect(&jobs_, &JobRunner::jobOver, watch,
          [job, watch, stopped = std::move(stopped)](const JobStatus& over) {
            if (over.id != job) {
              return;
            }
            watch->deleteLater();
            if (over.state != JobState::done && stopped) {
              stopped();
            }
          });
}

void Workspace::describe(app::Session& session) const {
  describe_workspace(*this, selection_, session);
}

std::optional<QString> Workspace::recordCommand(const WorkspaceItem& item, const QString& recording) const {
  const WorkspaceModel* by = model(item.model);
  const QString path = by == nullptr ? QString() : QFileInfo(by->path).absoluteFilePath();
  return record_command(item.typed, path, recording, by != nullptr && predicts_tokens(by->loaded));
}

const WorkspaceItem* Workspace::item(int id) const {
  const auto at =
      std::find_if(items_.begin(), items_.end(), [id](const auto& item) { return item.id == id; });
  return at == items_.end() ? nullptr : &*at;
}

const WorkspaceModel* Workspace::currentModel() const {
  if (const WorkspaceModel* chosen = model(chosen_model_)) {
    return chosen;
  }
  const WorkspaceItem* item = selectedItem();
  const WorkspaceModel* of_item = item == nullptr ? nullptr : modelOf(*item);
  return of_item != nullptr || models_.empty() ? of_item : &models_.back();
}

const WorkspaceModel* Workspace::modelOf(const WorkspaceItem& item) const {
  if (item.kind == WorkspaceItem::Kind::typed) {
    return model(item.model);
  }
  const ModelCard& card = item.source->header().model;
  const auto at = std::find_if(models_.rbegin(), models_.rend(), [&card](const WorkspaceModel& one) {
    const ModelCard& other = one.loaded.model->card();
    return !card.weights_sha256.empty() && other.weights_sha256 == card.weights_sha256 &&
           other.tokenizer_sha256 == card.tokenizer_sha256;
  });
  return at == models_.rend() ? nullptr : &*at;
}

const WorkspaceItem* Workspace::typedFor(int model) const {
  const auto at = std::find_if(items_.begin(), items_.end(), [model](const WorkspaceItem& item) {
    return item.kind == WorkspaceItem::Kind::typed && item.model == model;
  });
  return at == items_.end() ? nullptr : &*at;
}

void Workspace::chooseModel(int id) {
  if (const WorkspaceItem* typed = typedFor(id)) {
    select({typed->id, static_cast<std::int64_t>(typed->tokens.size()) - 1});
  } else if (model(id) != nullptr) {
    chosen_model_ = id;
    Q_EMIT modelChanged();
  }
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
  const bool another_list = std::exchange(chosen_model_, 0) != 0;
  selection_.setSentence(sentence, extent_of(found->source->header(), tokens));
  if (another_list) {
    Q_EMIT modelChanged();  // also where the sentence was selected before
  }
}

const WorkspaceModel* Workspace::model(int id) const {
  const auto at =
      std::find_if(models_.begin(), models_.end(), [id](const auto& one) { return one.id == id; });
  return at == models_.end() ? nullptr : &*at;
}

void Workspace::runSentence(const QString& text, model::WordCut words) {
  const WorkspaceModel* model = currentModel();
  if (model == nullptr) {
    report(tr("Running a sentence needs a model: open a model directory first (Ctrl+O, or drop it here)."));
    return;
  }
  run(*model, {text.toStdString(), {}, -1, words});
}

void Workspace::runChanged(SentenceRef of, std::string text, std::vector<model::Intervention> interventions) {
  const WorkspaceItem* from = item(of.item);
  const WorkspaceModel* by = from == nullptr ? nullptr : model(from->model);
  if (by == nullptr) {
    report(tr("Changing a run needs the model of the sentence: open it, type the sentence and run it."));
    return;
  }
  const model::WordCut words = from->typed.at(static_cast<std::size_t>(of.index)).words;
  run(*by, {std::move(text), std::move(interventions), of.index, words});
}

void Workspace::run(const WorkspaceModel& model, TypedSentence sentence) {
  QString title = QString::fromStdString(sentence.text).simplified();
  if (title.size() > 40) {
    title = title.left(39) + QChar(0x2026);
  }
  running_.insert(jobs_.start(
      {.title = [title] { return tr("Running “%1”").arg(title); }, .slot = {}}, this,
      [loaded = model.loaded, sentence](const JobContext& context) {
        context.check();
        return run_typed(loaded, sentence, context.stop());
      },
      [this, id = model.id, sentence](std::shared_ptr<const RecordingSource> recorded) {
        addTyped(id, sentence, std::move(recorded));
      },
      [this](const QString& message) { report(message); }));
  Q_EMIT runningChanged();
}

void Workspace::addTyped(int model, TypedSentence typed, std::shared_ptr<const RecordingSource> sentence) {
  if (this->model(model) == nullptr) {
    return;  // closed while the sentence ran
  }
  const WorkspaceItem* before = typedFor(model);
  int id = before == nullptr ? 0 : before->id;
  if (before == nullptr) {
    typed.parent = -1;
    WorkspaceItem item = typed_item(next_item_++, model, {std::move(typed)}, {std::move(sentence)});
    id = item.id;
    items_.push_back(std::move(item));
    name_apart(models_, items_);
    Q_EMIT itemAdded(id);
  } else {
    const auto at = items_.begin() + (before - items_.data());
    at->source = static_cast<const TypedRecording&>(*at->source).with(std::move(sentence));
    at->tokens = at->source->token_counts();
    at->typed.push_back(std::move(typed));
    Q_EMIT itemChanged(id);
  }
  select({id, static_cast<std::int64_t>(item(id)->tokens.size()) - 1});
}

void Workspace::report(const QString& message) {
  messages_.push_back(message);
  Q_EMIT messageReported(message);
}

}  // namespace mog::gui
