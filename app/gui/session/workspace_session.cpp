// What a session keeps of what is open, and how it comes back.
#include <QFileInfo>
#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "app/gui/session/gold_syntax.h"
#include "app/gui/session/job_runner.h"
#include "app/gui/session/workspace_parts.h"
#include "app/workflow/common/shell_line.h"
#include "io/recording/errors.h"

namespace mog::gui {
namespace {

// Everything that the job opened, in the order of the session; nullptr and empty where it failed.
struct Reopened {
  std::vector<std::optional<OpenedModel>> models;
  struct Item {
    std::vector<TypedSentence> typed;
    std::vector<std::shared_ptr<const RecordingSource>> sources;
    std::vector<std::int64_t> tokens;
  };
  std::vector<Item> items;
  Workspace::Restored report;
};

TypedSentence typed_of(const app::SessionSentence& sentence) {
  return {sentence.text, sentence.edits, sentence.parent, sentence.words};
}

void reopen_typed(const app::SessionItem& item, const Reopened& so_far, const JobContext& context,
                  Reopened::Item& reopened) {
  const auto& model = so_far.models.at(static_cast<std::size_t>(item.model));
  if (!model) {
    throw UsageError("The typed sentences wait for their model.");
  }
  for (const app::SessionSentence& sentence : item.sentences) {
    context.check();
    reopened.typed.push_back(typed_of(sentence));
    reopened.sources.push_back(run_typed(*model, reopened.typed.back(), context.stop()));
  }
}

Reopened reopen(const app::Session& session, const Openers& openers, const JobContext& context) {
  Reopened all;
  const auto total = static_cast<std::int64_t>(session.models.size() + session.items.size());
  std::int64_t done = 0;
  const auto step = [&] {
    context.check();
    context.report({.done = ++done, .total = total, .unit = "files", .message = {}});
  };
  const auto failed = [&all] {
    const QString message = error_text(std::current_exception());
    if (!all.report.problems.contains(message)) {
      all.report.problems.push_back(message);
    }
  };
  for (const std::string& path : session.models) {
    all.models.emplace_back();
    try {
      Opened opened = open_path(path, openers);
      auto* model = std::get_if<OpenedModel>(&opened);
      if (model == nullptr) {
        throw UsageError("Opening " + path +
                         ": a model was there when the session was kept, now it is none.");
      }
      all.models.back() = std::move(*model);
    } catch (const Interrupted&) {
      throw;
    } catch (...) {
      failed();
    }
    step();
  }
  for (const app::SessionItem& item : session.items) {
    Reopened::Item& reopened = all.items.emplace_back();
    try {
      if (item.recording.empty()) {
        reopen_typed(item, all, context, reopened);
      } else {
        Opened opened = open_path(item.recording, openers);
        auto* recording = std::get_if<OpenedRecording>(&opened);
        if (recording == nullptr) {
          throw UsageError("Opening " + item.recording +
                           ": a recording was there when the session was kept, now it is none.");
        }
        reopened.tokens = (*recording)->token_counts();
        reopened.sources.push_back(std::move(*recording));
      }
    } catch (const Interrupted&) {
      throw;
    } catch (...) {
      failed();
      reopened = {};
      all.report.lost.push_back(
          {item, item.recording.empty() ? session.models.at(static_cast<std::size_t>(item.model)) : ""});
    }
    step();
  }
  return all;
}

void describe_look(const SelectionModel& selection, app::SessionSelection& look) {
  look.layer = selection.layer();
  look.part = selection.part();
  look.head = selection.head();
  look.token = selection.token();
  look.key = selection.key();
  if (const auto& range = selection.lengthRange()) {
    look.shortest = range->low;
    look.longest = range->high;
  }
}

// With numbers from next_item and next_model on.
Workspace::Contents contents_of(const app::Session& session, Reopened all, int next_item, int next_model) {
  Workspace::Contents contents;
  contents.next_item = next_item;
  contents.next_model = next_model;
  contents.look = session.selection;
  std::map<std::int64_t, int> model_ids;
  for (std::size_t i = 0; i < all.models.size(); ++i) {
    if (all.models[i]) {
      contents.models.push_back(model_of(contents.next_model++, QString::fromStdString(session.models[i]),
                                         std::move(*all.models[i])));
      model_ids[static_cast<std::int64_t>(i)] = contents.models.back().id;
    }
  }
  for (std::size_t i = 0; i < all.items.size(); ++i) {
    auto& [typed, sources, tokens] = all.items[i];
    if (sources.empty()) {
      continue;
    }
    const app::SessionItem& from = session.items[i];
    const QString path = QString::fromStdString(from.recording);
    const int id = contents.next_item++;
    contents.items.push_back(from.recording.empty()
                                 ? typed_item(id, model_ids.at(from.model), std::move(typed), sources)
                                 : recorded_item(id, name_of(path), path, sources.front(), tokens));
    if (static_cast<std::int64_t>(i) == session.selection.item) {
      contents.selected = {id, session.selection.sentence};
    }
    if (session.held && session.held->item == static_cast<std::int64_t>(i)) {
      contents.held = SentenceRef{id, session.held->sentence};
    }
  }
  return contents;
}

}  // namespace

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
                        std::function<void(const Restored&)> done, std::function<void()> stopped) {
  const int job = jobs_.start(
      {.title = [name] { return tr("Opening the session %1").arg(name.text()); },
       .slot = QStringLiteral("session")},
      this,
      [session, openers = openers_](const JobContext& context) { return reopen(session, openers, context); },
      [this, session, done = std::move(done)](Reopened all) {
        const Restored report = std::move(all.report);
        replace(contents_of(session, std::move(all), next_item_, next_model_));
        gold_->open(QString::fromStdString(session.gold));
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
  std::map<int, std::int64_t> model_places;
  for (const WorkspaceModel& model : models_) {
    model_places[model.id] = static_cast<std::int64_t>(session.models.size());
    session.models.push_back(QFileInfo(model.path).absoluteFilePath().toStdString());
  }
  const SentenceRef selected = selection_.sentence();
  const std::optional<SentenceRef> held = selection_.held();
  for (const WorkspaceItem& item : items_) {
    app::SessionItem kept;
    if (item.kind == WorkspaceItem::Kind::typed) {
      kept.model = model_places.at(item.model);
      for (const TypedSentence& typed : item.typed) {
        kept.sentences.push_back({typed.text, typed.edits, typed.parent, typed.words});
      }
    } else if (item.path.isEmpty()) {
      continue;  // in memory only: there is nothing to open again
    } else {
      kept.recording = QFileInfo(item.path).absoluteFilePath().toStdString();
    }
    if (item.id == selected.item) {
      session.selection.item = static_cast<std::int64_t>(session.items.size());
      session.selection.sentence = selected.index;
    }
    if (held && item.id == held->item) {
      session.held = {.item = static_cast<std::int64_t>(session.items.size()), .sentence = held->index};
    }
    session.items.push_back(std::move(kept));
  }
  describe_look(selection_, session.selection);
  session.gold = gold_->path().toStdString();
}

std::optional<QString> Workspace::recordCommand(const WorkspaceItem& item, const QString& recording) const {
  const WorkspaceModel* by = model(item.model);
  std::vector<std::string> print = {"printf", "%s\\n"};
  for (const TypedSentence& typed : item.typed) {
    if (!typed.edits.empty() || typed.words != item.typed.front().words) {
      return std::nullopt;
    }
    print.push_back(typed.text);
  }
  std::vector<std::string> record = {
      "mog",      "record",
      "--model",  by == nullptr ? std::string() : QFileInfo(by->path).absoluteFilePath().toStdString(),
      "--input",  "-",
      "--output", recording.toStdString()};
  if (!item.typed.empty() && item.typed.front().words != model::WordCut::automatic) {
    record.insert(record.end(), {"--words", std::string(model::name(item.typed.front().words))});
  }
  return QString::fromStdString(app::shell_line(print)) + QStringLiteral(" | ") +
         QString::fromStdString(app::shell_line(record)) + QLatin1Char(' ') +
         QString::fromLatin1(kCaptureOptions) +
         QStringLiteral(" --corpus-name 'typed sentence' --batch-tokens 1");
}

}  // namespace mog::gui
