#include "app/gui/session/workspace_session.h"

#include <QFileInfo>
#include <algorithm>
#include <map>
#include <utility>

#include "app/gui/session/gold_syntax.h"
#include "app/gui/session/job_runner.h"
#include "app/gui/session/training_runs.h"
#include "io/recording/errors.h"

namespace mog::gui {
namespace {

TypedSentence typed_of(const app::SessionSentence& sentence) {
  return {sentence.text, sentence.interventions, sentence.parent, sentence.words, sentence.name};
}

void reopen_typed(const app::SessionItem& item, const ReopenedSession& so_far, const JobContext& context,
                  ReopenedSession::Item& reopened) {
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

}  // namespace

ReopenedSession reopen(const app::Session& session, const Openers& openers, const JobContext& context) {
  ReopenedSession all;
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
    ReopenedSession::Item& reopened = all.items.emplace_back();
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

Workspace::Contents contents_of(const app::Session& session, ReopenedSession all, int next_item,
                                int next_model) {
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
      if (const auto name = session.names.find(session.models[i]); name != session.names.end()) {
        contents.models.back().given_name = QString::fromStdString(name->second);
      }
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
    if (const auto name = session.names.find(from.recording); name != session.names.end()) {
      contents.items.back().given_name = QString::fromStdString(name->second);
      contents.items.back().renamed = true;
    }
    if (static_cast<std::int64_t>(i) == session.selection.item) {
      contents.selected = {id, session.selection.sentence};
    }
    if (session.held && session.held->item == static_cast<std::int64_t>(i)) {
      contents.held = SentenceRef{id, session.held->sentence};
    }
  }
  return contents;
}

void describe_workspace(const Workspace& workspace, const SelectionModel& selection, app::Session& session) {
  std::map<int, std::int64_t> model_places;
  for (const WorkspaceModel& model : workspace.models()) {
    model_places[model.id] = static_cast<std::int64_t>(session.models.size());
    session.models.push_back(QFileInfo(model.path).absoluteFilePath().toStdString());
    if (!model.given_name.isEmpty()) {
      session.names[session.models.back()] = model.given_name.toStdString();
    }
  }
  const SentenceRef selected = selection.sentence();
  const std::optional<SentenceRef> held = selection.held();
  for (const WorkspaceItem& item : workspace.items()) {
    app::SessionItem kept;
    if (item.kind == WorkspaceItem::Kind::typed) {
      kept.model = model_places.at(item.model);
      for (const TypedSentence& typed : item.typed) {
        kept.sentences.push_back({typed.text, typed.interventions, typed.parent, typed.words, typed.name});
      }
    } else if (item.path.isEmpty()) {
      continue;  // in memory only: there is nothing to open again
    } else {
      kept.recording = QFileInfo(item.path).absoluteFilePath().toStdString();
      if (item.renamed) {
        session.names[kept.recording] = item.given_name.toStdString();
      }
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
  describe_look(selection, session.selection);
  session.gold = workspace.gold().path().toStdString();
  for (const QString& file : workspace.trainingRuns().paths()) {
    session.trajectories.push_back(file.toStdString());
  }
}

}  // namespace mog::gui
