// What can be open: models, recordings, and the sentences typed for a model.
#pragma once

#include <QString>
#include <cstdint>
#include <memory>
#include <vector>

#include "app/gui/session/open_path.h"
#include "app/gui/session/typed_run.h"

namespace mog::gui {

// A recording, or the sentences typed for one model.
struct WorkspaceItem {
  enum class Kind : std::uint8_t { recording, typed };
  int id = 0;  // from 1
  Kind kind = Kind::recording;
  QString name;          // no other item has it
  QString given_name;    // of a recording: the reader's, else the name in it, else of what was opened
  bool renamed = false;  // by the reader
  QString path;          // empty for typed sentences
  int model = 0;         // WorkspaceModel::id of typed sentences
  std::shared_ptr<const RecordingSource> source;
  std::vector<std::int64_t> tokens;  // of every sentence
  std::vector<TypedSentence> typed;  // as many, of typed sentences
};

struct WorkspaceModel {
  int id = 0;          // from 1
  QString name;        // no other model has it
  QString given_name;  // by the reader; empty: that of its card or folder
  QString path;
  OpenedModel loaded;
};

// Without a name as yet.
WorkspaceItem typed_item(int id, int model, std::vector<TypedSentence> typed,
                         std::vector<std::shared_ptr<const RecordingSource>> sentences);
WorkspaceItem recorded_item(int id, const QString& name, const QString& path,
                            std::shared_ptr<const RecordingSource> source, std::vector<std::int64_t> tokens);
WorkspaceModel model_of(int id, const QString& path, OpenedModel loaded);

// Gives every model and every item a name that no other one has, in the language of the window.
void name_apart(std::vector<WorkspaceModel>& models, std::vector<WorkspaceItem>& items);

}  // namespace mog::gui
